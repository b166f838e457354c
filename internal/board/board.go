// Package board is a data directory with its journal, its indexes and its keys: how records
// get in, how one of them is read, and how what was erased is overwritten.
//
// Who may see what is decided in package access below it. Packages above it read records page by
// page (browse), take them away (erase) and record streams (stream). What is derived from many
// records, such as answers to a question, packs and artifacts, belongs to readers further up. A
// reader runs on a [State]. It keeps its caches in step as a
// [Follower], and says as a [Rule] what its kind of record has to fulfil to be admitted.
//
// # Life of a write
//
// A caller prepares what it can on its own: validates, encodes, salts, hashes.
// Then it joins the queue. One of those who wait leads: it takes everything in
// the queue and, in that order, decides what is admitted (duplicates, expected
// versions, erased content), gives positions, grows the trees, and folds the
// records into a transaction of the index. Then the whole group is written
// with one write and one fsync; after that the transaction is committed, and
// only then is anyone told.
//
// # What is guaranteed
//
//   - What is acknowledged is on the disk, and every read that begins
//     afterwards sees it.
//   - After a failed write or fsync nothing is retried and nothing more is
//     acknowledged; reads go on.
//   - Whether a record is admitted, its position and its tenant's root are a
//     function of that tenant's records in order, and of nothing else.
//   - Reads run on one snapshot, write nothing, and leave every root as it was.
//   - What was redacted is in no file of the directory once FinishErasures has
//     returned, apart from index files that a Purge removes, and it is not
//     served by anything from the moment it was journaled.
//   - Under a scope, what it does not allow is for reads as if it were not there,
//     and a write of it is refused and on record. Every call verifies its token.
//
// # What is not
//
// Without a scope, the board does not know the caller: the caller says which tenant, which
// actor and how far it is trusted. The board opens no network connection; expiry happens
// when package erase is asked for it.
package board

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// Board is an open data directory. It is safe for concurrent use.
type Board struct {
	o   Options
	dir string
	id  string // of the directory

	lock      io.Closer
	log       *journal.Log
	notary    *notary.Notary
	ids       *hmx.IDSource
	tokens    tokens.Counter
	queue     *journal.Committer[*Request]
	authority *access.Authority
	places    *ledger.Places // of the store in use; nil for one that is soon let go
	watching  watchers

	// gate is held for reading by every operation, and for writing by those
	// that replace the store or end it all.
	gate    sync.RWMutex
	closed  bool
	store   *kv.Store
	applier *apply.Applier
	passed  []journal.Damage // met and passed when the directory was opened
	indexed journal.LSN      // up to where the index was on the disk then

	// erasing is held by whoever overwrites payloads, spooling by whoever uses
	// the file that a stream is put down in.
	erasing  sync.Mutex
	spooling sync.Mutex

	followers []Follower
	rules     map[record.Kind]Rule
	erasures  atomic.Uint64 // see Erasures

	// failed is set by the leader when the store cannot follow the journal.
	failed atomic.Pointer[fault.Error]
	// unchecked counts the bytes written since the room on the disk was looked at.
	unchecked int
}

// Over returns a board that reads another store of records of the same journal. It writes
// nothing, and is not to be closed.
func (b *Board) Over(store *kv.Store) *Board {
	return &Board{o: b.o, dir: b.dir, id: b.id, log: b.log, notary: b.notary, authority: b.authority, tokens: b.tokens, store: store}
}

// Unopened returns a board of which nothing is open: for a directory that is too damaged to
// be opened.
func Unopened(dir string, o Options) *Board { return &Board{o: o, dir: dir} }

