package handout

import (
	"strings"

	"lukasa.dev/internal/shell"
)

// ownName is in the names of Lukasa's own tools, and is its command.
const ownName = "lukasa"

// OwnTool reports whether a name is an agent's name for one of Lukasa's own tools:
// mcp__lukasa__recall, mcp_lukasa_recall, lukasa_recall, lukasa.recall.
func OwnTool(name string) bool {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "mcp"); ok {
		name = strings.TrimLeft(rest, "_:./-")
	}
	rest, ok := strings.CutPrefix(name, ownName)
	return ok && (rest == "" || strings.IndexByte("_.-/:", rest[0]) >= 0)
}

// OwnCommand reports whether a shell command line runs Lukasa's command, and otherwise only
// shows its output or changes the directory.
func OwnCommand(command string) bool {
	if !strings.Contains(command, ownName) {
		return false
	}
	commands, err := shell.Read(command, shell.Options{})
	if err != nil {
		return false
	}
	own := false
	for _, c := range commands {
		if len(c.Words) == 0 || len(c.Writes) > 0 || len(c.Before) > 0 {
			return false
		}
		switch c.Words[0][strings.LastIndexByte(c.Words[0], '/')+1:] {
		case ownName:
			own = true
		case "cd", "true":
		case "cat", "cut", "grep", "head", "jq", "less", "more", "nl", "sort", "tail", "tr", "uniq", "wc":
			if len(c.From) == 0 || !own {
				return false
			}
		default:
			return false
		}
	}
	return own
}
