// Package kv keeps ordered keys and values, on Pebble.
//
// Pebble's own write-ahead log is off: the journal is the log. A batch becomes visible at
// once and durable later, when Pebble flushes; after a crash the store holds the effects of
// a prefix of the batches, each whole or not at all. The writer keeps a cursor in the same
// batch and replays from there.
//
// # What is guaranteed
//
//   - A table of [Options.Rows] reads and writes like any other: callers do not see which
//     rows Pebble keeps together under one key. A block that differs from what was written
//     is damage.
//   - Batches are applied in the order of their commits, and a later batch is
//     never durable without an earlier one.
//   - A [Snapshot] sees exactly the batches committed before it was taken.
//   - Bytes that the disk changed are reported as damage, never returned: every block is
//     checked when it is read.
//   - When the disk refuses a write that Pebble depends on, the store refuses writes from
//     then on and still reads.
//   - After [Store.Purge] no file of the store holds what was deleted before.
//
// # What is not
//
// A commit is not durable by itself; [Store.Flush] makes it so. Keys are not encrypted, and
// deleted keys stay in files until compaction drops them.
package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// Options says where a store lives and how much memory it may take.
type Options struct {
	FS  disk.FS
	Dir string
	// CacheBytes is for blocks read from files. Zero means 32 MiB.
	CacheBytes int64
	// MemTableBytes is how much is written before it is flushed. What is not
	// flushed is replayed from the journal after a crash. Zero means 48 MiB.
	MemTableBytes uint64
	// Apart are prefixes of keys, in order, none a prefix of another. Keys with one of them
	// are kept in files of their own. They should be keys that are written in order: such
	// files do not overlap, and are not rewritten together with keys that are written at
	// random.
	Apart []string
	// Rows are the first two bytes of keys that continue with a number of four bytes, a
	// position of eight and an optional rest, big-endian. Rows of sixteen neighbouring
	// positions are kept together in one Pebble value. They should be small and written in
	// key order. A store must always be opened with the same Rows.
	Rows []string
}

// memTables is the maximum number of memory tables: one being written, the others being
// flushed or waiting for it. With two, a replay would wait for each flush.
const memTables = 3

// Store is an open store. It is safe for concurrent use, except that one
// goroutine at a time commits: a commit reads the blocks whose rows it writes.
type Store struct {
	fs    disk.FS
	db    *pebble.DB
	dir   string
	rows  rowTables
	watch *watch
	room  uint64    // memory for what is not flushed yet, in bytes
	rooms sync.Pool // of transactions that have ended
}

// Open opens the store in o.Dir, and creates it if there is none.
func Open(o Options) (*Store, error) {
	if o.CacheBytes == 0 {
		o.CacheBytes = 32 << 20
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = 48 << 20
	}
	rows, err := newRowTables(o.Rows)
	if err != nil {
		return nil, err
	}
	w := newWatch()
	po := &pebble.Options{
		FS:         &seat{FS: o.FS, watch: w},
		DisableWAL: true,
		// Pebble takes the memory tables out of the cache's memory. Mostly half of them are
		// in use.
		CacheSize:                   o.CacheBytes + memTables*int64(o.MemTableBytes)/2,
		MemTableSize:                o.MemTableBytes,
		MemTableStopWritesThreshold: memTables,
		L0CompactionThreshold:       8,
		L0StopWritesThreshold:       64,
		// Keys written at random are rewritten on every level that they pass. So there is no
		// level between the first and the last until the last has this size.
		LBaseMaxBytes:      512 << 20,
		MaxOpenFiles:       512,
		FormatMajorVersion: pebble.FormatValueSeparation,
		Logger:             w,
		EventListener:      w.listener(),
	}
	for i := range po.Levels {
		// Most lookups are for ids that do not exist.
		po.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		po.Levels[i].FilterType = pebble.TableFilter
		// A filter is read as a whole. Filters of large files would evict each other from
		// the cache.
		po.TargetFileSizes[i] = 4 << 20
		// Compression does not pay for what is about to be rewritten.
		po.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
		if i == len(po.Levels)-1 {
			po.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.SnappyCompression }
		}
	}
	po.Experimental.SpanPolicyFunc = apart(o.Apart)
	db, err := w.open(o.Dir, po)
	if err != nil {
		w.unlock()
		return nil, unopened(o.Dir, err)
	}
	return &Store{fs: o.FS, db: db, dir: o.Dir, rows: rows, watch: w, room: memTables * uint64(o.MemTableBytes)}, nil
}

