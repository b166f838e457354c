package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/questions"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

// packed makes a board with a few memories, and returns a function that runs commands on it.
func packed(t *testing.T) func(args ...string) (code int, stdout, stderr string) {
	t.Helper()
	env := setTo(map[string]string{"HOME": t.TempDir(), "USER": "dana"})
	at := time.Date(2026, 11, 6, 9, 0, 0, 0, time.UTC)
	ask := func(args ...string) (int, string, string) { return runAt(at, env, args...) }
	for i, text := range []string{"Releases are cut every second Tuesday.", "A release has a branch of its own.", "Lunch is at noon."} {
		if code, _, problems := ask("remember", fmt.Sprintf("note/%d", i), text, "--id", fmt.Sprintf("m%d", i)); code != 0 {
			t.Fatal(problems)
		}
	}
	return ask
}

// What makes no sense is refused before anything is read, with what is allowed.
func TestPackRefuses(t *testing.T) {
	ask := packed(t)
	long := strings.Repeat("release ", 1<<17) // 1 MB
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"pack", long}, "the QUERY: it has 1048576 bytes"},
		{[]string{"pack", long, "--context"}, "the QUERY"},
		{[]string{"explain", "m0", long}, "the QUERY: it has 1048576 bytes"},
		{[]string{"pack", "\t\n\r "}, "the QUERY: it is empty"},
		{[]string{"pack", "x", "--budget", "0"}, "--budget: 0 tokens hold nothing"},
		{[]string{"pack", "x", "--budget=-9"}, "--budget: -9 tokens hold nothing"},
		{[]string{"pack", "x", "--weight", "relevance=Inf"}, "--weight: relevance is +Inf"},
		{[]string{"pack", "x", "--weight", "relevance=1e300", "--weight", "recency=1e300"}, "--weight: recency is 1e+300"},
		{[]string{"pack", "x", "--weight", "=1"}, `--weight: "" is not one`},
		{[]string{"pack", "x", "--weight", "\x1b[2J=1"}, `--weight: "\x1b[2J" is not one`},
		{[]string{"pack", "x", "--section-weight", "core=0", "--section-weight", "facts=0"}, "--section-weight: they sum to nothing"},
		{[]string{"pack", "x", "--min-relevance", "NaN"}, "--min-relevance: it is NaN"},
		{[]string{"pack", "x", "--section", ""}, `--section: "" is not one`},
		{[]string{"pack", "x", "--strategy", "RANKED"}, `--strategy: "RANKED" is not one`},
		{[]string{"pack", "x", "--as-of", "-1"}, "--as-of"},
		{[]string{"pack", "x", "--as-of", "18446744073709551616"}, "neither a position, a root nor a time"},
		{[]string{"pack", "x", "--format", ""}, `unknown format for --format ""`},
		{[]string{"pack", "x", "--priors", "[1]"}, "--priors: they are no such object"},
	} {
		code, out, problems := ask(c.args...)
		if code != fault.ExitUsage || out != "" || !strings.Contains(problems, c.says) || !strings.Contains(problems, "[usage]") || strings.Contains(problems, "\x1b") {
			t.Errorf("%.60q: exit code %d, %q, %q", c.args, code, out, problems)
		}
	}
}

// A question of control characters alone is a question; nothing of it reaches the
// terminal raw.
func TestPackOfControlCharacters(t *testing.T) {
	ask := packed(t)
	for _, format := range questions.PackFormats() {
		code, out, problems := ask("pack", "\x00\x01\x1b[2J\u202e\u2066\x07", "--format", format)
		if code != 0 || strings.ContainsAny(out+problems, "\x00\x01\x1b\u202e\u2066\x07") {
			t.Errorf("%s: exit code %d, %q, %q", format, code, out, problems)
		}
	}
}

// What a pipe gets is what was counted, whatever the budget.
func TestPackKeepsToItsBudget(t *testing.T) {
	testsize.Long(t, "it asks for hundreds of packs")
	ask := packed(t)
	for _, counter := range []tokens.Counter{tokens.O200k(), tokens.Estimate()} {
		for budget := 1; budget < 90; budget += 3 {
			code, out, problems := ask("pack", "when are releases cut", "--counter", counter.Name(), "--budget", fmt.Sprint(budget))
			if n := counter.Count(out); code != 0 || n > budget {
				t.Errorf("%s, %d: %d tokens, exit code %d: %q %s", counter.Name(), budget, n, code, out, problems)
			}
			code, out, problems = ask("pack", "when are releases cut", "--context", "--budget", fmt.Sprint(budget))
			if n := tokens.Estimate().Count(out); code != 0 || n > budget {
				t.Errorf("a block of %d: %d tokens, exit code %d: %q %s", budget, n, code, out, problems)
			}
		}
	}
}

// The document that is printed is the pack whose digest it states, and its markdown is
// what is printed without --json.
func TestPackDocumentIsWhole(t *testing.T) {
	ask := packed(t)
	_, text, _ := ask("pack", "when are releases cut")
	code, out, problems := ask("pack", "when are releases cut", "--json")
	p, warnings, err := hmx.DecodePack([]byte(strings.TrimSpace(out)))
	if code != 0 || err != nil || len(warnings) > 0 {
		t.Fatalf("%d, %v, %v: %s%s", code, err, warnings, out, problems)
	}
	if err := pack.CheckDigest(p); err != nil {
		t.Error(err)
	}
	if got := pack.Markdown(p); got != text || text == "" {
		t.Errorf("the pack is\n%s\nand printed is\n%s", got, text)
	}
	code, out, problems = ask("pack", "when are releases cut", "--json", "--verify")
	var proven answer.ProvenPack
	if err := json.NewDecoder(bytes.NewReader([]byte(out))).Decode(&proven); code != 0 || err != nil || proven.Pack.PackID != p.PackID {
		t.Fatalf("%d, %v: %s%s", code, err, out, problems)
	}
	if len(proven.Proof.Entries) != len(p.Entries) || len(p.Entries) == 0 || proven.Proof.Checkpoint == "" || len(proven.Proof.Root) != 64 {
		t.Errorf("%+v", proven.Proof)
	}
}

// A history that was ingested a year after it happened has something that is new, too.
func TestPackOfOldHistory(t *testing.T) {
	env := setTo(map[string]string{"HOME": t.TempDir(), "USER": "dana"})
	at := time.Date(2027, 11, 6, 9, 0, 0, 0, time.UTC)
	ask := func(args ...string) string {
		t.Helper()
		code, out, problems := runAt(at, env, args...)
		if code != 0 {
			t.Fatal(problems)
		}
		return out
	}
	ask("ingest", "../../examples/parcels.ndjson", "../../examples/session.ndjson")
	ask("remember", "parcel/limit", "A parcel weighs 30 kg at most.")
	ranked := ask("pack", "rounding of refunds", "--budget", "150", "--strategy", "ranked")
	recent := ask("pack", "rounding of refunds", "--budget", "150", "--strategy", "recency_biased")
	if newest := "Good. No glass came back today."; strings.Contains(ranked, newest) || !strings.Contains(recent, newest) {
		t.Errorf("ranked\n%s\nrecency_biased\n%s", ranked, recent)
	}
}
