// Package agents sets up coding agents to use Lukasa: it knows where each of them keeps its
// settings, writes the MCP server entry and the hooks there in that agent's format, and removes
// them again.
//
// docs/integrations.md says what is written where, and by which documentation of each agent.
//
// # What is guaranteed
//
//   - Everything else in a file is preserved: values, comments, order, formatting, line ends, a
//     byte order mark. After every edit the result is parsed again and compared with the
//     original; a result that differs in more than our own entries is never written.
//   - Installing again changes not a byte.
//   - Uninstalling restores the bytes of a file that has not changed since. A changed file loses
//     our entries and the containers made for them.
//   - A file is replaced atomically, after its new content is on the disk, with its mode and
//     owner. A link stays a link. Before the first change a backup is written beside it.
//   - All files are read, edited and staged on the disk before the first one is replaced, so
//     that nothing changes if one is broken or cannot be written.
//   - A file that changed while it was edited is left as it is, with an error. Between this
//     check and the replacement there is a moment in which a change would be lost.
//
// # What is not
//
// Installing runs no program, even if an agent has a command for that. Codex itself reports
// which hooks it trusts, and OpenCode exports its sessions. Whether an agent is installed is
// guessed from its directories and the search path. Settings that an administrator manages are
// neither read nor written.
package agents

import (
	"path/filepath"
	"slices"

	"lukasa.dev/internal/hook"
)

// serverName is the name of the MCP server in every agent.
const serverName = "lukasa"

// Agent is one coding agent.
type Agent struct {
	// Name is its name on the command line, Title its product name.
	Name, Title string
	// Hooked says that it has hooks, or plugins instead.
	Hooked bool
	// Projects says that it has settings per project.
	Projects bool
	// programs are the names of its program on the search path.
	programs []string
	// marks are directories and files that exist if it is installed.
	marks func(*World) []string
	// targets are the files to write, those of the project if there is one.
	targets func(*World) []target
	// next are instructions after installing.
	next []string
	// nextInProject precedes them for a project.
	nextInProject string
}

// All lists the agents in the order of their documentation.
func All() []*Agent {
	return []*Agent{claudeCode(), codex(), cursor(), vsCode(), claudeDesktop(), geminiCLI(), openCode()}
}

// Names lists the names of the agents.
func Names() []string {
	var names []string
	for _, a := range All() {
		names = append(names, a.Name)
	}
	return names
}

// ByName returns the agent with a name.
func ByName(name string) (*Agent, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a *Agent) bool { return a.Name == name })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// target is one file and what is edited in it.
type target struct {
	file string
	form form
	// parts are what is edited in a JSON document.
	parts []part
}

// form is the format of a file.
type form int

const (
	formJSON   form = iota
	formTOML        // only the server entry
	formPlugin      // a file that is entirely ours
)

// server is the target for the MCP server entry in a JSON document.
func server(file string, p serverPart) target {
	return target{file: file, parts: []part{p}}
}

// stdio is the entry with a program and separate arguments, as in most agents.
func stdio(typed bool) func(Command) object {
	return func(c Command) object {
		var o object
		if typed {
			o = append(o, member{name: "type", value: "stdio"})
		}
		return append(o, member{name: "command", value: c.Program}, member{name: "args", value: texts(c.mcp())})
	}
}

func claudeCode() *Agent {
	return &Agent{
		Name: hook.ClaudeCode, Title: "Claude Code", Hooked: true, Projects: true,
		programs: []string{"claude"},
		marks:    func(w *World) []string { return []string{claudeDir(w), claudeState(w)} },
		targets: func(w *World) []target {
			mcp, settings := claudeState(w), filepath.Join(claudeDir(w), "settings.json")
			if w.Project != "" {
				mcp, settings = filepath.Join(w.Project, ".mcp.json"), filepath.Join(w.Project, ".claude", "settings.json")
			}
			return []target{
				server(mcp, serverPart{path: []string{"mcpServers"}, entry: stdio(true)}),
				{file: settings, parts: []part{hooksPart{agent: hook.ClaudeCode}}},
			}
		},
		nextInProject: "Claude Code asks once whether it may use the server of .mcp.json",
		next:          []string{"start a new session of Claude Code: /mcp shows the server, /hooks the hooks"},
	}
}

