package review

import (
	"context"
	"slices"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/board/browse"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// ArtifactOptions selects artifacts. With only Tenant set, it lists the active ones.
type ArtifactOptions struct {
	Tenant string
	// Type and Tag narrow the list. Empty means any.
	Type hmx.ArtifactType
	Tag  string
	// Status is that of the artifacts. Empty means active; Any lists all.
	Status hmx.Status
	Any    bool
	// MinConfidence is the minimum confidence, from 0 to 1.
	MinConfidence float64
	Limit         int    // zero means 50, at most 1000
	After         string // the Next of the previous page
	View          board.View
}

// StoredArtifact is the current state of an artifact: its content as it was written,
// with the status, the successor and the time of the last transition.
type StoredArtifact struct {
	URI      memory.URI // without a version
	Artifact *hmx.Artifact
	Actor    string // who wrote it
	Trust    record.Trust
	Position uint64
	Recorded time.Time
}

// ArtifactPage is a part of a list, newest first.
type ArtifactPage struct {
	Artifacts []*StoredArtifact
	Next      string // empty at the end
}

// Artifacts returns artifacts, newest first.
func (b *Reviewer) Artifacts(ctx context.Context, o ArtifactOptions) (*ArtifactPage, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	limit, after, err := browse.PageFrom(o.Limit, 50, 1000, o.After)
	if err != nil {
		return nil, err
	}
	page := &ArtifactPage{}
	err = b.core.ReadAs(ctx, o.Tenant, o.View, func(s board.State) error {
		list := browse.ListOptions{
			Tenant: o.Tenant, Kind: record.Artifact, Class: string(o.Type), Tag: o.Tag, State: catalog.Live, Status: string(o.Status),
			MinConfidence: o.MinConfidence, Limit: limit,
		}
		var things browse.Page
		if err := browse.ListIn(ctx, b.core, s, list, after, &things); err != nil {
			return err
		}
		page.Next = things.Next
		for _, x := range things.Things {
			h, _, err := catalog.HeadOf(s.Reader, s.Tenant.Number, record.Artifact, catalog.ThingOf(s.Tenant.Name, record.Artifact, x.URI.ID))
			if err != nil {
				return err
			}
			if a, ok := x.Body.(*memory.Artifact); ok {
				page.Artifacts = append(page.Artifacts, standing(s.Tenant, h, &a.HMX))
			}
		}
		return nil
	})
	return page, err
}

// check validates options and fills in defaults.
func (o *ArtifactOptions) check() error {
	switch {
	case o.Any && o.Status != "":
		return fault.New(fault.InvalidArgument, "status, any: one of the two may say which statuses are wanted").WithFix("leave one out")
	case o.MinConfidence < 0 || o.MinConfidence > 1 || o.MinConfidence != o.MinConfidence:
		return fault.Newf(fault.InvalidArgument, "min_confidence: %v is not a number from 0 to 1", o.MinConfidence).WithFix("give a number in that range")
	case o.Status != "" && !slices.Contains(hmx.Statuses(), o.Status):
		return fault.Newf(fault.InvalidArgument, "status: there is no status %s", retrieval.Quoted(string(o.Status))).WithFix("use one of " + retrieval.Words(hmx.Statuses()))
	case o.Type != "" && !slices.Contains(hmx.ArtifactTypes(), o.Type) && !hmx.CustomType(string(o.Type)):
		return fault.Newf(fault.InvalidArgument, "type: there is no type %s of artifacts", retrieval.Quoted(string(o.Type))).
			WithFix("use one of " + retrieval.Words(hmx.ArtifactTypes()) + ", or x-{vendor}-{type}")
	}
	if o.Status == "" && !o.Any {
		o.Status = hmx.StatusActive
	}
	return nil
}

// standing returns the current state of an artifact, by its head.
func standing(t *ledger.Tenant, h *catalog.Head, written *hmx.Artifact) *StoredArtifact {
	a := *written
	a.Status = hmx.Status(h.Status)
	if h.Version > h.Content {
		a.UpdatedAt = hmx.Some(hmx.TimeOf(board.TimeOf(h.Updated)))
	}
	if next := learn.Linked(h, "superseded_by"); next != "" && a.Status == hmx.StatusSuperseded {
		a.SupersededBy = hmx.Some(next)
	}
	return &StoredArtifact{
		URI: memory.URI{Tenant: t.Name, Kind: record.Artifact, ID: h.ID}, Artifact: &a,
		Actor: h.Actor, Trust: h.Trust, Position: h.Position, Recorded: board.TimeOf(h.Created),
	}
}

// artifactOf reads the artifact of a head.
func (b *Reviewer) artifactOf(s board.State, h *catalog.Head) (*StoredArtifact, error) {
	body, err := b.core.BodyAt(s, record.Artifact, h.Position)
	if err != nil {
		return nil, err
	}
	a, ok := body.(*memory.Artifact)
	if !ok {
		return nil, fault.Newf(fault.Damaged, "%s is not an artifact", h.ID)
	}
	return standing(s.Tenant, h, &a.HMX), nil
}

// findArtifact returns the head of a live artifact that a view shows.
func findArtifact(s board.State, id string) (*catalog.Head, error) {
	if err := memory.CheckID("artifact", id); err != nil {
		return nil, err
	}
	h, err := board.FindHead(s, board.Ref{Kind: record.Artifact, ID: id})
	if err != nil {
		return nil, noArtifact(err)
	}
	if h.State != catalog.Live {
		return nil, fault.Newf(fault.NotFound, "artifact %s is %s", id, h.State).WithFix("`lukasa resolve` shows what it was")
	}
	return h, nil
}

// noArtifact adds advice to the error for a missing artifact.
func noArtifact(err error) error {
	if e := fault.From(err); e.Code == fault.NotFound {
		return e.WithFix("check the id and the tenant; `lukasa artifacts list --all` lists those there are")
	}
	return err
}

// ArtifactDetail is an artifact with its evidence and history.
type ArtifactDetail struct {
	StoredArtifact
	// HashVerified says that its content matches its hash.
	HashVerified bool
	// Events and Memories are how many sources it has, and Missing which of them are not
	// on record, or hidden from the caller: the first 100, of MissingCount.
	Events, Memories int
	Missing          []memory.URI
	MissingCount     int
	// Conflicts are its open conflicts, and those that it lost.
	Conflicts []memory.URI
	// Refined is the newest title by a language model; nil if there is none.
	Refined *Refined
	// Changes are its transitions, oldest first; the first is its creation.
	Changes []ArtifactChange
}

// ArtifactChange is one change of the status of an artifact.
type ArtifactChange struct {
	Status       hmx.Status
	Time         time.Time
	Actor        string
	Trust        record.Trust
	Position     uint64
	SupersededBy string
	Reason       string
}

// listedMissing is how many missing sources are listed.
const listedMissing = 100

// Artifact returns an artifact with its evidence: whether its hash is right and its
// sources exist, what contradicts it, and its transitions with their reasons.
func (b *Reviewer) Artifact(ctx context.Context, tenant, id string, v board.View) (*ArtifactDetail, error) {
	var out *ArtifactDetail
	err := b.core.ReadAs(ctx, tenant, v, func(s board.State) error {
		h, err := findArtifact(s, id)
		if err != nil {
			return err
		}
		out, err = b.artifactDetail(ctx, s, h)
		return err
	})
	return out, err
}

// artifactDetail is Artifact for a head.
func (b *Reviewer) artifactDetail(ctx context.Context, s board.State, h *catalog.Head) (*ArtifactDetail, error) {
	stored, err := b.artifactOf(s, h)
	if err != nil {
		return nil, err
	}
	a := stored.Artifact
	d := &ArtifactDetail{StoredArtifact: *stored, Events: len(a.SourceEvents), Memories: len(a.SourceMemoryIDs)}
	hash, err := hmx.ContentHash(a.Content)
	d.HashVerified = err == nil && hash == a.ContentHash
	if err := b.evidence(ctx, s, d); err != nil {
		return nil, err
	}
	if d.Conflicts, err = b.contradictions(s, stored.URI); err != nil {
		return nil, err
	}
	if d.Refined, err = b.refined(s, h.ID); err != nil {
		return nil, err
	}
	d.Changes, err = b.artifactChanges(s, h)
	return d, err
}

// evidence looks up the sources of an artifact.
func (b *Reviewer) evidence(ctx context.Context, s board.State, d *ArtifactDetail) error {
	miss := func(kind record.Kind, id string) {
		if d.MissingCount++; d.MissingCount <= listedMissing {
			d.Missing = append(d.Missing, memory.URI{Tenant: s.Tenant.Name, Kind: kind, ID: id})
		}
	}
	for i, id := range d.Artifact.SourceEvents {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		there, err := b.eventThere(s, id)
		if err != nil {
			return err
		}
		if !there {
			miss(record.Event, id)
		}
	}
	for _, id := range d.Artifact.SourceMemoryIDs {
		h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, record.Memory, catalog.ThingOf(s.Tenant.Name, record.Memory, id))
		if err != nil {
			return err
		}
		if !ok || h.State == catalog.Redacted || !access.Sees(s.View, h) {
			miss(record.Memory, id)
		}
	}
	return nil
}

