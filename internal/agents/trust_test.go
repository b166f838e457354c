package agents

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A Codex that skips our hooks is detected, and one that runs them gives no warning.
func TestCodexTrust(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	for status, want := range map[string]string{
		`"enabled":true,"trustStatus":"untrusted"`: "does not trust its hooks",
		`"enabled":true,"trustStatus":"modified"`:  "changed since",
		`"enabled":true,"trustStatus":"trusted"`:   "",
		`"enabled":false,"trustStatus":"trusted"`:  "turned off",
	} {
		dir := t.TempDir()
		answer := `{"id":2,"result":{"data":[{"hooks":[{"command":"/usr/local/bin/lukasa hook codex --tenant acme",` + status + `},{"command":"other","enabled":true,"trustStatus":"untrusted"}]}]}}`
		script := "#!/bin/sh\nread a; echo '{\"id\":1,\"result\":{}}'; read b; echo '{\"method\":\"noise\"}'; read c; echo '" + answer + "'; cat >/dev/null\n"
		if err := os.WriteFile(filepath.Join(dir, "codex"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		s := machine(t, "codex", dir, "PATH="+dir)
		why, fix := s.Untrusted(t.Context(), "")
		if want == "" && why != "" || !strings.Contains(why, want) || (why != "") != strings.Contains(fix, "/hooks") {
			t.Errorf("%s: %q, %q", status, why, fix)
		}
	}
}

// A Codex that does not answer as expected gives no warning.
func TestCodexTrustUnknown(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "nonsense\n", `{"id":2,"error":{"message":"no such method"}}` + "\n", strings.Repeat("{}\n", 2000)} {
		if list, err := readCodexHooks(bufio.NewReader(strings.NewReader(text))); err == nil {
			t.Errorf("%q gave %v", text[:min(len(text), 20)], list)
		}
	}
	// If Codex cannot be asked, its settings show whether any hook was ever trusted.
	dir := t.TempDir()
	s := machine(t, "codex", dir)
	if why, _ := s.Untrusted(context.Background(), ""); !strings.Contains(why, "not trusted them there") {
		t.Errorf("without Codex: %q", why)
	}
	lay(t, dir, map[string]string{".codex/config.toml": "[hooks.state.\"" + dir + "/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n"})
	if why, _ := s.Untrusted(context.Background(), ""); why != "" {
		t.Errorf("without Codex, with trusted hooks: %q", why)
	}
}

func TestFolderTrust(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lay(t, dir, map[string]string{
		".gemini/trustedFolders.json": `{"/srv": "TRUST_FOLDER", "/srv/evil": "DO_NOT_TRUST"}`,
		".claude.json":                `{"projects": {"/srv/a": {"hasTrustDialogAccepted": true}, "/srv/b": {"hasTrustDialogAccepted": false}, "/srv/c": {}}}`,
	})
	for _, tc := range []struct {
		agent, dir string
		trusted    bool
	}{
		{"gemini-cli", "/srv/shop", true}, {"gemini-cli", "/srv/evil/x", false}, {"gemini-cli", "/srv/evilish", true}, {"gemini-cli", "", true},
		{"claude-code", "/srv/a", true}, {"claude-code", "/srv/b", false}, {"claude-code", "/srv/c", true}, {"claude-code", "/srv/d", true},
	} {
		s := machine(t, tc.agent, dir)
		why, fix := s.Untrusted(t.Context(), tc.dir)
		if (why == "") != tc.trusted || (fix == "") != tc.trusted {
			t.Errorf("%s in %q: %q, %q", tc.agent, tc.dir, why, fix)
		}
	}
}
