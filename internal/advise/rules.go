package advise

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/lru"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Limits of what is considered.
const (
	rulesKnown    = 4096 // of each class that are read, the newest
	rulesSeen     = 1000 // of each kind that apply
	artifactsSeen = 2000 // of each type, the newest
	checkersKept  = 8
)

// checkedClass is a class of records that apply to actions.
type checkedClass struct {
	kind  record.Kind
	class string
	most  int
}

// checkedClasses returns all of them: rules first, then artifacts.
func checkedClasses() []checkedClass {
	return []checkedClass{
		{record.Memory, string(memory.TypeConstraint), rulesKnown},
		{record.Policy, string(memory.PolicyConstraint), rulesKnown},
		{record.Policy, string(memory.PolicyInstruction), rulesKnown},
		{record.Artifact, string(hmx.TypeFailurePlaybook), artifactsSeen},
		{record.Artifact, string(hmx.TypeDecisionPolicy), artifactsSeen},
		{record.Artifact, string(hmx.TypeCausalPattern), artifactsSeen},
		{record.Artifact, string(hmx.TypeTaskSchema), artifactsSeen},
	}
}

// spoken is the content of the rules and artifacts that a view shows, read once.
type spoken struct {
	rules     []spokenRule
	artifacts []*hmx.Artifact
}

// spokenRule is a rule and its audience.
type spokenRule struct {
	guide.Rule
	scope    memory.Scope      // of a policy
	valid    hmx.ValidityScope // of a memory
	kind     record.Kind
	position uint64
}

// checkers caches the records that apply to actions, so that a question is cheap while
// they stay the same. It is safe for concurrent use.
type checkers struct {
	mu      sync.Mutex
	touched map[string]uint64 // newest record of each tenant that may have changed them
	heads   lru.Cache[string, headsAt]
	said    lru.Cache[[sha256.Size]byte, *spoken]
	ready   lru.Cache[[sha256.Size]byte, *guide.Checker]
}

// headsAt is the records that apply to actions when a tenant had that many records.
type headsAt struct {
	size  uint64
	heads []*catalog.Head
}

func newCheckers() *checkers {
	return &checkers{
		touched: make(map[string]uint64), heads: lru.New[string, headsAt](checkersKept),
		said: lru.New[[sha256.Size]byte, *spoken](checkersKept), ready: lru.New[[sha256.Size]byte, *guide.Checker](checkersKept),
	}
}

// forget empties the cache.
func (k *checkers) forget() {
	fresh := newCheckers()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heads, k.said, k.ready = fresh.heads, fresh.said, fresh.ready
}

// touch notes a record that is about to be written.
func (k *checkers) touch(h *record.Header) {
	switch h.Kind {
	case record.Memory, record.Policy, record.Artifact, record.Transition, record.Tombstone, record.Redaction, record.Expiry:
		k.mu.Lock()
		k.touched[h.Tenant] = h.Position
		k.mu.Unlock()
	}
}

// headsOf returns the records that apply to actions in a state, by class and newest
// first. Those of another state are reused if no record between the two may have changed
// one.
func (k *checkers) headsOf(s board.State) ([]*catalog.Head, error) {
	k.mu.Lock()
	known, ok := k.heads.Get(s.Tenant.Name)
	last, any := k.touched[s.Tenant.Name]
	k.mu.Unlock()
	if ok && (!any || last < known.size && last < s.Tenant.Size) {
		return known.heads, nil
	}
	heads, err := checkedHeads(s)
	if err == nil {
		k.mu.Lock()
		k.heads.Put(s.Tenant.Name, headsAt{s.Tenant.Size, heads})
		k.mu.Unlock()
	}
	return heads, err
}

