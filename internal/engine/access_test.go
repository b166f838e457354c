package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// The twins are two boards that differ in what a scope hides: one has it, the other
// never had it. Under the scope, their answers must be identical.

type twin struct {
	t     *testing.T
	b     *engine.Board
	clock *clock
	bare  bool // lacks what is hidden
	scope string
}

// put writes a record, if the twin has it.
func (w *twin) put(hidden bool, body memory.Body) {
	w.t.Helper()
	w.clock.Move(time.Second)
	if hidden && w.bare {
		return
	}
	if _, err := w.b.Put(ctx, user, "acme", body, engine.AnyVersion()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *twin) append(hidden bool, id, session string, seq int64, more string) {
	w.t.Helper()
	w.clock.Move(time.Second)
	if hidden && w.bare {
		return
	}
	res, err := w.b.AppendEvents(ctx, user, []*hmx.Event{coders(eventWith(w.t, "acme", id, session, seq, "text of "+id, more))})
	if err != nil || res.Refused > 0 {
		w.t.Fatal(err, res)
	}
}

func uri(kind record.Kind, id string) memory.URI {
	return memory.URI{Tenant: "acme", Kind: kind, ID: id}
}

// fill fills a twin. Hidden records are tagged secret, have an id that begins with
// hidden, or are events of a hidden session or with the tag.
func (w *twin) fill() {
	frames := []memory.Frame{{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: "a/b.go"}}
	for i := range 9 {
		hidden := i%3 == 1
		m := &memory.Memory{ID: fmt.Sprintf("m%d", i), Key: fmt.Sprintf("keys/%d", i), Type: memory.Types()[i%9], Text: fmt.Sprintf("This is number %d.", i), Tags: []string{"t"}, Frames: frames}
		if hidden {
			m.Tags = append(m.Tags, "secret")
		}
		w.put(hidden, m)
	}
	for i := range 4 {
		hidden := i%2 == 1
		name := map[bool]string{true: "hidden-", false: "open-"}[hidden]
		e := &memory.Entity{ID: fmt.Sprintf("%sn%d", name, i), Name: "Ann", Type: "person", Tags: []string{"t"}}
		w.put(hidden, e)
		w.put(hidden, &memory.Edge{ID: fmt.Sprintf("%se%d", name, i), From: uri(record.Memory, "m0"), To: uri(record.Memory, fmt.Sprintf("m%d", i+2)), EdgeKind: memory.EdgeSupports})
		w.put(hidden, &memory.Memory{ID: fmt.Sprintf("%sgone%d", name, i), Type: "fact", Key: fmt.Sprintf("gone/%d", i), Text: "It will be forgotten.", Tags: map[bool][]string{true: {"secret"}}[hidden]})
		w.clock.Move(time.Second)
		if hidden && w.bare {
			continue
		}
		if _, err := w.b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: fmt.Sprintf("gone/%d", i)}, "because", engine.AnyVersion()); err != nil {
			w.t.Fatal(err)
		}
	}
	w.put(true, &memory.Memory{ID: "hidden-goal", Type: "goal", Text: "A hidden goal.", Tags: []string{"secret"}, Frames: frames})
	w.put(true, &memory.Policy{ID: "hidden-p", PolicyKind: memory.PolicyConstraint, Strength: memory.StrengthHard, Text: "A hidden rule.", Scope: memory.Scope{Tags: []string{"secret"}}})
	w.put(false, &memory.Policy{ID: "open-p", PolicyKind: memory.PolicyConstraint, Strength: memory.StrengthHard, Text: "An open rule."})
	w.put(true, &memory.Memory{ID: "hidden-private", Type: "fact", Key: "private", Text: "Private to the tester.", Visibility: memory.VisiblePrivate})
	w.put(true, &memory.Feedback{ID: "hidden-f", AgentID: "somebody", SessionID: "hidden", Outcome: memory.OutcomeSuccess, Cited: []memory.URI{uri(record.Memory, "m1")}})

	w.append(false, "root", "s1", 1, "")
	parent := `,"parent_event_id":"root","trace_id":"tr","correlation_id":"co"`
	for i := range 8 {
		hidden := i%3 == 1
		more := parent + `,"tags":["t"]`
		if hidden {
			more = parent + `,"tags":["secret","t"]`
		}
		w.append(hidden, fmt.Sprintf("e%d", i), "s1", int64(2+i), more)
	}
	w.append(true, "last-of-s1", "s1", 99, parent+`,"tags":["secret"]`)
	w.append(true, "h1", "hidden", 1, "")
	w.append(true, "h2", "hidden", 2, `,"parent_event_id":"h1"`)
	w.append(false, "child", "s2", 1, `,"parent_event_id":"e1"`) // its parent is hidden
	w.append(false, "grandchild", "s2", 2, `,"parent_event_id":"child"`)
	if !w.bare {
		if _, err := w.b.Redact(ctx, user, []memory.URI{uri(record.Memory, "m7"), uri(record.Event, "e7")}); err != nil {
			w.t.Fatal(err)
		}
		w.violate()
	}
	w.talk()
	w.put(false, &memory.Memory{ID: "newest", Type: "fact", Text: "The newest of all."})
}

