package migrate

import (
	"context"
	"encoding/json"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
)

// claudeLine is one line of a transcript of Claude Code, ~/.claude/projects/**/*.jsonl.
type claudeLine struct {
	Type        loose           `json:"type"` // user, assistant, system; others are notes
	Subtype     loose           `json:"subtype"`
	UUID        loose           `json:"uuid"`
	SessionID   loose           `json:"sessionId"`
	AgentID     loose           `json:"agentId"` // of a sub-agent
	PromptID    loose           `json:"promptId"`
	Timestamp   loose           `json:"timestamp"`
	CWD         loose           `json:"cwd"`
	GitBranch   loose           `json:"gitBranch"`
	Version     loose           `json:"version"`
	Level       loose           `json:"level"`
	Content     json.RawMessage `json:"content"` // of a line of type system
	Error       json.RawMessage `json:"error"`
	IsSidechain truth           `json:"isSidechain"`
	IsMeta      truth           `json:"isMeta"`
	IsSummary   truth           `json:"isCompactSummary"`
	IsAPIError  truth           `json:"isApiErrorMessage"`
	Message     claudeMessage   `json:"message"`
	ToolResult  claudeToolUse   `json:"toolUseResult"`
}

// claudeMessage is a message as the Messages API writes it. Any other value is an empty one.
type claudeMessage struct {
	Role    loose           `json:"role"`
	Model   loose           `json:"model"`
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
	Type        loose       `json:"type"` // create or update, of a file
	Interrupted truth       `json:"interrupted"`
	Duration    json.Number `json:"durationMs"`
	text        string      // of a result that is one
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (u *claudeToolUse) UnmarshalJSON(data []byte) error {
	type plain claudeToolUse
	if s, ok := plainText(data); ok {
		u.text = s
		return nil
	}
	_ = json.Unmarshal(data, (*plain)(u)) // it may be a text, or anything else
	return nil
}

// claudeCode reads a transcript of Claude Code.
func (r *run) claudeCode(ctx context.Context, src *text) error {
	prompts := map[string]string{} // the turn that a session is in
	err := r.lines(ctx, src, func(l line) error {
		p := place{l.number, -1}
		var c claudeLine
		if !loosely(l.text, &c) {
			r.broken(p, l.text, l.last)
			return nil
		}
		t := r.claudeTurn(p, &c, prompts)
		switch {
		case c.Type == "system":
			return r.claudeSystem(ctx, t, &c)
		case c.Type != "user" && c.Type != "assistant":
			r.leave(p, Note, "a line of type "+name(string(c.Type), "none"))
			return nil
		case bool(c.IsMeta):
			r.leave(p, Note, "a note of the program")
			return nil
		case bool(c.IsSummary):
			t.tags = []string{"summary"}
			return r.say(ctx, t, "assistant", blockText(c.Message.Content), nil)
		case bool(c.IsAPIError):
			return r.failure(ctx, t, "api_error", blockText(c.Message.Content), "")
		}
		return r.blocks(ctx, t, string(c.Type), c.Message.Content, c.ToolResult)
	})
	r.unended()
	return err
}

// claudeTurn returns what the events of a line have in common. A sub-agent has a session of its
// own beside the one that it works for, and its prompts come from an agent.
func (r *run) claudeTurn(p place, c *claudeLine, prompts map[string]string) *turn {
	t := &turn{
		place: p, id: []string{string(c.UUID)}, named: true, session: string(c.SessionID), agent: string(ClaudeCode),
		original: string(c.UUID),
		meta:     map[string]any{"cwd": string(c.CWD), "git_branch": string(c.GitBranch), "version": string(c.Version), "model": string(c.Message.Model)},
	}
	if c.UUID == "" {
		t.id = []string{r.stem(), "line", itoa(p.line)}
	}
	if t.session == "" {
		t.session = r.stem()
	}
	if c.IsSidechain {
		t.group = t.session
		agent := name(string(c.AgentID), "sidechain")
		t.session += "/" + agent
		t.agent += "/" + agent
		t.ceiling = record.Agent
	}
	if c.PromptID != "" && (prompts[t.session] != "" || len(prompts) < maxCalls) {
		prompts[t.session] = string(c.PromptID)
	}
	t.prompt = prompts[t.session]
	t.time(c.Timestamp)
	r.inTime(t)
	return t
}

// claudeSystem takes errors of the service from the program's notes.
func (r *run) claudeSystem(ctx context.Context, t *turn, c *claudeLine) error {
	if c.Subtype != "api_error" && c.Level != "error" {
		r.leave(t.place, Note, "a line of type system, "+name(string(c.Subtype), "none"))
		return nil
	}
	message := blockText(c.Content)
	if message == "" && len(c.Error) > 0 {
		message = string(encode(anything(c.Error)))
	}
	return r.failure(ctx, t, name(string(c.Subtype), "error"), message, "")
}

// block is one block of a message of the Messages API.
type block struct {
	Type      loose           `json:"type"`
	Text      loose           `json:"text"`
	ID        loose           `json:"id"`
	Name      loose           `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID loose           `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   truth           `json:"is_error"`
	Source    struct {
		URL loose `json:"url"`
	} `json:"source"`
}

// blocks makes the events of a message of the Messages API: its text as one message, tool uses
// as calls, tool results as results, in their order.
func (r *run) blocks(ctx context.Context, t *turn, role string, content json.RawMessage, noted claudeToolUse) error {
	b := &saying{run: r, turn: t, role: role}
	if s, ok := plainText(content); ok {
		if b.add(s); s == "" {
			r.leave(t.place, Empty, "a message without text")
		}
		return b.flush(ctx)
	}
	for _, one := range contentList(content) {
		var k block
		if !loosely(one, &k) {
			r.leave(t.place, Unknown, "a block in an unknown form")
			continue
		}
		var err error
		switch kind := string(k.Type); {
		case kind == "text":
			b.add(string(k.Text))
		case kind == "thinking" || kind == "redacted_thinking":
			r.leave(t.place, Thinking, "what the model thought")
		case kind == "image" || kind == "document":
			b.attach(kind, string(k.Source.URL))
		case strings.HasSuffix(kind, "tool_use"):
			if err = b.flush(ctx); err == nil {
				err = r.call(ctx, t, string(k.ID), string(k.Name), asObject(anything(k.Input), "input"))
			}
		case strings.HasSuffix(kind, "tool_result"):
			if err = b.flush(ctx); err == nil {
				err = r.toolResult(ctx, t, &k, noted)
			}
		default:
			r.leave(t.place, Unknown, "a block of type "+name(kind, "none"))
		}
		if err != nil {
			return err
		}
	}
	if t.part == 0 && b.empty() && len(contentList(content)) == 0 {
		r.leave(t.place, Empty, "a message without content")
	}
	return b.flush(ctx)
}

// toolResult makes the result of a tool use.
func (r *run) toolResult(ctx context.Context, t *turn, k *block, noted claudeToolUse) error {
	text := blockText(k.Content)
	o := Outcome{Success: hmx.Some(!bool(k.IsError)), Result: map[string]any{}, Duration: milliseconds(noted.Duration)}
	if text != "" {
		o.Result["text"] = text
	}
	if bool(k.IsError) && r.format == ClaudeCode {
		o = Failed(text)
		if o.DeniedBy == "" && !o.Interrupted {
			if told, ok := Stopped(noted.text); ok {
				o = told
			}
		}
		o.Duration = milliseconds(noted.Duration)
	}
	o.Interrupted = o.Interrupted || bool(noted.Interrupted)
	response := map[string]any{"type": string(noted.Type)}
	if o.Duration != "" {
		response["duration_ms"] = o.Duration
	}
	well := o.Success
	if o.DeniedBy != "" || o.Interrupted {
		well = hmx.Some(false) // nothing was edited
	}
	if done, err := r.edit(ctx, t, string(k.ToolUseID), response, well); done || err != nil {
		return err
	}
	return r.ended(ctx, t, string(k.ToolUseID), "", o)
}

// saying gathers the texts of a message that follow each other.
type saying struct {
	*run
	turn        *turn
	role        string
	texts       []string
	attachments []any
}

func (b *saying) add(text string) {
	if b.role == "user" {
		p := UserWords(b.format, text)
		if p.Own == "" && strings.TrimSpace(text) != "" {
			b.leave(b.turn.place, Note, "a note of the program to the model")
		}
		if p.Added != "" {
			b.attachments = append(b.attachments, map[string]any{"type": "text", "text": p.Added})
		}
		text = p.Own
	}
	if strings.TrimSpace(text) != "" {
		b.texts = append(b.texts, text)
	}
}

func (b *saying) attach(kind, url string) {
	a := map[string]any{"type": kind}
	if url != "" && len(url) <= 2048 && !strings.HasPrefix(url, "data:") {
		a["url"] = url
	}
	b.attachments = append(b.attachments, a)
}

func (b *saying) empty() bool { return len(b.texts) == 0 && len(b.attachments) == 0 }

// flush makes a message of what was gathered.
func (b *saying) flush(ctx context.Context) error {
	if b.empty() {
		return nil
	}
	text, attached := strings.Join(b.texts, "\n\n"), b.attachments
	b.texts, b.attachments = nil, nil
	return b.say(ctx, b.turn, b.role, text, attached)
}

// plainText returns content that is nothing but a text, which is the common case.
func plainText(content json.RawMessage) (string, bool) {
	if len(content) == 0 || content[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(content, &s)
	return s, err == nil
}

// contentList returns content as a list of blocks. A text is one block.
func contentList(content json.RawMessage) list {
	var all list
	_ = all.UnmarshalJSON(content) // it never fails
	for i, one := range all {
		if len(one) > 0 && one[0] == '"' {
			all[i] = append(append([]byte(`{"type":"text","text":`), one...), '}')
		}
	}
	return all
}

// blockText returns the text of content: a string itself, or the texts of blocks. Anything else
// is written as JSON.
func blockText(content json.RawMessage) string {
	if s, ok := plainText(content); ok {
		return s
	}
	var texts []string
	for _, one := range contentList(content) {
		var k struct {
			Type loose   `json:"type"`
			Text *string `json:"text"`
		}
		switch ok := loosely(one, &k); {
		case ok && k.Text != nil:
			texts = append(texts, *k.Text)
		case ok && (k.Type == "image" || k.Type == "document" || k.Type == "input_image"):
			texts = append(texts, "["+string(k.Type)+"]")
		case ok && k.Type == "thinking":
		default:
			texts = append(texts, string(encode(anything(one))))
		}
	}
	return strings.Join(texts, "\n")
}
