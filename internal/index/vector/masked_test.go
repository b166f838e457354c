package vector

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/testsize"
)

// TestMaskedAreAbsent compares a tenant that a mask mostly hides with one that has only
// the rest: matches and scores are the same.
func TestMaskedAreAbsent(t *testing.T) {
	testsize.OneGoroutine(t)
	const dimensions, shown, hidden = 24, 2600, 34_000
	words := newVocabulary(5, 300, dimensions)
	asked := words.text(4)
	rng := rand.New(rand.NewPCG(7, 7))
	var all, alone history
	var places []uint64 // positions of the shown ones among all
	for len(places) < shown {
		if rng.IntN(shown+hidden) >= shown { // near the question
			v := slices.Clone(asked)
			for i := range v {
				v[i] += float32(rng.NormFloat64() * 0.05)
			}
			all = append(all, step{document: textDocument(unit(v))})
			continue
		}
		d := textDocument(words.text(3))
		if d.Embedding.Pieces = 1 + rng.IntN(30); rng.IntN(9) == 0 {
			d = &index.Document{Embedding: embed.Embedding{}} // no vector
		}
		places = append(places, uint64(len(all)))
		all, alone = append(all, step{document: d}), append(alone, step{document: d})
	}
	masks := make(map[int]*[16]uint64)
	for _, p := range places {
		if masks[int(p/1024)] == nil {
			masks[int(p/1024)] = new([16]uint64)
		}
		masks[int(p/1024)][p%1024/64] |= 1 << (p % 64)
	}
	large, small := openStore(t), openStore(t)
	all.fold(t, large, 4096)
	alone.fold(t, small, 4096)
	mask := func(chunk int) (*[16]uint64, error) { return masks[chunk], nil }
	everything := func(chunk int) (*[16]uint64, error) {
		var m [16]uint64
		for p := chunk * 1024; p < min(shown, (chunk+1)*1024); p++ {
			m[p%1024/64] |= 1 << (p % 64)
		}
		return &m, nil
	}
	refused := 0
	for _, every := range []uint64{1, 7, 1 << 40} { // one in that many is accepted
		q := Query{Vector: asked, K: 120, Gate: 10}
		q.Filter = index.Filter{Mask: mask, Accept: func(p uint64) (bool, error) {
			i, _ := slices.BinarySearch(places, p)
			if uint64(i)%every != 0 {
				refused++
				return false, nil
			}
			return true, nil
		}}
		got, err := Open(large, 0, uint64(len(all)), nil).Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Filter = index.Filter{Mask: everything, Accept: func(p uint64) (bool, error) { return p%every == 0, nil }}
		want, err := Open(small, 0, shown, nil).Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || every < 10 && len(got) < q.K {
			t.Fatalf("one in %d: %d matches, want %d", every, len(got), len(want))
		}
		for i := range got {
			got[i].Position = uint64(slices.Index(places, got[i].Position))
			if got[i] != want[i] {
				t.Fatalf("one in %d: match %d is %+v, want %+v", every, i, got[i], want[i])
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}
