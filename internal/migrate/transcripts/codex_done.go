package transcripts

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
)

// codexDone is what a rollout of Codex records of a call that has ended: an item of
// item_completed, of the types CommandExecution, McpToolCall and FileChange.
type codexDone struct {
	ID        string
	Tool      string
	Arguments map[string]any
	Edits     []toolcall.Edit
	toolcall.Outcome
}

// readCodexDone reads an item, and reports whether it is one of a call.
func readCodexDone(raw json.RawMessage) (codexDone, bool) {
	var it struct {
		Type     foreign.Text    `json:"type"`
		ID       foreign.Text    `json:"id"`
		Status   foreign.Text    `json:"status"`
		Command  json.RawMessage `json:"command"`
		CWD      foreign.Text    `json:"cwd"`
		ExitCode *int            `json:"exit_code"`
		Output   foreign.Text    `json:"aggregated_output"`
		Duration json.RawMessage `json:"duration"`
		Millis   json.Number     `json:"duration_ms"`
		Server   foreign.Text    `json:"server"`
		Tool     foreign.Text    `json:"tool"`
		Args     json.RawMessage `json:"arguments"`
		Result   json.RawMessage `json:"result"`
		Error    json.RawMessage `json:"error"`
		Changes  json.RawMessage `json:"changes"`
	}
	if !foreign.Decode(raw, &it) || it.ID == "" {
		return codexDone{}, false
	}
	d := codexDone{ID: string(it.ID), Arguments: map[string]any{}}
	d.Result = map[string]any{}
	d.Outcome.Duration = toolcall.Milliseconds(it.Millis)
	if d.Outcome.Duration == "" {
		d.Outcome.Duration = codexDuration(it.Duration)
	}
	switch it.Type {
	case "CommandExecution", "commandExecution", "command_execution":
		d.Tool = "Bash"
		d.Arguments = shellLine(map[string]any{"command": foreign.Value(it.Command)})
		if it.Output != "" {
			d.Result["text"] = string(it.Output)
		}
	case "McpToolCall", "mcpToolCall", "mcp_tool_call":
		d.Tool = "mcp__" + string(it.Server) + "__" + string(it.Tool)
		d.Arguments = foreign.AsObject(foreign.Value(it.Args), "input")
		d.mcp(it.Result, it.Error)
	case "FileChange", "fileChange", "file_change":
		d.Tool = "apply_patch"
		d.Edits = changedFiles(it.Changes)
		d.Arguments = map[string]any{"changes": foreign.Value(it.Changes)}
	default:
		return codexDone{}, false
	}
	switch status := strings.ToLower(string(it.Status)); status {
	case "failed", "error":
		d.Success = hmx.Some(false)
	case "completed", "success":
		if !d.Success.Set {
			d.Success = hmx.Some(true)
		}
	case "declined", "rejected", "denied":
		d.DeniedBy = toolcall.ByUser
	case "aborted", "interrupted", "cancelled":
		d.Interrupted = true
	}
	if it.ExitCode != nil {
		d.Result["exit_code"] = *it.ExitCode
		d.Success = hmx.Some(*it.ExitCode == 0)
	}
	if told, ok := toolcall.Stopped(string(it.Output)); ok && it.ExitCode == nil {
		d.DeniedBy, d.Interrupted, d.Result = told.DeniedBy, told.Interrupted, told.Result
	}
	return d, true
}

// mcp reads the result of a tool of an MCP server.
func (d *codexDone) mcp(result, failure json.RawMessage) {
	var r struct {
		Content json.RawMessage `json:"content"`
		IsError foreign.Truth   `json:"isError"`
		Err     json.RawMessage `json:"Err"`
		OK      json.RawMessage `json:"Ok"`
	}
	_ = foreign.Decode(result, &r) // what is of another shape says nothing
	if len(r.OK) > 0 {
		_ = foreign.Decode(r.OK, &r)
	}
	if text := foreign.ContentText(r.Content); text != "" && string(r.Content) != "null" {
		d.Result["text"] = text
	}
	if r.IsError {
		d.Success = hmx.Some(false)
	}
	for _, e := range []json.RawMessage{failure, r.Err} {
		if v := foreign.Value(e); v != nil {
			m := foreign.AsObject(v, "message")
			d.Result["error"], d.Success = cmp.Or(foreign.TextIn(m, "message"), string(foreign.Encode(v))), hmx.Some(false)
		}
	}
}

// changedFiles returns what a patch did to files, which Codex writes as an object by their
// names, or as a list.
func changedFiles(raw json.RawMessage) []toolcall.Edit {
	var out []toolcall.Edit
	one := func(file string, v any) {
		m, _ := v.(map[string]any)
		kind := strings.ToLower(foreign.TextIn(m, "type", "kind"))
		for _, k := range []string{"add", "update", "delete"} { // {"add":{"content":…}}
			if in, ok := m[k].(map[string]any); ok {
				kind, m = k, in
			}
		}
		e := toolcall.Edit{Path: file, Operation: "modify", Diff: foreign.TextIn(m, "unified_diff", "diff")}
		switch kind {
		case "add":
			e.Operation, e.Diff = "create", toolcall.Differences([]any{map[string]any{"new_string": foreign.TextIn(m, "content")}})
		case "delete":
			e.Operation = "delete"
		}
		if to := foreign.TextIn(m, "move_path"); to != "" {
			e.Old, e.Path, e.Operation = file, to, "rename"
		}
		if e.Path != "" {
			out = append(out, e)
		}
	}
	switch v := foreign.Value(raw).(type) {
	case map[string]any:
		for _, file := range slices.Sorted(maps.Keys(v)) {
			one(file, v[file])
		}
	case []any:
		for _, c := range v {
			m, _ := c.(map[string]any)
			one(foreign.TextIn(m, "path"), c)
		}
	}
	return out
}

// codexDuration reads a duration as Codex writes it: seconds and nanoseconds, or a number of
// milliseconds.
func codexDuration(raw json.RawMessage) json.Number {
	switch v := foreign.Value(raw).(type) {
	case json.Number:
		return toolcall.Milliseconds(v)
	case map[string]any:
		secs, _ := v["secs"].(json.Number)
		nanos, _ := v["nanos"].(json.Number)
		s, err := secs.Int64()
		n, failed := nanos.Int64()
		if err == nil && failed == nil && s >= 0 && s < 1e9 && n >= 0 && n < 1e9 {
			return json.Number(strconv.Itoa(int(s*1000 + n/1e6)))
		}
	}
	return ""
}
