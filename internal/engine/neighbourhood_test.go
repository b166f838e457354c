package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// drawn prints a graph in lines: nodes by their ids, then edges.
func drawn(g *engine.Graph) string {
	var list []string
	for _, e := range g.Edges {
		short := func(n int) string { return g.Nodes[n].ID[strings.LastIndexByte(g.Nodes[n].ID, '/')+1:] }
		list = append(list, short(e.From)+" "+e.Rel+" "+short(e.To))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// graphBoard is a board with all kinds of connections, some of them hidden.
func graphBoard(t *testing.T) (*engine.Board, *clock) {
	t.Helper()
	b, c := seenBoard(t, []*hmx.Event{event(t, "acme", "ev", 1, "We cut a release."), eventWith(t, "acme", "hid", "s9", 1, "Nobody sees it.", `,"tags":["secret"]`)})
	put := func(body memory.Body) {
		t.Helper()
		must(t)(b.Put(ctx, user, "acme", body, engine.AnyVersion()))
	}
	of := func(k record.Kind, id string) memory.URI { return memory.URI{Tenant: "acme", Kind: k, ID: id} }
	put(&memory.Memory{ID: "a", Type: memory.TypeFact, Text: "Releases are cut by Dana.", Sources: []memory.URI{of(record.Event, "ev")}})
	put(&memory.Memory{ID: "b", Type: memory.TypeFact, Text: "Dana is on leave.", Tags: []string{"secret"}})
	put(&memory.Memory{ID: "c", Type: memory.TypeFact, Text: "Freezes are called by Dana as well."})
	put(&memory.Edge{ID: "ab", From: of(record.Memory, "a"), To: of(record.Memory, "b"), EdgeKind: "supports"})
	put(&memory.Edge{ID: "bc", From: of(record.Memory, "b"), To: of(record.Memory, "c"), EdgeKind: "causes"})
	put(&memory.Entity{ID: "dana", Name: "Dana", Type: "person"})
	put(&memory.Entity{ID: "shop", Name: "Shop", Type: "service"})
	put(&memory.Relation{ID: "owns", From: "dana", To: "shop", Predicate: "owns"})
	put(&memory.Conflict{ID: "x", Between: []memory.URI{of(record.Memory, "a"), of(record.Memory, "c")}, Summary: "Both cannot be."})
	return b, c
}

// TestGraph draws the surroundings of a memory, with full visibility and under a scope:
// what is hidden is absent, and no path leads through it.
func TestGraph(t *testing.T) {
	b, c := graphBoard(t)
	around := memory.URI{Tenant: "acme", Kind: record.Memory, ID: "a"}
	for _, x := range []struct {
		name string
		q    engine.GraphQuery
		want []string
	}{
		{"one step", engine.GraphQuery{Around: around, Depth: 1}, []string{"a conflict c", "a derived_from ev", "a supports b", "b causes c"}},
		{"under a scope", engine.GraphQuery{Around: around, Depth: 6, View: engine.View{Scope: mint(t, b, c, unsecret)}}, []string{"a conflict c", "a derived_from ev"}},
		{"newest", engine.GraphQuery{}, []string{"a conflict c", "a supports b", "b causes c", "dana owns shop"}},
	} {
		x.q.Tenant = "acme"
		g, err := b.Graph(ctx, x.q)
		if err != nil {
			t.Fatal(err)
		}
		got := drawn(g)
		for _, want := range x.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", x.name, want, got)
			}
		}
		if x.q.View.Scope != "" && (strings.Contains(got, " b") || strings.Contains(got, "b ")) {
			t.Errorf("%s: what is hidden is drawn:\n%s", x.name, got)
		}
		again, err := b.Graph(ctx, x.q)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(g) {
			t.Errorf("%s: it is another graph: %v", x.name, err)
		}
		if len(g.Nodes) > 60 || !slices.ContainsFunc(g.Nodes, func(n engine.GraphNode) bool { return n.Label == "Releases are cut by Dana." }) {
			t.Errorf("%s: %+v", x.name, g.Nodes)
		}
	}
	// The name that the memories mention is that of the entity.
	g, err := b.Graph(ctx, engine.GraphQuery{Tenant: "acme"})
	if err != nil || !strings.Contains(drawn(g), "a mentions dana") || !strings.Contains(drawn(g), "c mentions dana") {
		t.Errorf("%v\n%s", err, drawn(g))
	}
}

