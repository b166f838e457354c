package agents

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/hook"
)

// An entry that a user wrote under our name is updated and removed like ours, and a backup keeps
// the original, however often this is done. An entry of ours leaves no backup.
func TestEntriesMadeByHandAreInACopy(t *testing.T) {
	tests := []struct {
		name, agent, file, text string
		copied                  bool
	}{
		{"another program", hook.ClaudeCode, ".claude.json", `{"mcpServers":{"lukasa":{"command":"mine","args":["serve"]}}}`, true},
		{"an environment", hook.ClaudeCode, ".claude.json", `{"mcpServers":{"lukasa":{"command":"lukasa","args":["mcp"],"env":{"A":"1"}}}}`, true},
		{"no arguments", hook.Cursor, ".cursor/mcp.json", `{"mcpServers":{"lukasa":{"command":"/my/wrapper"}}}`, true},
		{"a table", hook.Codex, ".codex/config.toml", "[mcp_servers.lukasa]\ncommand = \"mine\"\nargs = []\n[mcp_servers.lukasa.env]\nA = \"1\"\n", true},
		{"a list", hook.OpenCode, ".config/opencode/opencode.json", `{"mcp":{"lukasa":{"type":"local","command":["mine"]}}}`, true},
		{"one level deeper", hook.OpenCode, ".config/opencode/opencode.json", `{"mcp":{"servers":{"lukasa":{"type":"local","command":["lukasa","mcp"],"environment":{}}}}}`, true},
		{"ours", hook.ClaudeCode, ".claude.json", `{"mcpServers":{"lukasa":{"type":"stdio","command":"/old/lukasa","args":["mcp","--tenant","x"]}}}`, false},
		{"our table", hook.Codex, ".codex/config.toml", "[mcp_servers.lukasa]\ncommand = \"/old/lukasa\"\nargs = [\"mcp\"]\n", false},
		{"our list", hook.OpenCode, ".config/opencode/opencode.json", `{"mcp":{"lukasa":{"type":"local","command":["/old/lukasa","mcp"],"enabled":false}}}`, false},
	}
	for _, tt := range tests {
		for _, installs := range []int{0, 1, 2} {
			t.Run(tt.name, func(t *testing.T) {
				dir := t.TempDir()
				lay(t, dir, map[string]string{tt.file: tt.text, ".claude/x": "", ".codex/x": ""})
				s := machine(t, tt.agent, dir)
				for range installs {
					if _, err := s.Install(); err != nil {
						t.Fatal(err)
					}
				}
				for range 2 {
					if _, err := s.Uninstall(); err != nil {
						t.Fatal(err)
					}
				}
				all := files(t, dir, true)
				var copies []string
				for name, text := range all {
					if strings.HasPrefix(filepath.Base(name), filepath.Base(tt.file)+".before-lukasa-") {
						copies = append(copies, text)
					}
				}
				if slices.Contains(copies, tt.text) != tt.copied {
					t.Errorf("after %d installs there is %v", installs, all)
				}
				if strings.Contains(all[tt.file], serverName) {
					t.Errorf("the entry is still there: %s", all[tt.file])
				}
			})
		}
	}
}
