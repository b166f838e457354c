package agents

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
)

// unharmed runs what must fail, and requires that nothing was changed, created or left behind.
func unharmed(t *testing.T, dir string, code fault.Code, words []string, run func() error) {
	t.Helper()
	before := files(t, dir, true)
	err := run()
	if fault.CodeOf(err) != code {
		t.Errorf("code %q, want %q: %v", fault.CodeOf(err), code, err)
	}
	for _, word := range words {
		if err != nil && !strings.Contains(err.Error()+" "+fault.From(err).Advice(), word) {
			t.Errorf("%q is not in %v; %s", word, err, fault.From(err).Advice())
		}
	}
	if after := files(t, dir, true); !equalFiles(before, after) {
		t.Errorf("there was %v and is %v", before, after)
	}
}

func TestBadSettingsAreLeftAlone(t *testing.T) {
	tests := []struct {
		name, agent, file, text string
		code                    fault.Code
		words                   []string
	}{
		{"no JSON", hook.ClaudeCode, ".claude.json", "mcpServers: yes\n", fault.InvalidDocument, []string{".claude.json", "not JSON", "line 1", "not changed"}},
		{"half a document", hook.ClaudeCode, ".claude/settings.json", `{"hooks": {`, fault.InvalidDocument, []string{"settings.json"}},
		{"two documents", hook.GeminiCLI, ".gemini/settings.json", "{}\n{}", fault.InvalidDocument, []string{"line 2"}},
		{"a list", hook.Cursor, ".cursor/mcp.json", "[]", fault.InvalidDocument, []string{"the whole must be an object", "a list"}},
		{"servers are a list", hook.Cursor, ".cursor/mcp.json", `{"mcpServers": []}`, fault.InvalidDocument, []string{"mcpServers must be an object"}},
		{"our server is a text", hook.Cursor, ".cursor/mcp.json", `{"mcpServers": {"lukasa": "x"}}`, fault.InvalidDocument, []string{"mcpServers.lukasa"}},
		{"our server is elsewhere", hook.Cursor, ".cursor/mcp.json", `{"mcpServers": {"lukasa": {"url": "http://x"}}}`, fault.IDConflict, []string{"mcpServers.lukasa", "address"}},
		{"servers are there twice", hook.Cursor, ".cursor/mcp.json", `{"mcpServers": {}, "mcpServers": {}}`, fault.InvalidDocument, []string{"mcpServers twice"}},
		{"hooks are a text", hook.ClaudeCode, ".claude/settings.json", `{"hooks": "none"}`, fault.InvalidDocument, []string{"hooks must be an object", "a text"}},
		{"an event is an object", hook.ClaudeCode, ".claude/settings.json", `{"hooks": {"Stop": {}}}`, fault.InvalidDocument, []string{"hooks.Stop must be a list"}},
		{"too deep", hook.ClaudeCode, ".claude.json", `{"a":` + strings.Repeat("[", 200_000), fault.InvalidDocument, []string{"nested"}},
		{"no TOML", hook.Codex, ".codex/config.toml", "model = \n", fault.InvalidDocument, []string{"config.toml", "not TOML", "line 1"}},
		{"servers are a value", hook.Codex, ".codex/config.toml", "mcp_servers = {}\n", fault.InvalidDocument, []string{"mcp_servers", "[mcp_servers.NAME]"}},
		{"our server is a value", hook.Codex, ".codex/config.toml", "[mcp_servers]\nlukasa = { command = 'x' }\n", fault.InvalidDocument, []string{"[mcp_servers.lukasa]"}},
		{"our server is no table", hook.Codex, ".codex/config.toml", "[mcp_servers]\nlukasa = 1\n", fault.InvalidDocument, []string{"table"}},
		{"a server over the network", hook.Codex, ".codex/config.toml", "[mcp_servers.lukasa]\nurl = 'http://x'\n", fault.IDConflict, []string{"address"}},
		{"a plugin of another author", hook.OpenCode, ".config/opencode/plugins/lukasa.js", "export const x = 1\n", fault.IDConflict, []string{"not of Lukasa"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, map[string]string{tt.file: tt.text, ".claude/x": "", ".codex/x": ""})
			s := machine(t, tt.agent, dir)
			unharmed(t, dir, tt.code, tt.words, func() error { _, err := s.Install(); return err })
			s.DryRun = true
			unharmed(t, dir, tt.code, tt.words, func() error { _, err := s.Install(); return err })
		})
	}
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions and links are other ones")
	}
	t.Run("a directory in its place", func(t *testing.T) {
		dir := t.TempDir()
		lay(t, dir, map[string]string{".cursor/mcp.json/x": ""})
		unharmed(t, dir, fault.UnreadableInput, []string{"mcp.json is a directory"}, func() error { _, err := machine(t, hook.Cursor, dir).Install(); return err })
	})
	t.Run("a file where a directory is to be", func(t *testing.T) {
		dir := t.TempDir()
		lay(t, dir, map[string]string{".cursor": "x"})
		unharmed(t, dir, fault.UnreadableInput, []string{".cursor"}, func() error { _, err := machine(t, hook.Cursor, dir).Install(); return err })
	})
	t.Run("links in a circle", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, ".cursor"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("mcp.json", filepath.Join(dir, ".cursor", "mcp.json")); err != nil {
			t.Fatal(err)
		}
		_, err := machine(t, hook.Cursor, dir).Install()
		if fault.CodeOf(err) != fault.UnreadableInput {
			t.Error(err)
		}
	})
	t.Run("a read-only file", func(t *testing.T) {
		dir := t.TempDir()
		lay(t, dir, map[string]string{".cursor/mcp.json": "{}", ".cursor/hooks.json": "{}"})
		if err := os.Chmod(filepath.Join(dir, ".cursor", "hooks.json"), 0o444); err != nil {
			t.Fatal(err)
		}
		unharmed(t, dir, fault.OutputFailed, []string{"hooks.json is read-only", "--print"}, func() error { _, err := machine(t, hook.Cursor, dir).Install(); return err })
	})
	t.Run("a read-only directory", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("permissions do not bind the superuser")
		}
		dir := t.TempDir()
		lay(t, dir, map[string]string{".claude/settings.json": "{}", ".claude.json": "{}"})
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		unharmed(t, dir, fault.OutputFailed, []string{".claude.json", "nothing was changed"}, func() error { _, err := machine(t, hook.ClaudeCode, dir).Install(); return err })
	})
	t.Run("nobody at home", func(t *testing.T) {
		dir := t.TempDir()
		unharmed(t, dir, fault.NotFound, []string{"Cursor is not found", ".cursor", "--print"}, func() error { _, err := machine(t, hook.Cursor, dir).Install(); return err })
	})
}

