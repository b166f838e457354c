package retrieval

import (
	"slices"
	"strings"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/lru"
	"lukasa.dev/internal/record"
)

// Agents get only active artifacts. Drafts, superseded, archived and deprecated ones are
// found only by their status. There may be many times more versions than active artifacts,
// so the active ones are found once and cached until an artifact changes.

// InUse is the active artifacts of a state: the heads of those about next steps, by id, and
// the positions of all.
type InUse struct {
	size      uint64 // number of records
	Heads     []*catalog.Head
	positions map[uint64]bool
}

// The number of newest artifacts of each type considered for next steps, and the number of
// tenants whose active artifacts are cached.
const (
	guideArtifacts = 2000
	keptActive     = 4
)

// actives caches the active artifacts of tenants until one changes. It is safe for
// concurrent use; nil caches nothing.
type actives struct {
	board.NopFollower
	mu      sync.Mutex
	touched map[string]uint64 // newest record of each tenant that may have changed an artifact
	kept    lru.Cache[string, InUse]
}

func newActives() *actives {
	return &actives{touched: make(map[string]uint64), kept: lru.New[string, InUse](keptActive)}
}

// Writing notes a record that may change an artifact.
func (a *actives) Writing(h *record.Header) {
	switch h.Kind {
	case record.Artifact, record.Transition, record.Tombstone, record.Redaction, record.Expiry:
		a.mu.Lock()
		a.touched[h.Tenant] = h.Position
		a.mu.Unlock()
	}
}

// Erasing empties the cache.
func (a *actives) Erasing() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept = lru.New[string, InUse](keptActive)
	return nil
}

// Rebuilt empties the cache.
func (a *actives) Rebuilt() error { return a.Erasing() }

// in returns the active artifacts of a state from the cache: those of another state, if no
// record between the two may have changed one.
func (a *actives) in(t *ledger.Tenant) (InUse, bool) {
	if a == nil {
		return InUse{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.kept.Get(t.Name)
	last, any := a.touched[t.Name]
	return known, ok && (!any || last < known.size && last < t.Size)
}

// keep caches the active artifacts of a state.
func (a *actives) keep(t *ledger.Tenant, active InUse) {
	if a != nil {
		a.mu.Lock()
		a.kept.Put(t.Name, active)
		a.mu.Unlock()
	}
}

// Active returns the active artifacts of a state.
func (b *Retriever) Active(s board.State) (InUse, error) {
	active, known := b.actives.in(s.Tenant)
	if known {
		return active, nil
	}
	active, err := findActive(s)
	if err == nil {
		b.actives.keep(s.Tenant, active)
	}
	return active, err
}

// findActive finds the active artifacts of a state. Of those about next steps it returns the
// newest of each type.
func findActive(s board.State) (InUse, error) {
	out := InUse{size: s.Tenant.Size, positions: make(map[uint64]bool)}
	left := map[string]int{
		string(hmx.TypeDecisionPolicy): guideArtifacts, string(hmx.TypeFailurePlaybook): guideArtifacts, string(hmx.TypeTaskSchema): guideArtifacts,
	}
	var failed error
	err := catalog.List(s.Reader, s.Tenant.Number, catalog.All(record.Artifact, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool {
		var h *catalog.Head
		if h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, record.Artifact, d); failed != nil || h == nil {
			return failed == nil
		}
		if h.Status != string(hmx.StatusActive) {
			return true
		}
		out.positions[h.Position] = true
		if left[h.Class] > 0 {
			left[h.Class]--
			h.Links = nil // not needed here
			out.Heads = append(out.Heads, h)
		}
		return true
	})
	slices.SortFunc(out.Heads, func(a, b *catalog.Head) int { return strings.Compare(a.ID, b.ID) })
	return out, fault.First(failed, err)
}

// usable reports whether the artifact at a position may be found: it is active, or expired
// documents are included.
func (a *Question) usable(position uint64) (bool, error) {
	if a.IncludeExpired {
		return true, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.active.Set {
		active, err := a.From.Active(a.State())
		if err != nil {
			return false, err
		}
		a.active = hmx.Some(active)
	}
	return a.active.Value.positions[position], nil
}
