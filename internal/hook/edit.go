package hook

import (
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate"
)

// edit is what became of a file.
type edit struct {
	path, old, operation, diff string
}

// edits returns what a use of a tool does to files, of the tools of agents that only edit
// files, and nothing for any other.
func (t tool) edits(result any) []edit {
	in := fields(migrate.Object(t.arguments, "input"))
	file := in.text("file_path", "filePath", "path", "target_file")
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(t.name)) {
	case "edit", "multiedit", "editfile", "replace", "strreplace", "searchreplace", "replacestringinfile", "multireplacestringinfile":
		if list := in.list("edits"); len(list) > 0 {
			return named(edit{path: file, operation: "modify", diff: differences(list)})
		}
		if list := in.list("replacements"); len(list) > 0 {
			return replaced(list)
		}
		return named(edit{path: file, operation: "modify", diff: differences([]any{map[string]any(in)})})
	case "write", "writefile", "createfile":
		e := edit{path: file, operation: "modify", diff: differences([]any{map[string]any{"new_string": in.text("content", "contents", "file_text")}})}
		if r := fields(migrate.Object(result, "text")); r.text("type") == "create" || strings.HasPrefix(strings.ToLower(t.name), "create") {
			e.operation = "create"
		}
		return named(e)
	case "applypatch", "patch":
		return patched(in.text("command", "patch", "input", "patchText"))
	}
	return nil
}

// named returns an edit if it says of which file.
func named(e edit) []edit {
	if e.path == "" || e.diff == "" {
		return nil
	}
	return []edit{e}
}

// replaced reads a list of replacements, each with its file.
func replaced(list []any) []edit {
	var out []edit
	for _, one := range list {
		f, _ := one.(map[string]any)
		out = append(out, named(edit{path: fields(f).text("filePath", "file_path"), operation: "modify", diff: differences([]any{one})})...)
	}
	return out
}

// patched reads a patch as apply_patch takes it.
func patched(patch string) []edit {
	var out []edit
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		kind, file, ok := strings.Cut(strings.TrimPrefix(line, "*** "), ": ")
		operation := map[string]string{"Add File": "create", "Update File": "modify", "Delete File": "delete"}[kind]
		n := len(out) - 1
		switch {
		case ok && strings.HasPrefix(line, "*** ") && operation != "":
			out = append(out, edit{path: strings.TrimSpace(file), operation: operation})
		case n < 0 || strings.HasPrefix(line, "*** End"):
		case ok && strings.HasPrefix(line, "*** Move to"):
			out[n].old, out[n].path, out[n].operation = out[n].path, strings.TrimSpace(file), "rename"
		default:
			out[n].diff += line + "\n"
		}
	}
	for i := range out {
		out[i].diff = strings.TrimRight(out[i].diff, "\n")
		if out[i].path == "" {
			return nil
		}
	}
	return out
}

// editedBy records the use of a tool that did nothing but edit files, and reports whether it is
// one. One act is told once: there is no call and no result of it, and its transcript finds it
// by the name of the call. What failed is no edit.
func (c *call) editedBy(t tool, response any, success hmx.Opt[bool]) bool {
	all := t.edits(response)
	if len(all) == 0 || success.Set && !success.Value {
		return false
	}
	for i, e := range all {
		content := map[string]any{"path": e.path, "operation": e.operation, "tool_name": t.name}
		for name, value := range map[string]string{"old_path": e.old, "diff": e.diff} {
			if value != "" {
				content[name] = value
			}
		}
		id := c.madeID("edit", e.path, e.diff)
		if t.id != "" {
			content["call_id"] = t.id
			if id = c.nameID("result", t.id); i > 0 {
				id = c.nameID("edit", t.id, strconv.Itoa(i))
			}
		}
		if ms, ok := c.in.millis("duration_ms", "duration"); ok {
			content["duration_ms"] = ms
		}
		c.add(hmx.TypeFileEdit, id, content, "")
	}
	return true
}