// violate leaves a violation on record.
func (w *twin) violate() {
	w.t.Helper()
	_, err := w.b.Put(ctx, engine.Writer{Scope: w.scope}, "acme", fact("m1", "", "Mine now."), engine.AnyVersion())
	if fault.CodeOf(err) != fault.OutOfScope {
		w.t.Fatal(err)
	}
}

// masked are the parts of an answer by which the twins may differ: the position of a
// record in the log, and the root.
var masked = regexp.MustCompile(`"(Position|Size|Root|Hash|LatencyMS|Created|Time|Recorded)":("[^"]*"|\[[0-9,]*\]|[0-9]+)`)

// answers runs every query under a view.
func (w *twin) answers(v engine.View) map[string]string {
	out := make(map[string]string)
	note := func(question string, answer any, err error) {
		w.t.Helper()
		text := ""
		if err != nil {
			if fault.CodeOf(err) == fault.InvalidArgument {
				w.t.Errorf("%s is no question: %v", question, err) // a query that both twins refuse proves nothing
			}
			text = fmt.Sprintf("%s: %v", fault.CodeOf(err), err)
		} else {
			data, err := json.Marshal(answer)
			if err != nil {
				w.t.Fatal(err)
			}
			text = masked.ReplaceAllString(string(data), "")
		}
		if _, ok := out[question]; ok {
			w.t.Fatalf("%s is asked twice", question)
		}
		out[question] = text
	}
	kinds := append(memory.BodyKinds(), record.Event)
	ids := []string{"newest", "nobody", "hidden-goal", "hidden-p", "open-p", "hidden-private", "hidden-f", "root", "last-of-s1", "h1", "h2", "child", "grandchild"}
	for i := range 9 {
		ids = append(ids, fmt.Sprintf("m%d", i), fmt.Sprintf("e%d", i))
	}
	for i := range 4 {
		for _, p := range []string{"n", "e", "gone"} {
			ids = append(ids, fmt.Sprintf("open-%s%d", p, i), fmt.Sprintf("hidden-%s%d", p, i))
		}
	}
	page, err := w.b.List(ctx, engine.ListOptions{Tenant: "acme", Kind: record.Violation})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, x := range page.Things {
		id, _ := x.Body.Identity()
		ids = append(ids, id)
	}
	ids = append(ids, "violation-00000000000000000000000000000000")
	for _, id := range ids {
		for _, k := range kinds {
			u := uri(k, id)
			if k != record.Event {
				for version := range uint32(3) {
					ref := engine.RefOf(u)
					ref.Version = version
					thing, err := w.b.Get(ctx, ref, v)
					note(fmt.Sprintf("get %s#%d", u, version), thing, err)
				}
				_, changes, err := w.b.History(ctx, engine.RefOf(u), v)
				note("history "+u.String(), changes, err)
				past, err := w.b.ResolveAt(ctx, u, engine.AtVersion(1), v)
				note("resolve at version 1 "+u.String(), past, err)
			}
			x, err := w.b.Resolve(ctx, u, v)
			note("resolve "+u.String(), x, err)
			x, err = w.b.ResolveAt(ctx, u, engine.AtPosition(0), v)
			note("resolve at position 0 "+u.String(), x, err)
			things, err := w.b.Referrers(ctx, u, v)
			note("referrers "+u.String(), things, err)
		}
		ev, err := w.b.Event(ctx, "acme", id, v)
		note("event "+id, ev, err)
		chain, err := w.b.Ancestors(ctx, "acme", id, v)
		note("ancestors "+id, chain, err)
		w.pages(engine.EventQuery{ChildrenOf: id}, v, note)
	}
	for _, key := range []string{"keys/0", "keys/1", "keys/7", "gone/0", "gone/1", "private", "none"} {
		thing, err := w.b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: key}, v)
		note("key "+key, thing, err)
	}
	for _, k := range memory.BodyKinds() {
		for _, state := range []catalog.State{catalog.Live, catalog.Forgotten, catalog.Expired, catalog.Redacted} {
			for _, o := range []engine.ListOptions{{}, {Tag: "t"}, {Tag: "secret"}, {Class: "fact"}, {Class: "supports"}, {Status: "active"}} {
				for _, o.Limit = range []int{1, 2, 1000} {
					o.Tenant, o.Kind, o.State, o.View = "acme", k, state, v
					w.lists(o, note)
				}
			}
		}
		things, err := w.b.Named(ctx, "acme", k, "ann", v)
		note("named "+k.String(), things, err)
	}
	for _, q := range []engine.EventQuery{{Session: "s1"}, {Session: "s2"}, {Session: "hidden"}, {Session: "none"}, {Agent: "a1"}, {Agent: "none"}, {Trace: "tr"}, {Correlation: "co"}} {
		w.pages(q, v, note)
	}
	sessions, err := w.b.Sessions(ctx, "acme", v)
	note("sessions", sessions, err)
	agents, err := w.b.Agents(ctx, "acme", v)
	note("agents", agents, err)
	for _, budget := range []int{0, 1, 30} {
		told, err := w.b.Context(ctx, engine.ContextOptions{Tenant: "acme", Verb: memory.VerbModify, Objects: map[string]string{"file": "a/b.go"}, BudgetTokens: budget, View: v})
		note(fmt.Sprintf("context %d", budget), told, err)
	}
	for name, o := range map[string]engine.FindOptions{
		"tag": {Tags: []string{"t"}}, "secret": {Tags: []string{"secret"}}, "session": {Session: "s1"}, "hidden session": {Session: "hidden"},
		"key": {KeyPrefix: "keys"}, "text": {Tags: []string{"t"}, Text: "number"}, "frame": {Frame: "modify:file=a/b.go"},
		"graph": {KeyPrefix: "keys/0", Follow: []engine.Step{{Kinds: []memory.EdgeKind{memory.EdgeSupports}, Direction: "both", Hops: 2}}}, "one": {Tags: []string{"t"}, Limit: 1},
	} {
		o.Tenant, o.View = "acme", v
		found, err := w.b.Find(ctx, o)
		note("find "+name, found, err)
	}
	w.searches(v, note)
	return out
}

