// Package toolcall reads what coding agents write about calls of their tools: how a call ended,
// who denied it, and what it did to files. Hooks and transcripts use it alike, so that one call
// is recorded in the same words, whichever of them recorded it.
//
// It guarantees that a call that was denied or interrupted has no success, and that no result
// holds a text of Lukasa. A text that it does not know is the result itself.
package toolcall

import (
	"encoding/json"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/handout"
	"lukasa.dev/internal/migrate/foreign"
)

// Who denied a call.
const (
	ByLukasa = "lukasa" // a hook of Lukasa
	ByUser   = "user"   // the person at the agent
	ByPolicy = "policy" // a setting of the agent, or a hook of another program
)

// Outcome is the outcome of a call of a tool, which agents write in many ways.
type Outcome struct {
	// Result is what the tool gave back. It never holds a text of Lukasa.
	Result map[string]any
	// Success is not set if it is unknown, and never for a call that was denied or interrupted:
	// neither says anything about the command.
	Success hmx.Opt[bool]
	// DeniedBy is who denied the call, one of [ByLukasa], [ByUser] and [ByPolicy]; empty if it
	// ran.
	DeniedBy    string
	Interrupted bool
	// Duration is in milliseconds; empty if it is unknown.
	Duration json.Number
}

// Content returns the content of the event of a result.
func (o Outcome) Content(tool, call string) map[string]any {
	result := o.Result
	if result == nil {
		result = map[string]any{}
	}
	content := map[string]any{"result": result}
	for name, value := range map[string]string{"tool_name": tool, "call_id": call} {
		if value != "" {
			content[name] = value
		}
	}
	switch {
	case o.DeniedBy != "":
		content["denied"], content["denied_by"] = true, o.DeniedBy
	case o.Interrupted:
		content["interrupted"] = true
	case o.Success.Set:
		content["success"] = o.Success.Value
	}
	if o.Duration != "" {
		content["duration_ms"] = o.Duration
	}
	return content
}

// Done reports whether the tool did what it was called for, if that is known. A call that was
// denied or interrupted did not: it edited nothing.
func (o Outcome) Done() hmx.Opt[bool] {
	if o.DeniedBy != "" || o.Interrupted {
		return hmx.Some(false)
	}
	return o.Success
}

// Failed returns the outcome of a tool that failed with a text: an exit code at its beginning
// is separated, and a denial and an interruption are recognised.
func Failed(text string) Outcome {
	if o, ok := Stopped(text); ok {
		return o
	}
	code, rest, ok := exitHead(text)
	result := map[string]any{}
	if rest != "" {
		result["error"] = rest
	}
	if ok {
		result["exit_code"] = code
	}
	return Outcome{Result: result, Success: hmx.Some(false)}
}

// exitHead reads "Exit code N" at the beginning of an error of Claude Code.
func exitHead(text string) (code int, rest string, ok bool) {
	head, rest, _ := strings.Cut(strings.TrimPrefix(text, "Error: "), "\n")
	number, ok := strings.CutPrefix(head, "Exit code ")
	if !ok {
		return 0, text, false
	}
	code, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return 0, text, false
	}
	return code, rest, true
}

// The beginnings of texts that replace a result.
var (
	blockedTexts = []string{"Command blocked by PreToolUse hook: ", "Tool call blocked by PreToolUse hook: ", "Tool execution blocked: ", "Agent execution blocked: "}
	userTexts    = []string{
		"The user doesn't want to proceed with this tool use.", "The user doesn't want to take this action right now.", "User rejected tool use",
		"exec command rejected by user", "patch rejected by user", "user rejected MCP tool call", "rejected by user", "The user rejected permission to use this specific tool call",
	}
	interruptTexts = []string{
		"[Request interrupted by user", "aborted by user", "command aborted by user", "Command was cancelled by user", "Tool call was cancelled by user", "[Operation Cancelled]", "User aborted the command", "Tool execution aborted",
	}
	policyTexts = []string{
		"Claude requested permissions to ", "This command requires approval", "Permission to use ", "Permission for this action has been denied",
		"The user has specified a rule which prevents you from using this specific tool call", "exec command rejected: ", "Tool execution denied by policy",
	}
	// saidTexts precede the words of a user who rejects a call.
	saidTexts = []string{"the user said:\n", "the following feedback: "}
)

// Stopped reads a text that an agent writes instead of a result when a call was denied or
// interrupted, and reports whether it is one. Use it only for texts that an agent marks as an
// error or writes itself; the output of a command that quotes such a text begins differently.
func Stopped(text string) (Outcome, bool) {
	head := strings.TrimSpace(foreign.Shorten(text, 4096))
	head = strings.TrimPrefix(head, "Error: ")
	begins := func(list []string) (string, bool) {
		for _, b := range list {
			if rest, ok := strings.CutPrefix(head, b); ok {
				return rest, true
			}
		}
		return "", false
	}
	if ownDenial(head) {
		return Outcome{DeniedBy: ByLukasa}, true
	}
	if reason, ok := begins(blockedTexts); ok {
		if ownDenial(reason) {
			return Outcome{DeniedBy: ByLukasa}, true
		}
		return Outcome{DeniedBy: ByPolicy, Result: map[string]any{"text": strings.TrimSpace(reason)}}, true
	}
	if _, ok := begins(userTexts); ok {
		o := Outcome{DeniedBy: ByUser}
		for _, b := range saidTexts {
			if _, said, ok := strings.Cut(head, b); ok && strings.TrimSpace(said) != "" {
				o.Result = map[string]any{"text": strings.TrimSpace(said)}
			}
		}
		return o, true
	}
	if _, ok := begins(interruptTexts); ok {
		return Outcome{Interrupted: true}, true
	}
	line, _, _ := strings.Cut(head, "\n")
	if _, ok := begins(policyTexts); ok || strings.HasSuffix(line, "rejected by user approval settings") {
		return Outcome{DeniedBy: ByPolicy, Result: map[string]any{"text": head}}, true
	}
	return Outcome{}, false
}

// Milliseconds returns a number of JSON that is how long something took, or nothing.
func Milliseconds(n json.Number) json.Number {
	if f, err := n.Float64(); err != nil || f < 0 || f >= 1e15 {
		return ""
	}
	return n
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

// ownReason begins the reason of a denial.
const ownReason = "Lukasa"

// ownDenial reports whether the reason of a denial is Lukasa's.
func ownDenial(reason string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(reason), ownReason)
	if ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, " (")) {
		return true
	}
	_, lines := handout.CutLegacy(reason)
	return lines > 0
}
