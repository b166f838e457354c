package vector

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestQuantize: quantizing keeps the direction of any vector that has one.
func TestQuantize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	for _, n := range []int{1, 2, 3, 256, maxDimensions} {
		for _, size := range []float64{1, 1e-300, 1e300} {
			v := make([]float64, n)
			length := 0.0
			for i := range v {
				v[i] = rng.NormFloat64()
				length += v[i] * v[i]
				v[i] *= size
			}
			length = math.Sqrt(length) * size
			q, ok := quantize[int8](nil, v, maxRow)
			if !ok || len(q.values) != n || max(slices.Max(q.values), -slices.Min(q.values)) != maxRow {
				t.Fatalf("%d numbers of size %g: %v", n, size, ok)
			}
			for i, x := range v {
				if off := math.Abs(float64(q.scale)*float64(q.values[i]) - x/length); off > 0.51*float64(q.scale) {
					t.Fatalf("number %d is off by %g of %g", i, off, q.scale)
				}
			}
		}
	}
	for _, bad := range [][]float64{nil, {0}, {0, math.Copysign(0, -1)}, {1, math.NaN()}, {math.Inf(1)}, make([]float64, maxDimensions+1)} {
		if _, ok := quantize[int8](nil, bad, maxRow); ok {
			t.Errorf("%v has a row", bad[:min(3, len(bad))])
		}
	}
	for x, want := range map[float64]int8{0.49: 0, 0.5: 1, -0.5: -1, 1.5: 2, -126.6: -127, 127: 127} {
		if got := rounded[int8](x); got != want {
			t.Errorf("%g is %d", x, got)
		}
	}
}

// TestRowsComeBack: rows round-trip.
func TestRowsComeBack(t *testing.T) {
	q, _ := quantize[int8](nil, []float64{1, -2, 3}, maxRow)
	for _, o := range []origin{{norm: 2, pieces: 9}, {pieces: 65_535}, {norm: 1, late: true, by: 1 << 40}} {
		v := appendRow(nil, q, o)
		r, err := decodeRow(v)
		if err != nil || r.origin != o || r.scale != q.scale || len(r.values) != 3 || int8(r.values[1]) != q.values[1] || len(v) != rowBytes(o, 3) {
			t.Errorf("%+v %v, want %+v", r, err, o)
		}
	}
	if r, err := decodeRow(appendRow(nil, q, origin{pieces: 1 << 20})); err != nil || r.pieces != math.MaxUint16 {
		t.Error(r, err)
	}
}

// TestLongNames: long names are cut between characters, and their spaces stay distinct.
func TestLongNames(t *testing.T) {
	var l listing
	l.name(strings.Repeat("ä", 200)+"x", 3)
	if l.model != strings.Repeat("ä", 128) {
		t.Error(l.model)
	}
	l.name("x"+strings.Repeat("ä", 200), 3)
	if l.model != "x"+strings.Repeat("ä", 127) {
		t.Error(l.model)
	}
	if spaceOf(strings.Repeat("a", 300), 3) == spaceOf(strings.Repeat("a", 301), 3) || spaceOf("a", 31) == spaceOf("a\x003", 1) {
		t.Error("two models share a space")
	}
}

// FuzzDecoders: what decodes encodes to the same bytes, and nothing else decodes.
func FuzzDecoders(f *testing.F) {
	q, _ := quantize[int8](nil, []float64{1, -2, 3}, maxRow)
	f.Add(appendRow(nil, q, origin{norm: 2, pieces: 3}))
	f.Add(appendRow(nil, q, origin{late: true, by: 4}))
	c := &codes{words: 1}
	copy(c.add(3), []uint64{5})
	copy(c.add(1023), []uint64{6})
	f.Add(c.encode(nil))
	f.Add(appendEntries(nil, []entry{{chunk: 1, rows: 2}, {chunk: 7, rows: chunkRows}}))
	l := listing{"name", 3, 4}
	f.Add(l.encode(nil))
	f.Add(appendEmbedded(nil, place{position: 7}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, v []byte) {
		if r, err := decodeRow(v); err == nil {
			q := quantized[int8]{scale: r.scale}
			for _, b := range r.values {
				q.values = append(q.values, int8(b))
			}
			if again := appendRow(nil, q, r.origin); !bytes.Equal(again, v) && r.norm == r.norm {
				t.Errorf("row %x becomes %x", v, again)
			}
		}
		if c, err := decodeCodes(v); err == nil {
			if again := c.encode(nil); !bytes.Equal(again, v) {
				t.Errorf("codes %x become %x", v, again)
			}
			if n := new(Cache).newChunk(c); len(n.offsets) != len(c.offsets) {
				t.Error("rows are lost")
			}
		}
		if list, err := decodeEntries(nil, v); err == nil {
			if again := appendEntries(nil, list); !bytes.Equal(again, v) {
				t.Errorf("entries %x become %x", v, again)
			}
		}
		if l, err := decodeListing(v); err == nil {
			if again := l.encode(nil); !bytes.Equal(again, v) {
				t.Errorf("listing %x becomes %x", v, again)
			}
		}
		if p, err := decodeEmbedded(3, v); err == nil {
			if again := appendEmbedded(nil, p); !bytes.Equal(again, v) {
				t.Errorf("note %x becomes %x", v, again)
			}
		}
		if p, err := placeOf(v); err == nil && (len(v) < 2 || !bytes.Equal(rowKey(nil, p)[2:], v[2:])) {
			t.Errorf("key %x is not that of %v", v, p)
		}
	})
}

// TestEntries: entries are set, replaced and removed in order.
func TestEntries(t *testing.T) {
	var list []entry
	want := map[uint16]entry{}
	rng := rand.New(rand.NewPCG(1, 7))
	for range 500 {
		e := entry{chunk: uint16(rng.IntN(20)), rows: uint16(rng.IntN(3)), digest: [8]byte{byte(rng.IntN(256))}}
		list = setEntry(list, e)
		if e.rows == 0 {
			delete(want, e.chunk)
		} else {
			want[e.chunk] = e
		}
		got := map[uint16]entry{}
		for _, e := range list {
			got[e.chunk] = e
		}
		if !reflect.DeepEqual(got, want) || len(got) != len(list) || !slices.IsSortedFunc(list, func(a, b entry) int { return int(a.chunk) - int(b.chunk) }) {
			t.Fatalf("%v, want %v", list, want)
		}
	}
}
