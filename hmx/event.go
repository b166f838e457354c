package hmx

import (
	"fmt"
	"regexp"

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

const customPattern = `^x-[A-Za-z0-9_.]+-[A-Za-z0-9_.-]+$`

var customType = regexp.MustCompile(customPattern)

// CustomType reports whether name has the form x-{vendor}-{type} that custom
// event and artifact types must have.
func CustomType(name string) bool { return customType.MatchString(name) }

// Event is one HMX event: the atomic unit of what an agent saw or did.
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

// Places of the fields in eventShape.Fields, in the order of Event.
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

// DecodeEvent reads one event and applies every rule of HMX-E. It returns the
// event with any warnings, or an *InvalidError that lists all problems. The event
// does not refer to data.
func DecodeEvent(data []byte) (*Event, []Problem, error) {
	d := borrow()
	defer d.giveBack()
	if e := d.quickEvent(data); e != nil {
		return e, nil, nil
	}
	return d.generalEvent(data)
}

// generalEvent is DecodeEvent for any text at all.
func (d *decoder) generalEvent(data []byte) (*Event, []Problem, error) {
	warnings, err := d.run(&eventSpec, data)
	if err != nil {
		return nil, nil, err
	}
	return d.event(), warnings, nil
}

// event builds the Event from a document that has passed every rule.
func (d *decoder) event() *Event {
	text := d.text()
	e := &Event{
		HMXVersion: d.str(text, eVersion),
		EventID:    d.str(text, eID),
		EventType:  EventType(d.str(text, eType)),
		AgentID:    d.str(text, eAgent),
		TenantID:   d.str(text, eTenant),
		SessionID:  d.str(text, eSession),
		Content:    d.raw(text, eContent),
		Metadata:   d.raw(text, eMetadata),

		TraceID:       d.optStr(text, eTrace),
		CorrelationID: d.optStr(text, eCorrelation),
		ParentEventID: d.optStr(text, eParent),
		Source:        d.optStr(text, eSource),
		ProvenanceRef: d.optStr(text, eProvenance),
	}
	stamp := d.str(text, eTimestamp)
	sec, nsec, _ := parseRFC3339(stamp)
	e.Timestamp = Time{stamp, sec, nsec}
	e.Sequence, _ = d.doc.Int(d.slots[eSequence])
	if d.has(eSalience) {
		e.Salience = Some(d.doc.Float(d.slots[eSalience]))
	}
	if d.has(eTTL) {
		v, _ := d.doc.Int(d.slots[eTTL])
		e.TTLSeconds = Some(v)
	}
	if d.has(eTags) {
		e.Tags = d.texts(text, d.slots[eTags])
	}
	if d.has(eEmbeddings) {
		e.Embeddings = d.numbers(d.slots[eEmbeddings])
	}
	return e
}

// checkEvent adds the warnings; an event has no rule that its schema cannot say,
// but for sizes.
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
		d.warn(eType, "HMX-E/3", shape.Show(&d.doc, d.slots[eType]), "a standard type, or x-{vendor}-{type} for custom ones; accepted as it is")
	}
}

// warnVersion warns of a version that is well formed but not ours.
func (d *decoder) warnVersion(i int, rule string) {
	if !d.has(i) || d.doc.Kind(d.slots[i]) != canon.String {
		return
	}
	if raw := d.doc.Raw(d.slots[i]); string(raw) != `"`+Version+`"` && wellFormedVersion(raw[1:len(raw)-1]) {
		d.warn(i, rule, shape.Show(&d.doc, d.slots[i]), Version+"; read by its rules")
	}
}

// Validate applies every rule of HMX-E to an event made in Go.
func (e *Event) Validate() ([]Problem, error) {
	data, err := e.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	return Check(KindEvent, data)
}

// AppendJSON appends the event as one line of compact JSON, fields in the order
// of the document. It fails if a string is not UTF-8, a number is not finite or
// a raw value is not strict JSON.
func (e *Event) AppendJSON(dst []byte) ([]byte, error) {
	if e == nil {
		return dst, errNoEvent
	}
	w := eventWriter{buf: append(dst, '{')}
	w.text("hmx_version", e.HMXVersion)
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
		return dst, fmt.Errorf("cannot write as JSON: %w", w.err)
	}
	return append(w.buf, '}'), nil
}

// MarshalJSON is AppendJSON for encoding/json.
func (e *Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// UnmarshalJSON decodes strictly, as DecodeEvent does.
func (e *Event) UnmarshalJSON(data []byte) error {
	v, _, err := DecodeEvent(data)
	if err == nil {
		*e = *v
	}
	return err
}

// Canonical returns the event in the canonical form of RFC 8785.
func (e *Event) Canonical() ([]byte, error) { return canonical(e) }

// Size estimates the memory the event holds, in bytes.
func (e *Event) Size() int {
	n := 400 + len(e.EventID) + len(e.EventType) + len(e.AgentID) + len(e.TenantID) + len(e.SessionID) +
		len(e.Content) + len(e.Metadata) + 8*len(e.Embeddings) + len(e.TraceID.Value) + len(e.CorrelationID.Value) +
		len(e.ParentEventID.Value) + len(e.Source.Value) + len(e.ProvenanceRef.Value)
	for _, t := range e.Tags {
		n += 16 + len(t)
	}
	return n
}