// searches runs questions of every kind. Scores are compared with the rest.
func (w *twin) searches(v engine.View, note func(string, any, error)) {
	for i, o := range []engine.SearchOptions{
		{Query: "text of a number", TopK: 1000}, {Query: "forgotten rule"}, {Query: "Private to the tester"}, {Query: "what did Ann say about the text"}, {Query: `"this is number"`},
		{Query: "text", Sessions: []string{"s1"}}, {Query: "text", Tags: []string{"t"}}, {Query: "text", Tags: []string{"secret"}}, {Query: "number goal", Kinds: []record.Kind{record.Memory}},
		{Query: "Bea and Ann"}, {Query: "Cyd"}, {Query: "Dee met Bea in Oslo", TopK: 100}, {Query: "before the market", BudgetTokens: 25}, {Query: "text", Vector: []float32{1, 0.5}},
		{Query: "market", Vector: []float32{1, 0.5}, Model: "unseen"}, {Query: "market", Vector: []float32{1, 0.5, 2}}, {Query: `"the market"`, Vector: []float32{1}, Model: "unseen"},
		{Query: "the market", Sources: recall.Graph}, {Query: "the market", Sources: recall.Words}, {Query: "the market", Sources: recall.Meaning}, {Query: "who sells quinces?"},
		{Query: "market", Embedder: fixed{"unseen", []float32{1, 0.5}}}, {Query: "market", Embedder: fixed{"nobody's", []float32{1, 0.5}}},
	} {
		if o.Vector != nil && v.Scope == "" {
			continue // without a scope it is an error that lists the existing models
		}
		o.Tenant, o.View = "acme", v
		found, err := w.b.Search(ctx, o)
		note(fmt.Sprintf("search %d %s", i, o.Query), found, err)
	}
}

