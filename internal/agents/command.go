package agents

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Command is what agents run.
type Command struct {
	// Program is the path of the program, or its name if it is to be on the search path.
	Program string
	// Flags come after the words that say what it is to do, such as --tenant acme.
	Flags []string
	// ServerFlags come after those for the MCP server alone, such as --tools=hooked.
	ServerFlags []string
	// HookFlags come after those for hooks alone, such as --enforce=deny.
	HookFlags []string
	// OS is the operating system, by its name in Go: shells quote differently.
	OS string
}

// mcp returns the arguments that serve an agent on standard input and output.
func (c Command) mcp() []string { return slices.Concat([]string{"mcp"}, c.Flags, c.ServerFlags) }

// hook returns the arguments that take a hook of an agent.
func (c Command) hook(agent string) []string {
	return slices.Concat([]string{"hook", agent}, c.Flags, c.HookFlags)
}

// line returns the command that takes a hook of an agent as a line for a shell.
func (c Command) line(agent string) string {
	words := []string{c.quoted(c.Program)}
	for _, arg := range c.hook(agent) {
		words = append(words, c.quoted(arg))
	}
	return strings.Join(words, " ")
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted writes a word for a shell. Paths of Windows are written with slashes there, which its
// programs take as well, and which no shell takes for an escape.
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

// own reports whether a line of a hook is one of ours, for that agent: it runs this program, or
// one called lukasa, with the words hook and the agent's name.
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
