package bundle_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"testing"

	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
	"lukasa.dev/internal/testsize"
)

// item is a candidate in the naive composer.
type item struct {
	c      bundle.Candidate
	tier   bundle.Tier
	score  float64
	tokens int
}

// naive composes by the document, step by step and without regard to speed: it scores and
// counts everything, and then drops the lowest, one after the other, until the rest fits.
func naive(pinned, outcomes, frames list, o bundle.Options, size func(bundle.Candidate) int) *bundle.Bundle {
	budget, limit := o.BudgetTokens, o.OutcomeLimit
	if budget == 0 {
		budget = 3000
	}
	if budget > 4000 {
		budget = 4000
	}
	if limit == 0 {
		limit = 3
	}
	wanted := func(t bundle.Tier) bool { return o.IncludeTiers == nil || slices.Contains(o.IncludeTiers, t) }
	var items []item
	has := func(c bundle.Candidate) bool {
		return slices.ContainsFunc(items, func(i item) bool { return i.c.ID == c.ID && i.c.Kind == c.Kind })
	}
	if wanted("pinned") {
		for _, c := range pinned {
			if !has(c) {
				items = append(items, item{c, "pinned", max(c.Salience, salience.PinnedFloor), size(c)})
			}
		}
	}
	if wanted("outcomes") {
		sorted := slices.Clone(outcomes)
		sort.SliceStable(sorted, func(i, j int) bool { return older(sorted[j], sorted[i]) })
		for _, c := range sorted {
			if limit > 0 && !has(c) {
				items = append(items, item{c, "outcomes", c.Salience, size(c)})
				limit--
			}
		}
	}
	if wanted("frame_relevant") {
		for _, c := range frames {
			if !has(c) {
				items = append(items, item{c, "frame_relevant", c.Salience, size(c)})
			}
		}
	}
	// The lowest first.
	sort.Slice(items, func(i, j int) bool { return lower(items[i], items[j]) })
	var dropped []item
	for len(items) > 1 && total(items) > budget {
		dropped = append(dropped, items[0])
		items = items[1:]
	}
	b := &bundle.Bundle{
		Rendered: map[string]string{}, Scores: map[string]float32{}, TotalTokens: total(items), Trimmed: len(dropped), Form: o.Form, Budget: budget,
	}
	slices.Reverse(items)
	slices.Reverse(dropped)
	dropped = dropped[:min(len(dropped), 64)]
	told := append(slices.Clone(items), dropped...)
	name := func(c bundle.Candidate) string {
		for _, other := range told {
			if other.c.ID == c.ID && other.c.Kind != c.Kind && c.Kind != record.Memory {
				return uriOf(c).String()
			}
		}
		return c.ID
	}
	for _, i := range items {
		b.Rendered[name(i.c)] = "text of " + i.c.ID
		b.Scores[name(i.c)] = float32(i.score)
		e := &bundle.Entry{URI: uriOf(i.c)}
		switch i.tier {
		case "pinned":
			b.Pinned = append(b.Pinned, e)
		case "frame_relevant":
			b.FrameRelevant = append(b.FrameRelevant, e)
		}
	}
	sort.Slice(items, func(i, j int) bool { return older(items[j].c, items[i].c) })
	for _, i := range items {
		if i.tier == "outcomes" {
			b.Outcomes = append(b.Outcomes, &bundle.Entry{URI: uriOf(i.c)})
		}
	}
	for _, i := range dropped {
		b.ReachableURIs = append(b.ReachableURIs, uriOf(i.c))
		b.Scores[name(i.c)] = float32(i.score)
	}
	return b
}

func uriOf(c bundle.Candidate) memory.URI { return memory.URI{Tenant: "acme", Kind: c.Kind, ID: c.ID} }

func total(items []item) (sum int) {
	for _, i := range items {
		sum += i.tokens
	}
	return sum
}

// older reports whether a comes after b among outcomes.
func older(a, b bundle.Candidate) bool {
	switch {
	case a.Created != b.Created:
		return a.Created < b.Created
	case a.Salience != b.Salience:
		return a.Salience < b.Salience
	case a.Kind != b.Kind:
		return a.Kind > b.Kind
	}
	return a.ID > b.ID
}

// lower reports whether a is dropped before b.
func lower(a, b item) bool {
	pin := func(i item) int {
		if i.tier == "pinned" {
			return i.c.PinRank
		}
		return 99
	}
	switch {
	case a.score != b.score:
		return a.score < b.score
	case pin(a) != pin(b):
		return pin(a) > pin(b)
	case a.c.Created != b.c.Created:
		return a.c.Created < b.c.Created
	case a.c.Kind != b.c.Kind:
		return a.c.Kind > b.c.Kind
	}
	return a.c.ID > b.c.ID
}

