package bundle_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

var day = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// thing returns a candidate: a memory with an id, a salience and an age in days.
func thing(id string, salience float64, age int) bundle.Candidate {
	return bundle.Candidate{Kind: record.Memory, ID: id, Salience: salience, Created: day.AddDate(0, 0, -age).UnixNano()}
}

// of changes the kind of a candidate.
func of(kind record.Kind, c bundle.Candidate) bundle.Candidate {
	c.Kind = kind
	return c
}

// ranked gives a candidate a rank among the pinned.
func ranked(rank int, c bundle.Candidate) bundle.Candidate {
	c.PinRank = rank
	return c
}

type list = []bundle.Candidate

// tens renders every candidate as its id with ten tokens.
func tens(c *bundle.Candidate, _ bundle.Tier, e *bundle.Entry) error {
	e.Text, e.Tokens = "text of "+c.ID, 10
	return nil
}

// counting renders candidates with the counts listed for their ids.
func counting(tokens map[string]int) bundle.Render {
	return func(c *bundle.Candidate, _ bundle.Tier, e *bundle.Entry) error {
		e.Text, e.Tokens = "text of "+c.ID, tokens[c.ID]
		return nil
	}
}

func compose(t *testing.T, pinned, outcomes, frames list, o bundle.Options, render bundle.Render) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Compose("acme", slices.Clone(pinned), slices.Clone(outcomes), slices.Clone(frames), o, render)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ids(entries []*bundle.Entry) string {
	var names []string
	for _, e := range entries {
		names = append(names, e.ID)
	}
	return strings.Join(names, " ")
}

func reachable(b *bundle.Bundle) string {
	var names []string
	for _, u := range b.ReachableURIs {
		names = append(names, u.ID)
	}
	return strings.Join(names, " ")
}

// expect compares the tiers with lists of ids.
func expect(t *testing.T, b *bundle.Bundle, pinned, frames, outcomes string) {
	t.Helper()
	if p, f, o := ids(b.Pinned), ids(b.FrameRelevant), ids(b.Outcomes); p != pinned || f != frames || o != outcomes {
		t.Errorf("pinned %q, frame-relevant %q, outcomes %q; want %q, %q, %q", p, f, o, pinned, frames, outcomes)
	}
}

// TestDedupPriority: pinned before outcomes before frame-relevant.
func TestDedupPriority(t *testing.T) {
	everywhere := func() bundle.Candidate { return thing("everywhere", 0.2, 1) }
	twice := func() bundle.Candidate { return thing("twice", 0.2, 1) }
	b := compose(t, list{everywhere()}, list{everywhere(), twice()}, list{everywhere(), twice(), thing("once", 0.1, 1)}, bundle.Options{}, tens)
	expect(t, b, "everywhere", "once", "twice")
	if b.TotalTokens != 30 || len(b.Rendered) != 3 {
		t.Errorf("%d tokens, %d texts", b.TotalTokens, len(b.Rendered))
	}
}

// TestDedupIsByKindAndID: records of different kinds may share an id.
func TestDedupIsByKindAndID(t *testing.T) {
	b := compose(t, nil, list{of(record.Event, thing("x", 0.5, 1))}, list{thing("x", 0.4, 1), thing("x", 0.4, 1)}, bundle.Options{}, tens)
	expect(t, b, "", "x", "x")
}

// TestPinnedFloor: pinned candidates score at least 0.7.
func TestPinnedFloor(t *testing.T) {
	b := compose(t, list{thing("low", 0.01, 1), thing("high", 0.9, 1)}, nil, list{thing("frame", 0.01, 1)}, bundle.Options{}, tens)
	expect(t, b, "high low", "frame", "")
	for id, want := range map[string]float32{"low": salience.PinnedFloor, "high": 0.9, "frame": 0.01} {
		if b.Scores[id] != want {
			t.Errorf("%s scores %v, want %v", id, b.Scores[id], want)
		}
	}
}

// TestPinnedSurviveBudget: the floor takes the place of quotas.
func TestPinnedSurviveBudget(t *testing.T) {
	b := compose(t, list{thing("who", 0.01, 900)}, nil, list{thing("a", 0.69, 0), thing("b", 0.71, 0)}, bundle.Options{BudgetTokens: 20}, tens)
	expect(t, b, "who", "b", "")
	if reachable(b) != "a" {
		t.Errorf("reachable: %q", reachable(b))
	}
}

