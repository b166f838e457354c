package packer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/tokens"
)

// The number of search hits that a pack considers: more for a larger one.
const (
	leastHits = 96
	mostHits  = 600
)

// HitsFor returns how many hits a pack with a budget considers.
func HitsFor(budget int) int { return min(max(96+budget/32, leastHits), mostHits) }

// fits reports whether a pack takes the best candidates that fit. Other strategies choose from
// more, and for some sections it is unknown how many hits belong there.
func (p *Assembly) fits() bool {
	return p.Request.Ranked() && len(p.Request.Sections) == 0
}

// request returns the normalised request of the caller.
func (o *PackOptions) request(v board.View) (pack.Request, error) {
	r := pack.Request{
		Query: o.Query, Budget: o.Budget, Strategy: o.Strategy, Counter: o.Counter, Weights: o.Weights, SectionWeights: o.SectionWeights,
		MinRelevance: o.MinRelevance, Sections: o.Sections, Tags: o.Tags, Agent: v.Agent, Session: o.Session, Priors: o.Priors,
		Conditions: v.Conditions,
	}
	if err := o.checkNames(v); err != nil {
		return r, err
	}
	if err := retrieval.CheckAsOf(o.AsOf); err != nil {
		return r, err
	}
	if !v.Now.IsZero() {
		if at := index.Nanos(v.Now); at == math.MinInt64 || at == math.MaxInt64 {
			return r, fault.Newf(fault.InvalidArgument, "now: %s is in the year %d, but must be from 1678 to 2261", v.Now.UTC().Format(time.RFC3339), v.Now.UTC().Year()).
				WithFix("give another time, or leave it out for that of the newest record")
		}
		r.Now = hmx.Some(hmx.TimeOf(v.Now))
	}
	if v.Scope != "" {
		r.Scope = ScopeDigest(v.Scope)
	}
	r, err := r.Normalize()
	return r.Capped(access.Of(v).Budget()), err
}

// checkNames validates the names that narrow a pack, which the pack states.
func (o *PackOptions) checkNames(v board.View) error {
	if err := access.CheckName("session", o.Session); o.Session != "" && err != nil {
		return err
	}
	if err := access.CheckAgent(v); err != nil {
		return err
	}
	for i, tag := range o.Tags[:min(len(o.Tags), hmx.MaxTags)] { // more are refused for their number
		if err := access.CheckName(fmt.Sprintf("tags[%d]", i), tag); err != nil {
			return err
		}
	}
	return nil
}

// Assembly is a pack in progress: a search, its hits, and what was read of them.
type Assembly struct {
	excerpt.Reading
	Request pack.Request
	Found   []recall.Hit // the search hits

	packer  *Packer // of the state that is read
	counter tokens.Counter
	root    board.Root

	degraded []string
	searched time.Duration
	class    recall.Class
	list     []pack.Candidate
	seen     []excerpt.Item // by candidate
	at       map[uint64]int // position → index in the list
	rules    []pack.Rule
	conflict []pack.Conflict
	schemas  map[string]float64 // relevance of the task schemas that were found, by id
	lag      int64              // how far the newest event is behind now, for a block of context
	loads    []loaded
	reached  atomic.Int64 // how far candidates are read ahead
	counted  int          // how many of the first are counted when they are read
	foreseen foreseen
	more     bool // it may find more
}

// Assemble calls use with a pack in progress, whose state is chosen and whose candidates are
// not gathered yet. The assembly must not be used afterwards.
func (b *Packer) Assemble(ctx context.Context, o *PackOptions, use func(*Assembly) error) error {
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return err
	}
	// A caller without access sends no question to an embedder.
	view, err := b.core.Authorize(o.Tenant, o.View)
	if err != nil {
		return err
	}
	request, err := o.request(view)
	if err != nil {
		return err
	}
	p := &Assembly{Request: request, counter: CounterOf(request.Counter), at: make(map[uint64]int), schemas: make(map[string]float64)}
	search := &retrieval.SearchOptions{
		Tenant: o.Tenant, Query: request.Query, TopK: HitsFor(request.Budget), Tags: o.Tags,
		Embedder: o.Embedder, EmbedTimeout: o.EmbedTimeout, View: view,
	}
	if len(request.Sections) > 0 {
		search.TopK = mostHits // many may be of other agents
	}
	if err := retrieval.CheckSearch(search); err != nil {
		return err
	}
	began := b.ticks()
	if p.degraded, err = b.retrieval.EmbedQuestion(ctx, search); err != nil {
		return err
	}
	p.searched, p.Request.Model = b.ticks().Sub(began), search.Model
	if err := b.limit.Acquire(ctx); err != nil {
		return err
	}
	defer b.limit.Release()
	if err := b.core.Enter(ctx); err != nil {
		return err
	}
	defer b.core.Leave()
	p.packer, p.Tags = b, request.Tags
	p.Question = retrieval.Question{From: b.retrieval, Options: search, View: view, IncludeExpired: true, Estimates: true, Records: make(map[uint64]*index.Record), Keep: excerpt.KeptRecords}
	if p.fits() {
		p.Room, p.Most = request.Budget, p.spanned()
	}
	end, err := p.choose(ctx, o.AsOf)
	if err != nil {
		return err
	}
	defer end()
	return use(p)
}

