package excerpt

import (
	"math"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// DerivedFromErased reports whether something was derived of what is erased by now, so that it may
// quote what nobody is to read. An artifact is with the first of its sources that was
// redacted, until it is compiled again; whatever else names sources is with the last of them
// that is gone. In a past state that holds for what was erased since, too.
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

// erased returns what became of a source.
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