// fixed is an embedder with one vector for every text.
type fixed struct {
	name   string
	vector []float32
}

func (f fixed) Name() string    { return f.name }
func (f fixed) Dimensions() int { return len(f.vector) }
func (f fixed) EmbedBatch(_ context.Context, texts []string) ([]embed.Result, error) {
	list := make([]embed.Result, len(texts))
	for i := range list {
		list[i].Vector = f.vector
	}
	return list, nil
}

// talk appends a session with many hidden events between visible ones, and with names
// that are hidden, or are mentioned more often there.
func (w *twin) talk() {
	seq := int64(0)
	say := func(hidden bool, text string, more string) {
		w.clock.Move(time.Second)
		seq++
		if hidden {
			more += `,"tags":["secret"]`
		}
		if hidden && w.bare {
			return
		}
		ev := coders(eventWith(w.t, "acme", fmt.Sprint("talk", seq), "market", seq, text, more))
		if hidden {
			ev.Metadata = `{"embedding_model":"unseen"}`
		}
		res, err := w.b.AppendEvents(ctx, user, []*hmx.Event{ev})
		if err != nil || res.Refused > 0 {
			w.t.Fatal(err, res)
		}
	}
	say(false, "Ann: Where is the market of Oslo?", `,"tags":["t"]`)
	for i := range 20 {
		say(true, fmt.Sprintf("Cyd: hidden-talk %d with Bea about the text in Oslo.", i), `,"embeddings":[1,2]`)
	}
	say(false, "Bea: Behind the station, and Dee sells quinces.", `,"tags":["t"]`)
	for i := range 70 {
		say(true, fmt.Sprintf("Cyd: hidden-talk %d with Dee.", i), "")
	}
	say(false, "Ann: Then we meet Dee in Oslo.", `,"tags":["t"],"embeddings":[2,1]`)
	say(false, "Bea: Dee is there before noon, after the market.", `,"tags":["t"]`)
	if !w.bare {
		// More than are read one by one, in the middle of visible ones.
		var many []*hmx.Event
		for i := range 1100 {
			text := fmt.Sprintf("Ann: hidden-talk %d about the market and the quinces.", i)
			many = append(many, coders(eventWith(w.t, "acme", fmt.Sprint("many", i), "market", seq-1, text, `,"tags":["secret"]`)))
		}
		for part := range slices.Chunk(many, 500) {
			if res, err := w.b.AppendEvents(ctx, user, part); err != nil || res.Refused > 0 {
				w.t.Fatal(err, res)
			}
		}
	}
	say(false, "Ann: Late as ever, I missed the market.", `,"tags":["t"]`)
	w.put(true, &memory.Entity{ID: "hidden-n1", Name: "Bea", Aliases: []string{"Dee"}, Type: "person"})
	w.put(true, &memory.Relation{ID: "hidden-e1", From: "hidden-n1", To: "open-n0", Predicate: "knows"})
}

// lists reads every page of a list.
func (w *twin) lists(o engine.ListOptions, note func(string, any, error)) {
	for n := 0; ; n++ {
		page, err := w.b.List(ctx, o)
		note(fmt.Sprintf("list %s %s %q %q %q by %d, page %d", o.Kind, o.State, o.Tag, o.Class, o.Status, o.Limit, n), page, err)
		if err != nil || page.Next == "" || n > 40 {
			return
		}
		if len(page.Things) < o.Limit {
			w.t.Errorf("a page of %d things out of %d has a next one", len(page.Things), o.Limit)
		}
		o.After = page.Next
	}
}

// pages reads every page of events.
func (w *twin) pages(q engine.EventQuery, v engine.View, note func(string, any, error)) {
	name := fmt.Sprintf("%q %q %q %q %q", q.Session, q.Agent, q.Trace, q.Correlation, q.ChildrenOf)
	for _, limit := range []int{1, 2, 1000} {
		q.Tenant, q.Limit, q.View, q.After = "acme", limit, v, ""
		for n := 0; ; n++ {
			page, err := w.b.Events(ctx, q)
			cursor := page.Next
			page.Next = map[bool]string{true: "more"}[cursor != ""] // it contains the position
			note(fmt.Sprintf("events of %s by %d, page %d", name, limit, n), page, err)
			if err != nil || cursor == "" || n > 40 {
				break
			}
			q.After = cursor
		}
	}
}

