package hmx

import (
	"math"

	"lukasa.dev/hmx/internal/shape"
)

// Shapes shared by all three kinds.
var (
	anyText    = &shape.Shape{Type: shape.Text}
	nonEmpty   = &shape.Shape{Type: shape.Text, NonEmpty: true}
	anyObject  = &shape.Shape{Type: shape.Record}
	anyBool    = &shape.Shape{Type: shape.Bool}
	anyNumber  = &shape.Shape{Type: shape.Num}
	fraction   = &shape.Shape{Type: shape.Num, Bounded: true, Min: 0, Max: 1}
	notBelow0  = &shape.Shape{Type: shape.Num, Bounded: true, Min: 0, NoMax: true}
	count      = &shape.Shape{Type: shape.Integer, Bounded: true, Min: 0, Max: math.MaxInt64}
	texts      = &shape.Shape{Type: shape.List, Items: anyText}
	dateTime   = &shape.Shape{Type: shape.Text, Format: dateTimeFormat}
	hmxVersion = &shape.Shape{Type: shape.Text, Format: versionFormat, Doc: "Protocol version, such as HMX-1.0"}
)

var dateTimeFormat = shape.Format{
	Match:  func(b []byte) bool { _, _, ok := parseRFC3339(b); return ok },
	Format: "date-time",
	// Many validators do not check formats; so the grammar is at least a pattern.
	Pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$`,
	Allowed: "an RFC 3339 date-time with a time zone, such as 2026-03-14T03:00:00.000Z",
}

var versionFormat = shape.Format{
	Match: wellFormedVersion, Pattern: `^HMX-[0-9]+\.[0-9]+$`,
	Allowed: "HMX-<major>.<minor>, such as " + Version,
}

// wellFormedVersion reports whether b is HMX-\d+\.\d+.
func wellFormedVersion(b []byte) bool {
	if len(b) < 7 || string(b[:4]) != "HMX-" {
		return false
	}
	dot := 0
	for i, c := range b[4:] {
		switch {
		case c == '.' && dot == 0 && i > 0:
			dot = i
		case c-'0' > 9:
			return false
		}
	}
	return dot > 0 && dot < len(b)-5
}

func tags(rule string) *shape.Shape {
	return &shape.Shape{Type: shape.List, Items: anyText, MaxItems: MaxTags, BytesRule: rule, Doc: "Categorization tags for filtering"}
}

func oneOf(values ...string) *shape.Shape { return &shape.Shape{Type: shape.Text, Enum: values} }

func listOf(s *shape.Shape) *shape.Shape { return &shape.Shape{Type: shape.List, Items: s} }

func text(doc string) *shape.Shape { return &shape.Shape{Type: shape.Text, Doc: doc} }

func id(doc string) *shape.Shape { return &shape.Shape{Type: shape.Text, NonEmpty: true, Doc: doc} }

// open describes an object of optional normative fields that may have any other members.
func open(rule string, fields ...shape.Field) *shape.Shape {
	for i := range fields {
		fields[i].Rule = rule
	}
	return &shape.Shape{Type: shape.Record, Fields: fields}
}

// eventShape is HMX-E sections 2, 3, 4, 6 and 11. The order is that of Event.
var eventShape = (&shape.Shape{
	Type: shape.Record, Closed: true, Unknown: "HMX-E/5",
	MaxBytes: MaxEventBytes, BytesRule: "HMX-E/11",
	Fields: []shape.Field{
		eVersion:   {Name: "hmx_version", Rule: "HMX-E/6.1", Missing: "HMX-E/2.1", Shape: hmxVersion},
		eID:        {Name: "event_id", Rule: "HMX-E/6.2", Missing: "HMX-E/2.1", Shape: id("Globally unique; UUIDv7 recommended")},
		eType:      {Name: "event_type", Rule: "HMX-E/3", Missing: "HMX-E/2.1", Shape: id("One of the thirteen standard types, or x-{vendor}-{type}")},
		eAgent:     {Name: "agent_id", Rule: "HMX-E/2.1", Missing: "HMX-E/2.1", Shape: id("The agent that produced this event")},
		eTenant:    {Name: "tenant_id", Rule: "HMX-E/2.1", Missing: "HMX-E/2.1", Shape: id("The tenant this event belongs to")},
		eSession:   {Name: "session_id", Rule: "HMX-E/2.1", Missing: "HMX-E/2.1", Shape: id("The session this event belongs to")},
		eTimestamp: {Name: "timestamp", Rule: "HMX-E/6.3", Missing: "HMX-E/2.1", Shape: dateTime},
		eSequence:  {Name: "sequence", Rule: "HMX-E/6.4", Missing: "HMX-E/2.1", Shape: count},
		eContent: {Name: "content", Rule: "HMX-E/6.7", Missing: "HMX-E/2.1", Shape: &shape.Shape{
			Type: shape.Record, MaxBytes: MaxEventContentBytes, BytesRule: "HMX-E/11", Doc: "Payload; its fields depend on event_type"}},
		eMetadata: {Name: "metadata", Rule: "HMX-E/6.8", Missing: "HMX-E/2.1", Shape: &shape.Shape{
			Type: shape.Record, MaxBytes: MaxEventMetadataBytes, BytesRule: "HMX-E/11", Doc: "Extensible metadata"}},
		eTrace:       {Name: "trace_id", Rule: "HMX-E/2.2", Shape: text("Distributed tracing id")},
		eCorrelation: {Name: "correlation_id", Rule: "HMX-E/2.2", Shape: text("Links related events")},
		eParent:      {Name: "parent_event_id", Rule: "HMX-E/2.2", Shape: text("The causally preceding event")},
		eEmbeddings: {Name: "embeddings", Rule: "HMX-E/6.6", Shape: &shape.Shape{
			Type: shape.List, Items: anyNumber, MinItems: 1, MaxItems: MaxEmbeddings, BytesRule: "HMX-E/11", Doc: "Embedding vector"}},
		eSalience:   {Name: "salience", Rule: "HMX-E/6.5", Shape: fraction},
		eSource:     {Name: "source", Rule: "HMX-E/2.2", Shape: text("Origin system or component")},
		eProvenance: {Name: "provenance_ref", Rule: "HMX-E/2.2", Shape: text("Reference to raw evidence")},
		eTags:       {Name: "tags", Rule: "HMX-E/6.9", Shape: tags("HMX-E/11")},
		eTTL:        {Name: "ttl_seconds", Rule: "HMX-E/6.10", Shape: count},
	},
	Switches: []shape.Switch{{On: "event_type", Target: "content", Cases: []shape.Case{
		{When: string(TypeMessage), Rule: "HMX-E/4.1", Shape: open("HMX-E/4.1",
			shape.Field{Name: "role", Shape: oneOf("user", "assistant", "system")},
			shape.Field{Name: "text", Shape: anyText},
			shape.Field{Name: "attachments", Shape: listOf(open("HMX-E/4.1",
				shape.Field{Name: "type", Shape: anyText},
				shape.Field{Name: "url", Shape: anyText}))})},
		{When: string(TypeToolCall), Rule: "HMX-E/4.2", Shape: open("HMX-E/4.2",
			shape.Field{Name: "tool_name", Shape: anyText},
			shape.Field{Name: "arguments", Shape: anyObject},
			shape.Field{Name: "call_id", Shape: anyText})},
		{When: string(TypeToolResult), Rule: "HMX-E/4.3", Shape: open("HMX-E/4.3",
			shape.Field{Name: "tool_name", Shape: anyText},
			shape.Field{Name: "call_id", Shape: anyText},
			shape.Field{Name: "result", Shape: anyObject},
			shape.Field{Name: "success", Shape: anyBool},
			shape.Field{Name: "duration_ms", Shape: notBelow0})},
		{When: string(TypeDecision), Rule: "HMX-E/4.4", Shape: open("HMX-E/4.4",
			shape.Field{Name: "question", Shape: anyText},
			shape.Field{Name: "chosen_option", Shape: anyText},
			shape.Field{Name: "alternatives", Shape: texts},
			shape.Field{Name: "reasoning", Shape: anyText},
			shape.Field{Name: "confidence", Shape: fraction})},
		{When: string(TypeError), Rule: "HMX-E/4.5", Shape: open("HMX-E/4.5",
			shape.Field{Name: "error_type", Shape: anyText},
			shape.Field{Name: "message", Shape: anyText},
			shape.Field{Name: "stack", Shape: anyText},
			shape.Field{Name: "recoverable", Shape: anyBool})},
		{When: string(TypeFeedback), Rule: "HMX-E/4.6", Shape: open("HMX-E/4.6",
			shape.Field{Name: "signal", Shape: oneOf("positive", "negative", "correction")},
			shape.Field{Name: "target_event_id", Shape: anyText},
			shape.Field{Name: "comment", Shape: anyText})},
	}}},
}).Compile()
