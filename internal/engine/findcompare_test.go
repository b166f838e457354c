package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// names returns the ids of the hits, sorted.
func names(t testing.TB, b *engine.Board, o engine.FindOptions) string {
	t.Helper()
	o.Tenant, o.Limit = "acme", 100
	found, err := b.Find(ctx, o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	var list []string
	for _, h := range found.Hits {
		list = append(list, h.URI.ID)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestFindCompares compares each field in each way: numbers as numbers, times as
// times, tiers as tiers, texts by bytes, and missing fields with nothing.
func TestFindCompares(t *testing.T) {
	c := newClock()
	o := small(disk.NewMem())
	o.Clock = c.Now
	b := openWith(t, "data", o)
	put := func(w engine.Writer, body memory.Body) { must(t)(b.Put(ctx, w, "acme", body, engine.AnyVersion())) }
	agent := engine.Writer{Actor: "bot", Trust: record.Agent}
	put(user, &memory.Memory{
		ID: "a", Key: "k/a", Text: "Größe zählt.", Importance: hmx.Some(0.25), Confidence: hmx.Some(0.5),
		Data:     &memory.Goal{Status: memory.GoalPaused, Due: hmx.TimeOf(c.Now())},
		Metadata: `{"n":9,"s":"9","b":true,"z":null,"l":["x",3,[1],{"y":1}],"t":"2026-01-02T04:04:05+01:00","o":{"n":1},"a.b":1,"e":""}`,
	})
	c.Move(time.Minute)
	put(agent, &memory.Memory{
		ID: "b", Text: "size matters", Importance: hmx.Some(0.75), Data: &memory.Pattern{Trigger: "Now", Support: 10},
		Metadata: `{"n":10.5,"s":"10","b":false,"t":"2026-01-02T03:04:06Z"}`,
	})
	c.Move(time.Minute)
	put(user, &memory.Entity{ID: "c", Name: "Dana", Type: "person", Attributes: `{"n":100}`})
	put(user, &memory.Policy{ID: "d", Key: "k/d", PolicyKind: memory.PolicyInstruction, Text: "Say little.", Priority: 7})
	must(t)(b.AppendEvents(ctx, agent, []*hmx.Event{eventWith(t, "acme", "e", "s1", 1, "Ask Dana.", `,"tags":["red"]`)}))
	const second = "2026-01-02T03:05:05Z"
	for _, tc := range []struct{ field, op, value, want string }{
		{"text", "=", "size matters", "b"}, {"text", "!=", "size matters", "a d"}, {"text", "contains", "GRÖSSE", ""}, {"text", "contains", "gRÖ", "a"},
		{"text", "prefix", "Size", ""}, {"text", "prefix", "size", "b"}, {"text", "<", "T", "a d"}, {"text", ">=", "s", "b"},
		{"key", "=", "k/a", "a"}, {"key", "!=", "k/a", "d"}, {"key", "prefix", "k", "a d"}, {"key", "<", "zzz", "a d"}, {"key", "=", "", ""}, {"key", "!=", "", "a d"},
		{"id", ">", "b", "c d"}, {"actor", "=", "bot", "b"}, {"actor", "!=", "bot", "a c d"},
		{"trust", "=", "agent", "b"}, {"trust", ">", "agent", "a c d"}, {"trust", "<=", "agent", "b"}, {"trust", "!=", "external", "a b c d"},
		{"type", "=", "goal", "a"}, {"type", "contains", "SON", "c"}, {"status", "=", "paused", "a"}, {"status", "!=", "paused", "d"},
		{"importance", "<", "0.5", "a"}, {"importance", "=", "5e-1", "c d"}, {"importance", "!=", "+0.5", "a b"}, {"confidence", "<", "1", "a"}, {"confidence", ">=", "1.0", "b c d"},
		{"created", "<", second, "a"}, {"created", "=", second, "b"}, {"created", "<=", "2026-01-02T04:05:05+01:00", "a b"}, {"updated", ">", second, "c d"},
		{"data.status", "=", "paused", "a"}, {"data.due", "=", "2026-01-02T04:04:05+01:00", "a"}, {"data.due", "prefix", "2026-01-02T03", "a"}, {"data.due", "<", "2026", ""}, {"data.due", ">", "2026", "a"},
		{"data.support", ">", "9", "b"}, {"data.support", "=", "10.0", "b"}, {"data.support", "=", "ten", ""}, {"data.support", "contains", "1", ""}, {"data.trigger", "=", "now", ""}, {"data.trigger", "contains", "now", "b"},
		{"data.n", ">=", "100", "c"}, {"data.priority", "=", "7", "d"}, {"data.text", "contains", "little", "d"}, {"data.missing", "!=", "x", ""},
		{"metadata.n", "<", "10", "a"}, {"metadata.n", ">", "9", "b"}, {"metadata.n", "!=", "9", "b"}, {"metadata.n", "!=", "nine", "a b"},
		{"metadata.s", "<", "9", "b"}, {"metadata.s", "=", "9", "a"}, {"metadata.b", "=", "true", "a"}, {"metadata.b", "!=", "true", "b"}, {"metadata.b", "<", "true", ""},
		{"metadata.z", "=", "null", ""}, {"metadata.z", "!=", "x", ""}, {"metadata.l", "=", "x", "a"}, {"metadata.l", "=", "3", "a"}, {"metadata.l", ">", "2", "a"}, {"metadata.l", "=", "1", ""},
		{"metadata.l", "!=", "x", ""}, {"metadata.l", "!=", "w", "a"}, {"metadata.t", "<", "2026-01-02T03:04:06Z", "a"}, {"metadata.t", "=", "2026-01-02T03:04:05.000Z", "a"},
		{"metadata.o", "=", "1", ""}, {"metadata.o", "!=", "1", "a"}, {"metadata.o.n", "=", "1", ""}, {"metadata.a.b", "=", "1", "a"}, {"metadata.e", "=", "", "a"}, {"metadata.e", "!=", "", ""},
	} {
		o := engine.FindOptions{After: time.Unix(1, 0), Where: []engine.Compare{{Field: tc.field, Op: tc.op, Value: tc.value}}}
		if got := names(t, b, o); got != tc.want {
			t.Errorf("%s %s %q: %q, want %q", tc.field, tc.op, tc.value, got, tc.want)
		}
	}
	// Of an event.
	for _, tc := range []struct{ field, op, value, want string }{
		{"text", "contains", "ask dana", "e"}, {"key", "!=", "x", ""}, {"id", "=", "e", "e"}, {"actor", "=", "bot", "e"}, {"trust", "<=", "agent", "e"}, {"type", "=", "message", "e"},
		{"status", "=", "unknown", "e"}, {"importance", ">", "0", "e"}, {"confidence", ">=", "0", ""}, {"created", "=", "2026-11-15T05:00:00Z", "e"}, {"data.role", "=", "user", "e"}, {"data.text", "prefix", "Ask", "e"}, {"metadata.n", "=", "1", ""},
	} {
		o := engine.FindOptions{Session: "s1", Where: []engine.Compare{{Field: tc.field, Op: tc.op, Value: tc.value}}}
		if got := names(t, b, o); got != tc.want {
			t.Errorf("event: %s %s %q: %q, want %q", tc.field, tc.op, tc.value, got, tc.want)
		}
	}
	// All comparisons must hold.
	both := []engine.Compare{{Field: "id", Op: ">", Value: "a"}, {Field: "trust", Op: "=", Value: "user"}, {Field: "text", Op: "contains", Value: "little"}}
	if got := names(t, b, engine.FindOptions{After: time.Unix(1, 0), Where: both}); got != "d" {
		t.Errorf("three at once: %q", got)
	}
}

// TestFindTimes judges ends, validity and creation to the nanosecond.
func TestFindTimes(t *testing.T) {
	c := newClock()
	o := small(disk.NewMem())
	o.Clock = c.Now
	b := openWith(t, "data", o)
	begin := c.Now()
	m := fact("m", "k", "For ten seconds.")
	m.TTLSeconds = 10
	must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	v := fact("v", "k/v", "From then to then.")
	v.ValidFrom, v.ValidUntil = hmx.TimeOf(begin.Add(20*time.Second)), hmx.TimeOf(begin.Add(30*time.Second))
	must(t)(b.Put(ctx, user, "acme", v, engine.AnyVersion()))
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{eventWith(t, "acme", "e", "s1", 1, "Hello.", `,"ttl_seconds":10`)}))
	stamp := time.Date(2026, 11, 15, 5, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return begin.Add(d) }
	for _, tc := range []struct {
		name string
		o    engine.FindOptions
		want string
	}{
		{"before the end", engine.FindOptions{View: engine.View{Now: at(10*time.Second - 1)}}, "m"},
		{"at the end", engine.FindOptions{View: engine.View{Now: at(10 * time.Second)}}, ""},
		{"what has ended is gone as of before too", engine.FindOptions{HeldAt: at(time.Second), View: engine.View{Now: at(10 * time.Second)}}, ""},
		{"before it holds", engine.FindOptions{View: engine.View{Now: at(20*time.Second - 1)}}, ""},
		{"when it holds", engine.FindOptions{View: engine.View{Now: at(20 * time.Second)}}, "v"},
		{"as of when it holds", engine.FindOptions{HeldAt: at(20 * time.Second)}, "m v"},
		{"to the last", engine.FindOptions{HeldAt: at(30*time.Second - 1), View: engine.View{Now: at(time.Hour)}}, "v"},
		{"no longer", engine.FindOptions{HeldAt: at(30 * time.Second), View: engine.View{Now: at(time.Hour)}}, ""},
		{"as of when it was made", engine.FindOptions{HeldAt: begin}, "m"},
		{"as of before it was made", engine.FindOptions{HeldAt: begin.Add(-1)}, ""},
		{"from when it was made", engine.FindOptions{After: begin}, "m"},
		{"from after that", engine.FindOptions{After: begin.Add(1)}, ""},
		{"until when it was made", engine.FindOptions{Before: begin}, ""},
		{"until after that", engine.FindOptions{Before: begin.Add(1)}, "m"},
	} {
		tc.o.KeyPrefix = "k"
		if got := names(t, b, tc.o); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	for _, tc := range []struct {
		name string
		o    engine.FindOptions
		want string
	}{
		{"before the end", engine.FindOptions{View: engine.View{Now: at(10*time.Second - 1)}}, "e"},
		{"at the end", engine.FindOptions{View: engine.View{Now: at(10 * time.Second)}}, ""},
		{"from its timestamp", engine.FindOptions{After: stamp}, "e"},
		{"from after that", engine.FindOptions{After: stamp.Add(1)}, ""},
		{"until its timestamp", engine.FindOptions{Before: stamp}, ""},
		{"until after that", engine.FindOptions{Before: stamp.Add(1)}, "e"},
		{"as of its timestamp", engine.FindOptions{HeldAt: stamp}, "e"},
		{"as of before that", engine.FindOptions{HeldAt: stamp.Add(-1)}, ""},
		{"no event is forgotten", engine.FindOptions{State: catalog.Forgotten}, ""},
	} {
		for _, by := range []engine.FindOptions{{Session: "s1"}, {Agent: "a1"}} {
			tc.o.Kinds, tc.o.Session, tc.o.Agent = []record.Kind{record.Event}, by.Session, by.Agent
			if got := names(t, b, tc.o); got != tc.want {
				t.Errorf("event by %s%s, %s: %q, want %q", by.Session, by.Agent, tc.name, got, tc.want)
			}
		}
	}
	// A forgotten record is found as such, valid or not; as of a time it must have
	// been valid.
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "v"}, "", engine.AnyVersion()))
	gone := engine.FindOptions{KeyPrefix: "k", State: catalog.Forgotten}
	if got := names(t, b, gone); got != "v" {
		t.Errorf("forgotten: %q", got)
	}
	gone.HeldAt = at(25 * time.Second)
	if got := names(t, b, gone); got != "v" {
		t.Errorf("forgotten, and it held: %q", got)
	}
	gone.HeldAt = at(15 * time.Second)
	if got := names(t, b, gone); got != "" {
		t.Errorf("forgotten, and it did not hold: %q", got)
	}
	c.Move(time.Minute)
	must(t)(b.Expire(ctx, user, "acme", c.Now()))
	if got := names(t, b, engine.FindOptions{KeyPrefix: "k", State: catalog.Expired}); got != "m" {
		t.Errorf("expired: %q", got)
	}
}
