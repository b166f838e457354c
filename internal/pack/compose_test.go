package pack

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

const (
	day = int64(24 * 3600 * 1e9)
	now = int64(20_000) * day // in the year 2024
)

// board is the input of a test: candidates and their sources.
type board struct {
	in      Input
	sources map[uint64]Source // by position
	gone    map[uint64]bool
	loads   map[uint64]int
	t       testing.TB
}

func newBoard(t testing.TB, r Request) *board {
	t.Helper()
	r, err := r.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	counter := tokens.O200k()
	if r.Counter == tokens.Estimate().Name() {
		counter = tokens.Estimate()
	}
	return &board{t: t, sources: map[uint64]Source{}, gone: map[uint64]bool{}, in: Input{
		Request: r, State: State{Tenant: "acme", Size: 77}, Now: now, Counter: counter,
		Class: hmx.QueryClassification{Intent: "general", Keywords: []string{"Release", "staging"}, Entities: []string{}},
	}}
}

// add adds a candidate of a section and returns its index. It fills in missing fields.
func (b *board) add(c Candidate, text string) int {
	i := len(b.in.Candidates)
	c.Position = uint64(1000 + i)
	if c.Section == "" {
		c.Section = hmx.SectionFacts
	}
	c.Source = c.Section.SourceTypes()[0]
	c.Kind = map[hmx.SourceType]record.Kind{hmx.SourceEpisode: record.Event, hmx.SourceMemory: record.Memory, hmx.SourceRelation: record.Relation,
		hmx.SourceConflict: record.Conflict, hmx.SourcePolicy: record.Policy, hmx.SourceEntity: record.Entity, hmx.SourceArtifact: record.Artifact}[c.Source]
	if c.Time == 0 {
		c.Time = now - day
	}
	if c.Trust == 0 {
		c.Trust = record.User
	}
	if c.Confidence == 0 {
		c.Confidence = 1
	}
	if c.Relevance == 0 && !c.Pinned {
		c.Relevance = 0.5
	}
	id := fmt.Sprintf("id-%03d", i)
	if c.Kind != record.Event {
		c.Thing = id
	}
	c.Index = i
	b.in.Candidates = append(b.in.Candidates, c)
	b.sources[c.Position] = Source{ID: id, URI: memory.URI{Tenant: "acme", Kind: c.Kind, ID: id}, Type: "fact", Text: text, Evidence: 1}
	return i
}

// unproven marks the evidence of a candidate as not verified.
func (b *board) unproven(i int) {
	s := b.sources[b.in.Candidates[i].Position]
	s.Unproven = "none of its 2 sources is on record"
	b.sources[b.in.Candidates[i].Position] = s
}

// input returns a copy to compose, in which each candidate is loaded at most once. Some sources
// are prepared in advance, as a caller may do.
func (b *board) input() Input {
	in := b.in
	in.Candidates = slices.Clone(b.in.Candidates)
	b.loads = map[uint64]int{}
	loads := b.loads
	in.Load = func(c *Candidate, s *Source) error {
		if loads[c.Position]++; loads[c.Position] > 1 {
			b.t.Errorf("candidate %d is loaded again", c.Position)
		}
		if b.gone[c.Position] {
			return fmt.Errorf("reading: %w", ErrGone)
		}
		*s = b.sources[c.Position]
		if c.Position%2 == 0 {
			s.Prepare()
			s.Write(c, in.Counter, int(c.Position%7)*SpanFloor/2, 0)
		}
		return nil
	}
	return in
}

// compose makes the pack and checks what holds for every pack.
func (b *board) compose() *Result {
	b.t.Helper()
	in := b.input()
	res, err := Compose(in)
	if err != nil {
		b.t.Fatal(err)
	}
	check(b.t, &in, res)
	return res
}

// shuffled returns the same board with its candidates in another order.
func (b *board) shuffled(r *rand.Rand) *board {
	order := r.Perm(len(b.in.Candidates))
	to := make([]int, len(order))
	other := *b
	other.in.Candidates = make([]Candidate, len(order))
	for at, i := range order {
		to[i] = at
		other.in.Candidates[at] = b.in.Candidates[i]
	}
	for i := range other.in.Candidates {
		if c := &other.in.Candidates[i]; c.SameAs > 0 {
			c.SameAs = to[c.SameAs-1] + 1
		}
	}
	other.in.Conflicts = nil
	for _, c := range b.in.Conflicts {
		var between []int
		for _, i := range c.Between {
			between = append(between, to[i])
		}
		if c.Winner > 0 {
			c.Winner = to[c.Winner-1] + 1
		}
		r.Shuffle(len(between), func(i, j int) { between[i], between[j] = between[j], between[i] })
		other.in.Conflicts = append(other.in.Conflicts, Conflict{c.ID, between, c.Winner, c.Trust})
	}
	r.Shuffle(len(other.in.Conflicts), func(i, j int) {
		c := other.in.Conflicts
		c[i], c[j] = c[j], c[i]
	})
	return &other
}

