package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/files"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/vault"
)

// hardTexts are texts that have something in them that a file of a vault has, too.
var hardTexts = []string{
	"Plain.", "---\nkey: x\n---\n", "```json\n{}\n```\n", "ends with line feeds\n\n\n", "  around  ", "\r\nreturns\r\n", "lukasa: memory", "\x00\x1b[31m", "日本語", "[[link]] 'q' \"q\"",
}

// furnish opens a board with memories of every type and with every text, artifacts and edges.
func furnish(t *testing.T, dir string) *lukasa.Board {
	t.Helper()
	b := opened(t, dir)
	for i, kind := range memory.Types() {
		for k, text := range hardTexts {
			w := lukasa.Writer{Actor: "dana", Trust: []record.Trust{lukasa.Tool, lukasa.Agent, lukasa.User}[(i+k)%3]}
			m := &lukasa.Memory{
				Type: kind, Key: fmt.Sprintf("%s/%d", kind, k), Text: text, Tags: []string{"b", "a tag"}, Importance: hmx.Some(0.25),
				Frames: []memory.Frame{{Verb: "modify", Kind: "file", Ref: "a.go"}}, Metadata: `{"n":1,"it's":["so"]}`,
			}
			switch k {
			case 1:
				m.Key, m.ID = "", fmt.Sprintf("%s %d", kind, i)
			case 2:
				m.ValidUntil = hmx.TimeOf(time.Unix(1e9, 0))
			case 3:
				m.ValidFrom, m.Visibility = hmx.TimeOf(time.Unix(4e9, 0)), memory.VisiblePrivate
			}
			if kind == memory.TypeConstraint {
				m.Data = &memory.Constraint{Strength: memory.StrengthHard, Rule: "the rule"}
			}
			if _, err := b.Tenant("acme", w).Put(t.Context(), m, lukasa.AnyVersion()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

// opened opens a board that is closed at the end.
func opened(t *testing.T, dir string) *lukasa.Board {
	t.Helper()
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// contents returns the content and the trust of each record of a board.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	b := opened(t, dir)
	defer func() { _ = b.Close() }()
	pages, err := files.VaultPages(t.Context(), b.Tenant("acme", lukasa.Writer{}))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range pages {
		id, _ := p.Body.Identity()
		content, err := vault.Content(p.Body)
		if err != nil {
			t.Fatal(err)
		}
		out[id] = content + " " + p.Trust.String()
	}
	return out
}

// lk runs a command on a directory, and returns its exit code and output.
func lk(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	var out strings.Builder
	code := Run(t.Context(), append(args, "--data", dir), strings.NewReader(""), &out, &out, nothing(t))
	return code, out.String()
}

// A board that was exported and imported has the same memories with the same trust, and gives
// the same files except for the times of the records.
func TestMarkdownRoundTrip(t *testing.T) {
	testsize.OneGoroutine(t)
	dir := t.TempDir()
	one, two, notes := filepath.Join(dir, "one"), filepath.Join(dir, "two"), filepath.Join(dir, "notes")
	if err := furnish(t, one).Close(); err != nil {
		t.Fatal(err)
	}
	want := contents(t, one)
	for _, step := range []struct {
		dir  string
		args []string
		says string
	}{
		{one, []string{"export", "--markdown", notes}, fmt.Sprintf("exported %d memories", len(want))},
		{one, []string{"import", "--markdown", notes}, fmt.Sprintf("imported 0 new and 0 changed, %d there already", len(want))},
		{two, []string{"import", "--markdown", notes, "--tenant", "acme", "--actor", "dana"}, fmt.Sprintf("imported %d new and 0 changed", len(want))},
		{two, []string{"import", "--markdown", notes}, fmt.Sprintf("imported 0 new and 0 changed, %d there already", len(want))},
		{one, []string{"export", "--markdown", notes}, "0 written"},
	} {
		if code, out := lk(t, step.dir, step.args...); code != 0 || !strings.Contains(out, step.says) {
			t.Fatalf("%v: exit code %d: %s", step.args, code, out)
		}
	}
	got := contents(t, two)
	if len(got) != len(want) {
		t.Errorf("%d things became %d", len(want), len(got))
	}
	for id, content := range want {
		if got[id] != content {
			t.Errorf("%s is %q, and was %q", id, got[id], content)
		}
	}
}
