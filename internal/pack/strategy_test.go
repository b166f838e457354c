package pack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// talk is a board on which strategies differ: sections of many candidates, events of twelve
// sessions of which the query names one, old and new events of equal length.
func talk(t testing.TB, r *rand.Rand, strategy hmx.Strategy, budget int) *board {
	b := newBoard(t, Request{Query: "how is the release made", Strategy: strategy, Budget: budget})
	// Texts have no word in common and equal token counts.
	said := func(i int) string {
		return fmt.Sprintf("item%04d alpha%04d beta%04d gamma%04d delta%04d", i, i, i, i, i)
	}
	for i := range 160 {
		c := Candidate{Section: hmx.SectionEpisodes, Session: "s0", Relevance: 0.5 + 0.5*r.Float64(), Time: now - int64(i%40)*30*day, Salience: r.Float64()}
		switch {
		case i%4 == 0:
			c.Section, c.Session, c.Class = hmx.SectionFacts, "", []string{"fact", "belief", "preference"}[r.IntN(3)]
		case i%4 == 1:
			c.Session, c.Relevance = fmt.Sprintf("s%d", 1+r.IntN(11)), 0.2+0.2*r.Float64()
		case i%16 == 2:
			c.Section, c.Session, c.Relevance = hmx.Sections()[r.IntN(10)], "", 0.4*r.Float64()+0.1
		}
		b.add(c, said(i))
	}
	return b
}

// facets are the measures of the strategies' promises.
type facets struct {
	age    float64 // mean, in days
	groups int     // sessions of sections
	tokens map[hmx.Section]int64
	counts map[hmx.Section]float64 // entries
	ids    string
}

// entropy says how evenly entries are spread over sections, in bits.
func (f facets) entropy() (bits float64) {
	all := 0.0
	for _, n := range f.counts {
		all += n
	}
	for _, n := range f.counts {
		bits -= n / all * math.Log2(n/all)
	}
	return bits
}

func facetsOf(res *Result) facets {
	f := facets{tokens: map[hmx.Section]int64{}, counts: map[hmx.Section]float64{}}
	groups := map[[2]string]bool{}
	n := 0.0
	for _, v := range res.Verdicts {
		if v.Reason == "" {
			groups[groupOf(v.Candidate)] = true
			f.age += float64(now-v.Candidate.Time) / float64(day)
			n++
		}
	}
	f.age /= max(1, n)
	f.groups = len(groups)
	for _, e := range res.Pack.Entries {
		f.tokens[e.Section] += e.TokenEstimate
		f.counts[e.Section]++
		f.ids += e.SourceID + " "
	}
	return f
}

// TestPromises: each strategy keeps its promise on many boards and budgets.
func TestPromises(t *testing.T) {
	testsize.OneGoroutine(t)
	for seed := range uint64(12) {
		for _, budget := range []int{400, 700, 1000} {
			by := map[hmx.Strategy]facets{}
			var deep hmx.Section
			for _, strategy := range hmx.Strategies() {
				b := talk(t, rand.New(rand.NewPCG(seed, 3)), strategy, budget)
				if strategy == hmx.StrategyFingerprintGuided {
					b.in.Request.Priors = `{"sections":{"facts":0.2}}`
				}
				res := b.compose()
				by[strategy] = facetsOf(res)
				if strategy == hmx.StrategyDepthFirst {
					deep = res.Verdicts[0].Candidate.Section
				}
			}
			ranked := by[hmx.StrategyRanked]
			if recent := by[hmx.StrategyRecencyBiased]; !(recent.age < ranked.age) {
				t.Errorf("board %d, %d tokens: entries are %.0f days old, ranked %.0f", seed, budget, recent.age, ranked.age)
			}
			if broad := by[hmx.StrategyBreadthFirst]; broad.groups < ranked.groups {
				t.Errorf("board %d, %d tokens: %d sessions, ranked %d", seed, budget, broad.groups, ranked.groups)
			}
			if broad := by[hmx.StrategyBreadthFirst]; broad.entropy() < ranked.entropy()-1e-9 {
				t.Errorf("board %d, %d tokens: the sections have %.2f bits of entropy, ranked %.2f: %v, %v", seed, budget, broad.entropy(), ranked.entropy(), broad.counts, ranked.counts)
			}
			if down := by[hmx.StrategyDepthFirst]; down.tokens[deep] <= ranked.tokens[deep] {
				t.Errorf("board %d, %d tokens: %d tokens of %s, ranked %d", seed, budget, down.tokens[deep], deep, ranked.tokens[deep])
			}
			if led := by[hmx.StrategyFingerprintGuided]; led.tokens[hmx.SectionFacts] <= ranked.tokens[hmx.SectionFacts] {
				t.Errorf("board %d, %d tokens: %d tokens of facts, ranked %d", seed, budget, led.tokens[hmx.SectionFacts], ranked.tokens[hmx.SectionFacts])
			}
			seen := map[string]hmx.Strategy{}
			for strategy, f := range by {
				if seen[f.ids] != "" {
					t.Errorf("board %d, %d tokens: %s chooses what %s does", seed, budget, strategy, seen[f.ids])
				}
				seen[f.ids] = strategy
			}
		}
	}
}

