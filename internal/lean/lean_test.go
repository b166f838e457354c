package lean_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/lean"
	"lukasa.dev/internal/tokens"
)

// openBoard returns a new board.
func openBoard(t testing.TB) *lukasa.Board {
	t.Helper()
	b, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// event makes an event.
func event(tenant, session string, n int, kind hmx.EventType, content map[string]any) *hmx.Event {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprintf("%s-%s-%d", tenant, session, n), EventType: kind, AgentID: "a", TenantID: tenant, SessionID: session,
		Timestamp: hmx.TimeOf(time.Date(2026, 11, 1, 0, 0, n, 0, time.UTC)), Sequence: int64(n), Content: hmx.Raw(text), Metadata: "{}",
	}
}

func said(tenant, session string, n int, role, text string) *hmx.Event {
	return event(tenant, session, n, hmx.TypeMessage, map[string]any{"role": role, "text": text})
}

// found searches.
func found(t testing.TB, b *lukasa.Board, tenant, query string, not ...string) []lukasa.SearchHit {
	t.Helper()
	r, err := b.Tenant(tenant, lukasa.Writer{}).Search(t.Context(), lukasa.SearchOptions{Query: query, TopK: 80, NotSessions: not})
	if err != nil {
		t.Fatal(err)
	}
	return r.Hits
}

func appendAll(t testing.TB, b *lukasa.Board, events ...*hmx.Event) {
	t.Helper()
	if _, err := b.Append(context.Background(), lukasa.Writer{Trust: lukasa.User}, events...); err != nil {
		t.Fatal(err)
	}
}

// texts returns the texts of a listing, without names and labels.
func texts(t testing.TB, listing string) []string {
	t.Helper()
	var list []string
	for line := range strings.Lines(listing) {
		if m := regexp.MustCompile(`^- [^:]*: (.*)\n$`).FindStringSubmatch(line); m != nil {
			list = append(list, m[1])
		}
	}
	return list
}

// A model gets only hits that are about its query: none of Lukasa's own tools, no duplicates,
// none without content, and a line if there are none.
func TestChoose(t *testing.T) {
	t.Parallel()
	b := openBoard(t)
	appendAll(t, b,
		said("acme", "s1", 1, "user", "The staging database is called orion."),
		said("acme", "s1", 2, "assistant", "Done."),
		said("acme", "s1", 3, "assistant", "OK, go on."),
		said("acme", "s2", 1, "user", "The staging database is called orion."),
		event("acme", "s2", 2, hmx.TypeToolCall, map[string]any{"tool_name": "mcp__lukasa__search_memories", "arguments": map[string]any{"query": "staging database"}}),
		event("acme", "s2", 3, hmx.TypeToolCall, map[string]any{"tool_name": "Bash", "arguments": map[string]any{"command": "lukasa find 'staging database'"}}),
		event("acme", "s2", 4, hmx.TypeToolResult, map[string]any{"tool_name": "mcp_lukasa_search_memories", "result": map[string]any{"text": "staging database orion"}, "success": true}),
		said("acme", "s2", 5, "user", "staging database?"),
		said("acme", "s3", 1, "user", "Bake the lemon cake for forty minutes."),
		said("acme", "s4", 1, "user", "Who may drop the staging database?"),
	)
	list := func(query string, not ...string) string {
		return lean.Hits(lean.Choose(query, found(t, b, "acme", query, not...)), lean.HitsOptions{Query: query, Budget: 800, Seed: "acme", Limit: 20})
	}
	got := list("staging database?", "s4")
	if want := []string{"The staging database is called orion."}; fmt.Sprint(texts(t, got)) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := list("staging database?"); len(texts(t, got)) != 2 {
		t.Errorf("without a session that is left out: %s", got)
	}
	for _, query := range []string{"quarterly tax return", "who won the football match", "kubernetes ingress controller"} {
		if got := list(query); got != "Nothing in memory has to do with this." {
			t.Errorf("%s: %s", query, got)
		}
	}
	if got := list("lemon cake"); !strings.Contains(got, " user: Bake the lemon cake for forty minutes.\n") {
		t.Error(got)
	}
}