// A link stays a link, even to a file that does not exist yet, and the file keeps its mode.
func TestLinksAndModesAreKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are other ones")
	}
	dir := t.TempDir()
	lay(t, dir, map[string]string{"dotfiles/mcp.json": "{\n}\n", ".cursor/x": ""})
	for link, to := range map[string]string{"mcp.json": "../dotfiles/mcp.json", "hooks.json": filepath.Join(dir, "dotfiles", "hooks.json")} {
		if err := os.Symlink(to, filepath.Join(dir, ".cursor", link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "dotfiles", "mcp.json"), 0o604); err != nil {
		t.Fatal(err)
	}
	s := machine(t, hook.Cursor, dir)
	if _, err := s.Install(); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"mcp.json", "hooks.json"} {
		if info, err := os.Lstat(filepath.Join(dir, ".cursor", link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
		data, err := os.ReadFile(filepath.Join(dir, "dotfiles", link))
		if err != nil || !bytes.Contains(data, []byte("lukasa")) {
			t.Errorf("%s: %v %s", link, err, data)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "dotfiles", "mcp.json")); err != nil || info.Mode().Perm() != 0o604 {
		t.Errorf("the mode is %v", info.Mode())
	}
	if _, err := s.Uninstall(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, filepath.Join(dir, "dotfiles"), true); !equalFiles(got, map[string]string{"mcp.json": "{\n}\n"}) {
		t.Errorf("left is %v", got)
	}
}

// installAfter installs, and calls between when everything is staged and nothing replaced.
func installAfter(s *Setup, between func()) error {
	p, err := s.plan(s.planInstall)
	if err == nil {
		err = p.stage(s.World.Project == "")
	}
	if err != nil {
		return err
	}
	between()
	return p.replace()
}

// A concurrent change by another process is neither lost nor mixed with ours.
func TestChangesInBetweenAreNoticed(t *testing.T) {
	for _, late := range []string{`{"mine": 1}`, ""} {
		dir := t.TempDir()
		lay(t, dir, map[string]string{".gemini/settings.json": "{}\n"})
		file := filepath.Join(dir, ".gemini", "settings.json")
		s := machine(t, hook.GeminiCLI, dir)
		err := installAfter(s, func() {
			if late == "" {
				_ = os.Remove(file)
				return
			}
			lay(t, dir, map[string]string{".gemini/settings.json": late})
		})
		if fault.CodeOf(err) != fault.VersionConflict || !strings.Contains(err.Error(), file) {
			t.Errorf("%v", err)
		}
		want := map[string]string{}
		if late != "" {
			want["settings.json"] = late
		}
		if got := files(t, filepath.Dir(file), false); !equalFiles(got, want) {
			t.Errorf("there is %v", got)
		}
	}
}

// A dry run reports what an install does, and changes nothing.
func TestDryRun(t *testing.T) {
	for _, a := range All() {
		dir := t.TempDir()
		lay(t, dir, map[string]string{".claude/x": "", ".codex/x": "", ".cursor/x": "", ".config/Code/x": "", ".config/Claude/x": "", ".gemini/settings.json": "{ }", ".config/opencode/opencode.json": "{}"})
		s := machine(t, a.Name, dir)
		before := files(t, dir, true)
		for _, run := range []func() ([]Change, error){s.Install, s.Uninstall} {
			s.DryRun = true
			would, err := run()
			if err != nil {
				t.Fatal(err)
			}
			s.DryRun = false
			did, err := run()
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range would {
				if c.File != did[i].File || c.Action != did[i].Action || strings.Join(c.Entries, " ") != strings.Join(did[i].Entries, " ") {
					t.Errorf("%s: would be %v and is %v", a.Name, c, did[i])
				}
			}
		}
		if after := files(t, dir, true); !equalFiles(before, after) {
			t.Errorf("%s: there was %v and is %v", a.Name, before, after)
		}
	}
}

// Containers that existed and were empty stay, even in a file that changed since; containers
// made for our entries are removed.
func TestEmptyPlacesAreKept(t *testing.T) {
	for before, want := range map[string]string{
		`{"mcpServers": {}, "hooks": {"AfterTool": []}}`: `{"mcpServers": {}, "hooks": {"AfterTool": []}, "theme": 1}`,
		`{"a": 1}`: `{"a": 1, "theme": 1}`,
	} {
		dir := t.TempDir()
		lay(t, dir, map[string]string{".gemini/settings.json": before})
		s := machine(t, hook.GeminiCLI, dir)
		if _, err := s.Install(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, ".gemini", "settings.json")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lay(t, dir, map[string]string{".gemini/settings.json": strings.TrimSuffix(string(data), "}") + `, "theme": 1}`})
		changes, err := s.Uninstall()
		if err != nil || changes[0].Action != Changed || changes[0].Backup == "" {
			t.Fatalf("%+v %v", changes, err)
		}
		if data, err = os.ReadFile(file); err != nil || string(data) != want {
			t.Errorf("%v %s\nwant %s", err, data, want)
		}
		if copied, err := os.ReadFile(changes[0].Backup); err != nil || string(copied) != before {
			t.Errorf("the copy is %s, %v", copied, err)
		}
	}
}

// A program with another name is recognised by what install made of the file, or when it is
// named.
func TestProgramsOfAnotherName(t *testing.T) {
	for _, named := range []bool{true, false} {
		dir := t.TempDir()
		before := map[string]string{".claude/settings.json": "{ }"}
		if named {
			before = map[string]string{".claude/x": ""}
		}
		lay(t, dir, before)
		s := machine(t, hook.ClaudeCode, dir)
		s.Command.Program = "/opt/memory"
		if _, err := s.Install(); err != nil {
			t.Fatal(err)
		}
		if !named {
			s.Command.Program = "/usr/bin/lukasa"
		}
		if _, err := s.Uninstall(); err != nil {
			t.Fatal(err)
		}
		if got := files(t, dir, true); !equalFiles(got, before) {
			t.Errorf("left is %v", got)
		}
	}
}

// With NoHooks, existing hooks are left unchanged.
func TestNoHooks(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{".claude/settings.json": `{"hooks": {}}`})
	s := machine(t, hook.ClaudeCode, dir)
	s.NoHooks = true
	if _, err := s.Install(); err != nil {
		t.Fatal(err)
	}
	got := files(t, dir, true)
	if got[".claude/settings.json"] != `{"hooks": {}}` || !strings.Contains(got[".claude.json"], `"lukasa"`) {
		t.Errorf("%v", got)
	}
}

