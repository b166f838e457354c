package lexical

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/text"
)

// FuzzForward decodes rows of documents: an invalid one gives only damage, and a
// valid one encodes to the same bytes, if it is in canonical order.
func FuzzForward(f *testing.F) {
	var w forwardWriter
	words := newWords(1, 50)
	for range 5 {
		w.write(words.document(8))
		f.Add(bytes.Clone(w.row))
	}
	many := make([]text.Token, 700)
	for i := range many {
		many[i] = text.Token{Term: term(uint64(i)), At: uint32(3 * i), Field: text.Field(i / 500)}
	}
	w.write(many)
	f.Add(bytes.Clone(w.row))
	f.Add([]byte{})
	f.Add([]byte{1, 255, 255, 3})
	f.Fuzz(func(t *testing.T, row []byte) {
		d, err := readForward(row)
		if err != nil {
			damageOnly(t, err)
			return
		}
		d.weight(5)
		tokens, err := d.tokens()
		if err != nil {
			damageOnly(t, err)
			return
		}
		if len(tokens) > len(row) {
			t.Fatalf("%d tokens of %d bytes", len(tokens), len(row))
		}
		var again forwardWriter
		again.write(tokens)
		back, err := readForward(again.row)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := back.tokens(); err != nil || !slices.Equal(got, tokens) || back.length != d.length {
			t.Fatalf("%v became %v: %v", tokens, got, err)
		}
	})
}

func damageOnly(t *testing.T, err error) {
	t.Helper()
	if fault.CodeOf(err) != fault.Damaged {
		t.Fatal(err)
	}
}

// FuzzList reads lists of postings.
func FuzzList(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 127, 128, 129, 400} {
		p := randomPostings(rng, n, 1<<17)
		list, _ := p.appendList(nil, nil, 0)
		f.Add(list, n)
	}
	f.Add([]byte{0xff}, 1)
	f.Fuzz(func(t *testing.T, list []byte, n int) {
		if n < 1 || n > 1<<17 {
			return
		}
		var p postings
		var b block
		if _, ok := p.decodeList(list, n, 0, 1<<17, 0, &b, nil); !ok {
			return
		}
		if len(p.offsets) != n || n > 128*len(list) {
			t.Fatalf("%d postings of %d bytes, want %d", len(p.offsets), len(list), n)
		}
		for i, offset := range p.offsets {
			if offset >= 1<<17 || i > 0 && offset <= p.offsets[i-1] {
				t.Fatalf("offset %d", offset)
			}
		}
		again, _ := p.appendList(nil, nil, 0)
		var back postings
		if _, ok := back.decodeList(again, n, 0, 1<<17, 0, &b, nil); !ok || !slices.Equal(back.offsets, p.offsets) ||
			!slices.Equal(back.weights, p.weights) || !slices.Equal(back.lengths, p.lengths) {
			t.Fatal("it is another list when it was written again")
		}
	})
}

// randomPostings returns n postings below a limit.
func randomPostings(rng *rand.Rand, n int, limit uint32) (p postings) {
	taken := make(map[uint32]bool)
	for len(taken) < n {
		taken[rng.Uint32N(limit)] = true
	}
	offsets := make([]uint32, 0, n)
	for offset := range taken {
		offsets = append(offsets, offset)
	}
	slices.Sort(offsets)
	most := uint32(1) << rng.IntN(32)
	for _, offset := range offsets {
		w := uint8(plain)
		if rng.IntN(n) == 0 {
			w = uint8(1 + rng.IntN(255))
		}
		p.add(offset, w, rng.Uint32N(most))
	}
	return p
}

// TestLists writes lists of all widths and reads them again.
func TestLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	var k block
	var places []blockPlace
	for range 300 {
		limit := uint32(1) << (9 + rng.IntN(20))
		base := rng.Uint32N(limit / 2)
		p := randomPostings(rng, 1+rng.IntN(min(400, int(limit/2))), limit-base)
		for i := range p.offsets {
			p.offsets[i] += base
		}
		list, _ := p.appendList([]byte{7}, nil, base)
		var back postings
		var ok bool
		if places, ok = back.decodeList(list[1:], len(p.offsets), base, limit, 3, &k, places); !ok {
			t.Fatalf("%d postings cannot be read again", len(p.offsets))
		}
		for i := range back.offsets {
			back.offsets[i] -= 3
		}
		if !slices.Equal(back.offsets, p.offsets) || !slices.Equal(back.weights, p.weights) || !slices.Equal(back.lengths, p.lengths) {
			t.Fatal("it is another list when it was read again")
		}
		if _, ok := new(postings).decodeList(list[1:], len(p.offsets), base, p.offsets[len(p.offsets)-1], 0, &k, nil); ok {
			t.Fatal("an offset beyond the limit was read")
		}
	}
}

// FuzzBucket reads bucket rows and the bodies in them, and opens cursors on them.
func FuzzBucket(f *testing.F) {
	s := openStore(f)
	x := newShaped(small())
	w := newWords(4, 60)
	for p := range uint64(128) {
		fold(f, s, x, false, step{position: p, tokens: w.document(6)})
	}
	it, err := s.Iter([]byte{Prefix, tableBucket}, []byte{Prefix, tableBucket + 1})
	if err != nil {
		f.Fatal(err)
	}
	for i, ok := 0, it.First(); ok && i < 20; i, ok = i+1, it.Next() {
		row, err := it.Value()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(row), uint64(term(3)))
	}
	if err := it.Close(); err != nil {
		f.Fatal(err)
	}
	empty := openStore(f)
	f.Fuzz(func(t *testing.T, row []byte, of uint64) {
		v, err := openShaped(small(), empty, 0, 2048, nil)
		if err != nil {
			t.Fatal(err)
		}
		seg := segment{level: 2}
		var r bucketReader
		bodies := make([][]byte, 0, 8)
		if body, ok := findBody(row, text.Term(of)&(noTerm-1)); ok && body != nil {
			bodies = append(bodies, body)
		}
		if r.open(row) {
			for r.next() {
				bodies = append(bodies, r.body)
			}
		}
		scorer := newScorer(DefaultParams(), statistics{1, 1})
		q := queryTerm{factor: 1}
		for _, body := range bodies {
			var c cursor
			if err := c.open(v, &scorer, &q, seg, body); err != nil {
				damageOnly(t, err)
				continue
			}
			last, ok, err := uint32(0), true, error(nil)
			for ok {
				c.bound(last, last+10)
				c.next(last)
				if ok, err = c.seek(last, 1<<20); err != nil {
					damageOnly(t, err)
				}
				if ok {
					if o := c.block.offsets[c.at]; o < last || uint64(o) >= small().spans[2] {
						t.Fatalf("offset %d behind %d", o, last)
					}
					last = c.block.offsets[c.at] + 1
				}
			}
		}
	})
}

// FuzzStatistics reads statistics.
func FuzzStatistics(f *testing.F) {
	f.Add(statistics{3, 70}.encode(nil))
	f.Add([]byte{0, 0})
	f.Fuzz(func(t *testing.T, v []byte) {
		s, err := decodeStatistics(v)
		if err != nil {
			damageOnly(t, err)
			return
		}
		if again, err := decodeStatistics(s.encode(nil)); err != nil || again != s {
			t.Fatal(s, again, err)
		}
	})
}
