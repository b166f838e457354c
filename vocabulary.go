package lukasa

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
)

// What is remembered. docs/formats/memory.md lists the fields and rules.
type (
	// Event is an HMX event.
	Event = hmx.Event
	// Status is the status of an artifact.
	Status = hmx.Status

	// Body is what a versioned thing says: one of the types below.
	Body = memory.Body
	// Memory is something remembered: a fact, a preference, a goal …
	Memory = memory.Memory
	// Edge connects two things.
	Edge = memory.Edge
	// Entity is somebody or something that is spoken of.
	Entity = memory.Entity
	// Relation connects two entities.
	Relation = memory.Relation
	// Conflict says that things contradict each other.
	Conflict = memory.Conflict
	// Policy is what an operator decreed.
	Policy = memory.Policy
	// Artifact is an HMX artifact: compiled knowledge.
	Artifact = memory.Artifact
	// Feedback says what was of use, and how it went.
	Feedback = memory.Feedback
	// Embedding is a vector that a model outside the program made.
	Embedding = memory.Embedding
	// Refinement is a title and a summary of an artifact that a model outside the
	// program wrote.
	Refinement = memory.Refinement
	// Violation says what a scope refused.
	Violation = memory.Violation
	// Frame is what something is about: a verb, a kind of object, and which.
	Frame = memory.Frame
	// URI names a thing: lukasa://<tenant>/<kind>/<id>[#version].
	URI = memory.URI
)

// What a memory of each type says beyond its text: the Data of a [Memory].
type (
	// IdentityData says who somebody is.
	IdentityData = memory.Identity
	// FactData says what is the case, as subject, predicate and object.
	FactData = memory.Fact
	// PreferenceData says what is liked or not.
	PreferenceData = memory.Preference
	// BeliefData says on what evidence something is held to be so.
	BeliefData = memory.Belief
	// EventData says what was done and how it went.
	EventData = memory.Event
	// GoalData says how far a goal is.
	GoalData = memory.Goal
	// ConstraintData says how strict a rule is.
	ConstraintData = memory.Constraint
	// CapabilityData says what somebody can do.
	CapabilityData = memory.Capability
	// PatternData says what follows from what.
	PatternData = memory.Pattern
	// PolicyScope narrows a policy.
	PolicyScope = memory.Scope
	// Retention says how long a policy keeps things.
	Retention = memory.Retention
)

// DecodeMemory reads a memory from JSON, strictly, as docs/formats/memory.md
// describes it.
func DecodeMemory(data []byte) (*Memory, error) {
	body, err := memory.Decode(record.Memory, data)
	if err != nil {
		return nil, err
	}
	return body.(*Memory), nil
}

// DecodeBody reads a thing of a kind from JSON, strictly.
func DecodeBody(kind Kind, data []byte) (Body, error) { return memory.Decode(kind, data) }

// ParseURI reads a URI.
func ParseURI(s string) (URI, error) { return memory.ParseURI(s) }

// Kind says what a record or a thing is.
type Kind = record.Kind

// The kinds of things and events.
const (
	EventKind    = record.Event
	MemoryKind   = record.Memory
	EdgeKind     = record.Edge
	EntityKind   = record.Entity
	RelationKind = record.Relation
	ConflictKind = record.Conflict
	PolicyKind   = record.Policy
	ArtifactKind = record.Artifact
	FeedbackKind = record.Feedback
	// EmbeddingKind is of vectors that models outside the program made. Only the
	// board writes them.
	EmbeddingKind = record.Embedding
	// RefinementKind is of titles and summaries that models outside the program
	// wrote. Only the board writes them.
	RefinementKind = record.Refinement
	// ViolationKind is of what scopes refused. Only the board writes them.
	ViolationKind = record.Violation
)

// Trust says how far a text may be believed: by who wrote it, never by what it
// says.
type Trust = record.Trust

// The tiers of trust, lowest first.
const (
	External = record.External
	Tool     = record.Tool
	Agent    = record.Agent
	User     = record.User
	Operator = record.Operator
)

// SystemTenant is the tenant in which a server keeps what it knows of itself: keys,
// limits, what operators did. No call of this package reads it or writes to it, and it
// is not listed among tenants.
const SystemTenant = engine.SystemTenant

// State is whether a thing is there.
type State = catalog.State

// The states of a thing.
const (
	Live      = catalog.Live
	Forgotten = catalog.Forgotten
	Ended     = catalog.Expired
)

