package timeline_test

import (
	"fmt"
	"slices"
	"testing"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/timeline"
)

// TestFollowing reads on after each place of a session, and compares with the
// whole session.
func TestFollowing(t *testing.T) {
	s, tl := openStore(t), timeline.New()
	var records []index.Record
	for i, at := range []struct {
		sequence int64
		second   int
	}{{0, 1}, {5, 1}, {5, 0}, {5, 1}, {2, 9}, {-3, 4}, {9, 0}} {
		records = append(records,
			event(t, 1, uint64(2*i), "s", "a", at.sequence, at.second, ""),
			event(t, 1, uint64(2*i+1), "another", "a", at.sequence, at.second, ""))
	}
	records = append(records, event(t, 2, 0, "s", "a", 7, 0, ""))
	apply(t, s, tl, records...)
	var whole []timeline.Place
	if err := timeline.Session(s, 1, "s", nil, func(_ []byte, p timeline.Place) bool {
		whole = append(whole, p)
		return true
	}); err != nil || len(whole) != 7 {
		t.Fatal(whole, err)
	}
	for i, place := range whole {
		for most := range len(whole) {
			var got []timeline.Place
			if err := timeline.Following(s, 1, "s", place, func(p timeline.Place) bool {
				got = append(got, p)
				return len(got) <= most
			}); err != nil {
				t.Fatal(err)
			}
			rest := whole[i+1:]
			if want := rest[:min(len(rest), most+1)]; !slices.Equal(got, want) {
				t.Errorf("behind %v: %v, want %v", place, got, want)
			}
		}
	}
	for n := range len(whole) + 2 {
		got, ok, err := timeline.Back(s, 1, "s", uint64(n))
		if err != nil || ok != (n < len(whole)) || ok && got != whole[len(whole)-1-n] {
			t.Errorf("with %d behind it: %v %v %v", n, got, ok, err)
		}
	}
	// A removed place works like an existing one.
	gone := whole[2]
	apply(t, s, tl, away(1, records[gone.Position]))
	first := fmt.Sprint(whole[3])
	if err := timeline.Following(s, 1, "s", gone, func(p timeline.Place) bool {
		if fmt.Sprint(p) != first {
			t.Errorf("behind what is gone comes %v, want %s", p, first)
		}
		return false
	}); err != nil {
		t.Fatal(err)
	}
}
