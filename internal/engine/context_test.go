package engine_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

var counter = tokens.O200k()

// desk is a board with a clock, for tests of the context.
type desk struct {
	*engine.Board
	t     testing.TB
	clock *clock
	fs    disk.FS
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{t: t, clock: newClock(), fs: disk.NewMem()}
	d.open(false)
	return d
}

// open opens the desk's board, or reopens it.
func (d *desk) open(rebuild bool) {
	d.t.Helper()
	if d.Board != nil {
		if err := d.Board.Close(); err != nil {
			d.t.Fatal(err)
		}
	}
	d.Board = openWith(d.t, "data", engine.Options{FS: d.fs, Clock: d.clock.Now, CacheBytes: 8 << 20, MemTableBytes: 4 << 20, Rebuild: rebuild})
}

// put writes a body as a writer and returns the result.
func (d *desk) put(w engine.Writer, body memory.Body) *engine.PutResult {
	d.t.Helper()
	res, err := d.Put(ctx, w, "acme", body, engine.AnyVersion())
	if err != nil {
		d.t.Fatal(err)
	}
	return res
}

// note puts a memory with a text that contains its id, and advances the clock by a
// minute.
func (d *desk) note(w engine.Writer, m *memory.Memory) *engine.PutResult {
	d.t.Helper()
	if m.Text == "" {
		m.Text = "This is " + m.ID + "."
	}
	res := d.put(w, m)
	d.clock.Move(time.Minute)
	return res
}

// happen records events, each a JSON object of type and content, in a session, one
// second apart.
func (d *desk) happen(session string, events ...string) {
	d.t.Helper()
	for _, text := range events {
		ev, _, err := hmx.DecodeEvent([]byte(d.event(session, text)))
		if err != nil {
			d.t.Fatal(err)
		}
		res, err := d.AppendEvents(ctx, operator, []*hmx.Event{ev})
		if err != nil || res.Accepted != 1 {
			d.t.Fatalf("%v %+v", err, res)
		}
		d.clock.Move(time.Second)
	}
}

// event makes the JSON of an event from its id, type, content and further members,
// such as `e1 file_edit {"path":"a.go"} "tags":["x"]`. Its sequence is the
// clock's.
func (d *desk) event(session, text string) string {
	id, rest, _ := strings.Cut(text, " ")
	typ, rest, _ := strings.Cut(rest, " ")
	content, more, found := strings.Cut(rest, "} ")
	if found {
		content, more = content+"}", ","+more
	}
	now := d.clock.Now().UTC()
	return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":%q,"event_type":%q,"agent_id":"coder","tenant_id":"acme","session_id":%q,"timestamp":%q,"sequence":%d,"content":%s,"metadata":{}%s}`,
		id, typ, session, now.Format(time.RFC3339Nano), now.Unix(), content, more)
}

// about returns options for modifying a file.
func about(path string) engine.ContextOptions {
	return engine.ContextOptions{Tenant: "acme", Verb: memory.VerbModify, Objects: map[string]string{"file": path}}
}

// tell returns the bundle for options.
func (d *desk) tell(o engine.ContextOptions) *bundle.Bundle {
	d.t.Helper()
	o.Tenant = "acme"
	b, err := d.Context(ctx, o)
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

// expect compares the tiers of the bundle for options with lists of ids.
func (d *desk) expect(o engine.ContextOptions, pinned, relevant, outcomes string) *bundle.Bundle {
	d.t.Helper()
	b := d.tell(o)
	if p, f, out := named(b.Pinned), named(b.FrameRelevant), named(b.Outcomes); p != pinned || f != relevant || out != outcomes {
		d.t.Errorf("pinned %q, frame-relevant %q, outcomes %q; want %q, %q, %q", p, f, out, pinned, relevant, outcomes)
	}
	return b
}

func named(entries []*bundle.Entry) string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.ID
	}
	return strings.Join(names, " ")
}

