package packer

import (
	"context"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// There are few memories and artifacts beside the events. The best hits of a search may
// all be events, and sections would stay empty although there is something for them. So
// other documents are also searched for by themselves, if events took their places.

// The minimum number of non-event documents that are considered. Those that are not among
// the hits need this relevance: they stand beside better answers. Searching for them takes
// half as long as the search itself, which is too long if there are more documents than
// thingsWithin.
const (
	thingHits      = 64
	thingRelevance = 0.25
	thingsWithin   = 1 << 16
)

// thingKinds are the kinds of documents except events.
func thingKinds() []record.Kind {
	return slices.DeleteFunc(record.Kinds(), func(k record.Kind) bool { return k == record.Event || !index.IsDocument(k) })
}

// ofThings reports whether only sections are requested that contain no events.
func ofThings(sections []hmx.Section) bool {
	if len(sections) == 0 || slices.Contains(sections, hmx.SectionEvidence) { // evidence has the unknown types
		return false
	}
	for _, section := range retrieval.EventSections() {
		if slices.Contains(sections, hmx.Section(section)) {
			return false
		}
	}
	return true
}

// addThings makes candidates of the best things that are behind the last hit of a full
// search, by the same measure. Best is the score of its best hit. The vectors of a model
// outside the program have no such measure, since things may have none.
func (p *Assembly) addThings(ctx context.Context, answer *recall.Answer, pins []uint64, best float64) error {
	hits := answer.Hits
	if len(hits) == 0 || p.Options.Vector != nil || !answer.More && len(hits) < p.Options.TopK {
		return nil
	}
	alone, least := ofThings(p.Request.Sections), thingRelevance*best
	if alone {
		least = 0
	} else if answer.Documents > thingsWithin {
		return nil
	}
	if !alone && countThings(hits) >= thingHits {
		return nil
	}
	if any, err := p.anyThing(); err != nil || !any {
		return err
	}
	all, foretell, room := p.Options, p.Foretell, p.Room
	defer func() { p.Options, p.Foretell, p.Room, p.Beside = all, foretell, room, nil }()
	narrow := *all
	if narrow.Kinds = thingKinds(); !alone {
		narrow.TopK = thingHits
	}
	p.Options, p.Foretell, p.Room, p.Beside = &narrow, nil, 0, answer
	more, _, err := p.Answer(ctx)
	if err != nil {
		return err
	}
	if weak := slices.IndexFunc(more.Hits, func(h recall.Hit) bool { return h.Score < least }); weak >= 0 {
		more.Hits = more.Hits[:weak] // they are sorted
	}
	return p.addHits(ctx, more.Hits, pins, best)
}

// countThings returns how many hits are not events.
func countThings(hits []recall.Hit) (n int) {
	for i := range hits {
		if hits[i].Row.Kind != record.Event {
			n++
		}
	}
	return n
}

// anyThing reports whether there is a non-event document that could be found.
func (p *Assembly) anyThing() (any bool, err error) {
	for _, k := range thingKinds() {
		err := catalog.List(p.Reader, p.Tenant.Number, catalog.All(k, catalog.Live), nil, func([]byte, catalog.Thing) bool {
			any = true
			return false
		})
		if any || err != nil {
			return any, err
		}
	}
	return false, nil
}
