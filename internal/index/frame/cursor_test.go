package frame_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// look returns a cursor that is closed at the end of the test.
func (w *world) look(t testing.TB) *frame.Cursor {
	c := frame.Look(w.s, 0)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestCount: counting many cards at once gives the same as a lookup of each, in
// any order, with repetitions, cited or not.
func TestCount(t *testing.T) {
	w := newWorld(t)
	const events = 40
	id := func(i int) string { return fmt.Sprint("e", i) }
	for i := range events {
		w.event(id(i), "a.go", "")
	}
	outcomes := []memory.Outcome{memory.OutcomeSuccess, memory.OutcomePartial, memory.OutcomeFailure}
	for i := range 30 {
		w.put(feedback(fmt.Sprint("f", i), outcomes[i%3], uri(record.Event, id(i*i%events)), uri(record.Event, id(i%7)), uri(record.Memory, id(i))))
	}
	for _, i := range []int{3, 9} {
		w.forget(record.Feedback, fmt.Sprint("f", i))
	}
	drawn := 0
	for i := range events {
		if w.usage(record.Event, id(i)) != "0 0 0" {
			drawn++
		}
	}
	if drawn == 0 || drawn == events {
		t.Fatal(drawn, "events were drawn on")
	}
	c := w.look(t)
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]record.Kind{record.Event, record.Memory, record.Policy}).Draw(t, "kind")
		var cards []*frame.Card
		for _, i := range rapid.SliceOf(rapid.IntRange(0, events+5)).Draw(t, "cards") {
			cards = append(cards, &frame.Card{ID: id(i), Thing: frame.ThingOf("acme", kind, id(i)), Uses: 77, Wins: 77, Losses: 77})
		}
		order := slices.Clone(cards)
		if err := c.Count(kind, cards); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(order, cards) {
			t.Fatal("the cards were put into another order")
		}
		for _, card := range cards {
			if got, want := fmt.Sprint(card.Uses, card.Wins, card.Losses), w.usage(kind, card.ID); got != want {
				t.Fatalf("%s: %s, want %s", card.ID, got, want)
			}
		}
	})
}

// TestCursor: one cursor answers any sequence of queries like a new cursor for
// each.
func TestCursor(t *testing.T) {
	w := newWorld(t)
	paths := []string{"a.go", "b.go", "c.go"}
	kinds := []memory.ObjectKind{memory.ObjFile, memory.ObjTool, memory.ObjKnowledge}
	for i := range 400 {
		id, path := fmt.Sprint("m", i), paths[i*i%2]
		switch i % 5 {
		case 0, 1:
			w.event(id, path, `,"metadata":{"project":"c.go"}`)
		case 2:
			m := &memory.Memory{ID: id, Type: memory.TypeEvent, Text: id, Data: &memory.Event{Outcome: memory.OutcomeFailure}}
			for _, k := range kinds[:1+i%3] {
				m.Frames = append(m.Frames, memory.Frame{Verb: memory.VerbModify, Kind: k, Ref: path})
			}
			w.put(m)
		case 3:
			w.put(fact(id, id, file(path)))
		case 4:
			w.put(&memory.Memory{ID: id, Type: []memory.Type{memory.TypeIdentity, memory.TypeGoal}[i%2], Text: id})
		}
	}
	c := w.look(t)
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "path")
		most := rapid.SampledFrom([]int{1, 3, 4, 5, 13, 70, 200, 1000}).Draw(t, "most")
		f := memory.Frame{Verb: memory.VerbModify, Kind: rapid.SampledFrom(append(kinds, memory.ObjProject)).Draw(t, "kind"), Ref: path}
		class := rapid.SampledFrom([]frame.Class{frame.Events, frame.EventMemories, frame.Memories}).Draw(t, "class")
		rank := rapid.SampledFrom(frame.Ranks()).Draw(t, "rank")
		ask := func(c *frame.Cursor, what string) (ids []string) {
			visit := func(card *frame.Card) bool {
				ids = append(ids, card.ID)
				return len(ids) < most
			}
			var err error
			switch what {
			case "pinned":
				err = c.Pinned(rank, visit)
			case "scan":
				err = c.Scan(f, class, visit)
			case "outcomes":
				err = c.Outcomes(f.Verb, path, visit)
			}
			if err != nil {
				t.Fatal(err)
			}
			return ids
		}
		what := rapid.SampledFrom([]string{"pinned", "scan", "outcomes"}).Draw(t, "what")
		own := frame.Look(w.s, 0)
		got, want := ask(c, what), ask(own, what)
		if err := own.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
		if what != "outcomes" {
			return
		}
		// The outcomes are what the scans of all kinds find together.
		found := make(map[string]int64)
		for _, k := range memory.ObjectKinds() {
			for _, class := range []frame.Class{frame.Events, frame.EventMemories} {
				if err := c.Scan(memory.Frame{Verb: f.Verb, Kind: k, Ref: path}, class, func(card *frame.Card) bool {
					found[card.ID] = card.Created
					return true
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(got) != min(most, len(found)) {
			t.Fatalf("%d outcomes of %d, at most %d", len(got), len(found), most)
		}
		for i, id := range got {
			if created, ok := found[id]; !ok || i > 0 && created >= found[got[i-1]] {
				t.Fatalf("%s is not the next in %v", id, got)
			}
			if i+1 == len(got) {
				for other, created := range found {
					if created > found[id] && !slices.Contains(got, other) {
						t.Fatalf("%s is newer than %s, and is not there", other, id)
					}
				}
			}
		}
	})
}
