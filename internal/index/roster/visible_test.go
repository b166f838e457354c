package roster_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/text"
)

// TestMasked compares the results for the documents in a mask with the
// documents themselves.
func TestMasked(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	records, _ := drawRecords(rnd, 3000)
	speakers := []string{"Ann", "bea", "", "Cyd"}
	for i := range records {
		if d := records[i].Document; d != nil {
			d.Speaker = pick(rnd, speakers[:3])
		}
	}
	s := openStore(t)
	fold(t, s, records, 700)
	v, err := roster.Open(s, 3, 3000, nil)
	if err != nil {
		t.Fatal(err)
	}
	var shown [3][16]uint64
	for i := range shown[0] {
		shown[0][i], shown[2][i] = rnd.Uint64(), rnd.Uint64()&rnd.Uint64()&rnd.Uint64()
	}
	mask := func(chunk int) (*[16]uint64, error) {
		if chunk == 1 || chunk > 2 {
			return nil, nil
		}
		return &shown[chunk], nil
	}
	where := v.Filter(roster.Conditions{Agents: agents[:2]})
	both := v.Both(where, mask)
	documents, words, private := uint64(0), uint64(0), false
	seen := make(map[roster.Speaker]bool)
	for p := range uint64(3000) {
		row, ok, err := v.Row(p)
		if err != nil {
			t.Fatal(err)
		}
		live, err := v.Live(int(p / 1024))
		if err != nil {
			t.Fatal(err)
		}
		if live[p%1024/64]>>(p%64)&1 != 0 != ok {
			t.Fatalf("position %d is there: %v", p, ok)
		}
		leaves := func(m roster.Mask) bool {
			bits, err := m(int(p / 1024))
			if err != nil {
				t.Fatal(err)
			}
			return bits != nil && bits[p%1024/64]>>(p%64)&1 != 0
		}
		if got, want := leaves(both), leaves(where) && leaves(mask); got != want {
			t.Fatalf("position %d passes both: %v, want %v", p, got, want)
		}
		private = private || ok && row.Private
		if ok && leaves(mask) {
			documents++
			words += uint64(row.Words)
			seen[row.Speaker] = true
		}
	}
	gotDocuments, gotWords, err := v.Words(mask)
	if err != nil || gotDocuments != documents || gotWords != words || documents == 0 {
		t.Errorf("%d documents with %d words, want %d and %d; %v", gotDocuments, gotWords, documents, words, err)
	}
	asked := make(map[roster.Speaker]bool)
	for _, name := range speakers {
		asked[roster.SpeakerOf(name)] = true
	}
	got, err := v.Speak(mask, asked)
	if err != nil || len(got) != 2 {
		t.Errorf("%v speak; %v", got, err)
	}
	for s := range got {
		if !seen[s] || s == 0 {
			t.Errorf("%v does not speak", s)
		}
	}
	if got, err := v.Private(); err != nil || got != private || !private {
		t.Errorf("something is private: %v, %v", got, err)
	}
	if v.Both(nil, mask) == nil || v.Chunks() != 3 {
		t.Error("no mask beside one, or the wrong number of chunks")
	}
}

// TestNothingPrivate: Private is true as long as there is a private document.
func TestNothingPrivate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	records, _ := drawRecords(rnd, 50)
	for i := range records {
		if d := records[i].Document; d != nil {
			d.Private, d.Tokens = false, []text.Token{}
		}
	}
	for _, want := range []bool{false, true} {
		s := openStore(t)
		fold(t, s, records, 7)
		v, err := roster.Open(s, 3, 50, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.Private(); err != nil || got != want {
			t.Errorf("something is private: %v, want %v; %v", got, want, err)
		}
		if other, err := roster.Open(s, 4, 0, nil); err != nil {
			t.Fatal(err)
		} else if got, err := other.Private(); err != nil || got {
			t.Errorf("another tenant has something private: %v", err)
		}
		last := &records[len(records)-1]
		last.Control, last.Document = nil, &index.Document{Kind: kinds[0], ID: "last", Private: true}
	}
}

// TestNewest compares the newest document of a kind with all of them.
func TestNewest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	records, _ := drawRecords(rnd, 3000)
	s := openStore(t)
	fold(t, s, records, 700)
	v, err := roster.Open(s, 3, 3000, nil)
	if err != nil {
		t.Fatal(err)
	}
	var shown [3][16]uint64
	for i := range shown[0] {
		shown[0][i], shown[2][i] = rnd.Uint64()&rnd.Uint64(), rnd.Uint64()&rnd.Uint64()
	}
	some := func(chunk int) (*[16]uint64, error) {
		if chunk != 0 && chunk != 2 {
			return nil, nil
		}
		return &shown[chunk], nil
	}
	none := func(int) (*[16]uint64, error) { return nil, nil }
	rows := make(map[uint64]roster.Row)
	for p := range uint64(3000) {
		row, ok, err := v.Row(p)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			rows[p] = row
		}
	}
	found := 0
	for range 50 {
		row, ok := rows[rnd.Uint64N(3000)]
		if !ok {
			continue
		}
		k, until := row.Kind, row.Time // so that some are at the very end
		if rnd.IntN(4) == 0 {
			until = math.MaxInt64
		}
		for _, mask := range []roster.Mask{nil, some, none} {
			want, there := int64(0), false
			for p, row := range rows {
				if row.Kind != k || row.Time > until || there && row.Time <= want {
					continue
				}
				if mask != nil {
					if m, _ := mask(int(p / 1024)); m == nil || m[p%1024/64]>>(p%64)&1 == 0 {
						continue
					}
				}
				want, there = row.Time, true
				found++
			}
			if got, ok, err := v.Newest(k, until, mask); err != nil || ok != there || got != want {
				t.Fatalf("of kind %v until %d: %d, %v, %v, want %d, %v", k, until, got, ok, err, want, there)
			}
		}
	}
	if found == 0 {
		t.Error("there was nothing to find")
	}
}