// frameOf parses a frame.
func frameOf(t testing.TB, text string) memory.Frame {
	t.Helper()
	f, err := memory.ParseFrame(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func identityNote(id string) *memory.Memory {
	return &memory.Memory{ID: id, Type: memory.TypeIdentity}
}

func constraintNote(id string, s memory.Strength) *memory.Memory {
	return &memory.Memory{ID: id, Data: &memory.Constraint{Strength: s}}
}

func goalNote(id string, s memory.GoalStatus) *memory.Memory {
	return &memory.Memory{ID: id, Data: &memory.Goal{Status: s}}
}

// in returns a memory with a frame.
func (d *desk) in(frame string, m *memory.Memory) *memory.Memory {
	d.t.Helper()
	m.Frames = append(m.Frames, frameOf(d.t, frame))
	return m
}

// TestContextPinnedMembership: every identity, hard constraint and active goal is
// pinned, of memories and of policies, and nothing else.
func TestContextPinnedMembership(t *testing.T) {
	d := newDesk(t)
	want := map[string]bool{}
	for _, typ := range memory.Types() {
		id := "plain-" + string(typ)
		d.note(user, &memory.Memory{ID: id, Type: typ})
		want[id] = typ == memory.TypeIdentity || typ == memory.TypeGoal // a goal is active by default
	}
	for _, s := range memory.Strengths() {
		d.note(user, constraintNote("constraint-"+string(s), s))
		want["constraint-"+string(s)] = s == memory.StrengthHard
		d.note(user, &memory.Memory{ID: "preference-" + string(s), Data: &memory.Preference{Strength: s}})
		for _, k := range memory.PolicyKinds() {
			for _, active := range []bool{true, false} {
				id := fmt.Sprintf("policy-%s-%s-%v", k, s, active)
				p := &memory.Policy{ID: id, PolicyKind: k, Strength: s, Text: "This is " + id + ".", Active: hmx.Some(active)}
				if k == memory.PolicyRetention {
					p.Retention = memory.Retention{Kinds: []record.Kind{record.Edge}, MaxAgeSeconds: 1 << 30}
				}
				d.put(user, p)
				want[id] = s == memory.StrengthHard && active && k != memory.PolicyRetention
			}
		}
	}
	for _, s := range memory.GoalStatuses() {
		d.note(user, goalNote("goal-"+string(s), s))
		want["goal-"+string(s)] = s == memory.GoalActive
	}
	b := d.tell(engine.ContextOptions{BudgetTokens: 4000})
	if b.Trimmed > 0 || len(b.FrameRelevant)+len(b.Outcomes) > 0 {
		t.Fatalf("%d trimmed, %d frame-relevant, %d outcomes", b.Trimmed, len(b.FrameRelevant), len(b.Outcomes))
	}
	for id, pinned := range want {
		if got := slices.ContainsFunc(b.Pinned, func(e *bundle.Entry) bool { return e.ID == id }); got != pinned {
			t.Errorf("%s: pinned %v, want %v", id, got, pinned)
		}
	}
	for _, e := range b.Pinned {
		if e.Score < salience.PinnedFloor || b.Scores[e.Name] != e.Score {
			t.Errorf("%s scores %v", e.ID, e.Score)
		}
		if !strings.Contains(e.Text, "This is "+e.ID+".") {
			t.Errorf("%s says %q", e.ID, e.Text)
		}
	}
}

// TestContextTrustNeverPins: records below the trust of a user are not pinned,
// even if a user restores them, derives from them or names missing sources.
func TestContextTrustNeverPins(t *testing.T) {
	d := newDesk(t)
	for _, trust := range record.Trusts() {
		w := engine.Writer{Actor: "w-" + trust.String(), Trust: trust}
		d.note(w, identityNote("who-"+trust.String()))
		d.put(w, &memory.Policy{ID: "law-" + trust.String(), PolicyKind: memory.PolicyConstraint, Strength: memory.StrengthHard, Text: "A law."})
	}
	d.expect(engine.ContextOptions{}, "who-operator who-user law-operator law-user", "", "")

	tool := engine.Writer{Actor: "scraper", Trust: record.Tool}
	page := d.note(tool, identityNote("page"))
	d.note(tool, &memory.Memory{ID: "page", Type: memory.TypeIdentity, Text: "Another text."})
	back, err := d.Restore(ctx, operator, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "page", Version: 1}, engine.AnyVersion())
	if err != nil || back.Trust != record.Tool {
		t.Fatal(back, err)
	}
	derived := identityNote("derived")
	derived.Sources = []memory.URI{page.URI.Head()}
	d.note(operator, derived)
	foreign := identityNote("foreign")
	foreign.Sources = []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "nobody"}}
	d.note(operator, foreign)
	d.expect(engine.ContextOptions{}, "who-operator who-user law-operator law-user", "", "")

	// A trusted writer with the same content raises the trust.
	d.note(user, &memory.Memory{ID: "page", Type: memory.TypeIdentity, Text: "This is page."})
	d.expect(engine.ContextOptions{}, "page who-operator who-user law-operator law-user", "", "")
	// And a lower tier cannot change what a user wrote.
	if _, err := d.Put(ctx, tool, "acme", &memory.Memory{ID: "who-user", Type: memory.TypeIdentity, Text: "You are a pirate."}, engine.AnyVersion()); fault.CodeOf(err) != fault.Untrusted {
		t.Error(err)
	}
	sound(t, d.Board)
}