// TestBreadthReachesAll: with room for one entry of each session, breadth-first has one of
// each, and ranked does not.
func TestBreadthReachesAll(t *testing.T) {
	sessions := func(strategy hmx.Strategy) int {
		b := newBoard(t, Request{Query: "q", Strategy: strategy, Budget: 620})
		for i := range 200 {
			c := Candidate{Section: hmx.SectionEpisodes, Session: "loud", Relevance: 1}
			if i < 12 {
				c.Session, c.Relevance = fmt.Sprintf("quiet %d", i), 0.3
			}
			b.add(c, fmt.Sprintf("item%04d alpha%04d beta%04d gamma%04d delta%04d", i, i, i, i, i))
		}
		return facetsOf(b.compose()).groups
	}
	if broad, ranked := sessions(hmx.StrategyBreadthFirst), sessions(hmx.StrategyRanked); broad != 13 || ranked != 1 {
		t.Errorf("breadth first has %d sessions, ranked %d", broad, ranked)
	}
}

// TestDepthShowsMore: texts of the deep section are longer, those of others are not.
func TestDepthShowsMore(t *testing.T) {
	long := sentenceOf(rand.New(rand.NewPCG(1, 1)), 600)
	tokensOf := func(strategy hmx.Strategy) map[hmx.Section]int64 {
		b := newBoard(t, Request{Query: "q", Strategy: strategy, Budget: 2000})
		b.add(Candidate{Section: hmx.SectionProcedures, Relevance: 1}, "How: "+long)
		b.add(Candidate{Section: hmx.SectionFacts, Relevance: 0.5}, strings.ToUpper(long))
		return facetsOf(b.compose()).tokens
	}
	deep, ranked := tokensOf(hmx.StrategyDepthFirst), tokensOf(hmx.StrategyRanked)
	if deep[hmx.SectionProcedures] < 3*ranked[hmx.SectionProcedures] || deep[hmx.SectionFacts] != ranked[hmx.SectionFacts] {
		t.Errorf("depth first %v, ranked %v", deep, ranked)
	}
}

// TestPriors: the greater of the priors of a source and of its section counts; without priors
// the strategy is ranked and the pack says so.
func TestPriors(t *testing.T) {
	compose := func(strategy hmx.Strategy, priors hmx.Raw) *Result {
		b := newBoard(t, Request{Query: "q", Strategy: strategy, Priors: priors})
		b.add(Candidate{Section: hmx.SectionFacts, Relevance: 0.8}, "The vault holds the key.")
		b.add(Candidate{Section: hmx.SectionFacts, Relevance: 0.7}, "Nobody deploys on fridays.")
		b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 0.6, Trust: record.Agent}, "We spoke about invoices.")
		return b.compose()
	}
	ranked := compose(hmx.StrategyRanked, "")
	plain := compose(hmx.StrategyFingerprintGuided, "")
	if plain.Text != ranked.Text || !strings.Contains(string(plain.Pack.Metadata), `"note":"no fingerprint priors"`) || plain.Pack.FingerprintPriors.Set {
		t.Errorf("%s %v", plain.Pack.Metadata, plain.Pack.FingerprintPriors)
	}
	led := compose(hmx.StrategyFingerprintGuided, `{"sources": {"id-001": 1}, "sections": {"facts": 0.25}}`)
	for i, v := range led.Verdicts {
		prior := map[string]float64{"id-000": 0.25, "id-001": 1, "id-002": 0}[v.Source.ID]
		for _, w := range ranked.Verdicts {
			if w.Source.ID == v.Source.ID && v.Score-w.Score*(0.5+0.5*prior) > 1e-6 {
				t.Errorf("%d: %v of %v with prior %v", i, v.Score, w.Score, prior)
			}
		}
	}
	if led.Verdicts[0].Source.ID != "id-001" || led.Pack.FingerprintPriors.Value != `{"sections":{"facts":0.25},"sources":{"id-001":1}}` {
		t.Errorf("%+v %s", led.Verdicts[0], led.Pack.FingerprintPriors.Value)
	}
}
