package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/block"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/tokens"
)

// PackCase is the result for packs of one sort.
type PackCase struct {
	Name string `json:"name"`
	What string `json:"what"`
	Latency
	CPU     float64 `json:"cpu_ms"`     // per call, on average; 0 if unknown
	Finding float64 `json:"finding_ms"` // of that the search, on average; 0 if unknown
	Packing float64 `json:"packing_ms"` // the rest
	Entries float64 `json:"entries"`    // on average
	Tokens  float64 `json:"tokens"`
	Found   float64 `json:"found"` // share of the questions whose event is in the pack; 0 for blocks
}

// PackReport is the result of the measurement of packs.
type PackReport struct {
	Events        int        `json:"events"`
	Records       uint64     `json:"records"`
	DirBytes      int64      `json:"directory_bytes"`
	Intake        *Intake    `json:"intake,omitempty"` // nil if a directory is reused
	OpenSeconds   float64    `json:"open_seconds"`     // after a clean stop, the median of three
	Replayed      uint64     `json:"replayed_records"` // into the index, before it was open
	Cases         []PackCase `json:"cases"`
	ResidentBytes uint64     `json:"resident_bytes"` // after the packs
	PeakBytes     uint64     `json:"peak_bytes"`     // during the packs
	Goals         []Goal     `json:"goals"`
	Problem       string     `json:"problem,omitempty"` // error of the first failed call
}

// packSort is a sort of packs.
type packSort struct {
	name, what string
	part       int  // one in this many questions is asked
	goal       bool // it has a goal
	strategy   hmx.Strategy
	budget     int
	block      bool // a block of context instead of a pack
}

func packSorts() []packSort {
	return []packSort{
		{"ranked_2000", "ranked, 2,000 tokens", 1, true, hmx.StrategyRanked, 2000, false},
		{"ranked_8000", "ranked, 8,000 tokens", 1, true, hmx.StrategyRanked, 8000, false},
		{"breadth_first_2000", "breadth first, 2,000 tokens", 4, false, hmx.StrategyBreadthFirst, 2000, false},
		{"pack_context_2000", "a block of context, 2,000 tokens", 4, false, "", 2000, true},
	}
}

// madePack is what is measured of a pack.
type madePack struct {
	took, finding, packing time.Duration
	entries, tokens        int
	found                  bool
}

// Pack measures the latency of packs, in the tenant of [Recall].
func Pack(ctx context.Context, o RecallOptions) (*PackReport, error) {
	o = o.filled()
	r := &PackReport{Events: o.Events}
	o.Progress("making words", 0, 0)
	c := newCorpus(o.Events)
	dir, intake, remove, err := o.build(ctx, c)
	if err != nil {
		return nil, err
	}
	defer remove()
	r.Intake = intake
	var opened RecallReport
	b, err := opened.open(ctx, dir, &o)
	if err != nil {
		return nil, err
	}
	r.DirBytes, r.OpenSeconds, r.Replayed = opened.DirBytes, opened.OpenSeconds, opened.Replayed
	if err := r.measure(ctx, b, c, &o); err != nil {
		_ = b.Close() // the first error counts
		return nil, err
	}
	r.judge()
	return r, b.Close()
}

// measure measures packs of each sort.
func (r *PackReport) measure(ctx context.Context, b *engine.Board, c *corpus, o *RecallOptions) error {
	if err := checkRecallMade(ctx, b, o.Events); err != nil {
		return err
	}
	root, err := b.Root(ctx, tenant)
	if err != nil {
		return err
	}
	r.Records = root.Size
	peak := watchMemory()
	for _, s := range packSorts() {
		one, err := r.packAll(ctx, b, c, o, s)
		if err != nil {
			peak()
			return err
		}
		r.Cases = append(r.Cases, one)
	}
	r.PeakBytes, r.ResidentBytes = peak(), resident()
	return nil
}

