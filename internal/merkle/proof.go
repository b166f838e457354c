package merkle

import (
	"errors"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// MaxPath is the length of the longest proof: one hash per level, and one more
// for the start of a consistency proof.
const MaxPath = 65

// Nodes returns the hashes of complete nodes.
type Nodes interface {
	// Node returns the hash of node (level, index), which is complete in every
	// tree of the request.
	Node(level uint, index uint64) (Hash, error)
}

// Inclusion returns the proof that the leaf at index is in the tree of the first
// size leaves, from the leaf up. The nodes must cover that tree.
func Inclusion(nodes Nodes, index, size uint64) ([]Hash, error) {
	if size > MaxSize {
		return nil, fmt.Errorf("inclusion proof: a tree of %d leaves is larger than there can be", size)
	}
	plan, err := proof.Inclusion(index, size)
	if err != nil {
		return nil, fmt.Errorf("inclusion proof: %w", err)
	}
	return fetch(nodes, plan)
}

// Consistency returns the proof that the tree of the first from leaves is the
// beginning of the tree of the first to leaves. It is empty when the two are the
// same, and when from is 0.
func Consistency(nodes Nodes, from, to uint64) ([]Hash, error) {
	if to > MaxSize {
		return nil, fmt.Errorf("consistency proof: a tree of %d leaves is larger than there can be", to)
	}
	plan, err := proof.Consistency(from, to)
	if err != nil {
		return nil, fmt.Errorf("consistency proof: %w", err)
	}
	return fetch(nodes, plan)
}

// fetch gets the nodes of a plan, and combines those at the tree's right edge
// that represent one incomplete node.
func fetch(nodes Nodes, plan proof.Nodes) ([]Hash, error) {
	path := make([]Hash, 0, len(plan.IDs))
	_, begin, end := plan.Ephem()
	for i, id := range plan.IDs {
		h, err := nodes.Node(id.Level, id.Index)
		if err != nil {
			return nil, fmt.Errorf("node %d of level %d: %w", id.Index, id.Level, err)
		}
		if i > begin && i < end {
			last := &path[len(path)-1]
			*last = NodeHash(&h, last)
			continue
		}
		path = append(path, h)
	}
	return path, nil
}

// RangeAt returns the tree of the first size leaves.
func RangeAt(nodes Nodes, size uint64) (Range, error) {
	if size > MaxSize {
		return Range{}, fmt.Errorf("merkle range: a tree of %d leaves is larger than there can be", size)
	}
	ids := compact.RangeNodes(0, size, nil)
	r := Range{size: size, roots: make([]Hash, 0, len(ids))}
	for _, id := range ids {
		h, err := nodes.Node(id.Level, id.Index)
		if err != nil {
			return Range{}, fmt.Errorf("node %d of level %d: %w", id.Index, id.Level, err)
		}
		r.roots = append(r.roots, h)
	}
	return r, nil
}

// RootAt returns the root of the tree of the first size leaves.
func RootAt(nodes Nodes, size uint64) (Hash, error) {
	r, err := RangeAt(nodes, size)
	if err != nil {
		return Hash{}, err
	}
	return r.Root(), nil
}

// ErrRoot means that a proof has the right shape and leads to another root.
const ErrRoot = mismatch("the path leads to another root")

// mismatch is an error that can be a constant.
type mismatch string

// Error implements error.
func (m mismatch) Error() string { return string(m) }

// VerifyInclusion checks that path proves leaf to be at index in the tree of
// size leaves with that root.
func VerifyInclusion(leaf Hash, index, size uint64, path []Hash, root Hash) error {
	if size > MaxSize {
		return fmt.Errorf("a tree of %d leaves is larger than there can be", size)
	}
	return told(proof.VerifyInclusion(rfc6962.DefaultHasher, index, size, leaf[:], slicesOf(path), root[:]))
}

// VerifyConsistency checks that path proves the tree of from leaves with rootFrom
// to be the beginning of the tree of to leaves with rootTo.
func VerifyConsistency(from, to uint64, path []Hash, rootFrom, rootTo Hash) error {
	if to > MaxSize {
		return fmt.Errorf("a tree of %d leaves is larger than there can be", to)
	}
	// The library accepts any root for the empty tree; there is only one.
	if from == 0 && rootFrom != EmptyRoot() {
		return fmt.Errorf("a tree of 0 leaves has another root: %w", ErrRoot)
	}
	return told(proof.VerifyConsistency(rfc6962.DefaultHasher, from, to, slicesOf(path), rootFrom[:], rootTo[:]))
}

// told returns the library's error as one line.
func told(err error) error {
	if _, ok := errors.AsType[proof.RootMismatchError](err); ok {
		return ErrRoot
	}
	return err
}

// slicesOf returns the hashes as the library takes them.
func slicesOf(path []Hash) [][]byte {
	s := make([][]byte, len(path))
	for i := range path {
		s[i] = path[i][:]
	}
	return s
}
