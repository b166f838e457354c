package lukasa

import (
	"context"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
)

// Artifacts and decisions about them. docs/compile.md describes it.
type (
	// ArtifactType is the type of an artifact.
	ArtifactType = hmx.ArtifactType
	// ArtifactOptions selects the artifacts to list: the active ones by default.
	ArtifactOptions = engine.ArtifactOptions
	// ArtifactPage is a page of a list of artifacts.
	ArtifactPage = engine.ArtifactPage
	// StoredArtifact is an artifact in its current state.
	StoredArtifact = engine.StoredArtifact
	// ArtifactDetail is an artifact with its evidence and history.
	ArtifactDetail = engine.ArtifactDetail
	// ArtifactChange is one change of the status of an artifact.
	ArtifactChange = engine.ArtifactChange
	// ArtifactVersion is an artifact of a chain, with its status.
	ArtifactVersion = engine.ArtifactVersion
	// ArtifactDiff is what changed from one artifact to another.
	ArtifactDiff = engine.ArtifactDiff
	// ArtifactDifference is one place at which two artifacts differ.
	ArtifactDifference = engine.ArtifactDifference
	// DiffOp is how a place differs.
	DiffOp = engine.DiffOp
	// ArtifactDecided is the result of a decision about an artifact.
	ArtifactDecided = engine.ArtifactDecided

	// ConflictStatus is the state of a conflict.
	ConflictStatus = memory.ConflictStatus
	// ConflictOptions selects the conflicts to list: the open ones by default.
	ConflictOptions = engine.ConflictOptions
	// ConflictPage is a page of a list of conflicts.
	ConflictPage = engine.ConflictPage
	// StoredConflict is a conflict with its sides.
	StoredConflict = engine.StoredConflict
	// ConflictSide is one of the records of a conflict.
	ConflictSide = engine.ConflictSide
)

// How places of two artifacts differ.
const (
	DiffAdd    = engine.DiffAdd
	DiffRemove = engine.DiffRemove
	DiffChange = engine.DiffChange
	DiffOrder  = engine.DiffOrder
)

// Artifacts returns artifacts, newest first, a page at a time: the active ones by default.
func (t *Tenant) Artifacts(ctx context.Context, o ArtifactOptions) (*ArtifactPage, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Artifacts(ctx, o)
}

// Artifact returns an artifact with its evidence and history: whether its hash is right and its
// evidence on record, what contradicts it, and the changes of its status with their reasons.
func (t *Tenant) Artifact(ctx context.Context, id string, v View) (*ArtifactDetail, error) {
	return t.engine.Artifact(ctx, t.name, id, t.view(v))
}

// ArtifactChain returns the versions of an artifact, the oldest first, and the drafts that
// would supersede one of them.
func (t *Tenant) ArtifactChain(ctx context.Context, id string, v View) ([]*ArtifactVersion, error) {
	return t.engine.ArtifactChain(ctx, t.name, id, t.view(v))
}

// DiffArtifacts returns what changed from one artifact to another. An empty from means the one
// that to supersedes.
func (t *Tenant) DiffArtifacts(ctx context.Context, from, to string, v View) (*ArtifactDiff, error) {
	return t.engine.DiffArtifacts(ctx, t.name, from, to, t.view(v))
}

// ApproveArtifact activates a draft, if its hash is right, its evidence on record and nothing
// contradicts it. The active version that it supersedes becomes superseded. An approved
// artifact stays active while its evidence exists: what a compile finds later waits as a draft.
func (t *Tenant) ApproveArtifact(ctx context.Context, id, reason string) (*ArtifactDecided, error) {
	return t.decide(ctx, id, hmx.StatusActive, reason)
}

// ArchiveArtifact deactivates an active artifact. No compile brings it back, even with more
// evidence.
func (t *Tenant) ArchiveArtifact(ctx context.Context, id, reason string) (*ArtifactDecided, error) {
	return t.decide(ctx, id, hmx.StatusArchived, reason)
}

// DeprecateArtifact deactivates an active artifact or a draft because it is wrong. No compile
// brings it back.
func (t *Tenant) DeprecateArtifact(ctx context.Context, id, reason string) (*ArtifactDecided, error) {
	return t.decide(ctx, id, hmx.StatusDeprecated, reason)
}

func (t *Tenant) decide(ctx context.Context, id string, to Status, reason string) (*ArtifactDecided, error) {
	return t.engine.DecideArtifact(ctx, t.writer, engine.ArtifactDecision{Tenant: t.name, ID: id, To: to, Reason: reason})
}

// Conflicts returns conflicts, newest first, a page at a time: the open ones by default.
func (t *Tenant) Conflicts(ctx context.Context, o ConflictOptions) (*ConflictPage, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Conflicts(ctx, o)
}

// Conflict returns a conflict with its sides.
func (t *Tenant) Conflict(ctx context.Context, id string, v View) (*StoredConflict, error) {
	return t.engine.Conflict(ctx, t.name, id, t.view(v))
}

// ResolveConflict settles a conflict: the winner, one of its sides, holds. Without a winner no
// side is preferred. Packs leave out the losers.
func (t *Tenant) ResolveConflict(ctx context.Context, id string, winner URI, resolution string) (*PutResult, error) {
	return t.engine.SettleConflict(ctx, t.writer, engine.ConflictSettlement{Tenant: t.name, ID: id, Winner: winner, Resolution: resolution})
}

// DismissConflict records that there is no conflict.
func (t *Tenant) DismissConflict(ctx context.Context, id, reason string) (*PutResult, error) {
	return t.engine.SettleConflict(ctx, t.writer, engine.ConflictSettlement{Tenant: t.name, ID: id, Dismiss: true, Resolution: reason})
}
