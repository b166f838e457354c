package reorder

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"lukasa.dev/hmx"
)

// Each step of a row is one call, written as "+seconds: sequences" for a push (several make a
// batch, none is Advance) or "flush", with its expected releases.
func TestRules(t *testing.T) {
	type step struct{ call, want string }
	size := ev(0).Size()
	for _, row := range []struct {
		name  string
		opts  Options
		steps []step
	}{
		{"a gap-free run flows through", Options{}, []step{
			{"+0: 0", "0 in_order"}, {"+0: 1", "1 in_order"}, {"+0: 2", "2 in_order"},
		}},
		{"a gap holds until it is filled", Options{}, []step{
			{"+0: 1", ""}, {"+1: 2", ""}, {"+1: 4", ""}, {"+1: 0", "0 in_order, 1 in_order, 2 in_order"}, {"+1: 3", "3 in_order, 4 in_order"},
		}},
		{"a gap waits for the window at most", Options{}, []step{
			{"+0: 0", "0 in_order"}, {"+0: 3", ""}, {"+4.999: ", ""}, {"+0.001: ", "3 after_gap 1-2"}, {"+0: 4", "4 in_order"},
		}},
		{"the window is configurable", Options{Window: time.Second}, []step{
			{"+0: 1", ""}, {"+1: ", "1 after_gap 0-0"},
		}},
		{"waiting counts from each event's own arrival", Options{}, []step{
			{"+0: 2", ""}, {"+3: 5", ""}, {"+2: ", "2 after_gap 0-1"}, {"+2: ", ""}, {"+1: ", "5 after_gap 3-4"},
		}},
		{"what runs out takes along what comes before it", Options{}, []step{
			{"+0: 7", ""}, {"+4: 3", ""}, {"+0: 5", ""}, {"+0: 8", ""}, {"+0: 10", ""},
			{"+1: ", "3 after_gap 0-2, 5 after_gap 4-4, 7 after_gap 6-6, 8 in_order"},
			{"+4: ", "10 after_gap 9-9"},
		}},
		{"a push notices the time too", Options{}, []step{
			{"+0: 2", ""}, {"+5: 1", "2 after_gap 0-1, 1 late"},
		}},
		{"late and tied", Options{}, []step{
			{"+0: 0", "0 in_order"}, {"+0: 2", ""}, {"+5: ", "2 after_gap 1-1"},
			{"+0: 1", "1 late"}, {"+0: 2", "2 tied"}, {"+0: 0", "0 late"}, {"+0: 3", "3 in_order"},
		}},
		{"ties held together", Options{}, []step{
			{"+0: 1", ""}, {"+0: 1", ""}, {"+0: 0", "0 in_order, 1 in_order, 1 tied"},
		}},
		{"a late event lets others wait on", Options{}, []step{
			{"+0: 0 1", "0 in_order, 1 in_order"}, {"+0: 5", ""}, {"+0: 0", "0 late"}, {"+5: ", "5 after_gap 2-4"},
		}},
		{"batches are sorted whole", Options{}, []step{
			{"+0: 3 1 2 0", "0 in_order, 1 in_order, 2 in_order, 3 in_order"}, {"+0: 7 2 5 4", "2 late, 4 in_order, 5 in_order"},
		}},
		{"a batch is not evicted by itself", Options{MaxEvents: 1, MaxSessionEvents: 1}, []step{
			{"+0: 4 3 2 1 0", "0 in_order, 1 in_order, 2 in_order, 3 in_order, 4 in_order"},
		}},
		{"the clock runs backwards", Options{}, []step{
			{"+0: 2", ""}, {"-3600: 5", ""}, {"+3604: ", ""}, {"+1: ", "2 after_gap 0-1, 5 after_gap 3-4"},
		}},
		{"a session's event limit", Options{MaxSessionEvents: 2}, []step{
			{"+0: 9", ""}, {"+0: 5", ""}, {"+0: 6", "5 evicted 0-4, 6 in_order"}, {"+0: 4", "4 late"}, {"+0: 12", ""}, {"+0: 14", "9 evicted 7-8"},
		}},
		{"a session's byte limit", Options{MaxSessionBytes: 2 * size}, []step{
			{"+0: 9", ""}, {"+0: 5", ""}, {"+0: 7", "5 evicted 0-4"},
		}},
		{"an event above a byte limit is not held at all", Options{MaxBytes: size - 1}, []step{
			{"+0: 9", "9 evicted 0-8"},
		}},
		{"the total limit takes the session that has waited longest", Options{MaxEvents: 3}, []step{
			{"+0: A5", ""}, {"+0: B5", ""}, {"+0: B3", ""}, {"+0: C9", "t/A 5 evicted 0-4"}, {"+0: C7", "t/B 3 evicted 0-2"},
			{"+0: C5", "t/B 5 evicted 4-4"}, {"+0: C1", "t/C 1 evicted 0-0"},
		}},
		{"the total byte limit", Options{MaxBytes: 2 * size}, []step{
			{"+0: A5", ""}, {"+0: B5", ""}, {"+0: C9", "t/A 5 evicted 0-4"},
		}},
		{"flush lets everything out in order", Options{}, []step{
			{"+0: B7", ""}, {"+0: 4", ""}, {"+0: 2", ""}, {"+0: 3", ""}, {"+0: B5", ""},
			{"flush", "t/B 5 flushed 0-4, t/B 7 flushed 6-6, 2 flushed 0-1, 3 in_order, 4 in_order"},
			{"flush", ""}, {"+0: 5", "5 in_order"}, {"+0: B6", "t/B 6 late"},
		}},
		{"sequences as large as can be", Options{}, []step{
			{"+0: 9223372036854775807", ""}, {"+0: 9223372036854775806", ""},
			{"+5: ", "9223372036854775806 after_gap 0-9223372036854775805, 9223372036854775807 in_order"},
			{"+0: 9223372036854775807", "9223372036854775807 tied"}, {"+0: 0", "0 late"},
		}},
		{"a sequence that no event may have", Options{}, []step{{"+0: -1", "-1 late"}, {"+0: 0", "0 in_order"}}},
		{"sessions idle longest are forgotten", Options{MaxSessions: 2}, []step{
			{"+0: A0", "t/A 0 in_order"}, {"+0: B0", "t/B 0 in_order"}, {"+0: A1", "t/A 1 in_order"}, {"+0: C0", "t/C 0 in_order"},
			{"+0: A2", "t/A 2 in_order"}, {"+0: B0", "t/B 0 in_order"}, // B was forgotten and starts again
		}},
		{"sessions that hold events are not forgotten", Options{MaxSessions: 1}, []step{
			{"+0: A1", ""}, {"+0: B1", ""}, {"+0: C0", "t/C 0 in_order"}, {"+0: C1", ""}, // C was forgotten immediately
			{"+0: A0", "t/A 0 in_order, t/A 1 in_order"}, {"+0: B0", "t/B 0 in_order, t/B 1 in_order"},
			{"+0: C0", "t/C 0 in_order, t/C 1 in_order"}, {"+0: C1", "t/C 1 tied"},
		}},
		{"the owner says where a session stands", Options{Next: func(tenant, session string) (int64, bool) {
			return map[string]int64{"A": 7, "B": 0, "C": -5, "D": math.MaxInt64, "E": math.MinInt64}[session], tenant == "t" && session != "s"
		}}, []step{
			{"+0: A7", "t/A 7 in_order"}, {"+0: A6", "t/A 6 late"}, {"+0: A9", ""}, {"+0: B0", "t/B 0 in_order"}, {"+0: C0", "t/C 0 in_order"},
			{"+0: 7", ""}, {"+0: 0", "0 in_order"}, {"+0: D9223372036854775807", "t/D 9223372036854775807 in_order"},
			{"+0: E9223372036854775807", "t/E 9223372036854775807 tied"}, {"+0: E0", "t/E 0 late"},
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b, err := New(row.opts)
			if err != nil {
				t.Fatal(err)
			}
			clock := epoch
			for _, s := range row.steps {
				var got []Release
				if s.call == "flush" {
					got = b.Flush()
				} else {
					seconds, list, _ := strings.Cut(s.call, ":")
					d, err := time.ParseDuration(seconds + "s")
					if err != nil {
						t.Fatal(err)
					}
					clock = clock.Add(d)
					events := parse(t, list)
					switch len(events) {
					case 0:
						got = b.Advance(clock)
					case 1:
						got = b.Push(clock, events[0])
					default:
						got = b.PushBatch(clock, events)
					}
				}
				if show(got) != s.want {
					t.Fatalf("%s:\n got %s\nwant %s", s.call, show(got), s.want)
				}
			}
		})
	}
}

