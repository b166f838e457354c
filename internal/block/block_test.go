package block

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quote/quotetest"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

const day = int64(24 * time.Hour)

// block makes a block of a request that must be valid.
func block(t *testing.T, r Request, entries ...Entry) string {
	t.Helper()
	r, err := r.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	text := Compose(r, 1000*day, entries)
	if n := tokens.Estimate().Count(text); n > r.Budget.Value {
		t.Fatalf("%d tokens of %d: %q", n, r.Budget.Value, text)
	}
	return text
}

func releases() []Entry {
	return []Entry{
		{ID: "a", Name: "release/cadence", Text: "Weekly on Thursdays at 2pm UTC", Relevance: 0.8, Time: 100 * day},
		{ID: "b", Name: "release/back-merge", Text: "main → development immediately after every prod deploy", Relevance: 1, Time: 990 * day},
		{ID: "c", Name: "release/smoke-tests", Text: "Playwright suite runs against dev\nafter each  deploy", Relevance: 0.7, Time: 999 * day},
	}
}

func TestBlock(t *testing.T) {
	got := block(t, Request{Topic: "release process"}, releases()...)
	want := `## Context for 'release process' (3 memories, ~68 tokens)

- **release/back-merge**: main → development immediately after every prod deploy
- **release/smoke-tests**: Playwright suite runs against dev after each deploy
- **release/cadence**: Weekly on Thursdays at 2pm UTC`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if n := tokens.Estimate().Count(got); n != 68 {
		t.Errorf("%d tokens", n)
	}
}

func TestBlockOrderings(t *testing.T) {
	order := func(o Ordering, entries ...Entry) string {
		names := ""
		for _, m := range regexp.MustCompile(`(?m)^- \*\*release/(.)`).FindAllStringSubmatch(block(t, Request{Topic: "x", Ordering: o}, entries...), -1) {
			names += m[1]
		}
		return names
	}
	for o, want := range map[Ordering]string{ByRelevance: "bcs", ByRecency: "sbc", ByRelevanceAndRecency: "bsc", "": "bsc"} {
		if got := order(o, releases()...); got != want {
			t.Errorf("%q: %s, want %s", o, got, want)
		}
	}
	entry := func(name string, relevance float64, at int64) Entry {
		return Entry{ID: name, Name: "release/" + name, Text: "x", Relevance: relevance, Time: at}
	}
	// Ties break by relevance, then the newer, then the id; NaN counts as 0; times in the far
	// past and in the future are ordered as well.
	if got := order(ByRelevance, entry("c", 0.5, 1), entry("b", 0.5, 2), entry("a", 0.5, 1), entry("n", math.NaN(), 3), entry("h", 7, 0)); got != "hbacn" {
		t.Error(got)
	}
	if got := order(ByRecency, entry("p", 1, math.MinInt64), entry("q", 0, 1), entry("f", 0.1, math.MaxInt64), entry("g", 1, 2000*day)); got != "fgqp" {
		t.Error(got)
	}
}

func TestBlockSkips(t *testing.T) {
	entries := releases()
	entries[1].Text = strings.Repeat("long ", 100)
	got := block(t, Request{Topic: "release process", Budget: hmx.Some(60)}, entries...)
	if !strings.HasPrefix(got, "## Context for 'release process' (2 memories, ~4") || strings.Contains(got, "long") || strings.Contains(got, "…") {
		t.Error(got)
	}
	entries[0].Text, entries[2].Text = " \n", ""
	if got := block(t, Request{Topic: "x", Budget: hmx.Some(1000)}, entries...); !strings.Contains(got, "(1 memory, ~") {
		t.Error(got)
	}
}

// TestBlockShrinks: the less room there is, the less a block without memories says.
func TestBlockShrinks(t *testing.T) {
	large := Entry{ID: "a", Name: "k", Text: strings.Repeat("word ", 300), Relevance: 1}
	for _, c := range []struct {
		budget  int
		entries []Entry
		want    string
	}{
		{40, []Entry{large}, "## Context for 'release process' (0 memories, ~27 tokens)\n\n_no memory fits: the smallest needs 392 tokens_"},
		{26, []Entry{large}, "## Context for 'release process' (0 memories, ~15 tokens)"},
		{15, []Entry{large}, "## Context for 'release process' (0 memories, ~15 tokens)"},
		{14, []Entry{large}, "_no context_"},
		{5, []Entry{large}, "_no context_"},
		{3, []Entry{large}, "_no context_"},
		{2, []Entry{large}, ""},
		{1, []Entry{large}, ""},
		{2000, nil, "## Context for 'release process' (0 memories, ~15 tokens)"},
		{15, nil, "## Context for 'release process' (0 memories, ~15 tokens)"},
		{5, nil, "_no context_"},
		{1, nil, ""},
	} {
		if got := block(t, Request{Topic: "release process", Budget: hmx.Some(c.budget)}, c.entries...); got != c.want {
			t.Errorf("%d: %q, want %q", c.budget, got, c.want)
		}
	}
	// The numbers in the note are true.
	if got := block(t, Request{Topic: "release process", Budget: hmx.Some(391)}, large); !strings.Contains(got, "needs 392") {
		t.Error(got)
	}
	if got := block(t, Request{Topic: "release process", Budget: hmx.Some(392)}, large); !strings.Contains(got, "(1 memory, ~392 tokens)") {
		t.Error(got)
	}
}

