package questions

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/memory"
)

var coldNow = time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)

// drawnBundle is a bundle with something in every tier, and something left out.
func drawnBundle() *bundle.Bundle {
	rule := &bundle.Entry{
		URI: lukasa.URI{Tenant: "acme", Kind: lukasa.MemoryKind, ID: "m1"}, ID: "m1", Kind: lukasa.MemoryKind, Type: "constraint", Key: "parcel/weight",
		Status: "hard", Version: 2, Trust: lukasa.User, Actor: "dana", Created: coldNow.Add(-72 * time.Hour), Updated: coldNow.Add(-48 * time.Hour),
		Name: "m1", Text: "(hard) A parcel weighs 30 kg at most, wrapping and padding included, because the carrier sends back what is heavier.", Tokens: 26, Score: 0.83,
	}
	edit := &bundle.Entry{
		URI: lukasa.URI{Tenant: "acme", Kind: lukasa.EventKind, ID: "e1"}, ID: "e1", Kind: lukasa.EventKind, Type: "file_edit",
		Status: "unknown", Trust: lukasa.Tool, Actor: "agent-packer", Agent: "agent-packer", Session: "s1", Created: coldNow.Add(-2 * time.Hour), Updated: coldNow.Add(-2 * time.Hour),
		Name: "e1", Text: "edited internal/pack/pack.go -> \"clear \x1b[2J\u202e\"", Tokens: 1, Score: 0.4,
	}
	return &bundle.Bundle{
		Pinned: []*bundle.Entry{rule}, Outcomes: []*bundle.Entry{edit},
		Rendered: map[string]string{"m1": rule.Text, "e1": edit.Text}, Tokens: map[string]int{"m1": 26, "e1": 1},
		Scores:        map[string]float32{"m1": 0.83, "e1": 0.4, "e2": 0.31, "lukasa://acme/event/m1": 0.2},
		ReachableURIs: []memory.URI{{Tenant: "acme", Kind: lukasa.EventKind, ID: "e2"}, {Tenant: "acme", Kind: lukasa.EventKind, ID: "m1"}},
		TotalTokens:   27, Trimmed: 70, LatencyMS: 1, Form: memory.FormMedium, Budget: 30, Counter: "o200k", Tenant: "acme", Size: 21,
	}
}

