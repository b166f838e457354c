package reorder

import (
	"testing"
	"time"
)

// history decodes bytes into options and calls. Every input is a valid history.
func history(data []byte) (o Options, told bool, ops []op) {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		c := data[0]
		data = data[1:]
		return int(c)
	}
	pick := func(values ...int) int { return values[next()%len(values)] }
	o = Options{
		Window:           time.Duration(pick(0, 1, 1000)) * time.Millisecond,
		MaxSessionEvents: pick(0, 1, 2, 5),
		MaxSessionBytes:  pick(0, 1, 1000, 3000),
		MaxEvents:        pick(0, 1, 3, 8),
		MaxBytes:         pick(0, 1, 2000, 6000),
		MaxSessions:      pick(0, 1, 2, 3),
	}
	told = next()%2 == 0
	for len(data) > 0 && len(ops) < 200 {
		head := next()
		c := op{step: time.Duration(int8(next())) * 100 * time.Millisecond}
		switch size := head % 16; size {
		case 0:
			c.flush = true
		default:
			for range min(size-1, len(data)) {
				a, b := next(), next()
				c.events = append(c.events, hostile(a%8, b%34, a/8%4, b/34, a/32*40))
			}
		}
		ops = append(ops, c)
	}
	return o, told, ops
}

// FuzzBuffer runs arbitrary histories against the model and every guarantee.
func FuzzBuffer(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 1})                // 0, 2, 1
	f.Add([]byte{2, 0, 0, 0, 0, 0, 1, 2, 0, 0, 5, 1, 20, 2, 156, 0, 4})                   // a gap, the clock on and back
	f.Add([]byte{0, 2, 0, 2, 0, 1, 0, 6, 0, 0, 9, 1, 9, 2, 9, 3, 9, 4, 9, 2, 0, 0, 9, 0}) // limits and several sessions
	f.Add([]byte{0, 0, 2, 0, 2, 2, 1, 4, 1, 255, 30, 254, 31, 253, 33, 4, 255, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		o, told, ops := history(data)
		follow(t, o, told, ops)
	})
}
