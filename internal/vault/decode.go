package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// MaxFile is the largest file that is read: larger than any memory, with its metadata, or
// artifact.
const MaxFile = 4 << 20

// Note is the content of a file.
type Note struct {
	Body  memory.Body
	Trust record.Trust // maximum; zero if the file does not say
}

// Problem is an error in a file.
type Problem struct {
	Line int // from 1; 0 if it is about the whole file
	Rule string
	Fix  string
}

// Error returns the place, the problem and the fix.
func (p *Problem) Error() string {
	where := ""
	if p.Line > 0 {
		where = "line " + strconv.Itoa(p.Line) + ": "
	}
	return where + p.Rule
}

// ErrOther says that a file is not a page of a vault.
var ErrOther = errors.New("it has no property lukasa")

// Decode reads a file. Path is relative to the directory, and becomes the key of a memory that
// has neither id nor key. The error is a *Problem, or ErrOther for a foreign file.
func Decode(path string, data []byte) (*Note, error) {
	if len(data) > MaxFile {
		return nil, &Problem{0, fmt.Sprintf("the file has %d bytes, but may have at most %d", len(data), MaxFile), "keep the bulk elsewhere and refer to it"}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, &Problem{0, "the file is not UTF-8", "save it as UTF-8"}
	}
	text := string(data)
	if strings.HasPrefix(text, fence+"\r\n") { // another program changed all line ends
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	props, body, line, err := readFront(text)
	if err != nil {
		return nil, err
	}
	kind, ok := kindNamed(props[propKind].text)
	if !ok {
		return nil, &Problem{props[propKind].line, fmt.Sprintf("lukasa is %.40q", props[propKind].text), "write memory or artifact"}
	}
	note := &Note{}
	if p, ok := props[propTrust]; ok {
		if note.Trust, ok = record.ParseTrust(p.text); !ok {
			return nil, &Problem{p.line, fmt.Sprintf("trust is %.40q", p.text), "write external, tool, agent, user or operator, or leave it out"}
		}
	}
	if kind == record.Artifact {
		note.Body, err = decodeArtifact(body, line)
	} else {
		note.Body, err = decodeMemory(path, props, body, line)
	}
	if err != nil {
		return nil, err
	}
	return note, nil
}

// decodeMemory returns the memory in a file.
func decodeMemory(path string, props map[string]property, body string, line int) (memory.Body, error) {
	doc := map[string]json.RawMessage{}
	known := map[string]shape{}
	for _, f := range fields() {
		known[f.name] = f.shape
	}
	own := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(props)) {
		p := props[name]
		how, ok := known[name]
		switch {
		case ok && p.absent():
		case ok:
			raw, err := p.raw(name, how)
			if err != nil {
				return nil, err
			}
			doc[name] = raw
		case told(name) || p.absent():
		case !ownProperty(name):
			return nil, &Problem{p.line, fmt.Sprintf("%q cannot be a property here", name), "choose another name"}
		case p.isList:
			own[name] = p.list
		default:
			own[name] = p.text
		}
	}
	if doc["id"] == nil && doc["key"] == nil {
		doc["key"] = quote("vault/" + strings.TrimSuffix(path, ".md"))
	}
	if doc["type"] == nil {
		doc["type"] = quote(string(memory.TypeFact))
	}
	doc["text"] = quote(strings.TrimSuffix(body, "\n"))
	if len(own) > 0 {
		if err := mergeOwn(doc, own, props["metadata"].line); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, &Problem{0, err.Error(), "write it as it was exported"}
	}
	b, err := memory.Decode(record.Memory, text)
	if err == nil {
		b.Normalize()
		err = b.Validate()
	}
	if err != nil {
		return nil, ruled(err, props, line)
	}
	return b, nil
}

// mergeOwn puts the properties of other programs into the metadata.
func mergeOwn(doc map[string]json.RawMessage, own map[string]any, line int) error {
	meta := map[string]json.RawMessage{}
	if raw := doc["metadata"]; raw != nil && json.Unmarshal(raw, &meta) != nil {
		return &Problem{line, "metadata is no JSON object", "write it as '{\"name\":\"value\"}', or leave it out"}
	}
	raw, err := json.Marshal(own)
	if err != nil {
		return &Problem{line, err.Error(), "leave the property out"}
	}
	meta[ownName] = raw
	all, err := json.Marshal(meta)
	doc["metadata"] = all
	return err
}

// quote encodes a text as JSON.
func quote(s string) json.RawMessage {
	raw, _ := json.Marshal(s) // never fails for a text
	return raw
}

// ruled maps a broken rule of a memory to its place in the file.
func ruled(err error, props map[string]property, line int) error {
	bad, ok := errors.AsType[*document.InvalidError](err)
	if !ok || len(bad.Problems) == 0 {
		f := fault.From(err)
		return &Problem{0, f.Error(), f.Advice()}
	}
	p := bad.Problems[0]
	name := p.Field
	if i := strings.IndexAny(name, ".["); i > 0 {
		name = name[:i]
	}
	at := props[name].line
	if name == "text" {
		at = line
	}
	return &Problem{at, p.Field + " " + p.Rule, p.Fix}
}

// decodeArtifact reads the document in the last fence.
func decodeArtifact(body string, line int) (memory.Body, error) {
	lines := strings.Split(body, "\n")
	from := -1
	for i, l := range lines {
		if l == jsonFence {
			from = i
		}
	}
	to := -1
	if from >= 0 {
		to = slices.Index(lines[from:], fenceEnd)
	}
	if to < 0 {
		return nil, &Problem{line, "there is no whole block that begins with " + jsonFence + " and ends with " + fenceEnd, "export the artifact again; it is not for editing"}
	}
	b, err := memory.Decode(record.Artifact, []byte(strings.Join(lines[from+1:from+to], "\n")))
	if err != nil {
		problem := &Problem{line + from, "the document breaks a rule of artifacts: " + fault.From(err).Error(), "export the artifact again; what is learned is not edited, since its hash is a part of it"}
		if bad, ok := errors.AsType[*hmx.InvalidError](err); ok && len(bad.Problems) > 0 {
			problem.Rule = fmt.Sprintf("the document breaks a rule of artifacts: %s", bad.Problems[0])
		}
		return nil, problem
	}
	return b, nil
}
