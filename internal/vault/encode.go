package vault

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/memory"
)

// shape is the form of a memory's field in front matter.
type shape uint8

const (
	asText   shape = iota // a text
	asNumber              // a number
	asList                // a list of texts
	asJSON                // JSON within a text, which programs that rewrite front matter do not change
)

// fields are the fields of a memory that are properties, in their order. The text is the body
// of the file.
func fields() []struct {
	name  string
	shape shape
} {
	return []struct {
		name  string
		shape shape
	}{
		{"id", asText}, {"key", asText}, {"type", asText}, {"data", asJSON}, {"tags", asList}, {"frames", asJSON}, {"importance", asNumber}, {"confidence", asNumber},
		{"valid_from", asText}, {"valid_until", asText}, {"ttl_seconds", asNumber}, {"validity_scope", asJSON}, {"visibility", asText}, {"forms", asJSON}, {"sources", asList}, {"metadata", asJSON},
	}
}

// Properties that are not fields of a memory: the type of the file, and the state on the
// board.
const (
	propKind    = "lukasa"
	propVersion = "version"
	propTrust   = "trust"
	propActor   = "actor"
	propCreated = "created"
	propUpdated = "updated"
	propStatus  = "status"
	propTitle   = "title"
)

// told reports whether a property is set by the board, so that it is not read back.
func told(name string) bool {
	switch name {
	case propKind, propVersion, propTrust, propActor, propCreated, propUpdated:
		return true
	}
	return linkName(name)
}

// ownName is the member of a memory's metadata that holds the properties of other programs.
const ownName = "vault"

// fence is the line around front matter.
const fence = "---"

// front writes front matter.
type front struct{ bytes.Buffer }

func newFront(kind string) *front {
	f := &front{}
	f.WriteString(fence + "\n" + propKind + ": " + kind + "\n")
	return f
}

// text writes a property, unquoted if YAML reads that as the same text.
func (f *front) text(name, value string) {
	f.WriteString(name + ": " + scalar(value) + "\n")
}

// plainly reports whether a text is a word that YAML reads as itself.
func plainly(s string) bool {
	switch s {
	case "", "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return false
	}
	for i, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '_'):
		case i > 0 && i < len(s)-1 && (c == '-' || c == '/' || c == '.'):
		default:
			return false
		}
	}
	return true
}

// scalar returns a text as a YAML scalar.
func scalar(s string) string {
	if plainly(s) {
		return s
	}
	return string(canon.AppendQuoted(nil, s))
}

// list writes a list, one item per line.
func (f *front) list(name string, items []string) {
	if len(items) == 0 {
		return
	}
	f.WriteString(name + ":\n")
	for _, item := range items {
		f.WriteString("  - " + scalar(item) + "\n")
	}
}

// document writes JSON as a text.
func (f *front) document(name string, raw []byte) {
	f.WriteString(name + ": '" + strings.ReplaceAll(string(raw), "'", "''") + "'\n")
}

// time writes a time.
func (f *front) time(name string, t time.Time) {
	if !t.IsZero() {
		f.text(name, t.UTC().Format(time.RFC3339Nano))
	}
}

// state writes the state of a versioned record on the board, and its links.
func (f *front) state(p *Page, n *names) {
	links := n.links(p)
	for _, rel := range slices.Sorted(maps.Keys(links)) {
		slices.Sort(links[rel])
		f.list(rel, slices.Compact(links[rel]))
	}
	f.WriteString(propVersion + ": " + strconv.FormatUint(uint64(p.Version), 10) + "\n")
	f.text(propTrust, p.Trust.String())
	f.text(propActor, p.Actor)
	f.time(propCreated, p.Created)
	f.time(propUpdated, p.Updated)
	f.WriteString(fence + "\n")
}

