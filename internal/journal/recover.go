package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// found is a segment file as found in the directory.
type found struct {
	segment
	header    block
	headerOK  bool
	magicOK   bool
	trailer   block
	trailerOK bool
	blank     bool // too short for a header, or nothing but zeros: never finished
}

// recover reads the directory and prepares the log.
func (l *Log) recover() error {
	o := &l.opts
	if !o.ReadOnly {
		if err := disk.MkdirAll(o.FS, o.Dir); err != nil {
			return err
		}
	}
	all, err := l.survey()
	if err != nil {
		return err
	}
	mark, markOK, err := l.readMark()
	if err != nil {
		return err
	}
	known := l.identify(all, mark, markOK)
	if !known {
		if _, err := io.ReadFull(o.Rand, l.id[:]); err != nil {
			return fmt.Errorf("make an id for the log: %w", err)
		}
	}
	l.check = newChecker(l.id)
	floor := o.AtLeast
	if markOK && mark.id == l.id {
		l.mark = mark.lsn
		floor = max(floor, mark.lsn)
	}

	list, last, err := l.chain(all, known)
	if err != nil {
		return err
	}
	tail, err := l.judgeLast(last, floor)
	if err != nil {
		return err
	}
	if last != nil && !last.blank {
		list = append(list, &last.segment)
	}
	floor = max(floor, tail.claim)
	if last != nil && last.blank {
		tail.end = 0
		if n := len(list); n > 0 {
			tail.end = list[n-1].base + LSN(list[n-1].end)
		}
	}
	if last == nil && len(list) == 0 && floor > 0 {
		l.found(Damage{Part: PartSegment, Segment: segmentName(0), To: floor, Detail: "there are no segments, but there were"})
	}
	l.segs.Store(&list)
	l.durable.Store(uint64(tail.end))
	// What the caller knows is no evidence for the next Open.
	l.proven.Store(uint64(min(max(l.mark, tail.claim), tail.end)))
	l.decide()
	if l.refuse != nil {
		return nil
	}
	return l.prepare(list, last, tail, floor)
}

// found adds to the result of Damages.
func (l *Log) found(d Damage) { l.damages = append(l.damages, d) }

// decide sets whether the log may be written.
func (l *Log) decide() {
	if l.opts.ReadOnly {
		l.refuse = fault.New(fault.ReadOnly, "the journal was opened for reading only")
		return
	}
	if l.opts.AcceptDamage {
		return
	}
	for i := range l.damages {
		if d := &l.damages[i]; d.structural() {
			l.refuse = fault.Newf(fault.Damaged, "the journal can only be read: %w", d)
			return
		}
	}
}

// survey lists the segments in order and reads both ends of each.
func (l *Log) survey() ([]*found, error) {
	names, err := l.opts.FS.List(l.opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", l.opts.Dir, err)
	}
	slices.Sort(names)
	var all []*found
	for _, name := range names {
		if !strings.HasSuffix(name, segmentSuffix) {
			continue
		}
		base, ok := parseName(name)
		if !ok {
			l.found(Damage{Part: PartSegment, Segment: name, Detail: "the name is not one that a segment of this log can have"})
			continue
		}
		f := &found{segment: segment{base: base, name: name}}
		if err := l.readEnds(f); err != nil {
			return nil, err
		}
		if f.headerOK && f.header.format > Format {
			return nil, fault.Newf(fault.NewerFormat, "segment %s has format %d, and this program knows formats up to %d", name, f.header.format, Format)
		}
		all = append(all, f)
	}
	return all, nil
}

// readEnds reads the first and the last block of a segment.
func (l *Log) readEnds(f *found) error {
	r, err := l.files.get(f.name)
	if err != nil {
		return err
	}
	defer l.files.put(r)
	info, err := r.Stat()
	if err != nil {
		return fmt.Errorf("stat segment %s: %w", f.name, err)
	}
	f.size = info.Size()
	var b [blockSize]byte
	n, err := readAt(r, b[:], 0)
	if err != nil {
		return err
	}
	f.header, f.magicOK, f.headerOK = decodeBlock(b[:n], headerMagic)
	if f.size < blockSize {
		f.blank = true
		return nil
	}
	if allZero(b[:]) {
		f.blank, err = zeroFrom(r, blockSize, f.size)
		if err != nil {
			return err
		}
	}
	return l.readTrailer(r, f)
}

// readTrailer reads the block at the end of the segment.
func (l *Log) readTrailer(r disk.File, f *found) error {
	f.trailerOK = false
	if f.size < 2*blockSize {
		return nil
	}
	var b [blockSize]byte
	n, err := readAt(r, b[:], f.size-blockSize)
	if err != nil {
		return err
	}
	t, _, ok := decodeBlock(b[:n], trailerMagic)
	f.trailer = t
	f.trailerOK = ok && t.format == Format && t.lsn == f.base && t.end >= blockSize && t.end%align == 0 &&
		t.end+uint64(t.index) <= uint64(f.size)-blockSize
	return nil
}

// zeroFrom reports whether a file is all zeros from off to limit.
func zeroFrom(r disk.File, off, limit int64) (bool, error) {
	w := newWindow(r, limit, scanChunk)
	for off < limit {
		b, err := w.bytes(off, int(min(scanChunk, limit-off)))
		if err != nil {
			return false, err
		}
		if len(b) == 0 {
			return true, nil
		}
		if !allZero(b) {
			return false, nil
		}
		off += int64(len(b))
	}
	return true, nil
}