func TestWhereSettingsAre(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths are written with slashes")
	}
	tests := []struct {
		agent, os string
		env       []string
		want      []string
	}{
		{hook.ClaudeCode, "darwin", nil, []string{"/h/.claude.json", "/h/.claude/settings.json"}},
		{hook.ClaudeCode, "linux", []string{"CLAUDE_CONFIG_DIR=/c"}, []string{"/c/.claude.json", "/c/settings.json"}},
		{hook.Codex, "windows", nil, []string{"/h/.codex/config.toml", "/h/.codex/hooks.json"}},
		{hook.Codex, "linux", []string{"CODEX_HOME=/c"}, []string{"/c/config.toml", "/c/hooks.json"}},
		{hook.Cursor, "windows", nil, []string{"/h/.cursor/mcp.json", "/h/.cursor/hooks.json"}},
		{hook.VSCode, "linux", nil, []string{"/h/.config/Code/User/mcp.json", "/h/.copilot/hooks/lukasa.json"}},
		{hook.VSCode, "linux", []string{"XDG_CONFIG_HOME=/x"}, []string{"/x/Code/User/mcp.json", "/h/.copilot/hooks/lukasa.json"}},
		{hook.VSCode, "darwin", []string{"XDG_CONFIG_HOME=/x"}, []string{"/h/Library/Application Support/Code/User/mcp.json", "/h/.copilot/hooks/lukasa.json"}},
		{hook.VSCode, "windows", []string{"APPDATA=/a"}, []string{"/a/Code/User/mcp.json", "/h/.copilot/hooks/lukasa.json"}},
		{hook.VSCode, "linux", []string{"VSCODE_PORTABLE=/p"}, []string{"/p/user-data/User/mcp.json", "/h/.copilot/hooks/lukasa.json"}},
		{hook.ClaudeDesktop, "darwin", nil, []string{"/h/Library/Application Support/Claude/claude_desktop_config.json"}},
		{hook.ClaudeDesktop, "windows", nil, []string{"/h/AppData/Roaming/Claude/claude_desktop_config.json"}},
		{hook.GeminiCLI, "linux", []string{"GEMINI_CLI_HOME=/g"}, []string{"/g/.gemini/settings.json"}},
		{hook.OpenCode, "darwin", nil, []string{"/h/.config/opencode/opencode.json", "/h/.config/opencode/plugins/lukasa.js"}},
		{hook.OpenCode, "linux", []string{"OPENCODE_CONFIG=/o/mine.json", "XDG_CONFIG_HOME=/x"}, []string{"/o/mine.json", "/x/opencode/plugins/lukasa.js"}},
	}
	for _, tt := range tests {
		s := machine(t, tt.agent, "/h", tt.env...)
		s.World.OS = tt.os
		var got []string
		for _, target := range s.targets() {
			got = append(got, target.file)
		}
		if strings.Join(got, " ") != strings.Join(tt.want, " ") {
			t.Errorf("%s on %s with %v: %v, want %v", tt.agent, tt.os, tt.env, got, tt.want)
		}
	}
}

