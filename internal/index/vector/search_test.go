package vector

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// small is a tenant with a built-in space of 4 dimensions and two of its own.
func small(t testing.TB) (*kv.Store, uint64) {
	h := history{
		{document: textDocument([]float32{1, 0, 0, 0})},
		{document: &index.Document{Embedding: embed.Embedding{Vector: []float32{0, 1, 0, 0}}, Own: []float64{1e300, -1e300, 1e-300}, OwnModel: "far"}},
		{document: &index.Document{Embedding: embed.Embedding{Vector: make([]float32, 4)}, Own: []float64{0, 5e-324}}},
		{document: &index.Document{Own: []float64{0, 0}}},
		{document: &index.Document{Own: []float64{1, math.NaN()}}},
		{document: &index.Document{Own: []float64{math.Inf(1), 1}}},
		{tenant: 1, document: textDocument([]float32{1, 0, 0, 0})},
	}
	s := openStore(t)
	h.fold(t, s, 3)
	return s, h.size(0)
}

// TestSpaces lists those that have vectors.
func TestSpaces(t *testing.T) {
	s, size := small(t)
	got, err := Open(s, 0, size, nil).Spaces(10)
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	if got[0] != (Space{true, "model", 4, 2}) {
		t.Errorf("%+v", got[0])
	}
	rest := map[Space]bool{got[1]: true, got[2]: true}
	if !rest[Space{false, "far", 3, 1}] || !rest[Space{false, "", 2, 1}] {
		t.Errorf("%+v", got)
	}
	if got, err := Open(s, 0, size, nil).Spaces(1); err != nil || len(got) != 1 {
		t.Error(got, err)
	}
	if got, err := Open(s, 9, 0, nil).Spaces(10); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
}

// TestQueriesThatCannotBe: invalid queries are refused, with the reason and what exists.
func TestQueriesThatCannotBe(t *testing.T) {
	s, size := small(t)
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		q    Query
		want []string
	}{
		{Query{Vector: []float32{1, 0, 0, 0}}, []string{"k: is 0", "10000"}},
		{Query{Vector: []float32{1, 0, 0, 0}, K: MaxMatches + 1}, []string{"k: is 10001"}},
		{Query{K: 1}, []string{"vector: has 0 numbers"}},
		{Query{K: 1, Vector: make([]float32, maxDimensions+1)}, []string{"vector: has 4097 numbers"}},
		{Query{K: 1, Vector: make([]float32, 4)}, []string{"vector: is zero"}},
		{Query{K: 1, Vector: []float32{1, nan, 0, 0}}, []string{"vector: number 1 is NaN"}},
		{Query{K: 1, Vector: []float32{inf, nan, 0, 0}}, []string{"vector: number 0 is -Inf"}},
		{Query{K: 1, Vector: []float32{1, 2, 3}}, []string{"vector: has 3 numbers", "have 4"}},
		{Query{K: 1, Vector: []float32{1, 2, 3}, Own: true, Model: "near"}, []string{`model "near" with 3 dimensions`, `model "far" with 3 dimensions`, "an unnamed model with 2 dimensions"}},
		{Query{K: 1, Vector: []float32{1, 2}, Own: true, Model: "far"}, []string{`model "far" with 2 dimensions`}},
	} {
		_, err := Open(s, 0, size, nil).Search(t.Context(), c.q)
		f := fault.From(err)
		if err == nil || f.Code != fault.InvalidArgument {
			t.Errorf("%v: %v", c.q.Vector, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(f.Error()+"; "+f.Advice(), w) {
				t.Errorf("%q; %q lacks %q", f.Error(), f.Advice(), w)
			}
		}
	}
	// Without any vectors, nothing is found.
	for _, q := range []Query{{K: 1, Vector: []float32{1}}, {K: 1, Vector: []float32{1}, Own: true}} {
		if got, err := Open(s, 9, 0, nil).Search(t.Context(), q); err != nil || got != nil {
			t.Error(got, err)
		}
	}
}

// TestExtremeVectors: extreme vectors are found by their direction.
func TestExtremeVectors(t *testing.T) {
	s, size := small(t)
	got, err := Open(s, 0, size, nil).Search(t.Context(), Query{Vector: []float32{1, -1, 0}, Own: true, Model: "far", K: 5})
	if err != nil || len(got) != 1 || got[0].Position != 1 || got[0].Score < 0.999 || got[0].Norm != math.MaxFloat32 {
		t.Error(got, err)
	}
	got, err = Open(s, 0, size, nil).Search(t.Context(), Query{Vector: []float32{0, -math.MaxFloat32}, Own: true, K: 5})
	if err != nil || len(got) != 1 || got[0].Position != 2 || got[0].Score > -0.999 {
		t.Error(got, err)
	}
}

