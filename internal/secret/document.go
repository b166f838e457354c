package secret

import (
	"reflect"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// Event returns an event without the secrets in its content, metadata and tags, and how many
// there were. It does not modify the event, and does not change ids.
func Event(ev *hmx.Event) (*hmx.Event, int) {
	content, inContent := JSON(string(ev.Content))
	metadata, inMetadata := JSON(string(ev.Metadata))
	tags, inTags := scrubWords(ev.Tags)
	found := inContent + inMetadata + inTags
	if found == 0 {
		return ev, 0
	}
	clean := *ev
	clean.Content, clean.Metadata, clean.Tags = hmx.Raw(content), hmx.Raw(metadata), tags
	return &clean, found
}

// scrubWords scrubs lists of words.
func scrubWords(words []string) ([]string, int) {
	var clean []string
	found := 0
	for i, word := range words {
		text, n := Text(word)
		if n == 0 {
			continue
		}
		if clean == nil {
			clean = slices.Clone(words)
		}
		clean[i], found = text, found+n
	}
	if found == 0 {
		return words, 0
	}
	return clean, found
}

// nameFields are the fields of a body that name it or other records.
func nameFields() []string {
	return []string{"id", "key", "type", "kind", "from", "to", "sources", "agent_id", "session_id", "cited", "between", "winner", "scope", "forms"}
}

// Body removes the secrets from a body, and returns how many there were. It does not change
// names.
func Body(body memory.Body) (int, error) {
	switch body := body.(type) {
	case *memory.Artifact:
		return scrubArtifact(&body.HMX)
	case *memory.Fingerprint:
		return 0, nil // it has a hash over everything, and no text of users
	}
	doc, err := body.AppendJSON(nil)
	if err != nil {
		return 0, nil // it will be refused
	}
	text, found := JSON(string(doc), nameFields()...)
	if found > 0 {
		clean, err := memory.Decode(body.Kind(), []byte(text))
		if err != nil {
			return 0, err
		}
		reflect.ValueOf(body).Elem().Set(reflect.ValueOf(clean).Elem())
	}
	if m, ok := body.(*memory.Memory); ok {
		found += scrubForms(m, found > 0)
	}
	return found, nil
}

// scrubForms drops the forms of a memory if they contain secrets, or may contain a part of one
// since its text did: they are rebuilt.
func scrubForms(m *memory.Memory, text bool) int {
	if text {
		m.Forms = memory.Forms{}
		return 0
	}
	_, inShort := Text(m.Forms.Short)
	_, inMedium := Text(m.Forms.Medium)
	if inShort+inMedium > 0 {
		m.Forms = memory.Forms{}
	}
	return inShort + inMedium
}

// scrubArtifact removes the secrets from an artifact. It updates the content hash if that was
// right.
func scrubArtifact(a *hmx.Artifact) (int, error) {
	title, inTitle := Text(a.Title)
	summary, inSummary := Text(a.Summary)
	content, inContent := JSON(string(a.Content))
	metadata, inMetadata := JSON(string(a.Metadata))
	tags, inTags := scrubWords(a.Tags)
	if inContent > 0 {
		before, err := hmx.ContentHash(a.Content)
		if err != nil {
			return 0, fault.Wrap(fault.InvalidDocument, err)
		}
		after, err := hmx.ContentHash(hmx.Raw(content))
		if err != nil {
			return 0, fault.Wrap(fault.InvalidDocument, err)
		}
		if a.ContentHash == before {
			a.ContentHash = after
		}
	}
	a.Title, a.Summary, a.Content, a.Metadata, a.Tags = title, summary, hmx.Raw(content), hmx.Raw(metadata), tags
	return inTitle + inSummary + inContent + inMetadata + inTags, nil
}
