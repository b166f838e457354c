package hmx

import (
	"cmp"
	"strings"

	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// Limits of HMX-E section 11. A KB is 1024 bytes; sizes are of the JSON text.
const (
	MaxEventBytes         = 1 << 20
	MaxEventContentBytes  = 512 << 10
	MaxEventMetadataBytes = 64 << 10
	MaxEmbeddings         = 4096
	MaxTags               = 64
)

// EventType says what an event records.
type EventType string

// The thirteen standard event types of HMX-E section 3.
const (
	TypeMessage       EventType = "message"
	TypeToolCall      EventType = "tool_call"
	TypeToolResult    EventType = "tool_result"
	TypeFileEdit      EventType = "file_edit"
	TypeTestRun       EventType = "test_run"
	TypeCommandExec   EventType = "command_exec"
	TypeBrowserAction EventType = "browser_action"
	TypeAPIResult     EventType = "api_result"
	TypeDecision      EventType = "decision"
	TypeError         EventType = "error"
	TypeObservation   EventType = "observation"
	TypeStateChange   EventType = "state_change"
	TypeFeedback      EventType = "feedback"
)

// EventTypes lists the standard event types in the order of the document.
func EventTypes() []EventType {
	return []EventType{
		TypeMessage, TypeToolCall, TypeToolResult, TypeFileEdit, TypeTestRun, TypeCommandExec, TypeBrowserAction,
		TypeAPIResult, TypeDecision, TypeError, TypeObservation, TypeStateChange, TypeFeedback,
	}
}

// Standard reports whether t is one of the thirteen.
func (t EventType) Standard() bool {
	switch t {
	case TypeMessage, TypeToolCall, TypeToolResult, TypeFileEdit, TypeTestRun, TypeCommandExec, TypeBrowserAction,
		TypeAPIResult, TypeDecision, TypeError, TypeObservation, TypeStateChange, TypeFeedback:
		return true
	}
	return false
}

// customPattern is CustomType as a regular expression, for schemas.
const customPattern = `x-[A-Za-z0-9_.]+-[A-Za-z0-9_.-]+`

// CustomType reports whether name has the form x-{vendor}-{type} of custom event and artifact
// types: letters, digits, _ and . in the vendor, and also dashes in the type.
func CustomType(name string) bool {
	rest, ok := strings.CutPrefix(name, "x-")
	vendor, kind, dash := strings.Cut(rest, "-")
	if !ok || !dash || vendor == "" || kind == "" {
		return false
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case c-'0' < 10, c|0x20 >= 'a' && c|0x20 <= 'z', c == '_', c == '.', c == '-':
		default:
			return false
		}
	}
	return true
}

// Event is one HMX event: the atomic unit of what an agent saw or did. The strings of a decoded
// event share one text, so keeping one of them keeps all: use strings.Clone to keep an id alone.
type Event struct {
	HMXVersion string    `json:"hmx_version"`
	EventID    string    `json:"event_id"`
	EventType  EventType `json:"event_type"`
	AgentID    string    `json:"agent_id"`
	TenantID   string    `json:"tenant_id"`
	SessionID  string    `json:"session_id"`
	Timestamp  Time      `json:"timestamp"`
	Sequence   int64     `json:"sequence"`
	Content    Raw       `json:"content"`
	Metadata   Raw       `json:"metadata"`

	TraceID       Opt[string]  `json:"trace_id,omitzero"`
	CorrelationID Opt[string]  `json:"correlation_id,omitzero"`
	ParentEventID Opt[string]  `json:"parent_event_id,omitzero"`
	Embeddings    []float64    `json:"embeddings,omitzero"`
	Salience      Opt[float64] `json:"salience,omitzero"`
	Source        Opt[string]  `json:"source,omitzero"`
	ProvenanceRef Opt[string]  `json:"provenance_ref,omitzero"`
	Tags          []string     `json:"tags,omitzero"`
	TTLSeconds    Opt[int64]   `json:"ttl_seconds,omitzero"`
}

// Indexes of the fields in eventShape.Fields, in the order of Event.
const (
	eVersion = iota
	eID
	eType
	eAgent
	eTenant
	eSession
	eTimestamp
	eSequence
	eContent
	eMetadata
	eTrace
	eCorrelation
	eParent
	eEmbeddings
	eSalience
	eSource
	eProvenance
	eTags
	eTTL
)

var eventSpec = spec{
	kind: KindEvent, shape: eventShape, maxBytes: MaxEventBytes,
	sizeRule: "HMX-E/11", rootRule: "HMX-E/2", more: checkEvent,
}

// DecodeEvent decodes one event and applies every rule of HMX-E. It returns the event with any
// warnings, or an *InvalidError that lists all problems. The event does not refer to data, and
// holds about as much memory as Size says.
func DecodeEvent(data []byte) (*Event, []Problem, error) {
	d := borrow()
	defer d.giveBack()
	if e := d.quickEvent(data); e != nil {
		return e, nil, nil
	}
	return d.generalEvent(data)
}

// generalEvent is DecodeEvent for any text.
func (d *decoder) generalEvent(data []byte) (*Event, []Problem, error) {
	warnings, err := d.run(&eventSpec, data)
	if err != nil {
		return nil, nil, err
	}
	return d.event(), warnings, nil
}

