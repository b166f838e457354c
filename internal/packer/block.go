package packer

import (
	"context"
	"strings"

	"lukasa.dev/internal/block"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// BlockRequest names the topic and the size of a block. The library has the same name for it, as
// the field of PackContextOptions.
type BlockRequest = block.Request

// PackContextOptions says what a block of context is about, and who reads it.
type PackContextOptions struct {
	Tenant string
	BlockRequest
	View board.View
}

// PackContext returns a markdown block of what is known about a topic: as many of the
// best search hits as fit into a budget, each whole, on one line. It never exceeds the
// budget, at four characters per token. If nothing is known or nothing fits it says so,
// if there is room for that.
func (b *Packer) PackContext(ctx context.Context, o PackContextOptions) (string, error) {
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return "", err
	}
	view, err := b.core.Authorize(o.Tenant, o.View)
	if err != nil {
		return "", err
	}
	if err := access.CheckAgent(view); err != nil {
		return "", err
	}
	request, err := o.BlockRequest.Normalize()
	if err != nil {
		return "", err
	}
	if most := access.Of(view).Budget(); most > 0 && most < request.Budget.Value {
		request.Budget.Value = most
	}
	if err := b.limit.Acquire(ctx); err != nil {
		return "", err
	}
	defer b.limit.Release()
	var entries []block.Entry
	now, there := access.NowOf(view, &ledger.Tenant{}), false
	err = b.core.ReadAs(ctx, o.Tenant, view, func(s board.State) error {
		there = true
		search := &retrieval.SearchOptions{Tenant: o.Tenant, Query: request.Topic, TopK: block.Candidates, View: s.View}
		if err := retrieval.CheckSearch(search); err != nil {
			return err
		}
		p := &Assembly{packer: b, Reading: excerpt.Reading{Question: retrieval.Question{
			From: b.retrieval, Reader: s.Reader, Tenant: s.Tenant, Options: search, View: s.View, Now: access.NowOf(s.View, s.Tenant), Records: make(map[uint64]*index.Record), Keep: excerpt.KeptRecords,
		}}}
		now = p.Now
		if p.Shown, err = b.retrieval.Visible(ctx, s); err != nil {
			return err
		}
		if p.Whole, err = board.Unerased(s); err != nil {
			return err
		}
		if request.Ordering != block.ByRelevance {
			if err := p.measureLag(); err != nil {
				return err
			}
		}
		entries, err = p.blockEntries(ctx)
		return err
	})
	if err != nil && (there || fault.CodeOf(err) != fault.NotFound) {
		return "", err // otherwise it is a tenant without records
	}
	return block.Compose(request, now, entries), nil
}

// blockEntries returns what a block may have.
func (p *Assembly) blockEntries(ctx context.Context) ([]block.Entry, error) {
	answer, _, err := p.Answer(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]*block.Entry, len(answer.Hits))
	if err := p.Parallel(ctx, len(found), func(i int) (err error) {
		found[i], err = p.blockEntry(&answer.Hits[i])
		return err
	}); err != nil {
		return nil, err
	}
	best := 0.0
	for i := range answer.Hits {
		best = max(best, answer.Hits[i].Score)
	}
	var list []block.Entry
	for i, e := range found {
		if e == nil {
			continue
		}
		if best > 0 {
			e.Relevance = max(answer.Hits[i].Score, 0) / best
		}
		list = append(list, *e)
	}
	return list, nil
}

// blockEntry reads a hit, or returns nil if it does not belong into a block.
func (p *Assembly) blockEntry(h *recall.Hit) (*block.Entry, error) {
	rec, err := p.Record(h.Position)
	if err != nil || rec == nil {
		return nil, err
	}
	var s pack.Source
	e := &block.Entry{Quoted: rec.Header.Trust < record.Agent, Time: rec.Header.Time}
	if rec.Event != nil {
		excerpt.QuoteEvent(rec.Event, p.Tenant.Name, &s)
		e.Time = index.Nanos(rec.Event.Timestamp.Time())
		e.Name = strings.ReplaceAll(s.Type, "_", " ") + " " + board.TimeOf(e.Time).Format("2006-01-02")
		e.Time = after(e.Time, p.lag)
	} else {
		x, err := p.ItemAt(h.Position)
		if err != nil || x.Head == nil || p.WhyOver(x.Head) != "" {
			return nil, err
		}
		if !p.Applies(x.Body) {
			return nil, nil
		}
		if erased, err := p.DerivedFromErased(x.Body); err != nil || erased {
			return nil, err
		}
		if s.Text, err = p.Text(x); err != nil {
			return nil, err
		}
		s.ID, e.Name = x.Head.ID, x.Head.Key
		switch b := x.Body.(type) {
		case *memory.Entity:
			e.Name = b.Name
		case *memory.Artifact:
			e.Name = b.HMX.Title
		case *memory.Policy:
			if b.PolicyKind == memory.PolicyRetention {
				return nil, nil
			}
		}
		if e.Name == "" {
			name := x.Head.Class
			if name == "" || x.Head.Kind == record.Relation {
				name = x.Head.Kind.String()
			}
			e.Name = name + " " + board.TimeOf(e.Time).Format("2006-01-02")
		}
	}
	e.ID, e.Text = s.ID, s.Text
	if strings.TrimSpace(e.Text) == "" {
		return nil, nil
	}
	return e, nil
}