// TestTrimOrder: the lowest score goes first, whatever its tier and size.
func TestTrimOrder(t *testing.T) {
	pinned := list{thing("rule", 0.1, 1)}                                                   // 0.7
	outcomes := list{thing("out1", 0.9, 1), thing("out2", 0.2, 1)}                          //
	frames := list{thing("f1", 0.8, 1), thing("f2", 0.3, 1), thing("f3", 0.1, 1)}           //
	sizes := map[string]int{"rule": 40, "out1": 10, "out2": 1, "f1": 30, "f2": 20, "f3": 1} // by score: out1 f1 rule f2 out2 f3
	for _, c := range []struct {
		budget                   int
		pinned, frames, outcomes string
		reachable                string
		total                    int
	}{
		{102, "rule", "f1 f2 f3", "out1 out2", "", 102},
		{101, "rule", "f1 f2", "out1 out2", "f3", 101},
		{100, "rule", "f1 f2", "out1", "out2 f3", 100},
		{99, "rule", "f1", "out1", "f2 out2 f3", 80}, // out2 and f3 would fit, but rank below f2, which does not
		{80, "rule", "f1", "out1", "f2 out2 f3", 80},
		{79, "", "f1", "out1", "rule f2 out2 f3", 40},
		{11, "", "", "out1", "f1 rule f2 out2 f3", 10},
		{1, "", "", "out1", "f1 rule f2 out2 f3", 10},
	} {
		b := compose(t, pinned, outcomes, frames, bundle.Options{BudgetTokens: c.budget}, counting(sizes))
		expect(t, b, c.pinned, c.frames, c.outcomes)
		if reachable(b) != c.reachable || b.TotalTokens != c.total || b.Trimmed != 6-len(b.Rendered) || b.Budget != c.budget {
			t.Errorf("budget %d: reachable %q, %d tokens, %d trimmed, budget %d", c.budget, reachable(b), b.TotalTokens, b.Trimmed, b.Budget)
		}
	}
}

// TestAtLeastOneKept: the first is kept, even over the budget, and nothing after it.
func TestAtLeastOneKept(t *testing.T) {
	b := compose(t, list{thing("huge", 0.9, 1), thing("small", 0.8, 1)}, nil, nil, bundle.Options{BudgetTokens: 5},
		counting(map[string]int{"huge": 10_000, "small": 1}))
	expect(t, b, "huge", "", "")
	if b.TotalTokens != 10_000 || b.Trimmed != 1 || reachable(b) != "small" {
		t.Errorf("%d tokens, %d trimmed, reachable %q", b.TotalTokens, b.Trimmed, reachable(b))
	}
}

// TestNothing: no candidates make an empty bundle, not an error.
func TestNothing(t *testing.T) {
	b := compose(t, nil, nil, nil, bundle.Options{}, tens)
	if b.Rendered == nil || b.Tokens == nil || b.Scores == nil || b.TotalTokens != 0 || b.Trimmed != 0 || b.Form != memory.FormMedium {
		t.Errorf("%+v", b)
	}
}

// TestTiesAtTheFloor: identity, then constraint, then goal, then newer first.
func TestTiesAtTheFloor(t *testing.T) {
	pinned := list{
		ranked(bundle.RankGoal, thing("goal", 0, 0)), ranked(bundle.RankConstraint, thing("old rule", 0, 9)),
		ranked(bundle.RankIdentity, thing("who", 0, 90)), ranked(bundle.RankConstraint, thing("new rule", 0, 1)),
		ranked(bundle.RankConstraint, of(record.Policy, thing("a policy", 0, 1))),
	}
	b := compose(t, pinned, nil, list{thing("frame", 0.7, 0)}, bundle.Options{BudgetTokens: 50}, tens)
	expect(t, b, "who new rule a policy old rule goal", "", "")
	if reachable(b) != "frame" {
		t.Errorf("at a tie, %q gave way", reachable(b))
	}
}

// TestOutcomesByTimeThenSalience: newest first, then by score, then by id.
func TestOutcomesByTimeThenSalience(t *testing.T) {
	outcomes := list{
		thing("old", 0.9, 9), thing("b", 0.5, 2), thing("new", 0.1, 1), thing("better", 0.6, 2), thing("a", 0.5, 2),
	}
	b := compose(t, nil, outcomes, nil, bundle.Options{OutcomeLimit: 64}, tens)
	expect(t, b, "", "", "new better a b old")
}

