// Package kv keeps ordered keys and values, on Pebble.
//
// Pebble's own write-ahead log is off: the journal is the log. A batch becomes
// visible at once and durable later, when Pebble flushes; after a crash the
// store holds the effects of a prefix of the batches, each whole or not at all.
// Whoever writes keeps a cursor in the same batch and replays from there.
//
// # What is guaranteed
//
//   - Batches are applied in the order of their commits, and a later batch is
//     never durable without an earlier one.
//   - A [Snapshot] sees exactly the batches committed before it was taken.
//   - Bytes that the disk changed are reported as damage, never handed out:
//     every block is checked when it is read.
//   - When the disk refuses what Pebble cannot do without, the store refuses
//     writes from then on and goes on reading.
//   - After [Store.Purge] no file of the store holds what was deleted before.
//
// # What is not
//
// A commit is not durable by itself; [Store.Flush] makes it so. Keys are not
// encrypted, and deleted ones linger in files until they are compacted away.
package kv

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// Options says where a store lives and how much memory it may take.
type Options struct {
	FS  disk.FS
	Dir string
	// CacheBytes is for blocks read from files. Zero means 64 MiB.
	CacheBytes int64
	// MemTableBytes is how much is written before it is flushed. What is not
	// flushed is replayed from the journal after a crash. Zero means 32 MiB.
	MemTableBytes uint64
}

// memTables is how many memory tables there may be: one being written to, the
// others being flushed.
const memTables = 3

// Store is an open store. It is safe for concurrent use, except that one
// goroutine at a time commits.
type Store struct {
	db    *pebble.DB
	dir   string
	watch *watch
}

// Open opens the store in o.Dir, making it if there is none.
func Open(o Options) (*Store, error) {
	if o.CacheBytes == 0 {
		o.CacheBytes = 64 << 20
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = 32 << 20
	}
	w := &watch{}
	po := &pebble.Options{
		FS:         o.FS,
		DisableWAL: true,
		// Pebble takes the room for its memory tables out of the cache's.
		CacheSize:                   o.CacheBytes + memTables*int64(o.MemTableBytes),
		MemTableSize:                o.MemTableBytes,
		MemTableStopWritesThreshold: memTables,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       64,
		LBaseMaxBytes:               128 << 20,
		MaxOpenFiles:                512,
		FormatMajorVersion:          pebble.FormatValueSeparation,
		Logger:                      w,
		EventListener:               w.listener(),
	}
	for i := range po.Levels {
		// Most lookups are for ids that are not there.
		po.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		po.Levels[i].FilterType = pebble.TableFilter
		// A filter is read as a whole. Those of large files would push each
		// other out of the cache.
		po.TargetFileSizes[i] = 4 << 20
	}
	db, err := pebble.Open(o.Dir, po)
	if err != nil {
		return nil, explain(o.Dir, err)
	}
	return &Store{db: db, dir: o.Dir, watch: w}, nil
}

// explain puts an error of Pebble into the words of the catalogue.
func explain(dir string, err error) error {
	if err == nil {
		return nil
	}
	if f := disk.Fault(err); fault.CodeOf(f) != fault.Internal {
		return f
	}
	if pebble.IsCorruptionError(err) || errors.Is(err, pebble.ErrCorruption) {
		return fault.Newf(fault.Damaged, "the index in %s is damaged: %w", dir, err).
			WithFix("the journal is not touched by this: `lukasa rebuild` makes the index anew from it")
	}
	return fmt.Errorf("index in %s: %w", dir, err)
}

// Failed returns why the store refuses writes, or nil when it does not.
func (s *Store) Failed() error { return s.watch.failed() }

// Reader reads keys and values as of some moment.
type Reader interface {
	// Get appends the value of key to dst and reports whether there is one.
	Get(key, dst []byte) (value []byte, ok bool, err error)
	// Iter returns an iterator over the keys in [lower, upper).
	Iter(lower, upper []byte) (*Iter, error)
}

var (
	_ Reader = (*Store)(nil)
	_ Reader = (*Snapshot)(nil)
	_ Reader = (*Txn)(nil)
)

