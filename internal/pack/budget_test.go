package pack

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// TestLeast: each section has an entry, the first by priority while there is
// room, and none is above its share while others need theirs.
func TestLeast(t *testing.T) {
	sections := func(budget int) (list []hmx.Section) {
		b := newBoard(t, Request{Query: "q", Budget: budget})
		for i := range 100 {
			b.add(Candidate{Section: hmx.Sections()[i%10], Relevance: 0.2 + float64(i%7)/10}, fmt.Sprintf("item%04d alpha%04d beta%04d gamma%04d delta%04d", i, i, i, i, i))
		}
		for s := range b.compose().Pack.TokenBudget.SectionBudgets {
			list = append(list, s)
		}
		return list
	}
	last := 0
	for _, budget := range []int{10, 60, 100, 150, 200, 300, 600, 1000} {
		got := sections(budget)
		for _, s := range got {
			if s.Priority() >= len(got) {
				t.Errorf("%d tokens: %v, which are not the first", budget, got)
			}
		}
		if len(got) < last {
			t.Errorf("%d tokens: %d sections, fewer than with less", budget, len(got))
		}
		last = len(got)
	}
	if last != 10 {
		t.Errorf("%d sections of a large budget", last)
	}
}

// TestShortBesideLong: long outputs of tools do not crowd short decisive texts out, though
// they score higher.
func TestShortBesideLong(t *testing.T) {
	for _, budget := range []int{500, 2000} {
		b := newBoard(t, Request{Query: "q", Budget: budget})
		for i := range 40 {
			b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 0.9, Trust: record.Tool, Session: "s"},
				strings.Repeat(fmt.Sprintf("line %d of the log of run %d says nothing. ", i*7, i), 200))
		}
		for i := range 12 {
			b.add(Candidate{Section: hmx.SectionFacts, Relevance: 0.6}, fmt.Sprintf("decision%d: deploy with key%d from vault%d", i, i*3, i*5))
		}
		short := 0
		for _, e := range b.compose().Pack.Entries {
			if e.TokenEstimate > int64(max(SpanFloor, budget/SpanShare))+16 {
				t.Errorf("%d tokens: an entry has %d", budget, e.TokenEstimate)
			}
			if e.Section == hmx.SectionFacts {
				short++
			}
		}
		if short < 6 {
			t.Errorf("%d tokens: %d of the short ones", budget, short)
		}
	}
}

// TestPinnedAreTold: what is pinned is there before what is relevant, to twice the share.
func TestPinnedAreTold(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: 1000})
	for i := range 8 {
		b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, Trust: record.Operator}, fmt.Sprintf("rule%d: never do%d without%d", i, i, i))
	}
	for i := range 200 {
		b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 1, Salience: 1}, fmt.Sprintf("item%04d alpha%04d beta%04d gamma%04d", i, i, i, i))
	}
	rules := 0
	for _, v := range b.compose().Verdicts {
		if v.Candidate.Pinned && v.Reason == "" && v.Pass == 0 {
			rules++
		}
	}
	if rules != 8 {
		t.Errorf("%d of 8 are told", rules)
	}
}

// TestCutToTheRoom: of what does not fit, one is cut to what is left.
func TestCutToTheRoom(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: 130, SectionWeights: map[hmx.Section]float64{hmx.SectionCore: 1}})
	for i := range 6 {
		b.add(Candidate{Relevance: 1 - float64(i)/10}, strings.Repeat(fmt.Sprintf("word%d said%d ", i, i*i), 10))
	}
	res := b.compose()
	cut := 0
	for _, e := range res.Pack.Entries {
		if e.Extra["truncated"] == "true" {
			cut++
		}
	}
	if cut != 1 || !res.Pack.TokenBudget.Truncated || res.Pack.TokenBudget.Remaining > 12 {
		t.Errorf("%d are cut, %+v\n%s", cut, res.Pack.TokenBudget, res.Text)
	}
}

// TestLongFence: a text that needs a long fence pays for it, and does not crowd the
// others out.
func TestLongFence(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: 400})
	b.add(Candidate{Relevance: 1}, strings.Repeat("`", 20_000))
	for i := range 30 {
		b.add(Candidate{Relevance: 0.9}, fmt.Sprintf("item%04d alpha%04d beta%04d", i, i, i))
	}
	if res := b.compose(); len(res.Pack.Entries) < 10 {
		t.Errorf("%d entries\n%.2000s", len(res.Pack.Entries), res.Text)
	}
}

// TestNoNumbers: what is no number counts nothing, what is beyond its limits stays there.
func TestNoNumbers(t *testing.T) {
	b := newBoard(t, Request{Query: "q", MinRelevance: hmx.Some(0.0)})
	for i, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -3, 7, 0.5} {
		b.add(Candidate{Relevance: x, Confidence: x, Salience: x, Time: []int64{math.MinInt64, math.MaxInt64, 0}[i%3]}, fmt.Sprintf("item%d alpha%d", i, i))
	}
	for _, v := range b.compose().Verdicts {
		for _, x := range []float64{v.Score, v.Parts.Relevance, v.Parts.Recency, v.Parts.Provenance, v.Parts.Salience} {
			if !(x >= 0 && x <= 1) {
				t.Errorf("%+v", v)
			}
		}
	}
}

// steep is a counter by which a text has more tokens than its pieces.
type steep struct{ tokens.Counter }

func (s steep) Count(text string) int {
	lines := strings.Count(text, "\n")
	return s.Counter.Count(text) + lines*lines/16
}

// TestTrim: were the sum of the pieces less than the whole, the worst would go.
func TestTrim(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: 800})
	for i := range 80 {
		b.add(Candidate{Relevance: 1 - float64(i)/100}, fmt.Sprintf("item%04d alpha%04d beta%04d", i, i, i))
	}
	plain := len(b.compose().Pack.Entries)
	b.in.Counter = steep{b.in.Counter}
	res := b.compose()
	n := len(res.Pack.Entries)
	if n == 0 || n >= plain {
		t.Errorf("%d entries of %d", n, plain)
	}
	for _, v := range res.Verdicts {
		if (v.Rank <= n) != (v.Reason == "") {
			t.Errorf("rank %d of %d: %q", v.Rank, n, v.Reason)
		}
	}
}
