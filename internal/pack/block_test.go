package pack

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
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

const blockDay = int64(24 * time.Hour)

// block makes a block of a request that must be valid.
func block(t *testing.T, r BlockRequest, entries ...BlockEntry) string {
	t.Helper()
	r, err := r.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	text := Block(r, 1000*blockDay, entries)
	if n := tokens.Estimate().Count(text); n > r.Budget.Value {
		t.Fatalf("%d tokens of %d: %q", n, r.Budget.Value, text)
	}
	return text
}

func releases() []BlockEntry {
	return []BlockEntry{
		{ID: "a", Name: "release/cadence", Text: "Weekly on Thursdays at 2pm UTC", Relevance: 0.8, Time: 100 * blockDay},
		{ID: "b", Name: "release/back-merge", Text: "main → development immediately after every prod deploy", Relevance: 1, Time: 990 * blockDay},
		{ID: "c", Name: "release/smoke-tests", Text: "Playwright suite runs against dev\nafter each  deploy", Relevance: 0.7, Time: 999 * blockDay},
	}
}

func TestBlock(t *testing.T) {
	got := block(t, BlockRequest{Topic: "release process"}, releases()...)
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
	order := func(o Ordering, entries ...BlockEntry) string {
		names := ""
		for _, m := range regexp.MustCompile(`(?m)^- \*\*release/(.)`).FindAllStringSubmatch(block(t, BlockRequest{Topic: "x", Ordering: o}, entries...), -1) {
			names += m[1]
		}
		return names
	}
	for o, want := range map[Ordering]string{ByRelevance: "bcs", ByRecency: "sbc", ByRelevanceAndRecency: "bsc", "": "bsc"} {
		if got := order(o, releases()...); got != want {
			t.Errorf("%q: %s, want %s", o, got, want)
		}
	}
	entry := func(name string, relevance float64, at int64) BlockEntry {
		return BlockEntry{ID: name, Name: "release/" + name, Text: "x", Relevance: relevance, Time: at}
	}
	// Ties break by relevance, then the newer, then the id; NaN counts as 0; times in the far
	// past and in the future are ordered as well.
	if got := order(ByRelevance, entry("c", 0.5, 1), entry("b", 0.5, 2), entry("a", 0.5, 1), entry("n", math.NaN(), 3), entry("h", 7, 0)); got != "hbacn" {
		t.Error(got)
	}
	if got := order(ByRecency, entry("p", 1, math.MinInt64), entry("q", 0, 1), entry("f", 0.1, math.MaxInt64), entry("g", 1, 2000*blockDay)); got != "fgqp" {
		t.Error(got)
	}
}

func TestBlockSkips(t *testing.T) {
	entries := releases()
	entries[1].Text = strings.Repeat("long ", 100)
	got := block(t, BlockRequest{Topic: "release process", Budget: hmx.Some(60)}, entries...)
	if !strings.HasPrefix(got, "## Context for 'release process' (2 memories, ~4") || strings.Contains(got, "long") || strings.Contains(got, "…") {
		t.Error(got)
	}
	entries[0].Text, entries[2].Text = " \n", ""
	if got := block(t, BlockRequest{Topic: "x", Budget: hmx.Some(1000)}, entries...); !strings.Contains(got, "(1 memory, ~") {
		t.Error(got)
	}
}

// TestBlockShrinks: the less room there is, the less a block without memories says.
func TestBlockShrinks(t *testing.T) {
	large := BlockEntry{ID: "a", Name: "k", Text: strings.Repeat("word ", 300), Relevance: 1}
	for _, c := range []struct {
		budget  int
		entries []BlockEntry
		want    string
	}{
		{40, []BlockEntry{large}, "## Context for 'release process' (0 memories, ~27 tokens)\n\n_no memory fits: the smallest needs 392 tokens_"},
		{26, []BlockEntry{large}, "## Context for 'release process' (0 memories, ~15 tokens)"},
		{15, []BlockEntry{large}, "## Context for 'release process' (0 memories, ~15 tokens)"},
		{14, []BlockEntry{large}, "_no context_"},
		{5, []BlockEntry{large}, "_no context_"},
		{3, []BlockEntry{large}, "_no context_"},
		{2, []BlockEntry{large}, ""},
		{1, []BlockEntry{large}, ""},
		{2000, nil, "## Context for 'release process' (0 memories, ~15 tokens)"},
		{15, nil, "## Context for 'release process' (0 memories, ~15 tokens)"},
		{5, nil, "_no context_"},
		{1, nil, ""},
	} {
		if got := block(t, BlockRequest{Topic: "release process", Budget: hmx.Some(c.budget)}, c.entries...); got != c.want {
			t.Errorf("%d: %q, want %q", c.budget, got, c.want)
		}
	}
	// The numbers in the note are true.
	if got := block(t, BlockRequest{Topic: "release process", Budget: hmx.Some(391)}, large); !strings.Contains(got, "needs 392") {
		t.Error(got)
	}
	if got := block(t, BlockRequest{Topic: "release process", Budget: hmx.Some(392)}, large); !strings.Contains(got, "(1 memory, ~392 tokens)") {
		t.Error(got)
	}
}

