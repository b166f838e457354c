package reorder

import (
	"fmt"
	"strings"
	"time"

	"lukasa.dev/hmx"
)

var epoch = time.Date(2026, 3, 14, 3, 0, 0, 0, time.UTC)

// ev makes an event of session s of tenant t.
func ev(sequence int64) *hmx.Event { return eventOf("t", "s", sequence) }

func eventOf(tenant, session string, sequence int64) *hmx.Event {
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprintf("%s-%d", session, sequence), EventType: hmx.TypeObservation, AgentID: "a",
		TenantID: tenant, SessionID: session, Timestamp: hmx.TimeOf(epoch), Sequence: sequence,
	}
}

// op is one call of a buffer: a push of no events is Advance, of one is Push, of more is
// PushBatch.
type op struct {
	step   time.Duration // since the last call; may be negative
	events []*hmx.Event
	flush  bool
}

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// follow runs a history of calls and, after each of them, checks every guarantee of the package
// and compares the releases with a model. It flushes at the end.
//
// If told is set, Options.Next answers as an engine would, from what was released; then the
// order of a session must hold even if it is forgotten in between.
func follow(t failer, o Options, told bool, ops []op) {
	t.Helper()
	highs := map[key]int64{}
	if told {
		o.Next = func(tenant, session string) (int64, bool) {
			high, ok := highs[key{tenant, session}]
			return high + 1, ok
		}
	}
	b, err := New(o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	o = o.withDefaults()
	m := &model{opts: o}
	owed := map[*hmx.Event]int{}
	pushed, released := 0, 0
	clock := epoch
	for i, c := range append(ops, op{flush: true}) {
		clock = clock.Add(c.step)
		for _, e := range c.events {
			owed[e]++
			pushed++
		}
		var got, want []Release
		switch {
		case c.flush:
			got, want = b.Flush(), m.flush()
		case len(c.events) == 1:
			got, want = b.Push(clock, c.events[0]), m.push(clock, c.events)
		case len(c.events) == 0:
			got, want = b.Advance(clock), m.push(clock, nil)
		default:
			got, want = b.PushBatch(clock, c.events), m.push(clock, c.events)
		}
		for j := range max(len(got), len(want)) {
			if j >= len(got) || j >= len(want) || got[j] != want[j] {
				t.Fatalf("call %d, release %d:\n got %s\nwant %s", i, j, show(got), show(want))
			}
		}
		for _, r := range got {
			if owed[r.Event]--; owed[r.Event] < 0 {
				t.Fatalf("call %d: %s released more often than pushed", i, r.Event.EventID)
			}
			released++
			if told || o.MaxSessions >= DefaultMaxSessions {
				checkOrder(t, highs, r)
			}
		}
		checkState(t, b, m, pushed-released)
	}
	if pushed != released {
		t.Fatalf("%d pushed, %d released", pushed, released)
	}
	if n := b.Stats().Released(); n != uint64(released) {
		t.Fatalf("stats count %d released, want %d", n, released)
	}
}

// checkOrder checks one release against the earlier releases of its session.
func checkOrder(t failer, highs map[key]int64, r Release) {
	t.Helper()
	k := key{r.Event.TenantID, r.Event.SessionID}
	high, known := highs[k]
	if !known {
		high = -1
	}
	if want := judge(high, r.Event, r.Disposition); r != want {
		t.Fatalf("after %d:\n got %s\nwant %s", high, show([]Release{r}), show([]Release{want}))
	}
	switch r.Disposition {
	case InOrder, Late, Tied:
	case AfterGap, Evicted, Flushed:
		if r.Missing.Len() <= 0 {
			t.Fatalf("empty gap: %s", show([]Release{r}))
		}
	default:
		t.Fatalf("unknown disposition %v", r.Disposition)
	}
	highs[k] = max(high, r.Event.Sequence)
}

// checkState checks the state of a buffer between calls against its limits, the model and
// itself.
func checkState(t failer, b *Buffer, m *model, held int) {
	t.Helper()
	st := b.Stats()
	events, bytes := m.size()
	if st.Events != held || st.Events != events || st.Bytes != bytes {
		t.Fatalf("holds %d events and %d bytes, want %d (%d by count) and %d", st.Events, st.Bytes, events, held, bytes)
	}
	if st.Events > b.opts.MaxEvents || st.Bytes > b.opts.MaxBytes {
		t.Fatalf("over the total limits: %+v", st)
	}
	if st.Sessions > b.opts.MaxSessions && st.Sessions > st.Waiting {
		t.Fatalf("remembers %d sessions, %d of them waiting", st.Sessions, st.Waiting)
	}
	if st.Sessions != len(m.sessions) {
		t.Fatalf("remembers %d sessions, want %d", st.Sessions, len(m.sessions))
	}
	waiting := 0
	for k, s := range b.sessions {
		if len(s.heap) > b.opts.MaxSessionEvents || s.bytes > b.opts.MaxSessionBytes {
			t.Fatalf("%v is over its limits: %d events, %d bytes", k, len(s.heap), s.bytes)
		}
		if k != s.key || s.idle != (len(s.heap) == 0) {
			t.Fatalf("%v: session %v, idle %v with %d events", k, s.key, s.idle, len(s.heap))
		}
		waiting += min(len(s.heap), 1)
	}
	if st.Waiting != waiting {
		t.Fatalf("%d sessions wait, want %d", st.Waiting, waiting)
	}
	at, ok := b.Deadline()
	var want time.Time
	if s := m.longest(); s != nil {
		want = s.oldest().deadline
	}
	if ok != (m.longest() != nil) || !at.Equal(want) {
		t.Fatalf("deadline %v %v, want %v", at, ok, want)
	}
	if ok && !at.After(b.now) {
		t.Fatalf("deadline %v has passed at %v", at, b.now)
	}
}

// show prints releases in the form of the tables: "0 in_order, 5 after_gap 3-4".
func show(list []Release) string {
	var parts []string
	for _, r := range list {
		s := fmt.Sprintf("%d %s", r.Event.Sequence, r.Disposition)
		if r.Missing != (Range{}) {
			s += fmt.Sprintf(" %d-%d", r.Missing.First, r.Missing.End-1)
		}
		if r.Event.SessionID != "s" || r.Event.TenantID != "t" {
			s = r.Event.TenantID + "/" + r.Event.SessionID + " " + s
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}