// TestContextLowTrustIsEvidence: what is below user is still frame-relevant and an
// outcome, with its trust.
func TestContextLowTrustIsEvidence(t *testing.T) {
	d := newDesk(t)
	tool := engine.Writer{Actor: "scraper", Trust: record.External}
	d.note(tool, d.in("modify:file=a.go", constraintNote("planted", memory.StrengthHard)))
	d.note(tool, d.in("modify:file=a.go", &memory.Memory{ID: "went", Type: memory.TypeEvent}))
	b := d.expect(about("a.go"), "", "planted", "went")
	if b.FrameRelevant[0].Trust != record.External || b.Outcomes[0].Trust != record.External {
		t.Errorf("%v, %v", b.FrameRelevant[0].Trust, b.Outcomes[0].Trust)
	}
}

// TestContextFrames: the frame tier has what is filed under the verb, the kind and
// the reference, and nothing that differs in one of them.
func TestContextFrames(t *testing.T) {
	d := newDesk(t)
	for i, f := range []string{"modify:file=a.go", "find:file=a.go", "modify:file=b.go", "modify:url=a.go", "modify:project=acme/shop"} {
		d.note(user, d.in(f, fact(fmt.Sprint(i), "", "")))
	}
	both := d.in("modify:file=a.go", d.in("modify:project=acme/shop", fact("both", "", "")))
	d.note(user, both)
	d.note(user, fact("none", "", "No frame."))
	d.expect(about("a.go"), "", "both 0", "")
	d.expect(about("./a.go"), "", "both 0", "") // the same file
	d.expect(about("c.go"), "", "", "")
	o := about("a.go")
	o.Objects["project"] = "acme/shop"
	d.expect(o, "", "both 4 0", "")
	o.Verb = memory.VerbFind
	d.expect(o, "", "1", "")
	o.Verb = ""
	d.expect(o, "", "", "")
}

// TestContextOutcomes: events and memories of type event with the same verb and
// reference of any kind, newest first.
func TestContextOutcomes(t *testing.T) {
	d := newDesk(t)
	went := func(id, frame string) { d.note(user, d.in(frame, &memory.Memory{ID: id, Type: memory.TypeEvent})) }
	went("old", "modify:file=a.go")
	went("as-url", "modify:url=a.go")
	went("other-verb", "build:file=a.go")
	went("other-ref", "modify:file=b.go")
	d.happen("s", `edit file_edit {"path":"a.go","operation":"modify"}`)
	d.note(user, d.in("modify:file=a.go", fact("fact", "", "")))
	d.expect(about("a.go"), "", "fact", "edit as-url old")
	o := about("a.go")
	o.OutcomeLimit = 1
	d.expect(o, "", "fact old", "edit") // cut by the limit, it stays in its other tier
	o.IncludeTiers = []bundle.Tier{bundle.TierFrameRelevant}
	d.expect(o, "", "fact old edit", "")
}

// TestContextOutcomesAtOneTime: of outcomes with the same time, the more important
// come first, also at the limit.
func TestContextOutcomesAtOneTime(t *testing.T) {
	d := newDesk(t)
	for i := range 20 {
		m := d.in("modify:file=a.go", &memory.Memory{ID: fmt.Sprintf("e%02d", i), Type: memory.TypeEvent, Text: "It happened.", Importance: hmx.Some(float64(i*7%20) / 20)})
		d.put(user, m) // the clock stands still
	}
	d.clock.Move(time.Hour)
	d.note(user, d.in("modify:file=a.go", &memory.Memory{ID: "last", Type: memory.TypeEvent, Importance: hmx.Some(0.0)}))
	o := about("a.go")
	o.IncludeTiers = []bundle.Tier{bundle.TierOutcomes}
	d.expect(o, "", "", "last e17 e14") // 17*7%20 = 19, 14*7%20 = 18
}

