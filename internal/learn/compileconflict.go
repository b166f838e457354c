package learn

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/statement"
)

// Limits of the comparison of claims.
const (
	claimsSeen  = 1000 // of each class, the newest
	maxDisputes = 32   // about one topic
)

// claim is a statement that something is so, or is to be done.
type claim struct {
	uri memory.URI
	// about is the topic: two claims on the same topic with different content
	// contradict each other.
	about, says string
	text        string
	trust       record.Trust
	position    uint64 // unwritten or higher for records about to be written
	policy      bool   // it is compared with claims of any trust
}

// unwritten is above the position of every record.
const unwritten = 1 << 63

// disputeHead is a conflict that an earlier compile found.
type disputeHead struct {
	body    *memory.Conflict
	version uint32
	trust   record.Trust
	touched bool // another writer changed it last
}

// gatherClaims reads the claims that could contradict each other, and the conflicts of
// earlier compiles.
func (c *compilation) gatherClaims(s board.State) error {
	c.claims, c.disputes = make(map[memory.URI]claim), make(map[string]*disputeHead)
	for _, w := range []struct {
		kind  record.Kind
		class string
	}{
		{record.Memory, string(memory.TypeFact)}, {record.Memory, string(memory.TypePreference)}, {record.Memory, string(memory.TypeConstraint)},
		{record.Policy, string(memory.PolicyConstraint)}, {record.Policy, string(memory.PolicyInstruction)},
		{record.Artifact, string(hmx.TypeDecisionPolicy)},
	} {
		err := c.eachBody(s, catalog.OfClass(w.kind, w.class), w.kind, claimsSeen, func(h *catalog.Head, body memory.Body) {
			if HoldsAt(h, s.Tenant.Time) {
				c.add(h, body)
			}
		})
		if err != nil {
			return err
		}
	}
	return c.eachBody(s, catalog.All(record.Conflict, catalog.Live), record.Conflict, 1<<30, func(h *catalog.Head, body memory.Body) {
		if x, ok := body.(*memory.Conflict); ok && strings.HasPrefix(h.ID, "conflict-") {
			c.disputes[h.ID] = &disputeHead{body: x, version: h.Version, trust: h.Trust, touched: h.Actor != Compiler}
		}
	})
}

// HoldsAt reports whether a record is valid at a time.
func HoldsAt(h *catalog.Head, now int64) bool {
	switch {
	case h.State != catalog.Live, h.Expires <= now, now < h.ValidFrom, now >= h.ValidUntil:
		return false
	case h.Kind == record.Policy, h.Kind == record.Artifact:
		return h.Status == "active"
	}
	return true
}

// eachBody calls visit with the bodies of records, newest first. Erased and unreadable
// ones are skipped.
func (c *compilation) eachBody(s board.State, way catalog.Way, k record.Kind, most int, visit func(*catalog.Head, memory.Body)) error {
	var failed error
	err := catalog.List(s.Reader, s.Tenant.Number, way, nil, func(_ []byte, d catalog.Thing) bool {
		var h *catalog.Head
		if h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, k, d); failed != nil || h == nil {
			return failed == nil
		}
		if k == record.Artifact && h.Actor == Compiler {
			return true // these are known
		}
		var body memory.Body
		body, failed = c.b.core.BodyAt(s, k, h.Position)
		if code := fault.CodeOf(failed); code == fault.Erased || code == fault.Damaged {
			failed = nil
			return true
		}
		if failed != nil {
			return false
		}
		visit(h, body)
		most--
		return most > 0
	})
	return fault.First(failed, err)
}

// add adds the claim of a record.
func (c *compilation) add(h *catalog.Head, body memory.Body) {
	x := claim{uri: memory.URI{Tenant: c.tenant, Kind: h.Kind, ID: h.ID}, trust: h.Trust, position: h.Position}
	switch b := body.(type) {
	case *memory.Memory:
		x.about, x.says, x.text = claimIn(b)
	case *memory.Policy:
		x.policy, x.text = true, b.Text
		if scope := ConditionOf(&b.Scope); scope == Always {
			x.about, x.says = ruleOfText(b.Text)
		}
	case *memory.Artifact:
		x.policy = true
		x.about, x.says, x.text = recommended(&b.HMX)
	}
	if x.about != "" {
		c.claims[x.uri] = x
	}
}