// TestNear: Near agrees with Search for the given documents, for any gate.
func TestNear(t *testing.T) {
	s, size := small(t)
	v := Open(s, 0, size, nil)
	q := Query{Vector: []float32{3, 4, 0, 0}, K: 5}
	found, err := v.Search(t.Context(), q)
	if err != nil || len(found) != 2 || found[0].Position != 1 {
		t.Fatal(found, err)
	}
	q.Gate = 3
	got, err := v.Near(t.Context(), q, []uint64{0, 77, 2, 1})
	if err != nil || len(got) != 4 || got[1].Values != nil || got[2].Values != nil {
		t.Fatal(got, err)
	}
	if got[0].Cosine != found[1].Score || got[3].Cosine != found[0].Score || got[0].Pieces != 7 {
		t.Error(got, found)
	}
	if x := got[3]; len(x.Values) != 4 || math.Abs(float64(int8(x.Values[1]))*float64(x.Scale)-1) > 1e-6 || x.Values[0] != 0 {
		t.Error(x)
	}
	if same, other := got[3].Like(&got[3]), got[3].Like(&got[0]); math.Abs(same-1) > 1e-6 || other != got[0].Like(&got[3]) || other > 0.9 {
		t.Error(same, other)
	}
}

// TestLike compares rows with each other, with the fastest kernels and with a plain sum.
func TestLike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dimensions := range []int{1, 15, 16, 31, 256, 1024} {
		var two [2]Near
		quick := quickest()
		for i := range two {
			two[i] = Near{Values: make([]byte, dimensions), Scale: float32(i+1) / 300, kernels: &quick}
			for k := range two[i].Values {
				two[i].Values[k] = byte(r.Uint32())
			}
		}
		sum := 0
		for k, x := range two[0].Values {
			sum += int(int8(x)) * int(int8(two[1].Values[k]))
		}
		want := limited(float64(sum) * (float64(two[0].Scale) * float64(two[1].Scale)))
		if got := two[0].Like(&two[1]); got != want {
			t.Errorf("%d dimensions: %v, and not %v", dimensions, got, want)
		}
	}
}

// TestGate: the gate lowers scores of texts with few pieces, for estimates and exact scores,
// and ignores unknown numbers of pieces.
func TestGate(t *testing.T) {
	h := history{{document: textDocument([]float32{1, 0})}, {document: textDocument([]float32{1, 0})}, {document: textDocument([]float32{0.6, 0.8})}}
	h[0].document.Embedding.Pieces = 2
	h[1].document.Embedding.Pieces = 0
	h[2].document.Embedding.Pieces = 38
	s := openStore(t)
	h.fold(t, s, 5)
	exact := func(p uint64) ([]float32, error) { return h[p].document.Embedding.Vector, nil }
	for _, f := range []func(uint64) ([]float32, error){nil, exact} {
		got, err := Open(s, 0, 3, nil).Search(t.Context(), Query{Vector: []float32{1, 0}, K: 3, Gate: 2, Exact: f})
		if err != nil || len(got) != 3 || got[0].Position != 1 || got[1].Position != 2 || got[2].Position != 0 {
			t.Fatal(got, err)
		}
		for i, want := range []float64{1, 0.6 * 38 / 40, 0.5} {
			if math.Abs(got[i].Score-want) > 0.005 {
				t.Errorf("%v, want %v", got[i], want)
			}
		}
	}
}

