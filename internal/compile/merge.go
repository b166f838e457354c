package compile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
)

// ChangeKind says what becomes of an artifact.
type ChangeKind string

// The kinds of changes.
const (
	Create    ChangeKind = "create"    // Artifact is new, as a draft
	Supersede ChangeKind = "supersede" // Artifact is new, as a draft, and Old is superseded by it
	Activate  ChangeKind = "activate"  // Artifact was a draft and becomes active
	Deprecate ChangeKind = "deprecate" // Artifact was a draft or active and is deprecated
	Unchanged ChangeKind = "unchanged" // Artifact stays as it is
)

// Change is one thing that becomes of an artifact.
type Change struct {
	Kind ChangeKind
	// Artifact is the artifact as it is after the change.
	Artifact *hmx.Artifact
	// Old is, if the kind is Supersede, the one before as it is after the change.
	Old    *hmx.Artifact
	Reason string
}

// Merge says what becomes of drafts, and of the known artifacts of the tenant that a
// compiler made; others among them are passed over. Nothing that it is given is
// changed. Changes are in an order in which they can be applied one by one: after each
// of them no chain has a fault or two active artifacts. A new artifact that is fit to
// be used is created first and then activated.
//
// What is active in the end is a function of the drafts and of what operators did:
// the content of each draft that is fit, in one artifact. A draft is fit if its hash is
// that of its content, its evidence resolves, its support and its confidence suffice
// and nothing speaks against it. It stays a draft if it lacks support or confidence
// only, and is not made at all otherwise. What one approved needs no support or confidence.
//
// What was erased is not made again of the same evidence. What an operator archived or
// deprecated stays so: nothing of its key that says the
// same, apart from counts, is made again, and what says something else is made as a
// draft and becomes active by an operator's hand only. So it is for what an operator
// has superseded by something of their own. What an operator approved stays active
// while its evidence is there, and what says something else waits as a draft that would
// supersede it.
func Merge(drafts []Draft, known []*hmx.Artifact, o Options) []Change {
	m := merger{o: o, rows: make(map[string]*row), refused: make(map[string]bool)}
	for _, a := range known {
		m.know(a)
	}
	for _, d := range distinct(drafts) {
		m.row(d.Key).draft = d
	}
	for _, key := range slices.Sorted(maps.Keys(m.rows)) {
		m.settle(m.rows[key])
	}
	return m.changes
}

// KeyOf returns the key of an artifact that a compiler of this kind made.
func KeyOf(a *hmx.Artifact) (key string, ok bool) {
	var meta metadata
	if json.Unmarshal([]byte(a.Metadata), &meta) != nil || meta.Compiler != Compiler || meta.Key == "" {
		return "", false
	}
	return meta.Key, true
}

// merger makes changes.
type merger struct {
	o       Options
	rows    map[string]*row
	refused map[string]bool // content that operators put away
	changes []Change
}

// row is what is known of a key.
type row struct {
	draft    *Draft
	active   []*hmx.Artifact
	drafts   []*hmx.Artifact
	version  int64           // the newest
	contents map[string]int  // how many artifacts have a content
	past     []*hmx.Artifact // that are or were in use, or that an operator put away
	refused  map[string]bool // what those say, apart from counts, that operators put away
}

func (m *merger) row(key string) *row {
	if m.rows[key] == nil {
		m.rows[key] = &row{contents: make(map[string]int), refused: make(map[string]bool)}
	}
	return m.rows[key]
}

func (m *merger) know(a *hmx.Artifact) {
	key, ok := KeyOf(a)
	if !ok {
		return
	}
	r := m.row(key)
	r.version = max(r.version, a.Version)
	r.contents[a.ContentHash]++
	used := a.Status == hmx.StatusActive || a.Status == hmx.StatusSuperseded
	if used || m.putAway(a) {
		r.past = append(r.past, a)
	}
	switch {
	case a.Status == hmx.StatusActive:
		r.active = append(r.active, a)
	case a.Status == hmx.StatusDraft:
		r.drafts = append(r.drafts, a)
	case m.putAway(a):
		m.refused[sameAs(a)] = true
		if said := saysOf(a); said != "" {
			r.refused[said] = true
		}
	}
}

// last returns the newest that is or was in use, or that an operator put away, if there is
// one.
func (r *row) last() *hmx.Artifact {
	if len(r.past) == 0 {
		return nil
	}
	return slices.MinFunc(r.past, newestFirst)
}

// newestFirst compares artifacts of a key.
func newestFirst(a, b *hmx.Artifact) int {
	return cmp.Or(cmp.Compare(b.Version, a.Version), strings.Compare(a.ArtifactID, b.ArtifactID))
}

// putAway reports whether an operator wants no more of an artifact.
func (m *merger) putAway(a *hmx.Artifact) bool {
	return a.Status == hmx.StatusArchived || a.Status == hmx.StatusDeprecated && m.byHand(a)
}

// ended reports whether it was an operator who took the last of a key out of use.
func (m *merger) ended(r *row) bool {
	last := r.last()
	return len(r.active) == 0 && last != nil && (m.putAway(last) || last.Status == hmx.StatusSuperseded && m.byHand(last))
}