// claim adds the claim of a memory that is about to be written.
func (c *compilation) claim(m *memory.Memory, said uint64) {
	x := claim{uri: memory.URI{Tenant: c.tenant, Kind: record.Memory, ID: m.ID}, trust: record.User, position: unwritten + said}
	x.about, x.says, x.text = claimIn(m)
	delete(c.claims, x.uri)
	if x.about != "" {
		c.claims[x.uri] = x
	}
}

// unclaim removes the claim of a memory.
func (c *compilation) unclaim(id string) {
	delete(c.claims, memory.URI{Tenant: c.tenant, Kind: record.Memory, ID: id})
}

// recommend adds the recommendation of an artifact, or removes it if there is none any
// more.
func (c *compilation) recommend(a *hmx.Artifact) {
	if a == nil || a.ArtifactType != hmx.TypeDecisionPolicy {
		return
	}
	x := claim{uri: memory.URI{Tenant: c.tenant, Kind: record.Artifact, ID: a.ArtifactID}, policy: true, position: unwritten}
	delete(c.claims, x.uri)
	if known := c.traced.Artifacts[a.ArtifactID]; known != nil {
		x.about, x.says, x.text = known.About, known.Says, known.Text
	} else {
		x.about, x.says, x.text = recommended(a)
	}
	if h := c.heads[a.ArtifactID]; h != nil {
		x.trust, x.position = h.Trust, h.Position
	}
	if x.trust == 0 {
		x.trust = record.External
	}
	if x.about != "" && a.Status == hmx.StatusActive {
		c.claims[x.uri] = x
	}
}

// recommended returns what an artifact recommends, and in which case.
func recommended(a *hmx.Artifact) (about, says, text string) {
	d, ok := a.DecisionPolicy()
	if !ok || d.Recommendation == "" || d.Condition == "" {
		return "", "", ""
	}
	scope := slices.Clone(d.Scope)
	slices.Sort(scope)
	return "case " + squash(d.Condition) + " " + strings.Join(scope, "\x00"), squash(d.Recommendation), d.Condition + ": " + d.Recommendation
}

// claimIn is claimOf within the scope of a memory: claims for two projects do not
// contradict each other.
func claimIn(m *memory.Memory) (about, says, text string) {
	about, says, text = claimOf(m)
	if about != "" && m.Facets().Scoped {
		about += "\x00" + strings.Join(m.ValidityScope.Conditions, "\x00")
	}
	return about, says, text
}

// claimOf returns the topic and the content of a memory's claim.
func claimOf(m *memory.Memory) (about, says, text string) {
	if f, ok := m.Data.(*memory.Fact); ok && f.Subject != "" && f.Predicate != "" && f.Object != "" {
		return "fact " + squash(f.Subject) + " " + squash(f.Predicate), squash(f.Object), m.Text
	}
	if m.Type == memory.TypeConstraint {
		about, says = ruleOfText(m.Text)
		return about, says, m.Text
	}
	x, ok := onlyStatement(m.Text)
	if !ok || x.Type != m.Type {
		return "", "", ""
	}
	about = string(m.Type) + " " + VoiceOf(m.Metadata).path() + " " + x.Subject
	if x.Type == memory.TypePreference {
		return about, string(x.Polarity), m.Text
	}
	return about, squash(m.Text), m.Text
}

// ruleOfText returns the topic of a rule, and whether it requires or forbids it.
func ruleOfText(text string) (about, says string) {
	x, ok := onlyStatement(text)
	if !ok || x.Type != memory.TypeConstraint {
		return "", ""
	}
	says = "do"
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		if slices.Contains([]string{"never", "not", "don't", "don’t", "dont", "no", "avoid", "stop", "without"}, word) {
			says = "do not"
		}
	}
	return "rule " + x.Subject, says
}

