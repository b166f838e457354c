package journal

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Frame is one frame as read.
type Frame struct {
	LSN  LSN // its address
	Next LSN // the address behind it, where Scan continues
	// Header and Body are parts of the buffer that was read into. Body is empty if it
	// was erased.
	Header, Body []byte
	Erased       bool
	buf          []byte
	pad          []byte
}

// padding returns the bytes between the frame's end and the next frame.
func (f *Frame) padding() []byte { return f.pad }

// firstRead is the size of the first read of a frame of unknown length.
const firstRead = 2048

// readRooms pools buffers for frames shorter than firstRead.
var readRooms = sync.Pool{New: func() any { return new([firstRead]byte) }}

// Read returns the frame at lsn. It may run concurrently with the writer and with Erase:
// a body that is being erased reads as it was, or as erased. The frame uses buf if it is
// large enough. Damage is returned as a [*Damage]; if the body is damaged, the frame
// still has its addresses and its header.
func (l *Log) Read(lsn LSN, buf []byte) (Frame, error) {
	f, err := l.read(lsn, buf)
	if d, ok := err.(*Damage); ok && d.Part == PartBody {
		// The body may have been half erased. Read again when no erasure runs.
		l.mend.RLock()
		defer l.mend.RUnlock()
		return l.read(lsn, f.buf)
	}
	return f, err
}

func (l *Log) read(lsn LSN, buf []byte) (Frame, error) {
	end := l.End()
	segs := *l.segs.Load()
	i := find(segs, lsn)
	if lsn >= end || i < 0 {
		return Frame{buf: buf}, &Damage{Part: PartEnd, Segment: segmentName(lsn), From: lsn, Detail: fmt.Sprintf("the log ends at %d", end)}
	}
	s := segs[i]
	off := int64(lsn - s.base)
	limit := s.limit(i == len(segs)-1, end)
	if s.lost || off < blockSize || off >= limit || off%align != 0 {
		return Frame{buf: buf}, &Damage{Part: PartSegment, Segment: s.name, Offset: off, From: lsn, Detail: "no record can be there"}
	}
	r, err := l.files.get(s.name)
	if err != nil {
		return Frame{buf: buf}, err
	}
	defer l.files.put(r)
	w := window{file: r, limit: limit, buf: buf[:0], chunk: cap(buf)}
	var room *[firstRead]byte
	if cap(buf) < firstRead {
		room = readRooms.Get().(*[firstRead]byte)
		defer readRooms.Put(room)
		w.buf, w.chunk = room[:0], firstRead
	}
	raw, h, state, bad, err := w.frame(&l.check, s.base, off)
	if room != nil && cap(w.buf) == firstRead { // the frame fit into the pooled buffer
		w.buf = append(buf[:0], raw...)
		raw = w.buf
	}
	f := Frame{buf: w.buf}
	if err != nil {
		return f, fmt.Errorf("segment %s: %w", s.name, err)
	}
	if bad == flawBody {
		f.set(lsn, h, raw, state)
		f.Body = nil
	}
	if bad != flawNone {
		return f, s.damage(off, h, bad)
	}
	f.set(lsn, h, raw, state)
	return f, nil
}

// limit is the offset behind the last frame that may be read.
func (s *segment) limit(last bool, end LSN) int64 {
	if last && !s.sealed {
		return int64(end - s.base)
	}
	return s.end
}

// damage describes the flaw of the frame at off.
func (s *segment) damage(off int64, h head, bad flaw) *Damage {
	d := &Damage{Part: PartHead, Segment: s.name, Offset: off, From: s.base + LSN(off), Detail: "no record can be made out here"}
	if bad == flawBody {
		d.Part, d.To, d.Detail = PartBody, d.From+LSN(h.size()), "the body fails its check"
	}
	return d
}

// set fills f from the bytes of a frame.
func (f *Frame) set(lsn LSN, h head, raw []byte, state bodyState) {
	at := fixedSize + h.header
	f.LSN, f.Next = lsn, lsn+LSN(h.size())
	f.Header = raw[fixedSize:at:at]
	f.Erased = state == bodyErased
	f.Body, f.pad = nil, raw[at+checkSize+h.body:]
	if !f.Erased {
		f.Body = raw[at+checkSize : at+checkSize+h.body : at+checkSize+h.body]
	}
}

// Scanner reads the log from front to back. It is for one goroutine.
type Scanner struct {
	log   *Log
	at    LSN
	list  []*segment // as of the lookup of at's segment
	seg   int        // index of at's segment in list, -1 for none
	end   LSN
	win   *window
	file  *reading
	index []int64 // frames of the segment, loaded once damage requires it
	spare []byte
}

// Scan returns a scanner that begins at from, which is 0, the address of a frame, or an
// address returned by Next or End. It must be closed.
func (l *Log) Scan(from LSN) *Scanner { return &Scanner{log: l, at: from, seg: -1} }

// Close releases the file that is being read.
func (s *Scanner) Close() {
	if s.file != nil {
		s.log.files.put(s.file)
		s.file = nil
	}
}

