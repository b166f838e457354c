package agents

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/shell"
)

// keptHookFlags are the flags of `lukasa hook` that a user sets, by `lukasa install` or by
// hand. Installing again keeps them.
func keptHookFlags() []string {
	return []string{"--enforce", "--budget", "--agent", "--limit", "--wait", "--scope"}
}

// keptServerFlags are the flags of `lukasa mcp` that a user sets by hand. Installing again
// keeps them.
func keptServerFlags() []string { return []string{"--tools", "--agent", "--scope"} }

// HookFlags returns the flags that a user set for the agent's hooks, from the agent's files,
// each as --name=value. It skips files that cannot be read: installing reports the error.
func (s *Setup) HookFlags() []string {
	for _, t := range s.targets() {
		c, err := load(t.file)
		if err != nil || !c.there {
			continue
		}
		if words := t.hookWords(c, s.Command); words != nil {
			return personal(words, keptHookFlags())
		}
	}
	return nil
}

// ServerFlags returns the flags that a user set for the agent's MCP server, from the agent's
// files, each as --name=value. An agent with hooks and without a set of tools gets the set for
// hooks.
func (s *Setup) ServerFlags() []string {
	var flags []string
	for _, t := range s.targets() {
		c, err := load(t.file)
		if err != nil || !c.there {
			continue
		}
		if entry, _, err := t.serverEntry(c, s.Command); err == nil && entry != nil {
			flags = personal(serverArgs(entry), keptServerFlags())
			break
		}
	}
	if s.Agent.Hooked && !s.NoHooks && !slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "--tools=") }) {
		flags = append(flags, "--tools=hooked")
	}
	return flags
}

// Enforcement returns the enforcement mode in the flags of a hook: the value of the last
// --enforce, or nothing.
func Enforcement(flags []string) string {
	mode := ""
	for _, f := range flags {
		if value, ok := strings.CutPrefix(f, "--enforce="); ok {
			mode = value
		}
	}
	return mode
}

// personal returns the flags in a command that a user set.
func personal(words, kept []string) []string {
	var out []string
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i], "=")
		if !slices.Contains(kept, name) {
			continue
		}
		if !joined {
			if i+1 == len(words) {
				break
			}
			i++
			value = words[i]
		}
		out = append(out, name+"="+value)
	}
	return out
}

// hookWords returns the words of our hook's command in a file, after the name of the agent, or
// nil if there is none.
func (t target) hookWords(c *config, cmd Command) []string {
	switch t.form {
	case formTOML:
		return nil
	case formPlugin:
		if !ownPlugin(c.data) {
			return nil
		}
		found := pluginArgs.FindSubmatch(c.data)
		var words []string
		if found == nil || json.Unmarshal(found[1], &words) != nil || len(words) < 2 {
			return nil
		}
		return words[2:] // hook and the agent's name
	}
	d, err := parseDocument(t.file, c.data)
	if err != nil {
		return nil
	}
	for _, p := range t.parts {
		if h, ok := p.(hooksPart); ok {
			if line := h.firstLine(d, cmd); line != "" {
				_, rest, _ := strings.Cut(line, " hook "+h.agent)
				return append([]string{}, shell.Words(rest)...)
			}
		}
	}
	return nil
}

var pluginArgs = regexp.MustCompile(`(?m)^const args = (\[.*\])$`)

// firstLine returns the command of the first hook of ours, or nothing.
func (p hooksPart) firstLine(d *document, c Command) string {
	hooks, ok, err := d.child(d.top(), "hooks")
	if err != nil || !ok {
		return ""
	}
	for _, s := range hook.Events(p.agent) {
		arr, at, err := p.event(d, hooks, s.Event)
		if err != nil || arr == nil {
			continue
		}
		ours, err := p.ours(d, arr, at, c)
		if err != nil || len(ours) == 0 {
			continue
		}
		n := ours[0].command
		if i, err := d.find(n, "command"); err == nil && i >= 0 {
			if line, ok := n.object.Members[i].Value.Value.(hujson.Literal); ok {
				return line.String()
			}
		}
	}
	return ""
}
