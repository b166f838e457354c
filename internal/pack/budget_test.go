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
	"lukasa.dev/internal/tokens"
)

// TestLeast: each section has an entry, in order of priority while there is room, and no
// section exceeds its share while others need theirs.
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

// TestShortBesideLong: long tool outputs do not crowd out short decisive texts, even though
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

// TestPinnedAreTold: pinned candidates come before relevant ones.
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

// ruled is a board with the given number of rules, and with more relevant candidates in the
// sections of others than fit.
func ruled(t *testing.T, strategy hmx.Strategy, budget, rules int, others ...hmx.Section) *board {
	b := newBoard(t, Request{Query: "q", Budget: budget, Strategy: strategy})
	for i := range rules {
		b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, Trust: record.Operator, Time: now - 900*day}, fmt.Sprintf("rule%d: never do%d without%d", i, i, i))
	}
	for i := range 20 * len(others) {
		b.add(Candidate{Section: others[i%len(others)], Relevance: 1, Salience: 1}, fmt.Sprintf("item%04d alpha%04d beta%04d gamma%04d", i, i, i, i))
	}
	return b
}

// TestRulesComeFirst: no rule is dropped while there would be room for it without other
// entries. Where there would not, each other section has one entry.
func TestRulesComeFirst(t *testing.T) {
	testsize.Long(t, "it makes many packs")
	count := func(res *Result) (rules, dropped int, others map[hmx.Section]int) {
		others = map[hmx.Section]int{}
		for _, v := range res.Verdicts {
			switch {
			case v.Candidate.Pinned && v.Reason == "":
				rules++
			case v.Candidate.Pinned:
				dropped++
			case v.Reason == "":
				others[v.Candidate.Section]++
			}
		}
		return rules, dropped, others
	}
	for _, strategy := range hmx.Strategies() {
		for _, budget := range []int{60, 150, 500, 1000, 4096} {
			for _, n := range []int{1, 5, 12, 25, 30, 60, 200, 500} {
				_, without, _ := count(ruled(t, strategy, budget, n, hmx.SectionCore).compose())
				rules, dropped, others := count(ruled(t, strategy, budget, n, hmx.Sections()...).compose())
				if without == 0 && dropped > 0 {
					t.Errorf("%s, %d tokens: %d of %d rules are dropped, which had room", strategy, budget, dropped, n)
				}
				for section, entries := range others {
					if dropped > 0 && entries > 1 {
						t.Errorf("%s, %d tokens: %d of %d rules are dropped beside %d entries of %s", strategy, budget, dropped, n, entries, section)
					}
				}
				if budget >= 500 && dropped > 0 && (len(others) != 9 || rules < 2) {
					t.Errorf("%s, %d tokens: %d of %d rules and %d other sections", strategy, budget, rules, n, len(others))
				}
			}
		}
	}
}

// TestRulesAreCut: the best of the rules that do not fit is cut to the room.
func TestRulesAreCut(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: 170})
	for i := range 5 {
		b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, Trust: record.Operator, Salience: 1 - float64(i)/10}, strings.Repeat(fmt.Sprintf("never%d do%d ", i, i*i), 12))
	}
	b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 1, Salience: 1}, "Nobody deploys.")
	res := b.compose()
	n := len(res.Pack.Entries)
	if last := res.Pack.Entries[max(0, n-2)]; n < 3 || last.Section != hmx.SectionConstraints || last.Extra["truncated"] != "true" || res.Pack.TokenBudget.Remaining > minCut {
		t.Errorf("%s\n%+v", res.Text, res.Pack.TokenBudget)
	}
}

// TestRuleIsNotCutToAWord: a pack has much of a rule or nothing; its first words may mean the
// opposite.
func TestRuleIsNotCutToAWord(t *testing.T) {
	for budget := 1; budget < 60; budget++ {
		b := newBoard(t, Request{Query: "q", Budget: budget})
		b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, Trust: record.User, Salience: 1}, "Never deploy the payment service without the approval of two people, one of them Dana.")
		res := b.compose()
		for _, e := range res.Pack.Entries {
			if e.Extra["truncated"] == "true" && e.TokenEstimate < minCut/2 {
				t.Errorf("%d tokens: %q", budget, res.Text)
			}
		}
	}
}