// packAll requests all packs of one sort, after a warm-up.
func (r *PackReport) packAll(ctx context.Context, b *engine.Board, c *corpus, o *RecallOptions, s packSort) (PackCase, error) {
	out := PackCase{Name: s.name, What: s.what}
	total := max(o.Queries/s.part, 1)
	chance := rand.New(rand.NewPCG(corpusSeed, 1))
	began := time.Now()
	for i := range o.warming(total) {
		if _, err := s.make(ctx, b, c, chance); err != nil {
			return out, err
		}
		o.Progress("warming up: "+s.what, i, o.warming(total))
		if time.Since(began) > o.Case/4 {
			break
		}
	}
	chance = rand.New(rand.NewPCG(corpusSeed, 2))
	times := make([]time.Duration, 0, total)
	var all, finding, packing time.Duration
	failed, found := 0, 0
	began = time.Now()
	cpu := processTime()
	for i := 0; i < total && (i == 0 || time.Since(began) < o.Case); i++ {
		m, err := s.make(ctx, b, c, chance)
		times = append(times, m.took)
		all += m.took
		if err != nil {
			if failed++; r.Problem == "" {
				r.Problem = err.Error()
			}
			continue
		}
		finding, packing = finding+m.finding, packing+m.packing
		out.Entries, out.Tokens = out.Entries+float64(m.entries), out.Tokens+float64(m.tokens)
		if m.found {
			found++
		}
		o.Progress("packing: "+s.what, i, total)
	}
	if err := ctx.Err(); err != nil {
		return out, err
	}
	n := float64(len(times))
	out.CPU = 1000 * (processTime() - cpu).Seconds() / n // includes making the questions, which is little
	out.Latency = latency(times, failed, all)
	out.Finding, out.Packing = 1000*finding.Seconds()/n, 1000*packing.Seconds()/n
	out.Entries, out.Tokens, out.Found = out.Entries/n, out.Tokens/n, float64(found)/n
	return out, nil
}

// make requests one pack.
func (s *packSort) make(ctx context.Context, b *engine.Board, c *corpus, chance *rand.Rand) (m madePack, err error) {
	q := c.ask(chance)
	want := fmt.Sprintf("%s%012d", eventIDPrefix, q.event)
	view := engine.View{Now: c.end()}
	start := time.Now()
	if s.block {
		text, err := b.PackContext(ctx, engine.PackContextOptions{
			Tenant: tenant, View: view, BlockRequest: block.Request{Topic: q.text, Budget: hmx.Some(s.budget)},
		})
		m.took = time.Since(start)
		m.entries = strings.Count(text, "\n- ")
		m.tokens = tokens.Estimate().Count(text)
		return m, err
	}
	packed, err := b.Pack(ctx, engine.PackOptions{Tenant: tenant, Query: q.text, Budget: s.budget, Strategy: s.strategy, View: view})
	if m.took = time.Since(start); err != nil {
		return m, err
	}
	p := packed.Pack
	m.finding, m.packing = packed.Searched, m.took-packed.Searched
	m.entries, m.tokens = len(p.Entries), int(p.TokenBudget.Used)
	for i := range p.Entries {
		m.found = m.found || p.Entries[i].SourceID == want
	}
	return m, nil
}

// judge compares with the goals.
func (r *PackReport) judge() {
	goal := func(name string, got, goal float64) {
		r.Goals = append(r.Goals, Goal{Name: name, Got: got, Goal: goal, OK: got < goal})
	}
	peak := r.PeakBytes
	if r.Intake != nil {
		peak = max(peak, r.Intake.PeakBytes)
	}
	goal("peak memory, MB", float64(peak)/1e6, 1000)
	for i, s := range packSorts() {
		if s.goal {
			goal(s.what+", p50 ms", r.Cases[i].P50, 10)
			goal(s.what+", p99 ms", r.Cases[i].P99, 30)
		}
	}
}
