package toolcall

import (
	"encoding/json"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
)

// OpenCodeEnd reads the outcome of a tool of OpenCode from the state of its part, or from the
// input of hooks: output, metadata and error. The shell tool gives the exit code, and none for a
// command that was killed.
func OpenCodeEnd(state map[string]any) Outcome {
	text := foreign.TextIn(state, "output")
	about, _ := state["metadata"].(map[string]any)
	if failed := foreign.TextIn(state, "error"); failed != "" {
		o := Failed(failed)
		if interrupted, _ := about["interrupted"].(bool); interrupted && o.DeniedBy == "" {
			o.Interrupted, o.Success = true, hmx.Opt[bool]{}
		}
		return o
	}
	o := Outcome{Result: map[string]any{}}
	if text != "" {
		o.Result["text"] = text
	}
	exit, told := about["exit"]
	for _, name := range []string{"is_error", "isError"} {
		if failed, _ := about[name].(bool); failed {
			o.Success = hmx.Some(false)
		}
	}
	if well, ok := about["success"].(bool); ok {
		o.Success = hmx.Some(well)
	}
	switch n, number := exit.(json.Number); {
	case number:
		o.Result["exit_code"], o.Success = n, hmx.Some(n == "0")
	case told && strings.Contains(text, "User aborted the command"):
		o.Interrupted = true
	case told && strings.Contains(text, "exceeding timeout"):
		o.Success = hmx.Some(false)
	}
	return o
}
