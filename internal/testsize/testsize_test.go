package testsize

import "testing"

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		setting string
		little  bool
		want    int // 0 means an error
	}{
		{"", false, 20},
		{"", true, 1},
		{"full", false, 300},
		{"full", true, 300},
		{"clones=7", false, 7},
		{"clones=7", true, 7},
		{"full,clones=7", false, 7},
		{"clones=7, full", false, 7},
		{"seed=4", false, 20},
		{"seed=4,clones=8", false, 8},
		{"fulll", false, 0},
		{"clones", false, 0},
		{"clones=", false, 0},
		{"clones=0", false, 0},
		{"clones=-3", false, 0},
		{"clones=many", false, 0},
		{"=3", false, 0},
		{"flips=x", false, 0},
	} {
		got, err := choose(tc.setting, "clones", tc.little, 1, 20, 300)
		if (err != nil) != (tc.want == 0) || got != tc.want {
			t.Errorf("%q, little %v: %d, %v; want %d", tc.setting, tc.little, got, err, tc.want)
		}
	}
}
