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

// heldWrites are writes that wait for the end of their transaction, so that
// they can be handed over in the order of their keys. Pebble's memory table
// finds the place of a key from the place of the one before: keys that come as
// the folds write them, table after table for each record, make it search from
// the top each time.
type heldWrites struct {
	bytes  []byte
	list   []heldWrite
	own    map[uint64]int // by the hash of its key, the last write that may be read again
	seed   maphash.Seed
	tables map[uint16]*heldTable
	order  []uint16 // of the tables
	spread []heldPlace
	joiner joiner
}

// heldWrite is one of them. Its key is at the given place, its value behind.
type heldWrite struct {
	at    int
	key   int
	value int
	// before is the number of the write before it that may be read again and whose key
	// has the same hash, and 0 for none; numbers count from 1.
	before int
	gone   bool // a deletion
}

// heldPlace is the place of a write in the order of the keys: 16 bytes of its key,
// from the third on, as two numbers, which mostly decide, and its number.
type heldPlace struct {
	head, neck uint64
	write      int
}

// heldTable are the writes to the keys that begin with the same two bytes. Those of
// many tables come in their order.
type heldTable struct {
	places []heldPlace
	mixed  bool // they are not in order
}

// maxHeld is how many bytes of room are kept for the next transaction. What is
// larger is rare.
const maxHeld = 16 << 20

// hold returns room for the writes of a transaction: that of one which has ended,
// if there is any. Growing it anew each time would be most of what transactions
// allocate.
func hold(rooms *sync.Pool) *heldWrites {
	if h, ok := rooms.Get().(*heldWrites); ok {
		return h
	}
	return newHeld()
}

// newHeld returns new room.
func newHeld() *heldWrites {
	return &heldWrites{own: make(map[uint64]int), seed: maphash.MakeSeed()}
}

// release gives the room back.
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

// addOwn holds a write back that find finds.
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

// headBytes is how many bytes of a key say which table it is in.
const headBytes = 2

// sort brings the writes of each table into the order of their keys, those to one
// key as they came, and returns the tables that have any in their order.
func (h *heldWrites) sort() []uint16 {
	if h.tables == nil {
		h.tables = make(map[uint16]*heldTable)
	}
	for _, name := range h.order { // of the transaction before
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

// Where the byte of a key begins that places are spread by, and how many places are
// worth it: the one behind the tenant's number, which in most tables is the first of a
// digest.
const (
	spreadShift = 24
	spreadLeast = 256
)

// sortPlaces brings the places of one table into order. They are spread by one byte of
// their keys first: of those with the same byte most are of one name and came in order,
// or in the opposite order, which a sort sees at once. Places of several tenants are
// sorted as they are.
func (h *heldWrites) sortPlaces(places []heldPlace) {
	var ends [256]int
	one := len(places) >= spreadLeast // tenant
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

// size is at most what the writes take in a batch, but for the rows that are in a block
// with them: a byte, and a length of up to five bytes before each key and each value.
func (h *heldWrites) size() int { return 16 + len(h.bytes) + 11*len(h.list) }

// into hands the writes over. Of several to one key the last one counts, as it
// was written last.
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

// write hands one write over as it is.
func (h *heldWrites) write(b *pebble.Batch, number int) error {
	w := &h.list[number]
	if w.gone {
		return b.Delete(h.keyOf(w), nil)
	}
	return b.Set(h.keyOf(w), h.value(w), nil)
}