// draw makes candidates of a few ids, scores and ages, so that they often collide.
func draw(rng *rand.Rand, world list, most int) list {
	drawn := make(list, rng.IntN(most+1))
	for i := range drawn {
		drawn[i] = world[rng.IntN(len(world))]
	}
	return drawn
}

// TestNaive composes random candidates and compares with the naive composer.
func TestNaive(t *testing.T) {
	runs := testsize.Of(t, "bundles", 200, 2000, 10_000)
	for seed := range runs {
		rng := rand.New(rand.NewPCG(uint64(seed), 17))
		var world list
		for i := range 1 + rng.IntN(120) {
			c := thing(fmt.Sprintf("m%d", i/2), float64(rng.IntN(12))/11, rng.IntN(6))
			c.Kind = []record.Kind{record.Memory, record.Event, record.Policy}[i%2+rng.IntN(2)*(i%2)]
			c.PinRank, c.Index = rng.IntN(3), rng.IntN(80)
			if rng.IntN(2) == 0 {
				c.Known = c.Index
			}
			world = append(world, c)
		}
		size := func(c bundle.Candidate) int { return c.Index }
		pinned, outcomes, frames := draw(rng, world, 30), draw(rng, world, 20), draw(rng, world, 150)
		o := bundle.Options{BudgetTokens: []int{0, 1, 79, 300, 1000, 9999}[rng.IntN(6)], OutcomeLimit: rng.IntN(8), Form: memory.FormMedium}
		if rng.IntN(4) == 0 {
			o.IncludeTiers = bundle.Tiers()[rng.IntN(3):]
		}
		want := naive(pinned, outcomes, frames, o, size)
		got, err := bundle.Compose("acme", pinned, outcomes, frames, o, func(c *bundle.Candidate, _ bundle.Tier, e *bundle.Entry) error {
			e.Text, e.Tokens = "text of "+c.ID, size(*c)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(uris(want), uris(got)) || !reflect.DeepEqual(want.Rendered, got.Rendered) || !reflect.DeepEqual(want.Scores, got.Scores) ||
			!reflect.DeepEqual(want.ReachableURIs, got.ReachableURIs) || want.TotalTokens != got.TotalTokens || want.Trimmed != got.Trimmed ||
			want.Budget != got.Budget || want.Form != got.Form {
			t.Fatalf("seed %d, %+v:\nnaive    %+v\ncomposed %+v", seed, o, want, got)
		}
		for name := range got.Rendered {
			if _, counted := got.Tokens[name]; !counted {
				t.Fatalf("seed %d: %s is not counted", seed, name)
			}
		}
	}
}

func uris(b *bundle.Bundle) [3][]string {
	var all [3][]string
	for i, tier := range [][]*bundle.Entry{b.Pinned, b.FrameRelevant, b.Outcomes} {
		for _, e := range tier {
			all[i] = append(all[i], e.URI.String())
		}
	}
	return all
}

// TestOrderOfCandidates: the bundle does not depend on the order of the candidates.
func TestOrderOfCandidates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var world list
	for i := range 60 {
		world = append(world, thing(fmt.Sprint(i), float64(rng.IntN(4))/4, rng.IntN(3)))
	}
	run := func() *bundle.Bundle {
		shuffled := slices.Clone(world)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		var pinned, outcomes, frames list
		for _, c := range shuffled {
			switch n, _ := strconv.Atoi(c.ID); {
			case n < 20:
				pinned = append(pinned, c)
			case n < 30:
				outcomes = append(outcomes, c)
			}
			frames = append(frames, c)
		}
		return compose(t, pinned, outcomes, frames, bundle.Options{BudgetTokens: 200, OutcomeLimit: 5}, tens)
	}
	first := run()
	for range 200 {
		if again := run(); !reflect.DeepEqual(first, again) {
			t.Fatalf("%+v\n%+v", first, again)
		}
	}
}

func BenchmarkCompose(b *testing.B) {
	for _, n := range []int{100, 1000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			var frames list
			for i := range n {
				c := thing(fmt.Sprintf("019e5a3b-7c4d-7000-8000-%012d", i), rng.Float64(), rng.IntN(300))
				c.Known = 60
				frames = append(frames, c)
			}
			render := func(c *bundle.Candidate, _ bundle.Tier, e *bundle.Entry) error {
				e.Text, e.Tokens = "some text", 60
				return nil
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bundle.Compose("acme", frames[:10], frames[5:8], frames, bundle.Options{}, render); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
