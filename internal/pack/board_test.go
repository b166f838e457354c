package pack

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
)

// vocabulary is the words of random texts.
var vocabulary = strings.Fields(`release staging the a deploy rollback key vault never on friday always run tests before push main branch
	customer asked invoice was paid late because server crashed at night disk full memory leak found in worker pool user prefers tabs`)

func sentenceOf(r *rand.Rand, words int) string {
	list := make([]string, words)
	for i := range list {
		list[i] = vocabulary[r.IntN(len(vocabulary))]
		if r.IntN(4) == 0 {
			list[i] += strconv.Itoa(r.IntN(1000))
		}
		if r.IntN(9) == 0 {
			list[i] += ".\n"[:1+r.IntN(2)]
		}
	}
	return strings.Join(list, " ")
}

// randomBoard makes a random board and request.
func randomBoard(t testing.TB, r *rand.Rand) *board {
	req := Request{Query: "how is the release made", Strategy: hmx.Strategies()[r.IntN(5)], Counter: Counters()[r.IntN(2)], Agent: "coder"}
	req.Budget = []int{1 + r.IntN(30), 30 + r.IntN(200), 200 + r.IntN(800), 2000, 4096}[r.IntN(5)]
	if r.IntN(4) == 0 {
		req.Weights = map[string]float64{"relevance": r.Float64(), "recency": 0.1 + r.Float64(), "salience": r.Float64()}
	}
	if r.IntN(5) == 0 {
		req.SectionWeights = map[hmx.Section]float64{hmx.SectionFacts: r.Float64() + 0.1, hmx.SectionEpisodes: r.Float64()}
	}
	if r.IntN(5) == 0 {
		req.Sections = []hmx.Section{hmx.SectionFacts, hmx.SectionEpisodes, hmx.Sections()[r.IntN(10)]}
	}
	if r.IntN(5) == 0 {
		req.MinRelevance = hmx.Some(r.Float64())
	}
	if r.IntN(2) == 0 {
		req.Priors = hmx.Raw(fmt.Sprintf(`{"sections":{"facts":%v,"episodes":%v},"sources":{"id-003":1,"id-007":0.5}}`, r.Float64(), r.Float64()))
	}
	b := newBoard(t, req)
	n := []int{r.IntN(4), r.IntN(12), r.IntN(24), r.IntN(60)}[r.IntN(4)]
	if r.IntN(30) == 0 {
		n = 130 // more than a pack lists as drops
	}
	sections, pins := 1+r.IntN(10), 12
	if r.IntN(5) == 0 {
		pins = 1 + r.IntN(3) // more than there is room for
	}
	var texts []string
	for range n {
		words := []int{1 + r.IntN(6), 5 + r.IntN(20), 20 + r.IntN(60), 200}[min(r.IntN(5), 3)]
		text := sentenceOf(r, words)
		switch r.IntN(12) {
		case 0:
			if len(texts) > 0 {
				text = texts[r.IntN(len(texts))] + strings.Repeat(" again", r.IntN(2))
			}
		case 1:
			text += " " + strings.Repeat("`", r.IntN(30)) + " x"
		case 2:
			text += " \u202e\x1b[31m"
		case 3:
			if r.IntN(4) == 0 { // empty texts, or nearly
				text = strings.Repeat(" ", r.IntN(2)*(64<<10)) + strings.Repeat("x", r.IntN(3000))
			}
		}
		texts = append(texts, text)
		c := Candidate{
			Section: hmx.Sections()[r.IntN(sections)], Trust: record.Trust(1 + r.IntN(5)), Relevance: float64(r.IntN(21)) / 20, Confidence: float64(1+r.IntN(4)) / 4,
			Salience: float64(r.IntN(3)) / 2, Time: now - int64(r.IntN(800))*day/2 + int64(r.IntN(2)), Class: []string{"fact", "belief"}[r.IntN(2)],
			Pinned: r.IntN(pins) == 0, Known: r.IntN(3) * words,
		}
		if r.IntN(2) == 0 {
			c.Session = "s" + strconv.Itoa(r.IntN(8))
		}
		if r.IntN(15) == 0 {
			c.Deprecated = "expired"
		}
		if i := len(b.in.Candidates); i > 0 && r.IntN(12) == 0 {
			c.SameAs = 1 + r.IntN(i)
		}
		i := b.add(c, text)
		if c.Section == hmx.SectionCore && r.IntN(2) == 0 {
			b.in.Candidates[i].Kind = record.Memory // the identity of the agent, which is no rule
		}
		s := b.sources[uint64(1000+i)]
		s.Label = []string{"", "Ann", "tool", "a very long name of somebody who says this"}[r.IntN(4)]
		if r.IntN(20) == 0 {
			s.Unproven = "damaged"
		}
		if r.IntN(2) == 0 {
			s.Tokens = b.in.Counter.Count(quote.Visible(s.Text))
		}
		b.sources[uint64(1000+i)] = s
		if r.IntN(25) == 0 {
			b.gone[uint64(1000+i)] = true
		}
	}
	for i := range r.IntN(1 + n/6) {
		c := Conflict{ID: "c-" + strconv.Itoa(i), Between: r.Perm(n)[:2+r.IntN(min(2, n-1))]}
		if r.IntN(2) == 0 {
			c.Winner = 1 + c.Between[0]
		}
		c.Trust = record.Trust(1 + r.IntN(5))
		b.in.Conflicts = append(b.in.Conflicts, c)
	}
	if r.IntN(3) == 0 {
		b.in.Task = Task{Schemas: []Schema{{ArtifactID: "id-001", Steps: []Step{{Description: "Run the tests", Tools: []string{"go"}},
			{Description: "Push the branch", Tools: []string{"git"}}, {Description: "Tell the others what was released"}}, Confidence: 0.9, Relevance: 0.6}},
			Deeds: []Deed{{Tool: "go", Outcome: memory.OutcomeFailure, Text: sentenceOf(r, 8)}}}
	}
	for i := range r.IntN(4) {
		b.in.Rules = append(b.in.Rules, Rule{ID: "r-" + strconv.Itoa(i), Source: hmx.SourcePolicy, Condition: "always", Constraint: sentenceOf(r, 6),
			Confidence: r.Float64(), Strength: memory.Strengths()[r.IntN(3)], Trust: record.Trust(1 + r.IntN(5))})
	}
	return b
}
