package agents

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Command is the program that agents run.
type Command struct {
	// Program is the path of the program, or its name on the search path.
	Program string
	// Flags follow the subcommand, such as --tenant acme.
	Flags []string
	// ServerFlags follow those, for the MCP server only, such as --tools=hooked.
	ServerFlags []string
	// HookFlags follow those, for hooks only, such as --enforce=deny.
	HookFlags []string
	// OS is the operating system as in Go: shells quote differently.
	OS string
}

// mcp returns the arguments for the MCP server.
func (c Command) mcp() []string { return slices.Concat([]string{"mcp"}, c.Flags, c.ServerFlags) }

// hook returns the arguments for a hook of an agent.
func (c Command) hook(agent string) []string {
	return slices.Concat([]string{"hook", agent}, c.Flags, c.HookFlags)
}

// line returns the command for a hook of an agent as a shell command line.
func (c Command) line(agent string) string {
	words := []string{c.quoted(c.Program)}
	for _, arg := range c.hook(agent) {
		words = append(words, c.quoted(arg))
	}
	return strings.Join(words, " ")
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted quotes a word for a shell. Windows paths are written with slashes, which its programs
// accept and which no shell takes for an escape.
func (c Command) quoted(word string) string {
	if c.OS == "windows" {
		word = strings.ReplaceAll(word, `\`, "/")
		if plain.MatchString(word) {
			return word
		}
		return `"` + strings.ReplaceAll(word, `"`, "") + `"`
	}
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// own reports whether a hook's command line is one of ours for that agent: it runs this
// program, or one called lukasa, with the words hook and the agent's name.
func (c Command) own(line, agent string) bool {
	before, after, ok := strings.Cut(line, " hook "+agent)
	if !ok || after != "" && after[0] != ' ' {
		return false
	}
	if before == c.quoted(c.Program) {
		return true
	}
	name := path.Base(strings.ReplaceAll(strings.Trim(strings.TrimSpace(before), `'"`), `\`, "/"))
	return strings.TrimSuffix(strings.ToLower(name), ".exe") == serverName
}
