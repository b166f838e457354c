package hmx

import "lukasa.dev/internal/canon"

// assembly collects the parts of an event before it is built, so that the event holds one
// string with just its parts: without the names, the white space or anything else of the input.
type assembly struct {
	d     *decoder
	there uint32              // a bit per field; the others are undefined
	parts [eTTL + 1][2]uint32 // of texts and raw values, in d.buf
	tags  [MaxTags][2]uint32  // likewise
	count int                 // of tags

	sec           int64
	nsec          int32
	sequence, ttl int64
	salience      float64
	embeddings    []float64
}

// assemble starts an event. The assembly belongs to the decoder: it is too large to be cleared
// for every event.
func (d *decoder) assemble() *assembly {
	d.buf = d.buf[:0]
	a := &d.parts
	a.d, a.there, a.count, a.embeddings = d, 0, 0, nil
	return a
}

// add records the bytes of a field.
func (a *assembly) add(field int, part []byte) {
	start := len(a.d.buf)
	a.d.buf = append(a.d.buf, part...)
	a.note(field, start)
}

// addText records the unescaped text of string n.
func (a *assembly) addText(field int, n canon.Node) {
	start := len(a.d.buf)
	a.d.buf = a.d.doc.AppendString(a.d.buf, n)
	a.note(field, start)
}

// note makes what was collected since start the value of a field.
func (a *assembly) note(field, start int) {
	a.parts[field] = [2]uint32{uint32(start), uint32(len(a.d.buf))}
	a.there |= 1 << field
}

// addTags records the strings of array n, at most MaxTags.
func (a *assembly) addTags(n canon.Node) {
	a.there |= 1 << eTags
	doc := &a.d.doc
	first, end := doc.Children(n)
	for c := first; c < end; c = doc.After(c) {
		start := len(a.d.buf)
		a.d.buf = doc.AppendString(a.d.buf, c)
		a.tags[a.count] = [2]uint32{uint32(start), uint32(len(a.d.buf))}
		a.count++
	}
}

// addNumbers records the numbers of array n.
func (a *assembly) addNumbers(n canon.Node) {
	a.there |= 1 << eEmbeddings
	doc := &a.d.doc
	a.embeddings = make([]float64, 0, doc.Len(n))
	first, end := doc.Children(n)
	for c := first; c < end; c = doc.After(c) {
		a.embeddings = append(a.embeddings, doc.Float(c))
	}
}

func (a *assembly) has(field int) bool { return a.there>>field&1 != 0 }

// event builds the event.
func (a *assembly) event() *Event {
	text := string(a.d.buf)
	part := func(field int) string { return text[a.parts[field][0]:a.parts[field][1]] }
	option := func(field int) Opt[string] {
		if !a.has(field) {
			return Opt[string]{}
		}
		return Some(part(field))
	}
	e := &Event{
		HMXVersion: part(eVersion),
		EventID:    part(eID),
		EventType:  EventType(part(eType)),
		AgentID:    part(eAgent),
		TenantID:   part(eTenant),
		SessionID:  part(eSession),
		Timestamp:  Time{part(eTimestamp), a.sec, a.nsec},
		Sequence:   a.sequence,
		Content:    Raw(part(eContent)),
		Metadata:   Raw(part(eMetadata)),

		TraceID:       option(eTrace),
		CorrelationID: option(eCorrelation),
		ParentEventID: option(eParent),
		Embeddings:    a.embeddings,
		Source:        option(eSource),
		ProvenanceRef: option(eProvenance),
	}
	if a.has(eSalience) {
		e.Salience = Some(a.salience)
	}
	if a.has(eTTL) {
		e.TTLSeconds = Some(a.ttl)
	}
	if a.has(eTags) {
		e.Tags = make([]string, a.count)
		for i := range e.Tags {
			e.Tags[i] = text[a.tags[i][0]:a.tags[i][1]]
		}
	}
	return e
}
