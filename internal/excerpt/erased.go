package excerpt

import (
	"math"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// DerivedFromErased reports whether a record was derived from erased ones, so that it may quote
// them. For an artifact, the first redacted source counts, until it is compiled again; for any
// other record with sources, the last one. In a past state, later erasures count too.
func (p *Reading) DerivedFromErased(body memory.Body) (bool, error) {
	if p.Whole && p.Since == nil {
		return false, nil
	}
	_, compiled := body.(*memory.Artifact)
	sources, _ := SourcesOf(body, math.MaxInt)
	left := len(sources) == 0
	for _, u := range sources {
		switch e, err := p.erased(u); {
		case err != nil:
			return false, err
		case e == board.WasRedacted && compiled:
			return true, nil
		case e == board.OnRecord:
			if left = true; !compiled {
				return false, nil
			}
		}
	}
	return !left, nil
}

// ArtifactDerivedFromErased is DerivedFromErased for the artifact of an id.
func (p *Reading) ArtifactDerivedFromErased(id string) (bool, error) {
	if p.Whole && p.Since == nil {
		return false, nil
	}
	h, ok, err := catalog.HeadOf(p.Reader, p.Tenant.Number, record.Artifact, catalog.ThingOf(p.Tenant.Name, record.Artifact, id))
	if err != nil || !ok {
		return false, err
	}
	rec, err := p.Record(h.Position)
	if err != nil || rec == nil || rec.Body == nil {
		return true, p.Passed(err)
	}
	return p.DerivedFromErased(rec.Body)
}

// erased returns the fate of a source.
func (p *Reading) erased(u memory.URI) (board.Fate, error) {
	if u.Tenant != "" && u.Tenant != p.Tenant.Name {
		return board.OnRecord, nil
	}
	position := uint64(0)
	if u.Kind == record.Event {
		id := record.ID(p.Tenant.Name, record.Event, u.ID)
		at, ok, err := ledger.Find(p.Reader, p.Tenant.Number, &id)
		if err != nil || !ok {
			return board.OnRecord, err
		}
		position = at
	} else {
		h, ok, err := catalog.HeadOf(p.Reader, p.Tenant.Number, u.Kind, catalog.ThingOf(p.Tenant.Name, u.Kind, u.ID))
		switch {
		case err != nil || !ok:
			return board.OnRecord, err
		case h.State == catalog.Redacted:
			return board.WasRedacted, nil
		}
		position = h.Position
	}
	if p.Since != nil {
		if e, err := p.Since(position); err != nil || e != board.OnRecord {
			return e, err
		}
	}
	return p.From.Core().ErasureOf(p.State(), position)
}
