package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"sort"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/recall"
)

// LeastRootPrefix is how many hexadecimal digits of a root name it at least.
const LeastRootPrefix = 8

// AsOf says which state is meant: that when a position was the newest, that with a root,
// or that of a time. One of them is given at most; the zero value is the present.
type AsOf struct {
	Position hmx.Opt[uint64]
	Root     hmx.Opt[merkle.Hash]
	// RootPrefix are the first hexadecimal digits of a root, at least [LeastRootPrefix].
	// They must be those of one root alone.
	RootPrefix string
	// Time means what was recorded at that time or before. Zero is none.
	Time time.Time
	// Progress is told how many records of how many are replayed, if a past state has to
	// be made. It may be nil.
	Progress func(done, total uint64)

	again  bool // to compare a pack with one of the same state
	far    bool // and however far back that is
	hiding bool // and without what is hidden now
}

// presence is a tenant as it is now.
type presence struct {
	r kv.Reader
	t *ledger.Tenant
}

// moment is the state of a tenant that a read looks at.
type moment struct {
	b *Retriever
	r kv.Reader
	t *ledger.Tenant // nil for a state without records
	// Of a past state: what is kept of it, the tenant as it is now, and what says what
	// became of a position since.
	then    *past
	present *presence
	since   func(position uint64) (board.Fate, error)
}

// moment returns the state of a tenant that is meant, which end lets go. Those of the
// past are shared with all who ask for the same one.
func (b *Retriever) moment(ctx context.Context, r kv.Reader, t *ledger.Tenant, as AsOf) (m moment, end func(), err error) {
	end = func() {}
	size, err := as.size(ctx, b, r, t)
	switch {
	case err != nil:
		return m, end, err
	case size == t.Size:
		return moment{b: b, r: r, t: t}, end, nil
	case size == 0:
		return m, end, nil
	case as.again && !as.far && size > b.pasts.most:
		return m, end, errTooFar
	}
	then, err := b.pastOf(ctx, r, t, size, as.Progress)
	if err != nil {
		return m, end, err
	}
	since := func(position uint64) (board.Fate, error) { return b.core.ErasureOf(b.core.Store(), t, position) }
	return moment{b: then.board, r: then.board.core.Store(), t: then.tenant, then: then, present: &presence{r, t}, since: since}, then.letGo, nil
}

// shows reports whether a view that sees a thing of a past state may see it now.
func (p *presence) shows(v board.View, h *catalog.Head) (bool, error) {
	if board.AccessOf(v) == nil && v.Agent == "" {
		return true, nil
	}
	now, ok, err := catalog.HeadOf(p.r, p.t.Number, h.Kind, catalog.ThingOf(p.t.Name, h.Kind, h.ID))
	return ok && now.State != catalog.Redacted && board.Sees(v, now), err
}

// enter makes a state with records the one that is looked at.
func (a *asking) enter(m moment) (err error) {
	a.b, a.r, a.t, a.since, a.now = m.b, m.r, m.t, m.since, board.NowOf(a.view, m.t)
	if a.visible, err = a.b.visible(a.ctx, board.State{Reader: a.r, Tenant: a.t, View: a.view}); err != nil {
		return err
	}
	if a.whole, err = board.Unerased(a.r, a.t); err != nil || m.then == nil {
		return err
	}
	if a.rows, err = a.roster(); err != nil {
		return err
	}
	a.present = m.present
	err = a.hide(m.then)
	if a.asThen {
		a.present = nil
	}
	return err
}

// roster opens the rows of the state.
func (a *asking) roster() (*roster.View, error) {
	return a.b.searcher.Roster(recall.State{Reader: a.r, Tenant: a.t.Number, Size: a.t.Size})
}

// shows reports whether whoever looks may see a thing. In a past, that is what they
// could see then and may see now.
func (a *asking) shows(h *catalog.Head) (bool, error) {
	if !board.Sees(a.view, h) || a.present == nil {
		return board.Sees(a.view, h), nil
	}
	return a.present.shows(a.view, h)
}

// check refuses what names two states, and what names none.
func (as AsOf) check() error {
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

// sizeByTime returns how many records a tenant had at a time. Their times never go back.
func (b *Retriever) sizeByTime(ctx context.Context, r kv.Reader, t *ledger.Tenant, at time.Time) (uint64, error) {
	last := index.Nanos(at)
	if last >= t.Time {
		return t.Size, nil
	}
	var failed error
	size := sort.Search(int(t.Size), func(position int) bool {
		if failed = fault.First(failed, ctx.Err()); failed != nil {
			return true
		}
		h, err := b.core.HeaderAt(r, t, uint64(position))
		failed = err
		return err != nil || h.Time > last
	})
	return uint64(size), failed
}

// sizeOfPrefix returns how many records a tenant had when its root began like this.
func sizeOfPrefix(ctx context.Context, r kv.Reader, t *ledger.Tenant, prefix string) (uint64, error) {
	found, size := 0, uint64(0)
	see := func(root merkle.Hash, n uint64) {
		if begins(root, prefix) {
			found, size = found+1, n
		}
	}
	var tree merkle.Range
	see(tree.Root(), 0)
	err := eachLeaf(ctx, r, t, func(position uint64, leaf merkle.Hash) bool {
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

// begins reports whether the hexadecimal digits of a root begin like this.
func begins(root merkle.Hash, prefix string) bool {
	return strings.HasPrefix(hex.EncodeToString(root[:]), prefix)
}

// eachLeaf visits the leaves of a tenant in order, until visit says no.
func eachLeaf(ctx context.Context, r kv.Reader, t *ledger.Tenant, visit func(position uint64, leaf merkle.Hash) bool) error {
	for position := range t.Size {
		if position%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		place, ok, err := ledger.At(r, t.Number, position)
		if err != nil || !ok || !visit(position, place.Leaf) {
			return err
		}
	}
	return nil
}

// errTooFar says that a state is too far back to be made again for a comparison.
var errTooFar = errors.New("the state is far back")
