package packer

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fingerprint"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Limits of the feedback of a fingerprint.
const (
	feedbackMost = 1 << 16 // the newest
	citedMost    = 1 << 18 // records and events that these cite
)

// citations counts how often records and events were used, and how often with success.
type citations map[memory.URI]*fingerprint.Use

// add counts a feedback. A partial success does not count either way, and a source with
// less trust than an agent must not praise itself.
func (c citations) add(h *catalog.Head) {
	if h.Trust < record.Agent || h.Status != string(memory.OutcomeSuccess) && h.Status != string(memory.OutcomeFailure) {
		return
	}
	seen := make(map[memory.URI]bool, len(h.Links))
	for _, link := range h.Links {
		u, err := memory.ParseURI(link.To)
		if err != nil || link.Rel != "cited" || seen[u.Head()] {
			continue
		}
		u = u.Head()
		seen[u] = true
		if c[u] == nil {
			c[u] = &fingerprint.Use{Name: u.ID}
		}
		c[u].Shown++
		if h.Status == string(memory.OutcomeSuccess) {
			c[u].Used++
		}
	}
}

// placing determines where in a pack a cited record belongs, for the caller.
type placing struct {
	s    board.State
	rows *roster.View
	now  int64
	// shows and showsAt report whether a record, or the event at a position, is visible.
	shows   func(*catalog.Head) (bool, error)
	showsAt func(position uint64) bool
}

// usage returns the uses by section, source type, tag and id. Records that no longer
// exist do not count.
func (c citations) usage(ctx context.Context, p *placing) (fingerprint.Usage, error) {
	var sections, sources, tags, things useSums
	order := slices.SortedFunc(maps.Keys(c), func(a, b memory.URI) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID)) })
	for _, u := range order {
		if err := ctx.Err(); err != nil {
			return fingerprint.Usage{}, err
		}
		at, marked, err := p.place(ctx, u)
		if err != nil {
			return fingerprint.Usage{}, err
		}
		if at == (excerpt.Place{}) {
			continue
		}
		n := c[u]
		sections.add(string(at.Section), n)
		sources.add(string(at.Source), n)
		things.add(u.ID, n)
		for _, tag := range marked {
			tags.add(tag, n)
		}
	}
	return fingerprint.Usage{Sections: sections.list, Sources: sources.list, Tags: tags.list, Things: things.list}, nil
}

// useSums adds up uses by name.
type useSums struct {
	at   map[string]int
	list []fingerprint.Use
}

func (s *useSums) add(name string, n *fingerprint.Use) {
	if s.at == nil {
		s.at = make(map[string]int)
	}
	i, ok := s.at[name]
	if !ok {
		i = len(s.list)
		s.at[name] = i
		s.list = append(s.list, fingerprint.Use{Name: name})
	}
	s.list[i].Shown += n.Shown
	s.list[i].Used += n.Used
}

// place returns where something belongs, and its tags. It is nowhere if it is not there,
// or not shown.
func (p *placing) place(ctx context.Context, u memory.URI) (excerpt.Place, []string, error) {
	if u.Tenant != p.s.Tenant.Name {
		return excerpt.Place{}, nil, nil
	}
	if u.Kind == record.Event {
		id := record.ID(p.s.Tenant.Name, record.Event, u.ID)
		position, ok, err := ledger.Find(p.s.Reader, p.s.Tenant.Number, &id)
		if err != nil || !ok || !p.showsAt(position) {
			return excerpt.Place{}, nil, err
		}
		row, ok, err := p.rows.Row(position)
		if err != nil || !ok {
			return excerpt.Place{}, nil, err
		}
		return excerpt.EventPlace(row.Class), nil, nil
	}
	h, ok, err := catalog.HeadOf(p.s.Reader, p.s.Tenant.Number, u.Kind, catalog.ThingOf(p.s.Tenant.Name, u.Kind, u.ID))
	if err != nil || !ok || h.State != catalog.Live || h.Expires <= p.now {
		return excerpt.Place{}, nil, err
	}
	if shown, err := p.shows(h); err != nil || !shown {
		return excerpt.Place{}, nil, err
	}
	at, err := (&excerpt.Reading{}).PlaceOf(ctx, h, nil)
	return at, h.Tags, err
}

// uses counts the uses by feedback.
func (p *printing) uses(ctx context.Context) error {
	way := catalog.All(record.Feedback, catalog.Live)
	if p.o.Agent != "" {
		way = catalog.OfAgent(record.Feedback, p.o.Agent)
	}
	cited, left := make(citations), feedbackMost
	err := p.each(ctx, way, record.Feedback, func(h *catalog.Head) error {
		if left > 0 && len(cited) < citedMost && h.Expires > p.s.Tenant.Time && (p.o.Agent == "" || h.Agent == p.o.Agent) {
			left--
			cited.add(h)
		}
		return nil
	})
	if err != nil {
		return err
	}
	rows, err := p.roster()
	if err != nil {
		return err
	}
	p.in.Uses, err = cited.usage(ctx, &placing{
		s: p.s, rows: rows, now: p.s.Tenant.Time,
		shows: func(h *catalog.Head) (bool, error) {
			return h.Visibility != memory.VisiblePrivate || p.o.Agent != "" && h.Actor == p.o.Agent, nil
		},
		showsAt: func(uint64) bool { return true },
	})
	return err
}

// roster returns the attributes of the documents.
func (p *printing) roster() (*roster.View, error) {
	return p.b.retrieval.Roster(p.s)
}
