package index_test

import (
	"bytes"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lukasa.dev/internal/index"
)

// Keys sort as the numbers in them do.
func TestNumbersSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		x, y := index.Key(nil).Int64(a), index.Key(nil).Int64(b)
		if (a < b) != (bytes.Compare(x, y) < 0) || index.Int64At(x) != a {
			t.Fatalf("%d %d: %x %x", a, b, x, y)
		}
		u, v := rapid.Uint64().Draw(t, "u"), rapid.Uint64().Draw(t, "v")
		p, q := index.Key(nil).Uint64(u), index.Key(nil).Uint64(v)
		if (u < v) != (bytes.Compare(p, q) < 0) || index.Uint64At(p) != u {
			t.Fatalf("%d %d: %x %x", u, v, p, q)
		}
	})
}

// No key of one tenant lies among those of another.
func TestTenantsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint32().Draw(t, "a"), rapid.Uint32().Draw(t, "b")
		name := rapid.String().Draw(t, "name")
		x := index.NewKey(nil, 'L', 't', a).Digest(index.DigestOf(name)).Uint64(rapid.Uint64().Draw(t, "n"))
		if bytes.HasPrefix(x, index.NewKey(nil, 'L', 't', b)) != (a == b) {
			t.Fatalf("%d %d %x", a, b, x)
		}
	})
}

func TestNanos(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want int64
	}{
		{time.Unix(0, 0), 0},
		{time.Unix(1, 5), 1_000_000_005},
		{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), math.MinInt64},
		{time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), math.MaxInt64},
	} {
		if got := index.Nanos(c.at); got != c.want {
			t.Errorf("%v: %d, want %d", c.at, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "a"), rapid.Int64Range(0, 999_999_999).Draw(t, "an"))
		b := time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "b"), rapid.Int64Range(0, 999_999_999).Draw(t, "bn"))
		if a.Before(b) && index.Nanos(a) > index.Nanos(b) {
			t.Fatalf("%v is before %v, but %d > %d", a, b, index.Nanos(a), index.Nanos(b))
		}
	})
}

func TestDescribe(t *testing.T) {
	for _, key := range [][]byte{nil, {1}, {'L', 't', 0, 0, 0}, {'L', 't', 0, 0, 0, 7}, {'L', 't', 0, 0, 0, 7, 0xff}} {
		if index.Describe(key) == "" && len(key) > 0 {
			t.Errorf("%x", key)
		}
	}
}
