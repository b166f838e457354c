package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// searchBoard has a little of everything.
func searchBoard(t testing.TB) *engine.Board {
	t.Helper()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), CacheBytes: 8 << 20, MemTableBytes: 4 << 20})
	texts := []string{
		"Hamlet says: to be or not to be.", "The launch 🚀 went well.", "שלום עולם, it says on the door.", "مرحبا بالعالم", "日本語の文書です", "A straße in Zürich.",
		"Refunds round half up, always and everywhere.", "Refunds round half up, always and everywhere!", "refunds: ROUND half up, always, and everywhere", "Nothing of note.",
	}
	var list []*hmx.Event
	for i, text := range texts {
		more := ""
		if i == 9 {
			more = `,"embeddings":[0.5,0.25,1,2]`
		}
		list = append(list, eventWith(t, "acme", fmt.Sprint("e", i), "s1", int64(i), text, more))
	}
	if res, err := b.AppendEvents(ctx, user, list); err != nil || res.Accepted != len(list) {
		t.Fatal(res, err)
	}
	must(t)(b.Put(ctx, user, "acme", &memory.Entity{ID: "play", Name: "To be or not to be", Type: "work"}, engine.AnyVersion()))
	return b
}

// TestSearchBadInput checks what is refused, and how.
func TestSearchBadInput(t *testing.T) {
	b := searchBoard(t)
	before, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	now := newClock().Now()
	for name, c := range map[string]struct {
		o    engine.SearchOptions
		want []string // in the message or in its fix
	}{
		"empty":             {engine.SearchOptions{}, []string{"query"}},
		"blank":             {engine.SearchOptions{Query: " \t\n\u00a0"}, []string{"query"}},
		"too long":          {engine.SearchOptions{Query: strings.Repeat("a", engine.MaxSearchQuery+1)}, []string{"query", "1048576"}},
		"few hits":          {engine.SearchOptions{Query: "a", TopK: -1}, []string{"top_k", "1000"}},
		"many hits":         {engine.SearchOptions{Query: "a", TopK: 1e9}, []string{"top_k", "1000"}},
		"budget":            {engine.SearchOptions{Query: "a", BudgetTokens: -1}, []string{"budget_tokens"}},
		"form":              {engine.SearchOptions{Query: "a", Form: "tiny"}, []string{"form", "tiny"}},
		"trust":             {engine.SearchOptions{Query: "a", MinTrust: 77}, []string{"min_trust", "77"}},
		"kind":              {engine.SearchOptions{Query: "a", Kinds: []record.Kind{record.Memory, record.Edge}}, []string{"kinds[1]", "edge"}},
		"unknown kind":      {engine.SearchOptions{Query: "a", Kinds: []record.Kind{250}}, []string{"kinds[0]"}},
		"type":              {engine.SearchOptions{Query: "a", Kinds: []record.Kind{record.Memory}, Types: []string{"message"}}, []string{"types[0]", "message"}},
		"times":             {engine.SearchOptions{Query: "a", Since: now, Until: now}, []string{"until", "since"}},
		"times turned":      {engine.SearchOptions{Query: "a", Since: now, Until: now.Add(-time.Hour)}, []string{"until", "since"}},
		"many tags":         {engine.SearchOptions{Query: "a", Tags: make([]string, 1025)}, []string{"tags", "1024"}},
		"no numbers":        {engine.SearchOptions{Vector: []float32{}}, []string{"vector"}},
		"no number":         {engine.SearchOptions{Vector: []float32{1, nan, 1, 1}}, []string{"vector", "number 1"}},
		"infinite":          {engine.SearchOptions{Vector: []float32{1, 1, inf, 1}}, []string{"vector", "number 2"}},
		"zero":              {engine.SearchOptions{Vector: make([]float32, 4)}, []string{"vector", "zero"}},
		"too many numbers":  {engine.SearchOptions{Vector: make([]float32, hmx.MaxEmbeddings+1)}, []string{"vector"}},
		"dimensions":        {engine.SearchOptions{Vector: []float32{1, 2, 3}}, []string{"vector", "3 dimensions", "4 dimensions"}},
		"unknown model":     {engine.SearchOptions{Query: "a", Vector: []float32{1, 2, 3, 4}, Model: "m-1"}, []string{"vector", "m-1", "4 dimensions"}},
		"model alone":       {engine.SearchOptions{Query: "a", Model: "m-1"}, []string{"model"}},
		"vector, embedder":  {engine.SearchOptions{Query: "a", Vector: []float32{1}, Embedder: fixed{"x", []float32{1}}}, []string{"vector", "embedder"}},
		"time to embed":     {engine.SearchOptions{Query: "a", EmbedTimeout: -1}, []string{"embed_timeout"}},
		"blank by embedder": {engine.SearchOptions{Query: " ", Embedder: fixed{"x", []float32{1}}}, []string{"query"}},
	} {
		c.o.Tenant = "acme"
		found, err := b.Search(ctx, c.o)
		if fault.CodeOf(err) != fault.InvalidArgument || found != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := err.Error() + " " + fault.From(err).Fix
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: %q does not tell of %q", name, text, w)
			}
		}
	}
	if _, err := b.Search(ctx, engine.SearchOptions{Tenant: "A tenant?", Query: "a"}); err == nil {
		t.Error("a tenant that cannot be is searched")
	}
	if _, err := b.Search(ctx, engine.SearchOptions{Tenant: "nobody", Query: "a"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a tenant without records: %v", err)
	}
	if after, err := b.Root(ctx, "acme"); err != nil || after != before {
		t.Errorf("searches left something behind: %+v %v", after, err)
	}
}

