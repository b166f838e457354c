package engine

import (
	"maps"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// artifact is what a compile has to know of an artifact that one made before. Artifacts
// never change, so it is kept with the traces and not read again.
type artifact struct {
	Position   uint64           `json:"position"`
	Type       hmx.ArtifactType `json:"type"`
	Title      string           `json:"title"`
	Version    int64            `json:"version"`
	Hash       string           `json:"hash"`
	Metadata   string           `json:"metadata"`
	Supersedes string           `json:"supersedes,omitempty"`
	Source     string           `json:"source,omitempty"` // one of the events that it was made of
	// What it recommends, if it is a decision policy; see recommended.
	About string `json:"about,omitempty"`
	Says  string `json:"says,omitempty"`
	Text  string `json:"text,omitempty"`
}

// gatherArtifacts finds out which artifacts compiles made, those that are put aside too.
func (c *compilation) gatherArtifacts(r kv.Reader, t *ledger.Tenant, old *traced) error {
	c.heads, c.byHand = make(map[string]*catalog.Head), make(map[string]bool)
	var failed error
	for _, state := range []catalog.State{catalog.Live, catalog.Forgotten} {
		err := catalog.List(r, t.Number, catalog.All(record.Artifact, state), nil, func(_ []byte, d catalog.Thing) bool {
			var h *catalog.Head
			if h, _, failed = catalog.HeadOf(r, t.Number, record.Artifact, d); failed == nil && h != nil && h.Actor == Compiler {
				c.heads[h.ID] = h
			}
			return failed == nil
		})
		if err := first(failed, err); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.heads)) {
		if err := c.know(r, t, c.heads[id], old.Artifacts[id]); err != nil {
			return err
		}
	}
	return nil
}

// know finds out what an artifact is now. What it was made of is read only if something
// was erased.
func (c *compilation) know(r kv.Reader, t *ledger.Tenant, h *catalog.Head, was *artifact) error {
	status := hmx.Status(h.Status)
	if h.State == catalog.Forgotten {
		status = hmx.StatusArchived // nobody wants it any more
	}
	inUse := status == hmx.StatusActive || status == hmx.StatusDraft
	var sources []string
	if was == nil || was.Position != h.Position || inUse && len(c.gone) > 0 {
		body, err := c.b.bodyAt(r, t, record.Artifact, h.Position)
		if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
			return nil
		}
		if err != nil {
			return err
		}
		a, ok := body.(*memory.Artifact)
		if !ok {
			return fault.Newf(fault.Damaged, "artifact %s is none", h.ID)
		}
		was, sources = shortened(&a.HMX, h.Position), a.HMX.SourceEvents
	}
	if sources == nil && was.Source != "" {
		sources = []string{was.Source}
	}
	c.traced.Artifacts[h.ID] = was
	a := &hmx.Artifact{
		HMXVersion: hmx.Version, ArtifactID: h.ID, ArtifactType: was.Type, Title: was.Title, Status: status, Version: was.Version,
		ContentHash: was.Hash, Metadata: hmx.Raw(was.Metadata), Confidence: h.Confidence, SourceEvents: sources,
	}
	if was.Supersedes != "" {
		a.Supersedes = hmx.Some(was.Supersedes)
	}
	if next := linked(h, "superseded_by"); next != "" {
		a.SupersededBy = hmx.Some(next)
	}
	c.known = append(c.known, a)
	entries, err := catalog.Entries(r, t.Number, record.Artifact, catalog.ThingOf(t.Name, record.Artifact, h.ID))
	if err != nil {
		return err
	}
	if last := entries[len(entries)-1]; last.Actor != Compiler {
		c.byHand[h.ID] = true
	}
	return nil
}

// shortened returns what has to be known of an artifact.
func shortened(a *hmx.Artifact, position uint64) *artifact {
	x := &artifact{
		Position: position, Type: a.ArtifactType, Title: a.Title, Version: a.Version, Hash: a.ContentHash,
		Metadata: string(a.Metadata), Supersedes: a.Supersedes.Or(""),
	}
	if len(a.SourceEvents) > 0 {
		x.Source = a.SourceEvents[0]
	}
	x.About, x.Says, x.Text = recommended(a)
	return x
}

// linked returns the id of what a thing refers to in a relation, the last of several.
func linked(h *catalog.Head, rel string) (id string) {
	for _, l := range h.Links {
		if l.Rel != rel {
			continue
		}
		if u, err := memory.ParseURI(l.To); err == nil {
			id = u.ID
		}
	}
	return id
}
