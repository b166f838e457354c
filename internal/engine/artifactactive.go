package engine

import (
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

// Only what is active is for agents: what was superseded, archived or deprecated, and
// drafts, are there for those who ask for them by their status. Versions may be many
// times as many as there are active ones, so these are found once and kept until an
// artifact changes.

// inUse is the active artifacts of a state: the heads of those that say something about
// next steps, by id, and where all of them are.
type inUse struct {
	activeAt
	positions map[uint64]bool
}

// activeArtifacts returns the active artifacts of a state.
func (b *Board) activeArtifacts(r kv.Reader, t *ledger.Tenant) (inUse, error) {
	active, known := b.guides.activeIn(t)
	if known {
		return active, nil
	}
	active, err := findActive(r, t)
	if err == nil {
		b.guides.keepActive(t, active)
	}
	return active, err
}

// findActive looks for the active artifacts of a state. Of those that say something
// about next steps it has the newest of each type.
func findActive(r kv.Reader, t *ledger.Tenant) (inUse, error) {
	out := inUse{activeAt{size: t.Size}, make(map[uint64]bool)}
	left := map[string]int{
		string(hmx.TypeDecisionPolicy): guideArtifacts, string(hmx.TypeFailurePlaybook): guideArtifacts, string(hmx.TypeTaskSchema): guideArtifacts,
	}
	var failed error
	err := catalog.List(r, t.Number, catalog.All(record.Artifact, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool {
		var h *catalog.Head
		if h, _, failed = catalog.HeadOf(r, t.Number, record.Artifact, d); failed != nil || h == nil {
			return failed == nil
		}
		if h.Status != string(hmx.StatusActive) {
			return true
		}
		out.positions[h.Position] = true
		if left[h.Class] > 0 {
			left[h.Class]--
			h.Links = nil // nobody asks for them here
			out.heads = append(out.heads, h)
		}
		return true
	})
	slices.SortFunc(out.heads, func(a, b *catalog.Head) int { return strings.Compare(a.ID, b.ID) })
	return out, fault.First(failed, err)
}

// usable reports whether the artifact at a position may be found: it is active, or what
// no longer holds is asked for, too.
func (a *asking) usable(position uint64) (bool, error) {
	if a.over {
		return true, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.active.Set {
		active, err := a.b.activeArtifacts(a.r, a.t)
		if err != nil {
			return false, err
		}
		a.active = hmx.Some(active)
	}
	return a.active.Value.positions[position], nil
}
