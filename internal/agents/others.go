package agents

import (
	"encoding/json"
	"reflect"

	"lukasa.dev/internal/fault"
)

// sameBut checks that two documents are equal except for our entries.
func sameBut(before, after *document, parts []part, c Command) error {
	var said [2]map[string]any
	for i, d := range []*document{before, after} {
		v, err := d.value()
		if err != nil {
			return err
		}
		for _, p := range parts {
			p.others(v, c)
		}
		said[i] = v
	}
	if !reflect.DeepEqual(said[0], said[1]) {
		return unsafeEdit(before.file)
	}
	return nil
}

// unsafeEdit is the error for an edit that would change too much.
func unsafeEdit(file string) error {
	return fault.Newf(fault.Internal, "%s: the edit would change more than our own entries, and was not made", file).
		WithFix("use --print and put the entries in by hand; please report the file's shape")
}

func (p serverPart) others(said map[string]any, _ Command) {
	at, way := said, []map[string]any{}
	for _, name := range p.path {
		next, ok := at[name].(map[string]any)
		if !ok {
			break
		}
		way = append(way, at)
		at = next
	}
	if len(way) == len(p.path) {
		delete(at, serverName)
	}
	for i := len(way) - 1; i >= 0; i-- {
		if held, ok := way[i][p.path[i]].(map[string]any); ok && len(held) == 0 {
			delete(way[i], p.path[i])
		}
	}
}

func (p openCodePart) others(said map[string]any, c Command) { p.said(said).others(said, c) }

func (p hooksPart) others(said map[string]any, c Command) {
	if v, ok := said["version"].(json.Number); ok && p.version && v == "1" {
		delete(said, "version")
	}
	hooks, ok := said["hooks"].(map[string]any)
	if !ok {
		return
	}
	for event, v := range hooks {
		elements, ok := v.([]any)
		if !ok {
			continue
		}
		kept := []any{}
		for _, e := range elements {
			if e, ok = p.otherElement(e, c); ok {
				kept = append(kept, e)
			}
		}
		hooks[event] = kept
		if len(kept) == 0 {
			delete(hooks, event)
		}
	}
	if len(hooks) == 0 {
		delete(said, "hooks")
	}
}

// otherElement is an element of an event's list without our commands, if anything else is left.
func (p hooksPart) otherElement(e any, c Command) (any, bool) {
	o, ok := e.(map[string]any)
	if !ok {
		return e, true
	}
	if p.flat {
		return e, !p.ownLine(o, c)
	}
	inner, ok := o["hooks"].([]any)
	if !ok {
		return e, true
	}
	kept := []any{}
	for _, h := range inner {
		if o, ok := h.(map[string]any); !ok || !p.ownLine(o, c) {
			kept = append(kept, h)
		}
	}
	o["hooks"] = kept
	return o, len(kept) > 0 || len(inner) == 0
}

func (p hooksPart) ownLine(o map[string]any, c Command) bool {
	line, ok := o["command"].(string)
	return ok && c.own(line, p.agent)
}
