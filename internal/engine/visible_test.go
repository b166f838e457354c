package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// seenBoard is a board for searches under a view.
func seenBoard(t testing.TB, list []*hmx.Event) (*engine.Board, *clock) {
	t.Helper()
	c := newClock()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: c.Now, CacheBytes: 16 << 20, MemTableBytes: 8 << 20})
	for part := range slices.Chunk(list, 500) {
		if res, err := b.AppendEvents(ctx, user, part); err != nil || res.Accepted != len(part) {
			t.Fatal(res, err)
		}
	}
	return b, c
}

// asks searches, and prints the whole answer except its state.
func asks(t testing.TB, b *engine.Board, v engine.View, query string) string {
	t.Helper()
	s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: query, TopK: 200, View: v})
	if err != nil {
		t.Fatal(err)
	}
	s.Root = engine.Root{}
	return searchTold(s)
}

func unsecret(g *scope.Grant) { g.Include.All, g.Exclude.Tags = true, []string{"secret"} }

// TestSearchHidesWhoSpeaks: only visible documents decide whether a name is that of a
// speaker, however often hidden ones mention it.
func TestSearchHidesWhoSpeaks(t *testing.T) {
	told := make(map[string]bool)
	for _, who := range []string{"Dana", "Ravi", ""} {
		list := []*hmx.Event{
			eventWith(t, "acme", "v0", "s1", 1, "Dana: the refund was sent on Monday to the shop.", ""),
			eventWith(t, "acme", "v1", "s1", 2, "Eve: the refund got lost in the post.", ""),
		}
		for i := range 1100 {
			if who != "" {
				list = append(list, eventWith(t, "acme", fmt.Sprint("h", i), "s2", int64(i), who+": secret things.", `,"tags":["secret"]`))
			}
		}
		b, c := seenBoard(t, list)
		answer := asks(t, b, engine.View{Scope: mint(t, b, c, unsecret)}, "What did Dana or Ravi say about the refund?")
		if !strings.Contains(answer, "2 candidates") {
			t.Error(answer)
		}
		told[answer] = true
	}
	if len(told) != 1 {
		t.Errorf("%d answers:\n%s", len(told), strings.Join(keys(told), "\n"))
	}
}

func keys(m map[string]bool) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// TestSearchHidesVectors: hidden vectors take no place among the compared ones.
func TestSearchHidesVectors(t *testing.T) {
	words := strings.Fields("apple river stone cloud train engine paper window market garden bridge winter summer copper silver forest island valley castle harbor lantern mirror pillow carpet kettle violin trumpet guitar piano drum")
	told := make(map[string]bool)
	for _, hide := range []string{"", "ledger %d %s", "the ship sails over the sea with sailors %d %s"} {
		var list []*hmx.Event
		for i := range 500 {
			w := func(k int) string { return words[(i*7+k*11+i/30*k)%len(words)] }
			list = append(list, eventWith(t, "acme", fmt.Sprint("v", i), fmt.Sprint("s", i), 1, fmt.Sprintf("%s %s %s %s", w(1), w(2), w(3), w(5)), ""))
		}
		for i := range 2400 {
			if hide != "" {
				list = append(list, eventWith(t, "acme", fmt.Sprint("h", i), "hs", int64(i), fmt.Sprintf(hide, i, words[i%len(words)]), `,"tags":["secret"]`))
			}
		}
		b, c := seenBoard(t, list)
		told[asks(t, b, engine.View{Scope: mint(t, b, c, unsecret)}, "boats and sailors on the ocean")] = true
	}
	if len(told) != 1 {
		t.Errorf("%d answers", len(told))
	}
}

// TestSearchHidesPrivate: what is private to others has no influence, and costs nothing
// if there is none.
func TestSearchHidesPrivate(t *testing.T) {
	ask := func(b *engine.Board, agent string) string {
		return asks(t, b, engine.View{Agent: agent}, "layoffs budget of the talk")
	}
	told := make(map[string]bool)
	for _, text := range []string{"The layoffs begin in spring.", "The dinners begin in spring.", "Ann: budget budget budget"} {
		b, _ := seenBoard(t, []*hmx.Event{
			eventWith(t, "acme", "v0", "s1", 1, "layoffs were never a topic in the talk", ""),
			eventWith(t, "acme", "v1", "s2", 1, "the budget was a topic in the talk", ""),
		})
		open := ask(b, "bob")
		if open != ask(b, "") || engine.Looked(b) != 0 {
			t.Error("an agent is told something else though nothing is private")
		}
		m := fact("m1", "", text)
		m.Visibility = memory.VisiblePrivate
		must(t)(b.Put(ctx, engine.Writer{Actor: "ann", Trust: user.Trust}, "acme", m, engine.AnyVersion()))
		told[ask(b, "bob")] = true
		if ann := ask(b, "ann"); ann != ask(b, "") || !strings.Contains(ann, "m1") || engine.Looked(b) != 2 {
			t.Errorf("ann is told %s; %d looks", ann, engine.Looked(b))
		}
		// Once it is visible to all, nothing is hidden.
		m.Visibility = ""
		must(t)(b.Put(ctx, engine.Writer{Actor: "ann", Trust: user.Trust}, "acme", m, engine.AnyVersion()))
		if bob := ask(b, "bob"); bob != ask(b, "") || !strings.Contains(bob, "m1") {
			t.Errorf("bob is told %s", bob)
		}
	}
	if len(told) != 1 {
		t.Errorf("%d answers:\n%s", len(told), strings.Join(keys(told), "\n"))
	}
}

