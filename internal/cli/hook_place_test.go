package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev"

	"lukasa.dev/internal/testsize"
)

// checkedOut makes a repository of git with a branch and an origin.
func checkedOut(t *testing.T, dir, branch, origin string) {
	t.Helper()
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/" + branch + "\n", "config": "[remote \"origin\"]\n\turl = " + origin + "\n[alias]\n\tship = push origin main\n"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".git", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A call is judged by the rules, the branch and the enforcement of each project that it acts in,
// with and without the board.
func TestHookElsewhere(t *testing.T) {
	t.Parallel()
	testsize.OneGoroutine(t)
	home := t.TempDir()
	shop, other, free := filepath.Join(home, "shop"), filepath.Join(home, "other"), filepath.Join(home, "free")
	checkedOut(t, shop, "topic", "git@github.com:acme/shop.git")
	checkedOut(t, other, "main", "git@github.com:acme/other.git")
	checkedOut(t, free, "main", "git@github.com:acme/free.git")
	data := filepath.Join(home, "data")
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": home, "LUKASA_DATA": data}[name]
		return v, ok
	}
	var args []string
	run := func(agent, event, cwd string, members map[string]any) string {
		members["hook_event_name"], members["session_id"], members["cwd"] = event, "s-1", cwd
		input, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		out, _, code := runHook(t, env, string(input), append([]string{agent, "--limit", "1m"}, args...)...)
		if code != 0 {
			t.Errorf("%s: exit code %d", input, code)
		}
		return out
	}
	run("claude-code", "UserPromptSubmit", shop, map[string]any{"prompt": "Never push to main."})
	run("claude-code", "UserPromptSubmit", other, map[string]any{"prompt": "Never deploy to production."})
	type call struct {
		agent, cwd string
		input      map[string]any
		want       string // of the answer; empty is none
	}
	line := func(text string) map[string]any { return map[string]any{"command": text} }
	calls := []call{
		{"claude-code", shop, line("git push origin main"), "Never push to main"},
		{"claude-code", shop, line("git push"), ""},
		{"claude-code", shop, line("git ship"), "Never push to main"},
		{"claude-code", shop, line("cd ../other && git push"), ""},
		{"claude-code", shop, line("git -C ../other push origin main"), ""},
		{"claude-code", shop, line("cd ../other && ./deploy.sh prod"), "Never deploy to production"},
		{"claude-code", shop, line("./deploy.sh prod"), ""},
		{"claude-code", other, line("cd ../shop && git ship"), "Never push to main"},
		{"claude-code", other, line("cd " + shop + " && git checkout main && git push"), "Never push to main"},
		{"claude-code", shop, line("cd ../gone && git push origin main"), "Never push to main"},
		{"gemini-cli", other, map[string]any{"command": "git push origin main", "directory": "../shop"}, "Never push to main"},
		{"gemini-cli", shop, map[string]any{"command": "git push origin main", "dir_path": other}, ""},
		{"codex", other, map[string]any{"command": "git push origin main", "workdir": shop}, "Never push to main"},
		{"claude-code", free, line("lukasa project --enforce off"), ""},
		{"claude-code", shop, line("lukasa project --enforce off"), "Only a person may do that"},
		{"claude-code", shop, line("lukasa list"), ""},
		{"claude-code", shop, map[string]any{"file_path": filepath.Join(shop, ".claude", "settings.json"), "old_string": "a", "new_string": "b"}, "Only a person may do that"},
	}
	judge := func(t *testing.T) {
		for _, c := range calls {
			tool, event := "Bash", "PreToolUse"
			switch {
			case c.input["file_path"] != nil:
				tool = "Edit"
			case c.agent == "gemini-cli":
				tool, event = "run_shell_command", "BeforeTool"
			}
			out := run(c.agent, event, c.cwd, map[string]any{"tool_name": tool, "tool_input": c.input, "tool_use_id": "u"})
			if denied := strings.Contains(out, "deny"); denied != (c.want != "") || !strings.Contains(out, c.want) {
				t.Errorf("%s in %s, %v: %s", c.agent, filepath.Base(c.cwd), c.input, out)
			}
		}
	}
	t.Run("alone", judge)
	b, err := lukasa.Open(data, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	args = []string{"--wait", "0"}
	t.Run("taken", judge) // by the files of the directory
	args = nil
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	atServer(t, data)
	t.Run("served", judge)
	// Enforcement is that of the project where the command runs.
	var out, problems bytes.Buffer
	if code := Run(context.Background(), []string{"project", other, "--enforce", "off"}, strings.NewReader(""), &out, &problems, env); code != 0 {
		t.Fatal(out.String(), problems.String())
	}
	if out := run("claude-code", "PreToolUse", shop, map[string]any{"tool_name": "Bash", "tool_input": line("cd ../other && ./deploy.sh prod"), "tool_use_id": "u"}); strings.Contains(out, "deny") {
		t.Errorf("enforcement is off there: %s", out)
	}
	if out := run("claude-code", "PreToolUse", other, map[string]any{"tool_name": "Bash", "tool_input": line("cd ../shop && git push origin main"), "tool_use_id": "u"}); !strings.Contains(out, "Never push to main") {
		t.Errorf("enforcement is on there: %s", out)
	}
}
