package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"lukasa.dev/internal/fault"
)

// The number of positions in a block, and the layout of a key up to its position: two
// bytes that name its table, the number of a tenant, the position.
const (
	blockBits = 4
	blockRows = 1 << blockBits
	rowHead   = headBytes + 4 + 8
)

// rowTables are the tables that are kept in blocks.
type rowTables []rowTable

// rowTable is one table: the prefix of its keys, and the first key after it.
type rowTable struct {
	begin, end []byte
}

// newRowTables returns the tables whose keys have the given prefixes.
func newRowTables(beginnings []string) (rowTables, error) {
	var t rowTables
	for _, b := range beginnings {
		if len(b) != headBytes {
			return nil, fault.Newf(fault.Internal, "kv: the table %q has not a name of %d bytes", b, headBytes)
		}
		t = append(t, rowTable{[]byte(b), PrefixEnd([]byte(b))})
	}
	return t, nil
}

// has reports whether a key is that of a row. A key of such a table that is too short for
// a position is kept as it is: it sorts before or after all rows of a block, as it does
// with the block itself.
func (t rowTables) has(key []byte) bool {
	if len(key) < rowHead {
		return false
	}
	for i := range t {
		if b := t[i].begin; b[0] == key[0] && b[1] == key[1] {
			return true
		}
	}
	return false
}

// named returns the table whose keys begin with a name, or nil.
func (t rowTables) named(name uint16) *rowTable {
	for i := range t {
		if binary.BigEndian.Uint16(t[i].begin) == name {
			return &t[i]
		}
	}
	return nil
}

// meet reports whether [lower, upper) can contain rows.
func (t rowTables) meet(lower, upper []byte) bool {
	for i := range t {
		if (upper == nil || bytes.Compare(t[i].begin, upper) < 0) && (t[i].end == nil || bytes.Compare(lower, t[i].end) < 0) {
			return true
		}
	}
	return false
}

// blockKey appends the key of the block of a row to dst: that of its first position. So
// blocks sort as their rows do.
func blockKey(dst, key []byte) []byte {
	dst = append(dst, key[:rowHead]...)
	dst[len(dst)-1] &^= blockRows - 1
	return dst
}

// inBlock reports whether a key is that of a row in the block with the given key.
func inBlock(block, key []byte) bool {
	return len(key) >= rowHead && bytes.Equal(key[:rowHead-1], block[:rowHead-1]) &&
		key[rowHead-1]&^(blockRows-1) == block[rowHead-1]
}

// atBlock reports whether a key is that of a block, or of its first row if that ends with
// its position: no row of the block is below it.
func atBlock(key []byte) bool { return len(key) == rowHead && key[rowHead-1]&(blockRows-1) == 0 }

// lowOf and restOf return the part of a row's key that the block stores.
func lowOf(key []byte) byte    { return key[rowHead-1] & (blockRows - 1) }
func restOf(key []byte) []byte { return key[rowHead:] }

// sameRest is set in the first byte of a row whose key ends like that of the previous
// row.
const sameRest = 0x80

// The ways in which a block can be damaged.
var (
	errBlockKey    = errors.New("a row is not in a block")
	errBlockLength = errors.New("a block of rows is not as long as it says")
	errBlockOrder  = errors.New("the rows of a block are not in order")
)

// damagedBlock returns the error for an unreadable block.
func damagedBlock(dir string, err error) error {
	return fault.Newf(fault.Damaged, "the index in %s is damaged: %w", dir, err).WithFix(remedy)
}

// contents reads the rows of a block one by one.
type contents struct {
	b     []byte // unread bytes
	left  uint64 // unread rows
	first bool
	// The last row read: its position within the block, the rest of its key, and the
	// bounds of its value among the values.
	low      byte
	rest     []byte
	from, to uint64
}

// openContents starts to read a block.
func openContents(block []byte) (c contents, err error) {
	c.b, c.first = block, true
	if c.left, err = c.number(); err == nil && c.left == 0 {
		err = errBlockLength
	}
	return c, err
}

// number reads a number. It counts some of the bytes that are left, so it is never more
// than they are.
func (c *contents) number() (uint64, error) {
	if len(c.b) > 0 && c.b[0] < 0x80 && int(c.b[0]) <= len(c.b) { // most are
		n := c.b[0]
		c.b = c.b[1:]
		return uint64(n), nil
	}
	n, size := binary.Uvarint(c.b)
	if size <= 0 || n > uint64(len(c.b)) {
		return 0, errBlockLength
	}
	c.b = c.b[size:]
	return n, nil
}