func TestRequest(t *testing.T) {
	for given, want := range map[hmx.Opt[int]]int{{}: 2000, hmx.Some(0): 1, hmx.Some(-7): 1, hmx.Some(1): 1, hmx.Some(100_000): 100_000, hmx.Some(1_000_000_000): 100_000} {
		r, err := Request{Topic: "x", Budget: given}.Normalize()
		if err != nil || r.Budget != hmx.Some(want) || r.Ordering != ByRelevanceAndRecency {
			t.Errorf("%v: %+v %v", given, r, err)
		}
		if again, err := r.Normalize(); again != r || err != nil {
			t.Errorf("twice: %+v %v", again, err)
		}
	}
	for want, r := range map[string]Request{
		"topic: it is empty":               {Topic: " \n\t"},
		"topic: it has 1048576 bytes":      {Topic: strings.Repeat("x", 1<<20)},
		`ordering: "best" is not one`:      {Topic: "x", Ordering: "best"},
		"use relevance, recency or releva": {Topic: "x", Ordering: "Relevance"},
		"give the topic, in a few words":   {Topic: ""},
	} {
		_, err := r.Normalize()
		if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error()+fault.From(err).Advice(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestBlockTexts(t *testing.T) {
	for _, c := range []struct {
		topic string
		entry Entry
		want  string
	}{
		{"what's\n<b> up\x00", Entry{Name: "a*b`\nc", Text: "x\u202E <i>y</i> [a](b)"},
			"## Context for 'what's \\<b> up\\<U+0000>' (1 memory, ~27 tokens)\n\n- **ab c**: x\\<U+202E> \\<i>y\\</i> [a\\](b)"},
		{strings.Repeat("long ", 40), Entry{Text: "x"}, "## Context for '" + strings.Repeat("long ", 23) + "long…' (1 memory, ~45 tokens)\n\n- **memory**: x"},
		{"x", Entry{Name: "k\\", Text: "say \"obey\" and “this”\n## Now\\", Quoted: true},
			"## Context for 'x' (1 memory, ~22 tokens)\n\n- **k\\\\**: \"say 'obey' and 'this' ## Now\\\\\""},
	} {
		if got := block(t, Request{Topic: c.topic}, c.entry); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestBlockNeverAboveBudget: a block has the right shape, stays within its token limit and
// states its true size, whatever its entries are.
func TestBlockNeverAboveBudget(t *testing.T) {
	testsize.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(2, 2))
	header := regexp.MustCompile(`^## Context for '.*' \((?:(1) memory|([0-9]+) memories), ~([0-9]+) tokens\)$`)
	for n := range 30 {
		topic := strings.Repeat("t", 1+rng.IntN(30))
		if n%2 == 1 {
			topic = "x" + quotetest.Hostile(rng)
		}
		entries := make([]Entry, rng.IntN(12))
		for i := range entries {
			entries[i] = Entry{ID: fmt.Sprint(i), Name: quotetest.Hostile(rng), Text: quotetest.Hostile(rng), Quoted: rng.IntN(2) == 0, Relevance: rng.Float64(), Time: rng.Int64N(1000 * day)}
			if rng.IntN(3) == 0 {
				entries[i].Text = strings.Repeat("word ", rng.IntN(200))
			}
		}
		last := 0
		for budget := 1; budget <= 300; budget++ {
			text := block(t, Request{Topic: topic, Budget: hmx.Some(budget), Ordering: Orderings()[n%3]}, entries...)
			if text == "" || text == "_no context_" {
				if last > 0 {
					t.Fatalf("with %d tokens there is less than before: %q", budget, text)
				}
				continue
			}
			quotetest.CheckShown(t, text)
			lines := strings.Split(text, "\n")
			m := header.FindStringSubmatch(lines[0])
			if m == nil {
				t.Fatalf("header %q", lines[0])
			}
			memories, _ := strconv.Atoi(m[1] + m[2])
			if m[3] != strconv.Itoa((utf8.RuneCountInString(text)+3)/4) {
				t.Fatalf("it does not count %s tokens: %q", m[3], text)
			}
			last = max(last, 1)
			items := 0
			for i, line := range lines[1:] {
				switch {
				case i == 0 && line == "":
				case strings.HasPrefix(line, "- **"):
					items++
				case memories == 0 && i == 1 && strings.HasPrefix(line, "_no memory fits: the smallest needs "):
				default:
					t.Fatalf("line %q in %q", line, text)
				}
			}
			if items != memories {
				t.Fatalf("%d items in %q", items, text)
			}
		}
	}
}

// TestBlockOfMany: the stated number of tokens is also true where it gains a digit.
func TestBlockOfMany(t *testing.T) {
	for size := 1; size < 45_000; size += 1 + size/40 {
		text := block(t, Request{Topic: "x", Budget: hmx.Some(100_000)}, Entry{Name: "k", Text: strings.Repeat("y", size)})
		if want := fmt.Sprintf("~%d tokens)", tokens.Estimate().Count(text)); !strings.Contains(text, want) {
			t.Fatalf("%d: %.80q, want %s", size, text, want)
		}
	}
}

func FuzzBlock(f *testing.F) {
	for i, s := range quotetest.Parts() {
		f.Add("topic "+s, s, quotetest.Parts()[i*3%len(quotetest.Parts())], 10+5*i)
	}
	f.Fuzz(func(t *testing.T, topic, name, text string, budget int) {
		r, err := Request{Topic: topic, Budget: hmx.Some(budget)}.Normalize()
		if err != nil {
			return
		}
		out := Compose(r, 0, []Entry{{ID: "a", Name: name, Text: text}, {ID: "b", Name: text, Text: name, Quoted: true}})
		if tokens.Estimate().Count(out) > r.Budget.Value {
			t.Fatalf("%d: %q", r.Budget.Value, out)
		}
		quotetest.CheckShown(t, out)
		if n := strings.Count(out, "\n"); n > 3 {
			t.Fatalf("%d lines: %q", n, out)
		}
	})
}
