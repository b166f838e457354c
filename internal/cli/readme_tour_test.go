package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lukasa.dev/internal/demo"
	"lukasa.dev/internal/testsize"
)

// What the README shows of the demo and of an install is what they print, in its order, with some
// left out between lines and where an ellipsis stands.
func TestREADMEShowsTheTour(t *testing.T) {
	testsize.OneGoroutine(t)
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("there are %d blocks", len(blocks))
	}
	home := t.TempDir()
	layTranscripts(t, filepath.Join(home, ".claude", "projects", "-home-ines-lantern"))
	env := setTo(map[string]string{"HOME": home, "LUKASA_WITNESS": "off", "USER": "ines"})
	for i, args := range [][]string{{"demo"}, {"install", "claude-code", "--backfill", "--program", "lukasa"}} {
		var out bytes.Buffer
		if code := Run(context.Background(), args, strings.NewReader(""), &out, &out, env); code != 0 {
			t.Fatalf("exit code %d: %s", code, out.String())
		}
		rest := spaced(strings.ReplaceAll(out.String(), home, "/home/ines"))
		for part := range strings.FieldsFuncSeq(blocks[i][1], func(r rune) bool { return r == '…' || r == '\n' }) {
			part = spaced(part)
			at := strings.Index(rest, part)
			if at < 0 {
				t.Fatalf("%s does not print %q where the README has it, but\n%s", args[0], part, out.String())
			}
			rest = rest[at+len(part):]
		}
	}
}

// spaced writes a text with single blanks between its words.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// layTranscripts writes the history of the demo as Claude Code would have, a file a session.
func layTranscripts(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for line := range bytes.Lines(demo.History) {
		var e struct {
			ID      string `json:"event_id"`
			Type    string `json:"event_type"`
			Session string `json:"session_id"`
			Time    string `json:"timestamp"`
			Content struct {
				Role, Text, Error string
				Tool              string `json:"tool_name"`
				Call              string `json:"call_id"`
				Success           bool
				Arguments, Result json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		c := e.Content
		role, said := c.Role, map[string]any{"type": "text", "text": c.Text}
		switch e.Type {
		case "message":
		case "tool_call":
			role, said = "assistant", map[string]any{"type": "tool_use", "id": c.Call, "name": c.Tool, "input": c.Arguments}
		case "tool_result":
			role, said = "user", map[string]any{"type": "tool_result", "tool_use_id": c.Call, "is_error": !c.Success, "content": c.Error + string(c.Result)}
		default:
			continue // Claude Code does not record it
		}
		text, err := json.Marshal(map[string]any{
			"type": role, "uuid": e.ID, "sessionId": e.Session, "timestamp": e.Time, "cwd": "/home/ines/lantern",
			"message": map[string]any{"role": role, "content": []any{said}},
		})
		if err != nil {
			t.Fatal(err)
		}
		files[e.Session] = append(append(files[e.Session], text...), '\n')
	}
	for session, text := range files {
		if err := os.WriteFile(filepath.Join(dir, session+".jsonl"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
