package toolcall

import (
	"encoding/json"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
)

// exitLine is the line of a command's output with its exit code.
var exitLine = foreign.Pattern(`(?m)^(?:Exit code: |Process exited with code )(\d+)$`)

// CodexResult reads what a tool of Codex gave back: text, an object with text and how it went, or
// text with an object in it.
func CodexResult(output json.RawMessage) Outcome {
	var in struct {
		Output   json.RawMessage `json:"output"`
		Content  json.RawMessage `json:"content"`
		Success  *bool           `json:"success"`
		Metadata struct {
			ExitCode *int     `json:"exit_code"`
			Seconds  *float64 `json:"duration_seconds"`
		} `json:"metadata"`
	}
	text := ""
	if len(output) > 0 && output[0] == '"' {
		_ = json.Unmarshal(output, &text) // a string of JSON is one of Go
	}
	inner := output
	if strings.HasPrefix(text, "{") {
		inner = json.RawMessage(text)
	}
	if foreign.Decode(inner, &in) && (in.Output != nil || in.Content != nil) {
		text = foreign.ContentText(in.Output)
		if in.Output == nil {
			text = foreign.ContentText(in.Content)
		}
	} else if text == "" {
		text = foreign.ContentText(output)
	}
	o := Outcome{Result: map[string]any{}}
	if text != "" {
		o.Result["text"] = text
	}
	if in.Success != nil {
		o.Success = hmx.Some(*in.Success)
	}
	if in.Metadata.ExitCode == nil {
		head := foreign.Shorten(text, 512)
		if m := exitLine().FindStringSubmatch(head); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				in.Metadata.ExitCode = &n
			}
		}
	}
	if n := in.Metadata.ExitCode; n != nil {
		o.Result["exit_code"], o.Success = *n, hmx.Some(*n == 0)
	}
	if s := in.Metadata.Seconds; s != nil && *s >= 0 && *s < 1e9 {
		o.Duration = json.Number(strconv.FormatInt(int64(*s*1000), 10))
	}
	return o
}