// Get appends the value of key to dst and reports whether there is one.
func (s *Store) Get(key, dst []byte) ([]byte, bool, error) { return get(s.db, s.dir, key, dst) }

// Iter returns an iterator over the keys in [lower, upper).
func (s *Store) Iter(lower, upper []byte) (*Iter, error) { return iterate(s.db, s.dir, lower, upper) }

// Snapshot is the store as it was at one moment. It must be closed.
type Snapshot struct {
	snap *pebble.Snapshot
	dir  string
}

// Snapshot returns the store as it is now.
func (s *Store) Snapshot() *Snapshot { return &Snapshot{s.db.NewSnapshot(), s.dir} }

// Get appends the value of key to dst and reports whether there is one.
func (s *Snapshot) Get(key, dst []byte) ([]byte, bool, error) { return get(s.snap, s.dir, key, dst) }

// Iter returns an iterator over the keys in [lower, upper).
func (s *Snapshot) Iter(lower, upper []byte) (*Iter, error) {
	return iterate(s.snap, s.dir, lower, upper)
}

// Close lets the snapshot go.
func (s *Snapshot) Close() error { return explain(s.dir, s.snap.Close()) }

// get reads one key from any of Pebble's readers.
func get(r pebble.Reader, dir string, key, dst []byte) ([]byte, bool, error) {
	v, closer, err := r.Get(key)
	if err == pebble.ErrNotFound {
		return dst, false, nil
	}
	if err != nil {
		return dst, false, explain(dir, err)
	}
	dst = append(dst, v...)
	return dst, true, explain(dir, closer.Close())
}

// Flush makes everything committed so far durable.
func (s *Store) Flush() error {
	if err := s.Failed(); err != nil {
		return err
	}
	return explain(s.dir, s.db.Flush())
}

// Purge rewrites the store so that nothing deleted is left in its files, and
// waits until the old files are gone. No snapshot may be open.
func (s *Store) Purge(ctx context.Context) error {
	if err := s.Flush(); err != nil {
		return err
	}
	// One compaction moves what is deleted to the bottom, where it is dropped.
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
		return explain(s.dir, err)
	}
	s.db.TestOnlyWaitForCleaning()
	return nil
}

// PendingBytes is about how much Pebble still has to write out: what is in
// memory only.
func (s *Store) PendingBytes() uint64 {
	return s.db.Metrics().MemTable.Size
}

// DiskBytes is about how much the store takes on the disk.
func (s *Store) DiskBytes() uint64 { return s.db.Metrics().DiskSpaceUsage() }

// Close flushes and closes the store. A store that has failed is let go
// without a flush: what it lacks is in the journal.
func (s *Store) Close() error {
	if s.Failed() != nil {
		return nil
	}
	if err := s.db.Flush(); err != nil {
		return explain(s.dir, err)
	}
	return explain(s.dir, s.db.Close())
}

// watch hears what Pebble has to say and remembers what is fatal.
type watch struct {
	mu  sync.Mutex
	err error
}

func (w *watch) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *watch) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// listener returns the callbacks that matter here. Background errors are what
// a flush or a compaction met; Pebble tries those again by itself.
func (w *watch) listener() *pebble.EventListener {
	return &pebble.EventListener{
		DataCorruption: func(info pebble.DataCorruptionInfo) {},
		DiskSlow:       func(vfs.DiskSlowInfo) {},
	}
}

// Infof is for Pebble; what it tells is of no use to us.
func (w *watch) Infof(string, ...any) {}

// Errorf is for Pebble; errors that matter are returned as well.
func (w *watch) Errorf(string, ...any) {}

// Fatalf is called when Pebble cannot go on: its manifest could not be written.
// It must not return. Ending the host's process would take reads away, so the
// goroutine that asked is stopped here for good; writes are refused from now on.
func (w *watch) Fatalf(format string, args ...any) {
	w.fail(fault.Newf(fault.WriteFailed, "the index cannot be written: "+format, args...))
	select {}
}
