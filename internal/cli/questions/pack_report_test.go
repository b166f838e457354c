package questions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/pack"
)

// drawnPack is a pack with something of everything, some of it hostile.
func drawnPack() *lukasa.Packed {
	at := time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)
	p := &hmx.Pack{
		PackID: "pack-0123456789abcdef0123456789abcdef", QueryContext: "fix the \x1b[2Jglass\nnow", CreatedAt: hmx.TimeOf(at),
		TenantID: hmx.Some("acme"), AgentID: hmx.Some("packer"), Metadata: `{"counter":"o200k","digest":"d"}`,
		Entries: []hmx.Entry{{
			Section: hmx.SectionConstraints, Content: "A parcel weighs 30 kg at most.", SourceID: "m1", SourceType: hmx.SourcePolicy,
			RelevanceScore: 0.8123, TokenEstimate: 9, Rank: 1,
			Extra: hmx.Extra{"uri": `"lukasa://acme/memory/m1#1"`, "trust": `"user"`, "at": `"2026-11-03T12:00:00Z"`},
		}, {
			Section: hmx.SectionEpisodes, Content: "clear \x1b[2J\u202Eelif\nsecond line", SourceID: "e1", SourceType: hmx.SourceEpisode,
			RelevanceScore: 0.5, TokenEstimate: 12, Rank: 2,
			Extra: hmx.Extra{"uri": `"lukasa://acme/event/e1"`, "trust": `"tool"`, "at": `"2026-11-05T10:00:00Z"`, "by": `"sh\u001b[31m"`, "truncated": "true"},
		}},
		TokenBudget: hmx.TokenBudget{TotalBudget: 100, Used: 40, Remaining: 60, Truncated: true, DroppedCount: 120, SectionBudgets: map[hmx.Section]hmx.SectionBudget{
			hmx.SectionConstraints: {Budget: 20, Used: 12}, hmx.SectionEpisodes: {Budget: 80, Used: 28},
		}},
		AssemblyMetadata: hmx.AssemblyMetadata{AssemblyStrategy: hmx.StrategyRanked, CandidateCount: 122, IncludedCount: 2},
		WorkflowHints: hmx.Some(hmx.WorkflowHints{
			ActiveTaskSchema: hmx.Some("a-fix"), CurrentStep: hmx.Some(int64(1)), TotalSteps: hmx.Some(int64(3)), Blockers: []string{"go: \x07tests fail"},
			SuggestedNextSteps: []hmx.NextStep{{
				Description: "Run all tests.", Tools: []string{"go"}, Confidence: hmx.Some(0.81),
				Extra: hmx.Extra{"step": "2", "success_rate": "0.9", "observed_count": "10"},
			}},
		}),
		DecisionConstraints: []hmx.DecisionConstraint{
			{ArtifactID: "p1", Condition: "always", Constraint: "Never deploy on a Friday.", Extra: hmx.Extra{"strength": `"hard"`}},
			{ArtifactID: "p2", Condition: "tag release", Constraint: "Say when.", OverrideAllowed: true, Extra: hmx.Extra{"strength": `"soft"`}},
		},
		DroppedEntries: []hmx.DroppedEntry{
			{SourceID: "e2", SourceType: hmx.SourceEpisode, Section: hmx.SectionEpisodes, RelevanceScore: 0.4, TokenEstimate: 33, DropReason: hmx.DropBudget, Rank: 3},
			{
				SourceID: "m2", SourceType: hmx.SourceMemory, Section: hmx.SectionFacts, RelevanceScore: 0.3, TokenEstimate: 7, DropReason: hmx.DropDuplicate, Rank: 4,
				Extra: hmx.Extra{"uri": `"lukasa://acme/memory/m2#1"`, "of": `"m1"`},
			},
		},
	}
	for i := range 6 { // more than are shown of a reason
		p.DroppedEntries = append(p.DroppedEntries, hmx.DroppedEntry{SourceID: fmt.Sprint("e", 10+i), Section: hmx.SectionEpisodes, TokenEstimate: 1, DropReason: hmx.DropRelevance, Rank: int64(5 + i)})
	}
	return &lukasa.Packed{Pack: p, Text: "## Constraints\n", Digest: "d", Root: lukasa.Root{Tenant: "acme", Size: 30}}
}

const drawnPackText = `fix the <U+001B>[2Jglass …
ranked  40 of 100 tokens (o200k)  tenant acme, agent packer  as of 2026-11-05T12:00:00Z

constraints     [#---------]      12 tokens  1 entry
  A parcel weighs 30 kg at most.
    #1  score 0.81  9 tokens  policy  trust user  2026-11-03, 2 days old  lukasa://acme/memory/m1#1

episodes        [##--------]      28 tokens  1 entry
  clear <U+001B>[2J<U+202E>elif …
    #2  score 0.50  12 tokens  cut  episode  by sh\u{001B}[31m  trust tool  2026-11-05, 2 hours old
    lukasa://acme/event/e1

NEXT STEPS  a-fix, 1 of 3 steps done
  Run all tests.
    step 2  with go  confidence 0.81  worked in 90% of 10 cases
  blocked go: <U+0007>tests fail

RULES  that hold for this
  hard Never deploy on a Friday.
  soft Say when. (tag release)

LEFT OUT  120 of 122 candidates; below are the best 8, by reason
  budget_exceeded   1 no room was left
    #3  score 0.40  33 tokens  episodes  e2
  low_relevance     6 hardly matches
    #5  score 0.00  1 token  episodes  e10
    #6  score 0.00  1 token  episodes  e11
    #7  score 0.00  1 token  episodes  e12
    #8  score 0.00  1 token  episodes  e13
    #9  score 0.00  1 token  episodes  e14
    and 1 more, which --json lists
  duplicate         1 says nearly the same as a better one
    #4  score 0.30  7 tokens  facts  lukasa://acme/memory/m2#1  of m1
  ` + "`lukasa explain ID QUERY`" + ` explains one; a higher --budget takes in more

  root       0000000000000000000000000000000000000000000000000000000000000000 over 30 records
  pack       pack-0123456789abcdef0123456789abcdef
  digest     d
  proven     1 entry by 3 records of the journal, against a checkpoint of lukasa.dev/x/acme
  remade     made again, it is the same: nothing is missing in it
`

