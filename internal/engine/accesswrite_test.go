package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// violations returns the recorded violations, in order, as op target rule.
func violations(t testing.TB, b *engine.Board) []string {
	t.Helper()
	var list []string
	page, err := b.List(ctx, engine.ListOptions{Tenant: "acme", Kind: record.Violation, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, thing := range page.Things {
		v := thing.Body.(*memory.Violation)
		if thing.Trust != record.Operator || thing.Actor != v.AgentID {
			t.Errorf("the violation %s is %s's, of trust %s", v.ID, thing.Actor, thing.Trust)
		}
		list = append(list, fmt.Sprintf("%s %s %s", v.Op, v.Target, v.Rule))
	}
	slices.Sort(list)
	return list
}

// guarded is a board with records inside and outside a scope of the agent coder.
type guarded struct {
	*testing.T
	b     *engine.Board
	clock *clock
	w     engine.Writer // with a scope that writes what is not secret
}

func guard(t *testing.T) *guarded {
	t.Helper()
	c := newClock()
	g := &guarded{T: t, clock: c, b: openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: c.Now, CacheBytes: 8 << 20, MemTableBytes: 4 << 20})}
	for _, body := range []memory.Body{
		fact("open", "keys/open", "What all may know."),
		&memory.Memory{ID: "hidden", Key: "keys/hidden", Type: "fact", Text: "What is secret.", Tags: []string{"secret"}},
		&memory.Memory{ID: "hidden-gone", Key: "keys/gone", Type: "fact", Text: "Secret and forgotten.", Tags: []string{"secret"}},
		&memory.Memory{ID: "private", Key: "keys/private", Type: "fact", Text: "Private to the writer.", Visibility: memory.VisiblePrivate},
		fact("erased", "keys/erased", "It will be erased, and says enough to be known again."),
		&memory.Policy{ID: "keep", PolicyKind: memory.PolicyRetention, Retention: memory.Retention{Kinds: []record.Kind{record.Memory}, MaxAgeSeconds: 3600}},
		artifactOf("art-open"), artifactOf("art-hidden", "secret"), artifactOf("art-next"),
	} {
		if _, err := g.b.Put(ctx, engine.Writer{Actor: "ann", Trust: record.Agent}, "acme", body, engine.AnyVersion()); err != nil {
			t.Fatal(err)
		}
	}
	g.must(g.b.Forget(ctx, user, engine.RefOf(uri(record.Memory, "hidden-gone")), "no more", engine.AnyVersion()))
	g.must(g.b.Redact(ctx, user, []memory.URI{uri(record.Memory, "erased")}))
	g.must(g.b.AppendEvents(ctx, user, []*hmx.Event{
		coders(eventWith(t, "acme", "e-open", "s1", 1, "said openly", "")), eventWith(t, "acme", "e-hidden", "s1", 2, "said in secret", `,"tags":["secret"]`),
	}))
	g.w = engine.Writer{Scope: g.token(func(*scope.Grant) {})}
	return g
}

