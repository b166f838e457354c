package retrieval

import (
	"context"
	"encoding/hex"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
)

// A past state of a tenant is rebuilt, for packs, searches and finds alike: its records up to then are folded into indexes
// in memory, which are then asked as those of the present are. So what is found, and how
// it is weighed, is what it was then, to the last bit, but for what was erased since. A
// mask over the indexes of the present would not do: versions that were superseded are
// not in them, and how rare a word is depends on what came later.

// MaxPast is how many records a past state has at most that is made in memory, and kept
// for the next who asks. A larger one is made for each, in files that are removed when it
// is let go, or when the directory is opened next.
const MaxPast = 20_000

// pastChecked is how many newer records a cached state is checked for erasures, before it is rebuilt instead.
const pastChecked = 4096

// pasts caches the most recently used past state.
type pasts struct {
	turn chan struct{} // a semaphore of one: held by the goroutine that replays
	kept *past         // of the holder of the turn
	made int           // number of states in files; of the same
	most uint64        // records of one in memory

	erasures atomic.Uint64 // number of erasures
	upTo     uint64        // erasures that the cached state includes; of the holder of the turn

	mu sync.Mutex // guards the users of a state
}

func newPasts(most uint64) *pasts {
	p := &pasts{turn: make(chan struct{}, 1), most: most}
	p.turn <- struct{}{}
	return p
}

// past is a tenant as it was, in a board with its own indexes that shares the journal.
type past struct {
	board   *Retriever
	tenant  *ledger.Tenant
	checked uint64 // size of the present up to which none of its records was erased
	all     *pasts
	users   int          // plus one if it is cached
	hidden  *hiddenNow   // for the last caller; guarded like users
	end     func() error // closes its store
}

// close drops the cached state. No caller uses one any more.
func (p *pasts) close() error {
	if p.kept == nil {
		return nil
	}
	kept := p.kept
	p.kept = nil
	return kept.end()
}

// erased drops the cached state, since an erased record may be in it. If another goroutine holds the turn,
// that one drops it when it releases the turn.
func (p *pasts) erased() {
	p.erasures.Add(1)
	p.tidy()
}

// tidy drops a cached state that is older than an erasure, unless the turn is taken.
func (p *pasts) tidy() {
	select {
	case <-p.turn:
	default:
		return
	}
	if p.kept != nil && p.upTo != p.erasures.Load() {
		p.kept.letGo()
		p.kept = nil
	}
	p.turn <- struct{}{}
}

// pastFollower drops a cached state that is older than an erasure, and all files of past states before a
// purge.
type pastFollower struct {
	board.NopFollower
	b *Retriever
}

func (f pastFollower) Erasing() error {
	f.b.pasts.erased()
	return nil
}

func (f pastFollower) Purging() error { return f.b.forgetPasts() }
func (f pastFollower) Close() error   { return f.b.pasts.close() }

// forgetPasts removes all files of past states. No caller uses one.
func (b *Retriever) forgetPasts() error {
	if err := b.pasts.close(); err != nil {
		return err
	}
	if _, err := b.core.FS().Stat(b.core.Path(board.NamePast)); err != nil {
		return nil // there are none
	}
	return disk.Fault(b.core.FS().RemoveAll(b.core.Path(board.NamePast)))
}

// use changes the number of users, and closes the state when it is zero.
func (x *past) use(n int) {
	x.all.mu.Lock()
	defer x.all.mu.Unlock()
	if x.users += n; x.users == 0 {
		_ = x.end() // nothing of it is needed again
	}
}

// letGo ends one use of a state.
func (x *past) letGo() { x.use(-1) }

