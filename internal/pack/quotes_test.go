package pack

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

// TestQuotes: which contents are quotes of a text.
func TestQuotes(t *testing.T) {
	const text = "\n One two.  Three four. Five [truncated] \t"
	for content, want := range map[string]string{
		text: "whole", strings.TrimSpace(text): "whole", "\n One two.  Three four. Five [truncated]": "whole",
		"One two. [truncated]": "cut", "\n One [truncated]": "cut", "[truncated] Three four. [truncated]": "cut", "[truncated] Five [truncated]": "cut",
		"[truncated] four. Five [truncated] [truncated]": "none", // nothing follows it
		"": "none", " ": "none", "[truncated]": "none", " [truncated]": "none",
		"One two.": "none", "[truncated] One two. [truncated]": "none", "Three four. [truncated]": "none", "Three four.": "none",
		"[truncated] Three four.": "none", "[truncated] Three six. [truncated]": "none", "[truncated]Three four.[truncated]": "none",
		strings.TrimSpace(text) + " [truncated]": "none", "[truncated] " + strings.TrimSpace(text): "none", "One two. Three": "none",
	} {
		got := "none"
		if cut, ok := Quotes(text, content); ok && cut {
			got = "cut"
		} else if ok {
			got = "whole"
		}
		if got != want {
			t.Errorf("%q is %s, not %s", content, got, want)
		}
	}
}

// TestSpansAreQuotes: every cut of a text is a quote of it, and reports rightly whether it is
// cut.
func TestSpansAreQuotes(t *testing.T) {
	testsize.OneGoroutine(t)
	chance := rand.New(rand.NewPCG(3, 5))
	words := []string{"glass", "parcel", " ", "\n", ". ", "! ", "[truncated]", " [truncated] ", "\u202e", "\r\n", "weight", "kg", "é", "日本語。", "\t", strings.Repeat("x", 300)}
	for range 3000 {
		var b strings.Builder
		for range chance.IntN(80) {
			b.WriteString(words[chance.IntN(len(words))])
		}
		text := b.String()
		got, cut := span(tokens.Estimate(), text, chance.IntN(60), []string{"glass", "kg"})
		if got == "" {
			continue
		}
		if is, ok := Quotes(text, got); strings.TrimSpace(text) != "" && (!ok || is != cut) {
			t.Fatalf("%q of %q, cut %v: %v, %v", got, text, cut, ok, is)
		}
	}
}

// TestRequestOf: a pack states its request, so that its id can be computed again.
func TestRequestOf(t *testing.T) {
	for _, r := range requestsForAgain() {
		r, err := r.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		state := State{Tenant: "acme"}
		res, err := Compose(Input{Request: r, State: state, Counter: tokens.O200k()})
		if err != nil {
			t.Fatal(err)
		}
		back, err := RequestOf(res.Pack)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := back.ID(&state); err != nil || id != res.Pack.PackID {
			t.Errorf("%+v\ncame back as\n%+v: %v", r, back, err)
		}
	}
}

// requestsForAgain are requests, each with something unusual.
func requestsForAgain() []Request {
	facts := map[hmx.Section]float64{hmx.SectionFacts: 1}
	return []Request{
		{Query: "plain"}, {Query: "a\xffb", Budget: 7}, {Query: "x", Strategy: hmx.StrategyRecencyBiased, Tags: []string{"a", "b"}},
		{Query: "x", Weights: map[string]float64{"relevance": 1, "recency": 2}}, {Query: "x", SectionWeights: facts},
		{Query: "x", MinRelevance: hmx.Some(0.0)}, {Query: "x", Sections: []hmx.Section{hmx.SectionGoals, hmx.SectionCore}},
		{Query: "x", Agent: "a", Session: "s", Scope: "00ff", Model: "m"}, {Query: "x", Counter: "o200k", Priors: `{ "sections": {"facts": 1.0}}`},
		{Query: "x", Strategy: hmx.StrategyFingerprintGuided, Priors: `{ "sections": {"facts": 1.0}}`},
		{Query: "x", Strategy: hmx.StrategyFingerprintGuided, Priors: `{}`}, {Query: "x", Strategy: hmx.StrategyFingerprintGuided},
		{Query: "x", Now: hmx.Some(hmx.TimeOf(time.Unix(5, 7)))}, {Query: "x", Budget: 1 << 30},
	}
}