// next reads a row.
func (c *contents) next() error {
	if len(c.b) == 0 {
		return errBlockLength
	}
	head := c.b[0]
	c.b = c.b[1:]
	low, same := head&^sameRest, head&sameRest != 0
	rest := c.rest
	if !same {
		n, err := c.number()
		if err != nil || n > uint64(len(c.b)) {
			return errBlockLength
		}
		rest, c.b = c.b[:n:n], c.b[n:]
	}
	if low >= blockRows || c.first && same || !c.first && (low < c.low || low == c.low && bytes.Compare(rest, c.rest) <= 0) {
		return errBlockOrder
	}
	n, err := c.number()
	if err != nil {
		return err
	}
	c.low, c.rest, c.from, c.to = low, rest, c.to, c.to+n
	c.first = false
	c.left--
	return nil
}

// values returns the values, once all rows are read.
func (c *contents) values() ([]byte, error) {
	if c.to != uint64(len(c.b)) {
		return nil, errBlockLength
	}
	return c.b, nil
}

// findRow returns the value of a row, and false if the block has no such row.
func findRow(block, key []byte) (value []byte, ok bool, err error) {
	c, err := openContents(block)
	if err != nil {
		return nil, false, err
	}
	low, rest := lowOf(key), restOf(key)
	var from, to uint64
	for c.left > 0 {
		if err := c.next(); err != nil {
			return nil, false, err
		}
		if c.low == low && bytes.Equal(c.rest, rest) {
			from, to, ok = c.from, c.to, true
		}
	}
	values, err := c.values()
	if err != nil || !ok {
		return nil, false, err
	}
	return values[from:to:to], true, nil
}

// row is a row of a block: its position within the block, the rest of its key, its value.
type row struct {
	low         byte
	rest, value []byte
}

// compare compares the key of a row with another of the same block.
func (r *row) compare(low byte, rest []byte) int {
	if r.low != low {
		return int(r.low) - int(low)
	}
	return bytes.Compare(r.rest, rest)
}

// readBlock appends the rows of a block to dst. They share its memory.
func readBlock(dst []row, block []byte) ([]row, error) {
	c, err := openContents(block)
	if err != nil {
		return dst, err
	}
	begin := len(dst)
	for c.left > 0 {
		if err := c.next(); err != nil {
			return dst[:begin], err
		}
		dst = append(dst, row{c.low, c.rest, block[:c.to-c.from]}) // as long as its value; set below
	}
	values, err := c.values()
	if err != nil {
		return dst[:begin], err
	}
	for i := begin; i < len(dst); i++ {
		n := len(dst[i].value)
		dst[i].value, values = values[:n:n], values[n:]
	}
	return dst, nil
}

// appendBlock appends the block of rows, which are in order, to dst.
func appendBlock(dst []byte, rows []row) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(rows)))
	for i := range rows {
		r := &rows[i]
		if i > 0 && bytes.Equal(rows[i-1].rest, r.rest) {
			dst = append(dst, r.low|sameRest)
		} else {
			dst = binary.AppendUvarint(append(dst, r.low), uint64(len(r.rest)))
			dst = append(dst, r.rest...)
		}
		dst = binary.AppendUvarint(dst, uint64(len(r.value)))
	}
	for i := range rows {
		dst = append(dst, rows[i].value...)
	}
	return dst
}

// headRooms pools buffers for the keys of blocks.
var headRooms = sync.Pool{New: func() any { return new([rowHead]byte) }}

// get reads one key from any of Pebble's readers, within its block if it has one.
func (t rowTables) get(r pebble.Reader, dir string, key, dst []byte) ([]byte, bool, error) {
	if !t.has(key) {
		return get(r, dir, key, dst)
	}
	room := headRooms.Get().(*[rowHead]byte)
	defer headRooms.Put(room)
	block, closer, err := r.Get(blockKey(room[:0], key))
	if err == pebble.ErrNotFound {
		return dst, false, nil
	}
	if err != nil {
		return dst, false, explain(dir, err)
	}
	dst, ok, err := appendRow(dst, dir, block, key)
	if closed := closer.Close(); err == nil {
		err = explain(dir, closed)
	}
	return dst, ok, err
}

// appendRow appends the value of a row of a block to dst and reports whether there is one.
func appendRow(dst []byte, dir string, block, key []byte) ([]byte, bool, error) {
	v, ok, err := findRow(block, key)
	if err != nil {
		return dst, false, damagedBlock(dir, err)
	}
	return append(dst, v...), ok, nil
}