func (g *guarded) must(_ any, err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

// token mints a scope that writes everything that is not secret.
func (g *guarded) token(change func(*scope.Grant)) string {
	g.Helper()
	return mint(g, g.b, g.clock, func(x *scope.Grant) {
		x.ID, x.Include.All, x.Mode, x.Exclude = "scope-1", true, scope.Write, scope.Selectors{Tags: []string{"secret"}, Sessions: []string{"s-secret"}, Frames: []string{"modify:file=secrets/*"}}
		change(x)
	})
}

func artifactOf(id string, tags ...string) *memory.Artifact {
	a := &memory.Artifact{HMX: hmx.Artifact{
		ArtifactID: id, Title: "Deploy", Summary: "How to deploy " + id, Confidence: 0.75, Status: hmx.StatusActive,
		SourceEvents: []string{"e"}, Version: 1, CreatedAt: hmx.TimeOf(newClock().Now()), Tags: tags,
	}}
	if err := a.HMX.SetContent(hmx.TaskSchema{ToolsUsed: []string{"kubectl"}}); err != nil {
		panic(err)
	}
	return a
}

// TestScopedWrites tries every write inside and outside of a scope.
func TestScopedWrites(t *testing.T) {
	g := guard(t)
	b, w := g.b, g.w
	ref := func(id string) engine.Ref { return engine.RefOf(uri(record.Memory, id)) }
	key := func(k string) engine.Ref { return engine.Ref{Tenant: "acme", Kind: record.Memory, Key: k} }
	art := func(id string) engine.Ref { return engine.RefOf(uri(record.Artifact, id)) }
	put := func(body memory.Body) func() error {
		return func() error { return second(b.Put(ctx, w, "acme", body, engine.AnyVersion())) }
	}
	secret := &memory.Memory{Type: "fact", Text: "Newly secret.", Tags: []string{"secret"}}
	for _, c := range []struct {
		what      string
		do        func() error
		code      fault.Code
		violation string
	}{
		{"put something new", put(fact("new", "", "Something new.")), "", ""},
		{"put over what is open", put(fact("open", "", "Another thing that all may know.")), "", ""},
		{"put by the key of what is open", put(fact("", "keys/open", "Once more.")), "", ""},
		{"put what is secret", put(secret), fault.OutOfScope, "put a new memory content"},
		{"put what is secret once more", put(secret), fault.OutOfScope, ""},
		{"file something under what is excluded", put(&memory.Memory{ID: "filed", Type: "fact", Text: "x", Frames: []memory.Frame{{Verb: "modify", Kind: "file", Ref: "a/../secrets/key"}}}), fault.OutOfScope, "put lukasa://acme/memory/filed content"},
		{"make what is open secret", put(&memory.Memory{ID: "open", Type: "fact", Text: "x", Tags: []string{"secret"}}), fault.OutOfScope, "put lukasa://acme/memory/open content"},
		{"put over what is hidden", put(fact("hidden", "", "Mine.")), fault.OutOfScope, "put lukasa://acme/memory/hidden existing"},
		{"put by the key of what is hidden", put(fact("", "keys/hidden", "Mine.")), fault.OutOfScope, "put memory with the key keys/hidden existing"},
		{"take the key of what is hidden", put(fact("mine", "keys/hidden", "Mine.")), fault.OutOfScope, "put lukasa://acme/memory/mine existing"},
		{"put over what is hidden and forgotten", put(fact("", "keys/gone", "Mine.")), fault.OutOfScope, "put memory with the key keys/gone existing"},
		{"put over what is private", put(fact("", "keys/private", "Mine.")), fault.OutOfScope, "put memory with the key keys/private existing"},
		{"put what was erased", put(fact("erased", "", "Again.")), fault.Erased, ""},
		{"put a violation", put(memory.NewViolation("s", "a", memory.OpPut, "t", memory.RuleContent)), fault.InvalidArgument, ""},
		{"put nonsense", put(&memory.Memory{Type: "fact"}), fault.InvalidArgument, ""},
		{"cite what is open", put(&memory.Feedback{AgentID: "coder", Outcome: "success", Cited: []memory.URI{uri(record.Memory, "open"), uri(record.Event, "e-open")}}), "", ""},
		{"cite what is hidden", put(&memory.Feedback{AgentID: "coder", Outcome: "success", Cited: []memory.URI{uri(record.Memory, "hidden")}}), fault.OutOfScope, "put a new feedback cited"},
		{"cite a hidden event", put(&memory.Feedback{ID: "f2", AgentID: "coder", Outcome: "success", Cited: []memory.URI{uri(record.Event, "e-hidden")}}), fault.OutOfScope, "put lukasa://acme/feedback/f2 cited"},
		{"cite what is not there", put(&memory.Feedback{ID: "f3", AgentID: "coder", Outcome: "success", Cited: []memory.URI{uri(record.Memory, "nobody")}}), fault.OutOfScope, "put lukasa://acme/feedback/f3 cited"},

		{"put a retention policy", put(&memory.Policy{ID: "wipe", PolicyKind: memory.PolicyRetention, Retention: memory.Retention{Kinds: []record.Kind{record.Memory}, MaxAgeSeconds: 1, Action: memory.RetainErase}}), fault.OutOfScope, "put lukasa://acme/policy/wipe operation"},
		{"forget a retention policy", func() error {
			return second(b.Forget(ctx, w, engine.RefOf(uri(record.Policy, "keep")), "no", engine.AnyVersion()))
		}, fault.OutOfScope, "forget lukasa://acme/policy/keep operation"},
		{"put an instruction", put(&memory.Policy{ID: "advice", PolicyKind: memory.PolicyInstruction, Text: "Be kind."}), "", ""},

		{"forget what is open", func() error { return second(b.Forget(ctx, w, ref("new"), "no", engine.AnyVersion())) }, "", ""},
		{"forget what is hidden", func() error { return second(b.Forget(ctx, w, ref("hidden"), "no", engine.AnyVersion())) }, fault.OutOfScope, "forget lukasa://acme/memory/hidden existing"},
		{"forget by a hidden key", func() error { return second(b.Forget(ctx, w, key("keys/hidden"), "no", engine.AnyVersion())) }, fault.OutOfScope, "forget memory with the key keys/hidden existing"},
		{"forget a hidden thing at a version", func() error { return second(b.Forget(ctx, w, ref("hidden"), "no", engine.Version(7))) }, fault.OutOfScope, ""},
		{"forget what is not there", func() error { return second(b.Forget(ctx, w, ref("nobody"), "no", engine.AnyVersion())) }, fault.NotFound, ""},
		{"forget what is erased", func() error { return second(b.Forget(ctx, w, ref("erased"), "no", engine.AnyVersion())) }, fault.NotFound, ""},
		{"restore what is open", func() error { return second(b.Restore(ctx, w, ref("new"), engine.AnyVersion())) }, "", ""},
		{"restore what is hidden", func() error { return second(b.Restore(ctx, w, ref("hidden-gone"), engine.AnyVersion())) }, fault.OutOfScope, "restore lukasa://acme/memory/hidden-gone existing"},
		{"restore what is not there", func() error { return second(b.Restore(ctx, w, ref("nobody"), engine.AnyVersion())) }, fault.NotFound, ""},
		{"restore what is erased", func() error { return second(b.Restore(ctx, w, ref("erased"), engine.AnyVersion())) }, fault.NotFound, ""},
		{"change an open artifact", func() error {
			return second(b.Transition(ctx, w, art("art-open"), hmx.StatusDeprecated, "", "", engine.AnyVersion()))
		}, "", ""},
		{"change a hidden artifact", func() error {
			return second(b.Transition(ctx, w, art("art-hidden"), hmx.StatusDeprecated, "", "", engine.AnyVersion()))
		}, fault.OutOfScope, "transition lukasa://acme/artifact/art-hidden existing"},
		{"supersede by a hidden artifact", func() error {
			return second(b.Transition(ctx, w, art("art-next"), hmx.StatusSuperseded, "art-hidden", "", engine.AnyVersion()))
		}, fault.NotFound, ""},
		{"redact", func() error { return second(b.Redact(ctx, w, []memory.URI{uri(record.Memory, "open")})) }, fault.OutOfScope, "redact lukasa://acme/memory/open operation"},
		{"expire", func() error { return second(b.Expire(ctx, w, "acme", g.clock.Now())) }, fault.OutOfScope, "expire what is over operation"},
		{"embed", func() error { return second(b.Embed(ctx, w, engine.EmbedOptions{Tenant: "acme"})) }, fault.OutOfScope, "embed what has no vector operation"},
		{"mint", func() error {
			return second(b.MintScope(ctx, w, "acme", scope.Grant{To: "x", Include: scope.Selectors{All: true}, Expires: g.clock.Now().Add(time.Minute)}))
		}, fault.OutOfScope, "mint a scope for x operation"},
		{"name another actor", func() error {
			return second(b.Put(ctx, engine.Writer{Actor: "ann", Scope: w.Scope}, "acme", fact("", "", "In another's name."), engine.AnyVersion()))
		}, fault.ScopeInvalid, ""},
		{"name the right actor", func() error {
			return second(b.Put(ctx, engine.Writer{Actor: "coder", Scope: w.Scope}, "acme", fact("", "", "In its own name."), engine.AnyVersion()))
		}, "", ""},
	} {
		before := violations(t, b)
		size := g.size()
		err := c.do()
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if err != nil {
			told := err.Error() + fault.From(err).Advice()
			for _, s := range []string{"What is secret", "ann", "position", "version", w.Scope[20:60]} {
				if strings.Contains(told, s) && c.code == fault.OutOfScope {
					t.Errorf("%s tells %q: %s", c.what, s, told)
				}
			}
		}
		fresh := slices.DeleteFunc(violations(t, b), func(v string) bool { return slices.Contains(before, v) })
		if got := strings.Join(fresh, "; "); got != c.violation {
			t.Errorf("%s: the violations are %q, want %q", c.what, got, c.violation)
		}
		if grown := g.size() - size; err != nil && grown != uint64(len(fresh)) {
			t.Errorf("%s: %d records were written for %d violations", c.what, grown, len(fresh))
		}
	}
	if secret.ID != "" {
		t.Error("a refused body was given an id")
	}
	// Untouched records are unchanged.
	for id, want := range map[string]string{"hidden": "What is secret.", "private": "Private to the writer."} {
		thing, err := b.Get(ctx, ref(id), engine.View{})
		if err != nil || thing.Version != 1 || thing.Body.(*memory.Memory).Text != want {
			t.Errorf("%s: %+v, %v", id, thing, err)
		}
	}
	open, err := b.Get(ctx, ref("open"), engine.View{})
	if err != nil || open.Actor != "coder" || open.Trust != record.Agent {
		t.Errorf("what was written under the scope: %+v, %v", open, err)
	}
	sound(t, b)
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	sound(t, b)
}

func (g *guarded) size() uint64 {
	g.Helper()
	root, err := g.b.Root(ctx, "acme")
	if err != nil {
		g.Fatal(err)
	}
	return root.Size
}

// TestReadOnlyScope: a read scope writes nothing, and each attempt is on record
// once.
func TestReadOnlyScope(t *testing.T) {
	g := guard(t)
	w := engine.Writer{Scope: g.token(func(x *scope.Grant) { x.Mode = scope.Read })}
	open := engine.RefOf(uri(record.Memory, "open"))
	for range 3 {
		for what, err := range map[string]error{
			"put":        second(g.b.Put(ctx, w, "acme", fact("open", "", "No."), engine.AnyVersion())),
			"put new":    second(g.b.Put(ctx, w, "acme", fact("", "", "No."), engine.AnyVersion())),
			"put bad":    second(g.b.Put(ctx, w, "acme", &memory.Memory{ID: strings.Repeat("\x00", 5000)}, engine.AnyVersion())),
			"forget":     second(g.b.Forget(ctx, w, open, "", engine.AnyVersion())),
			"restore":    second(g.b.Restore(ctx, w, open, engine.AnyVersion())),
			"transition": second(g.b.Transition(ctx, w, open, hmx.StatusDeprecated, "", "", engine.AnyVersion())),
			"append":     second(g.b.AppendEvents(ctx, w, []*hmx.Event{event(t, "acme", "e9", 9, "no")})),
			"ingest":     second(g.b.Ingest(ctx, strings.NewReader("{}\n"), engine.IngestOptions{Writer: w})),
		} {
			if fault.CodeOf(err) != fault.OutOfScope {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	got := violations(t, g.b)
	if len(got) != 7 { // append and ingest count as the same
		t.Errorf("%d violations: %q", len(got), got)
	}
	for _, v := range got {
		if !strings.HasSuffix(v, " read_only") || len(v) > 600 {
			t.Errorf("%q", v)
		}
	}
	for _, err := range []error{
		second(g.b.Put(canceled(), w, "acme", fact("late", "", "No."), engine.AnyVersion())),
	} {
		if fault.CodeOf(err) != fault.OutOfScope {
			t.Errorf("an attempt that was given up: %v", err)
		}
	}
	if n := len(violations(t, g.b)); n != 8 {
		t.Errorf("an attempt that was given up is not on record: %d", n)
	}
	sound(t, g.b)
}

func canceled() context.Context {
	c, cancel := context.WithCancel(ctx)
	cancel()
	return c
}

// coders makes the coder the agent of an event.
func coders(ev *hmx.Event) *hmx.Event {
	if ev != nil {
		ev.AgentID = "coder"
	}
	return ev
}

// TestScopedEvents: the events of a batch are judged one by one.
func TestScopedEvents(t *testing.T) {
	g := guard(t)
	batch := []*hmx.Event{
		eventWith(t, "acme", "b1", "s1", 10, "good", ""),
		eventWith(t, "acme", "b2", "s1", 11, "secret words", `,"tags":["secret"]`),
		eventWith(t, "acme", "b3", "s1", 12, "more secret words", `,"tags":["secret"]`),
		eventWith(t, "acme", "b4", "s-secret", 13, "hidden session", ""),
		eventWith(t, "other", "b5", "s1", 14, "another tenant", ""),
		nil,
		eventWith(t, "acme", "e-hidden", "s1", 15, "the id of a hidden one", ""),
		eventWith(t, "acme", "e-open", "s1", 1, "said openly", ""),
		eventWith(t, "acme", "e-open", "s1", 16, "other content", ""),
		eventWith(t, "acme", "b6", "s1", 17, "good again", ""),
	}
	for _, ev := range batch {
		coders(ev)
	}
	batch = append(batch, eventWith(t, "acme", "b7", "s-other", 18, "in another agent's name", ""))
	res, err := g.b.AppendEvents(ctx, g.w, batch)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range res.Receipts {
		text := string(r.Disposition)
		if r.Fault != nil {
			text = string(r.Fault.Code)
		}
		got = append(got, text)
	}
	want := "accepted out_of_scope out_of_scope out_of_scope out_of_scope invalid_argument out_of_scope duplicate id_conflict accepted out_of_scope"
	if strings.Join(got, " ") != want {
		t.Errorf("the receipts are\n%s, want\n%s", strings.Join(got, " "), want)
	}
	for i, r := range res.Receipts {
		if r.Fault != nil && r.Fault.Code == fault.OutOfScope && r.Position != 0 {
			t.Errorf("the receipt of %d tells the position %d", i, r.Position)
		}
	}
	if res.Accepted != 2 || res.Refused != 8 || res.Duplicates != 1 {
		t.Errorf("%+v", res)
	}
	list := violations(t, g.b)
	if got := strings.Join(list, "; "); got != "append events of another tenant tenant; "+
		"append events of type message in the session s-other agent; append events of type message in the session s-secret content; append events of type message in the session s1 content" {
		t.Errorf("the violations are %q", got)
	}
	ev, err := g.b.Event(ctx, "acme", "b1", engine.View{})
	if err != nil || ev.Actor != "coder" || ev.Trust != record.Agent {
		t.Errorf("%+v, %v", ev, err)
	}
	if _, err := g.b.Root(ctx, "other"); err != nil {
		t.Fatal(err)
	}
	if n, err := g.b.CountTenants(ctx); n != 1 || err != nil {
		t.Errorf("%d tenants: %v", n, err)
	}
	// The same as a stream.
	var src bytes.Buffer
	for i, more := range []string{"", `,"tags":["secret"]`, ""} {
		data, err := coders(eventWith(t, "acme", fmt.Sprintf("i%d", i), "s3", int64(i), "in a stream", more)).AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		src.Write(append(data, '\n'))
	}
	var rejected []string
	report, err := g.b.Ingest(ctx, &src, engine.IngestOptions{Writer: g.w, Reject: func(r engine.Rejection) {
		rejected = append(rejected, fmt.Sprint(r.Line, " ", string(r.Fault.Code)))
	}})
	if err != nil || report.Accepted != 2 || report.Rejected != 1 || strings.Join(rejected, " ") != "2 out_of_scope" {
		t.Errorf("%+v, %q, %v", report, rejected, err)
	}
	if n := len(violations(t, g.b)); n != 5 {
		t.Errorf("%d violations", n)
	}
	if _, err := g.b.AppendEvents(ctx, engine.Writer{Scope: g.w.Scope, Actor: "ann"}, batch); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("in another's name: %v", err)
	}
	sound(t, g.b)
}

// TestScopedTrust: a scope never raises trust, and reveals nothing that it hides.
func TestScopedTrust(t *testing.T) {
	g := guard(t)
	for _, c := range []struct {
		ceiling, writer, want record.Trust
	}{
		{record.User, record.Operator, record.User}, {record.Tool, record.User, record.Tool}, {record.User, record.Tool, record.Tool},
		{record.User, 0, record.Agent}, {0, record.User, record.Agent}, {record.External, 0, record.External},
	} {
		w := engine.Writer{Trust: c.writer, Scope: g.token(func(x *scope.Grant) { x.Trust = c.ceiling })}
		res, err := g.b.Put(ctx, w, "acme", fact("", "", "Trusted to a point."), engine.AnyVersion())
		if err != nil || res.Trust != c.want {
			t.Errorf("a writer of %d with a scope of %d writes with %v: %v", c.writer, c.ceiling, res, err)
		}
	}
	if _, err := g.b.Put(ctx, engine.Writer{Trust: 9, Scope: g.w.Scope}, "acme", fact("", "", "No such tier."), engine.AnyVersion()); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a tier that there is not: %v", err)
	}
	for what, source := range map[string]memory.URI{
		"hidden": uri(record.Memory, "hidden"), "absent": uri(record.Memory, "nobody"), "a hidden event": uri(record.Event, "e-hidden"), "an absent event": uri(record.Event, "nobody"),
	} {
		res, err := g.b.Put(ctx, g.w, "acme", &memory.Memory{Type: "fact", Text: "Derived.", Sources: []memory.URI{source}}, engine.AnyVersion())
		if err != nil || res.Trust != record.External {
			t.Errorf("derived from what is %s: %+v, %v", what, res, err)
		}
	}
	res, err := g.b.Put(ctx, g.w, "acme", &memory.Memory{Type: "fact", Text: "Derived.", Sources: []memory.URI{uri(record.Event, "e-open"), uri(record.Memory, "open")}}, engine.AnyVersion())
	if err != nil || res.Trust != record.Agent {
		t.Errorf("derived from what is seen: %+v, %v", res, err)
	}
}

// TestMintRules checks who may grant what.
func TestMintRules(t *testing.T) {
	g := guard(t)
	good := scope.Grant{To: "coder", Expires: g.clock.Now().Add(time.Hour), Include: scope.Selectors{All: true}}
	for _, c := range []struct {
		what   string
		w      engine.Writer
		tenant string
		change func(*scope.Grant)
		code   fault.Code
	}{
		{"a user", user, "acme", func(*scope.Grant) {}, ""},
		{"an agent", engine.Writer{Actor: "a"}, "acme", func(*scope.Grant) {}, fault.Untrusted},
		{"a tool", engine.Writer{Actor: "a", Trust: record.Tool}, "acme", func(*scope.Grant) {}, fault.Untrusted},
		{"nobody", engine.Writer{Trust: record.User}, "acme", func(*scope.Grant) {}, fault.InvalidArgument},
		{"of no tier", engine.Writer{Actor: "a", Trust: 9}, "acme", func(*scope.Grant) {}, fault.InvalidArgument},
		{"as much trust", user, "acme", func(x *scope.Grant) { x.Trust = record.User }, ""},
		{"more trust", user, "acme", func(x *scope.Grant) { x.Trust = record.Operator }, fault.Untrusted},
		{"a new tenant", user, "new", func(*scope.Grant) {}, ""},
		{"a bad tenant", user, " ", func(*scope.Grant) {}, fault.InvalidArgument},
		{"another tenant", user, "acme", func(x *scope.Grant) { x.Tenant = "other" }, fault.ScopeInvalid},
		{"another giver", user, "acme", func(x *scope.Grant) { x.By = "ann" }, fault.ScopeInvalid},
		{"no agent", user, "acme", func(x *scope.Grant) { x.To = "" }, fault.ScopeInvalid},
		{"no end", user, "acme", func(x *scope.Grant) { x.Expires = time.Time{} }, fault.ScopeInvalid},
		{"over", user, "acme", func(x *scope.Grant) { x.Expires = g.clock.Now() }, fault.ScopeInvalid},
		{"a year and a day", user, "acme", func(x *scope.Grant) { x.Expires = g.clock.Now().Add(scope.MaxLife) }, ""},
		{"more than that", user, "acme", func(x *scope.Grant) { x.Expires = g.clock.Now().Add(scope.MaxLife + time.Second) }, fault.ScopeInvalid},
		{"nothing", user, "acme", func(x *scope.Grant) { x.Include = scope.Selectors{} }, fault.ScopeInvalid},
		{"an empty list", user, "acme", func(x *scope.Grant) { x.Include = scope.Selectors{Tags: []string{}} }, fault.ScopeInvalid},
		{"a path that is not clean", user, "acme", func(x *scope.Grant) { x.Exclude.Frames = []string{"modify:file=./secrets/*"} }, fault.ScopeInvalid},
		{"a path with dots", user, "acme", func(x *scope.Grant) { x.Exclude.Frames = []string{"modify:file=a/../secrets"} }, fault.ScopeInvalid},
		{"a host in capitals", user, "acme", func(x *scope.Grant) { x.Exclude.Frames = []string{"find:url=https://Bank.example/*"} }, fault.ScopeInvalid},
		{"clean frames", user, "acme", func(x *scope.Grant) {
			x.Exclude.Frames = []string{"modify:file=secrets/*", "modify:file=a", "modify:file=*", "modify:file=sec*", "find:url=https://bank.example/*", "find:url", "find:url=https://bank.example/x"}
		}, ""},
	} {
		grant := good
		c.change(&grant)
		token, err := g.b.MintScope(ctx, c.w, c.tenant, grant)
		if fault.CodeOf(err) != c.code || (err == nil) != (token != "") {
			t.Errorf("%s: %v", c.what, err)
		}
		if err == nil {
			if a, err := g.b.CheckScope(ctx, c.tenant, token); err != nil || a.By() != c.w.Actor || a.Agent() != "coder" {
				t.Errorf("%s: %+v, %v", c.what, a, err)
			}
		}
	}
	if _, err := engine.NarrowScope(g.w.Scope, scope.Grant{Exclude: scope.Selectors{Frames: []string{"modify:file=./x"}}}); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("narrowing by a path that is not clean: %v", err)
	}
	if _, err := engine.NarrowScope("nonsense", scope.Grant{}); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("narrowing nonsense: %v", err)
	}
	if _, err := g.b.MintScope(canceled(), user, "acme", good); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("minting for somebody who left: %v", err)
	}
}