// event builds the Event from a document that has passed every rule.
func (d *decoder) event() *Event {
	a := d.assemble()
	for i, n := range d.slots[:eTTL+1] {
		if n == canon.None {
			continue
		}
		switch i {
		case eContent, eMetadata:
			a.add(i, d.doc.Raw(n))
		case eSequence:
			a.sequence, _ = d.doc.Int(n)
		case eTTL:
			a.ttl, _ = d.doc.Int(n)
			a.there |= 1 << eTTL
		case eSalience:
			a.salience = d.doc.Float(n)
			a.there |= 1 << eSalience
		case eTags:
			a.addTags(n)
		case eEmbeddings:
			a.addNumbers(n)
		case eTimestamp:
			a.addText(i, n)
			span := a.parts[i]
			a.sec, a.nsec, _ = parseRFC3339(d.buf[span[0]:span[1]])
		default:
			a.addText(i, n)
		}
	}
	return a.event()
}

// checkEvent adds the warnings; the schema of events expresses every rule except sizes.
func checkEvent(d *decoder) {
	d.warnVersion(eVersion, "HMX-E/6.1")
	if !d.has(eType) || d.doc.Kind(d.slots[eType]) != canon.String {
		return
	}
	raw := d.doc.Raw(d.slots[eType])
	if EventType(raw[1 : len(raw)-1]).Standard() {
		return
	}
	if name := d.doc.Text(d.slots[eType]); name != "" && !EventType(name).Standard() && !CustomType(name) {
		allowed := "one of " + strings.Join(names(EventTypes()), ", ") + ", or x-{vendor}-{type}; accepted, with its content unchecked"
		d.warn(eType, "HMX-E/3", shape.Show(&d.doc, d.slots[eType]), shape.Suggest(allowed, name, names(EventTypes())))
	}
}

// warnVersion warns about a well-formed version other than ours.
func (d *decoder) warnVersion(i int, rule string) {
	if !d.has(i) || d.doc.Kind(d.slots[i]) != canon.String {
		return
	}
	if string(d.doc.Raw(d.slots[i])) == `"`+Version+`"` {
		return
	}
	if text := d.doc.Text(d.slots[i]); text != Version && wellFormedVersion([]byte(text)) {
		d.warn(i, rule, shape.Show(&d.doc, d.slots[i]), Version+"; read by its rules")
	}
}

// Validate applies every rule of HMX-E to an event made in Go. If it cannot be written as JSON,
// that is the only problem.
func (e *Event) Validate() ([]Problem, error) {
	data, err := e.AppendJSON(nil)
	return checkEncoded(KindEvent, data, err)
}

// AppendJSON appends the event as one line of compact JSON, fields in the order of the document;
// an empty HMXVersion is written as Version. It does not validate the event: Validate does. It
// fails if a string is not UTF-8, a number is not finite or a raw value is not strict JSON.
func (e *Event) AppendJSON(dst []byte) ([]byte, error) {
	if e == nil {
		return dst, errNoEvent
	}
	w := eventWriter{buf: append(dst, '{')}
	w.text("hmx_version", cmp.Or(e.HMXVersion, Version))
	w.text("event_id", e.EventID)
	w.text("event_type", string(e.EventType))
	w.text("agent_id", e.AgentID)
	w.text("tenant_id", e.TenantID)
	w.text("session_id", e.SessionID)
	w.text("timestamp", e.Timestamp.text)
	w.integer("sequence", e.Sequence)
	w.raw("content", e.Content)
	w.raw("metadata", e.Metadata)
	w.optional("trace_id", e.TraceID)
	w.optional("correlation_id", e.CorrelationID)
	w.optional("parent_event_id", e.ParentEventID)
	w.numbers("embeddings", e.Embeddings)
	if e.Salience.Set {
		w.name("salience")
		w.number("salience", e.Salience.Value)
	}
	w.optional("source", e.Source)
	w.optional("provenance_ref", e.ProvenanceRef)
	w.texts("tags", e.Tags)
	if e.TTLSeconds.Set {
		w.integer("ttl_seconds", e.TTLSeconds.Value)
	}
	if w.err != nil {
		return dst, encodeError(w.err)
	}
	return append(w.buf, '}'), nil
}

// MarshalJSON is AppendJSON for encoding/json.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// UnmarshalJSON decodes strictly, as DecodeEvent does.
func (e *Event) UnmarshalJSON(data []byte) error {
	v, _, err := DecodeEvent(data)
	if err == nil {
		*e = *v
	}
	return err
}

// Canonical returns the event in the canonical form of RFC 8785. Its numbers are doubles: two
// events that differ only in digits beyond 2^53, of a sequence or inside content, have the same
// canonical form.
func (e *Event) Canonical() ([]byte, error) { return canonical(e.AppendJSON(nil)) }

// Size estimates the memory the event holds, in bytes.
func (e *Event) Size() int {
	n := 400 + len(e.HMXVersion) + len(e.Timestamp.text) + len(e.EventID) + len(e.EventType) + len(e.AgentID) + len(e.TenantID) + len(e.SessionID) +
		len(e.Content) + len(e.Metadata) + 8*len(e.Embeddings) + len(e.TraceID.Value) + len(e.CorrelationID.Value) +
		len(e.ParentEventID.Value) + len(e.Source.Value) + len(e.ProvenanceRef.Value)
	for _, t := range e.Tags {
		n += 16 + len(t)
	}
	return n
}
