package memory

import (
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// MaxBetween is how many records a conflict may be between.
const MaxBetween = 32

// ConflictStatus is the state of a conflict.
type ConflictStatus string

// The states of a conflict.
const (
	ConflictOpen      ConflictStatus = "open"
	ConflictResolved  ConflictStatus = "resolved"
	ConflictDismissed ConflictStatus = "dismissed"
)

// ConflictStatuses lists the states of a conflict.
func ConflictStatuses() []ConflictStatus {
	return []ConflictStatus{ConflictOpen, ConflictResolved, ConflictDismissed}
}

// Conflict says that records of the board contradict each other, and how that was settled.
type Conflict struct {
	ID         string
	Between    []URI // two or more
	Summary    string
	Status     ConflictStatus // default open
	Resolution string         // how it was settled, as text
	Winner     URI            // the one of Between that holds; only when resolved
	Metadata   hmx.Raw
}

// Kind returns record.Conflict.
func (x *Conflict) Kind() record.Kind { return record.Conflict }

// Identity returns the id; a conflict has no key.
func (x *Conflict) Identity() (id, key string) { return x.ID, "" }

// SetID sets the id.
func (x *Conflict) SetID(id string) { x.ID = id }

func (x *Conflict) fields(c *document.Codec) {
	document.Word(c, "id", &x.ID)
	urisField(c, "between", &x.Between)
	document.Word(c, "summary", &x.Summary)
	document.Word(c, "status", &x.Status)
	document.Word(c, "resolution", &x.Resolution)
	uriField(c, "winner", &x.Winner)
	c.Raw("metadata", &x.Metadata)
}

// Normalize sets defaults and orders what the conflict is between.
func (x *Conflict) Normalize() {
	x.defaults()
	x.order()
}

func (x *Conflict) defaults() {
	fallback(&x.Status, ConflictOpen)
	x.Metadata = document.Compact(x.Metadata)
}

func (x *Conflict) order() { x.Between = sortURIs(x.Between) }

// Validate applies every rule.
func (x *Conflict) Validate() error { return validate(x) }

func (x *Conflict) rules(f *faults) {
	f.optID("id", x.ID)
	f.uris("between", x.Between, 2, MaxBetween)
	if len(sortURIs(x.Between)) == 1 {
		f.Add("between", "names the same record twice or more, and no other", "name what it conflicts with")
	}
	f.Prose("summary", x.Summary, MaxText)
	document.OneOf(&f.Problems, "status", x.Status, "a status of a conflict", ConflictStatuses(), nil)
	f.Prose("resolution", x.Resolution, MaxText)
	if x.Status == ConflictOpen && x.Resolution != "" {
		f.Add("resolution", "is given, but the conflict is open", "set status to resolved or dismissed, or leave it out")
	}
	switch {
	case x.Winner.IsZero():
	case x.Status != ConflictResolved:
		f.Add("winner", "is given, but the conflict is not resolved", "set status to resolved, or leave it out")
	case !slices.Contains(x.Between, x.Winner):
		f.Add("winner", "is not among between", "name one of them, with the same version")
	}
	f.raw("metadata", x.Metadata)
}

// Facets returns what indexes see.
func (x *Conflict) Facets() Facets {
	out := facets()
	out.State = string(x.Status)
	out.link("between", x.Between...)
	if !x.Winner.IsZero() {
		out.link("winner", x.Winner)
	}
	return out
}

// AppendJSON appends the conflict as compact JSON.
func (x *Conflict) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "conflict", x) }
