package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Progress says how much of a check is done, in bytes.
type Progress struct {
	Done, Total int64
}

// Check reads every byte of every segment and returns the damage. It calls fn,
// if not nil, now and then with its progress. It does not read what is
// appended meanwhile.
func (l *Log) Check(ctx context.Context, fn func(Progress)) ([]Damage, error) {
	end := l.End()
	segs := *l.segs.Load()
	var p Progress
	for i, s := range segs {
		p.Total += max(0, s.limit(i == len(segs)-1, end))
	}
	// Reading frames does not find structural damage again that Open found.
	var list []Damage
	for _, d := range l.Damages() {
		if d.Part != PartBody && d.Part != PartHead {
			list = append(list, d)
		}
	}
	for i, s := range segs {
		c := checking{log: l, seg: s, end: end, fn: fn, p: &p}
		if err := c.run(ctx, i == len(segs)-1); err != nil {
			return list, err
		}
		list = append(list, c.found...)
	}
	return slices.Compact(list), nil
}

// checking is the check of one segment.
type checking struct {
	log   *Log
	seg   *segment
	end   LSN
	fn    func(Progress)
	p     *Progress
	found []Damage
}

func (c *checking) add(part Part, off int64, detail string) {
	c.found = append(c.found, Damage{Part: part, Segment: c.seg.name, Offset: off, From: c.seg.base + LSN(off), Detail: detail})
}

func (c *checking) run(ctx context.Context, last bool) error {
	l, s := c.log, c.seg
	if s.lost {
		return nil // already found at open
	}
	r, err := l.files.get(s.name)
	if err != nil {
		return err
	}
	defer l.files.put(r)
	var b [blockSize]byte
	n, err := readAt(r, b[:], 0)
	if err != nil {
		return err
	}
	if h, _, ok := decodeBlock(b[:n], headerMagic); !ok || h.id != l.id || h.lsn != s.base {
		c.add(PartHeader, 0, "the header fails its check")
	}
	limit := max(0, s.limit(last, c.end))
	offsets, err := c.frames(ctx, limit)
	if err != nil {
		return err
	}
	w := newWindow(r, s.size, scanChunk)
	if !s.sealed {
		// Behind the end of the segment being written, a frame may be in
		// flight.
		return nil
	}
	stop := s.size - blockSize - int64(s.index)
	if zero, err := zeroFrom(r, limit, stop); err != nil {
		return err
	} else if !zero {
		c.add(PartGap, limit, "there are bytes where there should be zeros")
	}
	index, err := l.readIndex(s)
	if err != nil {
		return err
	}
	if index == nil {
		c.add(PartIndex, stop, "the index fails its check")
	} else if !slices.Equal(index, offsets) {
		c.add(PartIndex, stop, "the index does not list the records that are there")
	}
	t, err := w.bytes(s.size-blockSize, blockSize)
	if err != nil {
		return err
	}
	if t, _, ok := decodeBlock(t, trailerMagic); !ok || t.lsn != s.base || t.id != l.id {
		c.add(PartTrailer, s.size-blockSize, "the trailer fails its check")
	}
	return nil
}

// frames reads all frames, and returns where they begin, damaged ones too as
// far as they could be told.
func (c *checking) frames(ctx context.Context, limit int64) ([]int64, error) {
	s := c.seg
	scan := c.log.Scan(s.base)
	defer scan.Close()
	stop := s.base + LSN(limit)
	var offsets []int64
	var f Frame
	for n := 0; ; n++ {
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("check of the journal stopped: %w", err)
			}
			c.tell(scan.at)
		}
		from := max(scan.at, s.base+blockSize)
		if from >= stop {
			c.p.Done += limit
			return offsets, nil
		}
		err := scan.Next(&f)
		var d *Damage
		switch {
		case err == nil:
			if pad := f.padding(); !allZero(pad) {
				c.add(PartGap, int64(f.LSN-s.base), "the padding behind the record is not zero")
			}
		case errors.As(err, &d):
			c.found = append(c.found, *d)
		case errors.Is(err, io.EOF):
			c.p.Done += limit
			return offsets, nil
		default:
			return nil, err
		}
		offsets = append(offsets, int64(from-s.base))
	}
}

// tell reports progress within the segment.
func (c *checking) tell(at LSN) {
	if c.fn == nil {
		return
	}
	p := *c.p
	if at > c.seg.base {
		p.Done += int64(at - c.seg.base)
	}
	c.fn(p)
}
