package reorder

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"pgregory.net/rapid"
)

// names are sessions that would collide if ids were joined carelessly.
var names = []key{{"a", "bc"}, {"ab", "c"}, {"a", "c"}, {"b", "c"}, {"a/b", "c"}, {"a", "b/c"}}

// hostile makes an event whose parts are chosen by small numbers, so that ties,
// duplicates and gaps are common.
func hostile(session, sequence, stamp, id, size int) *hmx.Event {
	k := names[session%len(names)]
	e := eventOf(k.tenant, k.session, int64(sequence))
	switch sequence {
	case 30:
		e.Sequence = math.MaxInt64
	case 31:
		e.Sequence = math.MaxInt64 - 1
	case 32:
		e.Sequence = 1 << 40
	case 33:
		e.Sequence = -1
	}
	e.EventID = fmt.Sprint("e", id)
	e.Timestamp = hmx.TimeOf(epoch.Add(time.Duration(stamp) * time.Second))
	e.Content = hmx.Raw(`{"x":"` + strings.Repeat("x", size) + `"}`)
	return e
}

var hostileEvent = rapid.Custom(func(t *rapid.T) *hmx.Event {
	return hostile(rapid.IntRange(0, 5).Draw(t, "session"), rapid.IntRange(0, 33).Draw(t, "sequence"),
		rapid.IntRange(0, 2).Draw(t, "stamp"), rapid.IntRange(0, 2).Draw(t, "id"), rapid.IntRange(0, 300).Draw(t, "size"))
})

var anyOptions = rapid.Custom(func(t *rapid.T) Options {
	pick := func(name string, values ...int) int { return rapid.SampledFrom(values).Draw(t, name) }
	return Options{
		Window:           time.Duration(pick("window", 0, 1, 1000, 5000)) * time.Millisecond,
		MaxSessionEvents: pick("session events", 0, 1, 2, 5),
		MaxSessionBytes:  pick("session bytes", 0, 1, 1000, 3000),
		MaxEvents:        pick("events", 0, 1, 3, 8),
		MaxBytes:         pick("bytes", 0, 1, 2000, 6000),
		MaxSessions:      pick("sessions", 0, 1, 2, 3),
	}
})

var anyOps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) op {
	c := op{step: time.Duration(rapid.IntRange(-3000, 3000).Draw(t, "step")) * time.Millisecond}
	switch rapid.IntRange(0, 9).Draw(t, "call") {
	case 0:
		c.flush = true
	case 1:
	case 2, 3:
		c.events = rapid.SliceOfN(hostileEvent, 2, 12).Draw(t, "batch")
	default:
		c.events = []*hmx.Event{hostileEvent.Draw(t, "event")}
	}
	return c
}), 0, 60)

// For any history, a buffer does what the model does and keeps every promise.
func TestAnyHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		follow(t, anyOptions.Draw(t, "options"), rapid.Bool().Draw(t, "told"), anyOps.Draw(t, "calls"))
	})
}

// An event pushed twice is released twice.
func TestSameEventTwice(t *testing.T) {
	e := ev(1)
	follow(t, Options{}, false, []op{{events: []*hmx.Event{e}}, {events: []*hmx.Event{e, e}}, {events: []*hmx.Event{ev(0)}}})
}

// Any permutation of a gap-free session, pushed within window and limits in batches of any
// size, comes out sorted and in order.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "events")
		first := rapid.SampledFrom([]int64{0, 7, math.MaxInt64 - 200}).Draw(t, "first")
		events := make([]*hmx.Event, n)
		for i := range events {
			events[i] = ev(first + int64(i))
		}
		b, err := New(Options{Next: func(string, string) (int64, bool) { return first, true }})
		if err != nil {
			t.Fatal(err)
		}
		var got []Release
		left := rapid.Permutation(events).Draw(t, "order")
		for i := 0; len(left) > 0; i++ {
			size := min(rapid.IntRange(1, 10).Draw(t, "batch"), len(left))
			got = append(got, b.PushBatch(epoch.Add(time.Duration(i)*time.Millisecond), left[:size])...)
			left = left[size:]
		}
		if len(got) != n {
			t.Fatalf("%d of %d released", len(got), n)
		}
		for i, r := range got {
			if r != (Release{Event: events[i]}) {
				t.Fatalf("release %d: %s", i, show(got[i:i+1]))
			}
		}
	})
}

// Events of one session do not affect the releases of another.
func TestSessionsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := anyOps.Draw(t, "calls")
		window := Options{Window: time.Duration(rapid.IntRange(1, 5000).Draw(t, "window")) * time.Millisecond}
		together, clock := map[key][]Release{}, epoch
		b, _ := New(window)
		collect := func(into map[key][]Release, list []Release) {
			for _, r := range list {
				k := key{r.Event.TenantID, r.Event.SessionID}
				into[k] = append(into[k], r)
			}
		}
		play := func(b *Buffer, into map[key][]Release, keep func(*hmx.Event) bool) {
			clock = epoch
			for _, c := range ops {
				clock = clock.Add(c.step)
				var mine []*hmx.Event
				for _, e := range c.events {
					if keep(e) {
						mine = append(mine, e)
					}
				}
				if c.flush {
					collect(into, b.Flush())
				} else {
					collect(into, b.PushBatch(clock, mine))
				}
			}
			collect(into, b.Flush())
		}
		play(b, together, func(*hmx.Event) bool { return true })
		for _, k := range names {
			alone := map[key][]Release{}
			b, _ := New(window)
			play(b, alone, k.of)
			if !slices.Equal(alone[k], together[k]) {
				t.Fatalf("%v\n    alone %s\n together %s", k, show(alone[k]), show(together[k]))
			}
		}
	})
}