// TestRuleWithoutText: a rule without text does not affect the others.
func TestRuleWithoutText(t *testing.T) {
	b := ruled(t, hmx.StrategyRanked, 500, 2, hmx.SectionEpisodes)
	b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, Trust: record.Operator}, strings.Repeat(" ", 2*(64<<10))+"x")
	if n := len(b.compose().Pack.Entries); n < 10 {
		t.Errorf("%d entries", n)
	}
}

// TestLongRules: a rule is whole if there is room, and else cut at its end, whatever the query;
// a part from its middle may mean the opposite.
func TestLongRules(t *testing.T) {
	text := "(hard) It is forbidden to do any of this. " + strings.Repeat("Paint the house. ", 40) + "Deploy on Fridays. " + strings.Repeat("Paint the gate. ", 40)
	for _, budget := range []int{60, 100, 300, 1000, 4096} {
		b := newBoard(t, Request{Query: "may I deploy on Fridays", Budget: budget})
		b.in.Class.Keywords = []string{"deploy", "fridays"}
		b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, Trust: record.User}, text)
		b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 1}, strings.Repeat("We spoke about it. ", 40)+"Deploy on Fridays, Ann said. "+strings.Repeat("Nobody knew. ", 200))
		for _, e := range b.compose().Pack.Entries {
			switch {
			case e.Section == hmx.SectionEpisodes:
				if budget >= 300 && !strings.Contains(e.Content, "Ann said") {
					t.Errorf("%d tokens: %q", budget, e.Content)
				}
			case budget == 4096 && e.Content != text, !strings.HasPrefix(e.Content, "(hard) It is forbidden to do any of this. "):
				t.Errorf("%d tokens: %q", budget, e.Content)
			}
		}
	}
}

// TestManyLongRules: long rules leave room for each other.
func TestManyLongRules(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: 4000})
	for i := range 15 {
		b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, Trust: record.User}, fmt.Sprintf("(hard) Never do number %d. ", i)+strings.Repeat(fmt.Sprintf("Reason %d is a good one. ", i), 80))
	}
	if n := len(b.compose().Pack.Entries); n != 15 {
		t.Errorf("%d of 15 rules are told", n)
	}
}

// TestRulesAreNoShare: other candidates in the section of rules have their share of the budget,
// however much the rules use.
func TestRulesAreNoShare(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: 400})
	b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, Trust: record.User, Relevance: 0.3}, strings.Repeat("Never paint the house. ", 25))
	wish := b.add(Candidate{Section: hmx.SectionConstraints, Trust: record.User, Relevance: 1}, "No deploys on a Friday after two.")
	for i := range 40 {
		b.add(Candidate{Section: hmx.Sections()[3+i%6], Relevance: 0.4}, fmt.Sprintf("item%04d alpha%04d beta%04d gamma%04d", i, i, i, i))
	}
	for _, v := range b.compose().Verdicts {
		if v.Candidate.Index == wish && v.Reason != "" {
			t.Errorf("the best of all is left out: %s", v.Reason)
		}
	}
}

// TestRulesAreOfPolicies: an operator's instruction to the agent is in every pack, though it is
// no constraint. The identity of the agent has only its share.
func TestRulesAreOfPolicies(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: 600})
	for i := range 60 {
		x := b.add(Candidate{Section: hmx.SectionCore, Pinned: true, Trust: record.Operator, Time: now - 900*day}, fmt.Sprintf("do%d when%d before%d", i, i, i))
		if i%2 == 1 {
			b.in.Candidates[x].Kind = record.Memory
		}
	}
	for i := range 200 {
		b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 1, Salience: 1}, fmt.Sprintf("item%04d alpha%04d beta%04d gamma%04d", i, i, i, i))
	}
	told := map[record.Kind]int{}
	for _, v := range b.compose().Verdicts {
		if v.Reason == "" && v.Candidate.Section == hmx.SectionCore {
			told[v.Candidate.Kind]++
		}
	}
	if told[record.Policy] != 30 || told[record.Memory] == 30 {
		t.Errorf("%v are told", told)
	}
}