// TestSearchOddInput runs unusual, allowed questions.
func TestSearchOddInput(t *testing.T) {
	b := searchBoard(t)
	for _, c := range []struct {
		query string
		first string // the best hit; empty for any or none
	}{
		{"to be or not to be", "e0 play"}, {`"to be or not to be"`, "e0 play"}, {"the", ""}, {"🚀", "e1"}, {"launch 🚀🚀🚀", "e1"}, {"שלום", "e2"}, {"مرحبا", "e3"}, {"日本語", "e4"},
		{"STRASSE", "e5"}, {"zurich", "e5"}, {"\x00\x01\x02", ""}, {"\xff\xfe\xfd launch", "e1"}, {`"`, ""}, {`""""`, ""}, {`"launch`, "e1"}, {"?!.,;:", ""}, {"'\"`", ""},
		{strings.Repeat(`"`, 10_000), ""}, {strings.Repeat(`"launch" `, 200), "e1"}, {strings.Repeat("a", engine.MaxSearchQuery), ""},
		{strings.Repeat("launch ", engine.MaxSearchQuery/7), "e1"}, {strings.Repeat("\u0301", 1000), ""}, {"\u202elaunch\u202c", "e1"}, {strings.Repeat("(", 5000) + "launch", ""},
	} {
		s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: c.query})
		short := c.query[:min(len(c.query), 20)]
		if err != nil {
			t.Errorf("%q: %v", short, err)
			continue
		}
		if c.first != "" && (len(s.Hits) == 0 || !slices.Contains(strings.Fields(c.first), s.Hits[0].URI.ID)) {
			t.Errorf("%q finds %v, not %s first", short, searchedIDs(s), c.first)
		}
		for i := range s.Hits {
			checkParts(t, &s.Hits[i])
		}
	}
	// Ten thousand different phrases are too many, and are refused or answered, soon.
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, `"w%d x%d" `, i, i)
	}
	if _, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: many.String()}); err != nil && fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("ten thousand phrases: %v", err)
	}
	s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "refunds"})
	if err != nil || len(s.Hits) < 3 {
		t.Fatal(s, err)
	}
	for i, h := range s.Hits[:3] {
		if twice := h.DuplicateOf == s.Hits[0].URI; twice != (i > 0) {
			t.Errorf("hit %d, %s, says the same as %q", i, h.URI, h.DuplicateOf)
		}
	}
}

// TestSearchBudget: no budget is exceeded, and a smaller one shows a prefix of what a
// larger one does.
func TestSearchBudget(t *testing.T) {
	b := searchBoard(t)
	ask := func(budget int, form memory.Form) *engine.Searched {
		t.Helper()
		s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "refunds of Zurich and the launch", BudgetTokens: budget, Form: form})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, form := range memory.FormList() {
		whole := ask(0, form)
		if len(whole.Hits) < 5 || whole.Trimmed != 0 {
			t.Fatal(searchTold(whole))
		}
		for budget := 1; budget <= 200; budget++ {
			s := ask(budget, form)
			sum := 0
			for i, h := range s.Hits {
				if sum += h.Tokens; h.URI != whole.Hits[i].URI || h.Score != whole.Hits[i].Score {
					t.Fatalf("with %d tokens, hit %d is %s", budget, i, h.URI)
				}
			}
			if sum > budget || sum != s.TotalTokens || len(s.Hits)+s.Trimmed != len(whole.Hits) || s.BudgetTokens != budget {
				t.Fatalf("with %d tokens: %s", budget, searchTold(s))
			}
			if s.Trimmed > 0 && sum+whole.Hits[len(s.Hits)].Tokens <= budget {
				t.Fatalf("with %d tokens, the next would have fitted", budget)
			}
		}
	}
}

// lateCancel is a context that ends after a number of checks.
type lateCancel struct {
	context.Context
	left int
}

func (c *lateCancel) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestSearchCancelled: a cancelled search ends.
func TestSearchCancelled(t *testing.T) {
	b := searchBoard(t)
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Search(over, engine.SearchOptions{Tenant: "acme", Query: "launch"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	ended := false
	for left := range 200 {
		s, err := b.Search(&lateCancel{ctx, left}, engine.SearchOptions{Tenant: "acme", Query: "launch", Sources: 1})
		if err == nil {
			ended = true
			if len(s.Hits) == 0 {
				t.Error("an answer without hits")
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at %d: %v", left, err)
		}
	}
	if !ended {
		t.Error("it asks whether it is wanted all the time")
	}
}

// TestSearchTags: tags are exact, although the index has only a signature of them.
func TestSearchTags(t *testing.T) {
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), CacheBytes: 8 << 20, MemTableBytes: 4 << 20})
	var tags []string
	var all roster.Tags
	for i := range 16 {
		tag := fmt.Sprint("t", i)
		tags, all = append(tags, tag), all|roster.TagOf(tag)
	}
	other := ""
	for i := 0; other == ""; i++ {
		if tag := fmt.Sprint("other", i); all.Has(roster.TagOf(tag)) {
			other = tag
		}
	}
	ev := event(t, "acme", "e", 1, "something with tags")
	ev.Tags = tags
	m := fact("m", "", "A fact with tags.")
	m.Tags = tags
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{ev}))
	must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	for _, tag := range append(tags, other) {
		s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "tags", Tags: []string{tag}})
		if err != nil || len(s.Hits) != map[bool]int{true: 0, false: 2}[tag == other] {
			t.Errorf("%s: %v %v", tag, searchedIDs(s), err)
		}
	}
}