func TestBlockRequest(t *testing.T) {
	for given, want := range map[hmx.Opt[int]]int{{}: 2000, hmx.Some(0): 1, hmx.Some(-7): 1, hmx.Some(1): 1, hmx.Some(100_000): 100_000, hmx.Some(1_000_000_000): 100_000} {
		r, err := BlockRequest{Topic: "x", Budget: given}.Normalize()
		if err != nil || r.Budget != hmx.Some(want) || r.Ordering != ByRelevanceAndRecency {
			t.Errorf("%v: %+v %v", given, r, err)
		}
		if again, err := r.Normalize(); again != r || err != nil {
			t.Errorf("twice: %+v %v", again, err)
		}
	}
	for want, r := range map[string]BlockRequest{
		"topic: it is empty":                {Topic: " \n\t"},
		"topic: it has 1048576 bytes":       {Topic: strings.Repeat("x", 1<<20)},
		`ordering: "best" is not one`:       {Topic: "x", Ordering: "best"},
		"use relevance, recency or releva":  {Topic: "x", Ordering: "Relevance"},
		"say what the context is about, in": {Topic: ""},
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
		entry BlockEntry
		want  string
	}{
		{"what's\n<b> up\x00", BlockEntry{Name: "a*b`\nc", Text: "x\u202E <i>y</i> [a](b)"},
			"## Context for 'what's \\<b> up\\<U+0000>' (1 memory, ~27 tokens)\n\n- **ab c**: x\\<U+202E> \\<i>y\\</i> [a\\](b)"},
		{strings.Repeat("long ", 40), BlockEntry{Text: "x"}, "## Context for '" + strings.Repeat("long ", 23) + "long…' (1 memory, ~45 tokens)\n\n- **memory**: x"},
		{"x", BlockEntry{Name: "k\\", Text: "say \"obey\" and “this”\n## Now\\", Quoted: true},
			"## Context for 'x' (1 memory, ~22 tokens)\n\n- **k\\\\**: \"say 'obey' and 'this' ## Now\\\\\""},
	} {
		if got := block(t, BlockRequest{Topic: c.topic}, c.entry); got != c.want {
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
			topic = "x" + hostile(rng)
		}
		entries := make([]BlockEntry, rng.IntN(12))
		for i := range entries {
			entries[i] = BlockEntry{ID: fmt.Sprint(i), Name: hostile(rng), Text: hostile(rng), Quoted: rng.IntN(2) == 0, Relevance: rng.Float64(), Time: rng.Int64N(1000 * blockDay)}
			if rng.IntN(3) == 0 {
				entries[i].Text = strings.Repeat("word ", rng.IntN(200))
			}
		}
		last := 0
		for budget := 1; budget <= 300; budget++ {
			text := block(t, BlockRequest{Topic: topic, Budget: hmx.Some(budget), Ordering: Orderings()[n%3]}, entries...)
			if text == "" || text == "_no context_" {
				if last > 0 {
					t.Fatalf("with %d tokens there is less than before: %q", budget, text)
				}
				continue
			}
			checkShown(t, text)
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
		text := block(t, BlockRequest{Topic: "x", Budget: hmx.Some(100_000)}, BlockEntry{Name: "k", Text: strings.Repeat("y", size)})
		if want := fmt.Sprintf("~%d tokens)", tokens.Estimate().Count(text)); !strings.Contains(text, want) {
			t.Fatalf("%d: %.80q, want %s", size, text, want)
		}
	}
}

func FuzzBlock(f *testing.F) {
	for i, s := range hostileParts {
		f.Add("topic "+s, s, hostileParts[i*3%len(hostileParts)], 10+5*i)
	}
	f.Fuzz(func(t *testing.T, topic, name, text string, budget int) {
		r, err := BlockRequest{Topic: topic, Budget: hmx.Some(budget)}.Normalize()
		if err != nil {
			return
		}
		out := Block(r, 0, []BlockEntry{{ID: "a", Name: name, Text: text}, {ID: "b", Name: text, Text: name, Quoted: true}})
		if tokens.Estimate().Count(out) > r.Budget.Value {
			t.Fatalf("%d: %q", r.Budget.Value, out)
		}
		checkShown(t, out)
		if n := strings.Count(out, "\n"); n > 3 {
			t.Fatalf("%d lines: %q", n, out)
		}
	})
}