// Open opens the data directory dir, making it if it does not exist. Attach may be nil; it
// is called before anything is read, to add followers and rules.
func Open(ctx context.Context, dir string, o Options, attach func(*Board)) (opened *Board, err error) {
	if o.FS == nil {
		o.FS = disk.OS()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	b := &Board{o: o, dir: dir, tokens: tokens.O200k()}
	if attach != nil {
		attach(b)
	}
	if b.lock, err = b.claim(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.release())
		}
	}()
	b.ids = hmx.NewIDSource(o.Clock, o.Random)
	if err := b.Identify(); err != nil {
		return nil, err
	}
	if err := b.sweep(); err != nil {
		return nil, err
	}
	if err := b.openFiles(ctx); err != nil {
		return nil, err
	}
	b.serve()
	if b.passed, err = b.applier.CatchUp(ctx, b.caughtUp); err != nil {
		return nil, err
	}
	tenants, err := ledger.Count(b.store)
	if err != nil {
		return nil, err
	}
	if b.notary, err = notary.Open(b.notaryOptions(tenants > 0)); err != nil {
		return nil, err
	}
	b.authority = access.NewAuthority(b.notary, o.Clock)
	if tenants == 0 {
		// What is recorded without a key could never be signed: the next open would
		// take the key for lost. As long as nothing is, nothing keeps from saying so.
		if err := b.notary.Check(); err != nil {
			return nil, err
		}
	}
	// What cannot be overwritten because it is damaged is reported by Verify.
	if err := b.finishErasures(); err != nil && fault.CodeOf(err) != fault.Damaged {
		return nil, err
	}
	b.queue = journal.NewCommitter(b.run)
	return b, nil
}

// caughtUp receives how far the index is at the opening. One that was rebuilt is worth
// writing out.
func (b *Board) caughtUp(done, end journal.LSN, records uint64) {
	if records >= briefRecords {
		b.indexed = 0
	}
	if b.o.Progress != nil {
		b.o.Progress(done, end, records)
	}
}

// openFiles opens journal and index, in the order that the two need.
func (b *Board) openFiles(ctx context.Context) (err error) {
	open := func(atLeast journal.LSN) (err error) {
		b.log, err = journal.Open(journal.Options{
			FS: b.o.FS, Dir: b.Path("journal"), SegmentBytes: b.o.SegmentBytes, Rand: b.o.Random, AtLeast: atLeast,
		})
		return err
	}
	if b.o.Rebuild {
		// What the old index reached was durable, even if the index is no good
		// otherwise.
		if err := open(b.reached()); err != nil {
			return err
		}
		if err := b.structural(); err != nil {
			return err
		}
		if err := b.remake(ctx, b.o.Progress); err != nil {
			return err
		}
		if err := b.forgetAll(); err != nil {
			return err
		}
		return b.OpenStore()
	}
	if err := b.OpenStore(); err != nil {
		return err
	}
	// The index never runs ahead of the journal. If the journal is shorter, it
	// lost something.
	least, reached, err := apply.Cursor(b.store)
	if err != nil {
		return err
	}
	b.indexed = least
	return open(reached)
}

// reached returns how far the index on the disk had come, or zero when it does
// not say.
func (b *Board) reached() journal.LSN {
	if _, err := b.o.FS.Stat(b.Path(NameIndex)); err != nil {
		return 0
	}
	if err := b.OpenStore(); err != nil {
		return 0
	}
	_, most, err := apply.Cursor(b.store)
	if closed := b.store.Close(); err != nil || closed != nil {
		most = 0
	}
	b.store = nil
	return most
}

// structural returns what is wrong with the journal beyond single payloads:
// records are missing, so that what is left must not be taken for all there is.
func (b *Board) structural() error {
	for _, d := range b.log.Damages() {
		if d.Part != journal.PartBody {
			return fault.Newf(fault.Damaged, "the journal is damaged: %w", &d).
				WithFix("restore the journal from a copy; reads go on, and `lukasa export --salvage --out FILE` saves what is left")
		}
	}
	return nil
}

// Now returns the time by the board's clock.
func (b *Board) Now() time.Time { return b.o.Clock() }

// OpenStore opens the index.
func (b *Board) OpenStore() (err error) {
	b.store, err = b.OpenIndex(NameIndex)
	return err
}

// ownerKey is where an index says which directory it belongs to.
const ownerKey = "Mdirectory"

// serve makes what answers from the store that is in use.
func (b *Board) serve() {
	b.applier, b.places = apply.New(b.store, b.log), ledger.NewPlaces()
}

