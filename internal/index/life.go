package index

import (
	"math"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kv"
)

// EndOfLife returns when an event that was recorded at the given time expires
// by its own ttl_seconds.
func EndOfLife(recorded int64, ev *hmx.Event) (int64, bool) {
	if !ev.TTLSeconds.Set {
		return 0, false
	}
	const second = 1e9
	ttl := ev.TTLSeconds.Value
	if ttl > (1<<63-1-max(recorded, 0))/second {
		return 0, false // beyond the range of times
	}
	return recorded + ttl*second, true
}

// LastTime returns the latest time in (after, until] of a table whose keys begin with a prefix
// and a time; ok is false if there is none.
func LastTime(r kv.Reader, prefix Key, after, until int64) (at int64, ok bool, err error) {
	if after == math.MaxInt64 || until <= after {
		return 0, false, nil
	}
	upper := kv.PrefixEnd(prefix)
	if until != math.MaxInt64 {
		upper = slices.Clone(prefix).Int64(until + 1)
	}
	it, err := r.Iter(slices.Clone(prefix).Int64(after+1), upper)
	if err != nil {
		return 0, false, err
	}
	if ok = it.Last(); ok {
		at = Int64At(it.Key()[len(prefix):])
	}
	return at, ok, it.Close()
}