// TestOutcomeLimit: the newest are taken, not counting those that are pinned, and what is cut
// off stays in its other tier.
func TestOutcomeLimit(t *testing.T) {
	outcomes := func() list {
		return list{thing("o5", 0.5, 5), thing("o1", 0.1, 1), thing("o4", 0.5, 4), thing("o2", 0.1, 2), thing("o3", 0.5, 3)}
	}
	expect(t, compose(t, nil, outcomes(), nil, bundle.Options{}, tens), "", "", "o1 o2 o3")
	expect(t, compose(t, nil, outcomes(), nil, bundle.Options{OutcomeLimit: 1}, tens), "", "", "o1")
	expect(t, compose(t, list{thing("o2", 0.1, 2)}, outcomes(), nil, bundle.Options{}, tens), "o2", "", "o1 o3 o4")
	b := compose(t, nil, outcomes(), list{thing("o4", 0.5, 4), thing("o1", 0.1, 1)}, bundle.Options{OutcomeLimit: 2}, tens)
	expect(t, b, "", "o4", "o1 o2")
	if b.Trimmed != 0 || len(b.ReachableURIs) != 0 {
		t.Errorf("what the limit cuts off was counted as dropped by the budget: %d, %q", b.Trimmed, reachable(b))
	}
	// An outcome found by two objects counts once.
	twice := append(outcomes(), outcomes()...)
	expect(t, compose(t, nil, twice, nil, bundle.Options{}, tens), "", "", "o1 o2 o3")
}

// TestFrameRelevantBySalience: by score, then newest first, then by id.
func TestFrameRelevantBySalience(t *testing.T) {
	frames := list{thing("c", 0.2, 1), thing("old", 0.5, 9), thing("b", 0.2, 1), thing("new", 0.5, 1), thing("top", 0.6, 99)}
	expect(t, compose(t, nil, nil, frames, bundle.Options{}, tens), "", "top new old b c", "")
}

// TestReachableCap: at most 64, and they are the best of all dropped candidates.
func TestReachableCap(t *testing.T) {
	var frames list
	for i := range 200 {
		frames = append(frames, thing(fmt.Sprintf("f%03d", i), float64(i)/200, 1))
	}
	b := compose(t, nil, nil, frames, bundle.Options{BudgetTokens: 50}, tens)
	expect(t, b, "", "f199 f198 f197 f196 f195", "")
	if b.Trimmed != 195 || len(b.ReachableURIs) != bundle.MaxReachableURIs || b.ReachableURIs[0].ID != "f194" || b.ReachableURIs[63].ID != "f131" {
		t.Errorf("%d trimmed, %d reachable: %q", b.Trimmed, len(b.ReachableURIs), reachable(b))
	}
	if len(b.Scores) != 5+64 || b.Scores["f131"] != float32(131)/200 {
		t.Errorf("%d scores", len(b.Scores))
	}
	if u := b.ReachableURIs[0].String(); u != "lukasa://acme/memory/f194" {
		t.Errorf("a reachable URI is %s", u)
	}
}

// TestIncludeTiers: a tier that is not requested is absent, and takes nothing from the others.
func TestIncludeTiers(t *testing.T) {
	run := func(tiers ...bundle.Tier) *bundle.Bundle {
		return compose(t, list{thing("p", 0.1, 1)}, list{thing("p", 0.1, 1), thing("o", 0.1, 1)}, list{thing("p", 0.1, 1), thing("o", 0.1, 1), thing("f", 0.1, 1)},
			bundle.Options{IncludeTiers: tiers}, tens)
	}
	expect(t, run(), "p", "f", "o")
	expect(t, run(bundle.Tiers()...), "p", "f", "o")
	expect(t, run(bundle.TierPinned), "p", "", "")
	expect(t, run(bundle.TierOutcomes, bundle.TierOutcomes), "", "", "o p")
	expect(t, run(bundle.TierFrameRelevant), "", "f o p", "")
	expect(t, run(bundle.TierFrameRelevant, bundle.TierPinned), "p", "f o", "")
	if score := run(bundle.TierFrameRelevant).Scores["p"]; score != 0.1 {
		t.Errorf("the floor was given outside the pinned tier: %v", score)
	}
}

