package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// packTwin is one of two boards with the same history, except for what is hidden from the
// caller: one has it, the other never had it.
type packTwin struct {
	t      *testing.T
	b      *engine.Board
	clock  *clock
	bare   bool
	agents bool // hidden is what is private to another agent, not what a scope hides
	chance *rand.Rand
	ids    []string
	marks  []uint64 // newest positions, in order
	n      int
}

var otherAgent = engine.Writer{Actor: "other", Trust: record.User}

// do runs f, unless it is hidden and the twin has nothing hidden.
func (w *packTwin) do(hidden bool, f func() (any, error)) {
	w.t.Helper()
	w.clock.Move(time.Minute)
	if hidden && w.bare {
		return
	}
	if _, err := f(); err != nil {
		w.t.Fatal(err)
	}
}

// words returns a text of some of few words.
func (w *packTwin) words() string {
	list := strings.Fields("deploy payment service canary approval dashboard release port Dana signs Friday holiday engineer team stage")
	said := make([]string, 3+w.chance.IntN(12))
	for i := range said {
		said[i] = list[w.chance.IntN(len(list))]
	}
	return strings.Join(said, " ")
}

func (w *packTwin) id(kind string) string {
	w.n++
	id := fmt.Sprint(kind, w.n)
	w.ids = append(w.ids, id)
	return id
}

// some returns the id of one of the kinds that begin with a letter, or a missing one.
func (w *packTwin) some(kind string) string {
	for range 20 {
		if id := w.ids[w.chance.IntN(len(w.ids))]; strings.HasPrefix(id, kind) {
			return id
		}
	}
	return kind + "0"
}

// memory puts a memory, which may name hidden sources.
func (w *packTwin) memory(hidden bool, id string) {
	m := &memory.Memory{ID: id, Type: memory.Types()[w.chance.IntN(len(memory.Types()))], Text: w.words() + " " + id}
	for range w.chance.IntN(3) {
		// Its trust is set when it is written, also by unknown sources.
		m.Sources = append(m.Sources, uri(record.Event, w.some("e")), uri(record.Memory, w.some("m")), uri(record.Memory, "nothing"))
	}
	by := user
	if hidden && w.agents {
		m.Visibility, by = memory.VisiblePrivate, otherAgent
	} else if hidden {
		m.Tags = []string{"secret"}
	}
	w.do(hidden, func() (any, error) { return w.b.Put(ctx, by, "acme", m, engine.AnyVersion()) })
}

// step runs one step, the same on both twins.
func (w *packTwin) step() {
	hidden := w.chance.IntN(3) == 0
	tags := map[bool][]string{true: {"secret"}}[hidden]
	if w.agents { // to which everything but memories is visible
		tags = nil
	}
	shown := hidden && !w.agents
	switch w.chance.IntN(10) {
	case 0, 1, 2:
		id, kind, content := w.id("e"), "message", fmt.Sprintf(`{"role":"user","text":%q}`, w.words())
		if w.chance.IntN(3) == 0 {
			kind, content = "tool_result", fmt.Sprintf(`{"tool_name":"deployer","result":{"output":%q},"success":%v}`, w.words(), w.chance.IntN(2) == 0)
		}
		ev := packDeed(w.t, id, "work", int64(w.n), kind, content)
		ev.Tags = tags
		w.do(shown, func() (any, error) { return w.b.AppendEvents(ctx, user, []*hmx.Event{ev}) })
	case 3, 4, 5:
		w.memory(hidden, w.id("m"))
	case 6:
		e := &memory.Entity{ID: w.id("n"), Name: "Dana " + fmt.Sprint(w.n), Type: "person", Description: w.words(), Tags: tags}
		w.do(shown, func() (any, error) { return w.b.Put(ctx, user, "acme", e, engine.AnyVersion()) })
	case 7:
		r := &memory.Relation{ID: w.id("r"), From: w.some("n"), To: w.some("n") + "x", Predicate: "signs the deploy of"}
		w.do(false, func() (any, error) { return w.b.Put(ctx, user, "acme", r, engine.AnyVersion()) })
	case 8:
		x := &memory.Conflict{ID: w.id("c"), Between: []memory.URI{uri(record.Memory, w.some("m")), uri(record.Event, w.some("e")), uri(record.Memory, w.id("m"))}}
		w.do(false, func() (any, error) { return w.b.Put(ctx, user, "acme", x, engine.AnyVersion()) })
	case 9:
		a := compiled(w.t, w.id("a"), w.words(), hmx.TaskSchema{Steps: []hmx.TaskStep{{Description: w.words(), ToolsUsed: []string{"deployer"}}, {Description: w.words()}}},
			w.some("e"), w.some("e")+"x")
		w.do(false, func() (any, error) { return w.b.Put(ctx, user, "acme", a, engine.AnyVersion()) })
	}
}

