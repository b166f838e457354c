package migrate

import (
	"regexp"
	"strings"
	"sync"

	"lukasa.dev/internal/handout"
)

// ownName is in the names of Lukasa's own tools and command lines, and ownReason begins the
// reason of a denial.
const (
	ownName   = "lukasa"
	ownReason = "Lukasa"
)

// ownCommand is Lukasa's command line in a shell. It is compiled when one may be there: a hook
// has little time.
var ownCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\\s*([^\\s;&|<>()$`]*/)?lukasa(\\s[^;&|<>()$`\n]*)?$")
})

// OwnTool reports whether a name is one that agents give to Lukasa's own tools:
// mcp__lukasa__recall, lukasa.pack, mcp_lukasa_recall, lukasa_recall.
func OwnTool(name string) bool {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "mcp_"); ok {
		name = strings.TrimPrefix(rest, "_")
	}
	rest, ok := strings.CutPrefix(name, ownName)
	return ok && (rest == "" || strings.IndexByte("_.-/:", rest[0]) >= 0)
}

// OwnUse reports whether a call is one of Lukasa's own tools, or of its command line and of
// nothing else. What it says and gives back is on the board already, so it is not recorded.
func OwnUse(tool string, arguments map[string]any) bool {
	if OwnTool(tool) {
		return true
	}
	command, _ := arguments["command"].(string)
	if command == "" {
		command, _ = arguments["cmd"].(string)
	}
	return strings.Contains(command, ownName) && ownCommand().MatchString(command)
}

// ownDenial reports whether the reason of a denial is Lukasa's.
func ownDenial(reason string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(reason), ownReason)
	if ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, " (")) {
		return true
	}
	_, lines := handout.Cut(reason)
	return lines > 0
}
