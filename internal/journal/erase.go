package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"lukasa.dev/internal/disk"
)

// Erase overwrites the bodies of frames with zeros in place, durably. It may
// be repeated, and completes an interrupted erasure. It may run concurrently
// with the writer and readers. When a frame cannot be found, the others are
// still erased, and the error names those that were not.
func (l *Log) Erase(lsns []LSN) error {
	if err := l.writable(); err != nil {
		return err
	}
	if len(lsns) == 0 {
		return nil
	}
	lsns = slices.Clone(lsns)
	slices.Sort(lsns)
	lsns = slices.Compact(lsns)
	if last := lsns[len(lsns)-1]; uint64(last) >= l.proven.Load() {
		// A crash during the erasure must not turn an acknowledged record into
		// a torn tail. So the disk must first prove that the record was
		// durable.
		if err := l.putMark(l.End()); err != nil {
			return err
		}
	}
	end := l.End()
	segs := *l.segs.Load()
	var missing []error
	for len(lsns) > 0 {
		i := find(segs, lsns[0])
		n := len(lsns)
		if i+1 < len(segs) {
			n, _ = slices.BinarySearch(lsns, segs[i+1].base)
		}
		if i < 0 {
			return fmt.Errorf("erase %d: the log does not begin before it", lsns[0])
		}
		seg := segs[i]
		gone, err := l.eraseIn(seg, seg.limit(i == len(segs)-1, end), lsns[:n])
		if err != nil {
			return err
		}
		missing = append(missing, gone...)
		lsns = lsns[n:]
	}
	return errors.Join(missing...)
}

// eraseIn erases frames of one segment and syncs it. Frames whose heads are
// damaged are returned as errors.
func (l *Log) eraseIn(seg *segment, limit int64, lsns []LSN) (missing []error, err error) {
	// The writer has its own handle, and a File has only one writer at a time.
	file, err := l.opts.FS.OpenReadWrite(l.path(seg.name), disk.General)
	if err != nil {
		return nil, l.fail("open a segment to erase in it", err)
	}
	defer file.Close()
	l.mend.Lock()
	defer l.mend.Unlock()
	var zeros, buf []byte
	for _, lsn := range lsns {
		off := int64(lsn - seg.base)
		w := window{file: file, limit: limit, buf: buf[:0]}
		h, ok, err := w.headAt(&l.check, seg, off)
		buf = w.buf
		if err != nil {
			return nil, fmt.Errorf("segment %s: %w", seg.name, err)
		}
		if !ok {
			missing = append(missing, seg.damage(off, h, flawHead))
			continue
		}
		if h.body == 0 {
			continue // there is nothing to erase
		}
		if n := checkSize + h.body; cap(zeros) < n {
			zeros = make([]byte, n)
		}
		zeros = zeros[:checkSize+h.body]
		clear(zeros)
		binary.BigEndian.PutUint32(zeros, l.check.seed(lsn, partErased))
		n, err := file.WriteAt(zeros, off+fixedSize+int64(h.header))
		if err == nil {
			err = short(n, len(zeros))
		}
		if err != nil {
			return nil, l.fail("erase in the journal", err)
		}
	}
	if err := file.SyncData(); err != nil {
		return nil, l.fail("sync an erasure", err)
	}
	l.mended(lsns)
	return missing, nil
}

// headAt reads the head of the frame at off.
func (w *window) headAt(c *checker, seg *segment, off int64) (head, bool, error) {
	if seg.lost || off < blockSize || off%align != 0 || off >= w.limit {
		return head{}, false, nil
	}
	b, err := w.bytes(off, fixedSize+MaxHeader)
	if err != nil {
		return head{}, false, err
	}
	h, ok := peek(b, seg.base+LSN(off), w.limit-off)
	return h, ok && c.headOK(b, seg.base+LSN(off), h), nil
}

// mended removes erased bodies from the list of damages.
func (l *Log) mended(lsns []LSN) {
	l.damageMu.Lock()
	defer l.damageMu.Unlock()
	l.damages = slices.DeleteFunc(l.damages, func(d Damage) bool {
		_, ok := slices.BinarySearch(lsns, d.From)
		return ok && d.Part == PartBody
	})
}
