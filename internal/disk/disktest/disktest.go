// Package disktest makes file systems that misbehave on request, for tests.
//
//   - [NoSync] promises durability and does nothing. A suite of crash tests that
//     still passes on it proves nothing.
//   - [FailAt] fails the n-th operation that changes a file, with an error or
//     after half a write. A sweep raises n until [Faulty.Tripped] returns "".
//   - [Piecemeal] writes large pieces as many small ones, as a concurrent reader
//     may see them on a real disk.
//   - [Count] only counts.
//   - [NewCrashable] keeps apart what was synced from what was not.
//
// Reads are never counted and never fail. Concurrent operations are numbered in
// the order of arrival, so that a sweep is repeatable only with one goroutine.
package disktest

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"lukasa.dev/internal/disk"
)

// NewCrashable returns an empty file system in memory that keeps apart what was
// synced from what was not, so that it can be cloned as a crash would leave it.
func NewCrashable() *disk.Mem { return vfs.NewCrashableMem() }

// CrashConfig says how many unsynced blocks survive in a clone of a crash.
type CrashConfig = vfs.CrashCloneCfg

// Op names an operation that changes a file.
type Op string

// The operations that are counted.
const (
	Create      Op = "create"
	OpenWrite   Op = "open for writing"
	Link        Op = "link"
	Remove      Op = "remove"
	Rename      Op = "rename"
	Reuse       Op = "reuse"
	Mkdir       Op = "mkdir"
	Lock        Op = "lock"
	Write       Op = "write"
	WriteAt     Op = "write at"
	Preallocate Op = "preallocate"
	Sync        Op = "sync"
	SyncData    Op = "sync data"
	SyncTo      Op = "sync to"
	SyncDir     Op = "sync directory"
)

// verdict is what happens to an operation.
type verdict struct {
	err  error // it fails with this
	half bool  // a write writes half of its bytes before it fails
	skip bool  // it does nothing and succeeds
}

// judge decides about an operation.
type judge func(op Op, path string) verdict

// NoSync returns fs with syncs that do nothing.
func NoSync(fs disk.FS) disk.FS {
	return &seam{FS: fs, judge: func(op Op, _ string) verdict {
		switch op {
		case Sync, SyncData, SyncTo, SyncDir:
			return verdict{skip: true}
		}
		return verdict{}
	}}
}

// Piecemeal returns fs with writes at an offset done in pieces of at most n
// bytes, between which other goroutines can run.
func Piecemeal(fs disk.FS, n int) disk.FS {
	return &seam{FS: fs, piece: n, judge: func(Op, string) verdict { return verdict{} }}
}

// Fault selects the operation that fails, and how.
type Fault struct {
	N     int   // the N-th operation fails, counted from 1; 0 for none
	Err   error // its error
	Short bool  // a write writes half of its bytes first
	After bool  // everything after it fails too
}

// Faulty is a file system that fails according to its [Fault].
type Faulty struct {
	seam
	fault Fault

	mu     sync.Mutex
	ops    int
	counts map[Op]int
	failed string
}

// FailAt returns fs with the fault in it.
func FailAt(fs disk.FS, fault Fault) *Faulty {
	f := &Faulty{fault: fault, counts: map[Op]int{}}
	f.seam = seam{FS: fs, judge: f.decide}
	return f
}

// Count returns fs with its operations counted.
func Count(fs disk.FS) *Faulty { return FailAt(fs, Fault{}) }

func (f *Faulty) decide(op Op, path string) verdict {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ops++
	f.counts[op]++
	if n := f.fault.N; n == 0 || f.ops < n || f.ops > n && !f.fault.After {
		return verdict{}
	}
	if f.failed == "" {
		f.failed = fmt.Sprintf("operation %d: %s %s", f.ops, op, path)
	}
	return verdict{err: f.fault.Err, half: f.fault.Short}
}

// Tripped returns which operation failed first, or "".
func (f *Faulty) Tripped() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// Ops returns how many operations there were.
func (f *Faulty) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// Of returns how many operations there were of one kind.
func (f *Faulty) Of(op Op) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[op]
}

// seam calls a judge for every operation that changes a file.
type seam struct {
	disk.FS
	judge judge
	piece int // maximum bytes per write, or 0
}

