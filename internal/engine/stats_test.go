package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// statsEvent is an event of the naive count.
type statsEvent struct {
	ev     *hmx.Event
	secret bool
	gone   bool
	// tool is the called tool; how is 1 for good, -1 for failed, 0 for neither.
	tool   string
	how    int
	call   bool
	result bool
}

// statsMemory is a memory of the naive count.
type statsMemory struct {
	uri     memory.URI
	typ     memory.Type
	state   catalog.State
	secret  bool
	private string // the agent that it is private to
	written time.Time
	gone    bool
}

// statsWorld is a board and its naive count.
type statsWorld struct {
	t        *testing.T
	rnd      *rand.Rand
	b        *engine.Board
	clock    *clock
	events   []*statsEvent
	memories []*statsMemory
	entities int
	erased   uint64
	begun    time.Time // of the first record
}

// play runs a random operation.
func (w *statsWorld) play(i int) {
	w.clock.Move(time.Duration(w.rnd.IntN(7*3600)) * time.Second)
	switch n := w.rnd.IntN(20); {
	case n < 12:
		w.event(i)
	case n < 15:
		w.memory(i)
	case n < 16:
		w.forget()
	case n < 17:
		w.redact()
	default:
		w.entities++
		must(w.t)(w.b.Put(ctx, user, "acme", &memory.Entity{ID: fmt.Sprint("ent", i), Name: fmt.Sprint("Name", i), Type: "person"}, engine.AnyVersion()))
	}
}

func (w *statsWorld) event(i int) {
	x := &statsEvent{secret: w.rnd.IntN(4) == 0}
	tool := fmt.Sprint("tool_", w.rnd.IntN(4))
	typ, content := hmx.TypeMessage, `{"role":"user","text":"Something was said."}`
	switch w.rnd.IntN(6) {
	case 0, 1:
		typ, x.tool, x.call = hmx.TypeToolCall, tool, true
		content = fmt.Sprintf(`{"tool_name":%q,"call_id":"call-%d","arguments":{}}`, tool, i)
	case 2, 3:
		// The result of a call without one, in the same session.
		for _, c := range w.events {
			if c.call && !c.result && !c.gone {
				c.result = true
				x.tool, x.how = c.tool, 1-2*w.rnd.IntN(2)
				typ = hmx.TypeToolResult
				content = fmt.Sprintf(`{"tool_name":%q,"call_id":%q,"result":{"text":"it ended"},"success":%v}`, c.tool, callOf(c.ev), x.how > 0)
				x.secret = c.secret // otherwise its call is hidden, and it counts as one
				w.add(x, i, typ, content, c.ev.SessionID)
				return
			}
		}
	case 4:
		typ = hmx.EventType(fmt.Sprint("x-acme-kind", w.rnd.IntN(3)))
		content = `{"a":1}`
	}
	w.add(x, i, typ, content, fmt.Sprint("s", w.rnd.IntN(5)))
}

