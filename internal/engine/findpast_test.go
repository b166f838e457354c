package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// pastQuestions are run for every state.
func pastQuestions() (searches []engine.SearchOptions, finds []engine.FindOptions) {
	v := engine.View{Agent: "a1"}
	searches = []engine.SearchOptions{
		{Query: "how many deploys of the payment service were there"}, {Query: "deploy", Kinds: []record.Kind{record.Event}, TopK: 3, View: v},
		{Query: `"payment service"`, Kinds: []record.Kind{record.Memory}, View: v}, {Query: "what did Dana say last week", BudgetTokens: 40},
	}
	finds = []engine.FindOptions{
		{Types: []string{"fact"}}, {Session: "work", Text: "deploy", View: v}, {KeyPrefix: "deploys", State: catalog.Forgotten},
		{KeyPrefix: "deploys/last", Follow: []engine.Step{{Kinds: []memory.EdgeKind{memory.EdgeSupports}, Direction: engine.BothWay, Hops: 2}}, View: v},
	}
	return searches, finds
}

// answersAsOf runs all questions for a state, and returns the complete answers.
func answersAsOf(t testing.TB, b *engine.Board, as engine.AsOf) []string {
	t.Helper()
	searches, finds := pastQuestions()
	var told []string
	say := func(answer any, err error) {
		t.Helper()
		must(t)(nil, err)
		data, err := json.Marshal(answer)
		must(t)(nil, err)
		told = append(told, string(data))
	}
	for _, o := range searches {
		o.Tenant, o.AsOf = "acme", as
		found, err := b.Search(ctx, o)
		say(found, err)
	}
	for _, o := range finds {
		o.Tenant, o.AsOf = "acme", as
		found, err := b.Find(ctx, o)
		say(found, err)
	}
	return told
}

// TestFindAsOf: a search and a find as of every past position, root and time answer what
// they answered then.
func TestFindAsOf(t *testing.T) {
	testsize.Long(t, "it replays every state")
	for _, files := range []bool{false, true} {
		t.Run(fmt.Sprint("files ", files), func(t *testing.T) { findAsOf(t, files) })
	}
}

func findAsOf(t *testing.T, files bool) {
	c := newClock()
	b := openWith(t, "data", packOptions(disk.NewMem(), c))
	if files {
		engine.KeepNoPast(b)
	}
	type then struct {
		root engine.Root
		told []string
	}
	var all []then
	keep := func() {
		t.Helper()
		root, err := b.Root(ctx, "acme")
		must(t)(nil, err)
		all = append(all, then{root, answersAsOf(t, b, engine.AsOf{})})
		c.Move(time.Hour)
	}
	for i := range 8 {
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{eventWith(t, "acme", fmt.Sprint("e", i), "work", int64(i), fmt.Sprint("Dana: the payment service, deploy number ", i), "")}))
		keep()
		must(t)(b.Put(ctx, user, "acme", fact("m", "deploys/count", fmt.Sprintf("There were %d deploys of the payment service.", i)), engine.AnyVersion()))
		keep()
	}
	must(t)(b.Put(ctx, user, "acme", fact("n", "deploys/last", "The last deploy was on a Monday."), engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Edge{ID: "link", From: uri(record.Memory, "n"), To: uri(record.Memory, "m"), EdgeKind: memory.EdgeSupports}, engine.AnyVersion()))
	keep()
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m"}, "no more", engine.AnyVersion()))
	keep()
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{eventWith(t, "acme", "late", "work", 99, "Dana: never mind the payment service", "")}))
	for _, x := range all {
		digits := fmt.Sprintf("%x", x.root.Hash)
		for name, as := range map[string]engine.AsOf{
			"position": {Position: hmx.Some(x.root.Size - 1)}, "root": {Root: hmx.Some(x.root.Hash)}, "prefix": {RootPrefix: digits[:16]}, "time": {Time: x.root.Time.Add(time.Minute)},
		} {
			for i, told := range answersAsOf(t, b, as) {
				if told != x.told[i] {
					t.Fatalf("size %d by its %s, question %d:\n%s\nbut then\n%s", x.root.Size, name, i, told, x.told[i])
				}
			}
		}
	}
	if a, z := all[0].told, all[len(all)-1].told; a[0] == z[0] || a[4] == z[4] || !strings.Contains(all[len(all)-2].told[7], `"Reached":1`) {
		t.Error("the states do not differ, or nothing is reached")
	}
	for _, told := range answersAsOf(t, b, engine.AsOf{Time: all[0].root.Time.Add(-time.Hour)}) { // before the first record
		if !strings.Contains(told, `"Hits":null`) || !strings.Contains(told, `"Size":0`) {
			t.Errorf("%s", told)
		}
	}
}

// TestFindAsOfRefuses: an invalid AsOf is refused as packs refuse it.
func TestFindAsOfRefuses(t *testing.T) {
	b, _ := packBoard(t)
	for name, as := range map[string]engine.AsOf{
		"position 99 is not there yet": {Position: hmx.Some[uint64](99)},
		"more than one":                {Position: hmx.Some[uint64](1), Time: time.Unix(1, 0)},
		"never had the root":           {RootPrefix: "0123456789abcdef"},
		"beginning of a root":          {RootPrefix: "xyz"},
	} {
		_, searched := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "deploy", AsOf: as})
		_, found := b.Find(ctx, engine.FindOptions{Tenant: "acme", Types: []string{"fact"}, AsOf: as})
		for _, err := range []error{searched, found} {
			if e := fault.From(err); e == nil || !strings.HasPrefix(e.Error(), "as_of: ") || !strings.Contains(e.Error(), name) || e.Advice() == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestFindAsOfForgets: an erased record is found in no past state.
func TestFindAsOfForgets(t *testing.T) {
	b, _ := packBoard(t)
	as := engine.AsOf{Position: hmx.Some[uint64](20)}
	tell := func() string {
		t.Helper()
		found, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: packQuery, TopK: 100, AsOf: as})
		must(t)(nil, err)
		more, err := b.Find(ctx, engine.FindOptions{Tenant: "acme", Kinds: []record.Kind{record.Event, record.Memory}, Agent: "a1", Text: "payment", AsOf: as})
		must(t)(nil, err)
		data, err := json.Marshal([]any{found, more})
		must(t)(nil, err)
		return string(data)
	}
	gone := []string{"We deploy the payment service on Tuesday evening.", "listens on port 9000"}
	for _, word := range gone {
		if said := tell(); !strings.Contains(said, word) {
			t.Fatalf("%q is not found: %s", word, said)
		}
	}
	must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Event, "talk-1"), uri(record.Memory, "port-guess")}))
	for _, word := range gone {
		if said := tell(); strings.Contains(said, word) {
			t.Errorf("%q is found: %s", word, said)
		}
	}
}

// TestPastTellsHowFar: a caller that waits for a past state receives its progress, and
// none if the state is cached.
func TestPastTellsHowFar(t *testing.T) {
	b, _ := packBoard(t)
	var told []uint64
	as := engine.AsOf{Position: hmx.Some[uint64](20), Progress: func(done, total uint64) { told = append(told, done, total) }}
	for range 2 {
		must(t)(b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "deploy", AsOf: as}))
		must(t)(b.Find(ctx, engine.FindOptions{Tenant: "acme", Types: []string{"fact"}, AsOf: as}))
		must(t)(b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: "deploy", AsOf: as}))
	}
	if fmt.Sprint(told) != "[21 21]" {
		t.Errorf("told %v", told)
	}
}
