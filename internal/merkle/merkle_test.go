package merkle

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/bits"
	"testing"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"
	"pgregory.net/rapid"
)

// largest is the size up to which every tree, index and pair is tried.
const largest = 300

// leafOf returns the data of the i-th leaf of the trees in these tests.
func leafOf(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }

// leavesOf returns the hashes of the first n leaves.
func leavesOf(n int) []Hash {
	all := make([]Hash, n)
	for i := range all {
		all[i] = LeafHash(leafOf(i))
	}
	return all
}

// reference implements RFC 6962, sections 2.1, 2.1.1 and 2.1.2, literally, and
// caches the roots.
type reference map[span]Hash

// span is a run of leaves, known by where it begins in memory.
type span struct {
	first *Hash
	n     int
}

func (ref reference) root(d []Hash) Hash {
	switch len(d) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return d[0]
	}
	s := span{&d[0], len(d)}
	if h, ok := ref[s]; ok {
		return h
	}
	k := below(len(d))
	l, r := ref.root(d[:k]), ref.root(d[k:])
	h := sha256.Sum256(append(append([]byte{1}, l[:]...), r[:]...))
	ref[s] = h
	return h
}

func (ref reference) path(m int, d []Hash) []Hash {
	if len(d) == 1 {
		return nil
	}
	k := below(len(d))
	if m < k {
		return append(ref.path(m, d[:k]), ref.root(d[k:]))
	}
	return append(ref.path(m-k, d[k:]), ref.root(d[:k]))
}

func (ref reference) sub(m int, d []Hash, whole bool) []Hash {
	if m == len(d) {
		if whole {
			return nil
		}
		return []Hash{ref.root(d)}
	}
	k := below(len(d))
	if m <= k {
		return append(ref.sub(m, d[:k], whole), ref.root(d[k:]))
	}
	return append(ref.sub(m-k, d[k:], false), ref.root(d[:k]))
}

// below returns the largest power of two smaller than n.
func below(n int) int { return 1 << (bits.Len(uint(n-1)) - 1) }

// shelf keeps what a store keeps: leaves, and nodes of every 8th level.
type shelf map[uint][]Hash

func (s shelf) add(r *Range, leaf Hash) {
	s[0] = append(s[0], leaf)
	r.AppendVisit(leaf, func(level uint, index uint64, h Hash) {
		if level%TileHeight != 0 {
			return
		}
		if uint64(len(s[level])) != index {
			panic("a node came out of order")
		}
		s[level] = append(s[level], h)
	})
}

func (s shelf) Hashes(level uint, first uint64, n int, dst []Hash) ([]Hash, error) {
	if level%TileHeight != 0 || n > 128 || first/128 != (first+uint64(n)-1)/128 {
		return nil, errors.New("a promise was broken")
	}
	if first+uint64(n) > uint64(len(s[level])) {
		return nil, errors.New("not there")
	}
	return append(dst, s[level][first:first+uint64(n)]...), nil
}

func shelfOf(leaves []Hash) (shelf, *Range) {
	s, r := shelf{}, &Range{}
	for _, l := range leaves {
		s.add(r, l)
	}
	return s, r
}

func TestReferenceVectors(t *testing.T) {
	// The test vectors of Certificate Transparency implementations.
	inputs := []string{"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"}
	roots := []string{
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
		"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
		"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	}
	var r Range
	for n, want := range roots {
		if n > 0 {
			data, err := hex.DecodeString(inputs[n-1])
			if err != nil {
				t.Fatal(err)
			}
			r.Append(LeafHash(data))
		}
		if got := r.Root(); hex.EncodeToString(got[:]) != want {
			t.Errorf("root of %d leaves is %x, want %s", n, got, want)
		}
	}
	if EmptyRoot() != (&Range{}).Root() {
		t.Error("the empty tree has two roots")
	}
}

func TestLeafHash(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 254, 255, 256, 257, 1360, 2046, 2047, 2048, 2049, 1 << 16} {
		data := bytes.Repeat([]byte{7}, n)
		if got, want := LeafHash(data), sha256.Sum256(append([]byte{0}, data...)); got != want {
			t.Errorf("leaf of %d bytes: %x, want %x", n, got, want)
		}
	}
}

