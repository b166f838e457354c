package merkle

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestWrongProofsFail takes valid proofs and changes one detail of each.
func TestWrongProofsFail(t *testing.T) {
	const most = 2000
	leaves := leavesOf(most)
	tiles, _ := shelfOf(leaves)
	nodes := NodesOf(tiles)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Uint64Range(2, most).Draw(t, "size")
		index := rapid.Uint64Range(0, size-1).Draw(t, "index")
		root, _ := RootAt(nodes, size)
		path, err := Inclusion(nodes, index, size)
		if err != nil {
			t.Fatal(err)
		}
		bit := rapid.IntRange(0, 255).Draw(t, "bit")
		flip := func(h Hash) Hash { h[bit/8] ^= 1 << (bit % 8); return h }
		must := func(what string, err error) {
			t.Helper()
			if err == nil {
				t.Fatalf("index %d, size %d: %s was accepted", index, size, what)
			}
		}
		must("another leaf", VerifyInclusion(flip(leaves[index]), index, size, path, root))
		must("another root", VerifyInclusion(leaves[index], index, size, path, flip(root)))
		must("the index after it", VerifyInclusion(leaves[index], index+1, size, path, root))
		must("an index outside", VerifyInclusion(leaves[index], size, size, path, root))
		must("a path too long", VerifyInclusion(leaves[index], index, size, append(slices.Clone(path), root), root))
		must("a path too short", VerifyInclusion(leaves[index], index, size, path[:len(path)-1], root))
		k := rapid.IntRange(0, len(path)-1).Draw(t, "step")
		bad := slices.Clone(path)
		bad[k] = flip(bad[k])
		must("a flipped step", VerifyInclusion(leaves[index], index, size, bad, root))
		if len(path) > 1 {
			bad = slices.Clone(path)
			k = rapid.IntRange(0, len(path)-2).Draw(t, "swap")
			bad[k], bad[k+1] = bad[k+1], bad[k]
			must("swapped steps", VerifyInclusion(leaves[index], index, size, bad, root))
		}

		from := rapid.Uint64Range(1, size-1).Draw(t, "from")
		rootFrom, _ := RootAt(nodes, from)
		path, err = Consistency(nodes, from, size)
		if err != nil {
			t.Fatal(err)
		}
		if err := VerifyConsistency(from, size, path, rootFrom, root); err != nil {
			t.Fatal(err)
		}
		must("another first root", VerifyConsistency(from, size, path, flip(rootFrom), root))
		must("another second root", VerifyConsistency(from, size, path, rootFrom, flip(root)))
		must("swapped roots", VerifyConsistency(from, size, path, root, rootFrom))
		must("swapped sizes", VerifyConsistency(size, from, path, rootFrom, root))
		must("no path", VerifyConsistency(from, size, nil, rootFrom, root))
		must("a path too long", VerifyConsistency(from, size, append(slices.Clone(path), root), rootFrom, root))
		k = rapid.IntRange(0, len(path)-1).Draw(t, "consistency step")
		bad = slices.Clone(path)
		bad[k] = flip(bad[k])
		must("a flipped step", VerifyConsistency(from, size, bad, rootFrom, root))
		must("the first tree as the empty one", VerifyConsistency(0, size, nil, rootFrom, root))
	})
}

// TestAnotherSizeFails: a path holds only for the tree it was made for.
func TestAnotherSizeFails(t *testing.T) {
	const most = 66
	leaves := leavesOf(most)
	tiles, _ := shelfOf(leaves)
	nodes := NodesOf(tiles)
	var roots [most + 1]Hash
	for size := range roots {
		roots[size], _ = RootAt(nodes, uint64(size))
	}
	for size := uint64(1); size <= most; size++ {
		for index := range size {
			path, _ := Inclusion(nodes, index, size)
			for other := uint64(1); other <= most; other++ {
				err := VerifyInclusion(leaves[index], index, other, path, roots[other])
				if (err == nil) != (other == size) {
					t.Fatalf("path of %d in %d against the tree of %d: %v", index, size, other, err)
				}
			}
		}
	}
}

func TestEdgesOfNumbers(t *testing.T) {
	var h Hash
	long := make([]Hash, 100_000)
	for _, size := range []uint64{0, 1, 1 << 62, MaxSize - 1, MaxSize, MaxSize + 1, math.MaxUint64 - 1, math.MaxUint64} {
		for _, index := range []uint64{0, 1, 1 << 62, MaxSize - 1, MaxSize, math.MaxUint64} {
			for _, path := range [][]Hash{nil, long[:1], long[:62], long[:63], long[:64], long[:MaxPath], long} {
				if err := VerifyInclusion(h, index, size, path, h); err == nil && (size != 1 || index != 0 || len(path) > 0) {
					t.Errorf("inclusion of %d in %d with %d hashes was accepted", index, size, len(path))
				}
				if err := VerifyConsistency(index, size, path, h, h); err == nil && (index != size || len(path) > 0) {
					t.Errorf("consistency of %d and %d with %d hashes was accepted", index, size, len(path))
				}
			}
			none := NodesOf(shelf{})
			if _, err := Inclusion(none, index, size); err == nil && size != 1 {
				t.Errorf("inclusion of %d in %d out of nothing", index, size)
			}
			if path, err := Consistency(none, index, size); err == nil && len(path) > 0 {
				t.Errorf("consistency of %d and %d out of nothing", index, size)
			}
			if _, err := RootAt(none, size); err == nil && size != 0 {
				t.Errorf("root of %d out of nothing", size)
			}
			if _, err := none.Node(7, index); err == nil {
				t.Errorf("node %d out of nothing", index)
			}
		}
	}
	if err := VerifyInclusion(h, 0, 1, nil, Hash{1}); !errors.Is(err, ErrRoot) {
		t.Errorf("another root: %v", err)
	}
}

// TestLongestPath: the limit on paths is that of the largest tree.
func TestLongestPath(t *testing.T) {
	even := nodesFunc(func(uint, uint64) (Hash, error) { return Hash{}, nil })
	for _, c := range [][2]uint64{{0, MaxSize}, {MaxSize - 1, MaxSize}, {1<<62 - 1, MaxSize}, {1<<62 + 1, MaxSize}} {
		in, err := Inclusion(even, c[0], c[1])
		if err != nil || len(in) > MaxPath {
			t.Errorf("inclusion: %d hashes, %v", len(in), err)
		}
		con, err := Consistency(even, c[0], c[1])
		if err != nil || len(con) > MaxPath {
			t.Errorf("consistency: %d hashes, %v", len(con), err)
		}
	}
}

type nodesFunc func(uint, uint64) (Hash, error)

func (f nodesFunc) Node(level uint, index uint64) (Hash, error) { return f(level, index) }

// scant returns fewer hashes than requested.
type scant struct{}

func (scant) Hashes(_ uint, _ uint64, n int, dst []Hash) ([]Hash, error) {
	return append(dst, make([]Hash, n-1)...), nil
}

func TestTilesThatFallShort(t *testing.T) {
	if _, err := NodesOf(scant{}).Node(3, 0); err == nil {
		t.Error("a node was made of too few hashes")
	}
}