// Next reads the next frame into f, whose slices are valid until the next call. At the
// durable end it returns io.EOF, and may be called again later. Damage is returned as a
// [*Damage], as by [Log.Read], and the next call continues behind it. Any other error
// comes from the disk and ends the scan.
func (s *Scanner) Next(f *Frame) error {
	for {
		if s.seg < 0 {
			if err := s.locate(); err != nil {
				return err
			}
		}
		seg := s.list[s.seg]
		last := s.seg == len(s.list)-1
		limit := seg.limit(last, s.end)
		off := int64(s.at - seg.base)
		if off < blockSize {
			off = blockSize
			s.at = seg.base + blockSize
		}
		if seg.lost && off < seg.size {
			s.at = seg.next()
			return &Damage{Part: PartSegment, Segment: seg.name, Offset: 0, From: seg.base, To: seg.next(), Detail: "the segment is not of this log"}
		}
		if off >= limit {
			if last {
				s.leave()
				if s.log.End() == s.end {
					return io.EOF
				}
				continue // the log has grown
			}
			next := s.list[s.seg+1].base
			s.leave()
			s.at = next
			if seg.next() < next || !seg.sealed && !seg.lost {
				return &Damage{Part: PartSegment, Segment: seg.name, Offset: seg.end, From: seg.base + LSN(seg.end), To: next, Detail: "records may be missing here"}
			}
			continue
		}
		return s.frame(f, seg, off, limit)
	}
}

// locate finds the segment of s.at.
func (s *Scanner) locate() error {
	s.end = s.log.End()
	s.list = *s.log.segs.Load()
	if len(s.list) == 0 || s.at >= s.end {
		return io.EOF
	}
	s.seg = find(s.list, s.at)
	if s.seg < 0 {
		from := s.at
		s.at = s.list[0].base
		return &Damage{Part: PartSegment, Segment: segmentName(from), From: from, To: s.at, Detail: "the segment is missing"}
	}
	return nil
}

// leave releases the segment that was read.
func (s *Scanner) leave() {
	s.Close()
	s.seg, s.index = -1, nil
}

// frame reads the frame at off.
func (s *Scanner) frame(f *Frame, seg *segment, off, limit int64) error {
	if s.file == nil {
		r, err := s.log.files.get(seg.name)
		if err != nil {
			return err
		}
		s.file = r
		if s.win == nil {
			s.win = newWindow(nil, 0, scanChunk)
		}
		s.win.file = r
		s.win.forget()
	}
	s.win.limit = limit
	raw, h, state, bad, err := s.win.frame(&s.log.check, seg.base, off)
	if err != nil {
		return fmt.Errorf("segment %s: %w", seg.name, err)
	}
	switch bad {
	case flawNone:
		f.set(s.at, h, raw, state)
		s.at = f.Next
		return nil
	case flawBody:
		// The buffer may hold bytes from before an erasure, or from the middle of one.
		again, err := s.log.Read(s.at, s.spare)
		s.spare = again.buf
		*f = again
		s.at += LSN(h.size())
		return err
	}
	d := seg.damage(off, h, bad)
	next, err := s.behind(seg, off, limit)
	if err != nil {
		return err
	}
	d.To = seg.base + LSN(next)
	s.at = d.To
	return d
}

// behind returns the offset of the frame behind the damage at off.
func (s *Scanner) behind(seg *segment, off, limit int64) (int64, error) {
	if seg.sealed && s.index == nil {
		var err error
		if s.index, err = s.log.readIndex(seg); err != nil {
			return 0, err
		}
	}
	if s.index != nil {
		i, _ := slices.BinarySearch(s.index, off+1)
		if i < len(s.index) {
			return s.index[i], nil
		}
		return limit, nil
	}
	next, err := s.win.resync(&s.log.check, seg.base, off)
	if err != nil {
		return 0, fmt.Errorf("segment %s: %w", seg.name, err)
	}
	if next < 0 {
		next = limit
	}
	return next, nil
}

// readIndex returns the offsets of the frames of a sealed segment, or nil when
// the index is damaged.
func (l *Log) readIndex(seg *segment) ([]int64, error) {
	r, err := l.files.get(seg.name)
	if err != nil {
		return nil, err
	}
	defer l.files.put(r)
	b := make([]byte, seg.index)
	n, err := readAt(r, b, seg.size-blockSize-int64(seg.index))
	if err != nil {
		return nil, fmt.Errorf("segment %s: %w", seg.name, err)
	}
	if n < len(b) || l.check.sum(seg.base, partIndex, b) != seg.check {
		return nil, nil
	}
	offsets := make([]int64, 0, min(seg.frames, uint64(seg.index)))
	at := int64(blockSize)
	for len(b) > 0 {
		d, n := binary.Uvarint(b)
		if n <= 0 || d > uint64(seg.end)/align {
			return nil, nil
		}
		b = b[n:]
		at += int64(d) * align
		if at >= seg.end {
			return nil, nil
		}
		offsets = append(offsets, at)
	}
	if uint64(len(offsets)) != seg.frames {
		return nil, nil
	}
	return offsets, nil
}