// TestErrorsOfCallbacks: errors of callbacks reach the caller, and a cancelled search ends.
func TestErrorsOfCallbacks(t *testing.T) {
	s, size := small(t)
	broken := errors.New("broken")
	v := Open(s, 0, size, nil)
	q := func() Query { return Query{Vector: []float32{1, 1, 0, 0}, K: 5} }
	for name, change := range map[string]func(*Query){
		"mask":   func(q *Query) { q.Filter.Mask = func(int) (*[16]uint64, error) { return nil, broken } },
		"accept": func(q *Query) { q.Filter.Accept = func(uint64) (bool, error) { return false, broken } },
		"exact":  func(q *Query) { q.Exact = func(uint64) ([]float32, error) { return nil, broken } },
	} {
		bad := q()
		change(&bad)
		if _, err := v.Search(t.Context(), bad); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	none := q()
	none.Exact = func(uint64) ([]float32, error) { return nil, nil }
	if got, err := v.Search(t.Context(), none); err != nil || len(got) != 2 || got[0].Exact {
		t.Error(got, err)
	}
	none.Exact = func(uint64) ([]float32, error) { return []float32{1}, nil }
	if _, err := v.Search(t.Context(), none); fault.CodeOf(err) != fault.Internal {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Search(ctx, q()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestDamageIsTold: damage is reported, never searched.
func TestDamageIsTold(t *testing.T) {
	v := newVocabulary(3, 50, 8)
	h := make(history, chunkRows+10)
	for i := range h {
		h[i].document = textDocument(v.text(3))
	}
	row := rowKey(nil, place{0, builtin, 5})
	for name, harm := range map[string]func(tx *kv.Txn) error{
		"no row":        func(tx *kv.Txn) error { return tx.Delete(row) },
		"short row":     func(tx *kv.Txn) error { return tx.Set(row, make([]byte, 5)) },
		"other row":     func(tx *kv.Txn) error { return tx.Set(row, append(make([]byte, rowHead), 1)) },
		"no chunk":      func(tx *kv.Txn) error { return tx.Delete(codesKey(nil, 0, builtin, 0)) },
		"other chunk":   func(tx *kv.Txn) error { return tx.Set(codesKey(nil, 0, builtin, 0), make([]byte, 200)) },
		"no directory":  func(tx *kv.Txn) error { return tx.Set(directoryKey(nil, 0, builtin, 0), make([]byte, 7)) },
		"no space":      func(tx *kv.Txn) error { return tx.Set(spaceKey(nil, 0, builtin), nil) },
		"row in a tail": func(tx *kv.Txn) error { return tx.Set(rowKey(nil, place{0, builtin, chunkRows}), []byte{1}) },
	} {
		s := openStore(t)
		h.fold(t, s, 5000)
		tx := s.Begin()
		if err := harm(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		_, err := Open(s, 0, uint64(len(h)), NewCache(1<<20)).Search(t.Context(), Query{Vector: v.text(3), K: 10, Exact: func(uint64) ([]float32, error) { return nil, nil }, ExactMatches: len(h)})
		if fault.CodeOf(err) != fault.Damaged {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamageWhileCodesAreHeld: a space whose dimensions differ from the cached codes is
// reported, too.
func TestDamageWhileCodesAreHeld(t *testing.T) {
	v := newVocabulary(3, 50, 100)
	h := make(history, 40)
	for i := range h {
		h[i].document = textDocument(v.text(3))
	}
	s := openStore(t)
	h.fold(t, s, 5000)
	cache := NewCache(1 << 20)
	ask := func(dimensions int) error {
		_, err := Open(s, 0, uint64(len(h)), cache).Search(t.Context(), Query{Vector: newVocabulary(3, 50, dimensions).text(3), K: 10})
		return err
	}
	if err := ask(100); err != nil {
		t.Fatal(err)
	}
	l := listing{dimensions: 300, vectors: uint64(len(h))}
	tx := s.Begin()
	if err := tx.Set(spaceKey(nil, 0, builtin), l.encode(nil)); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := ask(300); fault.CodeOf(err) != fault.Damaged {
		t.Error(err)
	}
}

// TestManySearchAtOnce: many searches share one cache that is too small, while the tenant
// grows.
func TestManySearchAtOnce(t *testing.T) {
	h := draw(5, 2300, 1)
	s := openStore(t)
	h.fold(t, s, 512)
	old := s.Snapshot()
	defer old.Close()
	size := h.size(0)
	longer := append(h[:len(h):len(h)], step{gone: []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}})
	now := openStore(t)
	longer.fold(t, now, 512)
	cache := NewCache(20 << 10)
	states := []struct {
		view *View
		all  naive
	}{{Open(old, 0, size, cache), replay(h, 0)}, {Open(now, 0, size+1, cache), replay(longer, 0)}}
	words := newVocabulary(5, 100, 24)
	query := words.text(2)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			x := states[i%2]
			want := x.all.search(naiveSpace{}, query, 10, func(uint64) bool { return true })
			for range 10 {
				got, err := x.view.Search(t.Context(), Query{Vector: query, K: 10, ExactMatches: 5000, Exact: func(p uint64) ([]float32, error) { return x.all[naiveSpace{}][p], nil }})
				if err != nil || len(got) != len(want) {
					t.Error(err, len(got))
					return
				}
				for j := range got {
					if got[j].Match != want[j] {
						t.Error(got[j], want[j])
						return
					}
				}
			}
		})
	}
	wait.Wait()
}

// TestSortFirst: the first n are the same as after a full sort, with many equal ones.
func TestSortFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range 500 {
		list := make([]Match, rng.IntN(200))
		for i := range list {
			list[i].Position, list[i].Score = rng.Uint64N(50), float64(rng.IntN(1+rng.IntN(40)))/7
		}
		want := slices.Clone(list)
		sortMatches(want)
		n := rng.IntN(len(list) + 1)
		sortFirst(list, n)
		if !slices.Equal(list[:n], want[:n]) {
			t.Fatalf("the first %d of %v", n, want)
		}
		if sortMatches(list[n:]); !slices.Equal(list, want) {
			t.Fatal("something is lost")
		}
	}
}
