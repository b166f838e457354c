package hook

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// Names of the agents.
const (
	ClaudeCode    = "claude-code"
	Codex         = "codex"
	Cursor        = "cursor"
	VSCode        = "vscode"
	ClaudeDesktop = "claude-desktop"
	GeminiCLI     = "gemini-cli"
	OpenCode      = "opencode"
)

// Agents lists the agents that `lukasa hook` supports, in the order of their documentation.
func Agents() []string {
	return []string{ClaudeCode, Codex, Cursor, VSCode, ClaudeDesktop, GeminiCLI, OpenCode}
}

// Known reports whether there is an agent with that name.
func Known(agent string) bool { return slices.Contains(Agents(), agent) }

// Remembers reports whether the pack of a prompt stays in an agent's context until that is
// compacted. OpenCode gets only the newest pack, with each request.
func Remembers(agent string) bool { return agent != OpenCode }

// Subscription is one hook event of an agent to subscribe to.
type Subscription struct {
	// Event is the agent's name of it, such as PreToolUse or beforeSubmitPrompt. For OpenCode
	// it is the name of a plugin hook, which [OpenCodePlugin] subscribes to.
	Event string
	// Matcher narrows the event, in the agent's syntax. Empty means everything, which every
	// agent writes by omitting the field.
	Matcher string
	// Timeout is the agent's timeout, in whole seconds. Gemini CLI uses milliseconds, other
	// agents with a timeout use seconds.
	Timeout int
	// Answers says that the agent uses the output. For other events it may be told not to wait,
	// if it supports that.
	Answers bool
}

// Timeouts for agents, in seconds. Answers have a shorter deadline of their own.
const (
	answerLimit = 10
	recordLimit = 10
	// codexEndLimit is the most that Codex waits at the end of a session.
	codexEndLimit = 3
)

// answered and recorded are subscriptions to all occurrences of an event.
func answered(event string) Subscription {
	return Subscription{Event: event, Timeout: answerLimit, Answers: true}
}

func recorded(event string) Subscription { return Subscription{Event: event, Timeout: recordLimit} }

// Events returns the hook events of an agent to subscribe to, in the order of a session. It is
// empty for an agent without hooks, and for an unknown one. The caller owns the list.
//
// It is less than what `lukasa hook` understands: of two events with the same information it
// has one, and it omits events of newer versions of an agent if an older version would refuse
// the whole file.
func Events(agent string) []Subscription {
	switch agent {
	case ClaudeCode:
		return []Subscription{
			answered("SessionStart"), answered("UserPromptSubmit"), answered("PreToolUse"), recorded("PostToolUse"), recorded("PostToolUseFailure"),
			answered("SubagentStart"), recorded("SubagentStop"), recorded("Stop"), recorded("StopFailure"),
			recorded("PreCompact"), recorded("PostCompact"), recorded("SessionEnd"),
		}
	case Codex:
		return []Subscription{
			answered("SessionStart"), answered("UserPromptSubmit"), answered("PreToolUse"), recorded("PostToolUse"),
			answered("SubagentStart"), recorded("SubagentStop"), recorded("Stop"), recorded("PreCompact"), recorded("PostCompact"),
			{Event: "SessionEnd", Timeout: codexEndLimit},
		}
	case Cursor:
		return []Subscription{
			answered("sessionStart"), answered("beforeSubmitPrompt"), answered("preToolUse"), recorded("postToolUse"), recorded("postToolUseFailure"),
			recorded("subagentStart"), recorded("subagentStop"), recorded("afterAgentResponse"), recorded("stop"), recorded("preCompact"), recorded("sessionEnd"),
		}
	case VSCode:
		return []Subscription{
			answered("SessionStart"), answered("UserPromptSubmit"), answered("PreToolUse"), recorded("PostToolUse"),
			answered("SubagentStart"), recorded("SubagentStop"), recorded("Stop"), recorded("PreCompact"),
		}
	case GeminiCLI:
		return []Subscription{
			answered("SessionStart"), answered("BeforeAgent"), answered("BeforeTool"), recorded("AfterTool"),
			recorded("AfterAgent"), recorded("SessionEnd"), // PreCompress comes before each request, and has no information
		}
	case OpenCode:
		return []Subscription{
			recorded("event"), answered("chat.message"), answered("tool.execute.before"), recorded("tool.execute.after"),
			answered("experimental.chat.system.transform"), recorded("experimental.session.compacting"),
		}
	}
	return nil
}

//go:embed opencode.js
var openCodePlugin string

// OpenCodePlugin returns the plugin that connects OpenCode to Lukasa, as one JavaScript file
// without dependencies, for ~/.config/opencode/plugins or .opencode/plugins. It runs program
// with args, which are complete: hook, opencode, and the flags. The same program and arguments
// give the same bytes.
func OpenCodePlugin(program string, args []string) []byte {
	if args == nil {
		args = []string{}
	}
	return []byte(strings.NewReplacer(`"@PROGRAM@"`, script(program), `"@ARGS@"`, script(args)).Replace(openCodePlugin))
}

// script encodes a value as JavaScript.
func script(v any) string {
	text, _ := json.Marshal(v) // strings always encode, and JSON escapes what ends a line of JavaScript
	return string(text)
}
