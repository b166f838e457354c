package kv

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// heldWrites are writes that wait for the end of their transaction, so that they are
// handed over in key order. Pebble's memory table searches for a key from the place of
// the previous one: in the order of the folds, which write to table after table for
// each record, it would search from the top each time.
type heldWrites struct {
	bytes  []byte
	list   []heldWrite
	own    map[uint64]int // hash of a key → its last write that may be read again
	seed   maphash.Seed
	tables map[uint16]*heldTable
	order  []uint16 // of the tables
	spread []heldPlace
	joiner joiner
}

// heldWrite is one write. Its key is at the given place, its value behind it.
type heldWrite struct {
	at    int
	key   int
	value int
	// before is the number of the previous write that may be read again and whose key
	// has the same hash, or 0; numbers count from 1.
	before int
	gone   bool // it is a deletion
}

// heldPlace is the place of a write in key order: 16 bytes of its key, from the third
// on, as two numbers, which decide most comparisons, and its number.
type heldPlace struct {
	head, neck uint64
	write      int
}

// heldTable is the writes to the keys with the same first two bytes. For many tables
// they arrive in key order.
type heldTable struct {
	places []heldPlace
	mixed  bool // they are not in order
}

// maxHeld is how many bytes are kept for the next transaction. Larger ones are rare.
const maxHeld = 16 << 20

// hold returns the buffers of a finished transaction, or new ones. Growing them for
// each transaction would be most of what transactions allocate.
func hold(rooms *sync.Pool) *heldWrites {
	if h, ok := rooms.Get().(*heldWrites); ok {
		return h
	}
	return newHeld()
}

// newHeld returns new buffers.
func newHeld() *heldWrites {
	return &heldWrites{own: make(map[uint64]int), seed: maphash.MakeSeed()}
}

// release returns the buffers to the pool.
func (h *heldWrites) release(rooms *sync.Pool) {
	if cap(h.bytes) <= maxHeld {
		h.bytes, h.list = h.bytes[:0], h.list[:0]
		clear(h.own)
		rooms.Put(h)
	}
}

// add holds a write back.
func (h *heldWrites) add(key, value []byte, gone bool) {
	h.list = append(h.list, heldWrite{at: len(h.bytes), key: len(key), value: len(value), gone: gone})
	h.bytes = append(append(h.bytes, key...), value...)
}

// addOwn holds back a write that find can return.
func (h *heldWrites) addOwn(key, value []byte, gone bool) {
	h.add(key, value, gone)
	hash := maphash.Bytes(h.seed, key)
	h.list[len(h.list)-1].before = h.own[hash]
	h.own[hash] = len(h.list)
}

// find returns the last write of addOwn to a key, or nil.
func (h *heldWrites) find(key []byte) *heldWrite {
	if len(h.own) == 0 {
		return nil
	}
	for n := h.own[maphash.Bytes(h.seed, key)]; n > 0; {
		w := &h.list[n-1]
		if bytes.Equal(h.keyOf(w), key) {
			return w
		}
		n = w.before
	}
	return nil
}

func (h *heldWrites) keyOf(w *heldWrite) []byte { return h.bytes[w.at : w.at+w.key] }
func (h *heldWrites) value(w *heldWrite) []byte {
	return h.bytes[w.at+w.key : w.at+w.key+w.value]
}

// headBytes is how many bytes of a key name its table.
const headBytes = 2

// sort sorts the writes of each table by key, and those to one key by time. It returns
// the tables that have writes, in order.
func (h *heldWrites) sort() []uint16 {
	if h.tables == nil {
		h.tables = make(map[uint16]*heldTable)
	}
	for _, name := range h.order { // of the previous transaction
		*h.tables[name] = heldTable{places: h.tables[name].places[:0]}
	}
	h.order = h.order[:0]
	var last *heldTable
	name := -1
	for i := range h.list {
		var begin [headBytes + 16]byte
		copy(begin[:], h.keyOf(&h.list[i]))
		if n := int(binary.BigEndian.Uint16(begin[:])); n != name {
			name = n
			if last = h.tables[uint16(n)]; last == nil {
				last = new(heldTable)
				h.tables[uint16(n)] = last
			}
			if len(last.places) == 0 {
				h.order = append(h.order, uint16(n))
			}
		}
		p := heldPlace{binary.BigEndian.Uint64(begin[headBytes:]), binary.BigEndian.Uint64(begin[headBytes+8:]), i}
		if n := len(last.places); !last.mixed && n > 0 {
			last.mixed = h.compare(last.places[n-1], p) > 0
		}
		last.places = append(last.places, p)
	}
	slices.Sort(h.order)
	for _, name := range h.order {
		if t := h.tables[name]; t.mixed {
			h.sortPlaces(t.places)
		}
	}
	return h.order
}

// The offset of the byte of a key by which places are bucketed, and the least number of
// places worth it. The byte follows the tenant's number; in most tables it is the first
// of a digest.
const (
	spreadShift = 24
	spreadLeast = 256
)

// sortPlaces sorts the places of one table. It first buckets them by one byte of their
// keys: within a bucket most have the same name and arrived in ascending or descending
// order, which a sort detects at once. Places of several tenants are sorted without
// buckets.
func (h *heldWrites) sortPlaces(places []heldPlace) {
	var ends [256]int
	one := len(places) >= spreadLeast // same tenant
	for i := 0; one && i < len(places); i++ {
		one = places[i].head>>(spreadShift+8) == places[0].head>>(spreadShift+8)
		ends[byte(places[i].head>>spreadShift)]++
	}
	if !one {
		slices.SortFunc(places, h.compare)
		return
	}
	at := 0
	for i, n := range ends {
		ends[i] = at
		at += n
	}
	h.spread = append(h.spread[:0], places...)
	for _, p := range h.spread {
		b := byte(p.head >> spreadShift)
		places[ends[b]] = p
		ends[b]++
	}
	from := 0
	for _, to := range ends {
		if to-from > 1 {
			slices.SortFunc(places[from:to], h.compare)
		}
		from = to
	}
}

// compare compares two writes to one table.
func (h *heldWrites) compare(x, y heldPlace) int {
	switch {
	case x.head != y.head:
		return cmp.Compare(x.head, y.head)
	case x.neck != y.neck:
		return cmp.Compare(x.neck, y.neck)
	}
	if c := bytes.Compare(h.keyOf(&h.list[x.write]), h.keyOf(&h.list[y.write])); c != 0 {
		return c
	}
	return cmp.Compare(x.write, y.write)
}

// size is an upper bound of what the writes take in a batch, except for the rows that
// share a block with them: a byte, and a length of up to five bytes before each key and
// each value.
func (h *heldWrites) size() int { return 16 + len(h.bytes) + 11*len(h.list) }

// into hands the writes over. Of several writes to one key, the last one counts.
func (h *heldWrites) into(j *joiner) error {
	for _, name := range h.sort() {
		places := h.tables[name].places
		if t := j.s.rows.named(name); t != nil {
			if err := j.join(t, h, places); err != nil {
				return err
			}
			continue
		}
		for _, p := range places {
			if err := h.write(j.b, p.write); err != nil {
				return err
			}
		}
	}
	return nil
}

// write hands over one write unchanged.
func (h *heldWrites) write(b *pebble.Batch, number int) error {
	w := &h.list[number]
	if w.gone {
		return b.Delete(h.keyOf(w), nil)
	}
	return b.Set(h.keyOf(w), h.value(w), nil)
}
