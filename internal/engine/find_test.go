package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// TestFindBadInput refuses invalid input: with the field, the rule and the fix.
func TestFindBadInput(t *testing.T) {
	b := chain(t)
	base := func(change func(*engine.FindOptions)) engine.FindOptions {
		o := engine.FindOptions{Tenant: "acme", KeyPrefix: "line"}
		change(&o)
		return o
	}
	where := func(field, op, value string) engine.FindOptions {
		return base(func(o *engine.FindOptions) { o.Where = []engine.Compare{{Field: field, Op: op, Value: value}} })
	}
	follow := func(steps ...engine.Step) engine.FindOptions {
		return base(func(o *engine.FindOptions) { o.Follow = steps })
	}
	supports := []memory.EdgeKind{memory.EdgeSupports}
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	many := strings.Split(strings.Repeat("x,", 100)+"x", ",")
	for _, tc := range []struct {
		name  string
		o     engine.FindOptions
		parts []string
	}{
		{"no tenant", engine.FindOptions{KeyPrefix: "line"}, []string{"tenant", "is empty"}},
		{"nothing", engine.FindOptions{Tenant: "acme"}, []string{"no filter narrows", "types, tags, key_prefix, agent, session, frame with its reference, after, before"}},
		{"text alone", engine.FindOptions{Tenant: "acme", Text: "refund"}, []string{"no filter narrows"}},
		{"status alone", engine.FindOptions{Tenant: "acme", Status: "active"}, []string{"no filter narrows"}},
		{"where alone", engine.FindOptions{Tenant: "acme", Where: []engine.Compare{{Field: "id", Op: "=", Value: "x"}}}, []string{"no filter narrows"}},
		{"a frame without its reference", engine.FindOptions{Tenant: "acme", Frame: "modify:file"}, []string{"no filter narrows"}},
		{"events by tag", engine.FindOptions{Tenant: "acme", Kinds: []record.Kind{record.Event}, Tags: []string{"x"}}, []string{"narrows the events", "session or agent"}},
		{"events by time", engine.FindOptions{Tenant: "acme", Kinds: []record.Kind{record.Event, record.Memory}, After: day}, []string{"narrows the events"}},
		{"a kind that is none", base(func(o *engine.FindOptions) { o.Kinds = []record.Kind{record.Memory, record.Tombstone} }), []string{"kinds[1] is tombstone", "use one of event, memory"}},
		{"a kind of no number", base(func(o *engine.FindOptions) { o.Kinds = []record.Kind{99} }), []string{"kinds[0] is kind(99)"}},
		{"too many kinds", base(func(o *engine.FindOptions) { o.Kinds = make([]record.Kind, 1000) }), []string{"kinds has 1000 items"}},
		{"bad in every way", base(func(o *engine.FindOptions) { o.Kinds, o.Types = make([]record.Kind, 64), make([]string, 64) }), []string{"kinds[0]", "and 96 more"}},
		{"a type that no memory has", base(func(o *engine.FindOptions) { o.Kinds, o.Types = []record.Kind{record.Memory}, []string{"fakt"} }), []string{`types[0] is "fakt"`, "identity, fact"}},
		{"an empty type", base(func(o *engine.FindOptions) { o.Types = []string{""} }), []string{"types[0] is empty"}},
		{"too many types", base(func(o *engine.FindOptions) { o.Types = many }), []string{"types has 101 items"}},
		{"a tag with a line break", base(func(o *engine.FindOptions) { o.Tags = []string{"a\nb"} }), []string{"tags[0]", "control character"}},
		{"too many tags", base(func(o *engine.FindOptions) { o.Tags = many }), []string{"tags has 101 items"}},
		{"an empty segment", base(func(o *engine.FindOptions) { o.KeyPrefix = "line/" }), []string{"key_prefix", "empty segment"}},
		{"an agent that reads backwards", base(func(o *engine.FindOptions) { o.Agent = "\u202etob" }), []string{"agent", "bidirectional"}},
		{"a session of a megabyte", base(func(o *engine.FindOptions) { o.Session = strings.Repeat("s", 1<<20) }), []string{"session has 1048576 bytes"}},
		{"a status of nothing good", base(func(o *engine.FindOptions) { o.Status = "a\x00" }), []string{"status", "control character"}},
		{"no time between", base(func(o *engine.FindOptions) { o.After, o.Before = day, day }), []string{"before is not later than after"}},
		{"a frame that is none", base(func(o *engine.FindOptions) { o.Frame = "edit the file" }), []string{"frame is", "verb:kind=ref"}},
		{"an unknown verb", base(func(o *engine.FindOptions) { o.Frame = "edit:file=x" }), []string{"frame.verb", "negotiate"}},
		{"an unknown object kind", base(func(o *engine.FindOptions) { o.Frame = "modify:fiel" }), []string{"frame.kind", "repository"}},
		{"a reference of a megabyte", base(func(o *engine.FindOptions) { o.Frame = "modify:file=" + strings.Repeat("x", 1<<20) }), []string{"frame.ref has 1048576 bytes"}},
		{"an unknown state", base(func(o *engine.FindOptions) { o.State = "dead" }), []string{`state is "dead"`, "live, forgotten, expired"}},
		{"what is redacted", base(func(o *engine.FindOptions) { o.State = catalog.Redacted }), []string{`state is "redacted"`}},
		{"an unknown field", where("colour", "=", "red"), []string{`where[0].field is "colour"`, "text, key, id, actor, trust, type, status, importance, confidence, created, updated, data.<name>, metadata.<name>"}},
		{"the pattern itself is no field", where("data.", "=", "red"), []string{"where[0].field names a member of data with 0 bytes"}},
		{"an unknown comparison", where("text", "~", "red"), []string{`where[0].op is "~"`, "=, !=, <, <=, >, >=, contains, prefix"}},
		{"no comparison", where("text", "", "red"), []string{"where[0].op"}},
		{"a number that is none", where("importance", ">", "high"), []string{`where[0].value is "high"`, "0.5"}},
		{"no number", where("importance", ">", "NaN"), []string{"where[0].value"}},
		{"a time that is none", where("created", ">", "yesterday"), []string{`where[0].value is "yesterday"`, "RFC 3339"}},
		{"a tier that is none", where("trust", ">", "root"), []string{`where[0].value is "root"`, "external, tool, agent, user, operator"}},
		{"a number that contains", where("importance", "contains", "5"), []string{"where[0].op is contains, but importance is a number"}},
		{"a time that begins with", where("created", "prefix", "2026-01-02T03:04:05Z"), []string{"where[0].op is prefix, but created is a time"}},
		{"contains nothing", where("text", "contains", ""), []string{"where[0].value is empty"}},
		{"a value of a megabyte", where("text", "=", strings.Repeat("x", 1<<20)), []string{"where[0].value has 1048576 bytes"}},
		{"a value that is not text", where("text", "=", "\xff"), []string{"where[0].value is not UTF-8"}},
		{"too many comparisons", base(func(o *engine.FindOptions) { o.Where = make([]engine.Compare, 17) }), []string{"where has 17 items"}},
		{"a text of a megabyte", base(func(o *engine.FindOptions) { o.Text = strings.Repeat("x ", 1<<19) }), []string{"text has 1048576 bytes"}},
		{"a text that is not text", base(func(o *engine.FindOptions) { o.Text = "\xff" }), []string{"text is not UTF-8"}},
		{"an empty step", follow(engine.Step{}), []string{"follow[0].kinds is empty", "follow[0].hops is 0", "supports, contradicts"}},
		{"no hops", follow(engine.Step{Kinds: supports}), []string{"follow[0].hops is 0, but must be from 1 to 6"}},
		{"seven hops", follow(engine.Step{Kinds: supports, Hops: 7}), []string{"follow[0].hops is 7"}},
		{"seven hops in all", follow(engine.Step{Kinds: supports, Hops: 3}, engine.Step{Kinds: supports, Hops: 4}), []string{"follow goes 7 hops in all"}},
		{"hops below nothing", follow(engine.Step{Kinds: supports, Hops: -1}), []string{"follow[0].hops is -1"}},
		{"an unknown kind of edge", follow(engine.Step{Kinds: []memory.EdgeKind{"likes"}, Hops: 1}), []string{`follow[0].kinds[0] is "likes"`, "x-{vendor}-{kind}"}},
		{"half a vendor's kind", follow(engine.Step{Kinds: []memory.EdgeKind{"x-acme"}, Hops: 1}), []string{`follow[0].kinds[0] is "x-acme"`}},
		{"an unknown direction", follow(engine.Step{Kinds: supports, Hops: 1, Direction: "up"}), []string{`follow[0].direction is "up"`, "out, in, both"}},
		{"too many steps", follow(make([]engine.Step, 1000)...), []string{"follow has 1000 items"}},
		{"following what is forgotten", base(func(o *engine.FindOptions) {
			o.State, o.Follow = catalog.Forgotten, []engine.Step{{Kinds: supports, Hops: 1}}
		}), []string{"follow is given, but only what is live is followed"}},
		{"seeds of nothing", base(func(o *engine.FindOptions) { o.Seeds = 3 }), []string{"seeds is given, but there is no step"}},
		{"more seeds than hits", base(func(o *engine.FindOptions) {
			o.Limit, o.Seeds, o.Follow = 3, 4, []engine.Step{{Kinds: supports, Hops: 1}}
		}), []string{"seeds is 4"}},
		{"a limit below nothing", base(func(o *engine.FindOptions) { o.Limit = -1 }), []string{"limit is -1, but must be from 1 to 500"}},
		{"a limit too high", base(func(o *engine.FindOptions) { o.Limit = 501 }), []string{"limit is 501"}},
		{"a budget below nothing", base(func(o *engine.FindOptions) { o.BudgetTokens = -5 }), []string{"budget_tokens is -5"}},
		{"an unknown form", base(func(o *engine.FindOptions) { o.Form = "tiny" }), []string{`form is "tiny"`, "short, medium, full"}},
		{"an unknown order", base(func(o *engine.FindOptions) { o.Order = "random" }), []string{`order is "random"`, "salience, time, relevance"}},
		{"relevant to nothing", base(func(o *engine.FindOptions) { o.Order = engine.ByRelevance }), []string{"order is relevance, but there is no text"}},
		{"everything at once", engine.FindOptions{Tenant: "acme", Limit: -1, Form: "x", Order: "y", State: "z"}, []string{"limit", "form", "order", "state"}},
	} {
		found, err := b.Find(ctx, tc.o)
		if fault.CodeOf(err) != fault.InvalidArgument || found != nil {
			t.Errorf("%s: %v %v", tc.name, found, err)
			continue
		}
		said := err.Error() + " " + fault.From(err).Advice()
		for _, part := range tc.parts {
			if !strings.Contains(said, part) {
				t.Errorf("%s: %q does not say %q", tc.name, said, part)
			}
		}
		if len(said) > 8000 || strings.ContainsAny(said, "\x00\u202e\n") {
			t.Errorf("%s: what is said has %d bytes, or repeats what harms", tc.name, len(said))
		}
	}
	// Errors about closed lists differ.
	_, err := b.Find(ctx, base(func(o *engine.FindOptions) { o.Frame = "edit:file=x" }))
	if !errors.Is(err, memory.ErrInvalidVerb) {
		t.Errorf("an unknown verb: %v", err)
	}
	_, err = b.Find(ctx, base(func(o *engine.FindOptions) { o.Frame = "modify:fiel" }))
	if !errors.Is(err, memory.ErrInvalidObjKind) {
		t.Errorf("an unknown object kind: %v", err)
	}
	if _, err := b.Find(ctx, engine.FindOptions{Tenant: "nobody", KeyPrefix: "line"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a tenant without records: %v", err)
	}
	if _, err := b.Find(ctx, engine.FindOptions{Tenant: "acme", KeyPrefix: "line", View: engine.View{Scope: "lukasa_scope_1.AAAA"}}); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("a forged scope: %v", err)
	}
}