// TestHiddenIsAbsent compares the twins under two scopes, and searches every answer
// for the hidden words.
func TestHiddenIsAbsent(t *testing.T) {
	testsize.OneGoroutine(t)
	hiddenIDs := []string{"hidden-f", "hidden-p"}
	for i := range 4 {
		hiddenIDs = append(hiddenIDs, fmt.Sprintf("hidden-n%d", i), fmt.Sprintf("hidden-e%d", i))
	}
	exclude := scope.Selectors{Tags: []string{"secret"}, Sessions: []string{"hidden"}, IDs: hiddenIDs}
	for name, narrower := range map[string]*scope.Grant{
		"as minted": nil,
		"narrowed":  {To: "tests", Include: scope.Selectors{Tags: []string{"t"}}},
		"sections":  {Include: scope.Selectors{Sections: []string{"facts", "episodes", "core", "graph_relations"}}, BudgetTokens: 20},
	} {
		t.Run(name, func(t *testing.T) {
			var twins [2]*twin
			for i := range twins {
				c := newClock()
				w := &twin{t: t, clock: c, bare: i == 1, b: openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: c.Now, CacheBytes: 8 << 20, MemTableBytes: 4 << 20})}
				w.scope = mint(t, w.b, c, func(g *scope.Grant) { g.Include.All, g.Exclude, g.Mode = true, exclude, scope.Write })
				if w.fill(); narrower != nil {
					var err error
					if w.scope, err = engine.NarrowScope(w.scope, *narrower); err != nil {
						t.Fatal(err)
					}
				}
				twins[i] = w
			}
			full, bare := twins[0].answers(engine.View{Scope: twins[0].scope}), twins[1].answers(engine.View{Scope: twins[1].scope})
			if len(full) < 1000 {
				t.Errorf("only %d questions", len(full))
			}
			secrets := []string{"hidden", "secret", "number 1.", "number 4.", "number 7.", "text of e1", "text of e4", "text of h1", "Private to"}
			for question, answer := range full {
				if want, ok := bare[question]; ok && answer != want || !ok && !strings.Contains(question, "violation-") {
					t.Errorf("%s:\n%s\nbut where it never was:\n%s", question, answer, want)
				}
				for _, s := range secrets {
					// The question may be repeated in the answer.
					if strings.Contains(answer, s) && !strings.Contains(question, s) {
						t.Errorf("%s tells %q: %s", question, s, answer)
					}
				}
			}
			for question := range bare {
				if _, ok := full[question]; !ok {
					t.Errorf("%s is asked of the bare twin only", question)
				}
			}
			// Without the scope there is a difference, or else the test is blind.
			differ := 0
			plain, plainBare := twins[0].answers(engine.View{}), twins[1].answers(engine.View{})
			for question, answer := range plain {
				if answer != plainBare[question] {
					differ++
				}
			}
			for _, answers := range []map[string]string{plain, plainBare} {
				if graph := answers["find graph"]; !strings.Contains(graph, `"Matched":1`) || strings.Contains(graph, `"Reached":0`) {
					t.Errorf("without a scope, the steps lead nowhere: %s", graph)
				}
			}
			if differ < 200 {
				t.Errorf("without a scope, the twins differ in %d answers only", differ)
			}
			for _, w := range twins {
				sound(t, w.b)
			}
		})
	}
}

