package merkle

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"testing"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

func TestRangeRoundTrip(t *testing.T) {
	var r Range
	for i, leaf := range append([]Hash{{}}, leavesOf(600)...) {
		if i > 0 {
			r.Append(leaf)
		}
		b := r.AppendBinary([]byte("before"))
		got, err := ParseRange(b[len("before"):])
		if err != nil || got.Size() != uint64(i) || got.Root() != r.Root() {
			t.Fatalf("range of %d: %v", i, err)
		}
		got.Append(Hash{1})
		next := r.Clone()
		next.Append(Hash{1})
		if got.Root() != next.Root() || r.Size() != uint64(i) {
			t.Fatalf("range of %d: what was read does not go on as what was written", i)
		}
	}
}

func TestCloneIsItsOwn(t *testing.T) {
	var r Range
	for _, leaf := range leavesOf(7) {
		r.Append(leaf)
	}
	before := r.Root()
	c := r.Clone()
	for range 9 {
		c.Append(Hash{9})
	}
	if r.Root() != before || r.Size() != 7 {
		t.Error("a clone changed its original")
	}
	r.Reset()
	if r.Size() != 0 || r.Root() != EmptyRoot() {
		t.Error("a reset tree is not empty")
	}
}

func TestParseRangeRefuses(t *testing.T) {
	size := func(n uint64, hashes int) []byte {
		return append(binary.BigEndian.AppendUint64(nil, n), make([]byte, hashes*HashSize)...)
	}
	for name, b := range map[string][]byte{
		"nothing":             nil,
		"a short size":        size(0, 0)[:7],
		"a hash too many":     size(0, 1),
		"a hash too few":      size(3, 1),
		"half a hash":         size(1, 1)[:20],
		"a byte behind":       append(size(1, 1), 0),
		"more than there is":  size(1<<63, 1),
		"the largest integer": size(1<<64-1, 64),
	} {
		if _, err := ParseRange(b); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func FuzzParseRange(f *testing.F) {
	var r Range
	for _, leaf := range leavesOf(11) {
		f.Add(r.AppendBinary(nil))
		r.Append(leaf)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseRange(b)
		if err != nil {
			return
		}
		if !bytes.Equal(r.AppendBinary(nil), b) {
			t.Fatal("an encoding has two spellings")
		}
		r.Root()
		r.Append(Hash{})
		if n := bits.OnesCount64(r.Size()); len(r.AppendBinary(nil)) != 8+n*HashSize {
			t.Fatal("the tree lost its shape")
		}
	})
}

// The two benchmarks do the same work: a leaf of 120 bytes, hashed and appended.

func BenchmarkAppend(b *testing.B) {
	data := make([]byte, 120)
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		var r Range
		for b.Loop() {
			r.Append(LeafHash(data))
		}
	})
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		factory := compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}
		r := factory.NewEmptyRange(0)
		for b.Loop() {
			if err := r.Append(rfc6962.DefaultHasher.HashLeaf(data), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkInclusion(b *testing.B) {
	const size = 70_000
	tiles, _ := shelfOf(leavesOf(size))
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		if _, err := Inclusion(NodesOf(tiles), i*7919%size, size); err != nil {
			b.Fatal(err)
		}
	}
}
