package memory

import (
	"fmt"
	"math"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
)

// MaxBytes is the maximum size of a body or a control as JSON.
const MaxBytes = 1 << 20

// maxInput is the maximum size of the input of a body: white space between tokens does not
// count towards the size of the body.
const maxInput = 2 * MaxBytes

// slack is more than Normalize can add to the JSON of a body.
const slack = 4 << 10

// Body is the content of a versioned record: a *[Memory], *[Edge], *[Entity], *[Relation],
// *[Conflict], *[Policy], *[Artifact], *[Feedback], *[Violation], *[Embedding], *[Fingerprint]
// or *[Refinement].
type Body interface {
	// Kind is the kind of record that holds the body.
	Kind() record.Kind
	// Identity returns the id, which is empty until it is assigned, and the key, which is empty
	// if the body has none.
	Identity() (id, key string)
	// SetID sets the id.
	SetID(id string)
	// Normalize sets missing fields to their defaults and sorts lists that are sets. It is
	// idempotent.
	Normalize()
	// Validate applies every rule to a normalised body, and returns all problems as one
	// invalid_argument. An empty id is no problem: the engine assigns one.
	Validate() error
	// Facets returns what indexes see of a normalised body.
	Facets() Facets
	// AppendJSON appends the body as compact JSON: equal bodies, equal bytes.
	AppendJSON(dst []byte) ([]byte, error)
}

// body is what the bodies of this package have in common beyond Body.
type body interface {
	Body
	listed
	// defaults and order are the two halves of Normalize. Rules are applied between them, so
	// that problems name items in the caller's order.
	defaults()
	order()
	rules(*faults)
}

// BodyKinds lists the kinds of records that hold a body.
func BodyKinds() []record.Kind {
	return []record.Kind{
		record.Memory, record.Edge, record.Entity, record.Relation,
		record.Conflict, record.Policy, record.Artifact, record.Feedback,
		record.Violation, record.Embedding, record.Fingerprint, record.Refinement,
	}
}

// NewBody returns an empty body for records of a kind, or nil if that kind has none.
func NewBody(kind record.Kind) Body {
	if kind == record.Artifact {
		return new(Artifact)
	}
	if b := newBody(kind); b != nil {
		return b
	}
	return nil
}

func newBody(kind record.Kind) body {
	switch kind {
	case record.Memory:
		return new(Memory)
	case record.Edge:
		return new(Edge)
	case record.Entity:
		return new(Entity)
	case record.Relation:
		return new(Relation)
	case record.Conflict:
		return new(Conflict)
	case record.Policy:
		return new(Policy)
	case record.Feedback:
		return new(Feedback)
	case record.Violation:
		return new(Violation)
	case record.Embedding:
		return new(Embedding)
	case record.Fingerprint:
		return new(Fingerprint)
	case record.Refinement:
		return new(Refinement)
	}
	return nil
}

// Decode strictly decodes the body of a record of a kind, and returns it normalised and valid.
// It serves requests and the payloads of the journal alike, so a released rule may be loosened
// but not tightened.
func Decode(kind record.Kind, data []byte) (Body, error) {
	if kind == record.Artifact {
		return decodeArtifact(data)
	}
	b := newBody(kind)
	if b == nil {
		return nil, fault.Newf(fault.InvalidArgument, "kind %v has no body: use one of %s", kind, kindNames(BodyKinds()))
	}
	if err := decodeBody(b, data); err != nil {
		return nil, err
	}
	return b, nil
}

func decodeBody(b body, data []byte) error {
	what := b.Kind().String()
	if err := tooLarge(what, len(data), maxInput); err != nil {
		return err
	}
	var f faults
	if decode(&f, data, b) {
		b.defaults()
		b.rules(&f)
		b.order()
	}
	if err := f.Err(what); err != nil {
		return err
	}
	if len(data) > MaxBytes-slack {
		return measure(b)
	}
	return nil
}

// validate applies the rules of b to b, including its size.
func validate(b body) error {
	var f faults
	b.rules(&f)
	if err := f.Err(b.Kind().String()); err != nil {
		return err
	}
	return measure(b)
}

func measure(b Body) error {
	data, err := b.AppendJSON(nil)
	if err != nil {
		return err
	}
	return tooLarge(b.Kind().String(), len(data), MaxBytes)
}

func tooLarge(what string, size, limit int) error {
	if size <= limit {
		return nil
	}
	return fault.Newf(fault.TooLarge, "%s: document has %d bytes of JSON, but may have at most %d: shorten it, or keep the bulk elsewhere and refer to it", what, size, limit)
}