// TestSearchLooksOnce checks how many records are read to determine visibility under a
// scope: none if rows suffice, and otherwise each once.
func TestSearchLooksOnce(t *testing.T) {
	var list []*hmx.Event
	for n := range 3000 {
		more := ""
		if n%150 == 0 {
			more = `,"tags":["pub"]`
		}
		list = append(list, eventWith(t, "acme", fmt.Sprint("e", n), fmt.Sprint("s", n/40), int64(n%40), fmt.Sprintf("Dana: the refund of %s number %d", searchWords[n%len(searchWords)], n), more))
	}
	b, c := seenBoard(t, list)
	looks := func(token string, documents int) int64 {
		t.Helper()
		before := engine.Looked(b)
		s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "refund", TopK: 1000, View: engine.View{Scope: token}})
		if err != nil || len(s.Hits) != documents {
			t.Fatal(len(s.Hits), err)
		}
		return engine.Looked(b) - before
	}
	for what, grant := range map[string]func(*scope.Grant){
		"all":      func(g *scope.Grant) { g.Include.All = true },
		"types":    func(g *scope.Grant) { g.Include.Types = []string{"event"} },
		"sections": func(g *scope.Grant) { g.Include.Sections = []string{"episodes"} },
	} {
		if n := looks(mint(t, b, c, grant), 1000); n != 0 {
			t.Errorf("%s: %d records are read", what, n)
		}
	}
	for what, grant := range map[string]func(*scope.Grant){
		"sessions": func(g *scope.Grant) { g.Include.Sessions = []string{"s3"} },
		"excluded": func(g *scope.Grant) { g.Include.Sessions, g.Exclude.Types = []string{"s3"}, []string{"fact"} },
	} {
		if n := looks(mint(t, b, c, grant), 40); n != 0 {
			t.Errorf("%s: %d records are read", what, n)
		}
	}
	if n := looks(mint(t, b, c, func(g *scope.Grant) { g.Include.IDs = []string{"e5", "e9", "no"} }), 2); n != 0 {
		t.Errorf("ids: %d records are read", n)
	}
	tagged := mint(t, b, c, func(g *scope.Grant) { g.Include.Tags = []string{"pub"} })
	for i, want := range []int64{20, 0, 0} {
		if n := looks(tagged, 20); n != want {
			t.Errorf("tags, time %d: %d records are read", i, n)
		}
	}
	more := []*hmx.Event{
		eventWith(t, "acme", "more1", "s", 1, "one more refund", `,"tags":["pub"]`), eventWith(t, "acme", "more2", "s", 2, "one more refund", ""),
	}
	if _, err := b.AppendEvents(ctx, user, more); err != nil {
		t.Fatal(err)
	}
	if n := looks(tagged, 21); n != 1 {
		t.Errorf("of one more with the tag %d are read", n)
	}
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if n := looks(tagged, 21); n != 21 {
		t.Errorf("after a rebuild %d records are read", n)
	}
	framed := mint(t, b, c, func(g *scope.Grant) { g.Include.All, g.Exclude.Frames = true, []string{"modify:file"} })
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Search(stopped, engine.SearchOptions{Tenant: "acme", Query: "refund", View: engine.View{Scope: framed}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := looks(framed, 1000); n != 3002 {
		t.Errorf("frames: %d records are read", n)
	}
	if n := looks(framed, 1000); n != 0 {
		t.Errorf("frames, again: %d records are read", n)
	}
}

// TestSearchShowsTheScope compares searches under scopes of every kind with the
// visibility of each document, while the board changes, and whatever was queried before.
func TestSearchShowsTheScope(t *testing.T) {
	b, c := seenBoard(t, nil)
	ids := make(map[memory.URI]bool)
	kinds := hmx.EventTypes()
	say := func(round int) {
		var list []*hmx.Event
		for i := range 26 {
			id := fmt.Sprintf("e%d-%d", round, i)
			ev := eventWith(t, "acme", id, fmt.Sprint("s", i%3), int64(i), "needle of "+id, []string{"", `,"tags":["a"]`, `,"tags":["a","b"]`, `,"ttl_seconds":900`}[i%4])
			if ev.EventType = kinds[i%len(kinds)]; i == 25 {
				ev.EventType = "made_up"
			}
			ev.Content = hmx.Raw(fmt.Sprintf(`{"text":"needle of %s","path":"src/%d.go"}`, id, i%3))
			list, ids[uri(record.Event, id)] = append(list, ev), true
		}
		if res, err := b.AppendEvents(ctx, user, list); err != nil || res.Refused > 0 {
			t.Fatal(res, err)
		}
	}
	put := func(round int) {
		for i, m := range []*memory.Memory{
			{Type: memory.TypeFact, Tags: []string{"a"}}, {Type: memory.TypeGoal, Visibility: memory.VisiblePrivate},
			{Type: memory.TypeIdentity}, {Type: memory.TypeFact, Frames: []memory.Frame{{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: "src/1.go"}}},
			{Type: memory.TypePattern, Tags: []string{"b"}},
		} {
			m.ID, m.Text = fmt.Sprint("m", (i+round)%7), fmt.Sprintf("needle of memory %d, round %d", i, round)
			who := user
			if m.Visibility == memory.VisiblePrivate {
				m.ID, who.Actor = "mine", "coder" // others may not overwrite it
			}
			must(t)(b.Put(ctx, who, "acme", m, engine.AnyVersion()))
			ids[uri(record.Memory, m.ID)] = true
		}
		must(t)(b.Put(ctx, user, "acme", &memory.Policy{ID: "p", PolicyKind: memory.PolicyConstraint, Text: "A needle is sharp."}, engine.AnyVersion()))
		must(t)(b.Put(ctx, user, "acme", &memory.Entity{ID: "n", Name: "Needle", Type: "fact"}, engine.AnyVersion()))
		ids[uri(record.Policy, "p")], ids[uri(record.Entity, "n")] = true, true
	}
	say(0)
	put(0)
	views := []engine.View{{}, {Agent: "coder"}, {Agent: "somebody"}}
	for _, grant := range []func(*scope.Grant){
		func(g *scope.Grant) { g.Include.All = true }, unsecret,
		func(g *scope.Grant) { g.Include.Tags = []string{"a"} }, func(g *scope.Grant) { g.Include.Tags, g.Exclude.Tags = []string{"a"}, []string{"b"} },
		func(g *scope.Grant) { g.Include.Types = []string{"fact", "constraint", "entity"} }, func(g *scope.Grant) { g.Include.Pinned = true },
		func(g *scope.Grant) { g.Include.Pinned, g.Include.Tags = true, []string{"b"} },
		func(g *scope.Grant) { g.Include.Sections = []string{"episodes", "core"} }, func(g *scope.Grant) { g.Include.Sections = []string{"evidence"} },
		func(g *scope.Grant) { g.Include.All, g.Exclude.Sessions = true, []string{"s1"} }, func(g *scope.Grant) { g.Include.Sessions = []string{"s1", "s2"} },
		func(g *scope.Grant) { g.Include.IDs = []string{"m4", "e0-3", "e1-3", "p"} }, func(g *scope.Grant) { g.Include.All, g.Exclude.IDs = true, []string{"m4", "e0-3"} },
		func(g *scope.Grant) { g.Include.Frames = []string{"modify:file=src/1.go"} }, func(g *scope.Grant) { g.Include.All, g.Exclude.Frames = true, []string{"modify:file=src/*"} },
	} {
		views = append(views, engine.View{Scope: mint(t, b, c, grant)})
	}
	check := func() {
		t.Helper()
		var wait sync.WaitGroup
		for _, v := range views {
			wait.Go(func() {
				s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "needle", TopK: 1000, View: v})
				if err != nil {
					t.Error(err)
					return
				}
				got := searchedIDs(s)
				var want []string
				for u := range ids {
					if _, err := b.Resolve(ctx, u, v); err == nil {
						want = append(want, u.ID)
					}
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) || len(want) == 0 {
					t.Errorf("%+v finds %v, want %v", v, got, want)
				}
			})
		}
		wait.Wait()
	}
	answers := func() (list []string) {
		for _, v := range views {
			list = append(list, asks(t, b, v, "what did Needle say about the round needle"))
		}
		return list
	}
	check()
	say(1)
	put(1)
	check()
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m3"}, "", engine.AnyVersion()))
	delete(ids, uri(record.Memory, "m3"))
	if _, err := b.Redact(ctx, user, []memory.URI{uri(record.Event, "e0-4"), uri(record.Memory, "m1")}); err != nil {
		t.Fatal(err)
	}
	delete(ids, uri(record.Event, "e0-4"))
	delete(ids, uri(record.Memory, "m1"))
	put(2)
	check()
	before := answers()
	engine.ForgetSights(b)
	if !slices.Equal(answers(), before) {
		t.Error("answers depend on what was asked before")
	}
	sound(t, b)
}
