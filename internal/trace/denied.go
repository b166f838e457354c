package trace

import (
	"strings"
	"unicode"

	"lukasa.dev/internal/trace/shapes"
)

// What agents and Lukasa write in place of a result when a call did not run, or did not
// come to its end. The texts are those of the agents that docs/hooks.md names.
var (
	deniedBegins = [...]string{
		"Lukasa: ", "PreToolUse:", "Tool execution blocked:", "Command blocked by PreToolUse hook", "The user doesn't want to proceed with this tool use",
		"The user doesn't want to take this action right now", "User rejected tool use", "User rejected the tool", "User denied", "Permission to use ",
		"The user rejected permission to use this", "Tool call rejected", "rejected by user", "exec command rejected by user", "patch rejected by user",
	}
	cutBegins = [...]string{
		"[Request interrupted by user", "Interrupted by user", "aborted by user", "Command was cancelled by user", "Command cancelled by user", "User aborted the command",
		"Tool execution cancelled by user", "[Operation Cancelled]", "Operation cancelled by user", "The tool call was interrupted",
	}
)

// passedBy returns the state of a call that did not run or was interrupted, by what stands
// in place of its result. Such a call tells nothing about the command.
func passedBy(text string) (State, bool) {
	const head = 400
	text = strings.TrimLeft(text[:min(len(text), head)], " \t\r\n")
	for _, wrap := range [...]string{"<tool_use_error>", "Error: ", "error: "} {
		text = strings.TrimPrefix(text, wrap)
	}
	for _, begin := range deniedBegins {
		if strings.HasPrefix(text, begin) {
			return Denied, true
		}
	}
	for _, begin := range cutBegins {
		if strings.HasPrefix(text, begin) {
			return Unanswered, true
		}
	}
	if strings.Contains(text, "blocked by PreToolUse hook") {
		return Denied, true
	}
	return OK, false
}

// Telltale reports whether a signature says what went wrong: it has a word of three
// letters beside those that any failure may have.
func Telltale(signature string) bool {
	if strings.HasPrefix(signature, "HTTP ") {
		return true
	}
	for _, w := range strings.FieldsFunc(signature, func(c rune) bool { return !unicode.IsLetter(c) }) {
		if len(w) >= 3 && !empty()[strings.ToLower(w)] {
			return true
		}
	}
	return false
}

// empty are words of errors that tell nothing.
var empty = shapes.List("error errors err exit exited code status with failed failure fail command process exception the signal returned non zero fatal uncaught unknown result tool did not int value path text number uuid hash url date time email list object bool key word host code")
