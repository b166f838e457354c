package retrieval

import (
	"context"
	"encoding/hex"
	"errors"
	"sort"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/recall"
)

// LeastRootPrefix is the minimum number of hexadecimal digits that name a root.
const LeastRootPrefix = 8

// AsOf names a state: by its newest position, its root, or a time. At most one is given; the
// zero value is the present.
type AsOf struct {
	Position hmx.Opt[uint64]
	Root     hmx.Opt[merkle.Hash]
	// RootPrefix is the first hexadecimal digits of a root, at least [LeastRootPrefix]. Only
	// one root may match.
	RootPrefix string
	// Time selects what was recorded at that time or before. Zero means none.
	Time time.Time
	// Progress receives the progress of a replay in records, if a past state must be rebuilt.
	// It may be nil.
	Progress func(done, total uint64)

	again  bool // to compare a pack with one of the same state
	far    bool // however far back that is
	hiding bool // without what is hidden now
	passed int64
}

// Past reports whether it names a state, which may be the present one.
func (as AsOf) Past() bool {
	return as.Position.Set || as.Root.Set || as.RootPrefix != "" || !as.Time.IsZero()
}

// View returns the view of a reader of the state. The time of a named state is that of its newest
// record, or the one by which the pack was made that is made again.
func (as AsOf) View(v board.View) board.View {
	if as.Past() {
		return access.Passed(v, as.passed)
	}
	return v
}

// AsOfAgain returns an AsOf for comparing a pack with one of the same state; far allows states
// far back, and passed is what the pack states as [pack.Request.Passed], or zero.
func AsOfAgain(far bool, passed time.Time, progress func(done, total uint64)) AsOf {
	as := AsOf{again: true, far: far, Progress: progress}
	if !passed.IsZero() {
		as.passed = index.Nanos(passed)
	}
	return as
}

// Hiding returns as without what is hidden now.
func Hiding(as AsOf) AsOf {
	as.hiding = true
	return as
}

// ShowsAsThen reports whether a state includes what has been hidden since.
func ShowsAsThen(as AsOf) bool { return as.again && !as.hiding }

// Presence is a tenant in its present state.
type Presence struct {
	r kv.Reader
	t *ledger.Tenant
}

// StateAt is the state of a tenant that a read uses.
type StateAt struct {
	From   *Retriever
	Reader kv.Reader
	Tenant *ledger.Tenant // nil for a state without records
	// For a past state: the replayed state, the present of the tenant, and the fate of a
	// position since.
	then    *past
	Present *Presence
	Since   func(position uint64) (board.Fate, error)
}

// At returns the named state of a tenant; end releases it. Past states are shared between
// callers.
func (b *Retriever) At(ctx context.Context, s board.State, as AsOf) (m StateAt, end func(), err error) {
	end = func() {}
	size, err := as.size(ctx, b, s)
	switch {
	case err != nil:
		return m, end, err
	case size == s.Tenant.Size:
		return StateAt{From: b, Reader: s.Reader, Tenant: s.Tenant}, end, nil
	case size == 0:
		return m, end, nil
	case as.again && !as.far && size > b.pasts.most:
		return m, end, ErrTooFar
	}
	then, err := b.pastOf(ctx, s, size, as.Progress)
	if err != nil {
		return m, end, err
	}
	since := func(position uint64) (board.Fate, error) {
		return b.core.ErasureOf(board.State{Reader: b.core.Store(), Tenant: s.Tenant}, position)
	}
	return StateAt{From: then.board, Reader: then.board.core.Store(), Tenant: then.tenant, then: then, Present: &Presence{s.Reader, s.Tenant}, Since: since}, then.letGo, nil
}

// Shows reports whether a view that sees a record of a past state may see it now.
func (p *Presence) Shows(v board.View, h *catalog.Head) (bool, error) {
	if access.Of(v) == nil && v.Agent == "" {
		return true, nil
	}
	now, ok, err := catalog.HeadOf(p.r, p.t.Number, h.Kind, catalog.ThingOf(p.t.Name, h.Kind, h.ID))
	return ok && now.State != catalog.Redacted && access.Sees(v, now), err
}

