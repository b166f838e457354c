package transcripts

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/sourcetest"
)

// worn is a session of Gemini CLI or OpenCode in which something is wrong.
func worn() map[string]struct {
	format foreign.Format
	text   string
	events int
	left   source.Reason
} {
	long := strings.Repeat("a long line of output ", 10<<20/22)
	const meta = `{"sessionId":"s","projectHash":"x","startTime":"2026-11-01T10:00:00Z","kind":"main"}` + "\n"
	const said = `{"id":"m1","timestamp":"2026-11-01T10:00:01Z","type":"user","content":[{"text":"Hello."}]}` + "\n"
	const open = `{"info":{"id":"s","directory":"/srv/shop"},"messages":[`
	const spoke = `{"info":{"id":"m1","role":"user","time":{"created":1794975842615}},"parts":[{"type":"text","text":"Hello."}]}`
	return map[string]struct {
		format foreign.Format
		text   string
		events int
		left   source.Reason
	}{
		"a line of 10 MB":               {foreign.GeminiCLI, meta + said + `{"id":"m2","timestamp":"2026-11-01T10:00:02Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"run_shell_command","args":{"command":"cat big"},"status":"success","result":[{"functionResponse":{"id":"c1","response":{"output":"` + long + `"}}}]}]}` + "\n", 3, source.Note},
		"a line longer than is read":    {foreign.GeminiCLI, meta + `{"id":"m0","type":"user","content":"` + strings.Repeat(long, 4) + `"}` + "\n" + said, 1, source.TooLarge},
		"cut off":                       {foreign.GeminiCLI, meta + said + said[:40], 1, source.Unfinished},
		"cut within a line and gone on": {foreign.GeminiCLI, meta + said[:40] + "\n" + said, 1, source.Broken},
		"a later version":               {foreign.GeminiCLI, meta + said + `{"$patch":[1],"of":"m1"}` + "\n" + `{"id":"m9","type":"hologram"}` + "\n", 1, source.Note},
		"zeros of a crash":              {foreign.GeminiCLI, meta + said + strings.Repeat("\x00", 512) + "\n", 1, source.Broken},
		"a message of 10 MB":            {foreign.OpenCode, open + spoke + `,{"info":{"id":"m2","role":"assistant","time":{"created":1794975842700,"completed":1794975842800}},"parts":[{"type":"text","text":"` + long + `"}]}]}`, 2, ""},
		"an export cut off":             {foreign.OpenCode, open + spoke + `,{"info":{"id":"m2","role":"assi`, 1, source.Unfinished},
		"an export of a later version":  {foreign.OpenCode, open + spoke + `,{"info":{"id":"m2","role":"oracle"},"parts":{}},7],"extra":{"a":[1]}}`, 1, source.Unknown},
	}
}

// What is wrong with a session is reported, and costs nothing that is right.
func TestWornSessions(t *testing.T) {
	t.Parallel()
	for name, w := range worn() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := readBytes(w.format, "session-s.jsonl", []byte(w.text))
			if err != nil {
				t.Fatal(err)
			}
			sourcetest.Obeys(t, c)
			if len(c.Items) != w.events {
				t.Errorf("%d events and not %d", len(c.Items), w.events)
			}
			found := w.left == ""
			for _, l := range c.Left {
				found = found || l.Reason == w.left
			}
			if !found {
				t.Errorf("left out was %v, nothing of it %s", c.Left, w.left)
			}
		})
	}
}

// shrinking is a source that is cut off while it is read.
type shrinking struct {
	text string
	err  error
}

func (s *shrinking) Read(p []byte) (int, error) {
	if s.text == "" {
		return 0, s.err
	}
	n := copy(p[:min(len(p), 100)], s.text)
	s.text = s.text[n:]
	return n, nil
}

// A session that is truncated or becomes unreadable while it is read gives what came before.
func TestShrinkingSession(t *testing.T) {
	t.Parallel()
	for name, w := range worn() {
		if len(w.text) > 1<<20 {
			continue
		}
		for _, end := range []error{io.EOF, errors.New("input/output error")} {
			c := &sourcetest.Sink{}
			i := slices.IndexFunc(Readers(), func(x source.Reader) bool { return x.Format == w.format })
			src := source.Source{Name: "session-s.jsonl", Reader: &shrinking{w.text, end}}
			err := Readers()[i].Take(t.Context(), src, source.Options{Tenant: "acme"}, c, nil)
			if (end == io.EOF) != (err == nil) {
				t.Errorf("%s: %v", name, err)
			}
			if end == io.EOF && len(c.Items) != w.events {
				t.Errorf("%s: %d events and not %d", name, len(c.Items), w.events)
			}
			if sourcetest.Obeys(t, c); len(c.Items) > w.events {
				t.Errorf("%s: %d events", name, len(c.Items))
			}
		}
	}
}