func TestCommandLines(t *testing.T) {
	tests := []struct{ os, program, want string }{
		{"linux", "/usr/bin/lukasa", "/usr/bin/lukasa hook codex --tenant 'a b'"},
		{"darwin", "/Users/it's me/lukasa", `'/Users/it'\''s me/lukasa' hook codex --tenant 'a b'`},
		{"windows", `C:\Program Files\lukasa.exe`, `"C:/Program Files/lukasa.exe" hook codex --tenant "a b"`},
		{"windows", `C:\bin\lukasa.exe`, `C:/bin/lukasa.exe hook codex --tenant "a b"`},
	}
	for _, tt := range tests {
		c := Command{Program: tt.program, OS: tt.os, Flags: []string{"--tenant", "a b"}}
		got := c.line(hook.Codex)
		if got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
		if other := (Command{Program: "/elsewhere/lk"}); !c.own(got, hook.Codex) || !other.own(got, hook.Codex) || c.own(got, hook.Cursor) {
			t.Errorf("whose is %s?", got)
		}
	}
	for _, line := range []string{"other hook codex", "lukasa hook codex-x", "lukasa hooks codex", "echo lukasa", "/x/lukasa-old hook codex"} {
		if command().own(line, hook.Codex) {
			t.Errorf("%q is not ours", line)
		}
	}
}