// TestSelectorsOnBoard checks what each kind of selector shows of a board.
func TestSelectorsOnBoard(t *testing.T) {
	c := newClock()
	w := &twin{t: t, clock: c, b: openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: c.Now})}
	file := func(ref string) []memory.Frame {
		return []memory.Frame{{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: ref}}
	}
	w.put(false, &memory.Memory{ID: "plain", Type: "fact", Text: "A fact.", Tags: []string{"x"}, Frames: file("a/b.go")})
	w.put(false, &memory.Memory{ID: "tricky", Type: "fact", Text: "Filed to evade.", Frames: file("a/../secrets/key")})
	w.put(false, &memory.Memory{ID: "goal", Type: "goal", Text: "A goal.", Tags: []string{"y"}})
	w.put(false, &memory.Entity{ID: "entity", Name: "Ann", Type: "fact"})
	w.put(false, &memory.Policy{ID: "policy", PolicyKind: memory.PolicyConstraint, Text: "A rule."})
	w.put(false, &memory.Feedback{ID: "feedback", AgentID: "a", SessionID: "s1", Outcome: memory.OutcomeSuccess})
	w.append(false, "said", "s1", 1, "")
	w.append(false, "other", "s2", 1, "")
	for name, c := range map[string]struct {
		grant func(*scope.Grant)
		want  string
	}{
		"all":            {func(g *scope.Grant) { g.Include.All = true }, "entity feedback goal other plain policy said tricky"},
		"types":          {func(g *scope.Grant) { g.Include.Types = []string{"fact"} }, "plain tricky"},
		"event type":     {func(g *scope.Grant) { g.Include.Types = []string{"event"} }, "other said"},
		"kinds as types": {func(g *scope.Grant) { g.Include.Types = []string{"entity", "feedback"} }, "entity feedback"},
		"policy type":    {func(g *scope.Grant) { g.Include.Types = []string{"constraint"} }, "policy"},
		"tags":           {func(g *scope.Grant) { g.Include.Tags = []string{"x", "y"} }, "goal plain"},
		"ids":            {func(g *scope.Grant) { g.Include.IDs = []string{"goal", "said"} }, "goal said"},
		"sessions":       {func(g *scope.Grant) { g.Include.Sessions = []string{"s1"} }, "feedback said"},
		"sections":       {func(g *scope.Grant) { g.Include.Sections = []string{"goals", "graph_relations", "constraints"} }, "entity goal policy"},
		"episodes":       {func(g *scope.Grant) { g.Include.Sections = []string{"episodes"} }, "other said"},
		"frame":          {func(g *scope.Grant) { g.Include.Frames = []string{"modify:file=a/b.go"} }, "plain"},
		"frame prefix":   {func(g *scope.Grant) { g.Include.Frames = []string{"modify:file=a/*"} }, "plain"},
		"frame any":      {func(g *scope.Grant) { g.Include.Frames = []string{"modify:file"} }, "plain tricky"},
		"frame excluded": {func(g *scope.Grant) {
			g.Include.Types, g.Exclude.Frames = []string{"fact"}, []string{"modify:file=secrets/*"}
		}, "plain"},
		"lists narrow together": {func(g *scope.Grant) { g.Include.Types, g.Include.Tags = []string{"fact"}, []string{"y", "x"} }, "plain"},
	} {
		token := mint(t, w.b, w.clock, c.grant)
		var got []string
		for _, k := range memory.BodyKinds() {
			page, err := w.b.List(ctx, engine.ListOptions{Tenant: "acme", Kind: k, View: engine.View{Scope: token}})
			if err != nil {
				t.Fatal(err)
			}
			for _, thing := range page.Things {
				got = append(got, thing.URI.ID)
			}
		}
		for _, id := range []string{"said", "other"} {
			if _, err := w.b.Event(ctx, "acme", id, engine.View{Scope: token}); err == nil {
				got = append(got, id)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s shows %q, want %q", name, strings.Join(got, " "), c.want)
		}
	}
}

// TestEarlierVersions: a version is in scope by its own content.
func TestEarlierVersions(t *testing.T) {
	c := newClock()
	w := &twin{t: t, clock: c, b: openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: c.Now})}
	w.put(false, &memory.Memory{ID: "m", Type: "fact", Text: "What was secret once.", Tags: []string{"secret"}})
	if _, err := w.b.Forget(ctx, user, engine.RefOf(uri(record.Memory, "m")), "the reason was secret too", engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	w.put(false, &memory.Memory{ID: "m", Type: "fact", Text: "Private for a while.", Visibility: memory.VisiblePrivate})
	w.put(false, &memory.Memory{ID: "m", Type: "fact", Text: "What all may know."})
	w.put(false, &memory.Memory{ID: "now-hidden", Type: "fact", Text: "Open at first."})
	w.put(false, &memory.Memory{ID: "now-hidden", Type: "fact", Text: "Then secret.", Tags: []string{"secret"}})
	v := engine.View{Scope: mint(t, w.b, c, func(g *scope.Grant) { g.Include.All, g.Exclude.Tags = true, []string{"secret"} })}
	_, changes, err := w.b.History(ctx, engine.RefOf(uri(record.Memory, "m")), v)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, c := range changes {
		text := c.Note
		if c.Body != nil {
			text = c.Body.(*memory.Memory).Text
		}
		told = append(told, fmt.Sprintf("%d %s", c.Version, text))
	}
	if got := strings.Join(told, ", "); got != "3 private, 4 What all may know." {
		t.Errorf("the history is %q", got)
	}
	for version, want := range map[uint32]fault.Code{0: "", 1: fault.NotFound, 2: fault.NotFound, 3: fault.NotFound, 4: "", 5: fault.NotFound} {
		ref := engine.RefOf(uri(record.Memory, "m"))
		ref.Version = version
		thing, err := w.b.Get(ctx, ref, v)
		if fault.CodeOf(err) != want {
			t.Errorf("version %d: %v", version, err)
		}
		if err != nil && err.Error() != fmt.Sprintf("memory m has no version %d; the newest is 4", version) {
			t.Errorf("version %d: %v", version, err)
		}
		if err == nil && thing.Body.(*memory.Memory).Text != "What all may know." {
			t.Errorf("version %d says %q", version, thing.Body.(*memory.Memory).Text)
		}
	}
	if _, err := w.b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "now-hidden", Version: 1}, v); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("an open version of what is hidden now: %v", err)
	}
	// An agent without a scope does not see others' private versions either.
	if _, err := w.b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m", Version: 3}, engine.View{Agent: "somebody"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a private version: %v", err)
	}
	for _, who := range []string{"", user.Actor} {
		if _, err := w.b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m", Version: 3}, engine.View{Agent: who}); err != nil {
			t.Errorf("a private version, for %q: %v", who, err)
		}
	}
}