func TestAllocations(t *testing.T) {
	small, header, large := make([]byte, 120), make([]byte, 1360), make([]byte, 5000)
	var r Range
	for range 1 << 10 {
		r.Append(Hash{})
	}
	r.Reset()
	var l, s Hash
	for name, f := range map[string]func(){
		"small leaf":  func() { l = LeafHash(small) },
		"header leaf": func() { l = LeafHash(header) },
		"large leaf":  func() { l = LeafHash(large) },
		"node":        func() { l = NodeHash(&l, &s) },
		"append":      func() { r.Append(l) },
		"root":        func() { l = r.Root() },
	} {
		if n := testing.AllocsPerRun(500, f); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

// TestEverySmallTree compares every tree up to largest, and every proof about
// it, with the definitions of the RFC.
func TestEverySmallTree(t *testing.T) {
	leaves := leavesOf(largest)
	tiles, whole := shelfOf(leaves)
	ref := reference{}
	nodes := &kept{NodesOf(tiles), map[[2]uint64]Hash{}}
	roots := make([]Hash, largest+1)
	var r Range
	for n := 0; n <= largest; n++ {
		if n > 0 {
			r.Append(leaves[n-1])
		}
		roots[n] = ref.root(leaves[:n])
		if r.Root() != roots[n] {
			t.Fatalf("root of %d leaves differs", n)
		}
		if got, err := RootAt(nodes, uint64(n)); err != nil || got != roots[n] {
			t.Fatalf("root at %d: %x, %v", n, got, err)
		}
		at, err := RangeAt(nodes, uint64(n))
		if err != nil || !bytes.Equal(at.AppendBinary(nil), r.AppendBinary(nil)) {
			t.Fatalf("range at %d differs: %v", n, err)
		}
	}
	if whole.Root() != r.Root() {
		t.Fatal("Append and AppendVisit differ")
	}
	for n := 1; n <= largest; n++ {
		for i := range n {
			path, err := Inclusion(nodes, uint64(i), uint64(n))
			if err != nil || !equal(path, ref.path(i, leaves[:n])) {
				t.Fatalf("inclusion of %d in %d: %v", i, n, err)
			}
			if err := VerifyInclusion(leaves[i], uint64(i), uint64(n), path, roots[n]); err != nil {
				t.Fatalf("inclusion of %d in %d: %v", i, n, err)
			}
		}
		for m := 0; m <= n; m++ {
			path, err := Consistency(nodes, uint64(m), uint64(n))
			if err != nil || m > 0 && !equal(path, ref.sub(m, leaves[:n], true)) || m == 0 && len(path) > 0 {
				t.Fatalf("consistency of %d and %d: %v", m, n, err)
			}
			if err := VerifyConsistency(uint64(m), uint64(n), path, roots[m], roots[n]); err != nil {
				t.Fatalf("consistency of %d and %d: %v", m, n, err)
			}
		}
	}
}

// kept caches nodes that are requested often.
type kept struct {
	from  Nodes
	known map[[2]uint64]Hash
}

func (k *kept) Node(level uint, index uint64) (Hash, error) {
	id := [2]uint64{uint64(level), index}
	h, ok := k.known[id]
	if ok {
		return h, nil
	}
	h, err := k.from.Node(level, index)
	if err == nil {
		k.known[id] = h
	}
	return h, err
}

func equal(a, b []Hash) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestLibraryAgrees compares random larger trees with the library's own tree.
func TestLibraryAgrees(t *testing.T) {
	const most = 70_000 // past two levels of tiles
	leaves := leavesOf(most)
	tiles, _ := shelfOf(leaves)
	oracle := testonly.New(rfc6962.DefaultHasher)
	for i := range leaves {
		oracle.Append(leaves[i][:])
	}
	nodes := NodesOf(tiles)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Uint64Range(1, most).Draw(t, "size")
		index := rapid.Uint64Range(0, size-1).Draw(t, "index")
		root, err := RootAt(nodes, size)
		if err != nil || !bytes.Equal(root[:], oracle.HashAt(size)) {
			t.Fatalf("root at %d: %x, %v", size, root, err)
		}
		path, err := Inclusion(nodes, index, size)
		want, _ := oracle.InclusionProof(index, size)
		if err != nil || !same(path, want) {
			t.Fatalf("inclusion of %d in %d differs: %v", index, size, err)
		}
		if err := VerifyInclusion(leaves[index], index, size, path, root); err != nil {
			t.Fatal(err)
		}
		path, err = Consistency(nodes, index, size)
		want, _ = oracle.ConsistencyProof(index, size)
		if err != nil || !same(path, want) {
			t.Fatalf("consistency of %d and %d differs: %v", index, size, err)
		}
	})
}

func same(path []Hash, want [][]byte) bool {
	if len(path) != len(want) {
		return false
	}
	for i := range path {
		if !bytes.Equal(path[i][:], want[i]) {
			return false
		}
	}
	return true
}

func TestVisitTellsEveryNode(t *testing.T) {
	factory := compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}
	theirs, ours := factory.NewEmptyRange(0), Range{}
	for i, leaf := range leavesOf(1000) {
		var got, want []compact.NodeID
		var gotHash, wantHash []Hash
		ours.AppendVisit(leaf, func(level uint, index uint64, h Hash) {
			got, gotHash = append(got, compact.NewNodeID(level, index)), append(gotHash, h)
		})
		if err := theirs.Append(leaf[:], func(id compact.NodeID, h []byte) {
			if id.Level > 0 {
				want, wantHash = append(want, id), append(wantHash, Hash(h))
			}
		}); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || !equal(gotHash, wantHash) {
			t.Fatalf("leaf %d: %v, want %v", i, got, want)
		}
		for k := range got {
			if got[k] != want[k] {
				t.Fatalf("leaf %d: %v, want %v", i, got, want)
			}
		}
	}
}