// entity puts one that is visible and is hidden later, and a related one, which stays
// visible. Agents see all entities.
func (w *packTwin) entity(tags []string) {
	e := &memory.Entity{ID: "turncoat", Name: "Mata Hari", Type: "person", Tags: tags}
	w.do(!w.agents, func() (any, error) { return w.b.Put(ctx, user, "acme", e, engine.AnyVersion()) })
	r := &memory.Relation{ID: w.id("r"), From: "turncoat", To: w.some("n"), Predicate: "signs the deploy of the payment service for"}
	w.do(false, func() (any, error) { return w.b.Put(ctx, user, "acme", r, engine.AnyVersion()) })
}

// mark records a state that is equal on both.
func (w *packTwin) mark() {
	w.memory(false, w.id("m"))
	root, err := w.b.Root(ctx, "acme")
	must(w.t)(nil, err)
	w.marks = append(w.marks, root.Size-1)
}

// fill fills a twin.
func (w *packTwin) fill() {
	w.memory(false, w.id("m"))
	if w.agents {
		// A caller may learn whether others have anything private.
		w.do(false, func() (any, error) {
			return w.b.Put(ctx, otherAgent, "acme", &memory.Memory{ID: "own", Type: "fact", Text: "own", Visibility: memory.VisiblePrivate}, engine.AnyVersion())
		})
	}
	var once []string // was visible, and is hidden later
	for i := range 90 {
		if w.step(); i%30 != 29 {
			continue
		}
		for range 4 {
			id := w.id("m")
			once = append(once, id)
			m := fact(id, "", w.words())
			w.do(true, func() (any, error) { return w.b.Put(ctx, otherAgent, "acme", m, engine.AnyVersion()) })
		}
		w.entity(nil)
		w.mark()
		for _, id := range once {
			w.memory(true, id)
		}
		w.entity([]string{"secret"})
		w.mark()
	}
	w.do(true, func() (any, error) {
		return w.b.Redact(ctx, otherAgent, []memory.URI{uri(record.Memory, once[0]), uri(record.Memory, once[len(once)-1])})
	})
	w.mark()
}

// packMasked are the parts of an answer by which twins may differ: the position of a record
// in the log, the root, and what is derived from that.
var packMasked = regexp.MustCompile(`"(position|size|root|digest|pack_id|scope|assembly_duration_ms|Position|PackID|Size|Hash)":("[^"]*"|[0-9.]+|\[[0-9,]*\]),?`)

