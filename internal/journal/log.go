package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// LSN is an address in the log as if all its segments were one file. Addresses
// grow strictly and never change. 0 is the start of the log and never the
// address of a frame.
type LSN uint64

// Options says where a log is and how it is kept. Dir is required; the zero
// value of the rest works.
type Options struct {
	// FS is the file system of Dir. Default: that of the machine.
	FS disk.FS
	// Dir is the directory of the segments. Open creates it if it is missing.
	Dir string
	// SegmentBytes is the size from which a segment is sealed and the next one
	// begun. Default: 64 MiB.
	SegmentBytes int64
	// Ahead is how many zeros are written ahead of the log when commits are
	// small; see the package comment. Default: 256 KiB. Negative: none.
	Ahead int64
	// Early is how much of a large group is written before it is complete; see
	// the package comment. Default: 192 KiB. Negative: nothing.
	Early int64
	// AtLeast is an address that the caller knows to have been durable. A log
	// that ends before it is damaged.
	AtLeast LSN
	// ReadOnly opens the log without changing a byte of it.
	ReadOnly bool
	// AcceptDamage allows writing to a log in which Open found structural
	// damage. Without it such a log can only be read.
	AcceptDamage bool
	// OpenFiles is how many segments are kept open for reading. Default: 128.
	OpenFiles int
	// Rand is the source of the log's id. Default: crypto/rand.
	Rand io.Reader
}

const (
	defaultSegment = 64 << 20
	defaultAhead   = 256 << 10
	defaultEarly   = 192 << 10
	defaultFiles   = 128
	scanChunk      = 1 << 20
)

func (o *Options) fill() error {
	if o.Dir == "" {
		return fault.New(fault.InvalidArgument, "journal options: dir is empty; name a directory")
	}
	if o.FS == nil {
		o.FS = disk.OS()
	}
	if o.SegmentBytes <= 0 {
		o.SegmentBytes = defaultSegment
	}
	if o.Ahead == 0 {
		o.Ahead = defaultAhead
	}
	if o.Early == 0 {
		o.Early = defaultEarly
	}
	if o.OpenFiles <= 0 {
		o.OpenFiles = defaultFiles
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	return nil
}

// Log is an open log. One goroutine at a time may write to it (Append, Commit,
// Abort); everything else may be called by any number of goroutines at any time,
// Erase and Close included.
type Log struct {
	opts  Options
	id    id
	check checker
	files *files

	segs    atomic.Pointer[[]*segment]
	durable atomic.Uint64 // LSN behind the last frame that is durable
	proven  atomic.Uint64 // LSN up to which the disk itself proves the log durable
	failed  atomic.Pointer[fault.Error]

	writer writer

	// mend is held while bodies are overwritten. A reader that finds a damaged
	// body waits for it and reads again before it reports damage.
	mend sync.RWMutex
	// marking is held while the end mark is written.
	marking sync.Mutex
	mark    LSN // the content of the end mark

	damageMu sync.Mutex
	damages  []Damage
	refuse   error // why writes are refused, or nil

	closing  sync.Once
	closed   atomic.Bool
	closeErr error
}

// Open opens the log in o.Dir, or creates one. It cuts off the torn tail of a
// crash. A damaged log opens: see [Log.Damages]. Open fails on a newer format,
// a directory that cannot be read or written, and a failing disk.
func Open(o Options) (*Log, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	l := &Log{opts: o}
	l.files = &files{fs: o.FS, dir: o.Dir, limit: o.OpenFiles, open: map[string]*reading{}}
	if err := l.recover(); err != nil {
		l.files.close()
		return nil, openFault(fmt.Errorf("open journal: %w", err))
	}
	return l, nil
}

// openFault maps an error of Open to the catalogue. A permission or space
// error takes precedence over the error it caused.
func openFault(err error) error {
	for _, code := range []fault.Code{fault.DiskFull, fault.ReadOnly} {
		if errors.Is(err, code) {
			return fault.Wrap(code, err)
		}
	}
	return disk.Fault(err)
}

// End returns the address behind the last durable frame, which is the address
// of the next one unless a segment is sealed in between.
func (l *Log) End() LSN { return LSN(l.durable.Load()) }

// Failed returns why the log has become unwritable since it was opened, or
// nil.
func (l *Log) Failed() error {
	if f := l.failed.Load(); f != nil {
		return f
	}
	return nil
}

// Damages returns the damage that Open found, less what Erase has repaired
// since. A damaged body may be an erasure that a crash interrupted; erasing it
// again repairs it. Open checks every body of the last segment and none of the
// sealed ones; [Log.Check] checks everything.
func (l *Log) Damages() []Damage {
	l.damageMu.Lock()
	defer l.damageMu.Unlock()
	return slices.Clone(l.damages)
}

// SegmentInfo describes one file of the log.
type SegmentInfo struct {
	Name   string
	Base   LSN    // address of its first byte
	End    LSN    // address behind its last frame
	Size   int64  // bytes of the file, without zeros written ahead since Open
	Frames uint64 // 0 for the one being written
	Sealed bool
}

// Segments returns the files of the log in order.
func (l *Log) Segments() []SegmentInfo {
	end := l.End()
	segs := *l.segs.Load()
	infos := make([]SegmentInfo, len(segs))
	for i, s := range segs {
		infos[i] = SegmentInfo{Name: s.name, Base: s.base, End: s.base + LSN(s.end), Size: s.size, Frames: s.frames, Sealed: s.sealed}
		if i == len(segs)-1 && !s.sealed && end > infos[i].End {
			infos[i].End = end
			infos[i].Size = max(s.size, int64(end-s.base))
		}
	}
	return infos
}

// fail makes err the reason why nothing more is written. The first reason
// stays.
func (l *Log) fail(doing string, err error) error {
	f := fault.Newf(fault.WriteFailed, "%s: %w", doing, disk.Fault(err))
	l.failed.CompareAndSwap(nil, f)
	return l.failed.Load()
}

// writable returns why the log cannot be written to, or nil.
func (l *Log) writable() error {
	switch f := l.failed.Load(); {
	case f != nil:
		return f
	case l.closed.Load():
		return fault.New(fault.Closed, "the journal is closed")
	}
	return l.refuse
}

// Close closes the log. It drops what was appended and not committed. It
// records the end of the log in the end mark, so that a shorter log at the
// next Open is damage and not a torn tail. The writer and Erase must have
// returned.
func (l *Log) Close() error {
	l.closing.Do(func() {
		l.Abort()
		if l.writable() == nil {
			l.closeErr = l.putMark(l.End())
		}
		l.closed.Store(true)
		if l.writer.file != nil {
			if err := l.writer.file.Close(); err != nil && l.closeErr == nil {
				l.closeErr = fmt.Errorf("close segment: %w", err)
			}
		}
		l.files.close()
	})
	return l.closeErr
}

// putMark records, durably, that everything before end was durable.
func (l *Log) putMark(end LSN) error {
	l.marking.Lock()
	defer l.marking.Unlock()
	if end > l.mark {
		b := block{magic: endMagic, format: Format, lsn: end, id: l.id}
		if err := disk.WriteFile(l.opts.FS, l.path(endName), b.encode()); err != nil {
			return l.fail("write the journal's end mark", err)
		}
		l.mark = end
	}
	l.prove(uint64(end))
	return nil
}

func (l *Log) path(name string) string { return l.opts.FS.PathJoin(l.opts.Dir, name) }