// TestRulesStay: a rule is not displaced by an event that says the same and is nearer to the
// query, by a rule that differs in a word, or by a conflict that no user or operator decided.
func TestRulesStay(t *testing.T) {
	const text = "Never deploy the payment service to production on a Friday afternoon or evening."
	b := newBoard(t, Request{Query: "q"})
	said := b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 1, Salience: 1}, text)
	rule := b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, SameAs: said + 1}, text)
	other := b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true, SameAs: rule + 1}, strings.Replace(text, "production", "staging", 1))
	again := b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true}, strings.ToUpper(text))
	doubt := b.add(Candidate{Relevance: 1, Trust: record.Operator, Confidence: 1}, "Deploys are fine on any day of the week.")
	for _, trust := range []record.Trust{record.Agent, record.User, record.Operator} {
		b.in.Conflicts = []Conflict{{ID: "c", Between: []int{rule, doubt}, Trust: trust}}
		b.expect(said, hmx.DropDuplicate, rule, rule, "", -1, other, "", -1, again, hmx.DropDuplicate, rule, doubt, "", -1)
	}
	b.in.Conflicts[0].Winner, b.in.Conflicts[0].Trust = doubt+1, record.Agent
	b.expect(said, hmx.DropDuplicate, rule, rule, "", -1, other, "", -1, again, hmx.DropDuplicate, rule, doubt, "", -1)
	b.in.Conflicts[0].Trust = record.User
	b.expect(rule, hmx.DropConflict, doubt, other, "", -1)
}

// TestPiecesAddUp: the stated use of the sections plus their frame is the count of the text.
func TestPiecesAddUp(t *testing.T) {
	testsize.OneGoroutine(t)
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 11))
		b := randomBoard(t, r)
		res := b.compose()
		sum, fenced := int64(0), false
		for _, s := range res.Pack.TokenBudget.SectionBudgets {
			sum += s.Used
		}
		for i := range res.Pack.Entries {
			it := itemOf(&res.Pack.Entries[i])
			fenced = fenced || it.Fenced()
		}
		hints := hintsOf(res.Pack)
		sum += int64(b.in.Counter.Count(hints))
		if fenced || hints != "" {
			sum += int64(b.in.Counter.Count(noteWithin(b.in.Request.Budget)))
		}
		exact := b.in.Counter.Name() != tokens.Estimate().Name() // which rounds up each time
		if used := res.Pack.TokenBudget.Used; sum < used || exact && sum != used {
			t.Fatalf("board %d, %s: the parts make %d, the text %d\n%s", seed, b.in.Counter.Name(), sum, used, res.Text)
		}
	}
}

// TestCutToTheRoom: one of the candidates that do not fit is cut to the remaining room.
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

// TestLongFence: a text that needs a long fence pays for it and does not crowd the others out.
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

// TestNoNumbers: NaN counts as 0, and values outside their limits are clamped.
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

// steep is a counter that gives a whole text more tokens than its pieces.
type steep struct{ tokens.Counter }

func (s steep) Count(text string) int {
	lines := strings.Count(text, "\n")
	return s.Counter.Count(text) + lines*lines/16
}

// TestTrim: if the whole had more tokens than the sum of its pieces, the worst entries would be
// removed.
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

// laborious counts the bytes that it is asked to count.
type laborious struct {
	tokens.Counter
	bytes int
}

func (l *laborious) Count(text string) int {
	l.bytes += len(text)
	return l.Counter.Count(text)
}

// TestManyLongWords: many texts of one word cost little more than what is kept of them, for any
// budget.
func TestManyLongWords(t *testing.T) {
	testsize.Long(t, "it cuts long texts")
	rng := rand.New(rand.NewPCG(6, 6))
	for name, letters := range map[string]string{"words": "etaoinshrdlu", "x": "x", "blanks": " ", "Chinese": "世界大学"} {
		b := newBoard(t, Request{Query: "q", Budget: MaxBudget})
		runes := []rune(letters)
		for i := range 100 {
			text := make([]rune, 60_000/len(string(runes[:1])))
			for j := range text {
				text[j] = runes[rng.IntN(len(runes))]
			}
			b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 1 - float64(i)/400}, fmt.Sprint("item", i, " ", string(text), " end"))
		}
		l := &laborious{Counter: b.in.Counter}
		b.in.Counter = l
		in := b.input()
		if _, err := Compose(in); err != nil {
			t.Fatal(err)
		}
		if l.bytes > 100*60_000 {
			t.Errorf("%s: %d bytes were counted", name, l.bytes)
		}
	}
}
