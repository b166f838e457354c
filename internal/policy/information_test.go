package policy

import (
	"math"
	"testing"
)

func TestInformation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counts, base []int64
		all          int64
		bits         float64
	}{
		{[]int64{9, 1}, []int64{90, 10}, 100, 0},
		{[]int64{10}, []int64{100}, 100, 0},
		{[]int64{8}, []int64{25}, 100, 16},
		{[]int64{1}, []int64{50}, 100, 1},
	} {
		n := int64(0)
		for _, k := range c.counts {
			n += k
		}
		if got := InformationOf(c.counts, c.base, n, c.all); math.Abs(got-c.bits) > 1e-9 {
			t.Errorf("%v of %v hold %v bits, want %v", c.counts, c.base, got, c.bits)
		}
	}
	if Informs(0.9, 1) || !Informs(1, 2) || Informs(1.5, 4) {
		t.Error("what informs is another")
	}
}
