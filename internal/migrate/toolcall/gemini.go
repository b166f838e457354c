package toolcall

import (
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
)

// GeminiEnd reads how a tool of Gemini CLI ended, by the text that the model is given. The shell
// tool adds lines behind the output, such as "Exit Code: 2"; the exit code 0 is not written.
func GeminiEnd(tool, text string) Outcome {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "<untrusted_context>"); ok {
		inner, _, _ = strings.Cut(inner, "</untrusted_context>")
		text = strings.TrimSpace(inner)
	}
	if o, ok := Stopped(text); ok {
		if _, output, ok := strings.Cut(text, "Below is the output before it was cancelled:\n"); ok && o.Interrupted {
			o.Result = map[string]any{"text": strings.TrimSpace(output)}
		}
		return o
	}
	o := Outcome{Result: map[string]any{}, Success: hmx.Some(!strings.HasPrefix(text, "Command was automatically cancelled because it exceeded the timeout"))}
	if tool == "run_shell_command" {
		text = o.shellTrailer(text)
	}
	if text != "" {
		o.Result["text"] = text
	}
	return o
}

// trailers are the names of lines that the shell tool of Gemini CLI writes behind an output.
var trailers = []string{"Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "}

// shellTrailer reads and takes away the lines behind the output of a command. Only the last
// lines are looked at: an output that holds such a line elsewhere says nothing.
func (o *Outcome) shellTrailer(text string) string {
	lines := strings.Split(text, "\n")
	at := len(lines)
	for ; at > 0; at-- {
		name, value := trailer(lines[at-1])
		if name == "" {
			break
		}
		switch name {
		case "Exit Code: ":
			if n, err := strconv.Atoi(value); err == nil {
				o.Result["exit_code"], o.Success = n, hmx.Some(n == 0)
			}
		case "Signal: ":
			if value != "(none)" {
				o.Result["signal"], o.Success = value, hmx.Some(false)
			}
		}
	}
	text = strings.TrimSpace(strings.Join(lines[:at], "\n"))
	if _, after, ok := strings.Cut("\n"+text, "\nOutput: "); ok && (strings.HasPrefix(text, "Output: ") || strings.HasPrefix(text, "Command: ") || strings.HasPrefix(text, "Directory: ")) {
		text = after
	}
	if text == "(empty)" {
		text = ""
	}
	return text
}

// trailer returns the name and the value of a line behind an output.
func trailer(line string) (name, value string) {
	for _, t := range trailers {
		if v, ok := strings.CutPrefix(line, t); ok {
			return t, strings.TrimSpace(v)
		}
	}
	return "", ""
}

// GuessedCall returns a name for a call of Gemini CLI, whose hooks have none: from the session, the
// tool and its arguments. Equal calls of a session have the same name.
func GuessedCall(session, tool string, arguments map[string]any) string {
	raw, _ := foreign.Content(arguments)
	return strings.Replace(foreign.EventID(foreign.GeminiCLI, session, tool, string(raw)), "imp-", "call-", 1)
}
