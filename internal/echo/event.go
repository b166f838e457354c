package echo

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/handout"
)

// Event returns an event without what was handed out, and whether it is to be recorded. It is
// not if nothing is left of it, or if it is a call of one of Lukasa's own tools or its result.
// An event from which nothing is cut is returned unchanged.
func (m *Marker) Event(ev *hmx.Event) (clean *hmx.Event, keep bool) {
	if ev == nil || !m.mayHave(string(ev.Content)) {
		return ev, true
	}
	d := json.NewDecoder(strings.NewReader(string(ev.Content)))
	d.UseNumber()
	var content map[string]any
	if d.Decode(&content) != nil {
		return ev, true // it is refused elsewhere
	}
	if Own(ev.EventType, content) {
		return nil, false
	}
	rest, lines := m.Content(ev.EventType, content, ev.Timestamp.Time())
	if lines == 0 {
		return ev, true
	}
	if Empty(ev.EventType, rest) {
		return nil, false
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(rest) != nil {
		return ev, true // what was decoded can be encoded
	}
	copied := *ev
	copied.Content = hmx.Raw(bytes.TrimSpace(b.Bytes()))
	return &copied, true
}

// mayHave reports quickly whether a content is worth parsing, since most events are not.
func (m *Marker) mayHave(content string) bool {
	if strings.Contains(content, "ukasa") || strings.Contains(content, "UKASA") || strings.Contains(content, "§") || strings.Contains(content, "00a7") || strings.Contains(content, "00A7") || strings.Contains(content, "&#") || strings.Contains(content, "&sect;") {
		return true
	}
	if m == nil || len(content) < minText {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.haveKey(false) && m.store.any()
}

// Content returns the content of an event from a time without what was handed out, and how many
// lines were cut. Texts of models and tools lose every line that was handed out. Texts of a
// user and actions of an agent lose it only in the form in which it was handed out: an agent
// that runs the exact command of a memory has run it.
func (m *Marker) Content(kind hmx.EventType, content map[string]any, at time.Time) (map[string]any, int) {
	whose := handout.Strict
	switch kind {
	case hmx.TypeToolResult, hmx.TypeError, hmx.TypeObservation:
		whose = handout.Loose
	case hmx.TypeMessage:
		if content["role"] != User {
			whose = handout.Loose
		}
	}
	out, lines := m.value(content, whose, at)
	return out.(map[string]any), lines
}

// value cuts every text in a value. Names of tools and calls stay.
func (m *Marker) value(v any, whose handout.Whose, at time.Time) (any, int) {
	switch v := v.(type) {
	case string:
		return m.cut(v, whose, at)
	case []any:
		out, lines := make([]any, len(v)), 0
		for i, item := range v {
			rest, n := m.value(item, whose, at)
			out[i], lines = rest, lines+n
		}
		return out, lines
	case map[string]any:
		out, lines := make(map[string]any, len(v)), 0
		for name, item := range v {
			rest, n := m.value(item, whose, at)
			out[name], lines = rest, lines+n
		}
		return out, lines
	}
	return v, 0
}

// Own reports whether an event is a call of one of Lukasa's own tools or its result.
func Own(kind hmx.EventType, content map[string]any) bool {
	switch kind {
	case hmx.TypeToolCall, hmx.TypeToolResult:
		name, _ := content["tool_name"].(string)
		arguments, _ := content["arguments"].(map[string]any)
		return OwnCall(name, arguments)
	case hmx.TypeCommandExec:
		command, _ := content["command"].(string)
		return handout.OwnCommand(command)
	}
	return false
}

// OwnEvent is [Own] for a recorded event.
func OwnEvent(ev *hmx.Event) bool {
	switch ev.EventType {
	case hmx.TypeToolCall, hmx.TypeToolResult, hmx.TypeCommandExec:
	default:
		return false
	}
	var content map[string]any
	return json.Unmarshal([]byte(ev.Content), &content) == nil && Own(ev.EventType, content)
}

// OwnCall reports whether a tool call is one of Lukasa's own: by the name of the tool, or by
// the command of a shell.
func OwnCall(tool string, arguments map[string]any) bool {
	if handout.OwnTool(tool) {
		return true
	}
	for _, name := range [...]string{"command", "cmd"} {
		switch command := arguments[name].(type) {
		case string:
			if handout.OwnCommand(command) {
				return true
			}
		case []any: // a program and its arguments, perhaps a shell with a script
			if words := texts(command); len(words) > 0 && (handout.OwnCommand(words[0]) || len(words) == 3 && strings.HasPrefix(words[1], "-") && handout.OwnCommand(words[2])) {
				return true
			}
		}
	}
	return false
}

func texts(list []any) []string {
	var out []string
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// Empty reports whether an event has no content left after a cut. An outcome counts as content.
func Empty(kind hmx.EventType, content map[string]any) bool {
	for name, v := range content {
		switch name {
		case "role", "tool_name", "call_id", "error_type":
		default:
			if says(v) {
				return false
			}
		}
	}
	switch kind {
	case hmx.TypeMessage, hmx.TypeToolResult, hmx.TypeError, hmx.TypeObservation:
		return true
	}
	return false
}

// says reports whether a value is not empty.
func says(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case string:
		return strings.TrimSpace(v) != ""
	case []any:
		for _, x := range v {
			if says(x) {
				return true
			}
		}
		return false
	case map[string]any:
		for _, x := range v {
			if says(x) {
				return true
			}
		}
		return false
	}
	return true
}
