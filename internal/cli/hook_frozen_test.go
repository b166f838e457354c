package cli

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev"

	"lukasa.dev/internal/testsize"
)

// frozenBoard is a data directory as the version before project scopes and keyed marks left
// it: three compiled sessions of Claude Code through its hooks, a fourth one, and a spool with
// events that are not recorded yet. Its compiled playbook advises an agent to call again after a
// denial. It is never regenerated.
const frozenBoard = "testdata/format-2"

// A directory of the last version opens with its root. Its rules bind, its marks are
// recognised, its spool is folded in, and compile retires what the last version learned from
// Lukasa's own denials.
func TestFrozenBoard(t *testing.T) {
	t.Parallel()
	testsize.OneGoroutine(t)
	env := nothing(t)
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(frozenBoard)); err != nil {
		t.Fatal(err)
	}
	hook := func(input string) string {
		t.Helper()
		out, problems, code := runHook(t, env, input, "claude-code", "--data", dir, "--limit", "1m")
		if code != 0 || problems != "" {
			t.Fatalf("%q, %q, %d", out, problems, code)
		}
		return out
	}
	command := func(args ...string) string {
		t.Helper()
		var out, problems bytes.Buffer
		if code := Run(t.Context(), append(args, "--data", dir), strings.NewReader(""), &out, &problems, env); code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, &problems)
		}
		return out.String()
	}

	want, err := os.ReadFile(frozenBoard + ".root")
	if err != nil {
		t.Fatal(err)
	}
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	root, err := b.Tenant("default", lukasa.Writer{}).Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(root.Hash[:]); got != strings.TrimSpace(string(want)) {
		t.Errorf("root is %s, want %s", got, want)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	const playbook = "When Bash fails after Bash"
	if listed := command("artifacts"); !strings.Contains(listed, playbook) {
		t.Fatalf("the frozen directory has no playbook to retire:\n%s", listed)
	}

	start := hook(`{"hook_event_name":"SessionStart","session_id":"s5","cwd":"/srv/shop","source":"startup"}`)
	if !strings.Contains(start, "(hard) Never push to main directly.") || strings.Contains(start, "§") {
		t.Errorf("at the start: %s", start)
	}
	// What the last version gave, line by line with its marks, comes back in a prompt.
	hook(prompted("s5", "/srv/shop", "§Lgba4 Memory (Lukasa): recalled for this prompt, not said by the user.\n§Ljpql ## Constraints\n§Leceu - (hard) Never push to main directly.\n§Lg6vt End.\nThe staging database is called orion."))
	call := hook(`{"hook_event_name":"PreToolUse","session_id":"s5","cwd":"/srv/shop","tool_name":"Bash","tool_use_id":"s5t1","tool_input":{"command":"git push origin main"}}`)
	if !strings.Contains(call, `"permissionDecision":"deny"`) {
		t.Errorf("at the call: %s", call)
	}

	found := folded(t, dir, "s4")
	if found["s4t1"] != 1 {
		t.Errorf("the spool of the last version: %v", found)
	}
	if found := folded(t, dir, "s5"); found["The staging database is called orion."] != 1 {
		t.Errorf("the prompt is recorded as %v", found)
	}

	command("compile")
	if listed := command("artifacts"); strings.Contains(listed, "Bash") || strings.Contains(listed, "Lukasa") {
		t.Errorf("compile keeps what was learned of denials:\n%s", listed)
	}
	if listed := command("list"); !strings.Contains(listed, "Never push to main directly.") {
		t.Errorf("compile lost the rule:\n%s", listed)
	}
	command("verify", "--deep")
}
