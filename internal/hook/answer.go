package hook

import (
	"bytes"
	"encoding/json"
)

// Verdict is the decision about an action.
type Verdict uint8

// The verdicts.
const (
	Pass   Verdict = iota // no answer; the agent does as it would
	Asking                // the user is asked, if the agent can, and otherwise it is refused
	Denied                // it is refused
)

// Answer is the answer to an agent.
type Answer struct {
	// Title and Text are for the model. They are marked as Lukasa's own, as a block.
	Title, Text string
	// Verdict is about the action of an [Act], Reason is its reason in one line, and Rule the
	// URI or id of its rule.
	Verdict Verdict
	Reason  string
	Rule    string
}

// None is the empty answer, for every agent.
const None = "{}"

// Encode encodes an answer in the format of the agent, for the event of this call. It omits
// what the agent's documentation has no field for.
func (c *Call) Encode(a Answer) []byte {
	text := c.own.Wrap(a.Title, a.Text)
	if a.Verdict != Pass && (a.Reason == "" || c.Ask != Act) {
		a.Verdict = Pass // no agent accepts a refusal without a reason
	}
	if a.Verdict != Pass {
		a.Reason = c.own.Reason(a.Reason)
	}
	var out map[string]any
	switch c.Agent {
	case ClaudeCode, Codex, VSCode:
		out = c.claudeAnswer(a, text)
	case Cursor:
		out = c.cursorAnswer(a, text)
	case GeminiCLI:
		out = c.geminiAnswer(a, text)
	case OpenCode:
		out = map[string]any{}
		switch {
		case a.Verdict != Pass:
			out["deny"] = a.Reason
		case text != "" && c.Ask != Nothing:
			out["context"] = text
		}
	}
	return encode(out)
}

// Takes reports whether the agent has a field for the answer, so that no answer is composed in
// vain.
func (c *Call) Takes() bool {
	switch c.Ask {
	case Nothing:
		return false
	case Prompt:
		return c.Agent != Cursor && c.Agent != VSCode
	}
	return true
}

// claudeAnswer is for Claude Code, Codex and VS Code. The other two support less: VS Code
// accepts no context with a prompt, and Codex cannot ask.
func (c *Call) claudeAnswer(a Answer, text string) map[string]any {
	specific := map[string]any{}
	if text != "" && c.Takes() {
		specific["additionalContext"] = text
	}
	if a.Verdict != Pass {
		decision := "deny"
		if a.Verdict == Asking && c.Agent != Codex {
			decision = "ask"
		}
		specific["permissionDecision"], specific["permissionDecisionReason"] = decision, a.Reason
	}
	if len(specific) == 0 {
		return nil
	}
	specific["hookEventName"] = c.Name
	return map[string]any{"hookSpecificOutput": specific}
}

// cursorAnswer is for Cursor. Before a tool runs it accepts a refusal and no advice, and it can
// ask only before shells and MCP tools.
func (c *Call) cursorAnswer(a Answer, text string) map[string]any {
	switch {
	case c.Ask == Start && text != "" && c.Name == "sessionStart":
		return map[string]any{"additional_context": text}
	case a.Verdict != Pass:
		permission := "deny"
		if a.Verdict == Asking && (c.Name == "beforeShellExecution" || c.Name == "beforeMCPExecution") {
			permission = "ask"
		}
		return map[string]any{"permission": permission, "user_message": a.Reason, "agent_message": a.Reason}
	}
	return nil
}

// geminiAnswer is for Gemini CLI. Before a tool it accepts a refusal, and shows a message to
// the user.
func (c *Call) geminiAnswer(a Answer, text string) map[string]any {
	switch {
	case a.Verdict != Pass:
		return map[string]any{"decision": "deny", "reason": a.Reason}
	case text == "" || c.Ask == Nothing:
		return nil
	case c.Ask == Act:
		return map[string]any{"systemMessage": text}
	}
	return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": c.Name, "additionalContext": text}}
}

// encode encodes an answer without escaping < and >.
func encode(out map[string]any) []byte {
	if len(out) == 0 {
		return []byte(None)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(out) != nil {
		return []byte(None) // strings always encode
	}
	return bytes.TrimSpace(b.Bytes())
}