// TestGraphIsBounded: limits hold, and a hidden or missing record is not found.
func TestGraphIsBounded(t *testing.T) {
	b, c := graphBoard(t)
	for n := 1; n < 6; n++ {
		g, err := b.Graph(ctx, engine.GraphQuery{Tenant: "acme", Limit: n})
		if err != nil || len(g.Nodes) != n || g.More != (n < 5) && n != 5 {
			t.Errorf("limit %d: %d nodes, more: %v, %v", n, len(g.Nodes), g.More, err)
		}
	}
	hidden := memory.URI{Tenant: "acme", Kind: record.Memory, ID: "b"}
	scoped := engine.View{Scope: mint(t, b, c, unsecret)}
	for _, q := range []engine.GraphQuery{
		{Around: memory.URI{Tenant: "acme", Kind: record.Memory, ID: "nobody"}},
		{Around: hidden, View: scoped},
		{Around: memory.URI{Tenant: "acme", Kind: record.Event, ID: "hid"}, View: scoped},
	} {
		q.Tenant = "acme"
		if _, err := b.Graph(ctx, q); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("around %s: %v", q.Around, err)
		}
	}
	for _, q := range []engine.GraphQuery{{Depth: 7}, {Depth: -1}, {Limit: 1001}, {Limit: -1}} {
		q.Tenant = "acme"
		if _, err := b.Graph(ctx, q); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// lineEvent is an event of the session.
func lineEvent(t *testing.T, i int, typ hmx.EventType, content, tags string) *hmx.Event {
	t.Helper()
	ev := eventWith(t, "acme", fmt.Sprint("l", i), "line", int64(i), "x", tags)
	ev.EventType, ev.Content = typ, hmx.Raw(content)
	ev.Timestamp = hmx.TimeOf(time.Date(2026, 11, 2, 10, 0, i, 0, time.UTC))
	return ev
}

// TestTimeline reads a session page by page: results join their calls, and what resulted
// from the session is at the end, as far as a view shows it.
func TestTimeline(t *testing.T) {
	b, c := seenBoard(t, []*hmx.Event{
		lineEvent(t, 1, hmx.TypeMessage, `{"role":"user","text":"Please fix it."}`, ""),
		lineEvent(t, 2, hmx.TypeToolCall, `{"tool_name":"grep","call_id":"c1","arguments":{}}`, ""),
		lineEvent(t, 3, hmx.TypeToolCall, `{"tool_name":"grep","call_id":"c2","arguments":{}}`, `,"tags":["secret"]`),
		lineEvent(t, 4, hmx.TypeToolResult, `{"tool_name":"grep","call_id":"c2","result":{},"success":false}`, `,"tags":["secret"]`),
		lineEvent(t, 9, hmx.TypeToolResult, `{"tool_name":"grep","call_id":"c1","result":{},"success":true}`, ""),
		lineEvent(t, 10, hmx.TypeMessage, `{"role":"assistant","text":"It is done."}`, ""),
	})
	must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "m", Type: memory.TypeFact, Text: "It was a typo.", Sources: []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "l9"}}}, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "n", Type: memory.TypeFact, Text: "A secret.", Tags: []string{"secret"}, Sources: []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "l1"}}}, engine.AnyVersion()))
	tell := func(v engine.View, limit int) (lines []string, events uint64) {
		t.Helper()
		q := engine.TimelineQuery{Tenant: "acme", Session: "line", Limit: limit, View: v}
		for {
			x, err := b.Timeline(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range x.Moments {
				text := string(m.Sort) + " " + m.URI.ID
				if m.Result != nil {
					text += fmt.Sprint(" ", m.Outcome, " ", m.Result.URI.ID, " ", m.Result.Took)
				}
				lines = append(lines, text)
			}
			for _, m := range x.Made {
				lines = append(lines, "made "+m.URI.ID)
			}
			if q.After = x.Next; q.After == "" {
				return lines, x.Session.Events
			}
		}
	}
	for _, x := range []struct {
		name  string
		view  engine.View
		limit int
		want  string
		n     uint64
	}{
		{"all", engine.View{}, 0, "prompt l1; call l2 success l9 7s; call l3 failure l4 1s; reply l10; made m; made n", 6},
		{"pages", engine.View{}, 2, "prompt l1; call l2; call l3 failure l4 1s; result l9; reply l10; made m; made n", 6},
		{"scope", engine.View{Scope: mint(t, b, c, unsecret)}, 0, "prompt l1; call l2 success l9 7s; reply l10; made m", 4},
	} {
		got, n := tell(x.view, x.limit)
		if strings.Join(got, "; ") != x.want || n != x.n {
			t.Errorf("%s: %d events: %s\nwant %d: %s", x.name, n, strings.Join(got, "; "), x.n, x.want)
		}
	}
	if _, err := b.Timeline(ctx, engine.TimelineQuery{Tenant: "acme", Session: "nobody"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a session that is not there: %v", err)
	}
	for _, q := range []engine.TimelineQuery{{}, {Session: "line", Limit: 5001}, {Session: "line", After: "%"}} {
		q.Tenant = "acme"
		if _, err := b.Timeline(ctx, q); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
