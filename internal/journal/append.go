package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// smallCommit is the largest commit for which zeros are written ahead.
const smallCommit = 64 << 10

// keepBuffer is the largest buffer that is kept for the next group.
const keepBuffer = 8 << 20

// writer is the state of the writing goroutine.
type writer struct {
	file   disk.File // the segment that is written, nil if there is none
	base   LSN
	size   int64 // of the file, zeros ahead included
	end    int64 // offset behind the last durable frame
	frames uint64
	last   int64 // offset of the last durable frame, or of the first future one

	buf    []byte // frames for the next commit
	early  int    // how much of buf is written already
	deltas []byte // index of the segment so far, buf included
	kept   int    // how much of deltas is durable
	tip    tip    // where the buffer stands
}

// tip is what the group that is being built ends with.
type tip struct {
	frames uint64
	last   int64 // offset of its last frame
}

// Abort drops what was appended since the last Commit. If the machine crashes
// or the disk fails meanwhile, some of it may be found at the next Open, as
// after a Commit that failed.
func (l *Log) Abort() {
	w := &l.writer
	l.void()
	w.buf, w.deltas = w.buf[:0], w.deltas[:w.kept]
	w.tip = tip{frames: w.frames, last: w.last}
}

// Append adds a frame to the group that the next Commit writes, and returns
// its address. Header and body are copied. The frame cannot be read before it
// is committed.
func (l *Log) Append(header, body []byte) (LSN, error) {
	if err := l.writable(); err != nil {
		return 0, err
	}
	if len(header) > MaxHeader {
		return 0, fault.Newf(fault.TooLarge, "a journal header of %d bytes is over the limit of %d", len(header), MaxHeader)
	}
	if len(body) > MaxBody {
		return 0, fault.Newf(fault.TooLarge, "a journal body of %d bytes is over the limit of %d", len(body), MaxBody)
	}
	w := &l.writer
	if len(w.buf) == 0 && w.end >= l.opts.SegmentBytes {
		if err := l.roll(); err != nil {
			return 0, err
		}
	}
	start, size := len(w.buf), frameSize(len(header), len(body))
	if cap(w.buf)-start < size {
		grown := make([]byte, start, max(2*cap(w.buf), start+size, 64<<10))
		copy(grown, w.buf)
		w.buf = grown
	}
	w.buf = w.buf[:start+size]
	off := w.end + int64(start)
	lsn := w.base + LSN(off)
	l.check.putFrame(w.buf[start:], lsn, LSN(l.durable.Load()), header, body)
	w.deltas = binary.AppendUvarint(w.deltas, uint64(off-w.tip.last)/align)
	w.tip.last = off
	w.tip.frames++
	if l.opts.Early > 0 && int64(len(w.buf)-w.early) >= l.opts.Early {
		if err := l.writeEarly(); err != nil {
			return lsn, err // the frame may turn up there, as after a failed Commit
		}
	}
	return lsn, nil
}

// writeEarly hands the disk what was appended so far, so that it works while the
// rest of a large group is made. Nothing is durable by that.
func (l *Log) writeEarly() error {
	w := &l.writer
	upTo := len(w.buf)
	from := w.end + int64(w.early)
	n, err := w.file.WriteAt(w.buf[w.early:upTo], from)
	if err == nil {
		err = short(n, upTo-w.early)
	}
	if err != nil {
		return l.fail("write to the journal", err)
	}
	w.early = upTo
	w.size = max(w.size, w.end+int64(upTo))
	if _, err := w.file.SyncTo(w.end + int64(upTo)); err != nil {
		// The kernel may report a failed write only once, to the first caller.
		return l.fail("write to the journal", err)
	}
	return nil
}

// void makes zeros, durably, of what was written early of the group. Left alone, a
// frame of it could come to lie right behind a later group and be taken for one of
// the log's.
func (l *Log) void() {
	w := &l.writer
	if w.early == 0 {
		return
	}
	n := w.early
	w.early = 0
	if l.writable() == nil {
		_ = l.write(make([]byte, n), w.end) // its failure is the log's
	}
}