// TestBudgetClamps: 0 is the default, a high budget is lowered, and a negative one is refused.
func TestBudgetClamps(t *testing.T) {
	for _, c := range []struct{ give, want int }{
		{0, 3000}, {1, 1}, {3999, 3999}, {4000, 4000}, {4001, 4000}, {1_000_000_000, 4000}, {math.MaxInt, 4000},
	} {
		o, err := bundle.Options{BudgetTokens: c.give}.Normalize()
		if err != nil || o.BudgetTokens != c.want {
			t.Errorf("%d: %d, %v", c.give, o.BudgetTokens, err)
		}
	}
	for _, c := range []struct{ budget, cap, want int }{
		{0, 0, 3000}, {0, 100, 100}, {0, 1_000_000_000, 3000}, {1_000_000_000, 1_000_000_000, 4000}, {50, 100, 50}, {4000, 3500, 3500},
	} {
		o, err := bundle.Options{BudgetTokens: c.budget}.Normalize()
		if o = o.Capped(c.cap); err != nil || o.BudgetTokens != c.want {
			t.Errorf("%d under a cap of %d: %d, %v", c.budget, c.cap, o.BudgetTokens, err)
		}
	}
}

// TestOptionsRefused: typed errors that name the field, the value and what is allowed.
func TestOptionsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		o    bundle.Options
		says []string
	}{
		"budget":       {bundle.Options{BudgetTokens: -1}, []string{"budget_tokens", "-1", "4000"}},
		"least budget": {bundle.Options{BudgetTokens: math.MinInt}, []string{"budget_tokens"}},
		"limit":        {bundle.Options{OutcomeLimit: -3}, []string{"outcome_limit", "-3", "64"}},
		"tier":         {bundle.Options{IncludeTiers: []bundle.Tier{"pinned", "frames"}}, []string{"include_tiers[1]", `"frames"`, "pinned, frame_relevant or outcomes"}},
		"hostile tier": {bundle.Options{IncludeTiers: []bundle.Tier{bundle.Tier(strings.Repeat("\x1b\u202e", 1<<20))}}, []string{"include_tiers[0]", "(4194304 bytes)"}},
		"form":         {bundle.Options{Form: "long"}, []string{"form", `"long"`, "short, medium, full"}},
	} {
		_, err := bundle.Compose("acme", nil, nil, nil, c.o, tens)
		if fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := err.Error() + " / " + fault.From(err).Advice()
		for _, word := range c.says {
			if !strings.Contains(text, word) {
				t.Errorf("%s: %q does not say %q", name, text, word)
			}
		}
		if strings.ContainsAny(text, "\x1b\u202e") || len(text) > 400 {
			t.Errorf("%s: the error repeats what it was given: %d bytes", name, len(text))
		}
	}
	o, err := bundle.Options{OutcomeLimit: 1_000_000}.Normalize()
	if err != nil || o.OutcomeLimit != bundle.MaxOutcomeLimit {
		t.Errorf("a limit of a million: %d, %v", o.OutcomeLimit, err)
	}
	if tier, err := bundle.ParseTier("outcomes"); err != nil || tier != bundle.TierOutcomes {
		t.Errorf("%v, %v", tier, err)
	}
	if _, err := bundle.ParseTier("core"); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("%v", err)
	}
}

// TestNormalizeTwice: Normalize is idempotent.
func TestNormalizeTwice(t *testing.T) {
	for _, o := range []bundle.Options{{}, {BudgetTokens: 9999, OutcomeLimit: 99}, {BudgetTokens: 7, Form: memory.FormFull}} {
		once, err1 := o.Normalize()
		again, err2 := once.Normalize()
		if err1 != nil || err2 != nil || !reflect.DeepEqual(once, again) {
			t.Errorf("%+v became %+v", once, again)
		}
	}
}

