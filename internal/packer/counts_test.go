package packer

import (
	"sync"
	"testing"
)

// TestCounts: counts are kept by tenant, position and kind, also with concurrent
// callers; those that do not fit are not.
func TestCounts(t *testing.T) {
	c := newCounts()
	want := func(tenant uint32, position uint64, what int) int {
		return 1 + int(position*7+uint64(tenant)*3+uint64(what))%1000
	}
	each := func(visit func(k *count, tenant uint32, position uint64, what int)) {
		for tenant := range uint32(3) {
			for position := uint64(0); position < 5*countsTogether; position += 97 {
				for _, what := range []int{countText, countLines} {
					visit(c.of(tenant, position), tenant, position, what)
				}
			}
		}
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			each(func(k *count, tenant uint32, position uint64, what int) {
				if n := k.get(what); n != 0 && n != want(tenant, position, what) {
					t.Errorf("%d of tenant %d at %d: %d", what, tenant, position, n)
				}
				k.put(what, want(tenant, position, what))
			})
		})
	}
	wait.Wait()
	each(func(k *count, tenant uint32, position uint64, what int) {
		if n := k.get(what); n != want(tenant, position, what) {
			t.Errorf("%d of tenant %d at %d: %d", what, tenant, position, n)
		}
	})
	k := c.of(9, 9)
	if k.put(countText, mostCount+1); k.get(countText) != 0 || k.get(countLines) != 0 {
		t.Error("more is kept than there is room for")
	}
	if k.put(countLines, mostCount); k.get(countText) != 0 || k.get(countLines) != mostCount {
		t.Error("what fits is not kept")
	}
	var none *count
	if none.put(countText, 1); none.get(countText) != 0 {
		t.Error("nobody keeps something")
	}
	for i := range uint64(2 * maxCountChunks) {
		c.of(1, i*countsTogether)
	}
	if n := len(c.chunks); n > maxCountChunks {
		t.Errorf("%d chunks are kept", n)
	}
}