// parse reads "3 B4" as event 3 of session s and event 4 of session B.
func parse(t *testing.T, list string) (events []*hmx.Event) {
	for word := range strings.FieldsSeq(list) {
		session := "s"
		if word[0] >= 'A' {
			session, word = word[:1], word[1:]
		}
		var sequence int64
		if _, err := fmt.Sscan(word, &sequence); err != nil {
			t.Fatal(err)
		}
		events = append(events, eventOf("t", session, sequence))
	}
	return events
}

// Ties are ordered by timestamp, then by event id, then by arrival.
func TestTies(t *testing.T) {
	at := func(id string, second int) *hmx.Event {
		e := ev(1)
		e.EventID, e.Timestamp = id, hmx.TimeOf(epoch.Add(time.Duration(second)*time.Second))
		return e
	}
	third, first, second, fourth, again := at("b", 2), at("z", 1), at("a", 2), at("a", 3), at("a", 3)
	b, _ := New(Options{})
	for _, e := range []*hmx.Event{third, first, fourth, second, again} {
		if got := b.Push(epoch, e); len(got) != 0 {
			t.Fatal(show(got))
		}
	}
	got := b.Push(epoch, ev(0))[1:]
	for i, e := range []*hmx.Event{first, second, third, fourth, again} {
		if got[i].Event != e || got[i].Disposition.CountsAsLate() != (i > 0) {
			t.Errorf("release %d: %s %s", i, got[i].Event.EventID, got[i].Disposition)
		}
	}
}

