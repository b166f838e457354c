package journal

import (
	"encoding/binary"
	"fmt"

	"lukasa.dev/internal/disk"
)

// gap is a place in an unsealed segment that holds no valid frame.
type gap struct {
	from, to int64
	body     bool   // the head is valid
	frames   uint64 // number of frames before it
	deltas   int
	last     int64
}

// scanned is the result of reading an unsealed segment.
type scanned struct {
	frames uint64
	deltas []byte
	last   int64 // offset of the last frame
	end    int64 // offset behind it
	claim  LSN   // the largest durable end that a frame states
	gaps   []gap
}

// scanTail reads a segment that has no valid trailer.
func (l *Log) scanTail(f *found) (scanned, error) {
	s := scanned{last: blockSize, end: blockSize}
	r, err := l.files.get(f.name)
	if err != nil {
		return s, err
	}
	defer l.files.put(r)
	w := newWindow(r, f.size, scanChunk)
	add := func(off int64, h head) {
		s.deltas = binary.AppendUvarint(s.deltas, uint64(off-s.last)/align)
		s.frames++
		s.last, s.end = off, off+h.size()
		s.claim = max(s.claim, h.durable)
	}
	for off := int64(blockSize); off < f.size; {
		_, h, _, bad, err := w.frame(&l.check, f.base, off)
		if err != nil {
			return s, err
		}
		g := gap{from: off, to: f.size, frames: s.frames, deltas: len(s.deltas), last: s.last}
		switch bad {
		case flawNone:
			add(off, h)
			off = s.end
			continue
		case flawBody:
			g.to, g.body = off+h.size(), true
			s.gaps = append(s.gaps, g)
			add(off, h)
			off = s.end
			continue
		}
		next, err := w.resync(&l.check, f.base, off)
		if err != nil {
			return s, err
		}
		if next >= 0 {
			g.to = next
		}
		s.gaps = append(s.gaps, g)
		off = g.to
	}
	return s, nil
}

// tail is the place where the log continues.
type tail struct {
	scanned
	end LSN   // behind the last frame of the log
	cut int64 // offset from which the last segment is void
}

// judgeLast finds the end of the log. Everything before floor is known to have
// been durable.
func (l *Log) judgeLast(f *found, floor LSN) (tail, error) {
	var t tail
	if f == nil {
		return t, nil
	}
	t.cut = f.size
	if f.lost {
		f.end = f.size
		t.end = f.next()
		return t, nil
	}
	if f.blank {
		if floor > f.base {
			l.found(Damage{Part: PartEnd, Segment: f.name, From: f.base, To: floor, Detail: "the segment is blank, and was not"})
		}
		return t, nil
	}
	sealed, err := l.sealedLast(f)
	if err != nil {
		return t, err
	}
	if sealed {
		t.end = f.base + LSN(f.end)
		if floor > f.next() {
			l.found(Damage{Part: PartEnd, Segment: segmentName(f.next()), From: f.next(), To: floor, Detail: "the segment is missing"})
		}
		return t, nil
	}
	if t.scanned, err = l.scanTail(f); err != nil {
		return t, err
	}
	floor = max(floor, t.claim)
	for _, g := range t.gaps {
		from := f.base + LSN(g.from)
		if from >= floor {
			// There is no evidence that this was ever durable: a crash tore it.
			t.frames, t.deltas, t.last, t.scanned.end = g.frames, t.deltas[:g.deltas], g.last, g.from
			break
		}
		d := Damage{Part: PartHead, Segment: f.name, Offset: g.from, From: from, To: f.base + LSN(g.to), Detail: "no record can be made out here"}
		switch {
		case g.body:
			d.Part, d.Detail = PartBody, "the body fails its check"
		case g.to == f.size:
			d.Part, d.To, d.Detail = PartEnd, floor, "the log ends here, and did not"
		}
		l.found(d)
	}
	t.cut = t.scanned.end
	t.end = f.base + LSN(t.cut)
	f.end, f.frames = t.cut, t.frames
	if floor > t.end && (len(t.gaps) == 0 || l.damages[len(l.damages)-1].Part != PartEnd) {
		l.found(Damage{Part: PartEnd, Segment: f.name, Offset: t.cut, From: t.end, To: floor, Detail: "the log ends here, and did not"})
	}
	return t, nil
}

// sealedLast reports whether the last segment is sealed. Its index must be
// intact: a crash may have kept the trailer and lost the index.
func (l *Log) sealedLast(f *found) (bool, error) {
	if !f.trailerOK || f.trailer.id != l.id {
		return false, nil
	}
	f.end, f.frames, f.index, f.check = int64(f.trailer.end), f.trailer.frames, f.trailer.index, f.trailer.check
	f.sealed = true
	offsets, err := l.readIndex(&f.segment)
	if err != nil {
		return false, err
	}
	f.sealed = offsets != nil
	return f.sealed, nil
}

// prepare makes the log writable: what was found is made durable, and what a
// crash tore is cut off.
func (l *Log) prepare(list []*segment, last *found, t tail, floor LSN) error {
	floor = (floor + align - 1) &^ (align - 1)
	if last == nil {
		return l.begin(list, floor)
	}
	if last.blank {
		return l.begin(list, max(floor, last.base))
	}
	file, err := l.opts.FS.OpenReadWrite(l.path(last.name), disk.General)
	if err != nil {
		return fmt.Errorf("open segment %s: %w", last.name, err)
	}
	if last.sealed || last.lost || floor > t.end {
		// The seal may not be synced yet.
		err := file.Sync()
		if cerr := file.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return l.fail("sync segment "+last.name, err)
		}
		return l.begin(list, max(floor, (last.next()+align-1)&^(align-1)))
	}
	if err := l.settle(file, last, t); err != nil {
		_ = file.Close()
		return l.fail("recover segment "+last.name, err)
	}
	l.writer = writer{
		file: file, base: last.base, size: last.size, end: t.cut, frames: t.frames, last: t.last,
		deltas: t.deltas, kept: len(t.deltas),
	}
	l.Abort()
	return nil
}

// settle makes the last segment durable up to the cut, and zero behind it.
//
// It writes again, before the sync, what nothing proves durable: after a failed
// fsync the page cache may hold, as clean, bytes that never reached the disk.
func (l *Log) settle(file disk.File, last *found, t tail) error {
	var from int64
	if proven := LSN(l.proven.Load()); proven > last.base+blockSize {
		from = int64(proven - last.base)
	}
	if err := rewrite(file, from, t.cut, false); err != nil {
		return err
	}
	if err := rewrite(file, t.cut, last.size, true); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return disk.SyncDir(l.opts.FS, l.opts.Dir)
}

// rewrite writes the bytes between two offsets of a file again, or overwrites
// nonzero ones with zeros.
func rewrite(file disk.File, from, to int64, zero bool) error {
	buf := make([]byte, min(scanChunk, max(0, to-from)))
	for from < to {
		b := buf[:min(int64(len(buf)), to-from)]
		n, err := readAt(file, b, from)
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		b = b[:n]
		if zero && allZero(b) {
			from += int64(n)
			continue
		}
		if zero {
			clear(b)
		}
		if m, err := file.WriteAt(b, from); err != nil {
			return err
		} else if err := short(m, n); err != nil {
			return err
		}
		from += int64(n)
	}
	return nil
}
