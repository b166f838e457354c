package merkle

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Range is a tree of which only the roots of its largest complete subtrees are
// kept: one hash for each 1 in the binary form of its size. That is enough to
// append to it and to compute its root.
//
// The zero value is the empty tree. A copy made by assignment shares memory with
// the original. A Range is not safe for concurrent use.
type Range struct {
	size  uint64
	roots []Hash // from the left, so the largest subtree first
}

// Size returns the number of leaves.
func (r *Range) Size() uint64 { return r.size }

// Append adds a leaf.
func (r *Range) Append(leaf Hash) {
	h, top := leaf, len(r.roots)
	for n := r.size; n&1 == 1; n >>= 1 {
		top--
		h = NodeHash(&r.roots[top], &h)
	}
	r.roots = append(r.roots[:top], h)
	r.size++
}

// AppendVisit adds a leaf and calls visit for every node above it that it
// completes, from level 1 up. It does not call visit for the leaf itself.
func (r *Range) AppendVisit(leaf Hash, visit func(level uint, index uint64, h Hash)) {
	h, top, level := leaf, len(r.roots), uint(0)
	for n := r.size; n&1 == 1; n >>= 1 {
		top--
		level++
		h = NodeHash(&r.roots[top], &h)
		visit(level, n>>1, h)
	}
	r.roots = append(r.roots[:top], h)
	r.size++
}

// Root returns the tree's root.
func (r *Range) Root() Hash {
	if len(r.roots) == 0 {
		return EmptyRoot()
	}
	last := len(r.roots) - 1
	h := r.roots[last]
	for i := last - 1; i >= 0; i-- {
		h = NodeHash(&r.roots[i], &h)
	}
	return h
}

// Reset empties the tree and keeps its memory.
func (r *Range) Reset() { r.size, r.roots = 0, r.roots[:0] }

// AppendBinary appends the tree's encoding to dst: the size, 8 bytes big-endian,
// then the hashes, those of the larger subtrees first.
func (r *Range) AppendBinary(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, r.size)
	for i := range r.roots {
		dst = append(dst, r.roots[i][:]...)
	}
	return dst
}

// ParseRange decodes the output of AppendBinary, and refuses anything else. The
// tree does not keep b.
func ParseRange(b []byte) (Range, error) {
	if len(b) < 8 {
		return Range{}, fmt.Errorf("merkle range: %d bytes are too few for a size", len(b))
	}
	size, b := binary.BigEndian.Uint64(b), b[8:]
	if size > MaxSize {
		return Range{}, fmt.Errorf("merkle range: a tree of %d leaves is larger than there can be", size)
	}
	n := bits.OnesCount64(size)
	if len(b) != n*HashSize {
		return Range{}, fmt.Errorf("merkle range: a tree of %d leaves takes %d bytes of hashes, and here are %d", size, n*HashSize, len(b))
	}
	r := Range{size: size, roots: make([]Hash, n)}
	for i := range r.roots {
		copy(r.roots[i][:], b[i*HashSize:])
	}
	return r, nil
}
