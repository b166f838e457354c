package lukasa

import (
	"context"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
)

// Looking at what was learned, and deciding about it. docs/compile.md describes it.
type (
	// ArtifactType says what kind of knowledge an artifact holds.
	ArtifactType = hmx.ArtifactType
	// ArtifactOptions says which artifacts are listed: those that are active, unless it
	// says otherwise.
	ArtifactOptions = engine.ArtifactOptions
	// ArtifactPage is a part of a list of artifacts.
	ArtifactPage = engine.ArtifactPage
	// StoredArtifact is an artifact as it stands now.
	StoredArtifact = engine.StoredArtifact
	// ArtifactDetail is an artifact with what stands behind it.
	ArtifactDetail = engine.ArtifactDetail
	// ArtifactChange is one change of the status of an artifact.
	ArtifactChange = engine.ArtifactChange
	// ArtifactVersion is an artifact of a chain, with what became of it.
	ArtifactVersion = engine.ArtifactVersion
	// ArtifactDiff is what changed from one artifact to another.
	ArtifactDiff = engine.ArtifactDiff
	// ArtifactDifference is one place at which two artifacts differ.
	ArtifactDifference = engine.ArtifactDifference
	// DiffOp is how a place differs.
	DiffOp = engine.DiffOp
	// ArtifactDecided says what became of an artifact.
	ArtifactDecided = engine.ArtifactDecided

	// ConflictStatus says where a conflict stands.
	ConflictStatus = memory.ConflictStatus
	// ConflictOptions says which conflicts are listed: those that are open, unless it
	// says otherwise.
	ConflictOptions = engine.ConflictOptions
	// ConflictPage is a part of a list of conflicts.
	ConflictPage = engine.ConflictPage
	// StoredConflict is a conflict, with what it is between.
	StoredConflict = engine.StoredConflict
	// ConflictSide is one of the things that a conflict is between.
	ConflictSide = engine.ConflictSide
)

// How places of two artifacts differ.
const (
	DiffAdd    = engine.DiffAdd
	DiffRemove = engine.DiffRemove
	DiffChange = engine.DiffChange
	DiffOrder  = engine.DiffOrder
)

// Artifacts returns artifacts, newest first, a page at a time: the active ones, unless
// the options say otherwise.
func (t *Tenant) Artifacts(ctx context.Context, o ArtifactOptions) (*ArtifactPage, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Artifacts(ctx, o)
}

// Artifact returns an artifact with what stands behind it: whether its hash is right and
// its evidence on record, what contradicts it, and what became of it and why.
func (t *Tenant) Artifact(ctx context.Context, id string, v View) (*ArtifactDetail, error) {
	return t.engine.Artifact(ctx, t.name, id, t.view(v))
}

// ArtifactChain returns the versions of an artifact, the oldest first, and the drafts
// that would supersede one of them.
func (t *Tenant) ArtifactChain(ctx context.Context, id string, v View) ([]*ArtifactVersion, error) {
	return t.engine.ArtifactChain(ctx, t.name, id, t.view(v))
}

// DiffArtifacts returns what changed from one artifact to another. An empty from means
// the one that to supersedes.
func (t *Tenant) DiffArtifacts(ctx context.Context, from, to string, v View) (*ArtifactDiff, error) {
	return t.engine.DiffArtifacts(ctx, t.name, from, to, t.view(v))
}

// ApproveArtifact makes a draft active, if its hash is right, its evidence on record and
// nothing contradicts it. The active version that it supersedes is superseded with it.
// What was approved stays active while its evidence is there: what a compile finds later
// waits as a draft.
func (t *Tenant) ApproveArtifact(ctx context.Context, id, reason string) (*ArtifactDecided, error) {
	return t.decide(ctx, id, hmx.StatusActive, reason)
}

// ArchiveArtifact takes an active artifact out of use. No compile brings it back, also
// when it was observed more often since.
func (t *Tenant) ArchiveArtifact(ctx context.Context, id, reason string) (*ArtifactDecided, error) {
	return t.decide(ctx, id, hmx.StatusArchived, reason)
}

// DeprecateArtifact takes an active artifact or a draft out of use, because it is wrong.
// No compile brings it back.
func (t *Tenant) DeprecateArtifact(ctx context.Context, id, reason string) (*ArtifactDecided, error) {
	return t.decide(ctx, id, hmx.StatusDeprecated, reason)
}

func (t *Tenant) decide(ctx context.Context, id string, to Status, reason string) (*ArtifactDecided, error) {
	return t.engine.DecideArtifact(ctx, t.writer, engine.ArtifactDecision{Tenant: t.name, ID: id, To: to, Reason: reason})
}

// Conflicts returns conflicts, newest first, a page at a time: the open ones, unless the
// options say otherwise.
func (t *Tenant) Conflicts(ctx context.Context, o ConflictOptions) (*ConflictPage, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Conflicts(ctx, o)
}

// Conflict returns a conflict, with what it is between.
func (t *Tenant) Conflict(ctx context.Context, id string, v View) (*StoredConflict, error) {
	return t.engine.Conflict(ctx, t.name, id, t.view(v))
}

// ResolveConflict settles a conflict: the winner, one of the things it is between, holds.
// Without a winner none of them does more than the others. Packs leave out what has
// lost.
func (t *Tenant) ResolveConflict(ctx context.Context, id string, winner URI, resolution string) (*PutResult, error) {
	return t.engine.SettleConflict(ctx, t.writer, engine.ConflictSettlement{Tenant: t.name, ID: id, Winner: winner, Resolution: resolution})
}

// DismissConflict says that there is no conflict after all.
func (t *Tenant) DismissConflict(ctx context.Context, id, reason string) (*PutResult, error) {
	return t.engine.SettleConflict(ctx, t.writer, engine.ConflictSettlement{Tenant: t.name, ID: id, Dismiss: true, Resolution: reason})
}