// TestNamesBelow: a sub-agent sees neither what is private to others nor what is
// private to its granter, and keeps its own.
func TestNamesBelow(t *testing.T) {
	g := guard(t)
	for _, who := range []string{"coder", "ann", "bob"} {
		g.must(g.b.Put(ctx, engine.Writer{Actor: who}, "acme", &memory.Memory{ID: "of-" + who, Type: "fact", Text: "Private to " + who, Visibility: memory.VisiblePrivate}, engine.AnyVersion()))
	}
	sub, err := engine.NarrowScope(g.w.Scope, scope.Grant{To: "bob"})
	if err != nil {
		t.Fatal(err)
	}
	g.must(g.b.Put(ctx, engine.Writer{Scope: sub}, "acme", &memory.Memory{ID: "of-sub", Type: "fact", Text: "Private to coder/bob", Visibility: memory.VisiblePrivate}, engine.AnyVersion()))
	for token, want := range map[string]string{g.w.Scope: "of-coder", sub: "of-sub"} {
		var got []string
		for _, id := range []string{"of-coder", "of-ann", "of-bob", "of-sub"} {
			if _, err := g.b.Get(ctx, engine.RefOf(uri(record.Memory, id)), engine.View{Scope: token}); err == nil {
				got = append(got, id)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("sees %q, want %q", got, want)
		}
	}
	for _, agent := range []string{"bob", "ann", "coder"} {
		if _, err := g.b.Get(ctx, engine.RefOf(uri(record.Memory, "of-bob")), engine.View{Agent: agent, Scope: sub}); fault.CodeOf(err) != fault.ScopeInvalid {
			t.Errorf("as %s: %v", agent, err)
		}
	}
	if _, err := g.b.Get(ctx, engine.RefOf(uri(record.Memory, "of-sub")), engine.View{Agent: "coder/bob", Scope: sub}); err != nil {
		t.Errorf("by its own name: %v", err)
	}
}

// TestViolationsAreBounded: a scope cannot be used to fill the disk, and its
// violations are harmless, protected and exported.
func TestViolationsAreBounded(t *testing.T) {
	testsize.OneGoroutine(t)
	g := guard(t)
	hostile := []string{"\u202egnp.exe", "\x1b]0;owned\a", "line\nbreak", "\xff\xfe", strings.Repeat("long ", 20_000), `"},{"op":"mint`, "<script>alert(1)</script>"}
	ro := engine.Writer{Scope: g.token(func(x *scope.Grant) { x.Mode = scope.Read })}
	for i := range 600 {
		id := hostile[i%len(hostile)] + fmt.Sprint(i)
		if err := second(g.b.Forget(ctx, ro, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: id, Key: id}, "", engine.AnyVersion())); fault.CodeOf(err) != fault.OutOfScope {
			t.Fatal(err)
		}
		if err := second(g.b.Forget(ctx, ro, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: id}, "", engine.AnyVersion())); fault.CodeOf(err) != fault.OutOfScope {
			t.Fatal(err)
		}
	}
	list := violations(t, g.b)
	if len(list) != 256 {
		t.Errorf("%d violations of one scope are on record", len(list))
	}
	for _, v := range list {
		if len(v) > 600 || strings.ContainsAny(v, "\u202e\x1b\x07\n") || !utf8.ValidString(v) {
			t.Errorf("%q", v)
		}
	}
	// Another scope has its own limit.
	other := engine.Writer{Scope: g.token(func(x *scope.Grant) { x.ID, x.Mode = "scope-2", scope.Read })}
	_ = second(g.b.Forget(ctx, other, engine.RefOf(uri(record.Memory, "open")), "", engine.AnyVersion()))
	if n := len(violations(t, g.b)); n != 257 {
		t.Errorf("%d violations of two scopes", n)
	}
	page, err := g.b.List(ctx, engine.ListOptions{Tenant: "acme", Kind: record.Violation, Class: "scope-2"})
	if err != nil || len(page.Things) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	v := page.Things[0]
	// Only an operator can withdraw it, and no one can change it.
	if err := second(g.b.Forget(ctx, user, engine.RefOf(v.URI.Head()), "", engine.AnyVersion())); fault.CodeOf(err) != fault.Untrusted {
		t.Errorf("a user forgets it: %v", err)
	}
	if err := second(g.b.Redact(ctx, user, []memory.URI{v.URI.Head()})); fault.CodeOf(err) != fault.Untrusted {
		t.Errorf("a user erases it: %v", err)
	}
	body := *v.Body.(*memory.Violation)
	body.Target = "something harmless"
	if err := second(g.b.Put(ctx, operator, "acme", &body, engine.AnyVersion())); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("an operator rewrites it: %v", err)
	}
	g.must(g.b.Forget(ctx, operator, engine.RefOf(v.URI.Head()), "seen", engine.AnyVersion()))
	_ = second(g.b.Forget(ctx, other, engine.RefOf(uri(record.Memory, "open")), "", engine.AnyVersion()))
	if page, err := g.b.List(ctx, engine.ListOptions{Tenant: "acme", Kind: record.Violation, Class: "scope-2"}); err != nil || len(page.Things) != 0 {
		t.Errorf("what an operator dealt with is back: %+v, %v", page, err)
	}
	sound(t, g.b)

	// An export includes them.
	var out bytes.Buffer
	root, err := g.b.Export(ctx, "acme", &out, nil)
	if err != nil {
		t.Fatal(err)
	}
	there := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: g.clock.Now})
	report, err := there.Import(ctx, bytes.NewReader(out.Bytes()), nil)
	if err != nil || report.Root.Hash != root.Hash {
		t.Fatalf("%+v, %v", report, err)
	}
	if n := len(violations(t, there)); n != 256 {
		t.Errorf("%d violations after an import", n)
	}
	if _, err := there.Get(ctx, engine.RefOf(uri(record.Memory, "open")), engine.View{Scope: g.w.Scope}); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("a token of the other board: %v", err)
	}
	sound(t, there)
}

