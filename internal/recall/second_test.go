package recall

import "testing"

// Documents without a vector by the question's model are ranked by the built-in model among the
// others.
func TestReplace(t *testing.T) {
	all := []features{{1: 0.8}, {1: 0.2}, {1: 0}, {1: 0}}
	replace(all, 1, []float64{0.1, 0.5, 0.25, 0}, []bool{false, false, true, true})
	for i, want := range []float64{0.8, 0.2, 0.4, 0} {
		if all[i][1] != want {
			t.Errorf("candidate %d has %v, not %v", i, all[i][1], want)
		}
	}
	// If no document has one, the built-in model alone ranks.
	all = []features{{}, {}}
	replace(all, 1, []float64{0.3, 0.6}, []bool{true, true})
	if all[0][1] != 0.5 || all[1][1] != 1 {
		t.Errorf("%v", all)
	}
	replace(all, 1, []float64{0, 0}, []bool{true, true})
	if all[0][1] != 0 || all[1][1] != 0 {
		t.Errorf("%v", all)
	}
}
