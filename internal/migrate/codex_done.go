package migrate

import (
	"encoding/json"
	"strings"

	"lukasa.dev/hmx"
)

// codexDone is what a rollout of Codex records of a call that has ended: an item of
// item_completed, of the types CommandExecution, McpToolCall and FileChange.
type codexDone struct {
	ID        string
	Tool      string
	Arguments map[string]any
	Edits     []Edit
	Outcome
}

// readCodexDone reads an item, and reports whether it is one of a call.
func readCodexDone(raw json.RawMessage) (codexDone, bool) {
	var it struct {
		Type     loose           `json:"type"`
		ID       loose           `json:"id"`
		Status   loose           `json:"status"`
		Command  json.RawMessage `json:"command"`
		CWD      loose           `json:"cwd"`
		ExitCode *int            `json:"exit_code"`
		Output   loose           `json:"aggregated_output"`
		Duration json.RawMessage `json:"duration"`
		Millis   json.Number     `json:"duration_ms"`
		Server   loose           `json:"server"`
		Tool     loose           `json:"tool"`
		Args     json.RawMessage `json:"arguments"`
		Result   json.RawMessage `json:"result"`
		Error    json.RawMessage `json:"error"`
		Changes  json.RawMessage `json:"changes"`
	}
	if !loosely(raw, &it) || it.ID == "" {
		return codexDone{}, false
	}
	d := codexDone{ID: string(it.ID), Arguments: map[string]any{}}
	d.Result = map[string]any{}
	d.Outcome.Duration = milliseconds(it.Millis)
	if d.Outcome.Duration == "" {
		d.Outcome.Duration = codexDuration(it.Duration)
	}
	switch it.Type {
	case "CommandExecution", "commandExecution", "command_execution":
		d.Tool = "Bash"
		d.Arguments = shellLine(map[string]any{"command": anything(it.Command)})
		if it.Output != "" {
			d.Result["text"] = string(it.Output)
		}
	case "McpToolCall", "mcpToolCall", "mcp_tool_call":
		d.Tool = "mcp__" + string(it.Server) + "__" + string(it.Tool)
		d.Arguments = asObject(anything(it.Args), "input")
		d.mcp(it.Result, it.Error)
	case "FileChange", "fileChange", "file_change":
		d.Tool = "apply_patch"
		d.Edits = changedFiles(it.Changes)
		d.Arguments = map[string]any{"changes": anything(it.Changes)}
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
		d.DeniedBy = ByUser
	case "aborted", "interrupted", "cancelled":
		d.Interrupted = true
	}
	if it.ExitCode != nil {
		d.Result["exit_code"] = *it.ExitCode
		d.Success = hmx.Some(*it.ExitCode == 0)
	}
	if told, ok := Stopped(string(it.Output)); ok && it.ExitCode == nil {
		d.DeniedBy, d.Interrupted, d.Result = told.DeniedBy, told.Interrupted, told.Result
	}
	return d, true
}

// mcp reads the result of a tool of an MCP server.
func (d *codexDone) mcp(result, failure json.RawMessage) {
	var r struct {
		Content json.RawMessage `json:"content"`
		IsError truth           `json:"isError"`
		Err     json.RawMessage `json:"Err"`
		OK      json.RawMessage `json:"Ok"`
	}
	_ = loosely(result, &r) // what is of another shape says nothing
	if len(r.OK) > 0 {
		_ = loosely(r.OK, &r)
	}
	if text := blockText(r.Content); text != "" && string(r.Content) != "null" {
		d.Result["text"] = text
	}
	if r.IsError {
		d.Success = hmx.Some(false)
	}
	for _, e := range []json.RawMessage{failure, r.Err} {
		if v := anything(e); v != nil {
			m := asObject(v, "message")
			d.Result["error"], d.Success = first(textIn(m, "message"), string(encode(v))), hmx.Some(false)
		}
	}
}

// changedFiles returns what a patch did to files, which Codex writes as an object by their
// names, or as a list.
func changedFiles(raw json.RawMessage) []Edit {
	var out []Edit
	one := func(file string, v any) {
		m, _ := v.(map[string]any)
		kind := strings.ToLower(textIn(m, "type", "kind"))
		for _, k := range []string{"add", "update", "delete"} { // {"add":{"content":…}}
			if in, ok := m[k].(map[string]any); ok {
				kind, m = k, in
			}
		}
		e := Edit{Path: file, Operation: "modify", Diff: textIn(m, "unified_diff", "diff")}
		switch kind {
		case "add":
			e.Operation, e.Diff = "create", Differences([]any{map[string]any{"new_string": textIn(m, "content")}})
		case "delete":
			e.Operation = "delete"
		}
		if to := textIn(m, "move_path"); to != "" {
			e.Old, e.Path, e.Operation = file, to, "rename"
		}
		if e.Path != "" {
			out = append(out, e)
		}
	}
	switch v := anything(raw).(type) {
	case map[string]any:
		for _, file := range sortedNames(v) {
			one(file, v[file])
		}
	case []any:
		for _, c := range v {
			m, _ := c.(map[string]any)
			one(textIn(m, "path"), c)
		}
	}
	return out
}

// codexDuration reads a duration as Codex writes it: seconds and nanoseconds, or a number of
// milliseconds.
func codexDuration(raw json.RawMessage) json.Number {
	switch v := anything(raw).(type) {
	case json.Number:
		return milliseconds(v)
	case map[string]any:
		secs, _ := v["secs"].(json.Number)
		nanos, _ := v["nanos"].(json.Number)
		s, err := secs.Int64()
		n, failed := nanos.Int64()
		if err == nil && failed == nil && s >= 0 && s < 1e9 && n >= 0 && n < 1e9 {
			return json.Number(itoa(int(s*1000 + n/1e6)))
		}
	}
	return ""
}

// With adds what another source knows and this one does not.
func (o Outcome) With(more Outcome) Outcome {
	if o.Result == nil {
		o.Result = map[string]any{}
	}
	if o.DeniedBy == "" && !o.Interrupted {
		o.DeniedBy, o.Interrupted = more.DeniedBy, more.Interrupted
	}
	code, told := more.Result["exit_code"]
	if _, known := o.Result["exit_code"]; told && !known {
		o.Result["exit_code"] = code
		o.Success = more.Success
	}
	if _, known := o.Result["error"]; !known && more.Result["error"] != nil {
		o.Result["error"] = more.Result["error"]
	}
	if !o.Success.Set || more.Success.Set && !more.Success.Value {
		o.Success = more.Success
	}
	if o.Duration == "" {
		o.Duration = more.Duration
	}
	return o
}