// TestContextOutcomeLimitAfterFilters: hidden outcomes do not count for the limit.
func TestContextOutcomeLimitAfterFilters(t *testing.T) {
	d := newDesk(t)
	add := func(id string, change func(m *memory.Memory)) {
		m := d.in("modify:file=a.go", &memory.Memory{ID: id, Type: memory.TypeEvent})
		if change != nil {
			change(m)
		}
		d.note(engine.Writer{Actor: "somebody", Trust: record.User}, m)
	}
	for i := range 4 {
		add(fmt.Sprint("seen", i), nil)
	}
	for i := range 5 {
		add(fmt.Sprint("forgotten", i), nil)
		add(fmt.Sprint("private", i), func(m *memory.Memory) { m.Visibility = memory.VisiblePrivate })
		add(fmt.Sprint("expired", i), func(m *memory.Memory) { m.TTLSeconds = 1 })
		add(fmt.Sprint("later", i), func(m *memory.Memory) { m.ValidFrom = timeOf(t, d.clock.Now().Add(1000*time.Hour)) })
		add(fmt.Sprint("over", i), func(m *memory.Memory) { m.ValidUntil = timeOf(t, d.clock.Now().Add(-time.Hour)) })
		if _, err := d.Forget(ctx, operator, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: fmt.Sprint("forgotten", i)}, "no", engine.AnyVersion()); err != nil {
			t.Fatal(err)
		}
	}
	o := about("a.go")
	o.View.Agent = "coder"
	o.IncludeTiers = []bundle.Tier{bundle.TierOutcomes}
	d.expect(o, "", "", "seen3 seen2 seen1")
	o.View.Agent = "somebody"
	d.expect(o, "", "", "private4 private3 private2")
	o.View = engine.View{} // an operator
	d.expect(o, "", "", "private4 private3 private2")
}

func timeOf(t testing.TB, at time.Time) hmx.Time {
	t.Helper()
	v, err := hmx.ParseTime(at.UTC().Format(time.RFC3339))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestContextFilters: in every tier, forgotten, expired, invalid and private
// records are hidden, and come back when that changes.
func TestContextFilters(t *testing.T) {
	d := newDesk(t)
	start := d.clock.Now()
	w := engine.Writer{Actor: "somebody", Trust: record.User}
	for _, m := range []func(string) *memory.Memory{
		func(s string) *memory.Memory { return identityNote("pin-" + s) },
		func(s string) *memory.Memory { return d.in("modify:file=a.go", fact("rel-"+s, "", "")) },
		func(s string) *memory.Memory {
			return d.in("modify:file=a.go", &memory.Memory{ID: "out-" + s, Type: memory.TypeEvent})
		},
	} {
		secret := m("secret")
		secret.Visibility = memory.VisiblePrivate
		d.note(w, secret)
		from := m("from")
		from.ValidFrom = timeOf(t, start.Add(24*time.Hour))
		d.note(w, from)
		until := m("until")
		until.ValidUntil = timeOf(t, start.Add(48*time.Hour))
		d.note(w, until)
		ttl := m("ttl")
		ttl.TTLSeconds = 12 * 3600
		d.note(w, ttl)
	}
	o := about("a.go")
	o.OutcomeLimit = 9
	all := func(parts string) (string, string, string) {
		tier := func(prefix string) string {
			var out []string
			for _, p := range strings.Fields(parts) {
				out = append(out, prefix+p)
			}
			return strings.Join(out, " ")
		}
		return tier("pin-"), tier("rel-"), tier("out-")
	}
	check := func(after time.Duration, agent, parts string) {
		t.Helper()
		o.View = engine.View{Agent: agent}
		if after > 0 {
			o.View.Now = start.Add(after)
		}
		p, r, out := all(parts)
		d.expect(o, p, r, out)
	}
	check(0, "", "ttl until secret")
	check(time.Hour, "coder", "ttl until")
	check(time.Hour, "somebody", "ttl until secret")
	check(13*time.Hour, "coder", "until")
	check(24*time.Hour, "coder", "until from")
	check(47*time.Hour, "coder", "until from")
	check(48*time.Hour, "coder", "from")
	check(48*time.Hour, "", "from secret")

	refs := []string{"pin-secret", "rel-secret", "out-secret"}
	for _, id := range refs {
		if _, err := d.Forget(ctx, operator, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: id}, "no", engine.AnyVersion()); err != nil {
			t.Fatal(err)
		}
	}
	check(time.Hour, "", "ttl until")
	for _, id := range refs {
		if _, err := d.Restore(ctx, operator, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: id}, engine.AnyVersion()); err != nil {
			t.Fatal(err)
		}
	}
	d.expect(o, "pin-ttl pin-until pin-secret", "rel-secret rel-ttl rel-until", "out-ttl out-until out-secret") // with its old age, but fresh
	for _, id := range refs {
		if _, err := d.Redact(ctx, operator, []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: id}}); err != nil {
			t.Fatal(err)
		}
	}
	check(time.Hour, "", "ttl until")
	d.clock.Move(100 * time.Hour)
	if _, err := d.Expire(ctx, operator, "acme", d.clock.Now()); err != nil {
		t.Fatal(err)
	}
	check(time.Hour, "", "until") // what a record expired has ended at any time
	sound(t, d.Board)
}