// encodeMemory writes the file of a memory: properties, and the unchanged text.
func encodeMemory(p *Page, m *memory.Memory, n *names) ([]byte, error) {
	plain := *m
	plain.Normalize()
	if plain.Forms == madeForms(&plain) {
		plain.Forms = memory.Forms{}
	}
	own, rest := ownProperties(plain.Metadata)
	plain.Metadata = rest
	text, err := plain.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	f := newFront("memory")
	for _, x := range fields() {
		raw, ok := values[x.name]
		if !ok || string(raw) == "{}" {
			continue
		}
		switch x.shape {
		case asText:
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				return nil, err
			}
			f.text(x.name, s)
		case asNumber:
			f.WriteString(x.name + ": " + string(raw) + "\n")
		case asList:
			var items []string
			if err := json.Unmarshal(raw, &items); err != nil {
				return nil, err
			}
			f.list(x.name, items)
		case asJSON:
			f.document(x.name, raw)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if own[name].isList {
			f.list(name, own[name].list)
		} else {
			f.text(name, own[name].text)
		}
	}
	f.state(p, n)
	f.WriteString(m.Text)
	f.WriteByte('\n')
	return f.Bytes(), nil
}

// ownProperties returns the properties of other programs in a memory's metadata, and the
// metadata without them. If they do not have the form that this package writes, the metadata
// stays as it is.
func ownProperties(raw hmx.Raw) (map[string]property, hmx.Raw) {
	var meta map[string]json.RawMessage
	if raw == "" || json.Unmarshal([]byte(raw), &meta) != nil || meta[ownName] == nil {
		return nil, raw
	}
	var values map[string]any
	if json.Unmarshal(meta[ownName], &values) != nil || len(values) == 0 {
		return nil, raw
	}
	own := map[string]property{}
	for name, value := range values {
		p, ok := propertyOf(value)
		if !ok || !ownProperty(name) {
			return nil, raw
		}
		own[name] = p
	}
	delete(meta, ownName)
	if len(meta) == 0 {
		return own, ""
	}
	rest, err := json.Marshal(meta)
	if err != nil || len(rest) > len(raw) {
		return nil, raw
	}
	return own, hmx.Raw(rest)
}

// propertyOf returns a value as a property.
func propertyOf(value any) (property, bool) {
	switch v := value.(type) {
	case string:
		return property{text: v}, !strings.ContainsAny(v, "\r\n")
	case []any:
		p := property{isList: true}
		for _, item := range v {
			s, ok := item.(string)
			if !ok || strings.ContainsAny(s, "\r\n") {
				return p, false
			}
			p.list = append(p.list, s)
		}
		return p, len(p.list) > 0
	}
	return property{}, false
}

// ownProperty reports whether other programs may use a name for their properties.
func ownProperty(name string) bool {
	if told(name) || name == "" || name == "text" || !propertyName(name) {
		return false
	}
	for _, f := range fields() {
		if f.name == name {
			return false
		}
	}
	return true
}

// encodeArtifact writes the file of an artifact: a summary, and the document as it was
// recorded.
func encodeArtifact(p *Page, a *memory.Artifact, n *names) ([]byte, error) {
	doc, err := a.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	f := newFront("artifact")
	f.text("id", a.HMX.ArtifactID)
	f.text("type", string(a.HMX.ArtifactType))
	f.text(propTitle, a.HMX.Title)
	f.text(propStatus, p.Status)
	f.WriteString("confidence: " + strconv.FormatFloat(a.HMX.Confidence, 'g', -1, 64) + "\n")
	f.list("tags", a.HMX.Tags)
	f.state(p, n)
	f.WriteString("# " + markdown(firstWords(a.HMX.Title)) + "\n\n" + markdown(strings.Join(strings.Fields(a.HMX.Summary), " ")) + "\n\n" + jsonFence + "\n")
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, doc, "", "  "); err != nil {
		return nil, err
	}
	f.Write(pretty.Bytes())
	f.WriteString("\n" + fenceEnd + "\n")
	return f.Bytes(), nil
}

// The lines around the document of an artifact.
const (
	jsonFence = "```json"
	fenceEnd  = "```"
)
