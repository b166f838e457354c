// Package board is a data directory with its journal, its indexes and its keys: how records are
// written, how one of them is read, and how erased ones are overwritten.
//
// Package access below it decides visibility. Packages above it read records page by page
// (browse), remove them (erase) and record streams (stream). What is derived from many records,
// such as search results, packs and artifacts, belongs to readers further up. A reader runs on
// a [State]. It keeps its caches in step as a [Follower], and states as a [Rule] what its kind
// of record must fulfil to be admitted.
//
// # Life of a write
//
// A caller prepares what it can on its own: validates, encodes, salts, hashes. Then it joins
// the queue. One of the waiting callers leads: it takes everything in the queue and, in that
// order, decides what is admitted (duplicates, expected versions, erased content), assigns
// positions, grows the trees, and folds the records into a transaction of the index. Then the
// whole group is written with one write and one fsync; after that the transaction is committed,
// and only then are the callers acknowledged.
//
// # What is guaranteed
//
//   - What is acknowledged is on the disk, and every read that begins
//     afterwards sees it.
//   - After a failed write or fsync nothing is retried and nothing more is acknowledged; reads
//     continue.
//   - Whether a record is admitted, its position and its tenant's root depend only on that
//     tenant's records in order.
//   - Reads run on one snapshot, write nothing, and change no root.
//   - Redacted payloads are in no file of the directory once FinishErasures has returned,
//     except for index files that a Purge removes, and no read returns them from the moment the
//     redaction is journaled.
//   - Under a scope, what it does not allow does not exist for reads, and a write of it is
//     refused and on record. Every call verifies its token.
//
// # What is not
//
// Without a scope, the board does not know the caller: the caller states the tenant, the actor
// and its trust. The board opens no network connection. Records expire only when a caller runs
// package erase.
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
	*directory
	system bool // it may use [SystemTenant], see AsSystem
}

// directory is what is open of a data directory, for every board of it.
type directory struct {
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
	places    *ledger.Places // of the store in use; nil for a short-lived one
	watching  watchers

	// gate is held for reading by every operation, and for writing by those that replace the
	// store or close the board.
	gate    sync.RWMutex
	closed  bool
	store   *kv.Store
	applier *apply.Applier
	passed  []journal.Damage // damage that was passed over at the opening
	indexed journal.LSN      // how far the index was durable then

	// erasing is held while payloads are overwritten, spooling while the temporary file of a
	// stream is in use.
	erasing  sync.Mutex
	spooling sync.Mutex

	followers []Follower
	rules     map[record.Kind]Rule
	erasures  atomic.Uint64 // see Erasures

	// failed is set by the leader when the store cannot follow the journal.
	failed atomic.Pointer[fault.Error]
	// unchecked counts the bytes written since the last check of the free disk space.
	unchecked int
}

// Over returns a board that reads another store of the same journal. It writes nothing, and
// must not be closed.
func (b *Board) Over(store *kv.Store) *Board {
	return &Board{directory: &directory{o: b.o, dir: b.dir, id: b.id, log: b.log, notary: b.notary, authority: b.authority, tokens: b.tokens, store: store}}
}

// Unopened returns a board of which nothing is open: for a directory that is too damaged to
// be opened.
func Unopened(dir string, o Options) *Board { return &Board{directory: &directory{o: o, dir: dir}} }

// Open opens the data directory dir, and creates it if it does not exist. Attach may be nil; it
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
	b := &Board{directory: &directory{o: o, dir: dir, tokens: tokens.O200k()}}
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
		// Records without a key could never be signed: the next open would take the key for
		// lost. While there are no records, the error can be reported.
		if err := b.notary.Check(); err != nil {
			return nil, err
		}
	}
	// Verify reports what cannot be overwritten because it is damaged.
	if err := b.finishErasures(); err != nil && fault.CodeOf(err) != fault.Damaged {
		return nil, err
	}
	b.queue = journal.NewCommitter(b.run)
	return b, nil
}