func TestBundleForAPerson(t *testing.T) {
	var out bytes.Buffer
	s := testShell(nil, &out, io.Discard)
	showBundle(s, drawnBundle(), &coldStart{verb: memory.VerbModify, objects: []string{"file=internal/pack/pack.go", "tool=go"}, agent: "agent-packer", now: coldNow})
	if err := s.Stdout.Finish(); err != nil {
		t.Fatal(err)
	}
	want := `modify file=internal/pack/pack.go tool=go
tenant acme, agent agent-packer  as of 2026-11-05T12:00:00Z

PINNED  who it is, what it must not do, what it is to reach
  (hard) A parcel weighs 30 kg at most, wrapping and padding included, because the carrier sends
  back what is heavier.
    score 0.83  26 tokens  trust user  constraint hard  2 days old  parcel/weight

FRAME RELEVANT  what matters for this
  nothing

OUTCOMES  how it went before, newest first
  edited internal/pack/pack.go -> "clear \u{001B}[2J\u{202E}"
    score 0.40  1 token  trust tool  file_edit  2 hours old  lukasa://acme/event/e1

[###########################---]  27 of 30 tokens (o200k)

REACHABLE  70 records left out because of the budget, best first
  0.31  lukasa://acme/event/e2
  0.20  lukasa://acme/event/m1
  ` + "`lukasa resolve URI`" + ` shows one of them; a higher --budget takes in more
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// On a terminal it fits the screen, is coloured, and draws the bar in blocks.
func TestBundleOnATerminal(t *testing.T) {
	var out bytes.Buffer
	vars := map[string]string{"COLUMNS": "50", "LANG": "en_US.UTF-8", "TERM": "xterm"}
	s := ask.NewShell(ask.Program{}, nil, &out, io.Discard, variables(vars), func(any) term.Terminal { return term.Terminal{Is: true, ANSI: true} })
	b := drawnBundle()
	b.TotalTokens, b.Trimmed, b.ReachableURIs = 40, 0, nil
	showBundle(s, b, &coldStart{verb: memory.VerbModify, now: coldNow, tiers: []bundle.Tier{bundle.TierPinned, bundle.TierOutcomes}})
	got := out.String()
	for _, want := range []string{
		"\x1b[1mPINNED\x1b[0m", "\x1b[33m" + strings.Repeat("█", 30) + "\x1b[0m", "one record is shown whatever its size",
		"  (hard) A parcel weighs 30 kg at most, wrapping\n  and padding included, because the carrier sends\n  back what is heavier.\n",
		"    \x1b[2mscore 0.83  26 tokens  trust user\x1b[0m\n    \x1b[2mconstraint hard  2 days old  parcel/weight\x1b[0m\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	for _, hostile := range []string{"\x1b[2J", "\u202e", "FRAME RELEVANT", "REACHABLE"} {
		if strings.Contains(got, hostile) {
			t.Errorf("there is %q in\n%q", hostile, got)
		}
	}
}

// When there is nothing, it says what to do about it.
func TestBundleOfNothing(t *testing.T) {
	empty := &bundle.Bundle{Tenant: "acme", Budget: 3000, Form: memory.FormMedium}
	for _, tc := range []struct {
		start coldStart
		want  string
	}{
		{coldStart{verb: memory.VerbModify, objects: []string{"file=a.go"}, now: coldNow}, "lukasa remember KEY TEXT --frame modify:file=a.go\n"},
		{coldStart{verb: memory.VerbModify, objects: []string{"file=a; rm -rf ."}, now: coldNow}, "lukasa remember KEY TEXT --frame verb:kind=ref\n"},
		{coldStart{now: coldNow}, "what every agent receives\n"},
	} {
		var out bytes.Buffer
		s := testShell(nil, &out, io.Discard)
		showBundle(s, empty, &tc.start)
		if err := s.Stdout.Finish(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, tc.want) || !strings.Contains(got, "lukasa ingest FILE") || strings.Contains(got, "tokens") {
			t.Errorf("%+v\n%s", tc.start, got)
		}
	}
}

// When there is something, but nothing for the task, it says that and no more.
func TestBundleOfNothingFiled(t *testing.T) {
	empty := &bundle.Bundle{Tenant: "acme", Size: 7, Budget: 3000, Form: memory.FormMedium}
	file := coldStart{verb: memory.VerbModify, objects: []string{"file=a.go"}, now: coldNow}
	with := func(change func(*coldStart)) coldStart {
		c := file
		change(&c)
		return c
	}
	for _, tc := range []struct {
		name  string
		start coldStart
		want  string
		not   []string
	}{
		{"nothing at all", file, "Nothing is pinned, and nothing is filed under modify file=a.go.\nWhat helps:\n", []string{"nothing to show yet"}},
		{"other verbs", with(func(c *coldStart) { c.elsewhere = []filed{{"find", 64}, {"build", 1}} }),
			"nothing is filed under modify file=a.go; under find: 64 records or more;\nunder build: 1.\n", []string{"What helps", "ingest"}},
		{"a scope that reads", with(func(c *coldStart) { c.scoped, c.readOnly = true, true }),
			"In this scope nothing is pinned, and nothing is filed under modify file=a.go.\nThe scope only reads", []string{"ingest", "remember"}},
		{"a scope that writes", with(func(c *coldStart) { c.scoped = true }), "--frame modify:file=a.go\n", []string{"--strength hard"}},
		{"outcomes alone", with(func(c *coldStart) { c.tiers = []bundle.Tier{bundle.TierOutcomes} }), "No outcome is filed under modify file=a.go.\n", []string{"pinned", "--strength hard"}},
		{"no task", coldStart{now: coldNow}, "Nothing is pinned.\nWhat helps:\n  say what is to be done", []string{"ingest"}},
	} {
		var out bytes.Buffer
		s := testShell(nil, &out, io.Discard)
		showBundle(s, empty, &tc.start)
		if err := s.Stdout.Finish(); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s: there is no %q in\n%s", tc.name, tc.want, got)
		}
		for _, text := range tc.not {
			if strings.Contains(got, text) {
				t.Errorf("%s: there is %q in\n%s", tc.name, text, got)
			}
		}
	}
}

// JSON has the members that are promised, and no list or map is null.
func TestBundleInJSON(t *testing.T) {
	members := []string{
		"budget_tokens", "counter", "form", "frame_relevant", "latency_ms", "outcomes", "pinned", "reachable_uris",
		"rendered", "root", "scores", "size", "tenant", "tokens", "total_tokens", "trimmed",
	}
	for name, b := range map[string]*bundle.Bundle{"full": drawnBundle(), "empty": {}} {
		text, err := json.Marshal(answer.BundleOf(b))
		if err != nil {
			t.Fatal(err)
		}
		var found map[string]json.RawMessage
		if err := json.Unmarshal(text, &found); err != nil {
			t.Fatal(err)
		}
		var got []string
		for member, value := range found {
			got = append(got, member)
			if string(value) == "null" {
				t.Errorf("%s: %s is null", name, member)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, members) {
			t.Errorf("%s: members %q, want %q", name, got, members)
		}
	}
}
