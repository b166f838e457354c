package migrate

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
)

// Edit is what a tool did to a file.
type Edit struct {
	Path, Old string // Old is what it was called before, if that was another name
	Operation string // create, modify, delete or rename
	Diff      string // lines that went, with -, and lines that came, with +
}

// Edits returns the edits of a call of a tool that only edits files, and nothing for any
// other tool. Hooks and transcripts both record such a call as its edits, so that one act
// is recorded once.
func Edits(tool string, arguments, result any) []Edit {
	in := asObject(arguments, "input")
	file := textIn(in, "file_path", "filePath", "path", "target_file")
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(tool)) {
	case "edit", "multiedit", "editfile", "replace", "strreplace", "searchreplace", "replacestringinfile", "multireplacestringinfile":
		if all, _ := in["edits"].([]any); len(all) > 0 {
			return named(Edit{Path: file, Operation: "modify", Diff: Differences(all)})
		}
		if all, _ := in["replacements"].([]any); len(all) > 0 {
			return replaced(all)
		}
		return named(Edit{Path: file, Operation: "modify", Diff: Differences([]any{in})})
	case "write", "writefile", "createfile":
		e := Edit{Path: file, Operation: "modify", Diff: Differences([]any{map[string]any{"new_string": textIn(in, "content", "contents", "file_text")}})}
		if textIn(asObject(result, "text"), "type") == "create" || strings.HasPrefix(strings.ToLower(tool), "create") {
			e.Operation = "create"
		}
		return named(e)
	case "applypatch", "patch":
		return patched(textIn(in, "command", "patch", "input", "patchText"))
	}
	return nil
}

// Content is what the event of an edit says: the edit, the tool, and the name of its call if
// it has one.
func (e Edit) Content(tool, call string) map[string]any {
	content := map[string]any{"path": e.Path, "operation": e.Operation}
	for name, value := range map[string]string{"tool_name": tool, "old_path": e.Old, "diff": e.Diff, "call_id": call} {
		if value != "" {
			content[name] = value
		}
	}
	return content
}

// Differences writes edits, which are objects with an old and a new text, as lines that went
// and lines that came.
func Differences(edits []any) string {
	var b strings.Builder
	side := func(sign, text string) {
		for line := range strings.Lines(text) {
			b.WriteString(sign + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	for _, e := range edits {
		f, _ := e.(map[string]any)
		side("-", textIn(f, "old_string", "oldString", "old_str"))
		side("+", textIn(f, "new_string", "newString", "new_str"))
	}
	return strings.TrimRight(b.String(), "\n")
}

// textIn returns the first of members that is a text and not empty.
func textIn(m map[string]any, names ...string) string {
	for _, name := range names {
		if s, ok := m[name].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// named returns an edit if it says of which file.
func named(e Edit) []Edit {
	if e.Path == "" || e.Diff == "" {
		return nil
	}
	return []Edit{e}
}

// replaced reads a list of replacements, each with its file.
func replaced(all []any) []Edit {
	var out []Edit
	for _, one := range all {
		f, _ := one.(map[string]any)
		out = append(out, named(Edit{Path: textIn(f, "filePath", "file_path"), Operation: "modify", Diff: Differences([]any{one})})...)
	}
	return out
}

// patched reads a patch as apply_patch takes it.
func patched(patch string) []Edit {
	var out []Edit
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		kind, file, ok := strings.Cut(strings.TrimPrefix(line, "*** "), ": ")
		operation := map[string]string{"Add File": "create", "Update File": "modify", "Delete File": "delete"}[kind]
		n := len(out) - 1
		switch {
		case ok && strings.HasPrefix(line, "*** ") && operation != "":
			out = append(out, Edit{Path: strings.TrimSpace(file), Operation: operation})
		case n < 0 || strings.HasPrefix(line, "*** End"):
		case ok && strings.HasPrefix(line, "*** Move to"):
			out[n].Old, out[n].Path, out[n].Operation = out[n].Path, strings.TrimSpace(file), "rename"
		default:
			out[n].Diff += line + "\n"
		}
	}
	for i := range out {
		out[i].Diff = strings.TrimRight(out[i].Diff, "\n")
	}
	return out
}

// held is a call of a tool that only edits files: whether it becomes an edit, its result says.
type held struct {
	turn      turn // as it was at the call
	arguments map[string]any
}

// hold keeps a call back until its result is read, if the tool only edits files and its agent
// has hooks, which tell it so. The event has its place all the same.
func (r *run) hold(t *turn, id, tool string, arguments map[string]any) *held {
	if !r.format.HasHooks() || id == "" || len(Edits(tool, arguments, nil)) == 0 {
		return nil
	}
	h := &held{turn: *t, arguments: arguments}
	t.part++
	return h
}

// edit makes the edits of a call that was held back, now that its result is known, and reports
// whether that was one that went well. One that did not is a call, and its result follows.
func (r *run) edit(ctx context.Context, t *turn, id string, response map[string]any, success hmx.Opt[bool]) (done bool, err error) {
	open := r.calls[t.session+"\x00"+id]
	if open.held == nil {
		return false, nil
	}
	if success.Set && !success.Value {
		err := r.release(ctx, id, open)
		open.held = nil
		r.calls[t.session+"\x00"+id] = open
		return false, err
	}
	delete(r.calls, t.session+"\x00"+id)
	for i, e := range Edits(open.tool, open.held.arguments, response) {
		event := r.partID(t, "result", id)
		if i > 0 && t.named {
			event = EventID(r.format, append(append([]string{}, t.calls...), "edit", id, strconv.Itoa(i))...)
		}
		content := e.Content(open.tool, id)
		if ms, ok := response["duration_ms"]; ok {
			content["duration_ms"] = ms
		}
		if err := r.emit(ctx, t, hmx.TypeFileEdit, event, content, t.ceiling, ""); err != nil {
			return true, err
		}
	}
	return true, nil
}

// release makes the event of a call that was held back.
func (r *run) release(ctx context.Context, id string, open openCall) error {
	t := open.held.turn
	return r.emit(ctx, &t, hmx.TypeToolCall, open.event, callContent(id, open.tool, open.held.arguments), t.ceiling, "")
}

// unended forgets all calls, and says of those that were held back and have no result that
// they were left out: whether a file was edited, nothing says.
func (r *run) unended() {
	var lines []int
	for _, open := range r.calls {
		if open.held != nil {
			lines = append(lines, open.held.turn.line)
		}
	}
	clear(r.calls)
	slices.Sort(lines)
	for _, line := range lines {
		r.leave(place{line, -1}, Unfinished, "an edit whose result is not there")
	}
}