// Commit makes what was appended durable with one write and one sync. When it
// fails, the caller must acknowledge none of it, although the next Open may
// find some of it, and the log stays failed.
func (l *Log) Commit() error {
	if err := l.writable(); err != nil {
		l.Abort()
		return err
	}
	w := &l.writer
	if len(w.buf) == 0 {
		return nil
	}
	n := len(w.buf)
	end := w.end + int64(n)
	data := w.buf
	if end > w.size && l.opts.Ahead > 0 && n <= smallCommit {
		data = append(data, make([]byte, l.opts.Ahead)...)
		w.buf = data
	}
	if err := l.write(data[w.early:], w.end+int64(w.early)); err != nil {
		l.Abort()
		return err
	}
	w.size = max(w.size, w.end+int64(len(data)))
	w.end, w.frames, w.last, w.kept = end, w.tip.frames, w.tip.last, len(w.deltas)
	w.buf, w.early = w.buf[:0], 0
	if cap(w.buf) > keepBuffer {
		w.buf = nil
	}
	// The frames just written say that all before them was durable.
	l.prove(l.durable.Load())
	l.durable.Store(uint64(w.base + LSN(end)))
	return nil
}

// write writes b and syncs, or fails the log. With b empty it still syncs.
func (l *Log) write(b []byte, off int64) error {
	w := &l.writer
	if n, err := w.file.WriteAt(b, off); err != nil {
		return l.fail("write to the journal", err)
	} else if n < len(b) {
		return l.fail("write to the journal", fmt.Errorf("%d of %d bytes were written", n, len(b)))
	}
	if err := w.file.SyncData(); err != nil {
		return l.fail("sync the journal", err)
	}
	return nil
}

// prove raises the address up to which the disk itself proves the log durable.
func (l *Log) prove(to uint64) {
	for old := l.proven.Load(); to > old; old = l.proven.Load() {
		if l.proven.CompareAndSwap(old, to) {
			return
		}
	}
}

// roll seals the full segment and begins the next.
func (l *Log) roll() error {
	w := &l.writer
	trailer := block{
		magic: trailerMagic, format: Format, lsn: w.base, id: l.id,
		end: uint64(w.end), frames: w.frames,
		index: uint32(len(w.deltas)), check: l.check.sum(w.base, partIndex, w.deltas),
	}
	tail := append(w.deltas[:len(w.deltas):len(w.deltas)], trailer.encode()...)
	size := max(w.size, w.end+int64(len(tail)))
	size = (size + align - 1) &^ (align - 1)
	if err := l.write(tail, size-int64(len(tail))); err != nil {
		return err
	}
	file := w.file
	w.file = nil
	if err := file.Close(); err != nil {
		return l.fail("close a sealed segment", err)
	}
	segs := *l.segs.Load()
	sealed := *segs[len(segs)-1]
	sealed.size, sealed.end, sealed.frames, sealed.sealed = size, w.end, w.frames, true
	sealed.index, sealed.check = trailer.index, trailer.check
	list := append(segs[:len(segs)-1:len(segs)-1], &sealed)
	return l.begin(list, sealed.next())
}

// begin creates the segment at base, durably, and publishes it behind list.
func (l *Log) begin(list []*segment, base LSN) error {
	w := &l.writer
	name := segmentName(base)
	// A file of this name can only be left by a crash in this very step.
	l.files.drop(name)
	if err := l.opts.FS.Remove(l.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l.fail("clear the place of a segment", err)
	}
	f, err := l.opts.FS.OpenReadWrite(l.path(name), disk.General)
	if err != nil {
		return l.fail("create a segment", err)
	}
	h := block{magic: headerMagic, format: Format, lsn: base, id: l.id}
	w.file = f
	if n, err := f.WriteAt(h.encode(), 0); err != nil || n < blockSize {
		return l.fail("write a segment's header", errors.Join(err, short(n, blockSize)))
	}
	if err := f.Sync(); err != nil {
		return l.fail("sync a segment's header", err)
	}
	if err := disk.SyncDir(l.opts.FS, l.opts.Dir); err != nil {
		return l.fail("make a segment durable", err)
	}
	*w = writer{file: f, base: base, size: blockSize, end: blockSize, last: blockSize, buf: w.buf[:0], deltas: w.deltas[:0]}
	w.tip.last = blockSize
	list = append(list, &segment{base: base, name: name, size: blockSize, end: blockSize})
	l.segs.Store(&list)
	l.prove(l.durable.Load())
	l.durable.Store(uint64(base + blockSize))
	return nil
}

// short returns an error when less was written than should have been.
func short(n, want int) error {
	if n < want {
		return fmt.Errorf("%d of %d bytes were written", n, want)
	}
	return nil
}
