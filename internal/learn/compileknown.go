package learn

import (
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/sessions"
)

// gatherArtifacts finds the artifacts of earlier compiles, including inactive ones.
func (c *compilation) gatherArtifacts(s board.State, old *sessions.Traced) error {
	var things []catalog.Thing
	for _, state := range []catalog.State{catalog.Live, catalog.Forgotten} {
		err := catalog.List(s.Reader, s.Tenant.Number, catalog.All(record.Artifact, state), nil, func(_ []byte, d catalog.Thing) bool {
			things = append(things, d)
			return true
		})
		if err != nil {
			return err
		}
	}
	found := make([]knownArtifact, len(things))
	err := index.Share(len(things), index.Parts(len(things), knownTogether), func(_, from, to int) (err error) {
		for i := from; i < to && err == nil; i++ {
			found[i], err = c.know(s, things[i], old)
		}
		return err
	})
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(k knownArtifact) bool { return k.head == nil })
	slices.SortFunc(found, func(a, b knownArtifact) int { return strings.Compare(a.head.ID, b.head.ID) })
	c.heads, c.byHand = make(map[string]*catalog.Head, len(found)), make(map[string]bool)
	for _, k := range found {
		id := k.head.ID
		if c.heads[id] = k.head; k.hmx == nil {
			continue
		}
		c.traced.Artifacts[id] = k.kept
		c.known = append(c.known, k.hmx)
		if k.byHand {
			c.byHand[id] = true
		}
	}
	return nil
}

// knownTogether is how many artifacts are worth a goroutine.
const knownTogether = 64

// knownArtifact is the result of reading an artifact: only its head if it is unreadable,
// and nothing if no compile wrote it.
type knownArtifact struct {
	head   *catalog.Head
	kept   *sessions.KnownArtifact
	hmx    *hmx.Artifact
	byHand bool // another writer set its status
}

// know determines the current state of an artifact. It reads the sources only if something
// was erased.
func (c *compilation) know(s board.State, d catalog.Thing, old *sessions.Traced) (k knownArtifact, err error) {
	h, _, err := catalog.HeadOf(s.Reader, s.Tenant.Number, record.Artifact, d)
	if err != nil || h == nil || h.Actor != Compiler {
		return k, err
	}
	k.head = h
	was := old.Artifacts[h.ID]
	status := hmx.Status(h.Status)
	if h.State == catalog.Forgotten {
		status = hmx.StatusArchived // it was forgotten
	}
	inUse := status == hmx.StatusActive || status == hmx.StatusDraft
	var sources []string
	if was == nil || was.Position != h.Position || inUse && len(c.gone) > 0 {
		body, err := c.b.core.BodyAt(s, record.Artifact, h.Position)
		if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
			return k, nil
		}
		if err != nil {
			return k, err
		}
		a, ok := body.(*memory.Artifact)
		if !ok {
			return k, fault.Newf(fault.Damaged, "%s is not an artifact", h.ID)
		}
		was, sources = shortened(&a.HMX, h.Position), a.HMX.SourceEvents
	}
	if sources == nil && was.Source != "" {
		sources = []string{was.Source}
	}
	k.kept = was
	k.hmx = &hmx.Artifact{
		HMXVersion: hmx.Version, ArtifactID: h.ID, ArtifactType: was.Type, Title: was.Title, Status: status, Version: was.Version,
		ContentHash: was.Hash, Metadata: hmx.Raw(was.Metadata), Confidence: h.Confidence, SourceEvents: sources,
	}
	if was.Supersedes != "" {
		k.hmx.Supersedes = hmx.Some(was.Supersedes)
	}
	if next := Linked(h, "superseded_by"); next != "" {
		k.hmx.SupersededBy = hmx.Some(next)
	}
	entries, err := catalog.Entries(s.Reader, s.Tenant.Number, record.Artifact, d)
	if err == nil {
		k.byHand = entries[len(entries)-1].Actor != Compiler
	}
	return k, err
}

// shortened returns the part of an artifact that a compile needs.
func shortened(a *hmx.Artifact, position uint64) *sessions.KnownArtifact {
	x := &sessions.KnownArtifact{
		Position: position, Type: a.ArtifactType, Title: a.Title, Version: a.Version, Hash: a.ContentHash,
		Metadata: string(a.Metadata), Supersedes: a.Supersedes.Or(""),
	}
	if len(a.SourceEvents) > 0 {
		x.Source = a.SourceEvents[0]
	}
	x.About, x.Says, x.Text = recommended(a)
	return x
}

// Linked returns the id that a record refers to in a relation, the last of several.
func Linked(h *catalog.Head, rel string) (id string) {
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
