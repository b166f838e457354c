// Package memory is the vocabulary of a board: memories and the other versioned records, their
// rules, their encoding, and their names.
//
// # What is guaranteed
//
//   - Purity: no clock, no randomness, no state, no I/O.
//   - One strict reader and one encoding for every type, by the package document:
//     fields in a fixed order, defaults written out by [Body.Normalize]. Decoding
//     the encoding gives the same value.
//   - All problems at once, as a [document.InvalidError].
//   - Closed lists are closed: an error about an unknown name lists the known ones.
//   - The narrow waist: an index sees only the [Facets] of a body, of any kind.
//
// # What is not
//
// A body is checked by itself. Whether a key is free, a version is the next, a referenced
// record exists in the same tenant ([CheckLinks] helps) or a writer is trusted is checked by
// callers that see the other records. Versions, times, writers, trust and state belong to the
// engine and are never read from a request.
//
// docs/formats/memory.md lists all fields and rules.
package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// Limits of a memory; those of names are beside [MaxKey].
const (
	MaxText     = 64 << 10 // bytes
	MaxTags     = 64
	MaxFrames   = 32
	MaxSources  = 256
	MaxMetadata = 64 << 10              // bytes of JSON
	MaxTTL      = 100 * 365 * 24 * 3600 // seconds: a hundred years
)

// Defaults of missing fields.
const (
	DefaultImportance = 0.5
	DefaultConfidence = 1.0
)

// Visibility says who may see a record.
type Visibility string

// The visibilities.
const (
	VisiblePrivate Visibility = "private" // to the agent that wrote it, and to operators
	VisibleTenant  Visibility = "tenant"  // to everyone in the tenant; the default
)

// Visibilities lists the visibilities.
func Visibilities() []Visibility { return []Visibility{VisiblePrivate, VisibleTenant} }

// Memory is a memory as a caller writes it.
type Memory struct {
	ID         string // assigned by the engine if empty
	Type       Type   // that of Data if empty
	Key        string // optional, unique within the tenant
	Text       string
	Data       Data // the defaults of its type if nil
	Tags       []string
	Frames     []Frame
	Importance hmx.Opt[float64] // 0 to 1, default 0.5
	Confidence hmx.Opt[float64] // 0 to 1, default 1
	ValidFrom  hmx.Time
	ValidUntil hmx.Time // exclusive
	TTLSeconds int64    // from the time of the version; 0 means unlimited
	// ValidityScope is where it holds; reads that act on memories ignore it elsewhere. The zero
	// value is everywhere in the tenant.
	ValidityScope hmx.ValidityScope
	Visibility    Visibility // default tenant
	Forms         Forms      // see [Memory.FillForms]
	Sources       []URI      // what it was derived from
	Metadata      hmx.Raw    // a free-form object of the caller
}

// Kind returns record.Memory.
func (m *Memory) Kind() record.Kind { return record.Memory }

// Identity returns id and key.
func (m *Memory) Identity() (id, key string) { return m.ID, m.Key }

// SetID sets the id.
func (m *Memory) SetID(id string) { m.ID = id }

func (m *Memory) fields(c *document.Codec) {
	document.Word(c, "id", &m.ID)
	document.Word(c, "type", &m.Type)
	document.Word(c, "key", &m.Key)
	document.Word(c, "text", &m.Text)
	if !c.Writing() {
		m.Data = NewData(m.Type)
	}
	if m.Data != nil {
		c.Object("data", m.Data != nil, m.Data.fields)
	} else if !c.Writing() {
		c.Skip("data") // the type is the problem, not its data
	}
	document.Words(c, "tags", &m.Tags)
	document.Objects(c, "frames", &m.Frames, (*Frame).fields)
	c.Number("importance", &m.Importance)
	c.Number("confidence", &m.Confidence)
	c.Time("valid_from", &m.ValidFrom)
	c.Time("valid_until", &m.ValidUntil)
	c.Integer("ttl_seconds", &m.TTLSeconds)
	c.Object("validity_scope", !scopeIsZero(&m.ValidityScope), func(c *document.Codec) { scopeFields(&m.ValidityScope, c) })
	document.Word(c, "visibility", &m.Visibility)
	c.Object("forms", m.Forms != Forms{}, m.Forms.fields)
	urisField(c, "sources", &m.Sources)
	c.Raw("metadata", &m.Metadata)
}

// Normalize sets defaults and orders tags, frames and sources.
func (m *Memory) Normalize() {
	m.defaults()
	m.order()
}

