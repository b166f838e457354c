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

// The records. docs/formats/memory.md lists the fields and rules.
type (
	// Event is an HMX event.
	Event = hmx.Event
	// Status is the status of an artifact.
	Status = hmx.Status

	// Body is the content of a versioned record: one of the types below.
	Body = memory.Body
	// Memory is a memory: a fact, a preference, a goal …
	Memory = memory.Memory
	// Edge connects two records.
	Edge = memory.Edge
	// Entity is a person or an object that memories mention.
	Entity = memory.Entity
	// Relation connects two entities.
	Relation = memory.Relation
	// Conflict says that records contradict each other.
	Conflict = memory.Conflict
	// Policy is a decision of an operator.
	Policy = memory.Policy
	// Artifact is an HMX artifact: compiled knowledge.
	Artifact = memory.Artifact
	// Feedback is the outcome of a task and the records it used.
	Feedback = memory.Feedback
	// Embedding is a vector by an external model.
	Embedding = memory.Embedding
	// Refinement is a title and a summary of an artifact by an external model.
	Refinement = memory.Refinement
	// Violation records what a scope refused.
	Violation = memory.Violation
	// Frame is a situation: a verb, a kind of object, and which one.
	Frame = memory.Frame
	// URI names a record: lukasa://<tenant>/<kind>/<id>[#version].
	URI = memory.URI
)

// The structured part of a memory of each type: the Data of a [Memory].
type (
	// IdentityData describes an agent.
	IdentityData = memory.Identity
	// FactData is a fact as subject, predicate and object.
	FactData = memory.Fact
	// PreferenceData is a like or dislike.
	PreferenceData = memory.Preference
	// BeliefData is the stance and evidence of a belief.
	BeliefData = memory.Belief
	// EventData is what was done and its outcome.
	EventData = memory.Event
	// GoalData is the status of a goal.
	GoalData = memory.Goal
	// ConstraintData is the strength of a rule.
	ConstraintData = memory.Constraint
	// CapabilityData is what an agent can do.
	CapabilityData = memory.Capability
	// PatternData is what to do in a recurring situation.
	PatternData = memory.Pattern
	// PolicyScope narrows a policy.
	PolicyScope = memory.Scope
	// Retention says how long a policy keeps records.
	Retention = memory.Retention
)

// DecodeMemory strictly decodes a memory from JSON, as docs/formats/memory.md describes it.
func DecodeMemory(data []byte) (*Memory, error) {
	body, err := memory.Decode(record.Memory, data)
	if err != nil {
		return nil, err
	}
	return body.(*Memory), nil
}

// DecodeBody strictly decodes a body of a kind from JSON.
func DecodeBody(kind Kind, data []byte) (Body, error) { return memory.Decode(kind, data) }

// ParseURI parses a URI.
func ParseURI(s string) (URI, error) { return memory.ParseURI(s) }

// Kind is the kind of a record.
type Kind = record.Kind

// The kinds of records and events.
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
	// EmbeddingKind is the kind of vectors by external models. Only the board writes them.
	EmbeddingKind = record.Embedding
	// RefinementKind is the kind of titles and summaries by external models. Only the board
	// writes them.
	RefinementKind = record.Refinement
	// ViolationKind is the kind of what scopes refused. Only the board writes them.
	ViolationKind = record.Violation
)

// Trust is how far a text is believed: it depends on the writer, never on the content.
type Trust = record.Trust

// The tiers of trust, lowest first.
const (
	External = record.External
	Tool     = record.Tool
	Agent    = record.Agent
	User     = record.User
	Operator = record.Operator
)

// SystemTenant is the tenant for the server's own data: keys, limits, administrative acts. No
// call of this package reads it or writes to it, and it is not listed among tenants.
const SystemTenant = engine.SystemTenant

// State is the state of a versioned record.
type State = catalog.State

// The states of a versioned record.
const (
	Live      = catalog.Live
	Forgotten = catalog.Forgotten
	Ended     = catalog.Expired
)

