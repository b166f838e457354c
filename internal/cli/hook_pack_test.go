package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/testsize"
)

// told runs a hook and returns the context for the agent, without the marks.
func told(t *testing.T, env func(string) (string, bool), dir, input string) string {
	t.Helper()
	out, problems, code := runHook(t, env, input, "claude-code", "--data", dir, "--tenant", "acme", "--limit", "1m")
	var answer struct {
		Hook struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 0 || problems != "" {
		t.Fatalf("%q, %q, %d, %v", out, problems, code, err)
	}
	if rest, _ := echo.Open(disk.OS(), dir).Cut(answer.Hook.Context, echo.User); rest != "" {
		t.Errorf("told without a mark is %q", rest)
	}
	return answer.Hook.Context
}

// prompted is the input of a hook at a prompt.
func prompted(session, dir, prompt string) string {
	return fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":%q,"cwd":%q,"prompt":%q}`, session, dir, prompt)
}

// The context for a prompt is related to it, belongs to no other project, and repeats nothing
// that the agent already has.
func TestHookPack(t *testing.T) {
	env := nothing(t)
	home := t.TempDir()
	dir := filepath.Join(home, "data")
	shop, garden := filepath.Join(home, "shop"), filepath.Join(home, "garden")
	for _, d := range []string{filepath.Join(shop, ".git"), filepath.Join(shop, "refund"), filepath.Join(garden, ".git")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, said := range []struct{ session, dir, text string }{
		{"shop-1", filepath.Join(shop, "refund"), "The refund job of the shop waits two seconds for the gateway."},
		{"garden-1", garden, "The refund form of the garden asks for the invoice number."},
		{"nowhere-1", "", "A refund always needs a second pair of eyes."},
	} {
		told(t, env, dir, prompted(said.session, said.dir, said.text))
	}
	const shops, gardens, everywhere = "waits two seconds", "invoice number", "second pair of eyes"
	for _, tc := range []struct {
		name, session, dir, prompt string
		want, not                  []string
	}{
		{"of its project and of none", "shop-2", shop, "How does the refund work?", []string{shops, everywhere}, []string{gardens}},
		{"of the other", "garden-2", garden, "How does the refund work?", []string{gardens, everywhere}, []string{shops}},
		{"without a project everything", "x", "", "How does the refund work?", []string{shops, gardens, everywhere}, nil},
		{"its own turns are known", "shop-1", shop, "How does the refund work?", []string{everywhere}, []string{shops, gardens}},
		{"a greeting", "shop-3", shop, "hello", nil, []string{"refund"}},
		{"a word to go on", "shop-3", shop, "thanks, continue", nil, []string{"refund"}},
		{"something else", "shop-3", shop, "What is the capital of France?", nil, []string{"refund"}},
	} {
		got := told(t, env, dir, prompted(tc.session, tc.dir, tc.prompt))
		for _, text := range tc.want {
			if !strings.Contains(got, text) {
				t.Errorf("%s: %q is not in\n%s", tc.name, text, got)
			}
		}
		for _, text := range tc.not {
			if strings.Contains(got, text) {
				t.Errorf("%s: %q is in\n%s", tc.name, text, got)
			}
		}
	}
	// After a compaction the agent has no longer before its eyes what it said before.
	told(t, env, dir, fmt.Sprintf(`{"hook_event_name":"PreCompact","session_id":"shop-1","cwd":%q,"trigger":"auto"}`, shop))
	if got := told(t, env, dir, prompted("shop-1", shop, "How does the refund wait?")); !strings.Contains(got, shops) {
		t.Errorf("after a compaction %q is not in\n%s", shops, got)
	}
}

// A board full of other projects that say much the same leaves something for this one.
func TestHookPackAmongProjects(t *testing.T) {
	testsize.OneGoroutine(t)
	env := nothing(t)
	home := t.TempDir()
	dir, shop := filepath.Join(home, "data"), filepath.Join(home, "shop")
	if err := os.MkdirAll(filepath.Join(shop, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i := range 300 {
		project, text := fmt.Sprint("other", i), fmt.Sprintf("The refund job waits %d seconds for the gateway of refunds.", i)
		if i%100 == 50 {
			project, text = "shop", fmt.Sprintf("The job for a refund here waits for shelf %d.", i)
		}
		fmt.Fprintf(&lines, `{"hmx_version":"HMX-1.0","event_id":"e%d","event_type":"message","timestamp":"2026-01-01T00:00:00Z","tenant_id":"acme","agent_id":"a","session_id":"%s","sequence":1,"content":{"role":"user","text":%q},"metadata":{"project":%q}}`+"\n",
			i, project, text, project)
	}
	var out, problems bytes.Buffer
	if code := Run(t.Context(), []string{"ingest", "--data", dir, "-"}, strings.NewReader(lines.String()), &out, &problems, env); code != 0 {
		t.Fatal(out.String(), problems.String())
	}
	got := told(t, env, dir, prompted("s", shop, "How long does the refund job wait for the gateway of refunds?"))
	if n := strings.Count(got, "waits for shelf"); n != 3 || strings.Contains(got, "seconds") {
		t.Errorf("%d of 3 are told:\n%s", n, got)
	}
}

// A session that begins while another process has the directory gets the rules that the files
// have, and learns that the rest is missing.
func TestHookStartsWithoutTheBoard(t *testing.T) {
	t.Parallel()
	env := nothing(t)
	dir := filepath.Join(t.TempDir(), "data")
	told(t, env, dir, prompted("s1", "/srv/shop", "Never push to main directly."))
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }() // nothing was written to it
	start := func(cwd string) string {
		t.Helper()
		out, problems, code := runHook(t, env, fmt.Sprintf(`{"hook_event_name":"SessionStart","session_id":"s2","cwd":%q,"source":"startup"}`, cwd), "claude-code", "--data", dir, "--tenant", "acme", "--wait", "0s", "--limit", "1m")
		if code != 0 || problems != "" {
			t.Fatalf("%q, %q, %d", out, problems, code)
		}
		return out
	}
	if out := start("/srv/shop"); !strings.Contains(out, "(hard) Never push to main directly.") || !strings.Contains(out, "cannot be read now") {
		t.Errorf("at the start: %s", out)
	}
	if out := start("/srv/garden"); strings.Contains(out, "push") {
		t.Errorf("in another project: %s", out)
	}
}