// readMark reads the end mark, if there is one.
func (l *Log) readMark() (block, bool, error) {
	b, err := disk.ReadFile(l.opts.FS, l.path(endName))
	if errors.Is(err, fs.ErrNotExist) {
		return block{}, false, nil
	}
	if err != nil {
		return block{}, false, err
	}
	mark, _, ok := decodeBlock(b, endMagic)
	if ok && mark.format > Format {
		return mark, false, fault.Newf(fault.NewerFormat, "the journal's end mark has format %d, and this program knows formats up to %d", mark.format, Format)
	}
	if !ok || len(b) != blockSize {
		l.found(Damage{Part: PartMark, Segment: endName, Detail: "the file does not hold what was written to it"})
		return mark, false, nil
	}
	return mark, true, nil
}

// identify determines the id of this log, and reports whether any file states
// it.
func (l *Log) identify(all []*found, mark block, markOK bool) bool {
	votes := map[id]int{}
	best := 0
	vote := func(v id) {
		votes[v]++
		if votes[v] > best {
			best, l.id = votes[v], v
		}
	}
	if markOK {
		vote(mark.id)
	}
	for _, f := range all {
		if f.headerOK {
			vote(f.header.id)
		}
		if f.trailerOK {
			vote(f.trailer.id)
		}
	}
	if markOK && mark.id != l.id {
		l.found(Damage{Part: PartMark, Segment: endName, Detail: "the end mark is of another log"})
	}
	return best > 0
}

// chain checks the order of the segments, and the content of all but the
// last. It returns the segments before the last, and the last.
func (l *Log) chain(all []*found, known bool) (list []*segment, last *found, err error) {
	var expected LSN
	for i, f := range all {
		isLast := i == len(all)-1
		if f.base > expected {
			l.foundGap(all, i, expected)
		}
		if !isLast && f.next() > all[i+1].base {
			span := int64(all[i+1].base - f.base)
			l.found(Damage{
				Part: PartSegment, Segment: f.name, Offset: span, From: f.base + LSN(span), To: f.next(),
				Detail: fmt.Sprintf("the file has %d bytes, %d more than the next segment leaves room for", f.size, f.size-span),
			})
			f.size = span
			if err := l.again(f); err != nil {
				return nil, nil, err
			}
		}
		l.judgeHeader(f, isLast, known)
		expected = f.next()
		if isLast {
			return list, f, nil
		}
		if err := l.judgeSealed(f, all[i+1].base); err != nil {
			return nil, nil, err
		}
		list = append(list, &f.segment)
	}
	return list, nil, nil
}

// again reads the trailer of a segment whose size was corrected.
func (l *Log) again(f *found) error {
	r, err := l.files.get(f.name)
	if err != nil {
		return err
	}
	defer l.files.put(r)
	return l.readTrailer(r, f)
}

// foundGap records what is missing before segment i.
func (l *Log) foundGap(all []*found, i int, expected LSN) {
	d := Damage{Part: PartSegment, Segment: segmentName(expected), From: expected, To: all[i].base, Detail: "the segment is missing"}
	if i > 0 && !all[i-1].trailerOK {
		prev := all[i-1]
		d.Segment, d.Offset, d.From = prev.name, prev.end, prev.base+LSN(prev.end)
		d.Detail = fmt.Sprintf("the file has %d bytes, %d fewer than it had", prev.size, uint64(all[i].base-prev.base)-uint64(prev.size))
	}
	l.found(d)
}

// judgeHeader checks whether a segment belongs to this log.
func (l *Log) judgeHeader(f *found, isLast, known bool) {
	d := Damage{Part: PartHeader, Segment: f.name, From: f.base, To: f.next()}
	switch {
	case f.blank && isLast:
		return
	case !f.headerOK && !known:
		f.lost = true
		d.Detail = "the file is no segment, or nothing tells of which log"
	case !f.magicOK && f.trailerOK && f.trailer.id == l.id, f.magicOK && !f.headerOK:
		d.To = f.base + blockSize
		d.Detail = "the header fails its check"
	case !f.headerOK:
		d.To = f.base + blockSize
		d.Detail = "the file does not begin as a segment does"
	case f.header.id != l.id:
		f.lost = true
		d.Detail = "the segment is of another log"
	case f.header.lsn != f.base:
		f.lost = true
		d.Detail = fmt.Sprintf("the segment says it begins at %d: the file was renamed", f.header.lsn)
	default:
		return
	}
	l.found(d)
}

// judgeSealed fills in a segment that is followed by another one at next.
func (l *Log) judgeSealed(f *found, next LSN) error {
	f.end = f.size
	if f.lost {
		return nil
	}
	if f.trailerOK && f.trailer.id == l.id {
		f.sealed, f.end, f.frames = true, int64(f.trailer.end), f.trailer.frames
		f.index, f.check = f.trailer.index, f.trailer.check
		return nil
	}
	t, err := l.scanTail(f)
	if err != nil {
		return err
	}
	f.end, f.frames = t.end, t.frames
	if f.next() == next {
		l.found(Damage{
			Part: PartTrailer, Segment: f.name, Offset: f.size - blockSize, From: f.base + LSN(f.end), To: next,
			Detail: "the segment does not end as a sealed one does; records at its end may be missing",
		})
	}
	return nil
}