func TestPackForAPerson(t *testing.T) {
	var out bytes.Buffer
	s := testShell(nil, &out, io.Discard)
	show.Pack(s.Screen, drawnPack(), &lukasa.PackProof{Checkpoint: "lukasa.dev/x/acme\n30\n", Records: 3, Entries: make([]lukasa.EntryProof, 1), Remade: lukasa.RemadeYes})
	if err := s.Stdout.Finish(); err != nil {
		t.Fatal(err)
	}
	if out.String() != drawnPackText {
		t.Errorf("got\n%s\nwant\n%s", out.String(), drawnPackText)
	}
}

// On a terminal bars are blocks and what is ours is coloured; nothing that is stored
// commands it.
func TestPackOnATerminal(t *testing.T) {
	var out bytes.Buffer
	vars := map[string]string{"COLUMNS": "60", "LANG": "en_US.UTF-8", "TERM": "xterm"}
	s := ask.NewShell(ask.Program{}, nil, &out, io.Discard, variables(vars), func(any) term.Terminal { return term.Terminal{Is: true, ANSI: true} })
	show.Pack(s.Screen, drawnPack(), nil)
	text := out.String()
	for _, want := range []string{"█░░░░░░░░░", "██░░░░░░░░", "\x1b[1m", "\x1b[31mhard\x1b[0m", "<U+001B>[2J"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b[2J") || strings.ContainsRune(text, '\u202E') || strings.Contains(text, "sh\x1b") {
		t.Errorf("a stored text commands the terminal: %q", text)
	}
}

func TestEmptyPackForAPerson(t *testing.T) {
	for candidates, want := range map[int64]string{0: "Nothing is known that has to do with it.", 3: "Nothing of 3 candidates is in it; below is why."} {
		var out bytes.Buffer
		s := testShell(nil, &out, io.Discard)
		p := &hmx.Pack{QueryContext: "x", Metadata: "{}", AssemblyMetadata: hmx.AssemblyMetadata{CandidateCount: candidates}}
		show.Pack(s.Screen, &lukasa.Packed{Pack: p}, nil)
		if err := s.Stdout.Finish(); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: %s", err, out.String())
		}
	}
}

func TestExplanationForAPerson(t *testing.T) {
	var out bytes.Buffer
	s := testShell(nil, &out, io.Discard)
	v := &lukasa.PackVerdict{
		Candidate: &pack.Candidate{Section: hmx.SectionFacts}, Rank: 4, Score: 0.4567, Tokens: 9, Pass: 1, Truncated: true,
		Parts: pack.Parts{Relevance: 0.5, Recency: 0.25, Provenance: 0.8, Salience: 0.1},
	}
	showExplanation(s, &lukasa.Explanation{PackID: "pack-1", In: true, Reason: "included", Detail: "It fits \x1b[2J.", Verdict: v}, "m1\x1b[2J")
	showExplanation(s, &lukasa.Explanation{PackID: "pack-1", Reason: "unknown", Detail: "Nobody knows it."}, "m2")
	if err := s.Stdout.Finish(); err != nil {
		t.Fatal(err)
	}
	want := `in m1<U+001B>[2J
  It fits <U+001B>[2J.
  section    facts
  rank       4, score 0.457
  parts      relevance 0.50, recency 0.25, provenance 0.80, salience 0.10
  size       9 tokens, cut to them
  room       by its section's share
  reason     included
  pack       pack-1
out m2
  Nobody knows it.
  reason     unknown
  pack       pack-1
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// TestRemadeIsTold: the report says whether a pack was made again, and what is unknown if it
// was not.
func TestRemadeIsTold(t *testing.T) {
	if got := show.RemadeText(&lukasa.PackProof{Remade: lukasa.RemadeYes}); got != "made again, it is the same: nothing is missing in it" {
		t.Error(got)
	}
	p := &lukasa.PackProof{Remade: lukasa.RemadeNotPossible, Unchecked: "something was erased since"}
	if got := show.RemadeText(p); got != "not made again, so that it was not checked whether anything is missing in it: something was erased since" {
		t.Error(got)
	}
	data, err := json.Marshal(answer.PackProofOf(p))
	if err != nil || !strings.Contains(string(data), `"remade":"not possible","unchecked":"something was erased since"`) {
		t.Errorf("%s, %v", data, err)
	}
}

// TestReplayShowsHowFar: a replay that takes longer than two seconds is seen on a terminal,
// and its line is gone before the answer.
func TestReplayShowsHowFar(t *testing.T) {
	var screen bytes.Buffer
	s := ask.NewShell(ask.Program{}, nil, &screen, &screen, variables(nil), func(any) term.Terminal { return term.Terminal{Is: true, ANSI: true} })
	at := time.Unix(1000, 0)
	s.Now = func() time.Time { return at }
	var as lukasa.AsOf
	done := replaying(s, &as)
	as.Progress(2048, 40_000)
	at = at.Add(3 * time.Second)
	as.Progress(20_480, 40_000)
	done()
	if got, want := screen.String(), "\rreplaying 20,480 of 40,000 records\x1b[K\r\x1b[K"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
