package transcripts

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/sourcetest"
)

// A transcript begins at the first time that it tells, in whatever way it is written.
func TestBegan(t *testing.T) {
	line := `{"type":"user","timestamp": "2026-10-02T10:00:00.000Z","sessionId":"s"}` + "\n" + `{"timestamp":"2026-10-01T10:00:00Z"}` + "\n"
	want := "2026-10-02T10:00:00Z"
	for name, tc := range map[string]struct {
		format foreign.Format
		data   []byte
		want   string
	}{
		"plain":              {foreign.ClaudeCode, []byte(line), want},
		"behind other lines": {foreign.Codex, []byte(`{"type":"summary","timestamp":null}` + "\n" + `{"timestamp":"never"}` + "\n" + line), want},
		"packed":             {foreign.ClaudeCode, sourcetest.Zipped(line), want},
		"UTF-16":             {foreign.ClaudeCode, sourcetest.Wide(line, binary.LittleEndian, false, true), want},
		"none":               {foreign.ClaudeCode, []byte(`{"type":"user"}`), "0001-01-01T00:00:00Z"},
		"nothing":            {foreign.ClaudeCode, nil, "0001-01-01T00:00:00Z"},
		"far behind":         {foreign.ClaudeCode, []byte(strings.Repeat(" ", beganBytes) + line), "0001-01-01T00:00:00Z"},
		"no sessions":        {"mem0", []byte(line), "0001-01-01T00:00:00Z"},
	} {
		if got := Began(tc.format, source.Source{Reader: bytes.NewReader(tc.data)}).UTC().Format(time.RFC3339); got != tc.want {
			t.Errorf("%s: %s", name, got)
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
		format := foreign.GeminiCLI
		if strings.Contains(text, `"info"`) {
			format = foreign.OpenCode
		}
		if got := Began(format, source.Source{Reader: strings.NewReader(text)}).UTC().Format("2006-01-02T15:04:05Z"); got != want {
			t.Errorf("%s began %s and not %s", text, got, want)
		}
	}
}