// A long text is cut around the words of the query, with markers.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	b := openBoard(t)
	appendAll(t, b, said("acme", "s1", 1, "user", strings.Repeat("Lorem ipsum dolor sit amet. ", 400)+"The staging database is called orion. "+strings.Repeat("Consetetur sadipscing elitr. ", 400)))
	got := lean.Hits(lean.Choose("staging database orion", found(t, b, "acme", "staging database orion")), lean.HitsOptions{Query: "staging database orion", Budget: 300, Limit: 20})
	list := texts(t, got)
	if len(list) != 1 || !strings.Contains(list[0], "The staging database is called orion.") || !strings.HasPrefix(list[0], "[truncated] ") || !strings.HasSuffix(list[0], " [truncated]") {
		t.Errorf("%q", got)
	}
}

// words are the parts of random texts: prose, code, marks of ours, hidden characters.
var words = rapid.SampledFrom([]string{
	"staging", "database", "orion", "the", "refund", "rounding", "err != nil {\n\treturn", "}\n", "````", "`````quote-3fa91c", "## Core", "- user:", "日本語のテキスト", "\u202E", "\u200b", "👩‍👩‍👧",
	"https://example.com/a?b=c", "\n\n\n", "[truncated]", "5 November:", "\x1b[31m", strings.Repeat("x", 300), strings.Repeat("z ", 90), "a.b.c.d.e.f.g", "{\"a\":[1,2,3]}",
})

// For any board, an answer has at most the tokens of its budget, at most the characters that
// agents pass on, and little besides its texts.
func TestBudgetHolds(t *testing.T) {
	t.Parallel()
	b := openBoard(t)
	count := tokens.O200k().Count
	boards := 0
	rapid.Check(t, func(t *rapid.T) {
		boards++
		tenant := fmt.Sprintf("t%d", boards)
		w := lukasa.Writer{Actor: "w", Trust: lukasa.User}
		for i := range rapid.IntRange(1, 15).Draw(t, "records") {
			text := "staging database " + strings.Join(rapid.SliceOfN(words, 0, 60).Draw(t, "text"), " ")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				key := rapid.SampledFrom([]string{"db/staging", "a b: c`", strings.Repeat("long/key-", 20) + "x", "日本語"}).Draw(t, "key")
				m := &lukasa.Memory{Key: fmt.Sprintf("%s%d", key, i), Type: "fact", Text: text}
				if _, err := b.Tenant(tenant, w).Remember(context.Background(), m); err != nil {
					t.Fatal(err)
				}
			case 1:
				tool := rapid.SampledFrom([]string{"Bash", "mcp__a_server_with_a_long_name__create_pull_request_review_comment", "x: y"}).Draw(t, "tool")
				ev := event(tenant, "s", i, hmx.TypeToolCall, map[string]any{"tool_name": tool, "arguments": map[string]any{"command": text}})
				if _, err := b.Append(context.Background(), w, ev); err != nil {
					t.Fatal(err)
				}
			default:
				if _, err := b.Append(context.Background(), w, said(tenant, "s", i, "user", text)); err != nil {
					t.Fatal(err)
				}
			}
		}
		r, err := b.Tenant(tenant, w).Search(context.Background(), lukasa.SearchOptions{Query: "staging database", TopK: 80})
		if err != nil {
			t.Fatal(err)
		}
		hits := lean.Choose("staging database", r.Hits)
		budget := lean.Budget(rapid.OneOf(rapid.IntRange(1, 120), rapid.IntRange(0, 5000)).Draw(t, "budget"))
		for _, explain := range []bool{false, true} {
			got := lean.Hits(hits, lean.HitsOptions{Query: "staging database", Budget: budget, Seed: tenant, Limit: 20, Explain: explain})
			if n := count(got); n > budget || utf8.RuneCountInString(got) > 10_000 {
				t.Fatalf("%d tokens of %d, %d characters: %s", n, budget, utf8.RuneCountInString(got), got)
			}
			if explain {
				continue
			}
			list, own := 0, 0
			for line := range strings.Lines(got) {
				if m := regexp.MustCompile(`^- [^:]*: (.*)\n?$`).FindStringSubmatch(line); m != nil {
					list, own = list+1, own+count(m[1])
				}
			}
			if most := 1.3*float64(own) + 12*float64(list) + 60; float64(count(got)) > most {
				t.Fatalf("%d tokens for %d texts of %d: %s", count(got), list, own, got)
			}
			if budget >= lean.DefaultBudget && len(hits) > 0 && list == 0 {
				t.Fatalf("nothing of %d hits: %s", len(hits), got)
			}
		}
		p, err := b.Tenant(tenant, w).Pack(context.Background(), lukasa.PackOptions{Query: "staging database", Budget: 3 * budget, Counter: "o200k"})
		if err != nil {
			t.Fatal(err)
		}
		got := lean.Pack(p.Pack, lean.PackOptions{Topic: "staging database", Budget: budget, Key: func(string) string { return "" }, Event: func(id string) *lukasa.StoredEvent {
			ev, err := b.Tenant(tenant, w).Event(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			return ev
		}})
		if n := count(got); n > budget || utf8.RuneCountInString(got) > 10_000 {
			t.Fatalf("%d tokens of %d: %s", n, budget, got)
		}
		bundle, err := b.Tenant(tenant, w).Context(context.Background(), lukasa.ContextOptions{BudgetTokens: budget})
		if err != nil {
			t.Fatal(err)
		}
		if got := lean.Bundle(bundle, budget); count(got) > budget {
			t.Fatalf("%d tokens of %d: %s", count(got), budget, got)
		}
	})
}