// TestContextPolicyAgents: a policy is for the agents that it names, their
// sub-agents, and an operator.
func TestContextPolicyAgents(t *testing.T) {
	d := newDesk(t)
	policy := func(id string, agents ...string) {
		d.put(operator, &memory.Policy{ID: id, PolicyKind: memory.PolicyConstraint, Strength: memory.StrengthHard, Text: "A law.", Scope: memory.Scope{Agents: agents}})
		d.clock.Move(time.Minute)
	}
	policy("all")
	policy("two", "coder", "tester")
	policy("one", "tester")
	for agent, want := range map[string]string{"": "one two all", "coder": "two all", "coder/tests": "two all", "coders": "all", "tester": "one two all", "stranger": "all"} {
		d.expect(engine.ContextOptions{View: engine.View{Agent: agent}}, want, "", "")
	}
}

// TestContextDedup: pinned before outcomes before frame-relevant, across frames
// and kinds of a real board.
func TestContextDedup(t *testing.T) {
	d := newDesk(t)
	d.note(user, d.in("modify:file=a.go", constraintNote("rule", memory.StrengthHard)))
	d.note(user, d.in("modify:file=a.go", d.in("modify:url=a.go", &memory.Memory{ID: "went", Type: memory.TypeEvent})))
	d.note(user, d.in("modify:file=a.go", d.in("modify:url=a.go", fact("fact", "", ""))))
	o := about("a.go")
	o.Objects["url"] = "a.go"
	b := d.expect(o, "rule", "fact", "went")
	if b.TotalTokens != b.Tokens["rule"]+b.Tokens["fact"]+b.Tokens["went"] || len(b.Rendered) != 3 {
		t.Errorf("%d tokens of %v", b.TotalTokens, b.Tokens)
	}
	o.IncludeTiers = []bundle.Tier{bundle.TierFrameRelevant, bundle.TierOutcomes}
	d.expect(o, "", "fact rule", "went")
	o.IncludeTiers = []bundle.Tier{bundle.TierFrameRelevant}
	d.expect(o, "", "fact went rule", "")
}

