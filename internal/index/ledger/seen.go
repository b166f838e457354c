package ledger

import (
	"encoding/binary"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

// seen is a filter of the ids of a tenant: what it does not have is not taken. Most
// ids that are asked for are new, and asking the store for what is not there costs
// more than writing it. It is a Bloom filter in layers, each with room for four
// times as many ids as the one before, and each of an id's bits in one line of it.
type seen struct {
	layers []seenLayer
}

// seenLayer is room for a number of ids.
type seenLayer struct {
	lines []seenLine
	left  int // how many ids there is still room for
}

// seenLine is as long as a line of the processor's cache.
type seenLine [8]uint64

const (
	lineBits   = 512
	idBits     = 12  // of the filter for each id; by a full layer about one in 200 that is not there seems to be
	idProbes   = 6   // bits that are set for an id
	firstLayer = 768 // ids
	layerRatio = 4
)

// maxSeenBytes is how much memory filters may take together. A tenant that would
// need more has none.
const maxSeenBytes = 16 << 20

// seenAfter is how many lookups of a tenant that was there before, as a part of its
// size, make it worth reading all of its ids.
const seenAfter = 8

// lineOf returns which line an id is in, and its bits in it.
func (y *seenLayer) lineOf(id *record.Hash) (line *seenLine, probes uint64) {
	return &y.lines[binary.LittleEndian.Uint64(id[:])%uint64(len(y.lines))], binary.LittleEndian.Uint64(id[8:])
}

// has reports whether an id may have been added. Of an id, 16 bytes count.
func (s *seen) has(id *record.Hash) bool {
	for i := len(s.layers) - 1; i >= 0; i-- {
		line, probes := s.layers[i].lineOf(id)
		there := uint64(1)
		for range idProbes {
			at := probes % lineBits
			there &= line[at/64] >> (at % 64)
			probes /= lineBits
		}
		if there != 0 {
			return true
		}
	}
	return false
}

// add adds an id, and reports by how many bytes the filter grew for it.
func (s *seen) add(id *record.Hash) (grown int) {
	last := len(s.layers) - 1
	if last < 0 || s.layers[last].left == 0 {
		ids := firstLayer
		for range s.layers {
			ids *= layerRatio
		}
		lines := ids * idBits / lineBits
		s.layers = append(s.layers, seenLayer{make([]seenLine, lines), ids})
		grown = lines * lineBits / 8
		last++
	}
	y := &s.layers[last]
	y.left--
	line, probes := y.lineOf(id)
	for range idProbes {
		at := probes % lineBits
		line[at/64] |= 1 << (at % 64)
		probes /= lineBits
	}
	return grown
}

// filter is what is kept of a tenant's ids.
type filter struct {
	*seen        // has every id; nil as long as nobody read them
	asked uint64 // lookups without it
	off   bool   // it would be too large
}

// Find is the function of that name for a tenant as [Ledger.For] gives it, and for a
// transaction that holds what the ledger was given since the last Finish. It looks an
// id up only if it may be there.
func (l *Ledger) Find(tx *kv.Txn, t *Tenant, id *record.Hash) (position uint64, ok bool, err error) {
	if t.Size == 0 {
		return 0, false, nil
	}
	f := l.seen[t.Number]
	if f == nil {
		if len(l.seen) >= maxKeptTenants {
			l.forgetSeen()
		}
		// What would not fit is not worth reading.
		f = &filter{off: l.seenBytes+seenBytes(t.Size) > maxSeenBytes}
		l.seen[t.Number] = f
	}
	if f.seen == nil && !f.off {
		// What the group itself wrote would be missing, so it must not have begun.
		if f.asked++; f.asked*seenAfter >= t.Size && l.dirty[t.Name] == nil {
			if err := l.readIDs(tx, t.Number, f); err != nil {
				return 0, false, err
			}
		}
	}
	if f.seen != nil && !f.has(id) {
		return 0, false, nil
	}
	return Find(tx, t.Number, id)
}

// readIDs makes the filter of a tenant from what is stored.
func (l *Ledger) readIDs(r kv.Reader, tenant uint32, f *filter) error {
	prefix := index.NewKey(nil, Prefix, tableID, tenant)
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	f.seen = new(seen)
	var id record.Hash
	for ok := it.First(); ok && f.seen != nil; ok = it.Next() {
		copy(id[:], it.Key()[len(prefix):])
		l.note(f, &id)
	}
	err = it.Close()
	if err != nil && f.seen != nil {
		l.seenBytes -= f.bytes()
		f.seen = nil
	}
	return err
}

// forgetSeen forgets all filters.
func (l *Ledger) forgetSeen() {
	clear(l.seen)
	l.seenBytes = 0
}

// seenBytes is how many bytes the filter of so many ids has.
func seenBytes(ids uint64) (bytes int) {
	for layer := uint64(firstLayer); ; layer *= layerRatio {
		if bytes += int(layer * idBits / 8); ids <= layer || bytes > maxSeenBytes {
			return bytes
		}
		ids -= layer
	}
}

// bytes is how many bytes a filter has.
func (s *seen) bytes() (n int) {
	for i := range s.layers {
		n += len(s.layers[i].lines) * lineBits / 8
	}
	return n
}

// note adds an id to the filter of a tenant.
func (l *Ledger) note(f *filter, id *record.Hash) {
	if l.seenBytes += f.add(id); l.seenBytes > maxSeenBytes {
		l.seenBytes -= f.bytes()
		f.seen, f.off = nil, true
	}
}
