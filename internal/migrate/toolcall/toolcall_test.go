package toolcall

import (
	"testing"

	"lukasa.dev/internal/migrate/foreign"
)

// What agents put in place of a result is recognised, and a failure stays one.
func TestFailed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Exit code 3\nout\nerr": `{"result":{"error":"out\nerr","exit_code":3},"success":false}`,
		"Exit code 1":           `{"result":{"exit_code":1},"success":false}`,
		"no such file":          `{"result":{"error":"no such file"},"success":false}`,
		"Exit code 1\nLukasa: a line of a program":                                   `{"result":{"error":"Lukasa: a line of a program","exit_code":1},"success":false}`,
		"Lukasa: Never push to main.":                                                `{"denied":true,"denied_by":"lukasa","result":{}}`,
		"Error: Lukasa: Never push to main.":                                         `{"denied":true,"denied_by":"lukasa","result":{}}`,
		"Command blocked by PreToolUse hook: Lukasa: Never push.. Command: git push": `{"denied":true,"denied_by":"lukasa","result":{}}`,
		"Tool execution blocked: Lukasa: Never push.":                                `{"denied":true,"denied_by":"lukasa","result":{}}`,
		"Tool execution blocked: not on Fridays":                                     `{"denied":true,"denied_by":"policy","result":{"text":"not on Fridays"}}`,
		"The user doesn't want to proceed with this tool use. STOP. To tell you how to proceed, the user said:\nuse a branch": `{"denied":true,"denied_by":"user","result":{"text":"use a branch"}}`,
		"The user rejected permission to use this specific tool call.":                                                        `{"denied":true,"denied_by":"user","result":{}}`,
		"[Request interrupted by user for tool use]":                                                                          `{"interrupted":true,"result":{}}`,
		"aborted by user after 1.3s":                                                                                          `{"interrupted":true,"result":{}}`,
		"Claude requested permissions to use Bash, but you haven't granted it yet.":                                           `{"denied":true,"denied_by":"policy","result":{"text":"Claude requested permissions to use Bash, but you haven't granted it yet."}}`,
		"writing outside of the project; rejected by user approval settings":                                                  `{"denied":true,"denied_by":"policy","result":{"text":"writing outside of the project; rejected by user approval settings"}}`,
		"The test quotes: Lukasa: Never push to main.":                                                                        `{"result":{"error":"The test quotes: Lukasa: Never push to main."},"success":false}`,
		"lukasa: command not found, and the user doesn't want to proceed with this tool use is in it":                         `{"result":{"error":"lukasa: command not found, and the user doesn't want to proceed with this tool use is in it"},"success":false}`,
		"Lukasaland is closed": `{"result":{"error":"Lukasaland is closed"},"success":false}`,
	} {
		if got := string(foreign.Encode(Failed(text).Content("", ""))); got != want {
			t.Errorf("%q becomes %s and not %s", text, got, want)
		}
	}
}

// How a command of Gemini CLI ended stands in the lines behind its output, and nowhere else.
func TestGeminiEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<untrusted_context>\nOutput: out\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>": `{"result":{"exit_code":2,"text":"out"},"success":false}`,
		"Output: Exit Code: 2\nall well\nProcess Group PGID: 7":                                       `{"result":{"text":"Exit Code: 2\nall well"},"success":true}`,
		"Output: (empty)":            `{"result":{},"success":true}`,
		"Output: x\nSignal: SIGKILL": `{"result":{"signal":"SIGKILL","text":"x"},"success":false}`,
		"Command was cancelled by user before it could complete. There was no output before it was cancelled.": `{"interrupted":true,"result":{}}`,
	} {
		if got := string(foreign.Encode(GeminiEnd("run_shell_command", text).Content("", ""))); got != want {
			t.Errorf("%q becomes %s and not %s", text, got, want)
		}
	}
	if got := GeminiEnd("read_file", "Exit Code: 2"); !got.Success.Value {
		t.Errorf("a file that says so: %+v", got)
	}
}