// checkedHeads reads what headsOf returns. A rule needs at least the trust of a user.
func checkedHeads(s board.State) (heads []*catalog.Head, err error) {
	for _, c := range checkedClasses() {
		n := 0
		var failed error
		err := catalog.List(s.Reader, s.Tenant.Number, catalog.OfClass(c.kind, c.class), nil, func(_ []byte, d catalog.Thing) bool {
			var h *catalog.Head
			if h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, c.kind, d); failed != nil || h == nil {
				return failed == nil
			}
			if h.State != catalog.Live || h.Kind == record.Artifact && h.Status != string(hmx.StatusActive) || h.Kind != record.Artifact && h.Trust < record.User {
				return true
			}
			h.Links = nil // not needed here
			heads = append(heads, h)
			n++
			return n < c.most
		})
		if err := fault.First(failed, err); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// checker returns a checker of the rules and artifacts that apply and that the view
// shows, and counts them.
func (c *checking) checker(tags []string, out *CheckedAction) (*guide.Checker, error) {
	k := c.b.guides.checkers
	all, err := k.headsOf(c.s)
	if err != nil {
		return nil, err
	}
	said, err := c.said(k, c.holding(all))
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write([]byte(c.s.Tenant.Name))
	now := access.NowOf(c.s.View, c.s.Tenant)
	counts := make(map[record.Kind]int)
	var rules []guide.Rule
	for i := range said.rules {
		x := &said.rules[i]
		if counts[x.kind] == rulesSeen || !c.binds(&x.scope, tags) || !access.Applies(c.s.View, &x.valid, c.s.Tenant.Name, tags, now) {
			continue
		}
		counts[x.kind]++
		rules = append(rules, x.Rule)
		sum.Write(binary.BigEndian.AppendUint64([]byte{'r'}, x.position))
	}
	var artifacts []*hmx.Artifact
	for _, a := range said.artifacts {
		if access.Applies(c.s.View, &a.ValidityScope.Value, c.s.Tenant.Name, tags, now) {
			artifacts = append(artifacts, a)
			sum.Write([]byte("a" + a.ArtifactID + "\x00"))
		}
	}
	out.Rules, out.Artifacts = len(rules), len(artifacts)
	key := [sha256.Size]byte(sum.Sum(nil))
	k.mu.Lock()
	made, ok := k.ready.Get(key)
	k.mu.Unlock()
	if !ok {
		made = guide.NewChecker(artifacts, rules)
		k.mu.Lock()
		k.ready.Put(key, made)
		k.mu.Unlock()
	}
	return made, nil
}

// holding returns the records that are valid now and that the view shows; of rules the
// newest.
func (c *checking) holding(all []*catalog.Head) []*catalog.Head {
	now := access.NowOf(c.s.View, c.s.Tenant)
	counts := make(map[record.Kind]int)
	var list []*catalog.Head
	for _, h := range all {
		if h.Kind != record.Artifact && !h.Scoped && counts[h.Kind] == rulesSeen || !learn.HoldsAt(h, now) || !access.Sees(c.s.View, h) {
			continue
		}
		if !h.Scoped { // for scoped ones it is not known yet whether they apply
			counts[h.Kind]++
		}
		list = append(list, h)
	}
	return list
}

// binds reports whether a policy applies to the caller. A policy about memories does not
// apply to actions.
func (c *checking) binds(s *memory.Scope, tags []string) bool {
	switch {
	case len(s.Types) > 0 || s.KeyPrefix != "":
		return false
	case len(s.Agents) > 0 && c.s.View.Agent != "" && !access.Addressed(s.Agents, c.s.View.Agent):
		return false
	}
	return len(s.Tags) == 0 || s.CoversTags(tags)
}

// said reads the content of records. One that was erased meanwhile is left out. A version
// never changes, so it is cached.
func (c *checking) said(k *checkers, heads []*catalog.Head) (*spoken, error) {
	sum := sha256.New()
	sum.Write([]byte(c.s.Tenant.Name))
	for _, h := range heads {
		sum.Write(binary.BigEndian.AppendUint64(nil, h.Position))
	}
	key := [sha256.Size]byte(sum.Sum(nil))
	k.mu.Lock()
	said, ok := k.said.Get(key)
	k.mu.Unlock()
	if ok {
		return said, nil
	}
	said = &spoken{}
	bodies, err := c.b.bodiesOf(c.s, heads)
	if err != nil {
		return nil, err
	}
	for i, h := range heads {
		said.add(c.s.Tenant.Name, h, bodies[i])
	}
	slices.SortFunc(said.artifacts, func(a, b *hmx.Artifact) int { return strings.Compare(a.ArtifactID, b.ArtifactID) })
	k.mu.Lock()
	k.said.Put(key, said)
	k.mu.Unlock()
	return said, nil
}

// add adds the content of one record.
func (s *spoken) add(tenant string, h *catalog.Head, body memory.Body) {
	uri := memory.URI{Tenant: tenant, Kind: h.Kind, ID: h.ID}.String()
	rule := spokenRule{kind: h.Kind, position: h.Position}
	rule.ID, rule.Trust = uri, h.Trust
	switch x := body.(type) {
	case *memory.Memory:
		rule.Text, rule.Strength, rule.valid = x.Text, memory.Strength(h.Status), x.ValidityScope
	case *memory.Policy:
		rule.Text, rule.Strength, rule.scope = x.Text, x.Strength, x.Scope
	case *memory.Artifact:
		a := x.HMX
		a.ArtifactID = uri
		s.artifacts = append(s.artifacts, &a)
		return
	default:
		return
	}
	s.rules = append(s.rules, rule)
}
