package ledger

import (
	"encoding/binary"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

// seen is a filter of the ids of a tenant: an id that it does not have is unused.
// Most ids are new, and looking up a missing key in the store costs more than writing
// it. It is a Bloom filter in layers, each with room for four times as many ids as
// the previous one, and with all bits of an id in one cache line.
type seen struct {
	layers []seenLayer
}

// seenLayer is a layer for a number of ids.
type seenLayer struct {
	lines []seenLine
	left  int // how many more ids fit
}

// seenLine has the size of a cache line of the processor.
type seenLine [8]uint64

const (
	lineBits   = 512
	idBits     = 12  // bits of the filter per id; a full layer has about one false positive in 200
	idProbes   = 6   // bits that are set for an id
	firstLayer = 768 // ids
	layerRatio = 4
)

// maxSeenBytes limits the memory of all filters together. A tenant that would need
// more has none.
const maxSeenBytes = 16 << 20

// seenAfter is a divisor: after size/seenAfter lookups of a tenant, reading all its
// ids pays off.
const seenAfter = 8

// lineOf returns the line of an id, and its bits in it.
func (y *seenLayer) lineOf(id *record.Hash) (line *seenLine, probes uint64) {
	return &y.lines[binary.LittleEndian.Uint64(id[:])%uint64(len(y.lines))], binary.LittleEndian.Uint64(id[8:])
}

// has reports whether an id may have been added. The first 16 bytes of an id count.
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

// add adds an id, and returns by how many bytes the filter grew.
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

// filter is the state of a tenant's filter.
type filter struct {
	*seen        // has every id; nil until the ids are read
	asked uint64 // lookups without it
	off   bool   // it would be too large
}

// Find is the function of that name for a tenant from [Ledger.For], and for a
// transaction that holds the records applied since the last Finish. It looks an id up
// only if it may exist.
func (l *Ledger) Find(tx *kv.Txn, t *Tenant, id *record.Hash) (position uint64, ok bool, err error) {
	if t.Size == 0 {
		return 0, false, nil
	}
	f := l.seen[t.Number]
	if f == nil {
		if len(l.seen) >= maxKeptTenants {
			l.forgetSeen()
		}
		// If it would not fit, the ids are not read.
		f = &filter{off: l.seenBytes+seenBytes(t.Size) > maxSeenBytes}
		l.seen[t.Number] = f
	}
	if f.seen == nil && !f.off {
		// The records of the group itself would be missing, so it must not have
		// begun.
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

// readIDs builds the filter of a tenant from the store.
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

// forgetSeen drops all filters.
func (l *Ledger) forgetSeen() {
	clear(l.seen)
	l.seenBytes = 0
}

// seenBytes is the size of a filter for that many ids.
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
