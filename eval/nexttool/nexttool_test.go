package nexttool

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

// write makes a directory with files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// talk makes the events of sessions from a short notation: "u:words" is what the user says,
// each other word a call, and "!" after it means that it failed.
func talk(sessions map[string]string, names ...string) string {
	var b strings.Builder
	n := 0
	line := func(session, kind, content string) {
		fmt.Fprintf(&b, `{"hmx_version":"HMX-1.0","event_id":"e%d","event_type":%q,"agent_id":"a","tenant_id":"t","session_id":%q,`+
			`"timestamp":"2025-01-02T03:04:05Z","sequence":%d,"content":%s,"metadata":{}}`+"\n", n, kind, session, n, content)
		n++
	}
	for _, name := range names {
		for i, w := range strings.Fields(sessions[name]) {
			if said, ok := strings.CutPrefix(w, "u:"); ok {
				line(name, "message", fmt.Sprintf(`{"role":"user","text":%q}`, said))
				continue
			}
			tool, failed := strings.CutSuffix(w, "!")
			line(name, "tool_call", fmt.Sprintf(`{"tool_name":%q,"arguments":{},"call_id":"c%d"}`, tool, i))
			line(name, "tool_result", fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","result":{},"success":%v}`, tool, i, !failed))
		}
	}
	return b.String()
}

// The right suggestions can be counted by hand: they depend on what the user says.
func TestRun(t *testing.T) {
	sessions := make(map[string]string)
	var names, tasks []string
	for i := range 10 {
		name := fmt.Sprint("s", i)
		sessions[name] = "u:refund look back"
		if i%2 == 1 {
			sessions[name] = "u:deliver look! look ship"
		}
		names = append(names, name)
		tasks = append(tasks, fmt.Sprintf(`{"session":%q,"task":"%d"}`, name, i/2))
	}
	dir := write(t, map[string]string{"x.ndjson": talk(sessions, names...), SessionsFile: "[" + strings.Join(tasks, ",") + "]"})
	s, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Sessions) != 10 || s.Sessions[3].Fold != 1 || s.Sessions[9].Fold != 4 || len(s.Sessions[1].Events) != 7 || s.Events != 60 {
		t.Fatalf("%+v", s)
	}
	r, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]Figures{
		// look is 15 of 25, and back and ship come next.
		RowFrequent: {{25, 0.6, 1}, {5, 1, 1}},
		// After look come back, look and ship equally often: the first by name is back.
		RowLast:    {{25, 0.6, 1}, {5, 0, 1}},
		RowLastTwo: {{25, 1, 1}, {5, 1, 1}},
	}
	for name, figures := range want {
		row, err := r.Row(name)
		if err != nil {
			t.Fatal(err)
		}
		if row.All != figures[0] || row.AfterError != figures[1] {
			t.Errorf("%+v, want %+v", row, figures)
		}
	}
	row, err := r.Row(RowArtifacts)
	if err != nil || row.All != (Figures{25, 1, 1}) {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := r.Row("?"); err == nil {
		t.Error("there is a row ?")
	}
	if text := r.String(); !strings.Contains(text, "10 sessions, 60 events") || !strings.Contains(text, "compiled artifacts") {
		t.Error(text)
	}
	again, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	one, _ := json.Marshal(r)
	two, _ := json.Marshal(again)
	if string(one) != string(two) || !strings.Contains(string(one), `"hit_at_3":1`) {
		t.Errorf("%s\n%s", one, two)
	}
}

// Errors name the file and line.
func TestLoadErrors(t *testing.T) {
	good := talk(map[string]string{"s": "look"}, "s")
	const listed = `[{"session":"s","task":"one"}]`
	for name, c := range map[string]struct{ events, sessions, want string }{
		"no sessions":        {good, "", SessionsFile},
		"sessions unread":    {good, "{", SessionsFile},
		"no events":          {"", listed, "has no *.ndjson"},
		"unknown session":    {good, `[]`, `x.ndjson:1: session_id: "s" is not in ` + SessionsFile},
		"not an event":       {good + "{}\n", listed, "x.ndjson:3"},
		"not even an object": {"\n\n[\n", listed, "x.ndjson:3"},
	} {
		files := make(map[string]string)
		if c.events != "" {
			files["x.ndjson"] = c.events
		}
		if c.sessions != "" {
			files[SessionsFile] = c.sessions
		}
		_, err := Load(write(t, files))
		var told *fault.Error
		if !errors.As(err, &told) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := Load(write(t, map[string]string{"x.ndjson": good, SessionsFile: listed}))
	if err != nil || s.Sessions[0].Fold != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// publicData returns a directory of public data beside the repository, and skips the test if it
// is missing.
func publicData(t *testing.T, name string) string {
	dir := filepath.Join("..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("%s is not there; docs/quality.md tells what it is", dir)
	}
	return dir
}

// The minimum quality of suggestions, and the known baselines. The reached values are in
// docs/quality.md.
func TestFloors(t *testing.T) {
	s, err := Load(publicData(t, "tau-airline"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", r)
	for _, known := range []struct {
		name       string
		one, three float64
	}{{RowFrequent, 0.324, 0.548}, {RowLast, 0.526, 0.764}, {RowLastTwo, 0.497, 0.787}} {
		row, err := r.Row(known.name)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%.3f %.3f", row.All.Hit1, row.All.Hit3)
		if want := fmt.Sprintf("%.3f %.3f", known.one, known.three); got != want {
			t.Errorf("%s: %s, want %s", known.name, got, want)
		}
	}
	row, err := r.Row(RowArtifacts)
	if err != nil {
		t.Fatal(err)
	}
	least := func(name string, got, want float64) {
		t.Helper()
		if got < want {
			t.Errorf("%s: %.4f, must be %.2f", name, got, want)
		}
	}
	least("hit@1", row.All.Hit1, 0.62)
	least("hit@3", row.All.Hit3, 0.86)
	least("hit@1 after an error", row.AfterError.Hit1, 0.60)
}
