package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Settings of an agent that name a program that was moved away are detected, in each of their
// notations.
func TestGoneProgram(t *testing.T) {
	dir := t.TempDir()
	here := filepath.Join(dir, "lukasa")
	if err := os.WriteFile(here, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{
		`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "%s hook claude-code --tenant default"}]}]}}`,
		`{"mcpServers": {"lukasa": {"command": "%s", "args": ["mcp", "--tenant", "default"]}}}`,
		`{"mcp": {"lukasa": {"type": "local", "command": ["%s", "mcp"]}}}`,
		"[mcp_servers.lukasa]\ncommand = \"%s\"\nargs = [\"mcp\"]\n",
	} {
		for program, want := range map[string]string{here: "", "/gone/lukasa": "/gone/lukasa"} {
			file := filepath.Join(dir, "settings")
			if err := os.WriteFile(file, []byte(fmt.Sprintf(form, program)), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := goneProgram(&agentState{Files: []installedFile{{File: file}}}); got != want {
				t.Errorf("%s with %s: %q", form, program, got)
			}
		}
	}
}
