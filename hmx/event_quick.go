package hmx

import (
	"bytes"
	"strconv"

	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// quickEvent decodes an event that is valid, without warnings and written in the usual plain
// form: known names, each once and without escapes, and small integers. For anything else it
// returns nil and leaves it to the general decoder, which reports what is wrong.
//
// It exists for speed alone: it dispatches members as it reads them, so that only content,
// metadata and lists go through the tape. It must never accept what the general decoder
// refuses; a fuzz target compares the two.
func (d *decoder) quickEvent(data []byte) *Event {
	b := d.trim(data)
	if len(b) < 2 || len(b) > MaxEventBytes || b[0] != '{' {
		return nil
	}
	q := quickReader{assembly: d.assemble(), b: b}
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
	*assembly
	b       []byte
	seen    uint32 // a bit per field
	content canon.Node
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
		q.there |= 1 << eTTL
	case eSalience:
		q.salience, end = quickFraction(b, i)
		q.there |= 1 << eSalience
	case eContent:
		q.content, end = q.object(field, i, MaxEventContentBytes)
	case eMetadata:
		_, end = q.object(field, i, MaxEventMetadataBytes)
	case eTags:
		var n canon.Node
		if n, end = q.list(i, canon.String, 0, MaxTags); end >= 0 {
			q.addTags(n)
		}
	case eEmbeddings:
		var n canon.Node
		if n, end = q.list(i, canon.Number, 1, MaxEmbeddings); end >= 0 {
			q.addNumbers(n)
		}
	default:
		end = q.text(field, i)
	}
	return end
}

// eventField returns the index of a field by its name, or -1.
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
		return q.escaped(field, i)
	}
	text := q.b[i+1 : end-1]
	ok := true
	switch field {
	case eVersion:
		ok = string(text) == Version
	case eType:
		ok = EventType(text).Standard() || CustomType(string(text))
	case eTimestamp:
		q.sec, q.nsec, ok = parseRFC3339(text)
	case eID, eAgent, eTenant, eSession:
		ok = len(text) > 0
	}
	if !ok {
		return -1
	}
	q.add(field, text)
	return end
}

// escaped reads a string with escapes, of a field without a rule on its text.
func (q *quickReader) escaped(field, i int) int {
	switch field {
	case eVersion, eType, eTimestamp:
		return -1
	}
	n, end, ok := q.d.doc.Scan(i)
	if !ok {
		return -1
	}
	q.addText(field, n)
	return end
}

func (q *quickReader) object(field, i, most int) (canon.Node, int) {
	if q.b[i] != '{' {
		return canon.None, -1
	}
	n, end, ok := q.d.doc.Scan(i)
	if !ok || end-i > most {
		return canon.None, -1
	}
	q.add(field, q.b[i:end])
	return n, end
}

// list reads an array of least to most values of one kind.
func (q *quickReader) list(i int, kind canon.Kind, least, most int) (canon.Node, int) {
	if q.b[i] != '[' {
		return canon.None, -1
	}
	doc := &q.d.doc
	n, end, ok := doc.Scan(i)
	if !ok {
		return canon.None, -1
	}
	count := 0
	first, after := doc.Children(n)
	for c := first; c < after; c = doc.After(c) {
		if doc.Kind(c) != kind {
			return canon.None, -1
		}
		count++
	}
	if count < least || count > most {
		return canon.None, -1
	}
	return n, end
}

// quickInt reads an integer of at most 18 digits.
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

// quickFraction reads 0, 1 or 0.something, which is in range at any length.
func quickFraction(b []byte, i int) (v float64, end int) {
	start := i
	for i < len(b) && (b[i]-'0' < 10 || b[i] == '.') && i-start < 40 {
		i++
	}
	text := b[start:i]
	switch {
	case len(text) == 0 || !ends(b, i):
		return 0, -1
	case len(text) == 1 && text[0] <= '1' && text[0] >= '0':
		return float64(text[0] - '0'), i
	case len(text) < 3 || text[0] != '0' || text[1] != '.' || bytes.IndexByte(text[2:], '.') >= 0:
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
	span := q.parts[eType]
	s := contentShape(q.d.buf[span[0]:span[1]])
	if s == nil {
		return true
	}
	check := &q.d.check
	check.Reset(&q.d.doc)
	check.Record(s, q.content, "", nil)
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