// apart returns where a file that begins with a key must end.
func apart(prefixes []string) pebble.SpanPolicyFunc {
	var cuts [][]byte
	for _, p := range prefixes {
		cuts = append(cuts, []byte(p), PrefixEnd([]byte(p)))
	}
	return func(from []byte) (policy pebble.SpanPolicy, end []byte, err error) {
		for _, c := range cuts {
			if bytes.Compare(from, c) < 0 {
				return policy, c, nil
			}
		}
		return policy, nil, nil
	}
}

// unopened explains why a store cannot be opened. An error that is not a refusal of the disk
// means that its files disagree.
func unopened(dir string, err error) error {
	err = explain(dir, err)
	if _, refused := errors.AsType[syscall.Errno](err); fault.CodeOf(err) != fault.Internal || refused && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fault.Newf(fault.Damaged, "the index in %s is damaged: %w", dir, err).WithFix(remedy)
}

// remedy is the advice for a damaged index.
const remedy = "the journal is not touched by this: `lukasa rebuild` rebuilds the index from it"

// explain maps an error of Pebble to the catalogue.
func explain(dir string, err error) error {
	if err == nil {
		return nil
	}
	if f := disk.Fault(err); fault.CodeOf(f) != fault.Internal {
		return f
	}
	if pebble.IsCorruptionError(err) || errors.Is(err, pebble.ErrCorruption) {
		return fault.Newf(fault.Damaged, "the index in %s is damaged: %w", dir, err).WithFix(remedy)
	}
	return fmt.Errorf("index in %s: %w", dir, err)
}

// Failed returns why writes should be refused, or nil. The condition may pass: Pebble
// retries a failed flush until it succeeds.
func (s *Store) Failed() error {
	_, fatal, trouble := s.watch.state()
	if fatal != nil {
		return fatal
	}
	if trouble != nil {
		if err := disk.Fault(trouble); fault.CodeOf(err) != fault.Internal {
			return err
		}
		return fault.Newf(fault.WriteFailed, "the index in %s cannot be written out: %w", s.dir, trouble)
	}
	return nil
}

// Reader reads keys and values of one snapshot.
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
func (s *Store) Get(key, dst []byte) ([]byte, bool, error) { return s.rows.get(s.db, s.dir, key, dst) }

// Iter returns an iterator over the keys in [lower, upper).
func (s *Store) Iter(lower, upper []byte) (*Iter, error) { return iterate(s.db, s, lower, upper) }

// Snapshot is the store as it was at one moment. It must be closed.
type Snapshot struct {
	snap *pebble.Snapshot
	s    *Store
}

// Snapshot returns the store as it is now.
func (s *Store) Snapshot() *Snapshot { return &Snapshot{s.db.NewSnapshot(), s} }

// Get appends the value of key to dst and reports whether there is one.
func (s *Snapshot) Get(key, dst []byte) ([]byte, bool, error) {
	return s.s.rows.get(s.snap, s.s.dir, key, dst)
}

// Iter returns an iterator over the keys in [lower, upper).
func (s *Snapshot) Iter(lower, upper []byte) (*Iter, error) {
	return iterate(s.snap, s.s, lower, upper)
}

// Close releases the snapshot.
func (s *Snapshot) Close() error { return explain(s.s.dir, s.snap.Close()) }

// get reads one key from any of Pebble's readers, without looking into blocks.
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

// Flush makes everything committed so far durable. Pebble itself would retry forever; Flush
// returns the first failure.
func (s *Store) Flush() error {
	if err := s.Failed(); err != nil {
		return err
	}
	if err := s.MakeRoom(); err != nil {
		return err
	}
	flushed, err := s.db.AsyncFlush()
	if err != nil {
		return explain(s.dir, err)
	}
	for {
		changed, _, _ := s.watch.state()
		if err := s.Failed(); err != nil {
			return err
		}
		select {
		case <-flushed:
			return nil
		case <-changed:
		}
	}
}

