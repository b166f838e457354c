package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/testsize"
)

// TestContextLatency: a bundle states its duration in whole milliseconds, by a
// clock that is independent of the time of records.
func TestContextLatency(t *testing.T) {
	d := newDesk(t)
	d.note(user, identityNote("who"))
	begin := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for took, want := range map[time.Duration]int64{
		0: 0, 999 * time.Microsecond: 0, time.Millisecond: 1, 1234*time.Millisecond + 999*time.Microsecond: 1234, time.Hour: 3_600_000,
	} {
		looked := 0
		engine.SetTicks(d.Board, func() time.Time {
			looked++
			return begin.Add(time.Duration(looked-1) * took)
		})
		if b := d.tell(about("a.go")); b.LatencyMS != want || looked != 2 || len(b.Pinned) != 1 {
			t.Errorf("after %v, with %d looks at the watch: %d ms", took, looked, b.LatencyMS)
		}
		d.clock.Move(time.Hour)
	}
}

// crowded puts many memories at once that only the tester sees.
func (d *desk) crowded(n int, note func(i int) *memory.Memory) {
	d.t.Helper()
	const writers = 64
	errs := make(chan error, writers)
	for w := range writers {
		go func() {
			var err error
			for i := w; i < n && err == nil; i += writers {
				m := note(i)
				m.Text, m.Visibility = "Nobody is told.", memory.VisiblePrivate
				_, err = d.Put(ctx, user, "acme", m, engine.AnyVersion())
			}
			errs <- err
		}()
	}
	for range writers {
		if err := <-errs; err != nil {
			d.t.Fatal(err)
		}
	}
}

// told lists the entries of a tier.
func told(entries []*bundle.Entry) string {
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// TestContextPinnedScan: of each rank of pinned records, at most the limit of
// rows is read, visible or not, and the ranks have separate limits.
func TestContextPinnedScan(t *testing.T) {
	testsize.Long(t, "writes thousands of memories")
	d := newDesk(t)
	d.note(user, identityNote("who"))
	d.note(user, goalNote("beyond", memory.GoalActive))
	d.note(user, goalNote("last", memory.GoalActive))
	d.note(user, constraintNote("rule", memory.StrengthHard))
	d.crowded(4095, func(i int) *memory.Memory { return goalNote(fmt.Sprint("g", i), memory.GoalActive) })
	o := engine.ContextOptions{View: engine.View{Agent: "coder"}}
	if b := d.tell(o); told(b.Pinned) != "last rule who" || b.Trimmed != 0 {
		t.Errorf("%s is pinned, and %d are trimmed", told(b.Pinned), b.Trimmed)
	}
	d.clock.Move(time.Minute)
	d.crowded(1, func(int) *memory.Memory { return goalNote("one more", memory.GoalActive) })
	if b := d.tell(o); told(b.Pinned) != "rule who" {
		t.Errorf("with one more, %s is pinned", told(b.Pinned))
	}
}

// TestContextOutcomeScan: of the attempts at an object, at most the limit of
// rows is read, visible or not.
func TestContextOutcomeScan(t *testing.T) {
	testsize.Long(t, "it writes thousands of events")
	d := newDesk(t)
	edit := func(id, more string) *hmx.Event {
		d.clock.Move(time.Second)
		ev, _, err := hmx.DecodeEvent([]byte(d.event("s1", id+` file_edit {"path":"a.go","operation":"modify"}`+more)))
		if err != nil {
			t.Fatal(err)
		}
		return ev
	}
	record := func(evs ...*hmx.Event) {
		t.Helper()
		if res, err := d.AppendEvents(ctx, operator, evs); err != nil || res.Accepted != len(evs) {
			t.Fatalf("%v %+v", err, res)
		}
	}
	record(edit("beyond", ""))
	record(edit("last", ""))
	var over []*hmx.Event
	for i := range 4095 {
		over = append(over, edit(fmt.Sprint("e", i), ` "ttl_seconds":1`))
	}
	record(over...)
	d.clock.Move(time.Hour)
	d.note(user, identityNote("who")) // so that the tenant's time is after their end
	o := about("a.go")
	o.IncludeTiers = []bundle.Tier{bundle.TierOutcomes}
	if b := d.tell(o); told(b.Outcomes) != "last" {
		t.Errorf("the outcomes are %s", told(b.Outcomes))
	}
	record(edit("late", ` "ttl_seconds":1`))
	d.clock.Move(time.Hour)
	d.note(user, identityNote("who else"))
	if b := d.tell(o); told(b.Outcomes) != "" {
		t.Errorf("with one more, the outcomes are %s", told(b.Outcomes))
	}
}