// check holds a pack to the rules of HMX-C and to the guarantees of this package.
func check(t testing.TB, in *Input, res *Result) {
	t.Helper()
	p := res.Pack
	if warnings, err := p.Validate(); err != nil || len(warnings) > 0 {
		t.Fatalf("the pack is not valid: %v %v", err, warnings)
	}
	if err := CheckDigest(p); err != nil {
		t.Error(err)
	}
	b := p.TokenBudget
	if n := in.Counter.Count(res.Text); n > in.Request.Budget || int64(n) != b.Used || b.Used+b.Remaining != b.TotalBudget || b.TotalBudget != int64(in.Request.Budget) {
		t.Errorf("the text has %d tokens of %d, said %+v", n, in.Request.Budget, b)
	}
	entries, sum, cut := map[hmx.Section]int64{}, int64(0), false
	ranks := map[int64]bool{}
	for _, e := range p.Entries {
		entries[e.Section] += e.TokenEstimate
		ranks[e.Rank] = true
		cut = cut || e.Extra["truncated"] == "true"
		if (e.Extra["truncated"] == "true") != strings.Contains(e.Content, quote.Truncated) {
			t.Errorf("%s: truncated %s, content %q", e.SourceID, e.Extra["truncated"], e.Content)
		}
	}
	if cut != b.Truncated {
		t.Errorf("truncated %v", b.Truncated)
	}
	for s, x := range b.SectionBudgets {
		sum += x.Budget
		if x.Used > x.Budget || entries[s] == 0 || x.Used <= entries[s] {
			t.Errorf("%s: %+v with entries of %d", s, x, entries[s])
		}
	}
	if sum > b.TotalBudget || len(entries) != len(b.SectionBudgets) {
		t.Errorf("budgets of sections sum to %d of %d, %d of %d sections have one", sum, b.TotalBudget, len(b.SectionBudgets), len(entries))
	}
	for _, d := range p.DroppedEntries {
		ranks[d.Rank] = true
	}
	m := p.AssemblyMetadata
	if len(ranks) != len(p.Entries)+len(p.DroppedEntries) || ranks[0] || m.CandidateCount != m.IncludedCount+b.DroppedCount ||
		m.CandidateCount != int64(len(res.Verdicts)) || m.AssemblyDurationMS != 0 {
		t.Errorf("counts: %d ranks, %+v, %d dropped, %d verdicts", len(ranks), m, b.DroppedCount, len(res.Verdicts))
	}
	kept := 0
	for i, v := range res.Verdicts {
		if v.Rank != i+1 || v.Of != 0 && v.Reason != hmx.DropDuplicate && v.Reason != hmx.DropConflict || v.Reason == "" && !ranks[int64(v.Rank)] {
			t.Errorf("verdict %d: %+v", i, v)
		}
		if v.Reason == "" {
			kept++
		}
	}
	if kept != len(p.Entries) {
		t.Errorf("%d verdicts are in, %d entries", kept, len(p.Entries))
	}
	if text := Markdown(p); text != res.Text {
		t.Errorf("the markdown of the pack is another:\n%s\n---\n%s", text, res.Text)
	}
}

func TestEmpty(t *testing.T) {
	res := newBoard(t, Request{Query: "q"}).compose()
	p := res.Pack
	if res.Text != "" || len(p.Entries) != 0 || p.TokenBudget.Used != 0 || p.AssemblyMetadata.CandidateCount != 0 || len(p.AssemblyMetadata.RetrievalSources) != 0 {
		t.Errorf("%+v", p)
	}
	if want := `{"counter":"o200k","digest":"` + digestOf(t, p) + `","now":"2024-10-04T00:00:00.000Z","position":76,"root":"` +
		strings.Repeat("0", 64) + `","size":77}`; string(p.Metadata) != want {
		t.Errorf("%s\n%s", p.Metadata, want)
	}
	b := newBoard(t, Request{Query: "q", Budget: 1})
	b.add(Candidate{}, "The deploy key is in the vault.")
	if res := b.compose(); res.Text != "" || len(res.Pack.Entries) != 0 || res.Pack.DroppedEntries[0].DropReason != hmx.DropBudget {
		t.Errorf("%q %+v", res.Text, res.Pack.DroppedEntries)
	}
}

func digestOf(t *testing.T, p *hmx.Pack) string {
	t.Helper()
	digest, err := Digest(p)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}