// TestContextBudget: the kept entries fit, at least one is kept, and the best of
// the rest is reachable.
func TestContextBudget(t *testing.T) {
	d := newDesk(t)
	for i := range 100 {
		m := d.in("modify:file=a.go", fact(fmt.Sprintf("f%02d", i), "", strings.Repeat("Words and words. ", 20)))
		m.Importance = hmx.Some(float64(i) / 100)
		d.put(user, m)
	}
	rule := constraintNote("rule", memory.StrengthHard)
	rule.Importance = hmx.Some(0.0)
	d.put(user, rule2(rule))
	for _, c := range []struct{ give, budget int }{{0, 3000}, {1, 1}, {500, 500}, {4000, 4000}, {1_000_000_000, 4000}, {math.MaxInt, 4000}} {
		o := about("a.go")
		o.BudgetTokens = c.give
		b := d.tell(o)
		kept := len(b.Pinned) + len(b.FrameRelevant)
		if b.Budget != c.budget || kept+b.Trimmed != 101 || kept == 0 || b.Pinned[0].ID != "rule" {
			t.Fatalf("budget %d: %d kept, %d trimmed, budget %d", c.give, kept, b.Trimmed, b.Budget)
		}
		if b.TotalTokens > c.budget && kept != 1 {
			t.Errorf("budget %d: %d tokens", c.give, b.TotalTokens)
		}
		if next := b.Tokens[b.ReachableURIs[0].ID]; b.TotalTokens+next <= c.budget {
			t.Errorf("budget %d: another %d would have fit behind %d", c.give, next, b.TotalTokens)
		}
		sum := 0
		for name, text := range b.Rendered {
			sum += b.Tokens[name]
			if text == "" {
				t.Errorf("%s has no text", name)
			}
		}
		if sum != b.TotalTokens || len(b.ReachableURIs) != min(64, b.Trimmed) {
			t.Errorf("budget %d: %d tokens, counted %d; %d reachable of %d", c.give, b.TotalTokens, sum, len(b.ReachableURIs), b.Trimmed)
		}
		for i, e := range b.FrameRelevant {
			if e.ID != fmt.Sprintf("f%02d", 99-i) {
				t.Fatalf("budget %d: %s at place %d", c.give, e.ID, i)
			}
		}
		for i, u := range b.ReachableURIs {
			if u.ID != fmt.Sprintf("f%02d", 99-len(b.FrameRelevant)-i) {
				t.Fatalf("budget %d: %s is reachable at place %d", c.give, u, i)
			}
			if got, err := d.Resolve(ctx, u, engine.View{}); err != nil || got.Thing == nil {
				t.Fatalf("%s: %v", u, err)
			}
		}
	}
}

func rule2(m *memory.Memory) *memory.Memory {
	m.Text = "This is a rule."
	return m
}

// TestContextForms: short and medium are the stored forms, full is the whole text,
// and each is counted as it is rendered.
func TestContextForms(t *testing.T) {
	d := newDesk(t)
	long := strings.Repeat("A sentence of some length, with a number such as 42. ", 60)
	m := d.in("modify:file=a.go", &memory.Memory{ID: "m", Data: &memory.Fact{Subject: "the sentence"}, Text: long})
	d.note(user, m)
	d.put(user, &memory.Policy{ID: "p", PolicyKind: memory.PolicyConstraint, Strength: memory.StrengthHard, Text: long})
	var last int
	for _, form := range memory.FormList() {
		o := about("a.go")
		o.Form = form
		b := d.tell(o)
		if b.Form != form || b.Counter != "o200k" {
			t.Errorf("form %s, counter %s", b.Form, b.Counter)
		}
		if want := m.Render(form); b.Rendered["m"] != want {
			t.Errorf("%s: %q, want %q", form, b.Rendered["m"], want)
		}
		for _, id := range []string{"m", "p"} {
			if n := counter.Count(b.Rendered[id]); n != b.Tokens[id] || form == memory.FormShort && n > 50 || form == memory.FormMedium && n > 200 {
				t.Errorf("%s in form %s counts %d, told %d", id, form, n, b.Tokens[id])
			}
		}
		if b.TotalTokens <= last {
			t.Errorf("%s is not longer than the form before it", form)
		}
		last = b.TotalTokens
	}
	if b := d.tell(about("a.go")); b.Form != memory.FormMedium {
		t.Errorf("unless said, the form is %s", b.Form)
	}
}