// choose opens the state that is looked at, which end lets go.
func (p *Assembly) choose(ctx context.Context, as retrieval.AsOf) (end func(), err error) {
	snap := p.From.Core().Store().Snapshot()
	ends := []func(){func() { _ = snap.Close() }} // nothing depends on it
	release := func() {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i]()
		}
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	name := p.Options.Tenant
	if err := p.From.Core().EnterTenant(name); err != nil {
		return nil, err
	}
	t, ok, err := ledger.Lookup(snap, name)
	if err != nil {
		return nil, err
	}
	if !ok {
		p.root = board.Root{Tenant: name, Hash: merkle.EmptyRoot()}
		p.Now = access.NowOf(p.View, &ledger.Tenant{})
		return release, retrieval.AsOfNothing(as)
	}
	if err := access.Timely(p.View, t); err != nil {
		return nil, err
	}
	if p.View, err = p.From.Core().ByClock(board.State{Reader: snap, Tenant: t, View: p.View}); err != nil {
		return nil, err
	}
	p.View = as.View(p.View)
	m, letGo, err := p.From.At(ctx, board.State{Reader: snap, Tenant: t}, as)
	if err != nil {
		return nil, err
	}
	ends = append(ends, letGo)
	if m.Tenant == nil {
		p.root = board.Root{Tenant: name, Hash: merkle.EmptyRoot()}
		p.Now = access.NowOf(p.View, &ledger.Tenant{})
		return release, nil
	}
	p.root, p.AsThen = board.RootOf(m.Tenant), retrieval.ShowsAsThen(as)
	p.packer = p.packer.over(m.From)
	if err := p.Enter(ctx, m); err != nil {
		return nil, err
	}
	if p.View.Now.IsZero() && p.Now > p.Tenant.Time {
		p.Request.Passed = hmx.Some(hmx.TimeOf(board.TimeOf(p.Now)))
	}
	if p.Rows == nil {
		p.Rows, err = p.Roster()
	}
	return release, err
}

// Compose finds candidates and makes a pack of them. Where much of what seemed to fill it
// was dropped, such as what is said again and again, it looks further.
func (p *Assembly) Compose(ctx context.Context) (*pack.Result, error) {
	res, err := p.composeOnce(ctx)
	if err != nil || !p.more || !p.thin(res.Pack) {
		return res, err
	}
	p.restart()
	return p.composeOnce(ctx)
}

// thin reports whether a pack uses less than three quarters of its budget. That is expected if
// the request raises the minimum relevance.
func (p *Assembly) thin(made *hmx.Pack) bool {
	return p.Request.MinRelevance.Value <= pack.DefaultMinRelevance && 4*made.TokenBudget.Used < 3*int64(p.Request.Budget)
}

// restart drops the candidates, and raises the number of hits to the maximum.
func (p *Assembly) restart() {
	p.Room = 0
	p.list, p.seen, p.rules, p.conflict, p.loads = nil, nil, nil, nil, nil
	p.at, p.schemas = make(map[uint64]int), make(map[string]float64)
	p.reached.Store(0)
	p.foreseen.ended.Store(false)
}

// composeOnce is compose without looking further.
func (p *Assembly) composeOnce(ctx context.Context) (*pack.Result, error) {
	var task pack.Task
	if p.Rows != nil {
		p.Foretell = func(positions []uint64) { p.foresee(ctx, positions) }
		err := p.gather(ctx)
		p.foreseen.end()
		if err != nil {
			return nil, err
		}
		if err = p.lead(ctx); err != nil {
			return nil, err
		}
		if task, err = p.task(ctx); err != nil {
			return nil, err
		}
	} else {
		p.class = recall.Classify(p.Request.Query, board.TimeOf(p.Now), nil)
	}
	var newest hmx.Opt[int64]
	if p.Rows != nil && p.Request.Strategy == hmx.StrategyRecencyBiased {
		var err error
		if newest, err = p.newestEvent(); err != nil {
			return nil, err
		}
	}
	p.loads, p.counted = make([]loaded, len(p.list)), p.likely()
	defer p.readAhead(ctx)()
	return pack.Compose(pack.Input{
		Request: p.Request, State: pack.State{Tenant: p.root.Tenant, Size: p.root.Size, Root: p.root.Hash}, Now: p.Now, Newest: newest,
		Class: p.class.Classification(), Candidates: slices.Clone(p.list), Conflicts: p.conflict, Task: task, Rules: p.rules,
		Load: func(c *pack.Candidate, s *pack.Source) error { return p.load(ctx, c, s) }, Counter: p.counter,
	})
}
