package index_test

import (
	"math"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/index"
)

func TestEndOfLife(t *testing.T) {
	const second = 1_000_000_000
	for _, c := range []struct {
		recorded int64
		ttl      hmx.Opt[int64]
		want     int64
		ends     bool
	}{
		{5, hmx.Opt[int64]{}, 0, false},
		{5, hmx.Some[int64](0), 5, true},
		{5, hmx.Some[int64](2), 2*second + 5, true},
		{-5, hmx.Some[int64](2), 2*second - 5, true},
		{5, hmx.Some[int64](math.MaxInt64), 0, false},
		{math.MaxInt64 - second, hmx.Some[int64](1), math.MaxInt64, true},
		{math.MaxInt64 - second + 1, hmx.Some[int64](1), 0, false},
	} {
		if got, ends := index.EndOfLife(c.recorded, &hmx.Event{TTLSeconds: c.ttl}); got != c.want || ends != c.ends {
			t.Errorf("%d and %v: %d %v, want %d %v", c.recorded, c.ttl, got, ends, c.want, c.ends)
		}
	}
}