// eventThere reports whether an event is on record and visible. Without a scope its text
// is not read.
func (b *Reviewer) eventThere(s board.State, id string) (bool, error) {
	if s.View.Scope != "" {
		_, err := b.core.EventSeen(s, id)
		if code := fault.CodeOf(err); code == fault.NotFound || code == fault.Erased {
			return false, nil
		}
		return err == nil, err
	}
	digest := record.ID(s.Tenant.Name, record.Event, id)
	position, ok, err := ledger.Find(s.Reader, s.Tenant.Number, &digest)
	if err != nil || !ok {
		return false, err
	}
	_, gone, err := ledger.Erased(s.Reader, s.Tenant.Number, position)
	return !gone, err
}

// contradictions returns the conflicts that count against an artifact: open ones, and
// those that it lost.
func (b *Reviewer) contradictions(s board.State, u memory.URI) ([]memory.URI, error) {
	var found []memory.URI
	var failed error
	err := catalog.ReferrersOf(s.Reader, s.Tenant.Number, u.Head().String(), record.Conflict, func(ref catalog.Referrer) bool {
		var h *catalog.Head
		if h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, record.Conflict, ref.Thing); failed != nil || h == nil {
			return failed == nil
		}
		lost := slices.ContainsFunc(h.Links, func(l catalog.Link) bool { return l.Rel == "winner" && l.To != u.Head().String() })
		against := h.Status == string(memory.ConflictOpen) || h.Status == string(memory.ConflictResolved) && lost
		c := memory.URI{Tenant: s.Tenant.Name, Kind: record.Conflict, ID: h.ID}
		if against && access.Sees(s.View, h) && !slices.Contains(found, c) {
			found = append(found, c)
		}
		return true
	})
	return found, fault.First(failed, err)
}

// artifactChanges returns the transitions of an artifact, with their reasons.
func (b *Reviewer) artifactChanges(s board.State, h *catalog.Head) ([]ArtifactChange, error) {
	entries, err := catalog.Entries(s.Reader, s.Tenant.Number, record.Artifact, catalog.ThingOf(s.Tenant.Name, record.Artifact, h.ID))
	if err != nil {
		return nil, err
	}
	var list []ArtifactChange
	for _, e := range entries {
		c := ArtifactChange{Time: board.TimeOf(e.Time), Actor: e.Actor, Trust: e.Trust, Position: e.Position}
		f, err := b.core.FrameAt(s, e.Position)
		if err != nil {
			return nil, err
		}
		rec, err := apply.Decode(&f)
		if err != nil {
			return nil, err
		}
		switch x := rec.Control.(type) {
		case *memory.Transition:
			c.Status, c.SupersededBy, c.Reason = x.To, x.SupersededBy, x.Reason
		default:
			a, ok := rec.Body.(*memory.Artifact)
			if !ok {
				continue // it went and came back, or was erased since
			}
			c.Status, c.SupersededBy = a.HMX.Status, a.HMX.SupersededBy.Or("")
		}
		list = append(list, c)
	}
	return list, nil
}