// pastOf returns the state of a tenant when it had size records. The caller releases it. Progress may be nil.
func (b *Retriever) pastOf(ctx context.Context, s board.State, size uint64, progress func(done, total uint64)) (*past, error) {
	select {
	case <-b.pasts.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() {
		b.pasts.turn <- struct{}{}
		b.pasts.tidy()
	}()
	erasures := b.pasts.erasures.Load()
	if kept := b.pasts.kept; kept != nil && kept.tenant.Name == s.Tenant.Name && kept.tenant.Size == size {
		good, err := b.stillWhole(s, kept)
		if err != nil {
			return nil, err
		}
		if good {
			kept.use(1)
			return kept, nil
		}
	}
	made, err := b.replay(ctx, s, size, progress)
	if err != nil {
		return nil, err
	}
	made.all, made.users = b.pasts, 1
	if size <= b.pasts.most {
		if b.pasts.kept != nil {
			b.pasts.kept.letGo()
		}
		made.use(1)
		b.pasts.kept, b.pasts.upTo = made, erasures
	}
	return made, nil
}

// stillWhole reports whether it is cheap to see that nothing was erased since a cached state was checked.
func (b *Retriever) stillWhole(s board.State, kept *past) (bool, error) {
	if s.Tenant.Size < kept.checked || s.Tenant.Size-kept.checked > pastChecked {
		return false, nil
	}
	for position := kept.checked; position < s.Tenant.Size; position++ {
		h, err := b.core.HeaderAt(s, position)
		if err != nil {
			return false, err
		}
		if h.Kind == record.Redaction || h.Kind == record.Expiry {
			return false, nil
		}
	}
	kept.checked = s.Tenant.Size
	return true, nil
}

// replay rebuilds the state of a tenant when it had size records.
func (b *Retriever) replay(ctx context.Context, s board.State, size uint64, progress func(done, total uint64)) (made *past, err error) {
	store, end, err := b.pastStore(size)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, end())
		}
	}()
	applier := apply.New(store, b.core.Log())
	for from := uint64(0); from < size; {
		if from, err = b.replayGroup(ctx, s, applier, store, from, size); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(from, size)
		}
	}
	then, ok, err := ledger.Lookup(store, s.Tenant.Name)
	if err != nil {
		return nil, err
	}
	root, err := board.RootWhen(s, size)
	if err != nil {
		return nil, err
	}
	if !ok || then.Size != size || then.Tree.Root() != root {
		return nil, fault.Newf(fault.Damaged, "the first %d records of tenant %q make another root than the one on record", size, s.Tenant.Name).
			WithFix("`lukasa verify --deep` says what is wrong")
	}
	was := &Retriever{core: b.core.Over(store), searcher: recall.New(pastRecall), sights: newSights()}
	return &past{board: was, tenant: then, checked: s.Tenant.Size, end: end}, nil
}

// pastBytes is the memory table of the index of a past state, and its block cache; pastRecall is the cache of
// its searches.
const (
	pastBytes  = 16 << 20
	pastRecall = 64 << 20
)

// pastStore opens a store for size records, and returns how to close it. The caller holds the turn.
func (b *Retriever) pastStore(size uint64) (store *kv.Store, end func() error, err error) {
	o := kv.Options{FS: disk.NewMem(), Dir: "past", CacheBytes: pastBytes, MemTableBytes: pastBytes, Apart: apply.Apart(), Rows: apply.Rows()}
	remove := func() error { return nil }
	if size > b.pasts.most {
		b.pasts.made++
		o.FS, o.Dir = b.core.FS(), b.core.Path(board.NamePast, strconv.Itoa(b.pasts.made))
		remove = func() error { return disk.Fault(b.core.FS().RemoveAll(o.Dir)) }
		if err := b.core.FS().MkdirAll(b.core.Path(board.NamePast), 0o700); err != nil {
			return nil, nil, disk.Fault(err)
		}
	}
	if store, err = kv.Open(o); err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return store, func() error { return errors.Join(store.Close(), remove()) }, nil
}

// replayedTogether is how many records are folded at once.
const replayedTogether = 2048

// replayGroup folds some records, and returns the next position.
func (b *Retriever) replayGroup(ctx context.Context, s board.State, applier *apply.Applier, store *kv.Store, from, size uint64) (uint64, error) {
	records := make([]index.Record, min(replayedTogether, size-from))
	err := index.Share(len(records), index.Workers(len(records), 64), func(_, low, high int) error {
		for i := low; i < high; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			rec, err := b.recordOnce(s, from+uint64(i))
			if err != nil {
				return err
			}
			rec.Doc()
			records[i] = rec
		}
		return nil
	})
	if err != nil {
		return from, err
	}
	for len(records) > 0 {
		if err := ctx.Err(); err != nil {
			return from, err
		}
		n, err := replayTogether(applier, store, records)
		if err != nil {
			return from, err
		}
		from, records = from+uint64(n), records[n:]
	}
	return from, nil
}