// One common word is not enough for a hit, and a hit brings along nothing that is unrelated to
// the query.
func TestGate(t *testing.T) {
	t.Parallel()
	b := openBoard(t)
	appendAll(t, b, said("acme", "s1", 1, "user", "He will release the parking brake slowly."))
	if got := lean.Choose("template of the release notes", found(t, b, "acme", "template of the release notes")); len(got) != 0 {
		t.Errorf("%q", got[0].Text)
	}
	// A memory was kept on purpose: half of a question is enough.
	if _, err := b.Tenant("acme", lukasa.Writer{Actor: "w"}).Remember(t.Context(), &lukasa.Memory{Key: "release/cadence", Type: "fact", Text: "Every second Tuesday."}); err != nil {
		t.Fatal(err)
	}
	if got := lean.Choose("release process", found(t, b, "acme", "release process")); len(got) == 0 || got[0].URI.Kind != lukasa.MemoryKind {
		t.Errorf("%v", got)
	}
}

// Many short texts of a tool with a long name cost little more than their words.
func TestBoundOfShortTexts(t *testing.T) {
	t.Parallel()
	b := openBoard(t)
	for i, word := range strings.Fields("apple river candle mountain window guitar pencil rocket garden engine button carpet dragon ladder mirror needle orange pocket rabbit saddle") {
		appendAll(t, b, event("acme", "s", i, hmx.TypeToolResult, map[string]any{
			"tool_name": "mcp__a_server_with_a_long_name__create_pull_request_review_comment", "result": map[string]any{"text": "staging " + word}, "success": true,
		}))
	}
	got := lean.Hits(lean.Choose("staging", found(t, b, "acme", "staging")), lean.HitsOptions{Query: "staging", Budget: 2500, Seed: "acme", Limit: 20})
	list := texts(t, got)
	own := 0
	for _, text := range list {
		own += tokens.O200k().Count(text)
	}
	if n := tokens.O200k().Count(got); len(list) != 20 || float64(n) > 1.3*float64(own)+12*20+60 {
		t.Errorf("%d tokens for %d texts of %d: %s", n, len(list), own, got)
	}
}