// TestScopeInLogOrder moves a record in and out of scope while a writer with the
// scope writes it: no write goes to a record that was out of scope at that point of
// the log.
func TestScopeInLogOrder(t *testing.T) {
	g := guard(t)
	const rounds = 150
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		for i := range rounds {
			m := &memory.Memory{ID: "open", Type: "fact", Text: fmt.Sprintf("By ann, %d.", i)}
			if i%2 == 0 {
				m.Tags = []string{"secret"}
			}
			if _, err := g.b.Put(ctx, engine.Writer{Actor: "ann"}, "acme", m, engine.AnyVersion()); err != nil {
				t.Error(err)
			}
		}
	}()
	refused := 0
	go func() {
		defer wg.Done()
		for i := range rounds {
			_, err := g.b.Put(ctx, g.w, "acme", fact("open", "", fmt.Sprintf("By coder, %d.", i)), engine.AnyVersion())
			if code := fault.CodeOf(err); code == fault.OutOfScope {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
	}()
	wg.Wait()
	_, changes, err := g.b.History(ctx, engine.RefOf(uri(record.Memory, "open")), engine.View{})
	if err != nil {
		t.Fatal(err)
	}
	secret := false
	for _, c := range changes {
		m := c.Body.(*memory.Memory)
		if c.Actor == "coder" && secret {
			t.Errorf("version %d was written over what is secret", c.Version)
		}
		secret = slices.Contains(m.Tags, "secret")
	}
	t.Logf("%d of %d refused", refused, rounds)
	if n := len(violations(t, g.b)); n > 1 {
		t.Errorf("%d violations for one attempt", n)
	}
	sound(t, g.b)
}

// TestManyScopes uses more tokens than are cached, concurrently.
func TestManyScopes(t *testing.T) {
	g := guard(t)
	ref := engine.RefOf(uri(record.Memory, "open"))
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 400 {
				token, err := engine.NarrowScope(g.w.Scope, scope.Grant{To: fmt.Sprintf("w%d-%d", n, i)})
				if err != nil {
					t.Error(err)
					return
				}
				for range 2 {
					if _, err := g.b.Get(ctx, ref, engine.View{Scope: token}); err != nil {
						t.Error(err)
					}
				}
				if _, err := g.b.Get(ctx, ref, engine.View{Scope: token[:len(token)-1]}); fault.CodeOf(err) != fault.ScopeInvalid {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}

// TestScopedWritesIntoEveryFrame: a record is found by each of its frames and tags,
// so each must be in scope, also of the existing version.
func TestScopedWritesIntoEveryFrame(t *testing.T) {
	g := guard(t)
	token, err := g.b.MintScope(ctx, operator, "acme", scope.Grant{
		To: "coder", Mode: scope.Write, Expires: g.clock.Now().Add(time.Hour),
		Include: scope.Selectors{Frames: []string{"modify:file=billing/*"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := engine.Writer{Scope: token}
	framed := func(id string, refs ...string) *memory.Memory {
		m := fact(id, "", "Something about "+id+".")
		for _, ref := range refs {
			m.Frames = append(m.Frames, memory.Frame{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: ref})
		}
		return m
	}
	if _, err := g.b.Put(ctx, user, "acme", framed("both", "billing/a", "auth/login"), engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		body memory.Body
		good bool
	}{
		{"its own", framed("w1", "billing/x"), true},
		{"two of its own", framed("w2", "billing/x", "billing/y"), true},
		{"one of another's too", framed("w3", "billing/x", "auth/login"), false},
		{"another's", framed("w4", "auth/login"), false},
		{"none", framed("w5"), false},
		{"what another can see too", framed("both", "billing/a"), false},
		{"feedback in another's name", &memory.Feedback{AgentID: "honest", Outcome: memory.OutcomeSuccess}, false},
	} {
		if _, err := g.b.Put(ctx, w, "acme", c.body, engine.AnyVersion()); (fault.CodeOf(err) == fault.OutOfScope) == c.good || c.good && err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	if _, err := g.b.Forget(ctx, w, engine.RefOf(uri(record.Memory, "both")), "", engine.AnyVersion()); fault.CodeOf(err) != fault.OutOfScope {
		t.Errorf("what another can see too was forgotten: %v", err)
	}
}

// TestHistoryKeepsPrivateReasons: the reason of a private version's end is private
// as well.
func TestHistoryKeepsPrivateReasons(t *testing.T) {
	g := guard(t)
	boss := engine.Writer{Actor: "boss", Trust: record.User}
	secret := fact("p", "", "Only for me.")
	secret.Visibility = memory.VisiblePrivate
	ref := engine.RefOf(uri(record.Memory, "p"))
	_, err1 := g.b.Put(ctx, boss, "acme", secret, engine.AnyVersion())
	_, err2 := g.b.Forget(ctx, boss, ref, "the reason is secret", engine.AnyVersion())
	_, err3 := g.b.Put(ctx, boss, "acme", fact("p", "", "For everybody."), engine.AnyVersion())
	_, changes, err4 := g.b.History(ctx, ref, engine.View{Agent: "other"})
	if err := errors.Join(err1, err2, err3, err4); err != nil || len(changes) != 3 {
		t.Fatalf("%+v, %v", changes, err)
	}
	if changes[0].Body != nil || changes[1].Note != "private" || changes[2].Body == nil {
		t.Errorf("%+v", changes)
	}
	_, changes, err := g.b.History(ctx, ref, engine.View{Agent: "boss"})
	if err != nil || changes[1].Note != "the reason is secret" {
		t.Errorf("%+v, %v", changes, err)
	}
}

// TestFarAwayNow: a time beyond the range of nanoseconds is still later than all
// within it, and what has ended stays ended.
func TestFarAwayNow(t *testing.T) {
	g := guard(t)
	m := fact("short", "", "For a minute.")
	m.TTLSeconds = 60
	if _, err := g.b.Put(ctx, user, "acme", m, engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	for _, year := range []int{2100, 2262, 2263, 2300, 9999} {
		thing, err := g.b.Get(ctx, engine.RefOf(uri(record.Memory, "short")), engine.View{Now: time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil || thing.State != catalog.Expired {
			t.Errorf("in %d it is %+v, %v", year, thing, err)
		}
	}
}
