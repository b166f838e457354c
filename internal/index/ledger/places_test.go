package ledger_test

import (
	"sync"
	"testing"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
)

// TestPlaces: the cache agrees with At, for two tenants whose sizes are not whole
// chunks, for any number of lookups and goroutines; and finds nothing beyond the end.
func TestPlaces(t *testing.T) {
	s, l := openStore(t), ledger.New()
	sizes := map[string]uint64{"a": 2500, "b": 1024}
	for _, name := range []string{"a", "b"} {
		var list []index.Record
		for p := range sizes[name] {
			list = append(list, rec(name, p))
		}
		apply(t, s, l, list...)
	}
	places := ledger.NewPlaces()
	var wait sync.WaitGroup
	for part := range uint64(4) {
		wait.Go(func() {
			for round := range uint64(3) {
				for number, name := range []string{"a", "b"} {
					for p := part; p < sizes[name]; p += 7 + round {
						want, _, err := ledger.At(s, uint32(number), p)
						if err != nil {
							t.Error(err)
							return
						}
						if got, ok, err := places.At(s, uint32(number), sizes[name], p); err != nil || !ok || got != want || got.Leaf != leaf(name, p) {
							t.Errorf("%s %d: %v, %v, %v", name, p, got, ok, err)
							return
						}
					}
				}
			}
		})
	}
	wait.Wait()
	// A reader of an earlier state sees no later positions.
	if _, ok, err := places.At(s, 1, 1024, 1024); err != nil || ok {
		t.Error("a position that is not there", ok, err)
	}
	if _, ok, err := (*ledger.Places)(nil).At(s, 0, 2500, 7); err != nil || !ok {
		t.Error(ok, err)
	}
}
