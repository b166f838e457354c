package vector

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/memory"
)

// TestMissing compares with a simple replay of a history.
func TestMissing(t *testing.T) {
	for seed := range uint64(3) {
		h := draw(seed+20, 2600, 1)
		s := openStore(t)
		h.fold(t, s, 100)
		records, changes := h.records()
		rng := rand.New(rand.NewPCG(seed, 5))
		for tenant := range uint32(2) {
			live, late := map[uint64]bool{}, map[uint64]uint64{} // late: document → position of its embedding
			for i, r := range records {
				if r.Tenant != tenant {
					continue
				}
				for _, g := range changes[i].Gone {
					delete(live, g)
				}
				if changes[i].Add != nil {
					live[r.Header.Position] = true
				}
				if e, ok := r.Body.(*memory.Embedding); ok && e.Model == "one" {
					late[e.Position] = r.Header.Position
				}
			}
			n := replay(h, tenant)
			one := naiveSpace{"one", 70}
			size := h.size(tenant)
			v := Open(s, tenant, size, nil)
			for range 20 {
				from, until, most := rng.Uint64N(size), rng.Uint64N(size+50), rng.IntN(2000)
				var want, got []uint64
				for p := from; p < min(until, size) && len(want) <= most; p++ {
					if live[p] && n[one][p] == nil {
						want = append(want, p)
					}
				}
				err := v.Missing("one", 70, from, until, func(position uint64, known bool) (bool, error) {
					if known != (n[naiveSpace{}][position] != nil) {
						t.Fatalf("position %d: known %v", position, known)
					}
					got = append(got, position)
					return len(got) <= most, nil
				})
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("seed %d, from %d until %d: %v, want %v: %v", seed, from, until, got, want, err)
				}
			}
			for p := range size {
				by, ok, err := v.Embedding("one", 70, p)
				if err != nil || ok && (by != late[p] || n[one][p] == nil) {
					t.Fatalf("position %d: %d %v, not %d: %v", p, by, ok, late[p], err)
				}
			}
			if has, err := v.Has("one", 70); err != nil || !has {
				t.Error(has, err)
			}
			if has, err := v.Has("one", 71); err != nil || has {
				t.Error(has, err)
			}
			for model, want := range map[string][]int{"": {70}, "one": {70}, "two": nil} {
				if got, err := v.Dimensions(model); err != nil || !slices.Equal(got, want) {
					t.Errorf("model %q has dimensions %v, not %v: %v", model, got, want, err)
				}
			}
		}
	}
}