// TestScopeTimes: no time source revives a token.
func TestScopeTimes(t *testing.T) {
	c := newClock()
	mem := disk.NewMem()
	o := engine.Options{FS: mem, Clock: c.Now}
	b := openWith(t, "data", o)
	if _, err := b.Put(ctx, user, "acme", fact("m", "k", "It is there."), engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	begin := c.Now()
	token := mint(t, b, c, func(g *scope.Grant) { g.Include.All, g.Mode = true, scope.Write })
	get := func(now time.Time) error {
		_, err := b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "k"}, engine.View{Now: now, Scope: token})
		return err
	}
	for what, now := range map[string]time.Time{"now": {}, "in the past": begin.Add(-time.Hour), "soon": begin.Add(time.Hour - time.Second)} {
		if err := get(now); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := get(begin.Add(time.Hour)); fault.CodeOf(err) != fault.ScopeExpired {
		t.Errorf("as of a time after its end: %v", err)
	}
	c.Move(time.Hour)
	for what, now := range map[string]time.Time{"now": {}, "in the past": begin} {
		if err := get(now); fault.CodeOf(err) != fault.ScopeExpired {
			t.Errorf("over, %s: %v", what, err)
		}
	}
	// A record proves how late it was, even if the clock is turned back.
	if _, err := b.Put(ctx, user, "acme", fact("m2", "", "Written after its end."), engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	c.Move(-2 * time.Hour)
	if err := get(time.Time{}); fault.CodeOf(err) != fault.ScopeExpired {
		t.Errorf("with the clock turned back: %v", err)
	}
	if _, err := b.Put(ctx, engine.Writer{Scope: token}, "acme", fact("m3", "", "Written too late."), engine.AnyVersion()); fault.CodeOf(err) != fault.ScopeExpired {
		t.Errorf("a write with the clock turned back: %v", err)
	}
	if _, err := b.AppendEvents(ctx, engine.Writer{Scope: token}, []*hmx.Event{event(t, "acme", "e", 1, "too late")}); fault.CodeOf(err) != fault.ScopeExpired {
		t.Errorf("an event with the clock turned back: %v", err)
	}
	c.Move(3 * time.Hour)

	// A new key ends every token; opening the directory again does not.
	token = mint(t, b, c, func(g *scope.Grant) { g.Include.All = true })
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = openWith(t, "data", o)
	if err := get(time.Time{}); err != nil {
		t.Errorf("after opening the directory anew: %v", err)
	}
	if err := b.NewKey(ctx); err != nil {
		t.Fatal(err)
	}
	if err := get(time.Time{}); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("after a new key: %v", err)
	}
	token = mint(t, b, c, func(g *scope.Grant) { g.Include.All = true })
	if err := get(time.Time{}); err != nil {
		t.Errorf("a token of the new key: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := get(time.Time{}); fault.CodeOf(err) != fault.Closed {
		t.Errorf("after the end: %v", err)
	}
}