// caughtUp receives the progress of the index at the opening. A rebuilt index is worth a flush.
func (b *Board) caughtUp(done, end journal.LSN, records uint64) {
	if records >= briefRecords {
		b.indexed = 0
	}
	if b.o.Progress != nil {
		b.o.Progress(done, end, records)
	}
}

// openFiles opens journal and index, in the order that they require.
func (b *Board) openFiles(ctx context.Context) (err error) {
	open := func(atLeast journal.LSN) (err error) {
		b.log, err = journal.Open(journal.Options{
			FS: b.o.FS, Dir: b.Path("journal"), SegmentBytes: b.o.SegmentBytes, Rand: b.o.Random, AtLeast: atLeast,
		})
		return err
	}
	if b.o.Rebuild {
		// What the old index had folded was durable, even if the index is otherwise unusable.
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
	// The index never runs ahead of the journal. If the journal is shorter, it lost something.
	least, reached, err := apply.Cursor(b.store)
	if err != nil {
		return err
	}
	b.indexed = least
	return open(reached)
}

// reached returns how far the index on the disk had come, or zero if it does not say.
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

// structural returns the damage of the journal beyond single payloads: records are missing, so
// that the rest must not be taken for everything.
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

// ownerKey is the key under which an index names its directory.
const ownerKey = "Mdirectory"

// serve prepares reads from the store in use.
func (b *Board) serve() {
	b.applier, b.places = apply.New(b.store, b.log), ledger.NewPlaces()
}

// OpenIndex opens an index by the name of its directory, and refuses one that was folded from
// another journal.
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
			WithFix("`lukasa rebuild` rebuilds the index from the journal")
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// Close waits for running operations, makes everything durable and releases the directory. A
// second call does nothing.
func (b *Board) Close() error {
	b.gate.Lock()
	defer b.gate.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	return b.release()
}

// How much of the journal a briefly opened board leaves for the next opening to replay: so that
// about one in sixteen hooks flushes it. More would fill a memory table of the index, which
// then starts a flush itself.
const (
	briefBytes   = 32 << 10
	briefRecords = 16
)

// release closes the files, index first: the journal has what the index lacks, but never the
// other way round.
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

// Enter begins an operation. The caller must call Leave.
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

// EnterAlone begins an exclusive operation. The caller must call LeaveAlone.
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

// FS returns the file system of the directory.
func (b *Board) FS() disk.FS { return b.o.FS }

// Store returns the index in use. It is for callers that have entered the board.
func (b *Board) Store() *kv.Store { return b.store }

// Log returns the journal.
func (b *Board) Log() *journal.Log { return b.log }

// Notary returns the notary.
func (b *Board) Notary() *notary.Notary { return b.notary }

// Applier returns the applier of the index in use.
func (b *Board) Applier() *apply.Applier { return b.applier }

// Tokens returns the token counter.
func (b *Board) Tokens() tokens.Counter { return b.tokens }

// NewID returns an unused id.
func (b *Board) NewID() (string, error) { return b.ids.Next() }

// Erasures returns the number of erasures. The leader increments it in log order, after the
// erasure is visible: an admission that finds another count than before the read that it relies
// on must not use that read.
func (b *Board) Erasures() uint64 { return b.erasures.Load() }

// Dir returns the data directory.
func (b *Board) Dir() string { return b.dir }

// ID returns the directory's own id, which is part of what it signs.
func (b *Board) ID() string { return b.id }

// Damages returns the damage found when the directory was opened.
func (b *Board) Damages() []journal.Damage {
	b.gate.RLock()
	defer b.gate.RUnlock()
	return b.KnownDamages()
}

// KnownDamages is Damages for callers that have entered the board.
func (b *Board) KnownDamages() []journal.Damage { return append(b.log.Damages(), b.passed...) }

// Failed returns why writes are refused, or nil.
func (b *Board) Failed() error {
	if e := b.failed.Load(); e != nil {
		return e
	}
	if err := b.log.Failed(); err != nil {
		return err
	}
	return b.structural()
}