// OpenIndex opens an index by the name of its directory, and refuses one that
// was folded from another journal.
func (b *Board) OpenIndex(name string) (*kv.Store, error) {
	store, err := kv.Open(kv.Options{
		FS: b.o.FS, Dir: b.Path(name), CacheBytes: b.o.CacheBytes, MemTableBytes: b.o.MemTableBytes,
		Apart: apply.Apart(), Rows: apply.Rows(),
	})
	if err != nil {
		return nil, err
	}
	owner, ok, err := store.Get([]byte(ownerKey), nil)
	switch {
	case err == nil && !ok:
		tx := store.Begin()
		if err = tx.Set([]byte(ownerKey), []byte(b.id)); err == nil {
			err = tx.Commit()
		}
	case err == nil && string(owner) != b.id:
		err = fault.Newf(fault.Damaged, "%s is the index of another directory, %q", b.Path(name), owner).
			WithFix("`lukasa rebuild` makes the index anew from the journal")
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// Close waits for what is under way, makes everything durable and lets the
// directory go. A second call does nothing.
func (b *Board) Close() error {
	b.gate.Lock()
	defer b.gate.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	return b.release()
}

// How much of the journal a board that is open for a moment only leaves for the next opening:
// so that one of some sixteen hooks writes it out. More would fill a memory table of the index,
// which it then begins to write out by itself.
const (
	briefBytes   = 32 << 10
	briefRecords = 16
)

// release closes what is open, index first: what it lacks is in the journal,
// but never the other way round.
func (b *Board) release() error {
	errs := []error{b.toFollowers(Follower.Close)}
	if b.store != nil {
		if b.o.Brief && b.log != nil && b.indexed > 0 && b.log.End()-b.indexed <= briefBytes {
			errs = append(errs, b.store.Leave())
		} else {
			errs = append(errs, b.store.Close())
		}
	}
	if b.log != nil {
		errs = append(errs, b.log.Close())
	}
	if b.notary != nil {
		errs = append(errs, b.notary.Close())
	}
	if b.lock != nil {
		errs = append(errs, b.lock.Close())
	}
	return errors.Join(errs...)
}

// Enter begins an operation that reads or writes. The caller must call Leave.
func (b *Board) Enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.gate.RLock()
	if b.closed {
		b.gate.RUnlock()
		return ErrClosed()
	}
	return nil
}

// ErrClosed is the error of every call after Close.
func ErrClosed() error { return fault.New(fault.Closed, "the board is closed") }

// Leave ends an operation that Enter began.
func (b *Board) Leave() { b.gate.RUnlock() }

// EnterAlone begins an operation beside which nothing else runs. The caller must call
// LeaveAlone.
func (b *Board) EnterAlone() error {
	b.gate.Lock()
	if b.closed {
		b.gate.Unlock()
		return ErrClosed()
	}
	return nil
}

// LeaveAlone ends an operation that EnterAlone began.
func (b *Board) LeaveAlone() { b.gate.Unlock() }

// Options returns how the board was opened.
func (b *Board) Options() Options { return b.o }

// FS returns where the directory is.
func (b *Board) FS() disk.FS { return b.o.FS }

// Store returns the index in use. It is for callers that have entered the board.
func (b *Board) Store() *kv.Store { return b.store }

// Log returns the journal.
func (b *Board) Log() *journal.Log { return b.log }

// Notary returns what signs.
func (b *Board) Notary() *notary.Notary { return b.notary }

// Applier returns what folds records into the index in use.
func (b *Board) Applier() *apply.Applier { return b.applier }

// Tokens returns what counts tokens.
func (b *Board) Tokens() tokens.Counter { return b.tokens }

// NewID returns an id that is in no record.
func (b *Board) NewID() (string, error) { return b.ids.Next() }

// Erasures returns how often something was erased. The leader raises it in log order, after
// the erasure is visible: an admission that finds another count than there was before the
// read that it relies on must not use what was read.
func (b *Board) Erasures() uint64 { return b.erasures.Load() }

// Dir returns the data directory.
func (b *Board) Dir() string { return b.dir }

// ID returns the directory's own id, which is part of what it signs.
func (b *Board) ID() string { return b.id }

// Damages returns what was found to be broken when the directory was opened.
func (b *Board) Damages() []journal.Damage {
	b.gate.RLock()
	defer b.gate.RUnlock()
	return b.KnownDamages()
}

// KnownDamages is Damages for callers that have entered the board.
func (b *Board) KnownDamages() []journal.Damage { return append(b.log.Damages(), b.passed...) }

// Failed returns why writes are refused, or nil when they are not.
func (b *Board) Failed() error {
	if e := b.failed.Load(); e != nil {
		return e
	}
	if err := b.log.Failed(); err != nil {
		return err
	}
	return b.structural()
}