// TestRenderedLazily: only kept candidates are rendered, except one whose size was not known
// before.
func TestRenderedLazily(t *testing.T) {
	run := func(known int) (rendered []string) {
		var frames list
		for i := range 10 {
			c := thing(fmt.Sprint(i), 1-float64(i)/10, 1)
			c.Known = known
			frames = append(frames, c)
		}
		b := compose(t, nil, nil, frames, bundle.Options{BudgetTokens: 25}, func(c *bundle.Candidate, in bundle.Tier, e *bundle.Entry) error {
			rendered = append(rendered, c.ID)
			return tens(c, in, e)
		})
		expect(t, b, "", "0 1", "")
		if b.Tokens["2"] != 10 || b.Trimmed != 8 {
			t.Errorf("known %d: counts %v", known, b.Tokens)
		}
		if _, there := b.Tokens["3"]; there != (known > 0) {
			t.Errorf("known %d: counts %v", known, b.Tokens)
		}
		return rendered
	}
	if got := run(0); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("rendered %v", got)
	}
	if got := run(10); !slices.Equal(got, []string{"0", "1"}) {
		t.Errorf("rendered %v", got)
	}
}

// TestGone: a record that is removed meanwhile is left out, and another error ends Compose.
func TestGone(t *testing.T) {
	render := func(c *bundle.Candidate, in bundle.Tier, e *bundle.Entry) error {
		if c.ID == "gone" {
			e.Key = "of what is gone"
			return fmt.Errorf("erased since: %w", bundle.ErrGone)
		}
		return tens(c, in, e)
	}
	b := compose(t, list{thing("gone", 0.9, 1), thing("here", 0.8, 1)}, nil, nil, bundle.Options{BudgetTokens: 5}, render)
	expect(t, b, "here", "", "")
	if b.Trimmed != 0 || len(b.Scores) != 1 || b.Pinned[0].Key != "" {
		t.Errorf("%+v", b)
	}
	broken := errors.New("the disk")
	if _, err := bundle.Compose("acme", list{thing("a", 1, 1)}, nil, nil, bundle.Options{}, func(*bundle.Candidate, bundle.Tier, *bundle.Entry) error {
		return broken
	}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestNames: maps are keyed by id; if two kept records share an id, those that are not memories
// are keyed by URI. No id can be chosen to take another's place.
func TestNames(t *testing.T) {
	e := func() bundle.Candidate { return of(record.Event, thing("x", 0.5, 1)) }
	p := func() bundle.Candidate { return of(record.Policy, thing("x", 0.5, 1)) }
	forged := thing("lukasa://acme/event/x", 0.4, 1)
	b := compose(t, list{p()}, list{e()}, list{thing("x", 0.3, 1), forged, thing("y", 0.2, 1)}, bundle.Options{}, tens)
	for entry, want := range map[*bundle.Entry]string{
		b.Pinned[0]: "lukasa://acme/policy/x", b.Outcomes[0]: "lukasa://acme/event/x",
		b.FrameRelevant[0]: "lukasa://acme/memory/lukasa://acme/event/x", b.FrameRelevant[1]: "x", b.FrameRelevant[2]: "y",
	} {
		if entry.Name != want || b.Rendered[want] != entry.Text || b.Tokens[want] != entry.Tokens || b.Scores[want] != entry.Score {
			t.Errorf("%s is called %q, want %q", entry.URI, entry.Name, want)
		}
	}
	if len(b.Rendered) != 5 {
		t.Errorf("%d texts: %v", len(b.Rendered), b.Rendered)
	}
	// Also if the other one was dropped.
	b = compose(t, nil, nil, list{thing("x", 0.3, 1), e()}, bundle.Options{BudgetTokens: 10}, tens)
	if b.FrameRelevant[0].Name != "lukasa://acme/event/x" || b.Scores["x"] != 0.3 {
		t.Errorf("%q, %v", b.FrameRelevant[0].Name, b.Scores)
	}
	b = compose(t, nil, list{e()}, nil, bundle.Options{}, tens)
	if b.Outcomes[0].Name != "x" {
		t.Errorf("an event alone is called %q", b.Outcomes[0].Name)
	}
}

// TestSalienceOutOfBounds: NaN and values outside of 0 to 1 do no harm.
func TestSalienceOutOfBounds(t *testing.T) {
	b := compose(t, nil, nil, list{thing("nan", math.NaN(), 1), thing("low", -5, 2), thing("inf", math.Inf(1), 1), thing("half", 0.5, 1)}, bundle.Options{}, tens)
	expect(t, b, "", "inf half nan low", "")
	if b.Scores["inf"] != 1 || b.Scores["nan"] != 0 || b.Scores["low"] != 0 {
		t.Errorf("%v", b.Scores)
	}
}
