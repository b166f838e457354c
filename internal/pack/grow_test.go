package pack

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// session is a board with lasting records and a session, of which the first events have
// happened.
func session(t testing.TB, budget, events int) *board {
	r := rand.New(rand.NewPCG(4, 9))
	b := newBoard(t, Request{Query: "how is the release made", Budget: budget, Agent: "coder"})
	for i := range 40 {
		section := hmx.Sections()[i%5]
		b.add(Candidate{Section: section, Relevance: 0.3 + 0.7*r.Float64(), Time: now - int64(100+i)*day, Pinned: section.Priority() < 3 && i%2 == 0}, sentenceOf(r, 8+r.IntN(20)))
	}
	for i := range events {
		c := Candidate{Section: hmx.SectionEpisodes, Trust: record.Agent, Session: "s", Relevance: r.Float64(), Time: now - 30*day + int64(i)*day/8}
		if i%4 == 3 {
			c.Section, c.Trust = hmx.SectionEvidence, record.Tool
		}
		at := b.add(c, sentenceOf(r, 6+r.IntN(30)))
		s := b.sources[uint64(1000+at)]
		s.Label = []string{"user", "assistant", "deploy", "test run"}[i%4]
		b.sources[uint64(1000+at)] = s
	}
	return b
}

// standing returns the part of a text before what grows with a session.
func standing(text string) string {
	for _, heading := range []string{headingText(hmx.SectionEvidence), headingText(hmx.SectionEpisodes)} {
		if before, _, there := strings.Cut(text, "\n"+heading); there {
			return before
		}
	}
	return text
}

// TestSessionGrows: while events are added, the text before them keeps its bytes as long as the
// same entries are kept, and consecutive texts share most of their beginning. The share is the
// mean over pairs of consecutive packs of the common prefix, relative to the first.
func TestSessionGrows(t *testing.T) {
	testsize.Long(t, "it makes many packs")
	const least = 0.7
	for _, budget := range []int{1000, 4096, 16_000} {
		share, same, packs := 0.0, 0, 0
		var text, kept string
		for events := 1; events <= 120; events++ {
			res := session(t, budget, events).compose()
			ids := ""
			for _, e := range res.Pack.Entries {
				if e.Section != hmx.SectionEpisodes && e.Section != hmx.SectionEvidence {
					ids += fmt.Sprintln(e.SourceID, e.Content)
				}
			}
			if text != "" {
				if packs++; ids == kept {
					if same++; standing(res.Text) != standing(text) {
						t.Fatalf("%d tokens, %d events:\n%s\nbecame\n%s", budget, events, standing(text), standing(res.Text))
					}
				}
				share += float64(shared(text, res.Text)) / float64(len(text))
			}
			text, kept = res.Text, ids
		}
		share /= float64(packs)
		t.Logf("%d tokens: %.3f of a text are that of the one before; in %d of %d all that stands before the events is", budget, share, same, packs)
		if share < least || budget > 8000 && same != packs {
			t.Errorf("%d tokens: %.3f of a text are that of the one before, %d of %d begin with the same", budget, share, same, packs)
		}
	}
}

// shared returns the length of the common prefix of two texts.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// TestNote: a text explains its quotes once, at the first of them, and not if there are none or
// the budget is small.
func TestNote(t *testing.T) {
	for _, c := range []struct {
		budget  int
		section hmx.Section
		want    string
	}{
		{minNoted - 1, hmx.SectionFacts, ""},
		{minNoted, hmx.SectionCore, ""},
		{minNoted, hmx.SectionFacts, "## Core\n- The agent deploys.\n## Facts\n" + quote.Note + "`"},
		{MaxBudget, hmx.SectionEpisodes, "## Core\n- The agent deploys.\n## Episodes\n" + quote.Note + "`"},
	} {
		b := newBoard(t, Request{Query: "q", Budget: c.budget})
		b.add(Candidate{Section: hmx.SectionCore, Trust: record.Operator}, "The agent deploys.")
		b.add(Candidate{Section: c.section, Trust: record.User}, "The key is in the vault.")
		b.add(Candidate{Section: hmx.SectionWorkflow, Trust: record.User}, "Ship it.")
		if c.section == hmx.SectionCore {
			b.in.Request.Sections = []hmx.Section{hmx.SectionCore}
		}
		text := b.compose().Text
		if n := strings.Count(text, quote.Note); n != min(1, len(c.want)) || !strings.HasPrefix(text, c.want) {
			t.Errorf("%d tokens, %s:\n%s", c.budget, c.section, text)
		}
	}
	// Hints are quotes as well.
	text := markdown(nil, quote.Note, hintsText(&hmx.WorkflowHints{Blockers: []string{"git: refused"}}), "")
	if !strings.HasPrefix(text, "## Next steps\n"+quote.Note+"`") {
		t.Errorf("%q", text)
	}
}
