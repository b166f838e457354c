package hmx

import (
	"strconv"

	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// quickEvent reads an event that is valid, free of warnings and written in the
// plain way nearly every event is: known names, each once, no escapes outside
// content, metadata and tags. Anything else it leaves, by returning nil, to the
// general decoder, which finds out what is wrong and says so.
//
// It is there for speed alone: the members are told apart as they are read, so
// that only content, metadata and lists go through the tape. It must never accept
// what the general decoder does not; a fuzz target holds the two together.
func (d *decoder) quickEvent(data []byte) *Event {
	b := d.trim(data)
	if len(b) < 2 || len(b) > MaxEventBytes || b[0] != '{' {
		return nil
	}
	q := quickReader{d: d, b: b}
	d.doc.Begin(b)
	for i := skip(b, 1); ; i = skip(b, i+1) {
		if i = q.member(i); i < 0 {
			return nil
		}
		if i = skip(b, i); i >= len(b) {
			return nil
		}
		if b[i] == '}' {
			if i != len(b)-1 || q.seen&eventShape.Required() != eventShape.Required() || !q.contentFits() {
				return nil
			}
			return q.event()
		}
		if b[i] != ',' {
			return nil
		}
	}
}

// quickReader is the state of one quickEvent.
type quickReader struct {
	d     *decoder
	b     []byte
	seen  uint32              // a bit per field
	spans [eTTL + 1][2]uint32 // texts without quotes, raw values
	nodes [eTTL + 1]canon.Node

	sec           int64
	nsec          int32
	sequence, ttl int64
	salience      float64
}

// skip returns the first position at or after i that is not white space.
func skip(b []byte, i int) int {
	for i < len(b) && space(b[i]) {
		i++
	}
	return i
}

// member reads one name and its value and returns the position after it, or -1.
func (q *quickReader) member(i int) int {
	b := q.b
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	end := canon.PlainString(b, i+1)
	if end < 0 {
		return -1
	}
	field := eventField(b[i+1 : end-1])
	if field < 0 || q.seen>>field&1 != 0 {
		return -1
	}
	q.seen |= 1 << field
	if i = skip(b, end); i >= len(b) || b[i] != ':' {
		return -1
	}
	if i = skip(b, i+1); i >= len(b) {
		return -1
	}
	switch field {
	case eSequence:
		q.sequence, end = quickInt(b, i)
	case eTTL:
		q.ttl, end = quickInt(b, i)
	case eSalience:
		q.salience, end = quickFraction(b, i)
	case eContent:
		end = q.object(field, i, MaxEventContentBytes)
	case eMetadata:
		end = q.object(field, i, MaxEventMetadataBytes)
	case eTags:
		end = q.list(field, i, canon.String, 0, MaxTags)
	case eEmbeddings:
		end = q.list(field, i, canon.Number, 1, MaxEmbeddings)
	default:
		end = q.text(field, i)
	}
	return end
}

// eventField returns the place of a field by its name, or -1.
func eventField(name []byte) int {
	switch string(name) {
	case "hmx_version":
		return eVersion
	case "event_id":
		return eID
	case "event_type":
		return eType
	case "agent_id":
		return eAgent
	case "tenant_id":
		return eTenant
	case "session_id":
		return eSession
	case "timestamp":
		return eTimestamp
	case "sequence":
		return eSequence
	case "content":
		return eContent
	case "metadata":
		return eMetadata
	case "trace_id":
		return eTrace
	case "correlation_id":
		return eCorrelation
	case "parent_event_id":
		return eParent
	case "embeddings":
		return eEmbeddings
	case "salience":
		return eSalience
	case "source":
		return eSource
	case "provenance_ref":
		return eProvenance
	case "tags":
		return eTags
	case "ttl_seconds":
		return eTTL
	}
	return -1
}

// text reads the string at i, which must fit the rule of its field.
func (q *quickReader) text(field, i int) int {
	if q.b[i] != '"' {
		return -1
	}
	end := canon.PlainString(q.b, i+1)
	if end < 0 {
		return -1
	}
	text := q.b[i+1 : end-1]
	ok := true
	switch field {
	case eVersion:
		ok = string(text) == Version
	case eType:
		ok = EventType(text).Standard()
	case eTimestamp:
		q.sec, q.nsec, ok = parseRFC3339(text)
	case eID, eAgent, eTenant, eSession:
		ok = len(text) > 0
	}
	if !ok {
		return -1
	}
	q.spans[field] = [2]uint32{uint32(i + 1), uint32(end - 1)}
	return end
}

func (q *quickReader) object(field, i, most int) int {
	if q.b[i] != '{' {
		return -1
	}
	n, end, ok := q.d.doc.Scan(i)
	if !ok || end-i > most {
		return -1
	}
	q.nodes[field] = n
	q.spans[field] = [2]uint32{uint32(i), uint32(end)}
	return end
}

// list reads an array of least to most values of one kind.
func (q *quickReader) list(field, i int, kind canon.Kind, least, most int) int {
	if q.b[i] != '[' {
		return -1
	}
	doc := &q.d.doc
	n, end, ok := doc.Scan(i)
	if !ok {
		return -1
	}
	count := 0
	first, after := doc.Children(n)
	for c := first; c < after; c = doc.After(c) {
		if doc.Kind(c) != kind {
			return -1
		}
		count++
	}
	if count < least || count > most {
		return -1
	}
	q.nodes[field] = n
	return end
}

// quickInt reads a whole number of at most 18 digits.
func quickInt(b []byte, i int) (v int64, end int) {
	start := i
	for i < len(b) && b[i]-'0' < 10 && i-start < 19 {
		v = v*10 + int64(b[i]-'0')
		i++
	}
	if n := i - start; n == 0 || n > 18 || n > 1 && b[start] == '0' || !ends(b, i) {
		return 0, -1
	}
	return v, i
}

// quickFraction reads 0, 1 or 0.something of at most 15 characters, which a double
// holds exactly enough for the rule.
func quickFraction(b []byte, i int) (v float64, end int) {
	start := i
	for i < len(b) && (b[i]-'0' < 10 || b[i] == '.') && i-start < 16 {
		i++
	}
	text := b[start:i]
	switch n := len(text); {
	case !ends(b, i) || n == 0 || n > 15:
		return 0, -1
	case n == 1 && text[0] <= '1':
		return float64(text[0] - '0'), i
	case n < 3 || text[0] != '0' || text[1] != '.':
		return 0, -1
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, -1
	}
	return v, i
}

// ends reports whether a number may end at i.
func ends(b []byte, i int) bool {
	return i < len(b) && (b[i] == ',' || b[i] == '}' || space(b[i]))
}

// contentFits reports whether the content follows the rules of its event type.
func (q *quickReader) contentFits() bool {
	span := q.spans[eType]
	s := contentShape(q.b[span[0]:span[1]])
	if s == nil {
		return true
	}
	check := &q.d.check
	check.Reset(&q.d.doc)
	check.Record(s, q.nodes[eContent], "", nil)
	return len(check.Problems) == 0
}

// contentShape returns the shape of the content of an event type, if it has one.
func contentShape(eventType []byte) *shape.Shape {
	for i := range eventShape.Switches[0].Cases {
		if c := &eventShape.Switches[0].Cases[i]; c.When == string(eventType) {
			return c.Shape
		}
	}
	return nil
}

// event builds the Event. Its strings are parts of one copy of the text.
func (q *quickReader) event() *Event {
	text := string(q.b)
	part := func(field int) string { return text[q.spans[field][0]:q.spans[field][1]] }
	option := func(field int) Opt[string] {
		if q.seen>>field&1 == 0 {
			return Opt[string]{}
		}
		return Some(part(field))
	}
	e := &Event{
		HMXVersion: Version,
		EventID:    part(eID),
		EventType:  EventType(part(eType)),
		AgentID:    part(eAgent),
		TenantID:   part(eTenant),
		SessionID:  part(eSession),
		Timestamp:  Time{part(eTimestamp), q.sec, q.nsec},
		Sequence:   q.sequence,
		Content:    Raw(part(eContent)),
		Metadata:   Raw(part(eMetadata)),

		TraceID:       option(eTrace),
		CorrelationID: option(eCorrelation),
		ParentEventID: option(eParent),
		Salience:      Opt[float64]{q.salience, q.seen>>eSalience&1 != 0},
		Source:        option(eSource),
		ProvenanceRef: option(eProvenance),
		TTLSeconds:    Opt[int64]{q.ttl, q.seen>>eTTL&1 != 0},
	}
	if q.seen>>eTags&1 != 0 {
		e.Tags = q.d.texts(text, q.nodes[eTags])
	}
	if q.seen>>eEmbeddings&1 != 0 {
		e.Embeddings = q.d.numbers(q.nodes[eEmbeddings])
	}
	return e
}