// TestFindForms shows hits in each form, of every kind.
func TestFindForms(t *testing.T) {
	b := openWith(t, "data", small(disk.NewMem()))
	long := strings.Repeat("A sentence that goes on for a while. ", 60)
	uri := func(k record.Kind, id string) memory.URI { return memory.URI{Tenant: "acme", Kind: k, ID: id} }
	for _, body := range []memory.Body{
		fact("m", "", long),
		&memory.Entity{ID: "n", Name: "Dana", Type: "person", Aliases: []string{"D."}, Description: "She signs."},
		&memory.Entity{ID: "o", Name: "Eve", Type: "person"},
		&memory.Relation{ID: "r", From: "n", To: "o", Predicate: "knows"},
		&memory.Edge{ID: "l", From: uri(record.Memory, "m"), To: uri(record.Entity, "n"), EdgeKind: memory.EdgeRelatesTo},
		&memory.Conflict{ID: "c", Between: []memory.URI{uri(record.Memory, "m"), uri(record.Entity, "n")}, Summary: "They differ.", Status: memory.ConflictDismissed, Resolution: "They do not."},
		&memory.Policy{ID: "p", PolicyKind: memory.PolicyInstruction, Text: "Be brief."},
		&memory.Policy{ID: "q", PolicyKind: memory.PolicyRetention, Retention: memory.Retention{Kinds: []record.Kind{record.Event}, MaxAgeSeconds: 60}},
		&memory.Feedback{ID: "f", AgentID: "coder", Outcome: memory.OutcomePartial, Note: "It took long."},
		&memory.Feedback{ID: "g", AgentID: "coder", Outcome: memory.OutcomeSuccess},
	} {
		must(t)(b.Put(ctx, user, "acme", body, engine.AnyVersion()))
	}
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e", 1, long)}))
	want := map[string]string{
		"n": "Dana (person), also D.: She signs.", "o": "Eve (person)", "r": "n knows o",
		"l": "lukasa://acme/memory/m relates_to lukasa://acme/entity/n",
		"c": "dismissed conflict between lukasa://acme/entity/n and lukasa://acme/memory/m: They differ. They do not.",
		"p": "Be brief.", "q": "retention of event", "f": "partial of coder: It took long.", "g": "success of coder",
	}
	most := map[memory.Form]int{memory.FormShort: memory.ShortTokens, memory.FormMedium: memory.MediumTokens, memory.FormFull: 1 << 20}
	for _, form := range memory.FormList() {
		seen := 0
		for _, o := range []engine.FindOptions{
			{Tenant: "acme", Form: form, After: time.Unix(1, 0), Kinds: memory.BodyKinds()},
			{Tenant: "acme", Form: form, Session: "s1"},
		} {
			found, err := b.Find(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			if found.Form != form || found.Counter != "o200k" || found.Root.Size != 11 {
				t.Errorf("%+v", found)
			}
			for _, h := range found.Hits {
				seen++
				text := strings.ReplaceAll(h.Text, "\n", " ")
				if w, ok := want[h.URI.ID]; ok && text != w {
					t.Errorf("%s in form %s: %q", h.URI, form, h.Text)
				}
				if h.Tokens < 1 || h.Tokens > most[form] {
					t.Errorf("%s has %d tokens in form %s", h.URI, h.Tokens, form)
				}
				if whole := strings.Contains(h.Text, strings.TrimSpace(long)); (h.URI.ID == "m" || h.URI.ID == "e") && whole != (form == memory.FormFull) {
					t.Errorf("%s is shown whole in form %s: %v", h.URI, form, whole)
				}
			}
		}
		if seen != 11 {
			t.Errorf("%d were shown in form %s", seen, form)
		}
	}
}

// TestFindReadsOnly finds the same again after a restart and a rebuild, and
// concurrently, and changes nothing.
func TestFindReadsOnly(t *testing.T) {
	mem := disk.NewMem()
	o := small(mem)
	o.Clock = newClock().Now
	b := openWith(t, "data", o)
	for i := range 30 {
		m := fact(fmt.Sprint("m", i), fmt.Sprint("k/", i%7, "/", i), findSentences[i%len(findSentences)])
		m.Tags, m.Importance = []string{fmt.Sprint("t", i%3)}, hmx.Some(float64(i%5)/5)
		must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	}
	queries := []engine.FindOptions{
		{Tenant: "acme", KeyPrefix: "k"}, {Tenant: "acme", Tags: []string{"t1", "t2"}, Text: "half refund"}, {Tenant: "acme", Types: []string{"fact"}, Order: engine.ByTime, Limit: 500},
	}
	show := func(b *engine.Board) string {
		var all strings.Builder
		for _, q := range queries {
			found, err := b.Find(ctx, q)
			if err != nil {
				return err.Error()
			}
			for _, h := range found.Hits {
				fmt.Fprintf(&all, "%s %x %q\n", h.URI, h.Score, h.Text)
			}
			fmt.Fprintf(&all, "%d %d %d %+v\n", found.Scanned, found.Matched, found.TotalTokens, found.Root)
		}
		return all.String()
	}
	journal := func() []byte {
		var all []byte
		paths, err := files(mem, "data/journal")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := disk.ReadFile(mem, path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, data...)
		}
		return all
	}
	before, want := journal(), show(b)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if got := show(b); got != want {
				t.Errorf("at once with others:\n%s\nwant\n%s", got, want)
			}
		})
	}
	wg.Wait()
	if !bytes.Equal(before, journal()) {
		t.Error("the journal has changed")
	}
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if got := show(b); got != want {
		t.Errorf("after a rebuild:\n%s\nwant\n%s", got, want)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if got := show(openWith(t, "data", o)); got != want {
		t.Errorf("after a restart:\n%s\nwant\n%s", got, want)
	}
}