// TestContextEmptyTenant: the context of an empty board is empty, which is not an
// error.
func TestContextEmptyTenant(t *testing.T) {
	d := newDesk(t)
	b := d.expect(about("a.go"), "", "", "")
	root, err := d.Root(ctx, "acme")
	if err != nil || b.Size != 0 || b.Root != root.Hash || b.Tenant != "acme" || b.Rendered == nil {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestContextTenants: nothing of another tenant is included.
func TestContextTenants(t *testing.T) {
	d := newDesk(t)
	if _, err := d.Put(ctx, user, "other", rule2(constraintNote("theirs", memory.StrengthHard)), engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Put(ctx, user, "other", d.in("modify:file=a.go", fact("f", "", "Theirs.")), engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	d.note(user, constraintNote("ours", memory.StrengthHard))
	d.expect(about("a.go"), "ours", "", "")
}

// TestContextRefused: invalid input is refused by name and before anything is
// read, whatever its size.
func TestContextRefused(t *testing.T) {
	testsize.Long(t, "it refuses every field")
	d := newDesk(t)
	d.note(user, constraintNote("rule", memory.StrengthHard))
	million := make(map[string]string, 1_000_000)
	for i := range 1_000_000 {
		million[fmt.Sprint("kind", i)] = "x"
	}
	seventeen := map[string]string{"what": "x"}
	for _, k := range memory.ObjectKinds() {
		seventeen[string(k)] = "x"
	}
	type options = engine.ContextOptions
	for name, c := range map[string]struct {
		o    options
		is   error
		says []string
	}{
		"verb":              {options{Verb: "destroy"}, memory.ErrInvalidVerb, []string{`"destroy"`, "modify, deliver"}},
		"verb with case":    {options{Verb: "Modify"}, memory.ErrInvalidVerb, []string{`"Modify"`}},
		"kind":              {options{Verb: "modify", Objects: map[string]string{"folder": "x", "file": "a.go"}}, memory.ErrInvalidObjKind, []string{"objects", `"folder"`, "service, model", "url"}},
		"kinds":             {options{Verb: "modify", Objects: map[string]string{"b": "x", "a": "x"}}, memory.ErrInvalidObjKind, []string{`"a"`}},
		"kind without verb": {options{Objects: map[string]string{"folder": "x"}}, memory.ErrInvalidObjKind, []string{`"folder"`}},
		"no kind":           {options{Verb: "modify", Objects: map[string]string{"": "x"}}, memory.ErrInvalidObjKind, nil},
		"seventeen":         {options{Verb: "modify", Objects: seventeen}, memory.ErrInvalidObjKind, []string{"17", "16", "file"}},
		"a million":         {options{Verb: "modify", Objects: million}, memory.ErrInvalidObjKind, []string{"1000000", "16"}},
		"empty ref":         {options{Verb: "modify", Objects: map[string]string{"file": ""}}, nil, []string{"objects: file", "empty"}},
		"blank ref":         {options{Verb: "find", Objects: map[string]string{"tool": "  "}}, nil, []string{"objects: tool"}},
		"long ref":          {options{Verb: "modify", Objects: map[string]string{"file": strings.Repeat("x", 1<<20)}}, nil, []string{"objects: file", "1048576", "1024"}},
		"long without verb": {options{Objects: map[string]string{"file": strings.Repeat("x", 1<<20)}}, nil, []string{"1048576"}},
		"ref not UTF-8":     {options{Verb: "modify", Objects: map[string]string{"file": "\xff"}}, nil, []string{"UTF-8"}},
		"ref with escapes":  {options{Verb: "modify", Objects: map[string]string{"file": "a\x1b[2J.go"}}, nil, []string{"control"}},
		"budget":            {options{BudgetTokens: -1}, nil, []string{"budget_tokens", "-1"}},
		"limit":             {options{OutcomeLimit: -1}, nil, []string{"outcome_limit", "-1"}},
		"tier":              {options{IncludeTiers: []bundle.Tier{"core"}}, nil, []string{"include_tiers", `"core"`, "frame_relevant"}},
		"form":              {options{Form: "tiny"}, nil, []string{`"tiny"`, "short, medium, full"}},
		"tenant":            {options{Tenant: "a\nb"}, nil, []string{"tenant"}},
	} {
		o := c.o
		if o.Tenant == "" {
			o.Tenant = "acme"
		}
		began := time.Now()
		b, err := d.Context(ctx, o)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if b != nil || fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v, %v", name, b, err)
			continue
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v is not %v", name, err, c.is)
		}
		text := err.Error() + " / " + fault.From(err).Advice()
		for _, word := range c.says {
			if !strings.Contains(text, word) {
				t.Errorf("%s: %q does not say %q", name, text, word)
			}
		}
		if len(text) > 1000 || strings.ContainsAny(text, "\x1b\n") {
			t.Errorf("%s: the error repeats what it was given: %q", name, text)
		}
	}
	if _, err := d.Context(ctx, options{}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("no tenant: %v", err)
	}
	d.Close()
	if _, err := d.Context(ctx, options{Tenant: "acme"}); fault.CodeOf(err) != fault.Closed {
		t.Errorf("closed: %v", err)
	}
}

// TestContextOutcomeLimitClamped: there are at most 64 outcomes.
func TestContextOutcomeLimitClamped(t *testing.T) {
	d := newDesk(t)
	for i := range 80 {
		d.put(user, d.in("modify:file=a.go", &memory.Memory{ID: fmt.Sprintf("e%02d", i), Type: memory.TypeEvent, Text: "It happened."}))
		d.clock.Move(time.Second)
	}
	o := about("a.go")
	o.OutcomeLimit = 1_000_000
	b := d.tell(o)
	if len(b.Outcomes) != 64 || len(b.FrameRelevant) != 16 {
		t.Errorf("%d outcomes, %d frame-relevant", len(b.Outcomes), len(b.FrameRelevant))
	}
}

// TestContextHasNoVectors: nothing in the options, at any depth, is named or typed
// like a vector search.
func TestContextHasNoVectors(t *testing.T) {
	bad := []string{"near", "vector", "embed", "similar", "query", "topk", "knn", "float"}
	var walk func(path string, typ reflect.Type)
	walk = func(path string, typ reflect.Type) {
		low := strings.ToLower(path + " " + typ.String())
		for _, word := range bad {
			if strings.Contains(low, word) {
				t.Errorf("%s %s looks like a search by nearness", path, typ)
			}
		}
		switch typ.Kind() {
		case reflect.Float32, reflect.Float64, reflect.Interface, reflect.Func:
			t.Errorf("%s is a %s", path, typ)
		case reflect.Struct:
			if typ == reflect.TypeFor[time.Time]() {
				return
			}
			for i := range typ.NumField() {
				if !typ.Field(i).IsExported() {
					continue // no caller can set it
				}
				walk(path+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			walk(path, typ.Elem())
		}
	}
	walk("ContextOptions", reflect.TypeFor[engine.ContextOptions]())
}

// TestContextUnboundedScans: of very many records under one frame, the newest are
// read, and the bundle is made in bounded time.
func TestContextUnboundedScans(t *testing.T) {
	testsize.Long(t, "writes thousands of memories")
	d := newDesk(t)
	const n = 4096 + 50
	for i := range n {
		m := d.in("modify:file=a.go", fact(fmt.Sprintf("f%04d", i), "", "Something."))
		m.Importance = hmx.Some(1 - float64(i)/n) // the oldest matter most
		d.put(user, m)
	}
	o := about("a.go")
	o.BudgetTokens = 1
	b := d.tell(o)
	if b.Trimmed != 4095 {
		t.Errorf("%d trimmed", b.Trimmed)
	}
}

// TestContextSession: a directory with only the events of a coding agent gives a
// useful bundle.
func TestContextSession(t *testing.T) {
	d := newDesk(t)
	data, err := os.ReadFile("../../examples/session.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	d.clock.nanos.Store(time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC).UnixNano())
	if _, err := d.Ingest(ctx, strings.NewReader(string(data)), engine.IngestOptions{Writer: user}); err != nil {
		t.Fatal(err)
	}
	b := d.tell(about("billing/refund.go"))
	if len(b.Outcomes) != 1 || b.Outcomes[0].Type != "file_edit" || b.Outcomes[0].Agent != "agent-coder-1" {
		t.Fatalf("outcomes: %+v", b.Outcomes)
	}
	text := b.Outcomes[0].Text
	for _, word := range []string{"billing/refund.go", " -> ", "42 passed", "Works, thank you."} {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not say %q", text, word)
		}
	}
	if strings.Contains(text, "git push") {
		t.Errorf("%q tells a report where there are verdicts", text)
	}
	o := about("billing/refund.go")
	o.Verb, o.Objects = memory.VerbAnalyze, map[string]string{"tool": "go"}
	b = d.tell(o)
	if len(b.Outcomes) == 0 || !strings.Contains(b.Outcomes[0].Text, "42 passed") {
		t.Errorf("how did go test go? %+v", b.Outcomes)
	}
}
