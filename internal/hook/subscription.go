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

// Agents lists the names of agents that `lukasa hook` knows, in the order in which they are
// documented.
func Agents() []string {
	return []string{ClaudeCode, Codex, Cursor, VSCode, ClaudeDesktop, GeminiCLI, OpenCode}
}

// Known reports whether there is an agent of that name.
func Known(agent string) bool { return slices.Contains(Agents(), agent) }

// Remembers reports whether the pack of a prompt stays in an agent's context until that is
// compacted. OpenCode is given the newest pack alone, with each request.
func Remembers(agent string) bool { return agent != OpenCode }

// Subscription is one hook event of an agent that Lukasa wants to be told of.
type Subscription struct {
	// Event is the agent's own name of it, such as PreToolUse or beforeSubmitPrompt. For
	// OpenCode it is the name of a hook of plugins, which [OpenCodePlugin] subscribes to.
	Event string
	// Matcher narrows the event, in the agent's own words. Empty is everything, which every
	// agent writes by leaving the field away.
	Matcher string
	// Timeout is how long the agent is to wait, in whole seconds. Gemini CLI writes it in
	// milliseconds, the others that write it in seconds.
	Timeout int
	// Answers says that the agent uses what is printed. For the others it may be told to go
	// on without waiting, if it can be.
	Answers bool
}

// Time limits that agents are asked for, in seconds. What is answered has a deadline of its
// own well inside.
const (
	answerLimit = 10
	recordLimit = 10
	// codexEndLimit is the most that Codex waits at the end of a session.
	codexEndLimit = 3
)

// answered and recorded are subscriptions to everything that is called so.
func answered(event string) Subscription {
	return Subscription{Event: event, Timeout: answerLimit, Answers: true}
}

func recorded(event string) Subscription { return Subscription{Event: event, Timeout: recordLimit} }

// Events returns the hook events of an agent to subscribe to, in the order of a session. It
// is empty for an agent without hooks, and for one that is not known. The caller owns the list.
//
// It is less than what `lukasa hook` understands: of two events that tell the same, one is
// chosen, and an event that only newer versions of an agent have is left away where an older
// version would refuse the whole file for it.
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
			recorded("AfterAgent"), recorded("SessionEnd"), // PreCompress comes before each request, and tells nothing
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

// OpenCodePlugin returns the plugin by which OpenCode reaches Lukasa, as one file of
// JavaScript without dependencies, for ~/.config/opencode/plugins or .opencode/plugins.
// It runs program with args, which are complete: hook, opencode, and the flags. The same
// program and arguments give the same bytes.
func OpenCodePlugin(program string, args []string) []byte {
	if args == nil {
		args = []string{}
	}
	return []byte(strings.NewReplacer(`"@PROGRAM@"`, script(program), `"@ARGS@"`, script(args)).Replace(openCodePlugin))
}

// script writes a value as JavaScript.
func script(v any) string {
	text, _ := json.Marshal(v) // texts always have a form in JSON, and that escapes what ends a line of JavaScript
	return string(text)
}
