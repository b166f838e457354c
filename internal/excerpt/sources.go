package excerpt

import (
	"fmt"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/record"
)

// MaxSources is how many of the stated sources of a record are looked up.
const MaxSources = 64

// SourcesOf returns the sources of a record, up to a maximum, and their number.
func SourcesOf(body memory.Body, most int) (list []memory.URI, all int) {
	switch b := body.(type) {
	case *memory.Memory:
		list = b.Sources
	case *memory.Entity:
		list = b.Sources
	case *memory.Relation:
		list = b.Sources
	case *memory.Conflict:
		list = b.Between
	case *memory.Artifact:
		for _, id := range b.HMX.SourceEvents[:min(len(b.HMX.SourceEvents), most)] {
			list = append(list, memory.URI{Kind: record.Event, ID: id})
		}
		rest := min(len(b.HMX.SourceMemoryIDs), most-len(list))
		for _, id := range b.HMX.SourceMemoryIDs[:rest] {
			list = append(list, memory.URI{Kind: record.Memory, ID: id})
		}
		return list, len(b.HMX.SourceEvents) + len(b.HMX.SourceMemoryIDs)
	}
	return list[:min(len(list), most)], len(list)
}

// prove looks up the sources of a record: each must be on record.
func (p *Reading) prove(body memory.Body, s *pack.Source) error {
	if a, ok := body.(*memory.Artifact); ok {
		if hash, err := hmx.ContentHash(a.HMX.Content); err != nil || hash != a.HMX.ContentHash {
			s.Evidence, s.Unproven = 0, "its content has another hash than it states"
			return nil
		}
	}
	if erased, err := p.DerivedFromErased(body); err != nil || erased {
		s.Evidence, s.Unproven = 0, "what it was derived from is erased"
		return err
	}
	sources, all := SourcesOf(body, MaxSources)
	if len(sources) == 0 {
		return nil
	}
	s.Evidence = 0
	for _, u := range sources {
		_, ok, err := p.sourceAt(u)
		if err != nil {
			return err
		}
		if ok {
			s.Evidence++
		}
	}
	if s.Evidence == 0 {
		s.Unproven = fmt.Sprintf("none of its %d sources is on record", all)
	}
	return nil
}

// sourceAt returns the position of a source, and whether it still exists and is
// visible. For a versioned record it is the version with its content.
func (p *Reading) sourceAt(u memory.URI) (position uint64, ok bool, err error) {
	if u.Tenant != "" && u.Tenant != p.Tenant.Name {
		return 0, false, nil
	}
	if u.Kind == record.Event {
		id := record.ID(p.Tenant.Name, record.Event, u.ID)
		if position, ok, err = ledger.Find(p.Reader, p.Tenant.Number, &id); err != nil || !ok {
			return 0, false, err
		}
	} else {
		h, found, err := catalog.HeadOf(p.Reader, p.Tenant.Number, u.Kind, catalog.ThingOf(p.Tenant.Name, u.Kind, u.ID))
		if err != nil || !found || h.State == catalog.Redacted {
			return 0, false, err
		}
		if shown, err := p.Shows(h); err != nil || !shown {
			return 0, false, err
		}
		position = h.Position
	}
	_, gone, err := ledger.Erased(p.Reader, p.Tenant.Number, position)
	if err == nil && !gone && p.Since != nil {
		var since board.Fate
		since, err = p.Since(position)
		gone = since != board.OnRecord
	}
	if err == nil && !gone && u.Kind == record.Event && access.Of(p.View) != nil {
		shown, err := p.showsEvent(position)
		return position, shown, err
	}
	return position, !gone, err
}

// showsEvent reports whether the caller may see the event at a position. An unreadable
// one is hidden from all.
func (p *Reading) showsEvent(position uint64) (bool, error) {
	rec, err := p.Record(position)
	if err != nil || rec == nil || rec.Event == nil {
		return false, p.Passed(err)
	}
	return access.SeesEvent(p.View, rec.Event), nil
}