// replayTogether folds as many of the records as can be folded together, and returns how many. A record that
// removes others reads what they wrote, and is folded alone.
func replayTogether(applier *apply.Applier, store *kv.Store, records []index.Record) (n int, err error) {
	for n < len(records) && !apply.Alone(records[n].Header.Kind) {
		n++
	}
	tx := store.Begin()
	if n == 0 {
		n = 1
		_ = tx.Discard() // it is empty
		tx = store.BeginIndexed()
		if err := applier.Load(tx, &records[0]); err != nil {
			applier.Discard(tx)
			return 0, err
		}
	}
	last := journal.LSN(0)
	for i := range n {
		if err := applier.Apply(tx, &records[i]); err != nil {
			applier.Discard(tx)
			return 0, err
		}
		last = records[i].LSN
	}
	if err := applier.Finish(tx, last+1); err != nil {
		applier.Discard(tx)
		return 0, err
	}
	return n, tx.Commit()
}

// recordOnce reads a record as a replay does: an erased or unreadable one has only a header.
func (b *Retriever) recordOnce(s board.State, position uint64) (index.Record, error) {
	f, err := b.core.FrameAt(s, position)
	damaged := apply.Bodiless(err)
	if damaged {
		f.Erased, err = true, nil
	}
	if err != nil {
		return index.Record{}, err
	}
	rec, err := apply.Decode(&f)
	rec.Damaged = damaged
	return rec, err
}

// size returns how many records a tenant has in the named state.
func (as AsOf) size(ctx context.Context, b *Retriever, s board.State) (uint64, error) {
	switch {
	case as.Position.Set:
		if as.Position.Value >= s.Tenant.Size {
			return 0, fault.Newf(fault.InvalidArgument, "as_of: position %d is not there yet; the newest is %d", as.Position.Value, s.Tenant.Size-1).
				WithFix("give a position up to the newest, or leave it out for the present")
		}
		return as.Position.Value + 1, nil
	case as.Root.Set:
		return sizeOfRoot(ctx, s, as.Root.Value)
	case as.RootPrefix != "":
		return sizeOfPrefix(ctx, s, as.RootPrefix)
	case !as.Time.IsZero():
		return b.sizeByTime(ctx, s, as.Time)
	}
	return s.Tenant.Size, nil
}

// AsOfNothing refuses a past state of a tenant without records, except for the empty root.
func AsOfNothing(as AsOf) error {
	switch {
	case as.Position.Set:
		return fault.Newf(fault.InvalidArgument, "as_of: position %d is not there yet; there are no records", as.Position.Value).
			WithFix("leave it out for the present")
	case as.Root.Set && as.Root.Value != merkle.EmptyRoot():
		return noSuchRoot(hex.EncodeToString(as.Root.Value[:]))
	case !begins(merkle.EmptyRoot(), as.RootPrefix):
		return noSuchRoot(as.RootPrefix)
	}
	return nil
}

// noSuchRoot is the error for a root, or a prefix, that never existed.
func noSuchRoot(digits string) error {
	return fault.Newf(fault.NotFound, "as_of: the tenant never had the root %s", digits).WithFix("`lukasa root` says which it has; give one that it said before, of the same tenant")
}

// sizeOfRoot returns how many records a tenant had when it had this root.
func sizeOfRoot(ctx context.Context, s board.State, root merkle.Hash) (uint64, error) {
	if root == s.Tenant.Tree.Root() {
		return s.Tenant.Size, nil
	}
	var tree merkle.Range
	if root == tree.Root() {
		return 0, nil
	}
	size := uint64(0)
	err := eachLeaf(ctx, s, func(position uint64, leaf merkle.Hash) bool {
		if tree.Append(leaf); root == tree.Root() {
			size = position + 1
		}
		return size == 0
	})
	if err == nil && size == 0 {
		err = noSuchRoot(hex.EncodeToString(root[:]))
	}
	return size, err
}