func (s *seam) Unwrap() disk.FS { return s.FS }

// do performs an operation unless the judge forbids it.
func (s *seam) do(op Op, path string, perform func() error) error {
	v := s.judge(op, path)
	if v.err != nil {
		return v.err
	}
	if v.skip {
		return nil
	}
	return perform()
}

// open performs an operation that returns a file.
func (s *seam) open(op Op, path string, perform func() (disk.File, error)) (disk.File, error) {
	if v := s.judge(op, path); v.err != nil {
		return nil, v.err
	}
	f, err := perform()
	if err != nil {
		return nil, err
	}
	return &file{File: f, path: path, fs: s}, nil
}

func (s *seam) Create(name string, c disk.Category) (disk.File, error) {
	return s.open(Create, name, func() (disk.File, error) { return s.FS.Create(name, c) })
}

func (s *seam) OpenReadWrite(name string, c disk.Category, opts ...disk.OpenOption) (disk.File, error) {
	return s.open(OpenWrite, name, func() (disk.File, error) { return s.FS.OpenReadWrite(name, c, opts...) })
}

func (s *seam) ReuseForWrite(old, name string, c disk.Category) (disk.File, error) {
	return s.open(Reuse, name, func() (disk.File, error) { return s.FS.ReuseForWrite(old, name, c) })
}

func (s *seam) OpenDir(name string) (disk.File, error) {
	f, err := s.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &file{File: f, path: name, fs: s, dir: true}, nil
}

func (s *seam) Link(old, name string) error {
	return s.do(Link, name, func() error { return s.FS.Link(old, name) })
}

func (s *seam) Remove(name string) error {
	return s.do(Remove, name, func() error { return s.FS.Remove(name) })
}

func (s *seam) RemoveAll(name string) error {
	return s.do(Remove, name, func() error { return s.FS.RemoveAll(name) })
}

func (s *seam) Rename(old, name string) error {
	return s.do(Rename, name, func() error { return s.FS.Rename(old, name) })
}

func (s *seam) MkdirAll(name string, perm os.FileMode) error {
	return s.do(Mkdir, name, func() error { return s.FS.MkdirAll(name, perm) })
}

func (s *seam) Lock(name string) (io.Closer, error) {
	if v := s.judge(Lock, name); v.err != nil {
		return nil, v.err
	}
	return s.FS.Lock(name)
}

// file is an open file with the same judge.
type file struct {
	disk.File
	path string
	fs   *seam
	dir  bool
}

func (f *file) Write(b []byte) (int, error) {
	return f.write(Write, b, f.File.Write)
}

func (f *file) WriteAt(b []byte, off int64) (int, error) {
	return f.write(WriteAt, b, func(b []byte) (done int, err error) {
		for err == nil && f.fs.piece > 0 && len(b)-done > f.fs.piece {
			var n int
			n, err = f.File.WriteAt(b[done:done+f.fs.piece], off+int64(done))
			done += n
			runtime.Gosched()
		}
		if err != nil {
			return done, err
		}
		n, err := f.File.WriteAt(b[done:], off+int64(done))
		return done + n, err
	})
}

func (f *file) write(op Op, b []byte, perform func([]byte) (int, error)) (int, error) {
	v := f.fs.judge(op, f.path)
	switch {
	case v.err != nil && v.half && len(b) > 1:
		n, err := perform(b[:len(b)/2])
		if err != nil {
			return n, err
		}
		return n, v.err
	case v.err != nil:
		return 0, v.err
	}
	return perform(b)
}

func (f *file) Preallocate(off, n int64) error {
	return f.fs.do(Preallocate, f.path, func() error { return f.File.Preallocate(off, n) })
}

func (f *file) Sync() error {
	op := Sync
	if f.dir {
		op = SyncDir
	}
	return f.fs.do(op, f.path, f.File.Sync)
}

func (f *file) SyncData() error {
	op := SyncData
	if f.dir {
		op = SyncDir
	}
	return f.fs.do(op, f.path, f.File.SyncData)
}

func (f *file) SyncTo(n int64) (bool, error) {
	full := false
	err := f.fs.do(SyncTo, f.path, func() (err error) {
		full, err = f.File.SyncTo(n)
		return err
	})
	return full, err
}
