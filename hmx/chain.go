package hmx

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Chain is a set of artifacts as supersession chains (HMX-A section 7). It refers to its
// artifacts and does not modify them.
type Chain struct {
	byID  map[string]*Artifact
	newer map[string]string // artifact → the one that supersedes it
	older map[string]string // artifact → the one it supersedes
}

// ChainFault is a rule of supersession that a set of artifacts breaks.
type ChainFault struct {
	Rule      string   // HMX-A/7.1 and so on
	Artifacts []string // the ids concerned
	Detail    string
}

func (f *ChainFault) Error() string { return f.Detail + " (" + f.Rule + ")" }

// NewChain links artifacts by supersedes and superseded_by and applies the rules: no artifact
// supersedes itself, there is no cycle and no branch, links agree in both directions and stay
// within a tenant, superseded artifacts have that status, versions grow, and at most one
// artifact of a chain is active. It returns all faults. A missing neighbour is not a fault, nor
// is a draft that names what it would supersede, or one that was deprecated before it did: it
// joins the chain when the other names it back.
func NewChain(artifacts []*Artifact) (*Chain, []*ChainFault) {
	b := chainBuilder{c: &Chain{byID: map[string]*Artifact{}, newer: map[string]string{}, older: map[string]string{}}}
	for _, a := range artifacts {
		if b.c.byID[a.ArtifactID] != nil {
			b.fault("HMX-A/2.1", fmt.Sprintf("artifact %s is there twice", a.ArtifactID), a.ArtifactID)
			continue
		}
		b.c.byID[a.ArtifactID] = a
	}
	ids := slices.Sorted(maps.Keys(b.c.byID))
	for _, id := range ids {
		b.links(b.c.byID[id])
	}
	b.chains(ids)
	return b.c, b.faults
}

type chainBuilder struct {
	c      *Chain
	faults []*ChainFault
}

func (b *chainBuilder) fault(rule, detail string, ids ...string) {
	b.faults = append(b.faults, &ChainFault{rule, ids, detail})
}

// links applies the rules about one artifact and its neighbours.
func (b *chainBuilder) links(a *Artifact) {
	id := a.ArtifactID
	if a.SupersededBy.Set && a.Status != StatusSuperseded {
		b.fault("HMX-A/7.3", fmt.Sprintf("artifact %s has a successor but its status is %s, not superseded", id, a.Status), id)
	}
	if a.SupersededBy == Some(id) || a.Supersedes == Some(id) {
		b.fault("HMX-A/7.1", fmt.Sprintf("artifact %s supersedes itself", id), id)
		return
	}
	if next := b.c.byID[a.SupersededBy.Value]; a.SupersededBy.Set && next != nil {
		if next.Supersedes != Some(id) {
			b.fault("HMX-A/7.5", fmt.Sprintf("artifact %s names %s as its successor, which does not name it back", id, next.ArtifactID), id, next.ArtifactID)
		}
		b.link(id, next.ArtifactID)
	}
	prev := b.c.byID[a.Supersedes.Value]
	if (a.Status == StatusDraft || a.Status == StatusDeprecated) && prev != nil && prev.SupersededBy != Some(id) {
		return // a draft only proposes to supersede; the older one stays until it does
	}
	if a.Supersedes.Set && prev != nil {
		if prev.SupersededBy != Some(id) {
			b.fault("HMX-A/7.5", fmt.Sprintf("artifact %s supersedes %s, which does not name it back", id, prev.ArtifactID), id, prev.ArtifactID)
		}
		if a.Version <= prev.Version {
			b.fault("HMX-A/2.1", fmt.Sprintf("artifact %s has version %d but supersedes version %d", id, a.Version, prev.Version), id, prev.ArtifactID)
		}
		b.link(prev.ArtifactID, id)
	}
}

// link records that newer supersedes older. The first claim counts; a second one is a branch.
func (b *chainBuilder) link(older, newer string) {
	if strangers(b.c.byID[older], b.c.byID[newer]) {
		b.fault("HMX-A/7", fmt.Sprintf("artifact %s supersedes %s of another tenant", newer, older), newer, older)
		return
	}
	if other, taken := b.c.newer[older]; taken && other != newer {
		b.fault("HMX-A/7", fmt.Sprintf("artifacts %s and %s both supersede %s", other, newer, older), other, newer, older)
		return
	}
	if other, taken := b.c.older[newer]; taken && other != older {
		b.fault("HMX-A/7", fmt.Sprintf("artifact %s supersedes both %s and %s", newer, other, older), newer, other, older)
		return
	}
	b.c.newer[older], b.c.older[newer] = newer, older
}

// strangers reports whether two artifacts belong to different tenants.
func strangers(a, b *Artifact) bool { return a.TenantID != b.TenantID }