// Enter makes a state with records the one that is looked at.
func (a *Question) Enter(ctx context.Context, m StateAt) (err error) {
	a.From, a.Reader, a.Tenant, a.Since, a.Now = m.From, m.Reader, m.Tenant, m.Since, access.NowOf(a.View, m.Tenant)
	if a.Shown, err = a.From.Visible(ctx, board.State{Reader: a.Reader, Tenant: a.Tenant, View: a.View}); err != nil {
		return err
	}
	if a.Whole, err = board.Unerased(a.State()); err != nil || m.then == nil {
		return err
	}
	if a.Rows, err = a.Roster(); err != nil {
		return err
	}
	a.present = m.Present
	err = a.hide(ctx, m.then)
	if a.AsThen {
		a.present = nil
	}
	return err
}

// Roster opens the rows of the state.
func (a *Question) Roster() (*roster.View, error) {
	return a.From.searcher.Roster(recall.State{Reader: a.Reader, Tenant: a.Tenant.Number, Size: a.Tenant.Size})
}

// Shows reports whether the caller may see a record. In a past state, it must have been visible
// then and be visible now.
func (a *Question) Shows(h *catalog.Head) (bool, error) {
	if !access.Sees(a.View, h) || a.present == nil {
		return access.Sees(a.View, h), nil
	}
	return a.present.Shows(a.View, h)
}

// CheckAsOf refuses an AsOf that names two states, or an impossible one.
func CheckAsOf(as AsOf) error {
	given := 0
	for _, is := range []bool{as.Position.Set, as.Root.Set, as.RootPrefix != "", !as.Time.IsZero()} {
		if is {
			given++
		}
	}
	if given > 1 {
		return fault.New(fault.InvalidArgument, "as_of: there is more than one of a position, a root and a time").WithFix("give one of them")
	}
	n := len(as.RootPrefix)
	if n == 0 || n >= LeastRootPrefix && n <= 2*merkle.HashSize && strings.Trim(as.RootPrefix, "0123456789abcdef") == "" {
		return nil
	}
	return fault.Newf(fault.InvalidArgument, "as_of: %q is not the beginning of a root", as.RootPrefix[:min(n, 80)]).
		WithFix("give from 8 to 64 hexadecimal digits, in small letters")
}

// sizeByTime returns how many records a tenant had at a time. Their times never decrease.
func (b *Retriever) sizeByTime(ctx context.Context, s board.State, at time.Time) (uint64, error) {
	last := index.Nanos(at)
	if last >= s.Tenant.Time {
		return s.Tenant.Size, nil
	}
	var failed error
	size := sort.Search(int(s.Tenant.Size), func(position int) bool {
		if failed = fault.First(failed, ctx.Err()); failed != nil {
			return true
		}
		h, err := b.core.HeaderAt(s, uint64(position))
		failed = err
		return err != nil || h.Time > last
	})
	return uint64(size), failed
}

// sizeOfPrefix returns how many records a tenant had when its root began with prefix.
func sizeOfPrefix(ctx context.Context, s board.State, prefix string) (uint64, error) {
	found, size := 0, uint64(0)
	see := func(root merkle.Hash, n uint64) {
		if begins(root, prefix) {
			found, size = found+1, n
		}
	}
	var tree merkle.Range
	see(tree.Root(), 0)
	err := eachLeaf(ctx, s, func(position uint64, leaf merkle.Hash) bool {
		tree.Append(leaf)
		see(tree.Root(), position+1)
		return found < 2
	})
	switch {
	case err != nil:
		return 0, err
	case found == 0:
		return 0, noSuchRoot(prefix)
	case found > 1:
		return 0, fault.Newf(fault.InvalidArgument, "as_of: the tenant had several roots that begin with %s", prefix).WithFix("give more of its digits")
	}
	return size, nil
}

// begins reports whether the hexadecimal digits of a root begin with prefix.
func begins(root merkle.Hash, prefix string) bool {
	return strings.HasPrefix(hex.EncodeToString(root[:]), prefix)
}

// eachLeaf visits the leaves of a tenant in order, until visit returns false.
func eachLeaf(ctx context.Context, s board.State, visit func(position uint64, leaf merkle.Hash) bool) error {
	for position := range s.Tenant.Size {
		if position%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		place, ok, err := ledger.At(s.Reader, s.Tenant.Number, position)
		if err != nil || !ok || !visit(position, place.Leaf) {
			return err
		}
	}
	return nil
}

// ErrTooFar says that a state is too far back to be rebuilt for a comparison.
var ErrTooFar = errors.New("the state is far back")
