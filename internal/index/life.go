package index

import "lukasa.dev/hmx"

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
