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

// ChangeKind is the kind of a change to an artifact.
type ChangeKind string

// The kinds of changes.
const (
	Create    ChangeKind = "create"    // Artifact is new, as a draft
	Supersede ChangeKind = "supersede" // Artifact is new, as a draft, and Old is superseded by it
	Activate  ChangeKind = "activate"  // Artifact was a draft and becomes active
	Deprecate ChangeKind = "deprecate" // Artifact was a draft or active and is deprecated
	Unchanged ChangeKind = "unchanged" // Artifact stays as it is
)

// Change is one change to an artifact.
type Change struct {
	Kind ChangeKind
	// Artifact is the artifact after the change.
	Artifact *hmx.Artifact
	// Old is, for Supersede, the previous version after the change.
	Old    *hmx.Artifact
	Reason string
}

// Merge decides about drafts, and about the tenant's known artifacts that a compiler made; it
// ignores the others. It does not modify its arguments. The changes can be applied one by one:
// after each of them no chain has a fault or two active artifacts. A new artifact that is fit
// is created first and then activated.
//
// What is active in the end is a function of the drafts and of the operators' decisions: the
// content of each fit draft, in one artifact. A draft is fit if its hash matches its content,
// its evidence resolves, its support and confidence suffice and nothing contradicts it. It
// stays a draft if it only lacks support or confidence, and is not created otherwise. Approved
// artifacts need no support or confidence.
//
// Erased artifacts are not made again from the same evidence. What an operator archived or
// deprecated stays so: for its key, the same statement, apart from counts, is not made again,
// and a different one is created as a draft that only an operator can activate. The same holds
// for what an operator superseded by an artifact of their own. An approved artifact stays
// active while its evidence exists, and a different statement waits as a draft that would
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

// KeyOf returns the key of an artifact that this compiler made.
func KeyOf(a *hmx.Artifact) (key string, ok bool) {
	var meta metadata
	if json.Unmarshal([]byte(a.Metadata), &meta) != nil || meta.Compiler != Compiler || meta.Key == "" {
		return "", false
	}
	return meta.Key, true
}

// merger computes changes.
type merger struct {
	o       Options
	rows    map[string]*row
	refused map[string]bool // content that operators rejected
	changes []Change
}

// row is what is known of a key.
type row struct {
	draft    *Draft
	active   []*hmx.Artifact
	drafts   []*hmx.Artifact
	version  int64           // the newest
	contents map[string]int  // number of artifacts by content
	past     []*hmx.Artifact // that are or were active, or that an operator rejected
	refused  map[string]bool // the statements, apart from counts, that operators rejected
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

// last returns the newest artifact that is or was active, or that an operator rejected, if
// there is one.
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

// putAway reports whether an operator rejected an artifact.
func (m *merger) putAway(a *hmx.Artifact) bool {
	return a.Status == hmx.StatusArchived || a.Status == hmx.StatusDeprecated && m.byHand(a)
}

// ended reports whether an operator deactivated the last artifact of a key.
func (m *merger) ended(r *row) bool {
	last := r.last()
	return len(r.active) == 0 && last != nil && (m.putAway(last) || last.Status == hmx.StatusSuperseded && m.byHand(last))
}

func (m *merger) byHand(a *hmx.Artifact) bool { return m.o.ByHand != nil && m.o.ByHand(a) }

// sameAs returns a key that equals for artifacts with the same content.
func sameAs(a *hmx.Artifact) string { return string(a.ArtifactType) + " " + a.ContentHash }

// distinct returns drafts with distinct content, sorted by key. Of equal ones it keeps the one
// with the most support, with the evidence of all.
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

// join adds the evidence of another draft with the same content.
func (d *Draft) join(other *Draft) {
	ids := slices.Concat(d.Sources(), other.Sources())
	slices.Sort(ids)
	ids = slices.Compact(ids)
	d.Artifact.SourceEvents = lastFitting(ids[:min(len(ids), hmx.MaxSourceEvents)], hmx.MaxArtifactBytes-overhead-len(d.Artifact.Content))
	d.list = nil
	d.Trust = min(d.Trust, other.Trust)
	d.Support = max(d.Support, other.Support)
}

// settle decides about a key.
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

// tookOut is why a draft waits after an operator deactivated the previous version.
const tookOut = "an operator took the version before out of use, so one has to approve it"

// approved reports whether an operator activated the active artifact, and its evidence exists.
func (m *merger) approved(r *row) bool {
	return len(r.active) > 0 && m.byHand(r.active[0]) && m.resolves(r.active[0])
}

// away reports whether a draft repeats what an operator rejected, or what was erased.
func (m *merger) away(r *row) bool {
	return m.o.Erased != nil && m.o.Erased(m.idOf(r)) || m.refused[sameAs(&r.draft.Artifact)] || r.refused[saysOf(&r.draft.Artifact)]
}

// unfit returns what a draft lacks; empty if it is fit.
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

// stands reports whether the evidence of a draft exists. Evidence that is not listed yet exists
// if nothing was erased, since every draft has an event.
func (m *merger) stands(d *Draft) bool {
	return m.o.Resolves == nil && d.list != nil || m.there(d.Sources())
}

func (m *merger) resolves(a *hmx.Artifact) bool { return m.there(a.SourceEvents) }

// there reports whether there are events, and all of them resolve.
func (m *merger) there(ids []string) bool {
	return len(ids) > 0 && (m.o.Resolves == nil || !slices.ContainsFunc(ids, func(id string) bool { return !m.o.Resolves(id) }))
}

// hold deprecates the active artifact and keeps an unfit draft as a draft. If an operator
// deactivated the version before that, the draft waits for approval.
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

// keep leaves an approved artifact as it is. A fit draft with a different statement waits to
// supersede it.
func (m *merger) keep(r *row) {
	old := r.active[0]
	m.unchanged("an operator approved it", old)
	if m.away(r) || m.unfit(r.draft) != "" {
		m.deprecate("another version of it is active", r.drafts)
		return
	}
	m.wait(r, hmx.Some(old.ArtifactID), "an operator approved the version before, so one has to approve this one, too")
}

// wait keeps the new statement of a key as a draft for an operator to approve, unless it
// differs from the last version only in counts. An existing draft that differs only in counts
// stays.
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

// pick returns the known draft with the content of the new one, and deprecates the others.
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

// use activates the statement of a fit draft.
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

// idOf returns the id of the n-th occurrence of a content under a key: a UUID of version 8,
// made of a hash. It does not depend on the number of other versions.
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
