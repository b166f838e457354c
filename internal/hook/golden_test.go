package hook

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// called is the time of the hooks in tests.
var called = time.Date(2026, 11, 16, 10, 30, 1, 250_000_000, time.UTC)

// golden is what a golden file holds.
type golden struct {
	Name, Session, Directory, AgentID string
	Asks                              string         `json:",omitempty"`
	Query, Tool, Arguments, Note      string         `json:",omitempty"`
	Events                            []goldenEvent  `json:",omitempty"`
	Told, Asked, Denied               map[string]any `json:",omitempty"`
}

type goldenEvent struct {
	Ceiling string `json:",omitempty"`
	Event   json.RawMessage
}

// Every documented event of every agent, and one that is not: what is recorded, what is
// requested, and the three answers.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(files) < 100 {
		t.Fatalf("there are %d fixtures: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".json"), func(t *testing.T) {
			input, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Decode(filepath.Base(filepath.Dir(file)), input, Options{Now: called})
			if err != nil {
				t.Fatal(err)
			}
			got := goldenOf(t, c)
			name := strings.TrimSuffix(file, ".json") + ".golden"
			if *update {
				if err := os.WriteFile(name, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is\n%s\nand not\n%s", name, got, want)
			}
		})
	}
}

func goldenOf(t *testing.T, c *Call) []byte {
	t.Helper()
	g := golden{Name: c.Name, Session: c.Session, Directory: c.Directory, AgentID: c.AgentID, Query: c.Query, Tool: c.Tool, Arguments: c.Arguments, Note: c.Note,
		Asks: []string{"", "start", "prompt", "act"}[c.Ask]}
	for _, e := range c.Events {
		e.TenantID = "acme"
		text, err := json.Marshal(e.Event)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := hmx.DecodeEvent(text); err != nil {
			t.Errorf("no event: %v", err)
		}
		ge := goldenEvent{Event: text}
		if e.Ceiling != 0 {
			ge.Ceiling = e.Ceiling.String()
		}
		g.Events = append(g.Events, ge)
	}
	for v, to := range map[Verdict]*map[string]any{Pass: &g.Told, Asking: &g.Asked, Denied: &g.Denied} {
		out := c.Encode(Answer{Title: "Memory.", Text: "- a fact\n", Verdict: v, Reason: "a hard rule"})
		if err := json.Unmarshal(out, to); err != nil {
			t.Errorf("the answer %s is no object: %v", out, err)
		}
		if strings.Contains(string(out), "allow") {
			t.Errorf("the answer %s grants something", out)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