// Writers, results and readers.
type (
	// Writer is who writes, with the maximum trust.
	Writer = engine.Writer
	// Expect is the version that a write expects.
	Expect = engine.Expect
	// PutResult is the result of a write.
	PutResult = engine.PutResult
	// Ref names a record, by id or by key.
	Ref = engine.Ref
	// View is who reads, and when.
	View = engine.View
	// Thing is a versioned record at one version.
	Thing = engine.Thing
	// Change is one version in a history.
	Change = engine.Change
	// VersionsOptions names the record whose versions are wanted.
	VersionsOptions = engine.VersionsOptions
	// VersionsPage is a page of a record's history, oldest first.
	VersionsPage = engine.VersionsPage
	// ListOptions selects the records to list.
	ListOptions = engine.ListOptions
	// Page is a page of a list.
	Page = engine.Page
	// Resolved is what a URI names.
	Resolved = engine.Resolved
	// Erasure is the result of a redaction.
	Erasure = engine.Erasure
	// Expired is the result of an expiry.
	Expired = engine.Expired
)

// AnyVersion accepts any version, or none.
func AnyVersion() Expect { return engine.AnyVersion() }

// Version expects a record to be at a version; 0 expects that there is none.
func Version(v uint32) Expect { return engine.Version(v) }

// Events.
type (
	// AppendResult is the result for events.
	AppendResult = engine.AppendResult
	// EventReceipt is the result for one event.
	EventReceipt = engine.EventReceipt
	// Handout marks what is put into a prompt, and removes it when it comes back.
	Handout = echo.Marker
	// Disposition is what happened to an event.
	Disposition = engine.Disposition
	// IngestOptions configures the ingestion of a stream.
	IngestOptions = engine.IngestOptions
	// IngestReport is the result for a stream.
	IngestReport = engine.IngestReport
	// Rejection is a line of a stream that was not recorded.
	Rejection = engine.Rejection
	// StoredEvent is an event as it is recorded.
	StoredEvent = engine.StoredEvent
	// EventQuery selects events.
	EventQuery = engine.EventQuery
	// EventPage is a page of events.
	EventPage = engine.EventPage
	// SessionInfo is a summary of a session or an agent.
	SessionInfo = engine.SessionInfo
)

// The dispositions of an event.
const (
	Accepted  = engine.Accepted
	Late      = engine.Late
	Duplicate = engine.Duplicate
	Refused   = engine.Refused
	Own       = engine.Own // handed out by Lukasa, not recorded
)

// Roots, proofs and verification.
type (
	// Root names the state of a tenant.
	Root = engine.Root
	// ProveOptions names the subject of a proof.
	ProveOptions = engine.ProveOptions
	// Proof proves that a record is in a tenant's log.
	Proof = notary.Proof
	// ConsistencyProof proves that one tree extends another.
	ConsistencyProof = notary.ConsistencyProof
	// Signed is a signed note.
	Signed = notary.Signed
	// VerifyOptions says how thoroughly to verify.
	VerifyOptions = engine.VerifyOptions
	// VerifyReport is the result of a verification.
	VerifyReport = engine.VerifyReport
	// Finding is one fault.
	Finding = engine.Finding
	// ImportReport is the result of an import.
	ImportReport = engine.ImportReport
	// Salvaged is what could be read of a damaged directory, and what could not.
	Salvaged = engine.Salvaged
)

// Verdict is what a proof proves.
type Verdict = notary.Verdict

// ParseProof strictly parses a proof document.
func ParseProof(data []byte) (Proof, error) { return notary.ParseProof(data) }

// VerifyProof verifies a proof with a verifier key. It needs no board. checkpoint is a signed
// note, or nil for the one in the proof.
func VerifyProof(p *Proof, checkpoint []byte, verifierKey string) (Verdict, error) {
	if p == nil {
		return Verdict{}, fault.New(fault.InvalidArgument, "proof: there is none").WithFix("give what ParseProof or Prove returned")
	}
	return notary.VerifyProof(p, checkpoint, verifierKey)
}

// VerifyConsistency verifies that a tenant's log only grew between two signed checkpoints. It
// needs no board.
func VerifyConsistency(p *ConsistencyProof, from, to []byte, verifierKey string) error {
	_, err := notary.VerifyConsistency(p, from, to, verifierKey)
	return err
}

// ErasureReceipt is a signed list of erased payloads.
type ErasureReceipt = notary.Receipt

// VerifyReceipt verifies the signed receipt of an erasure. It needs no board.
func VerifyReceipt(receipt []byte, verifierKey string) (ErasureReceipt, error) {
	return notary.VerifyReceipt(receipt, verifierKey)
}
