package toolcall

import (
	"strings"

	"lukasa.dev/internal/migrate/foreign"
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
	in := foreign.AsObject(arguments, "input")
	file := foreign.TextIn(in, "file_path", "filePath", "path", "target_file")
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
		e := Edit{Path: file, Operation: "modify", Diff: Differences([]any{map[string]any{"new_string": foreign.TextIn(in, "content", "contents", "file_text")}})}
		if foreign.TextIn(foreign.AsObject(result, "text"), "type") == "create" || strings.HasPrefix(strings.ToLower(tool), "create") {
			e.Operation = "create"
		}
		return named(e)
	case "applypatch", "patch":
		return patched(foreign.TextIn(in, "command", "patch", "input", "patchText"))
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
		side("-", foreign.TextIn(f, "old_string", "oldString", "old_str"))
		side("+", foreign.TextIn(f, "new_string", "newString", "new_str"))
	}
	return strings.TrimRight(b.String(), "\n")
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
		out = append(out, named(Edit{Path: foreign.TextIn(f, "filePath", "file_path"), Operation: "modify", Diff: Differences([]any{one})})...)
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