// Who writes, what was written, and who looks.
type (
	// Writer is who writes, and how far it is trusted at most.
	Writer = engine.Writer
	// Expect is the version that a write wants to find.
	Expect = engine.Expect
	// PutResult says where a write went.
	PutResult = engine.PutResult
	// Ref names a thing, by id or by key.
	Ref = engine.Ref
	// View says who looks, and when.
	View = engine.View
	// Thing is a versioned thing as it was at one version.
	Thing = engine.Thing
	// Change is one version in a history.
	Change = engine.Change
	// VersionsOptions says of what the versions are wanted.
	VersionsOptions = engine.VersionsOptions
	// VersionsPage is a part of a thing's history, oldest first.
	VersionsPage = engine.VersionsPage
	// ListOptions says which things are listed.
	ListOptions = engine.ListOptions
	// Page is a part of a list.
	Page = engine.Page
	// Resolved is what a URI names.
	Resolved = engine.Resolved
	// Erasure says what a redaction did.
	Erasure = engine.Erasure
	// Expired says what an expiry took away.
	Expired = engine.Expired
)

// AnyVersion expects nothing of what is there.
func AnyVersion() Expect { return engine.AnyVersion() }

// Version expects a thing to be at a version; 0 expects that there is none.
func Version(v uint32) Expect { return engine.Version(v) }

// Events, in and out.
type (
	// AppendResult says what became of events.
	AppendResult = engine.AppendResult
	// EventReceipt says what became of one event.
	EventReceipt = engine.EventReceipt
	// Handout marks what is put into a prompt, and cuts it where it comes back.
	Handout = echo.Marker
	// Disposition is what became of an event.
	Disposition = engine.Disposition
	// IngestOptions says how a stream is taken in.
	IngestOptions = engine.IngestOptions
	// IngestReport says what became of a stream.
	IngestReport = engine.IngestReport
	// Rejection is a line of a stream that was not recorded.
	Rejection = engine.Rejection
	// StoredEvent is an event as it is recorded.
	StoredEvent = engine.StoredEvent
	// EventQuery says which events are wanted.
	EventQuery = engine.EventQuery
	// EventPage is a part of an answer.
	EventPage = engine.EventPage
	// SessionInfo is what is known of a session or an agent as a whole.
	SessionInfo = engine.SessionInfo
)

// What can become of an event.
const (
	Accepted  = engine.Accepted
	Late      = engine.Late
	Duplicate = engine.Duplicate
	Refused   = engine.Refused
	Own       = engine.Own // what was handed out, which is not recorded
)

// Roots, proofs and checks.
type (
	// Root names the state of a tenant.
	Root = engine.Root
	// ProveOptions says what a proof is about.
	ProveOptions = engine.ProveOptions
	// Proof says that a record is in a tenant's log.
	Proof = notary.Proof
	// ConsistencyProof says that one tree continues another.
	ConsistencyProof = notary.ConsistencyProof
	// Signed is a signed note.
	Signed = notary.Signed
	// VerifyOptions says how closely to look.
	VerifyOptions = engine.VerifyOptions
	// VerifyReport says what a verification found.
	VerifyReport = engine.VerifyReport
	// Finding is something that is not as it should be.
	Finding = engine.Finding
	// ImportReport says what became of an import.
	ImportReport = engine.ImportReport
	// Salvaged says what could still be read of a damaged directory, and what not.
	Salvaged = engine.Salvaged
)

// Verdict is what a proof proves.
type Verdict = notary.Verdict

// ParseProof reads a proof document, strictly.
func ParseProof(data []byte) (Proof, error) { return notary.ParseProof(data) }

// VerifyProof checks a proof against a verifier key. It needs no board. The
// checkpoint is a signed note, or nil for the one that the proof carries.
func VerifyProof(p *Proof, checkpoint []byte, verifierKey string) (Verdict, error) {
	if p == nil {
		return Verdict{}, fault.New(fault.InvalidArgument, "proof: there is none").WithFix("give what ParseProof or Prove returned")
	}
	return notary.VerifyProof(p, checkpoint, verifierKey)
}

// VerifyConsistency checks that a tenant's log only grew between two signed
// checkpoints. It needs no board.
func VerifyConsistency(p *ConsistencyProof, from, to []byte, verifierKey string) error {
	_, err := notary.VerifyConsistency(p, from, to, verifierKey)
	return err
}

// ErasureReceipt says that payloads were erased.
type ErasureReceipt = notary.Receipt

// VerifyReceipt checks the signed receipt of an erasure. It needs no board.
func VerifyReceipt(receipt []byte, verifierKey string) (ErasureReceipt, error) {
	return notary.VerifyReceipt(receipt, verifierKey)
}