// MakeRoom waits until memory has room for another transaction, or returns why there will be
// none for now. Without it, Pebble would wait without limit, holding a lock that Close needs
// too.
func (s *Store) MakeRoom() error {
	for {
		changed, _, _ := s.watch.state()
		if s.PendingBytes() < s.room {
			return nil
		}
		if err := s.Failed(); err != nil {
			return err
		}
		<-changed
	}
}

// Touch rewrites a key of every file, so that the next Purge rewrites all files. A file at
// the bottom may hold what was deleted under an open snapshot, and would otherwise be left
// alone. No writer may run meanwhile.
func (s *Store) Touch() error {
	if err := s.Flush(); err != nil {
		return err
	}
	levels, err := s.db.SSTables()
	if err != nil {
		return explain(s.dir, err)
	}
	tx := s.BeginIndexed()
	for _, level := range levels {
		for _, table := range level {
			key := table.Smallest.UserKey // as Pebble has it
			value, ok, err := get(s.db, s.dir, key, nil)
			if err == nil && ok {
				err = tx.b.Set(key, value, nil)
			} else if err == nil {
				err = tx.b.Delete(key, nil)
			}
			if err != nil {
				_ = tx.Discard()
				return explain(s.dir, err)
			}
		}
	}
	return tx.Commit()
}

// Purge rewrites the store so that its files hold nothing deleted, after a [Store.Touch]. No
// snapshot older than the deletions may be open. Old files that are still being read are
// removed when their readers finish; [Store.Cleaned] waits for that.
func (s *Store) Purge(ctx context.Context) error {
	if err := s.Flush(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	// One compaction moves deleted keys to the bottom, where they are dropped.
	go func() { ended <- s.db.Compact(ctx, []byte{0}, []byte{0xff}, false) }()
	for {
		changed, _, _ := s.watch.state()
		if err := s.Failed(); err != nil {
			return err
		}
		select {
		case err := <-ended:
			return explain(s.dir, err)
		case <-changed:
		}
	}
}

// Cleaned returns when unused files are removed. Pebble's own goroutines may use one for a
// moment longer, without a signal when that ends, so Cleaned polls.
func (s *Store) Cleaned(ctx context.Context) error {
	for tries := 0; ; tries++ {
		if err := s.Failed(); err != nil {
			return err
		}
		s.db.TestOnlyWaitForCleaning()
		stale, err := s.stale()
		if err != nil || !stale {
			return err
		}
		s.watch.mu.Lock()
		left := s.watch.left
		s.watch.mu.Unlock()
		if left == nil && tries == maxTries {
			left = errors.New("something still uses it")
		}
		if left != nil {
			return fault.Newf(fault.WriteFailed, "an old file of the index in %s could not be removed: %w", s.dir, left).
				WithFix("close the directory and open it again, which removes it")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// maxTries is how often Cleaned polls.
const maxTries = 10_000

// stale reports whether the directory holds a table that is not in use.
func (s *Store) stale() (bool, error) {
	names, err := s.fs.List(s.dir)
	if err != nil {
		return false, explain(s.dir, err)
	}
	levels, err := s.db.SSTables()
	if err != nil {
		return false, explain(s.dir, err)
	}
	used := make(map[string]bool)
	for _, level := range levels {
		for _, table := range level {
			used[tableName(table.FileNum)] = true
		}
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") && !used[name] {
			return true, nil
		}
	}
	return false, nil
}

// PendingBytes is approximately how much Pebble still has to flush from memory.
func (s *Store) PendingBytes() uint64 {
	return s.db.Metrics().MemTable.Size
}

// Close flushes and closes the store. If the store has failed, it is closed without the
// flush: the journal has what it lacks.
func (s *Store) Close() error { return s.close(s.Flush()) }

// Leave closes the store without a flush: commits since the last flush are lost from it, as
// after a crash.
func (s *Store) Leave() error { return s.close(nil) }

// close closes the store and returns err, or else the error of closing.
func (s *Store) close(err error) error {
	closed := make(chan error, 1)
	for started := false; ; started = true {
		changed, fatal, _ := s.watch.state()
		if fatal != nil {
			// Pebble would wait for the goroutine that ended.
			s.watch.unlock()
			return fatal
		}
		if !started {
			go func() { closed <- s.db.Close() }()
		}
		select {
		case e := <-closed:
			if err == nil {
				err = explain(s.dir, e)
			}
			return err
		case <-changed:
		}
	}
}
