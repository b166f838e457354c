package record

import "fmt"

// Kind is the type of a record. The numbers are on disk: they are never
// reused.
type Kind uint8

// The kinds of records.
const (
	Event       Kind = 1  // an HMX event
	Memory      Kind = 2  // a version of a memory
	Edge        Kind = 3  // a version of an edge between two records
	Entity      Kind = 4  // a version of an entity
	Relation    Kind = 5  // a version of a relation between entities
	Conflict    Kind = 6  // a version of a conflict between records
	Policy      Kind = 7  // a version of a policy
	Artifact    Kind = 8  // an HMX artifact
	Feedback    Kind = 9  // what a reader found useful, and the outcome
	Violation   Kind = 10 // an access that a scope did not allow
	Embedding   Kind = 11 // the embedding of an event or a versioned record by an external model
	Fingerprint Kind = 12 // a digest of what an agent learned, imported from elsewhere
	Refinement  Kind = 13 // a title and a summary of an artifact by an external model
	Tombstone   Kind = 16 // a versioned record is forgotten, with a reason
	Redaction   Kind = 17 // payloads are erased
	Expiry      Kind = 18 // versioned records have expired, by their own time or by a policy
	Transition  Kind = 19 // an artifact's status changes
)

// kinds are the names of the kinds, as they appear in URIs and answers.
var kinds = [...]struct {
	kind Kind
	name string
}{
	{Event, "event"}, {Memory, "memory"}, {Edge, "edge"}, {Entity, "entity"}, {Relation, "relation"},
	{Conflict, "conflict"}, {Policy, "policy"}, {Artifact, "artifact"}, {Feedback, "feedback"}, {Violation, "violation"}, {Embedding, "embedding"}, {Fingerprint, "fingerprint"},
	{Refinement, "refinement"},
	{Tombstone, "tombstone"}, {Redaction, "redaction"}, {Expiry, "expiry"}, {Transition, "transition"},
}

// Kinds returns all kinds in the order of their numbers.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i, k := range kinds {
		all[i] = k.kind
	}
	return all
}

// Known reports whether k is one of the kinds above.
func (k Kind) Known() bool {
	return k >= Event && k <= Refinement || k >= Tombstone && k <= Transition
}

// String returns the kind's name.
func (k Kind) String() string {
	for _, e := range kinds {
		if e.kind == k {
			return e.name
		}
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ParseKind returns the kind of that name.
func ParseKind(name string) (Kind, bool) {
	for _, e := range kinds {
		if e.name == name {
			return e.kind, true
		}
	}
	return 0, false
}

// Trust says how far a record's text may be believed. It is set when a record
// is admitted, by its writer and never by its text. A higher number is
// trusted more.
type Trust uint8

// The tiers of trust, lowest first. The numbers are on disk.
const (
	External Trust = 1 // from outside: the web, mail, other people's systems
	Tool     Trust = 2 // what a tool or a command printed
	Agent    Trust = 3 // what an agent said, did or concluded
	User     Trust = 4 // what the agent's user said
	Operator Trust = 5 // what the operator of the engine set
)

// tiers are the names of the tiers, in the order of their numbers.
var tiers = [...]string{External: "external", Tool: "tool", Agent: "agent", User: "user", Operator: "operator"}

// Trusts returns all tiers, lowest first.
func Trusts() []Trust { return []Trust{External, Tool, Agent, User, Operator} }

// Known reports whether t is one of the tiers above.
func (t Trust) Known() bool { return t >= External && t <= Operator }

// String returns the tier's name.
func (t Trust) String() string {
	if !t.Known() {
		return fmt.Sprintf("trust(%d)", uint8(t))
	}
	return tiers[t]
}

// ParseTrust returns the tier of that name.
func ParseTrust(name string) (Trust, bool) {
	for t, n := range tiers {
		if n == name && n != "" {
			return Trust(t), true
		}
	}
	return 0, false
}

// MarshalText writes the tier's name.
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a tier's name.
func (t *Trust) UnmarshalText(text []byte) error {
	v, ok := ParseTrust(string(text))
	if !ok {
		return fmt.Errorf("there is no trust tier %q; the tiers are external, tool, agent, user, operator", text)
	}
	*t = v
	return nil
}

// MarshalText writes the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	v, ok := ParseKind(string(text))
	if !ok {
		return fmt.Errorf("there is no kind of record %q", text)
	}
	*k = v
	return nil
}