// onlyStatement returns the statement of a text, if it is exactly one and general.
func onlyStatement(text string) (statement.Statement, bool) {
	found := statement.Read(text)
	if len(found) != 1 || found[0].Temporary() || found[0].Retraction || found[0].Subject == "" {
		return statement.Statement{}, false
	}
	return found[0], true
}

// dispute plans the records of new conflicts, and of those that have ended.
func (c *compilation) dispute() {
	groups := make(map[string][]claim)
	for _, x := range c.claims {
		groups[x.about] = append(groups[x.about], x)
	}
	found := make(map[string]bool)
	for _, about := range slices.Sorted(maps.Keys(groups)) {
		list := groups[about]
		// The claim to keep comes first: more trusted, then later.
		slices.SortFunc(list, func(a, b claim) int {
			return cmp.Or(cmp.Compare(b.trust, a.trust), cmp.Compare(b.position, a.position), strings.Compare(a.uri.String(), b.uri.String()))
		})
		n := 0
		for i := range list {
			for j := i + 1; j < len(list) && n < maxDisputes; j++ {
				if a, b := &list[i], &list[j]; a.says != b.says && (a.trust == b.trust || a.policy && b.policy) {
					found[c.conflict(a, b)] = true
					n++
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.disputes)) {
		if x := c.disputes[id]; !found[id] && !x.touched && x.body.Status == memory.ConflictOpen {
			over := *x.body
			over.Status, over.Resolution = memory.ConflictResolved, "They no longer contradict each other."
			c.settle(&over, x, CompileSettle)
		}
	}
}

// conflict plans the record of a conflict, unless it exists, and returns its id.
func (c *compilation) conflict(keep, drop *claim) string {
	uris := []string{keep.uri.String(), drop.uri.String()}
	slices.Sort(uris)
	sum := sha256.Sum256([]byte(strings.Join(uris, "\x00")))
	id := "conflict-" + hex.EncodeToString(sum[:16])
	known := c.disputes[id]
	if known != nil && (known.touched || known.body.Status == memory.ConflictOpen) {
		return id
	}
	why := "it was recorded later"
	if keep.trust > drop.trust {
		why = "it is trusted more"
	}
	meta, _ := json.Marshal(map[string]any{"suggestion": map[string]string{"keep": keep.uri.String(), "why": why}}) // never fails for texts
	x := &memory.Conflict{
		ID: id, Between: []memory.URI{keep.uri, drop.uri}, Metadata: hmx.Raw(meta),
		Summary: fmt.Sprintf("%q contradicts %q. Suggested: keep the first, since %s.", clipTitle(keep.text), clipTitle(drop.text), why),
	}
	c.settle(x, &disputeHead{trust: min(keep.trust, drop.trust)}, CompileCreate)
	return id
}

// settle plans a version of a conflict.
func (c *compilation) settle(x *memory.Conflict, known *disputeHead, op CompileOp) {
	c.writes = append(c.writes, write{
		trust: known.trust, at: known.version, body: x,
		change: CompileChange{Op: op, URI: memory.URI{Tenant: c.tenant, Kind: record.Conflict, ID: x.ID}, Title: x.Summary, Reason: x.Resolution},
	})
}

// Always is the condition of an unconditional rule.
const Always = "always"

// ConditionOf describes what a policy applies to.
func ConditionOf(s *memory.Scope) string {
	var parts []string
	say := func(name string, values ...string) {
		if len(values) > 0 {
			parts = append(parts, name+" "+strings.Join(values, ", "))
		}
	}
	say("agent", s.Agents...)
	say("tag", s.Tags...)
	types := make([]string, len(s.Types))
	for i, t := range s.Types {
		types[i] = string(t)
	}
	say("type", types...)
	if s.KeyPrefix != "" {
		say("key", s.KeyPrefix)
	}
	if len(parts) == 0 {
		return Always
	}
	return strings.Join(parts, "; ")
}