// callOf returns the call id in a call.
func callOf(ev *hmx.Event) string {
	_, rest, _ := strings.Cut(string(ev.Content), `"call_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func (w *statsWorld) add(x *statsEvent, i int, typ hmx.EventType, content, session string) {
	x.ev = &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprint("e", i), EventType: typ, AgentID: fmt.Sprint("a", w.rnd.IntN(3)), TenantID: "acme", SessionID: session,
		Timestamp: hmx.TimeOf(w.clock.Now().Add(time.Duration(w.rnd.IntN(3)-1) * 20 * time.Hour)), Sequence: int64(i), Content: hmx.Raw(content), Metadata: "{}",
	}
	if x.secret {
		x.ev.Tags = []string{"secret"}
	}
	res, err := w.b.AppendEvents(ctx, user, []*hmx.Event{x.ev})
	if err != nil || res.Accepted != 1 {
		w.t.Fatal(res, err, content)
	}
	w.events = append(w.events, x)
}

func (w *statsWorld) memory(i int) {
	x := &statsMemory{typ: memory.TypeFact, state: catalog.Live, secret: w.rnd.IntN(3) == 0, written: w.clock.Now()}
	m := fact(fmt.Sprint("m", i), "", fmt.Sprint("Something to keep: ", i))
	if w.rnd.IntN(2) == 0 {
		x.typ, m.Type = memory.TypePreference, memory.TypePreference
	}
	if x.secret {
		m.Tags = []string{"secret"}
	}
	by := user
	if w.rnd.IntN(3) == 0 {
		m.Visibility, x.private = memory.VisiblePrivate, []string{"coder", "another"}[w.rnd.IntN(2)]
		by.Actor = x.private
	}
	put, err := w.b.Put(ctx, by, "acme", m, engine.AnyVersion())
	if err != nil {
		w.t.Fatal(err)
	}
	x.uri = put.URI.Head()
	w.memories = append(w.memories, x)
}

func (w *statsWorld) forget() {
	for _, x := range w.memories {
		if x.state == catalog.Live && !x.gone {
			x.state = catalog.Forgotten
			by := user
			by.Actor = cmp.Or(x.private, by.Actor)
			must(w.t)(w.b.Forget(ctx, by, engine.RefOf(x.uri), "it is a test", engine.AnyVersion()))
			return
		}
	}
}

func (w *statsWorld) redact() {
	if len(w.events) == 0 {
		return
	}
	x := w.events[w.rnd.IntN(len(w.events))]
	if x.gone || x.tool != "" {
		return
	}
	x.gone = true
	w.erased++
	must(w.t)(w.b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: x.ev.EventID}}))
}

// naive counts by a full scan.
func (w *statsWorld) naive(root engine.Root, days int, secret bool, agent string) *engine.Stats {
	out := &engine.Stats{Tenant: "acme"}
	if secret {
		out.Root, out.Records = root.Hash, root.Size
		out.RecordedFrom, out.RecordedUntil = w.begun, root.Time
	}
	if secret && agent == "" {
		out.Erased = w.erased
	}
	types, agents, sessions, tools := map[string]uint64{}, map[string]*engine.SessionInfo{}, map[string]*engine.SessionInfo{}, map[string]*engine.ToolCount{}
	last := time.Time{}
	for _, x := range w.events {
		if x.gone || x.secret && !secret {
			continue
		}
		at := x.ev.Timestamp.Time()
		out.Events++
		types[string(x.ev.EventType)]++
		if out.First.IsZero() || at.Before(out.First) {
			out.First = at
		}
		if at.After(out.Last) {
			out.Last = at
		}
		if !at.After(root.Time) && at.After(last) {
			last = at
		}
		for _, y := range []struct {
			all map[string]*engine.SessionInfo
			id  string
			by  bool // in the order of the session
		}{{agents, x.ev.AgentID, false}, {sessions, x.ev.SessionID, true}} {
			info := y.all[y.id]
			if info == nil {
				info = &engine.SessionInfo{ID: y.id, First: at, Last: at}
				y.all[y.id] = info
			}
			info.Events++
			if y.by || at.After(info.Last) {
				info.Last = at
			}
			if !y.by && at.Before(info.First) {
				info.First = at
			}
		}
		if x.tool != "" {
			if tools[x.tool] == nil {
				tools[x.tool] = &engine.ToolCount{Tool: x.tool}
			}
			switch y := tools[x.tool]; {
			case x.call:
				y.Calls++
			case x.how > 0:
				y.OK++
			default:
				y.Wrong++
			}
		}
	}
	if last.IsZero() {
		last = root.Time
	}
	for i := range days {
		out.Days = append(out.Days, engine.Day{Day: last.UTC().Truncate(24*time.Hour).AddDate(0, 0, i-days+1)})
	}
	on := func(at time.Time) *engine.Day {
		for i := range out.Days {
			if out.Days[i].Day.Equal(at.UTC().Truncate(24 * time.Hour)) {
				return &out.Days[i]
			}
		}
		return &engine.Day{}
	}
	for _, x := range w.events {
		if !x.gone && (secret || !x.secret) {
			on(x.ev.Timestamp.Time()).Events++
		}
	}
	tally := map[[2]string]uint64{}
	for _, x := range w.memories {
		if x.secret && !secret || agent != "" && x.private != "" && x.private != agent {
			continue
		}
		tally[[2]string{string(x.typ), string(x.state)}]++
		if x.state == catalog.Live {
			on(x.written).Memories++
		}
	}
	for k, n := range tally {
		out.Memories = append(out.Memories, engine.Tally{Type: k[0], State: k[1], N: n})
	}
	slices.SortFunc(out.Memories, func(a, b engine.Tally) int {
		return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Type, b.Type), strings.Compare(a.State, b.State))
	})
	out.Types = counts(types)
	if w.entities > 0 {
		out.Kinds = []engine.Count{{Name: "entity", N: uint64(w.entities)}}
	}
	for _, x := range tools {
		out.Tools = append(out.Tools, *x)
	}
	slices.SortFunc(out.Tools, func(a, b engine.ToolCount) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Tool, b.Tool))
	})
	out.ToolCount = len(tools)
	for _, x := range agents {
		out.Agents = append(out.Agents, *x)
	}
	slices.SortFunc(out.Agents, func(a, b engine.SessionInfo) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), strings.Compare(a.ID, b.ID))
	})
	out.AgentCount, out.Sessions = len(agents), len(sessions)
	for _, x := range sessions {
		if n := out.Newest; n == nil || x.Last.After(n.Last) || x.Last.Equal(n.Last) && x.ID < n.ID {
			out.Newest = x
		}
		if n := out.Longest; n == nil || x.Events > n.Events || x.Events == n.Events && x.ID < n.ID {
			out.Longest = x
		}
	}
	return out
}

// counts sorts counts.
func counts(all map[string]uint64) (list []engine.Count) {
	for name, n := range all {
		list = append(list, engine.Count{Name: name, N: n})
	}
	slices.SortFunc(list, func(a, b engine.Count) int { return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Name, b.Name)) })
	return list
}

// firstTime returns when the first record was written, by the export.
func firstTime(t *testing.T, b *engine.Board) time.Time {
	t.Helper()
	var out bytes.Buffer
	must(t)(b.Export(ctx, "acme", &out, nil))
	var line struct{ Time time.Time }
	if err := json.Unmarshal(bytes.Split(out.Bytes(), []byte("\n"))[1], &line); err != nil {
		t.Fatal(err)
	}
	return line.Time
}

// TestStats compares with a full scan, with full visibility, for an agent, and under a scope:
// what is hidden is not counted.
func TestStats(t *testing.T) {
	for seed := range uint64(testsize.Of(t, "stats", 1, 3, 60)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newClock()
			w := &statsWorld{t: t, rnd: rand.New(rand.NewPCG(seed, 3)), clock: c, b: openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: c.Now, CacheBytes: 8 << 20, MemTableBytes: 4 << 20})}
			for i := range 150 {
				w.play(i)
			}
			root, err := w.b.Root(ctx, "acme")
			if err != nil {
				t.Fatal(err)
			}
			w.begun = firstTime(t, w.b)
			token := mint(t, w.b, c, unsecret)
			for _, x := range []struct {
				name   string
				view   engine.View
				secret bool
				agent  string
			}{{"all", engine.View{}, true, ""}, {"agent", engine.View{Agent: "coder"}, true, "coder"}, {"scope", engine.View{Scope: token}, false, "coder"}} {
				got, err := w.b.Stats(ctx, engine.StatsQuery{Tenant: "acme", Days: 9, View: x.view})
				if err != nil {
					t.Fatal(err)
				}
				want := w.naive(root, 9, x.secret, x.agent)
				if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
					t.Errorf("%s: want(-) got(+)\n%s", x.name, d)
				}
			}
		})
	}
}

// TestStatsHideHiddenWrites: hidden writes change neither the result nor the progress under a
// scope.
func TestStatsHideHiddenWrites(t *testing.T) {
	c := newClock()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: c.Now})
	must(t)(b.Put(ctx, user, "acme", fact("seen", "", "One."), engine.AnyVersion()))
	token := mint(t, b, c, unsecret)
	ask := func() *engine.Stats {
		got, err := b.Stats(ctx, engine.StatsQuery{Tenant: "acme", View: engine.View{Scope: token}, Progress: func(_, total uint64) {
			if total != 100 {
				t.Errorf("progress tells of %d steps", total)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	before := ask()
	var batch []*hmx.Event
	for i := range 2500 {
		batch = append(batch, &hmx.Event{
			HMXVersion: hmx.Version, EventID: fmt.Sprint("e", i), EventType: hmx.TypeMessage, AgentID: "a", TenantID: "acme", SessionID: "s",
			Timestamp: hmx.TimeOf(c.Now()), Sequence: int64(i), Content: `{"role":"user","text":"Hidden."}`, Metadata: "{}", Tags: []string{"secret"},
		})
	}
	for part := range slices.Chunk(batch, 500) {
		if res, err := b.AppendEvents(ctx, user, part); err != nil || res.Accepted != len(part) {
			t.Fatal(res, err)
		}
	}
	if d := gocmp.Diff(before, ask()); d != "" {
		t.Errorf("hidden events are told of: before(-) after(+)\n%s", d)
	}
}

// TestStatsAreBounded: invalid queries are refused, and long work can be cancelled.
func TestStatsAreBounded(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	must(t)(b.Put(ctx, user, "acme", fact("m", "", "One."), engine.AnyVersion()))
	for _, q := range []engine.StatsQuery{{Days: -1}, {Days: 3661}, {Top: -1}, {Top: 1001}} {
		q.Tenant = "acme"
		if _, err := b.Stats(ctx, q); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, err := b.Stats(ctx, engine.StatsQuery{Tenant: "nobody"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a tenant that is not there: %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Stats(over, engine.StatsQuery{Tenant: "acme"}); err == nil {
		t.Error("a count that nobody wants any more went on")
	}
	s, err := b.Storage(ctx)
	if err != nil || s.Journal == 0 || s.Segments != 1 {
		t.Errorf("%+v %v", s, err)
	}
}
