package engine_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// searchable are the kinds that searches find.
var searchable = []record.Kind{record.Event, record.Memory, record.Entity, record.Relation, record.Policy}

// search draws a question with filters.
func (f *finds) search(g *gate) engine.SearchOptions {
	t := f.t
	maybe := func(name string) bool { return coins(t, name, 2) }
	o := engine.SearchOptions{Tenant: "acme", Query: pick(t, "query", "refund", "Is the refund missing?", "invoice", "what knows Dana about the invoice on Monday"), TopK: 1000}
	if maybe("kinds") {
		o.Kinds = some(t, "kinds", 3, searchable...)
	}
	if maybe("types") {
		o.Types = some(t, "types", 3, "fact", "goal", "message", "file_edit", "person", "constraint")
		if len(o.Kinds) == 1 && o.Kinds[0] == record.Memory {
			o.Types = []string{"fact"}
		}
	}
	if maybe("agents") {
		o.Agents = some(t, "agents", 2, "ann", "bob", "coder", "nobody")
	}
	if maybe("sessions") {
		o.Sessions = some(t, "sessions", 2, "s1", "s2", "s3")
	}
	if maybe("tags") {
		o.Tags = some(t, "tags", 2, "red", "blue", "green", "none")
	}
	if maybe("since") {
		o.Since = f.moment("since").Time()
	}
	if maybe("until") {
		o.Until = f.moment("until").Time()
	}
	if !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until) {
		o.Since, o.Until = o.Until, o.Since.Add(1)
	}
	if maybe("trust") {
		o.MinTrust = pick(t, "least", record.Trusts()...)
	}
	if maybe("now") {
		o.View.Now = f.moment("now").Time()
	}
	if g != nil {
		o.View.Scope = g.token
	} else if maybe("viewer") {
		o.View.Agent = pick(t, "viewer", "ann", "bob")
	}
	return o
}

// passes applies the filters of a search, one after the other.
func passes(k *known, o *engine.SearchOptions) bool {
	in := func(list []string, values ...string) bool {
		return len(list) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(list, v) })
	}
	at := k.updated
	if k.uri.Kind == record.Event {
		at = k.created
	}
	return k.state == catalog.Live && index.IsDocument(k.uri.Kind) && (len(o.Kinds) == 0 || slices.Contains(o.Kinds, k.uri.Kind)) &&
		in(o.Types, k.class) && in(o.Agents, k.agents[len(k.agents)-1]) && in(o.Sessions, k.session) && in(o.Tags, k.tags...) &&
		(o.Since.IsZero() || !at.Before(o.Since)) && (o.Until.IsZero() || at.Before(o.Until)) && k.trust >= o.MinTrust
}

// compareSearch searches, and compares with a full scan.
func (f *finds) compareSearch(o engine.SearchOptions, g *gate) {
	t := f.t
	found, err := f.b.Search(ctx, o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	if most := found.BudgetTokens; most > 0 && found.TotalTokens > most {
		t.Fatalf("%d tokens, more than %d", found.TotalTokens, most)
	}
	view := engine.FindOptions{View: o.View}
	hits := make(map[memory.URI]bool)
	for i, h := range found.Hits {
		u := h.URI.Head()
		if hits[u] {
			t.Fatalf("%s is found twice", u)
		}
		hits[u] = true
		k := f.one(u)
		if k == nil || !passes(k, &o) || !f.there(k, &view, g) {
			t.Fatalf("%+v finds %s: %+v", o, u, k)
		}
		if i > 0 && h.Score > found.Hits[i-1].Score {
			t.Fatalf("hit %d has %v, the one before %v", i, h.Score, found.Hits[i-1].Score)
		}
		checkParts(t, &h)
	}
	if g != nil && g.budget > 0 {
		return // it may be cut short
	}
	word := "refund"
	if strings.Contains(o.Query, "invoice") {
		word = "invoice"
	}
	for _, k := range f.everything() {
		said := k.words[0]
		if k.uri.Kind == record.Entity {
			said = strings.Join(k.words, " ")
		}
		if strings.Contains(strings.ToLower(said), word) && passes(k, &o) && f.there(k, &view, g) && !hits[k.uri] {
			t.Fatalf("%+v does not find %s: %+v", o, k.uri, k)
		}
	}
}

// checkParts: a score is the sum of its parts, clamped to 0 to 1.
func checkParts(t interface{ Fatalf(string, ...any) }, h *engine.SearchHit) {
	sum := 0.0
	for _, p := range h.Parts {
		sum += p.Score
		if math.IsNaN(p.Score) || math.Abs(p.Value*p.Weight-p.Score) > 1e-12 {
			t.Fatalf("%s: part %+v", h.URI, p)
		}
	}
	if len(h.Parts) == 0 || math.Abs(min(max(sum, 0), 1)-h.Score) > 1e-9 {
		t.Fatalf("%s: parts add up to %v, the score is %v", h.URI, sum, h.Score)
	}
}

// TestSearchModel compares searches on random boards with a full scan.
func TestSearchModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFinds(t)
		defer f.b.Close()
		for range 6 {
			g := f.gate()
			f.compareSearch(f.search(g), g)
		}
		// The index has no trace of the history that a rebuilt one lacks.
		if coins(t, "verify", 3) {
			if _, err := soundness(f.b); err != nil {
				t.Fatal(err)
			}
		}
	})
}
