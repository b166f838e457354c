package recall

import "testing"

// What the model of the question knows nothing of is put where the built-in model puts
// it, among those that the other one knows.
func TestReplace(t *testing.T) {
	all := []features{{1: 0.8}, {1: 0.2}, {1: 0}, {1: 0}}
	replace(all, 1, []float64{0.1, 0.5, 0.25, 0}, []bool{false, false, true, true})
	for i, want := range []float64{0.8, 0.2, 0.4, 0} {
		if all[i][1] != want {
			t.Errorf("candidate %d has %v, not %v", i, all[i][1], want)
		}
	}
	// Where it knows nothing at all, the built-in model is all there is.
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
