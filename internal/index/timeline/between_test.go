package timeline_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"lukasa.dev/internal/index/timeline"
)

// TestBetween cuts an agent's events by time: from is inclusive, until is exclusive.
func TestBetween(t *testing.T) {
	s := openStore(t)
	tl := timeline.New()
	apply(t, s, tl,
		event(t, 0, 0, "s1", "a1", 1, 10, ""), event(t, 0, 1, "s1", "a2", 2, 11, ""), event(t, 0, 2, "s2", "a1", 1, 12, ""),
		event(t, 0, 3, "s2", "a1", 2, 12, ""), event(t, 0, 4, "s1", "a1", 3, 9, ""), event(t, 1, 0, "s1", "a1", 1, 10, ""),
	)
	second := func(n int) int64 { return time.Date(2026, 11, 15, 5, 0, n, 0, time.UTC).UnixNano() }
	for _, tc := range []struct {
		agent       string
		from, until int64
		want        string
	}{
		{"a1", math.MinInt64, math.MaxInt64, "[4 0 2 3]"},
		{"a1", second(10), second(12), "[0]"},
		{"a1", second(10), second(12) + 1, "[0 2 3]"},
		{"a1", second(10) + 1, math.MaxInt64, "[2 3]"},
		{"a1", math.MinInt64, second(9), "[]"},
		{"a1", second(12), second(12), "[]"},
		{"a1", second(12), second(10), "[]"},
		{"a2", math.MinInt64, math.MaxInt64, "[1]"},
		{"a3", math.MinInt64, math.MaxInt64, "[]"},
	} {
		got := []uint64{}
		err := timeline.Between(s, 0, timeline.ByAgent, tc.agent, tc.from, tc.until, func(p timeline.Place) bool {
			if p.Type != "message" || p.Timestamp < tc.from || p.Timestamp >= tc.until {
				t.Errorf("%+v", p)
			}
			got = append(got, p.Position)
			return true
		})
		if err != nil || fmt.Sprint(got) != tc.want {
			t.Errorf("%s from %d until %d: %v, want %s: %v", tc.agent, tc.from, tc.until, got, tc.want, err)
		}
	}
	n := 0
	if err := timeline.Between(s, 0, timeline.ByAgent, "a1", math.MinInt64, math.MaxInt64, func(timeline.Place) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("a walk that was to end after 2 saw %d: %v", n, err)
	}
}