// claudeDir is the settings directory of Claude Code.
func claudeDir(w *World) string {
	if dir := w.env("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(w.Home, ".claude")
}

// claudeState is the file with a user's servers.
func claudeState(w *World) string {
	if dir := w.env("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, ".claude.json")
	}
	return filepath.Join(w.Home, ".claude.json")
}

func codex() *Agent {
	return &Agent{
		Name: hook.Codex, Title: "Codex", Hooked: true, Projects: true,
		programs: []string{"codex"},
		marks:    func(w *World) []string { return []string{codexDir(w)} },
		targets: func(w *World) []target {
			dir := codexDir(w)
			if w.Project != "" {
				dir = filepath.Join(w.Project, ".codex")
			}
			return []target{
				{file: filepath.Join(dir, "config.toml"), form: formTOML},
				{file: filepath.Join(dir, "hooks.json"), parts: []part{hooksPart{agent: hook.Codex}}},
			}
		},
		nextInProject: "Codex reads .codex of projects that you trust, and of no others",
		next:          []string{"start Codex: /hooks lists the new hooks, which run when you have trusted them; /mcp shows the server"},
	}
}

// codexDir is the settings directory of Codex.
func codexDir(w *World) string {
	if dir := w.env("CODEX_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(w.Home, ".codex")
}

func cursor() *Agent {
	return &Agent{
		Name: hook.Cursor, Title: "Cursor", Hooked: true, Projects: true,
		programs: []string{"cursor", "cursor-agent"},
		marks:    func(w *World) []string { return []string{filepath.Join(w.Home, ".cursor")} },
		targets: func(w *World) []target {
			dir := filepath.Join(w.Home, ".cursor")
			if w.Project != "" {
				dir = filepath.Join(w.Project, ".cursor")
			}
			return []target{
				server(filepath.Join(dir, "mcp.json"), serverPart{path: []string{"mcpServers"}, entry: stdio(true)}),
				{file: filepath.Join(dir, "hooks.json"), parts: []part{hooksPart{agent: hook.Cursor, flat: true, version: true}}},
			}
		},
		next: []string{"restart Cursor: its settings list the server under MCP and the hooks under Hooks"},
	}
}

func vsCode() *Agent {
	return &Agent{
		Name: hook.VSCode, Title: "VS Code", Hooked: true, Projects: true,
		programs: []string{"code", "code-insiders"},
		marks:    func(w *World) []string { return []string{vsCodeDir(w)} },
		targets: func(w *World) []target {
			mcp, hooks := filepath.Join(vsCodeDir(w), "User", "mcp.json"), filepath.Join(w.Home, ".copilot", "hooks", "lukasa.json")
			if w.Project != "" {
				mcp, hooks = filepath.Join(w.Project, ".vscode", "mcp.json"), filepath.Join(w.Project, ".github", "hooks", "lukasa.json")
			}
			return []target{
				server(mcp, serverPart{path: []string{"servers"}, entry: stdio(true)}),
				{file: hooks, parts: []part{hooksPart{agent: hook.VSCode, flat: true, typed: true, version: true}}},
			}
		},
		next: []string{"run the command «MCP: List Servers» in VS Code and start lukasa; hooks are a preview there, and your organisation may have turned them off"},
	}
}

// vsCodeDir is the data directory of VS Code: of the stable edition, or of the insiders edition
// if that is the only one.
func vsCodeDir(w *World) string {
	if dir := w.env("VSCODE_PORTABLE"); dir != "" {
		return filepath.Join(dir, "user-data")
	}
	base := w.appData()
	if dir := w.env("VSCODE_APPDATA"); dir != "" {
		base = dir
	}
	stable, insiders := filepath.Join(base, "Code"), filepath.Join(base, "Code - Insiders")
	if !isThere(stable) && isThere(insiders) {
		return insiders
	}
	return stable
}

func claudeDesktop() *Agent {
	return &Agent{
		Name: hook.ClaudeDesktop, Title: "Claude Desktop",
		marks: func(w *World) []string { return []string{filepath.Join(w.appData(), "Claude")} },
		targets: func(w *World) []target {
			return []target{server(filepath.Join(w.appData(), "Claude", "claude_desktop_config.json"), serverPart{path: []string{"mcpServers"}, entry: stdio(false)})}
		},
		next: []string{"quit Claude Desktop as a whole and start it again: the server is under Settings, Developer"},
	}
}

func geminiCLI() *Agent {
	return &Agent{
		Name: hook.GeminiCLI, Title: "Gemini CLI", Hooked: true, Projects: true,
		programs: []string{"gemini"},
		marks:    func(w *World) []string { return []string{geminiDir(w)} },
		targets: func(w *World) []target {
			dir := geminiDir(w)
			if w.Project != "" {
				dir = filepath.Join(w.Project, ".gemini")
			}
			return []target{{file: filepath.Join(dir, "settings.json"), parts: []part{
				serverPart{path: []string{"mcpServers"}, entry: stdio(false)},
				hooksPart{agent: hook.GeminiCLI, named: true, unit: 1000},
			}}}
		},
		nextInProject: "Gemini CLI warns of hooks of a project when it meets them for the first time",
		next:          []string{"start Gemini CLI: /mcp shows the server, /hooks the hooks"},
	}
}

// geminiDir is the settings directory of Gemini CLI.
func geminiDir(w *World) string {
	home := w.Home
	if dir := w.env("GEMINI_CLI_HOME"); dir != "" {
		home = dir
	}
	return filepath.Join(home, ".gemini")
}

func openCode() *Agent {
	return &Agent{
		Name: hook.OpenCode, Title: "OpenCode", Hooked: true, Projects: true,
		programs: []string{"opencode"},
		marks:    func(w *World) []string { return []string{openCodeDir(w)} },
		targets: func(w *World) []target {
			dir, plugins := openCodeDir(w), filepath.Join(openCodeDir(w), "plugins")
			if w.Project != "" {
				dir, plugins = w.Project, filepath.Join(w.Project, ".opencode", "plugins")
			}
			file := filepath.Join(dir, "opencode.json")
			if commented := filepath.Join(dir, "opencode.jsonc"); isThere(commented) {
				file = commented
			}
			if named := w.env("OPENCODE_CONFIG"); named != "" && w.Project == "" {
				file = named
			}
			return []target{
				{file: file, parts: []part{openCodePart{}}},
				{file: filepath.Join(plugins, "lukasa.js"), form: formPlugin},
			}
		},
		next: []string{"restart OpenCode: /status shows the server"},
	}
}

// openCodeDir is the settings directory of OpenCode, on every system.
func openCodeDir(w *World) string {
	if dir := w.env("OPENCODE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(w.config(), "opencode")
}