// ask runs a random question, about the present or a past state, and an explanation. The
// same past state is used several times in a row.
func (w *packTwin) ask(v engine.View, n int, chance *rand.Rand) string {
	o := engine.PackOptions{Tenant: "acme", Query: w.words(), Budget: 40 + chance.IntN(1500), Strategy: hmx.Strategies()[chance.IntN(4)], View: v}
	if chance.IntN(2) == 0 {
		o.Session = "work"
	}
	if chance.IntN(3) == 0 {
		o.AsOf.Position = hmx.Some(w.marks[n/12%len(w.marks)])
	}
	got, err := w.b.Pack(ctx, o)
	if err != nil {
		w.t.Fatal(err)
	}
	what := w.ids[chance.IntN(len(w.ids))]
	x, err := w.b.ExplainPack(ctx, o, what)
	if err != nil {
		w.t.Fatal(err)
	}
	found, err := w.b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: o.Query, TopK: 1 + chance.IntN(40), AsOf: o.AsOf, View: v})
	if err != nil {
		w.t.Fatal(err)
	}
	more, err := w.b.Find(ctx, engine.FindOptions{
		Tenant: "acme", Types: []string{"fact", "goal", "person", "signs the deploy of"}, Text: map[bool]string{true: o.Query}[n%2 == 0], AsOf: o.AsOf, View: v,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	more.Scanned = 0 // without a scope it counts what is hidden
	told := ""
	for _, part := range []any{got.Pack, x, found, more} {
		data, err := json.Marshal(part)
		if err != nil {
			w.t.Fatal(err)
		}
		told += packMasked.ReplaceAllString(string(data), "") + "\n"
	}
	return fmt.Sprintf("%q as of %v, %s: %s%s", o.Query, o.AsOf.Position.Set, what, told, got.Text)
}

// TestPackHiddenIsAbsent: packs, explanations and answers, of the present and of past
// states, do not distinguish what is hidden from what never existed: not by an entry, a
// drop, a score, a count or a word.
func TestPackHiddenIsAbsent(t *testing.T) {
	for _, agents := range []bool{false, true} {
		for seed := range uint64(testsize.Of(t, "twins", 1, 1, 20)) {
			t.Run(fmt.Sprintf("agents %v, %d", agents, seed), func(t *testing.T) {
				var twins [2]*packTwin
				var views [2]engine.View
				for i := range twins {
					c := newClock()
					w := &packTwin{t: t, clock: c, bare: i == 1, agents: agents, chance: rand.New(rand.NewPCG(seed, 9)), b: openWith(t, "data", packOptions(disk.NewMem(), c))}
					w.fill()
					if views[i].Agent = "a1"; !agents {
						views[i].Scope = mint(t, w.b, c, func(g *scope.Grant) { g.To, g.Include.All, g.Exclude.Tags = "a1", true, []string{"secret"} })
					}
					twins[i] = w
				}
				differ, asked := 0, 0
				for n := range testsize.Of(t, "twin-questions", 8, 30, 80) {
					ask := func(i int, v engine.View) string {
						twins[i].chance = rand.New(rand.NewPCG(seed, uint64(100+n)))
						return twins[i].ask(v, n, rand.New(rand.NewPCG(seed, uint64(500+n))))
					}
					told := [2]string{ask(0, views[0]), ask(1, views[1])}
					if told[0] != told[1] {
						from := apart(told[0], told[1])
						t.Fatalf("question %d, %.80s\n…%s\nbut where it never was\n…%s", n, told[0], around(told[0], from), around(told[1], from))
					}
					if n%8 == 0 {
						asked++
						if ask(0, engine.View{}) != ask(1, engine.View{}) {
							differ++
						}
					}
				}
				if differ*2 < asked { // or else the test is blind
					t.Errorf("for an operator, %d of %d answers differ", differ, asked)
				}
			})
		}
	}
}

// TestPackPinsAreNotCrowdedOut: however much others have pinned for themselves, what is
// pinned for all is included.
func TestPackPinsAreNotCrowdedOut(t *testing.T) {
	testsize.Long(t, "it writes thousands of memories")
	c := newClock()
	b := openWith(t, "data", packOptions(disk.NewMem(), c))
	must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "self", Type: memory.TypeIdentity, Text: "You are the release engineer."}, engine.AnyVersion()))
	for i := range 4200 {
		c.Move(time.Second)
		m := &memory.Memory{ID: fmt.Sprint("p", i), Type: memory.TypeIdentity, Text: fmt.Sprint("zebra ", i), Visibility: memory.VisiblePrivate}
		must(t)(b.Put(ctx, otherAgent, "acme", m, engine.AnyVersion()))
	}
	x, err := b.ExplainPack(ctx, engine.PackOptions{Tenant: "acme", Query: "what is for lunch", View: engine.View{Agent: "a1"}}, "self")
	if err != nil || !x.In || !x.Verdict.Candidate.Pinned {
		t.Errorf("%+v, %v", x, err)
	}
}

// TestPackConflictNamesNobodyHidden: a conflict without words of its own names its visible
// sides, and is left out if there are none.
func TestPackConflictNamesNobodyHidden(t *testing.T) {
	b, _ := packBoard(t)
	for _, id := range []string{"veiled-1", "veiled-2"} {
		must(t)(b.Put(ctx, otherAgent, "acme", &memory.Memory{ID: id, Type: memory.TypeFact, Text: "The deploy of the payment service is off.", Visibility: memory.VisiblePrivate}, engine.AnyVersion()))
	}
	sides := []memory.URI{uri(record.Memory, "port"), uri(record.Event, "talk-1"), uri(record.Memory, "veiled-1")}
	must(t)(b.Put(ctx, user, "acme", &memory.Conflict{ID: "some-hidden", Between: sides}, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Conflict{ID: "all-hidden", Between: []memory.URI{uri(record.Memory, "veiled-1"), uri(record.Memory, "veiled-2")}}, engine.AnyVersion()))
	for agent, want := range map[string]string{"a1": "event talk-1 and memory port", "": "event talk-1 and memory port and memory veiled-1"} {
		got := packed(t, b, engine.PackOptions{Query: packQuery + " some-hidden all-hidden veiled", View: engine.View{Agent: agent}})
		if text := entryOf(t, got.Pack, "some-hidden").Content; text != want {
			t.Errorf("agent %q is told %q", agent, text)
		}
		data, err := got.Pack.AppendJSON(nil)
		if must(t)(nil, err); agent != "" && strings.Contains(got.Text+string(data), "veiled-") {
			t.Errorf("agent %q is told of what is hidden: %s", agent, got.Text)
		}
		proof, err := b.VerifyPack(ctx, "acme", got.Pack, engine.VerifyPackOptions{})
		if err != nil || proof.Remade != engine.RemadeYes {
			t.Errorf("agent %q: %v", agent, err)
		}
	}
}

// apart returns where two texts differ.
func apart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// around returns the surroundings of a place in a text.
func around(s string, at int) string { return s[max(0, at-300):min(len(s), at+300)] }