// chains applies the rules about whole chains: no cycle, one active.
func (b *chainBuilder) chains(ids []string) {
	done := map[string]bool{}
	for _, id := range ids {
		if done[id] {
			continue
		}
		chain, cyclic := b.c.walk(id)
		var active []string
		for _, m := range chain {
			done[m.ArtifactID] = true
			if m.Status == StatusActive {
				active = append(active, m.ArtifactID)
			}
		}
		if cyclic {
			b.fault("HMX-A/7.2", fmt.Sprintf("artifact %s supersedes itself through a cycle of %d", id, len(chain)), idsOf(chain)...)
		}
		if len(active) > 1 {
			b.fault("HMX-A/7.4", fmt.Sprintf("%d artifacts of one chain are active", len(active)), active...)
		}
	}
}

func idsOf(list []*Artifact) []string {
	ids := make([]string, len(list))
	for i, a := range list {
		ids[i] = a.ArtifactID
	}
	return ids
}

// walk returns the chain of id from the oldest to the newest. In a cycle, which
// has no oldest, it starts at id.
func (c *Chain) walk(id string) (chain []*Artifact, cyclic bool) {
	if c.byID[id] == nil {
		return nil, false
	}
	first := id
	for prev, ok := c.older[first]; ok; prev, ok = c.older[first] {
		if first = prev; first == id {
			cyclic = true
			break
		}
	}
	for at, ok := first, true; ok; at, ok = c.newer[at] {
		if len(chain) > 0 && at == first {
			break
		}
		chain = append(chain, c.byID[at])
	}
	return chain, cyclic
}

// All returns the whole chain of id, from the oldest to the newest, and nil if id is unknown.
func (c *Chain) All(id string) []*Artifact {
	chain, _ := c.walk(id)
	return chain
}

// Older returns the artifacts before id, nearest first.
func (c *Chain) Older(id string) []*Artifact { return c.follow(id, c.older) }

// Newer returns the artifacts after id, nearest first.
func (c *Chain) Newer(id string) []*Artifact { return c.follow(id, c.newer) }

func (c *Chain) follow(id string, links map[string]string) []*Artifact {
	var out []*Artifact
	for at, ok := links[id]; ok && at != id; at, ok = links[at] {
		out = append(out, c.byID[at])
	}
	return out
}

// Active returns the active artifact of the chain of id, or nil.
func (c *Chain) Active(id string) *Artifact {
	for _, a := range c.All(id) {
		if a.Status == StatusActive {
			return a
		}
	}
	return nil
}

// Supersede returns linked copies of the artifact id and of next: the old one superseded by the
// new, the new one with the next version and its given status. A chain whose newest artifact is
// a draft has no active one until the draft is activated. It refuses what would break a rule: an
// unknown or own id, an artifact that may not become superseded, a successor that is already in
// a chain.
func (c *Chain) Supersede(id string, next *Artifact) (old, successor *Artifact, err error) {
	a := c.byID[id]
	switch {
	case a == nil:
		return nil, nil, &ChainFault{"HMX-A/7", []string{id}, "artifact " + id + " is not known"}
	case next.ArtifactID == id:
		return nil, nil, &ChainFault{"HMX-A/7.1", []string{id}, "artifact " + id + " cannot supersede itself"}
	case c.byID[next.ArtifactID] != nil:
		return nil, nil, &ChainFault{"HMX-A/7.2", []string{id, next.ArtifactID}, "artifact " + next.ArtifactID + " stands in a chain already"}
	case a.SupersededBy.Set || c.newer[id] != "":
		return nil, nil, &ChainFault{"HMX-A/7", []string{id}, "artifact " + id + " has a successor already"}
	case a.Version == math.MaxInt64:
		return nil, nil, &ChainFault{"HMX-A/2.1", []string{id}, "there is no version after that of artifact " + id}
	case strangers(a, next):
		return nil, nil, &ChainFault{"HMX-A/7", []string{id, next.ArtifactID}, "artifacts " + id + " and " + next.ArtifactID + " belong to different tenants"}
	case next.SupersededBy.Set:
		return nil, nil, &ChainFault{"HMX-A/7.2", []string{id, next.ArtifactID}, "artifact " + next.ArtifactID + " has a successor already"}
	case next.Status != StatusDraft && next.Status != StatusActive:
		return nil, nil, &ChainFault{"HMX-A/5", []string{next.ArtifactID}, "a successor is a draft or active, and artifact " + next.ArtifactID + " is " + string(next.Status)}
	case next.Supersedes.Set && next.Supersedes.Value != id:
		return nil, nil, &ChainFault{"HMX-A/7", []string{id, next.ArtifactID}, "artifact " + next.ArtifactID + " supersedes another already"}
	}
	if err := a.Status.Transition(StatusSuperseded); err != nil {
		return nil, nil, err
	}
	o, n := *a, *next
	o.Status, o.SupersededBy = StatusSuperseded, Some(n.ArtifactID)
	n.Supersedes, n.Version = Some(id), a.Version+1
	return &o, &n, nil
}
