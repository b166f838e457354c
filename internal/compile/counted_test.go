package compile

import "testing"

func TestCounted(t *testing.T) {
	last := 0
	var steps []int
	for n := range 100_000 {
		c := counted(n)
		if c > n || c < last || n > exact && 5*c < 4*n {
			t.Fatalf("%d of %d are counted, and %d of one less", c, n, last)
		}
		if c != last {
			steps = append(steps, c)
		}
		last = c
	}
	if len(steps) != 8+4*13+3-1 || steps[8] != 10 || steps[11] != 16 || steps[12] != 20 {
		t.Errorf("%d: %v", len(steps), steps)
	}
}
