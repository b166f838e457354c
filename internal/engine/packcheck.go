package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
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

// How many hits of a search a pack is made of: more for a larger one.
const (
	leastHits = 96
	mostHits  = 600
)

// hitsFor returns how many hits a pack with a budget looks at.
func hitsFor(budget int) int { return min(max(96+budget/32, leastHits), mostHits) }

// fits reports whether a pack is made of the best that fit. Other strategies choose from
// more, and of some sections it is not known how many hits belong there.
func (p *packing) fits() bool {
	return p.request.Ranked() && len(p.request.Sections) == 0
}

// packRecords is how many records a pack keeps that it has read.
const packRecords = 4096

// request returns what is asked for, normalised, by the caller.
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
				WithFix("give another time, or leave it away for that of the newest record")
		}
		r.Now = hmx.Some(hmx.TimeOf(v.Now))
	}
	if v.Scope != "" {
		r.Scope = scopeDigest(v.Scope)
	}
	r, err := r.Normalize()
	return r.Capped(board.AccessOf(v).Budget()), err
}

// scopeDigest is what a pack says of the token that it was made under.
func scopeDigest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// checkNames judges the names that a pack is narrowed by, which it states as its own.
func (o *PackOptions) checkNames(v board.View) error {
	if err := board.CheckName("session", o.Session); o.Session != "" && err != nil {
		return err
	}
	if err := board.CheckAgent(v); err != nil {
		return err
	}
	for i, tag := range o.Tags[:min(len(o.Tags), hmx.MaxTags)] { // more are refused for their number
		if err := board.CheckName(fmt.Sprintf("tags[%d]", i), tag); err != nil {
			return err
		}
	}
	return nil
}

// counterOf returns the counter of a name.
func counterOf(name string) tokens.Counter {
	if c := tokens.Estimate(); c.Name() == name {
		return c
	}
	return tokens.O200k()
}

// packing is a pack under way: a search, what was found, and what was read of it.
type packing struct {
	retrieval.Question
	engine  *Board // over the state that is looked at
	request pack.Request
	counter tokens.Counter
	root    board.Root

	degraded []string
	searched time.Duration
	class    recall.Class
	list     []pack.Candidate
	seen     []seen         // what is known of each
	at       map[uint64]int // where in the list a position is
	rules    []pack.Rule
	conflict []pack.Conflict
	schemas  map[string]float64 // relevance of task schemas that were found, by id
	goals    map[string]bool    // texts of active goals, in small letters; nil until asked for
	lag      int64              // of the newest event behind now, for a block of context
	loads    []loaded
	reached  atomic.Int64 // up to where they are read ahead
	counted  int          // how many of the first are counted when they are read
	foreseen foreseen
	found    []recall.Hit // what the search found
	more     bool         // it may find more
}

// packing has use called with a pack under way: its state is chosen, and nothing is
// looked for yet.
func (b *Board) packing(ctx context.Context, o *PackOptions, use func(*packing) error) error {
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return err
	}
	// Whoever may not look has no question sent to anybody.
	view, err := b.core.Authorize(o.Tenant, o.View)
	if err != nil {
		return err
	}
	request, err := o.request(view)
	if err != nil {
		return err
	}
	p := &packing{request: request, counter: counterOf(request.Counter), at: make(map[uint64]int), schemas: make(map[string]float64)}
	search := &retrieval.SearchOptions{
		Tenant: o.Tenant, Query: request.Query, TopK: hitsFor(request.Budget), Tags: o.Tags,
		Embedder: o.Embedder, EmbedTimeout: o.EmbedTimeout, View: view,
	}
	if len(request.Sections) > 0 {
		search.TopK = mostHits // many may be of others
	}
	if err := retrieval.CheckSearch(search); err != nil {
		return err
	}
	began := b.ticks()
	if p.degraded, err = b.retrieval.EmbedQuestion(ctx, search); err != nil {
		return err
	}
	p.searched, p.request.Model = b.ticks().Sub(began), search.Model
	if err := b.asking.Acquire(ctx); err != nil {
		return err
	}
	defer b.asking.Release()
	if err := b.core.Enter(ctx); err != nil {
		return err
	}
	defer b.core.Leave()
	p.engine, p.Question = b, retrieval.Question{Ctx: ctx, From: b.retrieval, Options: search, View: view, IncludeExpired: true, Estimates: true, Records: make(map[uint64]*index.Record), Keep: packRecords}
	if p.fits() {
		p.Room, p.Most = request.Budget, p.spanned()
	}
	end, err := p.choose(o.AsOf)
	if err != nil {
		return err
	}
	defer end()
	return use(p)
}