// TestFindLearns ranks by the learned weights of the viewer.
func TestFindLearns(t *testing.T) {
	o := small(disk.NewMem())
	c := newClock()
	o.Clock = c.Now
	b := openWith(t, "data", o)
	served := fact("served", "", "It served well.")
	served.Importance = hmx.Some(1.0)
	must(t)(b.Put(ctx, user, "acme", served, engine.AnyVersion()))
	c.Move(400 * 24 * time.Hour)
	// Important and old records helped, repeatedly.
	for i := range 60 {
		must(t)(b.Put(ctx, user, "acme", &memory.Feedback{
			ID: fmt.Sprint("f", i), AgentID: "coder", Outcome: memory.OutcomeSuccess, Cited: []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "served"}},
		}, engine.AnyVersion()))
	}
	old := fact("old", "k/old", "It matters.")
	old.Importance = hmx.Some(0.6)
	must(t)(b.Put(ctx, user, "acme", old, engine.AnyVersion()))
	c.Move(60 * 24 * time.Hour)
	fresh := fact("fresh", "k/fresh", "It is new.")
	fresh.Importance = hmx.Some(0.2)
	must(t)(b.Put(ctx, user, "acme", fresh, engine.AnyVersion()))
	for agent, want := range map[string]string{"coder": "old/0 fresh/0", "other": "fresh/0 old/0", "": "fresh/0 old/0"} {
		if got := ids(t, b, engine.FindOptions{Tenant: "acme", KeyPrefix: "k", View: engine.View{Agent: agent}}); got != want {
			t.Errorf("for %q: %s, want %s", agent, got, want)
		}
	}
	// A scope reads as its agent; the agent of the records does not matter.
	token := mint(t, b, c, func(g *scope.Grant) { g.Include.All = true })
	if got := ids(t, b, engine.FindOptions{Tenant: "acme", KeyPrefix: "k", View: engine.View{Scope: token}}); got != "old/0 fresh/0" {
		t.Errorf("under a scope of the coder: %s", got)
	}
	if got := ids(t, b, engine.FindOptions{Tenant: "acme", KeyPrefix: "k", Agent: user.Actor, View: engine.View{Agent: "coder"}}); got != "old/0 fresh/0" {
		t.Errorf("for the coder, of the tester: %s", got)
	}
	if got := ids(t, b, engine.FindOptions{Tenant: "acme", Kinds: []record.Kind{record.Memory}, KeyPrefix: "k", Agent: user.Actor}); got != "fresh/0 old/0" {
		t.Errorf("for an operator, of the tester: %s", got)
	}
}