func (m *merger) byHand(a *hmx.Artifact) bool { return m.o.ByHand != nil && m.o.ByHand(a) }

// sameAs returns what artifacts that hold the same have in common.
func sameAs(a *hmx.Artifact) string { return string(a.ArtifactType) + " " + a.ContentHash }

// distinct returns drafts that differ in content, in the order of their keys. Of those
// that do not, the one with most support has the evidence of all.
func distinct(drafts []Draft) []*Draft {
	order := make([]*Draft, len(drafts))
	for i := range drafts {
		order[i] = &drafts[i]
	}
	slices.SortStableFunc(order, func(a, b *Draft) int { return cmp.Or(cmp.Compare(b.Support, a.Support), strings.Compare(a.Key, b.Key)) })
	byContent := make(map[string]*Draft)
	var out []*Draft
	for _, d := range order {
		same := byContent[sameAs(&d.Artifact)]
		if same == nil {
			same = new(Draft)
			*same = *d
			byContent[sameAs(&d.Artifact)] = same
			out = append(out, same)
			continue
		}
		same.join(d)
	}
	slices.SortFunc(out, func(a, b *Draft) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// join takes in the evidence of another draft with the same content.
func (d *Draft) join(other *Draft) {
	ids := slices.Concat(d.Sources(), other.Sources())
	slices.Sort(ids)
	ids = slices.Compact(ids)
	d.Artifact.SourceEvents = lastFitting(ids[:min(len(ids), hmx.MaxSourceEvents)], hmx.MaxArtifactBytes-overhead-len(d.Artifact.Content))
	d.list = nil
	d.Trust = min(d.Trust, other.Trust)
	d.Support = max(d.Support, other.Support)
}

// settle says what becomes of a key.
func (m *merger) settle(r *row) {
	for _, list := range [][]*hmx.Artifact{r.active, r.drafts} {
		slices.SortFunc(list, newestFirst)
	}
	if len(r.active) > 1 {
		m.deprecate("another version of it is active", r.active[1:])
		r.active = r.active[:1]
	}
	switch d := r.draft; {
	case d == nil:
		m.deprecate("what it was made of is observed no more", r.active, r.drafts)
	case d.Against != "":
		m.deprecate(d.Against, r.active, r.drafts)
	case !m.stands(d):
		m.deprecate("an event that it was made of is not there", r.active, r.drafts)
	case m.approved(r):
		m.keep(r)
	case m.away(r):
		m.deprecate("what happened since then says what an operator put away", r.active, r.drafts)
	case m.ended(r):
		m.wait(r, hmx.Opt[string]{}, tookOut)
	default:
		if why := m.unfit(d); why != "" {
			m.hold(r, why)
			return
		}
		m.use(r)
	}
}

// tookOut is why a draft waits if an operator took the version before it out of use.
const tookOut = "an operator took the version before out of use, so one has to approve it"

// approved reports whether it was an operator who made what is active so, and its
// evidence is there.
func (m *merger) approved(r *row) bool {
	return len(r.active) > 0 && m.byHand(r.active[0]) && m.resolves(r.active[0])
}

// away reports whether a draft says what an operator put away, or is what was erased.
func (m *merger) away(r *row) bool {
	return m.o.Erased != nil && m.o.Erased(m.idOf(r)) || m.refused[sameAs(&r.draft.Artifact)] || r.refused[saysOf(&r.draft.Artifact)]
}

// unfit returns what a draft lacks to be used; empty if it is fit.
func (m *merger) unfit(d *Draft) string {
	a := &d.Artifact
	least := cmp.Or(m.o.MinSupport, DefaultMinSupport)
	sure := cmp.Or(m.o.MinConfidence, DefaultMinConfidence)
	switch hash, err := hmx.ContentHash(a.Content); {
	case err != nil || hash != a.ContentHash:
		return "its hash is not that of its content"
	case d.Support < least:
		return fmt.Sprintf("it was observed %d times, and %d are needed", d.Support, least)
	case a.Confidence < sure:
		return fmt.Sprintf("its confidence is %.3f, and %.3f is needed", a.Confidence, sure)
	}
	return ""
}

// stands reports whether the evidence of a draft is there. What is listed later is there
// if nothing was erased: there is no draft without an event.
func (m *merger) stands(d *Draft) bool {
	return m.o.Resolves == nil && d.list != nil || m.there(d.Sources())
}

func (m *merger) resolves(a *hmx.Artifact) bool { return m.there(a.SourceEvents) }

// there reports whether there are events, and all of them resolve.
func (m *merger) there(ids []string) bool {
	return len(ids) > 0 && (m.o.Resolves == nil || !slices.ContainsFunc(ids, func(id string) bool { return !m.o.Resolves(id) }))
}

// hold keeps a draft that is not fit as a draft. What is active goes, and then it may be an
// operator who took out of use what was there before that.
func (m *merger) hold(r *row, why string) {
	m.deprecate(why, r.active)
	r.past = slices.DeleteFunc(r.past, func(a *hmx.Artifact) bool { return a.Status == hmx.StatusActive })
	if r.active = nil; m.ended(r) {
		m.wait(r, hmx.Opt[string]{}, tookOut)
		return
	}
	if same := m.pick(r); same != nil {
		m.unchanged(why, same)
		return
	}
	m.add(Change{Kind: Create, Artifact: m.next(r), Reason: why})
}

// keep leaves what an operator approved as it is. What is observed since then waits as
// a draft that would supersede it, if it is fit and says something else.
func (m *merger) keep(r *row) {
	old := r.active[0]
	m.unchanged("an operator approved it", old)
	if m.away(r) || m.unfit(r.draft) != "" {
		m.deprecate("another version of it is active", r.drafts)
		return
	}
	m.wait(r, hmx.Some(old.ArtifactID), "an operator approved the version before, so one has to approve this one, too")
}

// wait keeps what is observed of a key as a draft that an operator has to approve, unless
// it differs from the last version in counts only. A draft from which it differs in
// counts only stays.
func (m *merger) wait(r *row, supersedes hmx.Opt[string], why string) {
	said := saysOf(&r.draft.Artifact)
	if said == saysOf(r.last()) {
		m.deprecate("it differs from the version before in counts only", r.drafts)
		return
	}
	var same *hmx.Artifact
	for _, a := range r.drafts {
		if same == nil && saysOf(a) == said && a.Supersedes == supersedes && m.resolves(a) {
			same = a
			continue
		}
		m.deprecate("newer evidence says something else", []*hmx.Artifact{a})
	}
	if same != nil {
		m.unchanged(why, same)
		return
	}
	a := m.next(r)
	a.Supersedes = supersedes
	m.add(Change{Kind: Create, Artifact: a, Reason: why})
}

// pick returns the known draft that has the content of the new one, and deprecates the
// others.
func (m *merger) pick(r *row) (same *hmx.Artifact) {
	for _, a := range r.drafts {
		if same == nil && a.ContentHash == r.draft.Artifact.ContentHash && m.resolves(a) {
			same = a
			continue
		}
		m.deprecate("newer evidence says something else", []*hmx.Artifact{a})
	}
	return same
}

// use makes what a fit draft says active.
func (m *merger) use(r *row) {
	const fit = "its evidence resolves, and there is enough of it"
	if len(r.active) == 0 {
		if same := m.pick(r); same != nil {
			m.activate(same, fit)
			return
		}
		a := m.next(r)
		m.add(Change{Kind: Create, Artifact: a, Reason: "observed " + times(r.draft.Support)})
		m.activate(a, fit)
		return
	}
	old := r.active[0]
	if old.ContentHash == r.draft.Artifact.ContentHash && m.resolves(old) {
		m.unchanged("it holds what is observed", old)
		m.deprecate("another version of it is active", r.drafts)
		return
	}
	m.deprecate("newer evidence says something else", r.drafts)
	next, before := m.next(r), *old
	next.Supersedes = hmx.Some(old.ArtifactID)
	before.Status, before.SupersededBy = hmx.StatusSuperseded, hmx.Some(next.ArtifactID)
	reason := "newer evidence says something else"
	if old.ContentHash == next.ContentHash {
		reason = "an event that it was made of is not there"
	}
	m.add(Change{Kind: Supersede, Artifact: next, Old: &before, Reason: reason})
	m.activate(next, fit)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// next returns the draft as the next version of its key.
func (m *merger) next(r *row) *hmx.Artifact {
	a := r.draft.Artifact
	a.SourceEvents = r.draft.Sources()
	a.Version = r.version + 1
	a.ArtifactID = m.idOf(r)
	return &a
}

// idOf returns the id that a draft would have.
func (m *merger) idOf(r *row) string {
	hash := r.draft.Artifact.ContentHash
	return idOf(m.o.Tenant, r.draft.Key, hash, r.contents[hash])
}

// idOf returns the id of what a key says for the n-th time: a UUID of version 8, made
// of a hash. It does not depend on how many other versions there were.
func idOf(tenant, key, content string, n int) string {
	h := sha256.New()
	for _, part := range []string{"lukasa artifact", tenant, key, content, strconv.Itoa(n)} {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	b := h.Sum(nil)[:16]
	b[6] = b[6]&0x0F | 0x80
	b[8] = b[8]&0x3F | 0x80
	s := hex.EncodeToString(b)
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

func (m *merger) add(c Change) { m.changes = append(m.changes, c) }

func (m *merger) activate(a *hmx.Artifact, reason string) {
	active := *a
	active.Status = hmx.StatusActive
	m.add(Change{Kind: Activate, Artifact: &active, Reason: reason})
}

func (m *merger) deprecate(reason string, lists ...[]*hmx.Artifact) {
	for _, list := range lists {
		for _, a := range list {
			gone := *a
			gone.Status = hmx.StatusDeprecated
			m.add(Change{Kind: Deprecate, Artifact: &gone, Reason: reason})
		}
	}
}

func (m *merger) unchanged(reason string, a *hmx.Artifact) {
	m.add(Change{Kind: Unchanged, Artifact: a, Reason: reason})
}