// choose opens the state that is looked at, which end lets go.
func (p *packing) choose(as retrieval.AsOf) (end func(), err error) {
	snap := p.From.Core().Store().Snapshot()
	ends := []func(){func() { _ = snap.Close() }} // nothing was promised of it
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
	if err := board.EnterTenant(p.Ctx, name); err != nil {
		return nil, err
	}
	t, ok, err := ledger.Lookup(snap, name)
	if err != nil {
		return nil, err
	}
	if !ok {
		p.root = board.Root{Tenant: name, Hash: merkle.EmptyRoot()}
		p.Now = board.NowOf(p.View, &ledger.Tenant{})
		return release, retrieval.AsOfNothing(as)
	}
	if err := board.Timely(p.View, t); err != nil {
		return nil, err
	}
	m, letGo, err := p.From.At(p.Ctx, snap, t, as)
	if err != nil {
		return nil, err
	}
	ends = append(ends, letGo)
	if m.Tenant == nil {
		p.root = board.Root{Tenant: name, Hash: merkle.EmptyRoot()}
		p.Now = board.NowOf(p.View, &ledger.Tenant{})
		return release, nil
	}
	p.root, p.AsThen = board.RootOf(m.Tenant), retrieval.ShowsAsThen(as)
	p.engine = p.engine.over(m.From)
	if err := p.Enter(m); err != nil {
		return nil, err
	}
	if p.Rows == nil {
		p.Rows, err = p.Roster()
	}
	return release, err
}

// compose finds candidates and makes a pack of them. Where much of what seemed to fill it
// was dropped, such as what is said again and again, it looks further.
func (p *packing) compose() (*pack.Result, error) {
	res, err := p.composeOnce()
	if err != nil || !p.more || !p.thin(res.Pack) {
		return res, err
	}
	p.restart()
	return p.composeOnce()
}

// thin reports whether a pack has less than three quarters of its budget in it. Of one that
// asks for more relevance than usual that is to be expected.
func (p *packing) thin(made *hmx.Pack) bool {
	return p.request.MinRelevance.Value <= pack.DefaultMinRelevance && 4*made.TokenBudget.Used < 3*int64(p.request.Budget)
}

// restart forgets what was found, and has as many hits looked at as there may be.
func (p *packing) restart() {
	p.Room = 0
	p.list, p.seen, p.rules, p.conflict, p.goals, p.loads = nil, nil, nil, nil, nil, nil
	p.at, p.schemas = make(map[uint64]int), make(map[string]float64)
	p.reached.Store(0)
	p.foreseen.ended.Store(false)
}

// composeOnce is compose without looking further.
func (p *packing) composeOnce() (*pack.Result, error) {
	var task pack.Task
	if p.Rows != nil {
		p.Foretell = p.foresee
		err := p.gather()
		p.foreseen.end()
		if err != nil {
			return nil, err
		}
		if err = p.lead(); err != nil {
			return nil, err
		}
		if task, err = p.task(); err != nil {
			return nil, err
		}
	} else {
		p.class = recall.Classify(p.request.Query, board.TimeOf(p.Now), nil)
	}
	var newest hmx.Opt[int64]
	if p.Rows != nil && p.request.Strategy == hmx.StrategyRecencyBiased {
		var err error
		if newest, err = p.newestEvent(); err != nil {
			return nil, err
		}
	}
	p.loads, p.counted = make([]loaded, len(p.list)), p.likely()
	defer p.readAhead()()
	return pack.Compose(pack.Input{
		Request: p.request, State: pack.State{Tenant: p.root.Tenant, Size: p.root.Size, Root: p.root.Hash}, Now: p.Now, Newest: newest,
		Class: p.class.Classification(), Candidates: slices.Clone(p.list), Conflicts: p.conflict, Task: task, Rules: p.rules,
		Load: p.load, Counter: p.counter,
	})
}

// statedDigest returns the digest that a pack states.
func statedDigest(p *hmx.Pack) (string, error) {
	m, err := metadataOf(p)
	return m.Digest, err
}

// packMetadata is what the metadata of a pack says of the state that it is of.
type packMetadata struct {
	Counter string `json:"counter"`
	Digest  string `json:"digest"`
	Root    string `json:"root"`
	Size    uint64 `json:"size"`
}

func metadataOf(p *hmx.Pack) (m packMetadata, err error) {
	if err := json.Unmarshal([]byte(p.Metadata), &m); err != nil {
		return m, fault.New(fault.InvalidDocument, "metadata: it does not say of which state the pack is: root, size, counter and digest").WithCause(err).
			WithFix("give a pack as it was made, with its metadata: what Pack returned or `lukasa pack --json` printed")
	}
	return m, nil
}