func (m *Memory) defaults() {
	if m.Type == "" && m.Data != nil {
		m.Type = m.Data.Type()
	}
	if m.Data == nil {
		m.Data = NewData(m.Type)
	} else {
		m.Data.defaults()
	}
	fallback(&m.Importance, hmx.Some(DefaultImportance))
	fallback(&m.Confidence, hmx.Some(DefaultConfidence))
	fallback(&m.Visibility, VisibleTenant)
	m.Metadata = document.Compact(m.Metadata)
}

func (m *Memory) order() {
	m.Tags, m.Frames, m.Sources = sortWords(m.Tags), sortFrames(m.Frames), sortURIs(m.Sources)
	m.ValidityScope = orderScope(m.ValidityScope)
}

// Validate applies every rule.
func (m *Memory) Validate() error { return validate(m) }

func (m *Memory) rules(f *faults) {
	f.optID("id", m.ID)
	document.OneOf(&f.Problems, "type", m.Type, "a type of memory", Types(), nil)
	if m.Key != "" {
		f.key("key", m.Key)
	}
	f.text("text", m.Text)
	switch {
	case m.Data == nil:
		if slices.Contains(Types(), m.Type) {
			f.Add("data", "is missing", "normalise the memory before judging it")
		}
	case m.Data.Type() != m.Type:
		f.Add("data", "is that of type "+string(m.Data.Type())+", but the memory is of type "+document.Show(string(m.Type)), "let the two agree")
	default:
		m.Data.rules(f)
	}
	f.tags(m.Tags)
	if f.Length("frames", len(m.Frames), 0, MaxFrames) {
		for i, fr := range m.Frames {
			f.frame(document.Indexed("frames", i)+".", fr)
		}
	}
	f.Ratio("importance", m.Importance)
	f.Ratio("confidence", m.Confidence)
	f.validity(m.ValidFrom, m.ValidUntil)
	f.ttl("ttl_seconds", m.TTLSeconds)
	f.scope("validity_scope", &m.ValidityScope)
	document.OneOf(&f.Problems, "visibility", m.Visibility, "a visibility", Visibilities(), nil)
	f.Prose("forms.short", m.Forms.Short, MaxText)
	f.Prose("forms.medium", m.Forms.Medium, MaxText)
	f.sources(m.Sources)
	f.raw("metadata", m.Metadata)
}

// text adds what is wrong with the main text of a record.
func (f *faults) text(field, s string) {
	if strings.TrimSpace(s) == "" {
		f.Add(field, "is empty", fmt.Sprintf("give 1 to %d bytes of text", MaxText))
		return
	}
	f.Prose(field, s, MaxText)
}

func (f *faults) ttl(field string, seconds int64) {
	if seconds < 0 || seconds > MaxTTL {
		f.Add(field, fmt.Sprintf("is %d, but must be from 1 to %d seconds", seconds, int64(MaxTTL)), "give a number in that range, or leave it out to keep it for ever")
	}
}

// Facets returns what indexes see.
func (m *Memory) Facets() Facets {
	x := facets()
	x.Class = string(m.Type)
	if m.Data != nil {
		x.State = m.Data.State()
	}
	switch m.Type {
	case TypeIdentity:
		x.Pin = true
	case TypeConstraint:
		x.Pin = x.State == string(StrengthHard)
	case TypeGoal:
		x.Pin = x.State == string(GoalActive)
	}
	x.Tags, x.Frames = m.Tags, m.Frames
	x.link("derived_from", m.Sources...)
	x.validity(m.ValidFrom, m.ValidUntil)
	x.TTL = time.Duration(m.TTLSeconds) * time.Second
	x.Importance = m.Importance.Or(DefaultImportance)
	x.Confidence = m.Confidence.Or(DefaultConfidence)
	x.Visibility = m.Visibility
	x.Scoped = !scopeIsZero(&m.ValidityScope)
	return x
}

func (x *Facets) link(rel string, to ...URI) {
	for _, u := range to {
		x.Links = append(x.Links, Link{rel, u})
	}
}

// AppendJSON appends the memory as compact JSON.
func (m *Memory) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "memory", m) }

// sortURIs sorts URIs and removes duplicates.
func sortURIs(uris []URI) []URI {
	if len(uris) == 0 {
		return nil
	}
	out := slices.Clone(uris)
	slices.SortFunc(out, func(a, b URI) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(out)
}