// TestFindBudgetOfScope limits the budget by that of the scope, and nothing else
// of it.
func TestFindBudgetOfScope(t *testing.T) {
	o := small(disk.NewMem())
	c := newClock()
	o.Clock = c.Now
	b := openWith(t, "data", o)
	for i := range 20 {
		must(t)(b.Put(ctx, user, "acme", fact(fmt.Sprint("m", i), fmt.Sprint("k/", i), "Ten words or so are said here by this one."), engine.AnyVersion()))
	}
	token, err := b.MintScope(ctx, user, "acme", scope.Grant{
		To: "coder", Mode: scope.Read, Include: scope.Selectors{All: true}, Exclude: scope.Selectors{IDs: []string{"m19"}}, BudgetTokens: 30, Expires: c.Now().Add(time.Hour), Trust: record.Agent,
	})
	if err != nil {
		t.Fatal(err)
	}
	for asked, most := range map[int]int{0: 30, 1: 1, 25: 25, 30: 30, 31: 30, 1 << 40: 30} {
		found, err := b.Find(ctx, engine.FindOptions{Tenant: "acme", KeyPrefix: "k", BudgetTokens: asked, View: engine.View{Scope: token}})
		if err != nil {
			t.Fatal(err)
		}
		if found.BudgetTokens != most || found.TotalTokens > most || found.Trimmed != 19-len(found.Hits) || found.Matched != 19 {
			t.Errorf("asked for %d: %d of %d tokens in %d hits, %d trimmed of %d", asked, found.TotalTokens, found.BudgetTokens, len(found.Hits), found.Trimmed, found.Matched)
		}
		if slices.ContainsFunc(found.Hits, func(h engine.Hit) bool { return h.URI.ID == "m19" }) {
			t.Error("what is excluded was found")
		}
	}
	// With another agent's name, and after its end, it is refused.
	if _, err := b.Find(ctx, engine.FindOptions{Tenant: "acme", KeyPrefix: "k", View: engine.View{Scope: token, Agent: "other"}}); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("%v", err)
	}
	c.Move(2 * time.Hour)
	if _, err := b.Find(ctx, engine.FindOptions{Tenant: "acme", KeyPrefix: "k", View: engine.View{Scope: token}}); fault.CodeOf(err) != fault.ScopeExpired {
		t.Errorf("%v", err)
	}
}
