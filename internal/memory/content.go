package memory

import (
	"crypto/hmac"
	"crypto/sha256"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/record"
)

// minSubstance is how many bytes of substance a content needs to be recognised after it was
// erased.
const minSubstance = 24

// macDomain separates this keyed hash from every other use of its key.
const macDomain = "lukasa/erased-content/1\n"

// EventMAC returns the keyed hash by which an erased event's content is recognised when it
// comes again: HMAC-SHA-256 over a domain, the kind, and type and content in the canonical form
// of RFC 8785. Without the key it neither reveals the content nor lets a guess be verified.
//
// ok is false if the content has less than 24 bytes of substance, the total of its texts and
// numbers. Otherwise one erased "ok" would make every later "ok" unrecordable.
func EventMAC(key []byte, ev *hmx.Event) (mac record.Hash, ok bool) {
	content, err := ev.Content.Canonical()
	if err != nil {
		return mac, false
	}
	text := append([]byte(`{"content":`), content...)
	text = append(text, `,"event_type":`...)
	text = canon.AppendQuoted(text, string(ev.EventType))
	return contentMAC(key, record.Event, append(text, '}'), substance(content))
}

// BodyMAC returns the keyed hash of a normalised body's content: type, text and data of a
// memory, type and content of an artifact, the document of a fingerprint, and everything except
// id, key, metadata and profile of any other. It is computed like [EventMAC]. Defaults of a
// memory's type are no substance, and only the note of a feedback is: the same outcome must be
// recordable again.
func BodyMAC(key []byte, b Body) (mac record.Hash, ok bool) {
	var doc listed
	switch b := b.(type) {
	case *Artifact:
		content, err := b.HMX.Content.Canonical()
		if err != nil {
			return mac, false
		}
		text := append([]byte(`{"artifact_type":`), canon.AppendQuoted(nil, string(b.HMX.ArtifactType))...)
		text = append(append(text, `,"content":`...), content...)
		return contentMAC(key, record.Artifact, append(text, '}'), substance(content))
	case *Memory:
		doc = &Memory{Type: b.Type, Text: b.Text, Data: b.Data}
	case *Edge:
		bare := *b
		bare.ID, bare.Metadata = "", ""
		doc = &bare
	case *Entity:
		bare := *b
		bare.ID, bare.Metadata = "", ""
		doc = &bare
	case *Relation:
		bare := *b
		bare.ID, bare.Metadata = "", ""
		doc = &bare
	case *Conflict:
		bare := *b
		bare.ID, bare.Metadata = "", ""
		doc = &bare
	case *Policy:
		bare := *b
		bare.ID, bare.Key, bare.Metadata = "", "", ""
		doc = &bare
	case *Feedback:
		bare := *b
		bare.ID, bare.Metadata, bare.Profile = "", "", hmx.Opt[Profile]{}
		doc = &bare
	case *Fingerprint:
		doc = &Fingerprint{Document: b.Document}
	default:
		return mac, false
	}
	text, err := encode(nil, "content", doc)
	if err != nil {
		return mac, false
	}
	if text, err = canon.Append(nil, text); err != nil {
		return mac, false
	}
	size := substance(text)
	switch b := b.(type) {
	case *Memory:
		if empty, err := encode(nil, "content", &Memory{Type: b.Type, Data: NewData(b.Type)}); err == nil {
			size -= substance(empty)
		}
	case *Feedback:
		size = len(b.Note)
	}
	return contentMAC(key, b.Kind(), text, size)
}

func contentMAC(key []byte, kind record.Kind, canonical []byte, substance int) (mac record.Hash, ok bool) {
	if substance < minSubstance {
		return mac, false
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(macDomain))
	h.Write([]byte{byte(kind)})
	h.Write(canonical)
	h.Sum(mac[:0])
	return mac, true
}

// substance counts the bytes of all texts and numbers in strict JSON, without the names of
// members.
func substance(data []byte) int {
	var d canon.Doc
	if d.Parse(data) != nil {
		return 0
	}
	total := 0
	for n, end := d.Root(), d.After(d.Root()); n < end; n++ {
		switch kind, size := d.Measure(n); kind {
		case canon.String:
			total += len(d.AppendString(nil, n))
		case canon.Number:
			total += size
		}
	}
	return total
}