// Facets is what an index sees of a body of any kind: everything by which it is found, listed,
// ranked or hidden. Its slices belong to the body and are read-only.
type Facets struct {
	// Class is the type within its kind: a memory's type, an edge's kind, a relation's
	// predicate, an entity's type, a policy's kind, an artifact's type, a violation's scope, an
	// embedding's and a refinement's model. A conflict, a feedback and a fingerprint have none.
	Class string
	// State is the word that changes over its life: a goal's status, a constraint's strength,
	// an event's or a feedback's outcome, a conflict's and an artifact's status, active or
	// inactive for a policy, a violation's operation.
	State string
	// Pin says that every agent receives it at its start, if its trust allows: identities, hard
	// constraints, active goals.
	Pin bool

	Tags   []string // sorted, without doubles
	Frames []Frame  // sorted, without doubles
	Names  []string // of an entity: its name, then its aliases
	Links  []Link   // in the order of the body

	ValidFrom  int64         // nanoseconds since 1970; math.MinInt64 if unbounded
	ValidUntil int64         // nanoseconds since 1970, exclusive; math.MaxInt64 if unbounded
	TTL        time.Duration // from the time of the version; 0 if unlimited

	Importance float64 // 0 to 1; of an edge or relation its weight
	Confidence float64 // 0 to 1
	Visibility Visibility
	Scoped     bool // it is a memory with a validity scope

	Agent   string // its subject: an artifact's, a feedback's or a violation's agent
	Session string // a feedback's session
}

// Link is a reference of a body to another record.
type Link struct {
	Rel string // why: from, to, between, winner, cited, derived_from, supersedes, superseded_by, of
	To  URI    // with an empty tenant if it can only be the body's own
}

// facets returns the default facets.
func facets() Facets {
	return Facets{
		ValidFrom: math.MinInt64, ValidUntil: math.MaxInt64,
		Importance: DefaultImportance, Confidence: DefaultConfidence, Visibility: VisibleTenant,
	}
}

// CheckLinks refuses a body that refers to records of another tenant.
func CheckLinks(tenant string, b Body) error {
	var f faults
	for _, l := range b.Facets().Links {
		if l.To.Tenant != "" && l.To.Tenant != tenant {
			f.Add(l.Rel, "refers to "+document.Show(l.To.String())+", which belongs to another tenant", "refer to records of the tenant "+document.Show(tenant)+" only")
		}
	}
	return f.Err(b.Kind().String())
}

// Nanos returns t in nanoseconds since 1970, clamped to the range of int64.
func Nanos(t hmx.Time) int64 {
	at := t.Time()
	switch sec := at.Unix(); {
	case sec <= math.MinInt64/1_000_000_000:
		return math.MinInt64
	case sec >= math.MaxInt64/1_000_000_000:
		return math.MaxInt64
	}
	return at.UnixNano()
}

// validity sets the time range within which the facets hold.
func (x *Facets) validity(from, until hmx.Time) {
	if !from.IsZero() {
		x.ValidFrom = Nanos(from)
	}
	if !until.IsZero() {
		x.ValidUntil = Nanos(until)
	}
}

// validity adds a problem if a time range ends before it begins.
func (f *faults) validity(from, until hmx.Time) {
	if !from.IsZero() && !until.IsZero() && from.Compare(until) >= 0 {
		f.Add("valid_until", "is "+document.Show(until.String())+", which is not after valid_from "+document.Show(from.String()), "give a later time, or leave one of them out")
	}
}

// optID adds what is wrong with an id that may be empty.
func (f *faults) optID(field, id string) {
	if id != "" {
		f.Name(field, id, MaxID)
	}
}

// tags adds what is wrong with a set of tags.
func (f *faults) tags(tags []string) {
	if f.Length("tags", len(tags), 0, MaxTags) {
		for i, t := range tags {
			f.Trimmed(document.Indexed("tags", i), t, MaxTag)
		}
	}
}

// sources adds what is wrong with a set of sources.
func (f *faults) sources(sources []URI) { f.uris("sources", sources, 0, MaxSources) }

func (f *faults) uris(field string, uris []URI, least, most int) {
	if f.Length(field, len(uris), least, most) {
		for i, u := range uris {
			f.checkURI(document.Indexed(field, i), u)
		}
	}
}

// raw adds what is wrong with a free-form object of the caller.
func (f *faults) raw(field string, raw hmx.Raw) {
	f.Raw(field, raw)
	if len(raw) > MaxMetadata {
		f.Add(field, fmt.Sprintf("has %d bytes of JSON, but may have at most %d", len(raw), MaxMetadata), "keep the bulk elsewhere and refer to it")
	}
}