func TestTranscriptsAreCounted(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{
		".claude/projects/-home-me-app/1.jsonl": "12345", ".claude/projects/-home-me-app/agent-2.jsonl": "123", ".claude/projects/-home-me-app/1/subagents/agent-3.jsonl": "1",
		".claude/projects/-home-me-app/memory.md": "x", ".claude/projects/.hidden/9.jsonl": "x",
		".codex/sessions/2026/11/16/rollout-1.jsonl": "1", ".codex/archived_sessions/rollout-2.jsonl": "22", ".codex/sessions/2026/notes.jsonl": "x",
		".gemini/tmp/app/chats/session-1.jsonl": "1", ".gemini/tmp/app/chats/session-0.json": "22", ".gemini/tmp/app/chats/1/helper.jsonl": "333", ".gemini/tmp/app/logs.json": "x",
		".local/share/opencode/storage/session/p/ses_1.json": "1", ".local/share/opencode/storage/message/ses_1/msg_1.json": "22",
	})
	for agent, want := range map[string]Transcripts{hook.ClaudeCode: {Files: 3, Sessions: 1, Bytes: 9}, hook.Codex: {Files: 2, Sessions: 2, Bytes: 3},
		hook.GeminiCLI: {Files: 3, Sessions: 2, Bytes: 6}, hook.OpenCode: {Files: 1, Sessions: 1, Bytes: 3}} {
		s := machine(t, agent, dir)
		got, err := s.Agent.Transcripts(t.Context(), s.World)
		if err != nil || got.Files != want.Files || got.Sessions != want.Sessions || got.Bytes != want.Bytes || got.Newest.IsZero() {
			t.Errorf("%s: %+v %v", agent, got, err)
		}
	}
	for _, a := range All() {
		s := machine(t, a.Name, dir)
		if _, err := a.Transcripts(t.Context(), s.World); err != nil && (fault.CodeOf(err) != fault.Usage || len(err.Error()) < 60 || fault.From(err).Fix == "") {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}
