package transcripts

import (
	"context"
	"encoding/json"
	"strconv"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/toolcall"
	"lukasa.dev/internal/record"
)

// claudeLine is one line of a transcript of Claude Code, ~/.claude/projects/**/*.jsonl.
type claudeLine struct {
	Type        foreign.Text    `json:"type"` // user, assistant, system; others are notes
	Subtype     foreign.Text    `json:"subtype"`
	UUID        foreign.Text    `json:"uuid"`
	SessionID   foreign.Text    `json:"sessionId"`
	AgentID     foreign.Text    `json:"agentId"` // of a sub-agent
	PromptID    foreign.Text    `json:"promptId"`
	Timestamp   foreign.Text    `json:"timestamp"`
	CWD         foreign.Text    `json:"cwd"`
	GitBranch   foreign.Text    `json:"gitBranch"`
	Version     foreign.Text    `json:"version"`
	Level       foreign.Text    `json:"level"`
	Content     json.RawMessage `json:"content"` // of a line of type system
	Error       json.RawMessage `json:"error"`
	IsSidechain foreign.Truth   `json:"isSidechain"`
	IsMeta      foreign.Truth   `json:"isMeta"`
	IsSummary   foreign.Truth   `json:"isCompactSummary"`
	IsAPIError  foreign.Truth   `json:"isApiErrorMessage"`
	Message     claudeMessage   `json:"message"`
	ToolResult  claudeToolUse   `json:"toolUseResult"`
}

// claudeMessage is a message as the Messages API writes it. Any other value is an empty one.
type claudeMessage struct {
	Role    foreign.Text    `json:"role"`
	Model   foreign.Text    `json:"model"`
	Content json.RawMessage `json:"content"`
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (m *claudeMessage) UnmarshalJSON(data []byte) error {
	type plain claudeMessage
	_ = json.Unmarshal(data, (*plain)(m)) // another value gives an empty message
	return nil
}

// claudeToolUse is what Claude Code itself records of a tool's result.
type claudeToolUse struct {
	Type        foreign.Text  `json:"type"` // create or update, of a file
	Interrupted foreign.Truth `json:"interrupted"`
	Duration    json.Number   `json:"durationMs"`
	text        string        // of a result that is one
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (u *claudeToolUse) UnmarshalJSON(data []byte) error {
	type plain claudeToolUse
	if s, ok := foreign.PlainText(data); ok {
		u.text = s
		return nil
	}
	_ = json.Unmarshal(data, (*plain)(u)) // it may be a text, or anything else
	return nil
}

// ended returns how a call ended and the sort of its edit, by its result and by what Claude Code
// records of it besides.
func (u *claudeToolUse) ended(k *source.Block) (o toolcall.Outcome, known map[string]any) {
	o = k.Outcome()
	if k.IsError {
		o = toolcall.Failed(foreign.ContentText(k.Content))
		if o.DeniedBy == "" && !o.Interrupted {
			if told, ok := toolcall.Stopped(u.text); ok {
				o = told
			}
		}
	}
	o.Duration = toolcall.Milliseconds(u.Duration)
	o.Interrupted = o.Interrupted || bool(u.Interrupted)
	return o, map[string]any{"type": string(u.Type)}
}

// claudeCode reads a transcript of Claude Code.
func (r transcript) claudeCode(ctx context.Context) error {
	prompts := map[string]string{} // the turn that a session is in
	err := eachLine(ctx, r, func(p source.Place, _ []byte, c *claudeLine) error {
		t := r.claudeTurn(p, c, prompts)
		switch {
		case c.Type == "system":
			return r.claudeSystem(ctx, t, c)
		case c.Type != "user" && c.Type != "assistant":
			r.Leave(p, source.Note, "a line of type "+foreign.Name(string(c.Type), "none"))
			return nil
		case bool(c.IsMeta):
			r.Leave(p, source.Note, "a note of the program")
			return nil
		case bool(c.IsSummary):
			t.Tags = []string{"summary"}
			return r.Say(ctx, t, "assistant", foreign.ContentText(c.Message.Content), nil)
		case bool(c.IsAPIError):
			return r.Fail(ctx, t, "api_error", foreign.ContentText(c.Message.Content), "")
		}
		return r.Blocks(ctx, t, string(c.Type), c.Message.Content, c.ToolResult.ended)
	})
	r.Unended()
	return err
}

// claudeTurn returns what the events of a line have in common. A sub-agent has a session of its
// own beside the one that it works for, and its prompts come from an agent.
func (r transcript) claudeTurn(p source.Place, c *claudeLine, prompts map[string]string) *source.Turn {
	t := &source.Turn{
		Place: p, ID: []string{string(c.UUID)}, Named: true, Session: string(c.SessionID), Agent: string(foreign.ClaudeCode),
		Original: string(c.UUID),
		Meta:     map[string]any{"cwd": string(c.CWD), "git_branch": string(c.GitBranch), "version": string(c.Version), "model": string(c.Message.Model)},
	}
	if c.UUID == "" {
		t.ID = []string{r.Stem(), "line", strconv.Itoa(p.Line)}
	}
	if t.Session == "" {
		t.Session = r.Stem()
	}
	if c.IsSidechain {
		t.Group = t.Session
		agent := foreign.Name(string(c.AgentID), "sidechain")
		t.Session += "/" + agent
		t.Agent += "/" + agent
		t.Ceiling = record.Agent
	}
	if c.PromptID != "" && (prompts[t.Session] != "" || len(prompts) < source.MaxCalls) {
		prompts[t.Session] = string(c.PromptID)
	}
	t.Prompt = prompts[t.Session]
	t.Time(c.Timestamp)
	r.InTime(t)
	return t
}

// claudeSystem takes errors of the service from the program's notes.
func (r transcript) claudeSystem(ctx context.Context, t *source.Turn, c *claudeLine) error {
	if c.Subtype != "api_error" && c.Level != "error" {
		r.Leave(t.Place, source.Note, "a line of type system, "+foreign.Name(string(c.Subtype), "none"))
		return nil
	}
	message := foreign.ContentText(c.Content)
	if message == "" && len(c.Error) > 0 {
		message = string(foreign.Encode(foreign.Value(c.Error)))
	}
	return r.Fail(ctx, t, foreign.Name(string(c.Subtype), "error"), message, "")
}
