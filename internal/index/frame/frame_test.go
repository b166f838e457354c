package frame_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

func openStore(t testing.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 8 << 20, MemTableBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// world is a store with the records folded into it, for one tenant.
type world struct {
	t        testing.TB
	s        *kv.Store
	fold     *frame.Frames
	position uint64
	trust    record.Trust // of the next write
}

func newWorld(t testing.TB) *world {
	return &world{t: t, s: openStore(t), fold: frame.New(), trust: record.User}
}

// apply folds a record in a group of its own. The time advances by one second.
func (w *world) apply(r index.Record) index.Record {
	w.t.Helper()
	r.Header.Position, r.Header.Tenant, r.Header.Time = w.position, "acme", second(int(w.position))
	r.Header.Actor, r.Header.Trust = "tester", w.trust
	w.position++
	tx := w.s.Begin()
	if r.Header.Kind == record.Redaction || r.Header.Kind == record.Expiry {
		tx = w.s.BeginIndexed()
	}
	if err := w.fold.Apply(tx, &r); err != nil {
		w.t.Fatal(err)
	}
	if err := w.fold.Finish(tx); err != nil {
		w.t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		w.t.Fatal(err)
	}
	return r
}

// second is a time n seconds after the start.
func second(n int) int64 { return 1_700_000_000_000_000_000 + int64(n)*1_000_000_000 }

func (w *world) put(b memory.Body) index.Record {
	w.t.Helper()
	b.Normalize()
	if err := b.Validate(); err != nil {
		w.t.Fatal(err)
	}
	return w.apply(index.Record{Header: record.Header{Kind: b.Kind()}, Body: b})
}

// event folds an edit of a file.
func (w *world) event(id, path, more string) index.Record {
	w.t.Helper()
	ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"file_edit","agent_id":"coder","tenant_id":"acme","session_id":"s","timestamp":"2026-11-15T05:00:00Z","sequence":7,"content":{"path":%q,"operation":"modify"}%s}`, id, path, metadata(more)))
	if err != nil {
		w.t.Fatal(err)
	}
	return w.apply(index.Record{Header: record.Header{Kind: record.Event, ID: record.ID("acme", record.Event, id)}, Event: ev})
}

// metadata adds the required field of events.
func metadata(more string) string {
	if strings.Contains(more, `"metadata"`) {
		return more
	}
	return more + `,"metadata":{}`
}

func (w *world) forget(kind record.Kind, id string) {
	w.t.Helper()
	w.apply(index.Record{Header: record.Header{Kind: record.Tombstone}, Control: &memory.Tombstone{Target: kind, ID: id, Version: 1}})
}

// redact removes records, which are passed as loaded targets.
func (w *world) redact(kind record.Kind, id string, targets ...index.Record) {
	w.t.Helper()
	red := &memory.Redaction{}
	for i := range targets {
		red.Targets = append(red.Targets, memory.RedactionTarget{Kind: kind, Position: targets[i].Header.Position, ID: record.ID("acme", kind, id)})
		targets[i].Body, targets[i].Payload = nil, nil
	}
	w.apply(index.Record{Header: record.Header{Kind: record.Redaction}, Control: red, Targets: targets})
}

// expire expires records.
func (w *world) expire(targets ...index.Record) {
	w.t.Helper()
	x := &memory.Expiry{Cause: memory.CauseTTL}
	for _, t := range targets {
		x.Targets = append(x.Targets, memory.ExpiryTarget{Kind: t.Header.Kind, Position: t.Header.Position})
	}
	w.apply(index.Record{Header: record.Header{Kind: record.Expiry}, Control: x, Targets: targets})
}

func fact(id, text string, frames ...memory.Frame) *memory.Memory {
	return &memory.Memory{ID: id, Type: memory.TypeFact, Text: text, Frames: frames}
}

func file(path string) memory.Frame {
	return memory.Frame{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: path}
}

func feedback(id string, outcome memory.Outcome, cited ...memory.URI) *memory.Feedback {
	return &memory.Feedback{ID: id, AgentID: "coder", Outcome: outcome, Cited: cited}
}

func uri(kind record.Kind, id string) memory.URI {
	return memory.URI{Tenant: "acme", Kind: kind, ID: id}
}

// ids collects what a walk visits.
func (w *world) ids(walk func(visit func(*frame.Card) bool) error) (ids []string) {
	w.t.Helper()
	err := walk(func(c *frame.Card) bool {
		if c.Thing != frame.ThingOf("acme", c.Kind, c.ID) {
			w.t.Errorf("the card of %s has the digest of another", c.ID)
		}
		ids = append(ids, c.ID)
		return true
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return ids
}

func (w *world) scan(f memory.Frame, class frame.Class) []string {
	w.t.Helper()
	return w.ids(func(visit func(*frame.Card) bool) error { return frame.Scan(w.s, 0, f, class, visit) })
}

func (w *world) pinned() []string {
	w.t.Helper()
	return w.ids(func(visit func(*frame.Card) bool) error { return frame.Pinned(w.s, 0, visit) })
}

func (w *world) outcomes(verb memory.Verb, ref string) []string {
	w.t.Helper()
	return w.ids(func(visit func(*frame.Card) bool) error { return frame.Outcomes(w.s, 0, verb, ref, visit) })
}

func (w *world) card(kind record.Kind, id string) *frame.Card {
	w.t.Helper()
	c, ok, err := frame.CardOf(w.s, 0, kind, frame.ThingOf("acme", kind, id))
	if err != nil {
		w.t.Fatal(err)
	}
	if !ok {
		return nil
	}
	return c
}

func (w *world) usage(kind record.Kind, id string) string {
	w.t.Helper()
	uses, wins, losses, err := frame.Usage(w.s, 0, kind, frame.ThingOf("acme", kind, id))
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprint(uses, " ", wins, " ", losses)
}

// keys returns how many keys each table has.
func (w *world) keys() string {
	w.t.Helper()
	it, err := w.s.Iter([]byte{frame.Prefix}, []byte{frame.Prefix + 1})
	if err != nil {
		w.t.Fatal(err)
	}
	n := make(map[string]int)
	for ok := it.First(); ok; ok = it.Next() {
		n[string(it.Key()[1])]++
	}
	if err := it.Close(); err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprint(n)
}

func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestCard: a card has everything that a reader needs, and changes with the
// versions.
func TestCard(t *testing.T) {
	w := newWorld(t)
	m := fact("a", "Refunds are rounded half away from zero.", file("billing/refund.go"))
	m.Key, m.Tags, m.Importance, m.TTLSeconds, m.Visibility = "billing/rounding", []string{"money"}, hmx.Some(0.75), 60, memory.VisiblePrivate
	w.put(m)
	c := w.card(record.Memory, "a")
	want := frame.Card{
		Kind: record.Memory, Thing: frame.ThingOf("acme", record.Memory, "a"), ID: "a", Key: "billing/rounding", Class: "fact", Version: 1,
		Created: second(0), Updated: second(0), Trust: record.User, Actor: "tester", Private: true, Tags: []string{"money"},
		Frames: []string{"modify:file=billing/refund.go"}, ValidFrom: math.MinInt64, ValidUntil: math.MaxInt64, Expires: second(60), Importance: 0.75,
		Short: "Refunds are rounded half away from zero.", Medium: "Refunds are rounded half away from zero.", ShortTokens: 9, MediumTokens: 9,
	}
	if fmt.Sprintf("%+v", *c) != fmt.Sprintf("%+v", want) {
		t.Errorf("\n%+v, want\n%+v", *c, want)
	}
	w.put(fact("a", "They are rounded half to even.", file("billing/round.go")))
	c = w.card(record.Memory, "a")
	if c.Version != 2 || c.Created != second(0) || c.Updated != second(1) || c.Position != 1 || c.Short != "They are rounded half to even." || c.Key != "" || c.Expires != math.MaxInt64 || c.Private {
		t.Errorf("%+v", c)
	}
	same(t, "the old frame", w.scan(file("billing/refund.go"), frame.Memories))
	same(t, "the new frame", w.scan(file("billing/round.go"), frame.Memories), "a")
	if x := c.Factors(second(1)); x.Recency != 1 || x.Importance != 0.5 || x.Access != 0 || x.Similar {
		t.Errorf("%+v", x)
	}
	if x := c.Factors(math.MaxInt64); !(x.Recency < 0.001) {
		t.Errorf("%+v", x)
	}
}

// TestForms: forms are made if a body has none, or too long ones.
func TestForms(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("Sentences follow one another without an end in sight. ", 60)
	m := fact("a", long)
	m.Forms = memory.Forms{Short: "Said in short.", Medium: long}
	w.put(m)
	w.put(&memory.Policy{ID: "p", PolicyKind: memory.PolicyInstruction, Text: long})
	for _, c := range []*frame.Card{w.card(record.Memory, "a"), w.card(record.Policy, "p")} {
		if c.ShortTokens > memory.ShortTokens || c.MediumTokens > memory.MediumTokens || c.ShortTokens == 0 || c.MediumTokens <= memory.ShortTokens || len(c.Medium) >= len(long) {
			t.Errorf("%d %d %+v", c.ShortTokens, c.MediumTokens, c)
		}
	}
	if c := w.card(record.Memory, "a"); c.Short != "Said in short." {
		t.Errorf("%+v", c)
	}
}

// TestLifecycle: only live records are listed, whatever happened to them.
func TestLifecycle(t *testing.T) {
	w := newWorld(t)
	a := file("a.go")
	first := w.put(fact("x", "One.", a))
	w.put(fact("y", "Two.", a))
	same(t, "at first", w.scan(a, frame.Memories), "y", "x")
	w.forget(record.Memory, "x")
	w.forget(record.Memory, "nobody")
	same(t, "forgotten", w.scan(a, frame.Memories), "y")
	if w.card(record.Memory, "x") != nil {
		t.Error("a forgotten memory has a card")
	}
	again := w.put(fact("x", "One.", a))
	same(t, "restored", w.scan(a, frame.Memories), "y", "x")
	if c := w.card(record.Memory, "x"); c.Version != 3 || c.Created != second(0) || c.Updated != second(4) {
		t.Errorf("%+v", c)
	}
	w.expire(again)
	same(t, "expired", w.scan(a, frame.Memories), "y")
	w.redact(record.Memory, "x", first, again)
	if got := w.keys(); got != "map[c:1 r:1]" {
		t.Error(got)
	}
	// A live one, whose put a replay does not even see.
	w.redact(record.Memory, "y", index.Record{Header: record.Header{Position: 1}})
	w.redact(record.Memory, "z", index.Record{Header: record.Header{Position: 1}})
	if got := w.keys(); got != "map[]" {
		t.Error(got)
	}
}

// TestPins: identities, hard constraints, active goals and hard policies are
// pinned, if they are trusted enough; by rank, then by age.
func TestPins(t *testing.T) {
	w := newWorld(t)
	typed := func(id string, data memory.Data) *memory.Memory { return &memory.Memory{ID: id, Text: id, Data: data} }
	w.put(typed("goal", &memory.Goal{}))
	w.put(typed("paused", &memory.Goal{Status: memory.GoalPaused}))
	w.put(typed("hard", &memory.Constraint{Strength: memory.StrengthHard}))
	w.put(typed("firm", &memory.Constraint{}))
	w.put(typed("me", &memory.Identity{}))
	w.put(typed("also me", &memory.Identity{}))
	w.put(&memory.Policy{ID: "decree", PolicyKind: memory.PolicyInstruction, Text: "decree", Strength: memory.StrengthHard, Scope: memory.Scope{Agents: []string{"coder"}}})
	w.put(&memory.Policy{ID: "soft", PolicyKind: memory.PolicyConstraint, Text: "soft"})
	w.put(&memory.Policy{ID: "off", PolicyKind: memory.PolicyConstraint, Text: "off", Strength: memory.StrengthHard, Active: hmx.Some(false)})
	w.put(&memory.Policy{ID: "keep", PolicyKind: memory.PolicyRetention, Strength: memory.StrengthHard, Retention: memory.Retention{Kinds: []record.Kind{record.Memory}, MaxAgeSeconds: 9}})
	w.put(fact("fact", "fact"))
	w.trust = record.Agent
	w.put(typed("impostor", &memory.Identity{}))
	same(t, "pinned", w.pinned(), "also me", "me", "decree", "hard", "goal")
	for rank, want := range map[frame.Rank][]string{frame.RankIdentity: {"also me", "me"}, frame.RankConstraint: {"decree", "hard"}, frame.RankGoal: {"goal"}} {
		same(t, fmt.Sprint("rank ", rank), w.ids(func(visit func(*frame.Card) bool) error {
			c := frame.Look(w.s, 0)
			return errors.Join(c.Pinned(rank, visit), c.Close())
		}), want...)
	}
	if c := w.card(record.Policy, "decree"); !c.Pinned || !slices.Equal(c.Agents, []string{"coder"}) || c.Status != "active" || c.Class != "instruction" {
		t.Errorf("%+v", c)
	}
	// Achieved, doubted, forgotten, and said by an agent only.
	w.trust = record.User
	w.put(typed("goal", &memory.Goal{Status: memory.GoalAchieved}))
	w.forget(record.Policy, "decree")
	w.trust = record.Agent
	w.put(typed("me", &memory.Identity{}))
	same(t, "pinned later", w.pinned(), "also me", "hard")
	stopped := 0
	if err := frame.Pinned(w.s, 0, func(*frame.Card) bool { stopped++; return false }); err != nil || stopped != 1 {
		t.Error(stopped, err)
	}
}

// TestReferences: references are found in any spelling, each only under its verb,
// kind and tenant.
func TestReferences(t *testing.T) {
	w := newWorld(t)
	w.put(fact("a", "a", file("./internal//pack/pack.go"), memory.Frame{Verb: memory.VerbFind, Kind: memory.ObjURL, Ref: "HTTPS://Example.org/"}))
	same(t, "clean", w.scan(file("internal/pack/pack.go"), frame.Memories), "a")
	same(t, "not clean", w.scan(file("internal/pack/../pack/pack.go"), frame.Memories), "a")
	same(t, "another verb", w.scan(memory.Frame{Verb: memory.VerbBuild, Kind: memory.ObjFile, Ref: "internal/pack/pack.go"}, frame.Memories))
	same(t, "another kind", w.scan(memory.Frame{Verb: memory.VerbModify, Kind: memory.ObjTool, Ref: "internal/pack/pack.go"}, frame.Memories))
	same(t, "another class", w.scan(file("internal/pack/pack.go"), frame.EventMemories))
	same(t, "no verb", w.scan(memory.Frame{Kind: memory.ObjFile, Ref: "internal/pack/pack.go"}, frame.Memories))
	same(t, "no kind", w.scan(memory.Frame{Verb: memory.VerbModify, Kind: "x", Ref: "internal/pack/pack.go"}, frame.Memories))
	same(t, "no reference", w.scan(file(""), frame.Memories))
	same(t, "no reference", w.outcomes(memory.VerbModify, ""))
	if c := w.card(record.Memory, "a"); !slices.Contains(c.Frames, "modify:file=./internal//pack/pack.go") {
		t.Errorf("frames are not as they were given: %q", c.Frames)
	}
	if err := frame.Scan(w.s, 1, file("internal/pack/pack.go"), frame.Memories, func(*frame.Card) bool { t.Error("another tenant's"); return false }); err != nil {
		t.Error(err)
	}
}

// TestEvents: events are filed under their actions, with a card of their own, until
// they are removed.
func TestEvents(t *testing.T) {
	w := newWorld(t)
	a := w.event("e1", "a.go", `,"tags":["x"],"ttl_seconds":5,"salience":0.9`)
	b := w.event("e2", "b.go", "")
	c := w.event("e3", "a.go", "")
	same(t, "a.go", w.scan(file("a.go"), frame.Events), "e3", "e1")
	same(t, "outcomes", w.outcomes(memory.VerbModify, "a.go"), "e3", "e1")
	err := frame.Scan(w.s, 0, file("a.go"), frame.Events, func(c *frame.Card) bool {
		if c.ID != "e1" {
			return true
		}
		if c.Class != "file_edit" || c.Agent != "coder" || c.Session != "s" || c.Sequence != 7 || c.Actor != "tester" || !slices.Equal(c.Tags, []string{"x"}) ||
			c.Expires != second(5) || c.Created != second(0) || c.Updated != second(0) || c.Timestamp <= c.Created || c.Version != 0 || c.Position != 0 ||
			c.Importance != 0.9 || c.Medium == "" || c.MediumTokens == 0 || !slices.Contains(c.Frames, "modify:file=a.go") {
			t.Errorf("%+v", c)
		}
		return true
	})
	if err != nil {
		t.Error(err)
	}
	w.expire(a)
	same(t, "expired", w.scan(file("a.go"), frame.Events), "e3")
	blank := c
	blank.Event = nil
	w.redact(record.Event, "e3", blank) // it was erased before it was folded: there is nothing to do
	same(t, "blank", w.scan(file("a.go"), frame.Events), "e3")
	blank.Damaged = true
	w.redact(record.Event, "e3", blank)
	same(t, "damaged", w.scan(file("a.go"), frame.Events))
	same(t, "another file", w.scan(file("b.go"), frame.Events), "e2")
	w.redact(record.Event, "e2", b)
	if got := w.keys(); got != "map[]" {
		t.Error(got)
	}
}

// TestFramesOfOneEvent: all frames lead to the same card, until it is removed.
func TestFramesOfOneEvent(t *testing.T) {
	w := newWorld(t)
	e := w.event("e1", "a.go", `,"metadata":{"project":"pack","user_id":"ann"}`)
	project, person := memory.Frame{Verb: memory.VerbModify, Kind: memory.ObjProject, Ref: "pack"}, memory.Frame{Verb: memory.VerbModify, Kind: memory.ObjPerson, Ref: "ann"}
	var first *frame.Card
	for _, f := range []memory.Frame{file("a.go"), project, person} {
		n := 0
		see := func(c *frame.Card) bool {
			if n++; first == nil {
				first = c
			}
			if fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", first) || len(c.Frames) != 3 || c.ID != "e1" {
				t.Errorf("%s: %+v", f, c)
			}
			return true
		}
		if err := frame.Scan(w.s, 0, f, frame.Events, see); err != nil || n != 1 {
			t.Errorf("%s: %d %v", f, n, err)
		}
		if err := frame.Outcomes(w.s, 0, f.Verb, f.Ref, see); err != nil || n != 2 {
			t.Errorf("%s: %d %v", f, n, err)
		}
	}
	lost := e
	lost.Event, lost.Damaged = nil, true
	for _, target := range []index.Record{e, lost} {
		w := newWorld(t)
		w.event("e1", "a.go", `,"metadata":{"project":"pack","user_id":"ann"}`)
		if got := w.keys(); got != "map[r:3]" {
			t.Error(got)
		}
		w.redact(record.Event, "e1", target)
		if got := w.keys(); got != "map[]" {
			t.Error(got)
		}
	}
	// A dangling reference is damage.
	tx := w.s.Begin()
	it, err := w.s.Iter([]byte("Fr"), []byte("Fs"))
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		if v, _ := it.Value(); len(v) > 50 {
			if err := tx.Delete(it.Key()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := frame.Scan(w.s, 0, project, frame.Events, func(*frame.Card) bool { return true }); fault.CodeOf(err) != fault.Damaged {
		t.Error(err)
	}
}

// TestOutcomes: outcomes are merged from every kind of object and both classes,
// newest first, each once.
func TestOutcomes(t *testing.T) {
	w := newWorld(t)
	on := func(id string, kinds ...memory.ObjectKind) {
		m := &memory.Memory{ID: id, Type: memory.TypeEvent, Text: id, Data: &memory.Event{Outcome: memory.OutcomeFailure}}
		for _, k := range kinds {
			m.Frames = append(m.Frames, memory.Frame{Verb: memory.VerbModify, Kind: k, Ref: "a.go"})
		}
		w.put(m)
	}
	var want []string
	for i := range 20 {
		id := fmt.Sprint("m", i)
		switch i % 4 {
		case 0:
			on(id, memory.ObjFile)
		case 1:
			on(id, memory.ObjTool, memory.ObjFile, memory.ObjKnowledge)
		case 2:
			w.event(id, "a.go", "")
		case 3:
			w.put(fact(id, id, file("a.go"))) // not an outcome
			continue
		}
		want = append(want, id)
	}
	on("elsewhere", memory.ObjURL)
	w.put(&memory.Memory{ID: "another verb", Type: memory.TypeEvent, Text: "x", Frames: []memory.Frame{{Verb: memory.VerbBuild, Kind: memory.ObjFile, Ref: "a.go"}}})
	slices.Reverse(want)
	same(t, "outcomes", w.outcomes(memory.VerbModify, "a.go"), append([]string{"elsewhere"}, want...)...)
	for stop := 1; stop < 6; stop++ {
		var got []*frame.Card
		if err := frame.Outcomes(w.s, 0, memory.VerbModify, "a.go", func(c *frame.Card) bool {
			got = append(got, c)
			return len(got) < stop
		}); err != nil || len(got) != stop {
			t.Errorf("stopped after %d at %d: %v", stop, len(got), err)
		}
		if got[0].Outcome != memory.OutcomeFailure {
			t.Errorf("%+v", got[0])
		}
	}
}

// TestUsage: citations are counted, in the counts and in every card, and reverted
// with the feedback.
func TestUsage(t *testing.T) {
	w := newWorld(t)
	a := file("a.go")
	w.put(fact("m", "m", a))
	w.put(&memory.Memory{ID: "me", Type: memory.TypeIdentity, Text: "me"})
	w.event("e", "a.go", "")
	all := []memory.URI{uri(record.Memory, "m"), {Tenant: "acme", Kind: record.Memory, ID: "m", Version: 1}, uri(record.Memory, "me"), uri(record.Event, "e"), uri(record.Memory, "later")}
	f1 := w.put(feedback("f1", memory.OutcomeSuccess, all...))
	w.put(feedback("f2", memory.OutcomeFailure, uri(record.Memory, "m")))
	f3 := w.put(feedback("f3", memory.OutcomePartial, uri(record.Memory, "m")))
	f4 := w.put(feedback("f4", memory.OutcomeSuccess, uri(record.Memory, "m")))
	w.put(feedback("f5", memory.OutcomeSuccess))
	w.trust = record.Tool
	w.put(feedback("f6", memory.OutcomeSuccess, all...))
	w.trust = record.User
	w.put(fact("later", "later", a))
	check := func(when string, want map[string]string) {
		t.Helper()
		for id, n := range want {
			kind := record.Memory
			if id == "e" {
				kind = record.Event
			}
			if got := w.usage(kind, id); got != n {
				t.Errorf("%s, %s: %s, want %s", when, id, got, n)
			}
		}
		see := func(c *frame.Card) bool {
			if c.Uses+c.Wins+c.Losses != 0 {
				t.Errorf("%s, the card of %s has counts", when, c.ID)
			}
			return true
		}
		for _, err := range []error{frame.Scan(w.s, 0, a, frame.Memories, see), frame.Pinned(w.s, 0, see)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{"m", "me", "later"} {
			if c := w.card(record.Memory, id); c != nil {
				see(c)
			}
		}
	}
	check("at first", map[string]string{"m": "4 2 1", "me": "1 1 0", "e": "1 1 0", "later": "1 1 0"})
	m := w.card(record.Memory, "m")
	look := frame.Look(w.s, 0)
	if err := errors.Join(look.Count(record.Memory, []*frame.Card{m}), look.Close()); err != nil {
		t.Fatal(err)
	}
	if x := m.Factors(0); x.Access != 4.0/9 || x.Citations != 1.0/3 {
		t.Errorf("%+v", x)
	}
	w.put(fact("m", "Another version.", a))
	w.forget(record.Feedback, "f2")
	check("forgotten", map[string]string{"m": "3 2 0"})
	w.expire(f3)
	check("expired", map[string]string{"m": "2 2 0"})
	w.redact(record.Feedback, "f4", f4)
	w.redact(record.Feedback, "f4", f4)
	check("redacted", map[string]string{"m": "1 1 0"})
	for kind, want := range map[record.Kind]bool{record.Event: true, record.Memory: true, record.Entity: false} {
		if used, err := frame.Used(w.s, 0, kind); err != nil || used != want {
			t.Errorf("%s: %v %v", kind, used, err)
		}
	}
	w.redact(record.Feedback, "f1", f1)
	check("all gone", map[string]string{"m": "0 0 0", "me": "0 0 0", "e": "0 0 0", "later": "0 0 0"})
	if used, err := frame.Used(w.s, 0, record.Event); err != nil || used {
		t.Error(used, err)
	}
	if got := w.keys(); strings.Contains(got, "u:") || strings.Contains(got, "f:") {
		t.Error(got)
	}
	// A record that ends and comes back keeps its counts.
	w.put(feedback("f7", memory.OutcomeSuccess, uri(record.Memory, "m")))
	w.forget(record.Memory, "m")
	w.put(feedback("f8", memory.OutcomeFailure, uri(record.Memory, "m")))
	w.put(fact("m", "Back.", a))
	check("back", map[string]string{"m": "2 1 1"})
}

// TestDamage: damage is reported, not guessed at.
func TestDamage(t *testing.T) {
	w := newWorld(t)
	w.put(fact("a", "a", file("a.go")))
	w.put(&memory.Memory{ID: "me", Type: memory.TypeIdentity, Text: "me"})
	w.put(&memory.Memory{ID: "v", Type: memory.TypeEvent, Text: "v", Frames: []memory.Frame{file("a.go")}})
	w.put(feedback("f", memory.OutcomeSuccess, uri(record.Memory, "a")))
	it, err := w.s.Iter([]byte{frame.Prefix}, []byte{frame.Prefix + 1})
	if err != nil {
		t.Fatal(err)
	}
	var keys [][]byte
	for ok := it.First(); ok; ok = it.Next() {
		keys = append(keys, bytes.Clone(it.Key()))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	tx := w.s.Begin()
	for _, k := range keys {
		if err := tx.Set(k, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	keep := func(*frame.Card) bool { return true }
	thing := frame.ThingOf("acme", record.Memory, "a")
	_, _, cardErr := frame.CardOf(w.s, 0, record.Memory, thing)
	_, _, _, usageErr := frame.Usage(w.s, 0, record.Memory, thing)
	broken := w.s.BeginIndexed()
	defer broken.Discard()
	apply := func(r index.Record) error {
		r.Header.Tenant, r.Header.Trust = "acme", record.User
		return w.fold.Apply(broken, &r)
	}
	for what, err := range map[string]error{
		"card": cardErr, "usage": usageErr, "count": w.look(t).Count(record.Memory, []*frame.Card{{Thing: thing}}),
		"scan": frame.Scan(w.s, 0, file("a.go"), frame.Memories, keep), "pinned": frame.Pinned(w.s, 0, keep),
		"outcomes": frame.Outcomes(w.s, 0, memory.VerbModify, "a.go", keep),
		"put":      apply(index.Record{Header: record.Header{Kind: record.Memory}, Body: fact("a", "a")}),
		"forget":   apply(index.Record{Header: record.Header{Kind: record.Tombstone}, Control: &memory.Tombstone{Target: record.Feedback, ID: "f"}}),
	} {
		if err == nil || !strings.Contains(err.Error(), "lukasa rebuild") && !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// BenchmarkScan reads a hundred cards of a frame: of memories, of events that are
// filed there first, and of events that are filed elsewhere first.
func BenchmarkScan(b *testing.B) {
	w := newWorld(b)
	for i := range 100 {
		m := fact(fmt.Sprint("memory-", i), fmt.Sprintf("What was learned about the package at step %d, in a sentence of some length.", i), file("internal/pack/pack.go"))
		m.Tags = []string{"pack"}
		w.put(m)
		w.event(fmt.Sprint("here-", i), "internal/pack/pack.go", "")
		w.event(fmt.Sprint("there-", i), fmt.Sprintf("internal/pack/file%d.go", i), `,"metadata":{"project":"pack"}`)
	}
	for name, c := range map[string]struct {
		frame memory.Frame
		class frame.Class
	}{
		"memories":   {file("internal/pack/pack.go"), frame.Memories},
		"events":     {file("internal/pack/pack.go"), frame.Events},
		"references": {memory.Frame{Verb: memory.VerbModify, Kind: memory.ObjProject, Ref: "pack"}, frame.Events},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				if err := frame.Scan(w.s, 0, c.frame, c.class, func(*frame.Card) bool { n++; return true }); err != nil || n != 100 {
					b.Fatal(n, err)
				}
			}
		})
	}
}

// BenchmarkOutcomes reads the newest three of a thousand.
func BenchmarkOutcomes(b *testing.B) {
	w := newWorld(b)
	for i := range 1000 {
		w.event(fmt.Sprint("e", i), "internal/pack/pack.go", "")
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := frame.Outcomes(w.s, 0, memory.VerbModify, "internal/pack/pack.go", func(*frame.Card) bool { n++; return n < 3 }); err != nil || n != 3 {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkEvent folds events, a thousand in a group.
func BenchmarkEvent(b *testing.B) {
	w := newWorld(b)
	one := w.event("e", "internal/pack/pack.go", "")
	fold, n := frame.New(), uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		tx := w.s.Begin()
		for range 1000 {
			one.Header.Position = n
			one.Header.ID = record.ID("acme", record.Event, fmt.Sprint(n))
			if err := fold.Apply(tx, &one); err != nil {
				b.Fatal(err)
			}
			n++
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/event")
}

// TestLargeCards: a card with many long frames is found in each of them, is written
// a few times rather than once per frame, and is removed completely.
func TestLargeCards(t *testing.T) {
	w := newWorld(t)
	m := fact("m", "What is known of many files.")
	for i := range 32 {
		m.Frames = append(m.Frames, memory.Frame{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: fmt.Sprint(strings.Repeat("long/", 190), i)})
	}
	w.put(m)
	it, err := w.s.Iter([]byte{frame.Prefix}, []byte{frame.Prefix + 1})
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		size += len(v)
	}
	if err := it.Close(); err != nil || size < 2*32*950 || size > 3*32*1000 {
		t.Errorf("a card of %d bytes takes %d, %v", 32*970, size, err)
	}
	for _, f := range m.Frames {
		found := 0
		err := frame.Scan(w.s, 0, f, frame.Memories, func(c *frame.Card) bool {
			found++
			return c.ID == "m" && len(c.Frames) == 32
		})
		if err != nil || found != 1 {
			t.Fatalf("%d found, %v", found, err)
		}
	}
	w.put(fact("m", "Of one only.", m.Frames[31]))
	w.forget(record.Memory, "m")
	for _, f := range m.Frames {
		if err := frame.Scan(w.s, 0, f, frame.Memories, func(*frame.Card) bool { t.Error("it is still filed"); return false }); err != nil {
			t.Fatal(err)
		}
	}
}