func TestDeadline(t *testing.T) {
	b, _ := New(Options{})
	if at, ok := b.Deadline(); ok {
		t.Fatal(at)
	}
	b.Push(epoch, ev(5))
	b.Push(epoch.Add(time.Second), ev(3))
	if at, ok := b.Deadline(); !ok || !at.Equal(epoch.Add(5*time.Second)) {
		t.Fatal(at, ok)
	}
	b.Advance(epoch.Add(5 * time.Second))
	if at, ok := b.Deadline(); ok {
		t.Fatal(at)
	}
}

func TestStats(t *testing.T) {
	b, _ := New(Options{MaxSessionEvents: 2})
	b.PushBatch(epoch, parse(t, "0 2 4 6 B1 C0 C0"))
	b.Push(epoch, eventOf("t", "C", 5))
	b.Advance(epoch.Add(time.Minute))
	b.Push(epoch, eventOf("t", "C", 3))
	b.Push(epoch, eventOf("t", "D", 3))
	b.Flush()
	held := eventOf("t", "E", 3)
	b.Push(epoch, held)
	want := Stats{Events: 1, Bytes: held.Size(), Sessions: 5, Names: 8, Waiting: 1, InOrder: 2, AfterGap: 4, Evicted: 1, Flushed: 1, Late: 1, Tied: 1}
	if got := b.Stats(); got != want || got.Released() != 10 {
		t.Fatalf("\n got %+v\nwant %+v", got, want)
	}
}

func TestOptions(t *testing.T) {
	if _, err := New(Options{}); err != nil {
		t.Fatal(err)
	}
	_, err := New(Options{Window: -1, MaxSessionEvents: -1, MaxSessionBytes: -1, MaxEvents: -1, MaxBytes: -1, MaxSessions: -1, MaxNameBytes: -1})
	for _, name := range []string{"window", "MaxSessionEvents", "MaxSessionBytes", "MaxEvents", "MaxBytes", "MaxSessions", "MaxNameBytes"} {
		if err == nil || !strings.Contains(err.Error(), name+" is -1") {
			t.Errorf("%s is not reported: %v", name, err)
		}
	}
}

func TestDisposition(t *testing.T) {
	var got []string
	for d := range Disposition(dispositions + 1) {
		got = append(got, fmt.Sprint(d, " ", d.CountsAsLate()))
	}
	want := "in_order false, after_gap false, evicted false, flushed false, late true, tied true, disposition 6 false"
	if s := strings.Join(got, ", "); s != want {
		t.Error(s)
	}
}

// The ids of a decoded event are part of its text; a session must not keep that alive.
func TestSessionKeepsNoEvent(t *testing.T) {
	text := "tenantsession" + strings.Repeat("x", 1<<20)
	e := eventOf(text[:6], text[6:13], 0)
	b, _ := New(Options{})
	e.Sequence = 1
	b.Push(epoch, e)
	b.Push(epoch, eventOf("tenant", "session", 0))
	b.Advance(epoch)
	for k, s := range b.sessions {
		if k != s.key || k.tenant != "tenant" || k.session != "session" {
			t.Fatalf("%+v", s.key)
		}
		if unsafe.StringData(k.tenant) == unsafe.StringData(e.TenantID) || unsafe.StringData(k.session) == unsafe.StringData(e.SessionID) {
			t.Error("the key is part of the event")
		}
		if s.heap != nil {
			t.Error("an idle session keeps a heap")
		}
	}
	for _, r := range b.out[:cap(b.out)] {
		if r.Event != nil {
			t.Error("a released event is kept")
		}
	}
}

// The caller's batch is neither sorted nor kept.
func TestBatchIsTheCallers(t *testing.T) {
	b, _ := New(Options{})
	batch := parse(t, "2 1 0")
	b.PushBatch(epoch, batch)
	if batch[0].Sequence != 2 || batch[2].Sequence != 0 {
		t.Error("the batch was changed")
	}
	for _, e := range b.batch[:cap(b.batch)] {
		if e != nil {
			t.Error("the batch is kept")
		}
	}
}

// The memory of one very large release is not kept.
func TestLargeRelease(t *testing.T) {
	b, _ := New(Options{MaxSessionEvents: 2 * keep})
	batch := make([]*hmx.Event, keep+1)
	for i := range batch {
		batch[i] = ev(int64(2*i + 1))
	}
	if got := b.PushBatch(epoch, batch); len(got) != 0 || cap(b.batch) != 0 {
		t.Error(len(got), cap(b.batch))
	}
	if got := b.Flush(); len(got) != len(batch) {
		t.Error(len(got))
	}
	if b.Advance(epoch); cap(b.out) != 0 {
		t.Error(cap(b.out))
	}
}
