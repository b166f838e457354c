package kv

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// watch receives Pebble's events, and records what keeps it from writing.
type watch struct {
	mu      sync.Mutex
	fatal   error         // nothing can be written any more
	trouble error         // the last flush failed; the next may succeed
	fails   int           // failed flushes since the last success
	left    error         // why an unused file could not be removed
	changed chan struct{} // closed when one of these changes
	lock    io.Closer     // of the store's directory, once Pebble has it
}

func newWatch() *watch { return &watch{changed: make(chan struct{})} }

// state returns what is wrong, and a channel that is closed when that changes.
func (w *watch) state() (changed <-chan struct{}, fatal, trouble error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed, w.fatal, w.trouble
}

// set changes the state and wakes its waiters.
func (w *watch) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	close(w.changed)
	w.changed = make(chan struct{})
}

// emptyTable is Pebble's error for a flush that had nothing to write.
const emptyTable = "pebble: empty table"

// listener returns the callbacks that matter here. Pebble calls them with its
// lock held, so they must not block.
func (w *watch) listener() *pebble.EventListener {
	return &pebble.EventListener{
		DataCorruption: func(pebble.DataCorruptionInfo) {},
		DiskSlow:       func(vfs.DiskSlowInfo) {},
		FlushEnd: func(info pebble.FlushInfo) {
			if info.Err == nil || info.Err.Error() == emptyTable {
				w.set(func() { w.trouble, w.fails = nil, 0 })
			} else {
				w.set(func() { w.trouble, w.fails = info.Err, w.fails+1 })
			}
		},
		TableDeleted: func(info pebble.TableDeleteInfo) {
			if info.Err != nil {
				w.set(func() { w.left = info.Err })
			}
		},
		CompactionBegin: func(pebble.CompactionInfo) {
			if _, fatal, _ := w.state(); fatal != nil {
				runtime.Goexit() // create no more files of a failed store
			}
		},
	}
}

// Infof is for Pebble. Its messages are not used.
func (w *watch) Infof(string, ...any) {}

// Errorf is for Pebble. Errors that matter are returned as well.
func (w *watch) Errorf(string, ...any) {}

// Fatalf is called when Pebble cannot continue: its manifest could not be
// written. It must not return. Ending the process would end reads too, so only
// the calling goroutine ends: one of Pebble's own or that of open. As it exits,
// it releases Pebble's locks, which reads need. Writes are refused from then on.
func (w *watch) Fatalf(format string, args ...any) {
	w.set(func() {
		if w.fatal == nil {
			w.fatal = fault.Newf(fault.WriteFailed, "the index cannot be written: "+format, args...)
		}
	})
	runtime.Goexit()
}

// open opens the database on a goroutine of its own, which may end early or
// never: Pebble waits there for a flush, and the flush may be what ended.
func (w *watch) open(dir string, o *pebble.Options) (*pebble.DB, error) {
	type result struct {
		db  *pebble.DB
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			// Pebble panics when it cannot sync a directory after one of its
			// markers. A failing disk is no reason to end the process.
			if p := recover(); p != nil {
				cause, ok := p.(error)
				if !ok {
					cause = fmt.Errorf("%v", p)
				}
				r = result{err: cause}
			}
			done <- r
		}()
		r.db, r.err = pebble.Open(dir, o)
	}()
	for {
		changed, fatal, _ := w.state()
		if fatal != nil {
			return nil, fatal
		}
		select {
		case r := <-done:
			if _, fatal, _ := w.state(); fatal != nil {
				return nil, fatal
			}
			return r.db, r.err
		case <-changed:
		}
	}
}

// unlock releases the lock of the directory when Pebble cannot.
func (w *watch) unlock() {
	w.mu.Lock()
	held := w.lock
	w.lock = nil
	w.mu.Unlock()
	if held != nil {
		_ = held.Close() // no caller is left for the error
	}
}

// seat is the file system that Pebble uses.
type seat struct {
	disk.FS
	watch *watch
}

// Unwrap returns the file system below.
func (s *seat) Unwrap() vfs.FS { return s.FS }

// maxPause is the longest pause between two attempts to write out.
const maxPause = time.Second

// Create creates a file. Pebble retries a failed flush at once and forever; a
// pause here, where it holds no lock, keeps the retries from using a whole core.
func (s *seat) Create(name string, c disk.Category) (disk.File, error) {
	s.watch.mu.Lock()
	fails := s.watch.fails
	s.watch.mu.Unlock()
	if fails > 0 {
		time.Sleep(min(maxPause, time.Millisecond<<min(fails, 10)))
	}
	if err := s.settle(name); err != nil {
		return nil, err
	}
	f, err := s.FS.Create(name, c)
	if err != nil || !strings.HasSuffix(name, ".sst") {
		return f, err
	}
	return &table{File: f, room: tableRooms.Get().(*[]byte)}, nil
}

// Remove removes a file.
func (s *seat) Remove(name string) error {
	if err := s.settle(name); err != nil {
		return err
	}
	return s.FS.Remove(name)
}

// settle makes durable what a marker refers to before the marker changes. A
// marker is a file whose name says which manifest counts. Pebble creates the
// manifest and the new marker, removes the old one, and only then syncs the
// directory; a crash before that may keep any of the three and lose the others.
func (s *seat) settle(name string) error {
	if !strings.HasPrefix(s.FS.PathBase(name), "marker.") {
		return nil
	}
	return disk.SyncDir(s.FS, s.FS.PathDir(name))
}

// OpenDir opens a directory to sync it. If a sync fails, Pebble panics in a
// goroutine of its own, where no caller can recover. So the failure is hidden
// from Pebble.
func (s *seat) OpenDir(name string) (disk.File, error) {
	f, err := s.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &directory{f, s.watch, name}, nil
}

// directory is a directory whose failed sync ends all writes.
type directory struct {
	disk.File
	watch *watch
	name  string
}

// Sync makes the entries durable, or does not return.
func (d *directory) Sync() error {
	if err := d.File.Sync(); err != nil {
		d.watch.Fatalf("sync directory %s: %w", d.name, err)
	}
	return nil
}

// Lock takes the store's lock and keeps it.
func (s *seat) Lock(name string) (io.Closer, error) {
	held, err := s.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	once := &onceCloser{Closer: held}
	s.watch.mu.Lock()
	s.watch.lock = once
	s.watch.mu.Unlock()
	return once, nil
}

// onceCloser may be closed more than once.
type onceCloser struct {
	io.Closer
	once sync.Once
	err  error
}

// Close closes the inner closer, the first time.
func (c *onceCloser) Close() error {
	c.once.Do(func() { c.err = c.Closer.Close() })
	return c.err
}
