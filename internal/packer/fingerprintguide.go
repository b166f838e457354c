package packer

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fingerprint"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/lru"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Limits of what guides a pack.
const (
	guidingMost   = 32   // imported fingerprints, the newest
	feedbackGuide = 256  // feedback records, the newest
	citedGuide    = 1024 // records and events that these cite
	guidedSources = 128  // sources whose priors a pack states
	keptGuides    = 4
)

// lead finds out which priors a pack of the strategy fingerprint_guided goes by, unless
// the request has some: those of the imported fingerprints that the caller can see, as
// one, or if there are none what feedback on this board says. It states them as the
// request's own, so that the pack names them and can be made again from itself. Where
// they would make no difference there are none.
func (p *Assembly) lead(ctx context.Context) error {
	if p.Request.Strategy != hmx.StrategyFingerprintGuided || p.Request.Priors != "" {
		return nil
	}
	priors, err := p.imported(ctx)
	if err == nil && priors == nil {
		priors, err = p.ownPriors(ctx)
	}
	if err != nil {
		return err
	}
	sources := p.sourcePriors(priors)
	if !priors.Shown() && len(sources) == 0 {
		return nil
	}
	sections := make(map[string]float64)
	for _, s := range hmx.Sections() {
		sections[string(s)] = priors.Section(s)
	}
	stated := map[string]map[string]float64{"sections": sections}
	if len(sources) > 0 {
		stated["sources"] = sources
	}
	data, err := json.Marshal(stated)
	if err == nil {
		data, err = hmx.Canonicalize(data)
	}
	p.Request.Priors = hmx.Raw(data)
	return err
}

// sourcePriors returns the priors of the candidates that do better than their sections, by id.
func (p *Assembly) sourcePriors(priors *fingerprint.Priors) map[string]float64 {
	out := make(map[string]float64)
	for i := range p.list {
		c := &p.list[i]
		if c.Thing == "" || len(out) == guidedSources {
			continue
		}
		var tags []string
		if h := p.seen[i].Head; h != nil {
			tags = h.Tags
		}
		if x, known := priors.Of(c.Thing, c.Section, c.Source, tags); known && x > priors.Section(c.Section) {
			out[c.Thing] = max(out[c.Thing], x)
		}
	}
	return out
}

// imported returns what the imported fingerprints say together that guide the caller,
// or nil if there are none. What an agent brought in guides that agent alone; what guides
// others takes the trust of a user.
func (p *Assembly) imported(ctx context.Context) (*fingerprint.Priors, error) {
	list, err := p.Heads(ctx, record.Fingerprint, 0, func(visit func(catalog.Thing) bool) error {
		return catalog.List(p.Reader, p.Tenant.Number, catalog.All(record.Fingerprint, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool { return visit(d) })
	}, guidingMost)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write([]byte(p.Tenant.Name))
	var guiding []*catalog.Head
	for _, h := range list {
		own := p.View.Agent != "" && h.Actor == p.View.Agent && h.Trust >= record.Agent
		if p.WhyOver(h) == "" && (h.Trust >= record.User || own) {
			guiding = append(guiding, h)
			sum.Write(binary.BigEndian.AppendUint64(nil, h.Position))
		}
	}
	if len(guiding) == 0 {
		return nil, nil
	}
	return p.packer.priors.merged([sha256.Size]byte(sum.Sum(nil)), func() (*fingerprint.Priors, error) { return p.merge(guiding) })
}

// merge reads fingerprints and returns their merged priors, or nil if none is readable: it was
// erased meanwhile, or has another format.
func (p *Assembly) merge(list []*catalog.Head) (*fingerprint.Priors, error) {
	var read []*fingerprint.Fingerprint
	for _, h := range list {
		rec, err := p.Record(h.Position)
		if err := p.Passed(err); err != nil {
			return nil, err
		}
		if rec == nil {
			continue
		}
		if body, ok := rec.Body.(*memory.Fingerprint); ok {
			if f, err := fingerprint.Decode([]byte(body.Document)); err == nil {
				read = append(read, f)
			}
		}
	}
	if len(read) == 0 {
		return nil, nil
	}
	all, err := fingerprint.MergeAll(read...)
	if err != nil {
		return nil, err
	}
	return all.Priors(), nil
}

// ownPriors returns what the newest feedback on this board says that the caller can
// see.
func (p *Assembly) ownPriors(ctx context.Context) (*fingerprint.Priors, error) {
	list, err := p.Heads(ctx, record.Feedback, record.Agent, func(visit func(catalog.Thing) bool) error {
		return catalog.List(p.Reader, p.Tenant.Number, catalog.All(record.Feedback, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool { return visit(d) })
	}, feedbackGuide)
	if err != nil {
		return nil, err
	}
	cited := make(citations)
	for _, h := range list {
		if p.WhyOver(h) == "" && len(cited) < citedGuide {
			cited.add(h)
		}
	}
	usage, err := cited.usage(ctx, &placing{
		s: p.State(), rows: p.Rows, now: p.Now, shows: p.Shows,
		showsAt: func(position uint64) bool { return p.Shown == nil || p.Shown.Has(position) },
	})
	return fingerprint.PriorsOf(usage), err
}

// priors caches the merged priors of imported fingerprints. It is safe for concurrent use; nil
// caches nothing.
type priors struct {
	board.NopFollower
	mu   sync.Mutex
	kept lru.Cache[[sha256.Size]byte, *fingerprint.Priors]
}

func newPriors() *priors {
	return &priors{kept: lru.New[[sha256.Size]byte, *fingerprint.Priors](keptGuides)}
}

// Erasing empties the cache.
func (g *priors) Erasing() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kept = lru.New[[sha256.Size]byte, *fingerprint.Priors](keptGuides)
	return nil
}

// Rebuilt empties the cache.
func (g *priors) Rebuilt() error { return g.Erasing() }

// merged returns merged priors from the cache, or reads them.
func (g *priors) merged(key [sha256.Size]byte, read func() (*fingerprint.Priors, error)) (*fingerprint.Priors, error) {
	if g == nil {
		return read()
	}
	g.mu.Lock()
	known, ok := g.kept.Get(key)
	g.mu.Unlock()
	if ok {
		return known, nil
	}
	made, err := read()
	if err == nil && made != nil {
		g.mu.Lock()
		g.kept.Put(key, made)
		g.mu.Unlock()
	}
	return made, err
}
