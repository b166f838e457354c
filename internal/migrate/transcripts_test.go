package migrate

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// worn is a session of Gemini CLI or OpenCode in which something is wrong.
func worn() map[string]struct {
	format Format
	text   string
	events int
	left   Reason
} {
	long := strings.Repeat("a long line of output ", 10<<20/22)
	const meta = `{"sessionId":"s","projectHash":"x","startTime":"2026-11-01T10:00:00Z","kind":"main"}` + "\n"
	const said = `{"id":"m1","timestamp":"2026-11-01T10:00:01Z","type":"user","content":[{"text":"Hello."}]}` + "\n"
	const open = `{"info":{"id":"s","directory":"/srv/shop"},"messages":[`
	const spoke = `{"info":{"id":"m1","role":"user","time":{"created":1794975842615}},"parts":[{"type":"text","text":"Hello."}]}`
	return map[string]struct {
		format Format
		text   string
		events int
		left   Reason
	}{
		"a line of 10 MB":               {GeminiCLI, meta + said + `{"id":"m2","timestamp":"2026-11-01T10:00:02Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"run_shell_command","args":{"command":"cat big"},"status":"success","result":[{"functionResponse":{"id":"c1","response":{"output":"` + long + `"}}}]}]}` + "\n", 3, Note},
		"a line longer than is read":    {GeminiCLI, meta + `{"id":"m0","type":"user","content":"` + strings.Repeat(long, 4) + `"}` + "\n" + said, 1, TooLarge},
		"cut off":                       {GeminiCLI, meta + said + said[:40], 1, Unfinished},
		"cut within a line and gone on": {GeminiCLI, meta + said[:40] + "\n" + said, 1, Broken},
		"a later version":               {GeminiCLI, meta + said + `{"$patch":[1],"of":"m1"}` + "\n" + `{"id":"m9","type":"hologram"}` + "\n", 1, Note},
		"zeros of a crash":              {GeminiCLI, meta + said + strings.Repeat("\x00", 512) + "\n", 1, Broken},
		"a message of 10 MB":            {OpenCode, open + spoke + `,{"info":{"id":"m2","role":"assistant","time":{"created":1794975842700,"completed":1794975842800}},"parts":[{"type":"text","text":"` + long + `"}]}]}`, 2, ""},
		"an export cut off":             {OpenCode, open + spoke + `,{"info":{"id":"m2","role":"assi`, 1, Unfinished},
		"an export of a later version":  {OpenCode, open + spoke + `,{"info":{"id":"m2","role":"oracle"},"parts":{}},7],"extra":{"a":[1]}}`, 1, Unknown},
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
			obeys(t, c)
			if len(c.items) != w.events {
				t.Errorf("%d events and not %d", len(c.items), w.events)
			}
			found := w.left == ""
			for _, l := range c.left {
				found = found || l.Reason == w.left
			}
			if !found {
				t.Errorf("left out was %v, nothing of it %s", c.left, w.left)
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
			c := &collected{}
			err := Read(t.Context(), w.format, Source{Name: "session-s.jsonl", Reader: &shrinking{w.text, end}}, Options{Tenant: "acme"}, c)
			if (end == io.EOF) != (err == nil) {
				t.Errorf("%s: %v", name, err)
			}
			if end == io.EOF && len(c.items) != w.events {
				t.Errorf("%s: %d events and not %d", name, len(c.items), w.events)
			}
			if obeys(t, c); len(c.items) > w.events {
				t.Errorf("%s: %d events", name, len(c.items))
			}
		}
	}
}

// What `opencode run` was given comes back without the quotation marks that it adds.
func TestRunWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Prompt{
		`"Fix the tests."`:                    {Own: "Fix the tests."},
		`fix "the two tests" now`:             {Own: "fix the two tests now"},
		`"say \"hi there\" to Ben"`:           {Own: `say "hi there" to Ben`},
		"\"Look at this.\"\npiped line\nmore": {Own: "Look at this.", Added: "piped line\nmore"},
		`fix it`:                              {Own: "fix it"},
		`"half`:                               {Own: `"half`},
		`"a"b c`:                              {Own: `"a"b c`},
		"":                                    {},
	} {
		if got := runWords(text); got != want {
			t.Errorf("%q is %+v and not %+v", text, got, want)
		}
	}
}

// Sessions are put in order by when they began.
func TestSessionsBegan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"sessionId":"s","projectHash":"x"}` + "\n" + `{"timestamp":"2026-11-01T10:00:01Z","type":"user"}`: "2026-11-01T10:00:01Z",
		`{"info":{"id":"s","time":{"created":1794975842000,"updated":1}},"messages":[]}`:                    "2026-11-18T04:24:02Z",
		`{"info":{"id":"s"},"messages":[]}`: "0001-01-01T00:00:00Z",
	} {
		format := GeminiCLI
		if strings.Contains(text, `"info"`) {
			format = OpenCode
		}
		if got := Began(format, Source{Reader: strings.NewReader(text)}).UTC().Format("2006-01-02T15:04:05Z"); got != want {
			t.Errorf("%s began %s and not %s", text, got, want)
		}
	}
}
