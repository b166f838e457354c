package transcripts

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/prompt"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/toolcall"
	"lukasa.dev/internal/record"
)

// codexLine is one line of a rollout of Codex, ~/.codex/sessions/**/rollout-*.jsonl. Older
// rollouts have the payload without anything around it.
type codexLine struct {
	Timestamp foreign.Text    `json:"timestamp"`
	Type      foreign.Text    `json:"type"` // session_meta, response_item, event_msg, turn_context, compacted
	Payload   json.RawMessage `json:"payload"`
}

// codexItem is a message, a call or a result.
type codexItem struct {
	Type      foreign.Text    `json:"type"`
	ID        foreign.Text    `json:"id"`
	Role      foreign.Text    `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      foreign.Text    `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	CallID    foreign.Text    `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Action    foreign.Object  `json:"action"`
	Message   foreign.Text    `json:"message"`
	Namespace foreign.Text    `json:"namespace"` // of a tool of an MCP server
	TurnID    foreign.Text    `json:"turn_id"`
	Item      json.RawMessage `json:"item"` // of item_completed
}

// codexMeta is the metadata of a session.
type codexMeta struct {
	ID         foreign.Text `json:"id"`
	Timestamp  foreign.Text `json:"timestamp"`
	CWD        foreign.Text `json:"cwd"`
	CLIVersion foreign.Text `json:"cli_version"`
	Model      foreign.Text `json:"model"`
	TurnID     foreign.Text `json:"turn_id"`
	Git        struct {
		Branch foreign.Text `json:"branch"`
	} `json:"git"`
	Source codexSource `json:"source"`
}

// codexSource is the origin of a session: a text for a person, an object for another session.
type codexSource struct {
	Subagent struct {
		Spawn struct {
			Parent foreign.Text `json:"parent_thread_id"`
		} `json:"thread_spawn"`
	} `json:"subagent"`
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (s *codexSource) UnmarshalJSON(data []byte) error {
	type plain codexSource
	_ = json.Unmarshal(data, (*plain)(s)) // a text names no session
	return nil
}

// codexSession is what is known of the session while a rollout is read.
type codexSession struct {
	id, cwd, branch, version, model string
	parent                          string // the session that a sub-agent works for
	turn                            string
	at                              hmx.Time
	// ends is how calls went whose output is still to come, and script the call whose calls
	// are recorded by themselves.
	ends   map[string]toolcall.Outcome
	script *codexScript
}

// codexScript is a call of exec, whose program calls tools. They are recorded one by one, as hooks
// tell them; the script is a call only if it calls none.
type codexScript struct {
	turn   source.Turn
	item   codexItem
	nested int
}

// rolloutID finds the id of a session in the name of its rollout.
var rolloutID = foreign.Pattern(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// codex reads a rollout of Codex.
func (r transcript) codex(ctx context.Context) error {
	s := &codexSession{ends: map[string]toolcall.Outcome{}}
	err := eachLine(ctx, r, func(p source.Place, text []byte, c *codexLine) error {
		if len(c.Payload) == 0 {
			c.Payload, c.Type = text, bareCodex(c)
		}
		switch c.Type {
		case "session_meta":
			return r.codexMeta(p, s, c)
		case "turn_context":
			var m codexMeta
			_ = foreign.Decode(c.Payload, &m) // what is of another shape says nothing
			s.model, s.cwd, s.turn = cmp.Or(string(m.Model), s.model), cmp.Or(string(m.CWD), s.cwd), cmp.Or(string(m.TurnID), s.turn)
			r.Leave(p, source.Note, "a line of type turn_context")
			return nil
		case "response_item", "compacted", "event_msg":
			var item codexItem
			if !foreign.Decode(c.Payload, &item) {
				r.Leave(p, source.Unknown, "a payload of another shape")
				return nil
			}
			return r.codexItem(ctx, r.codexTurn(p, s, c), s, string(c.Type), &item)
		}
		r.Leave(p, source.Note, "a line of type "+foreign.Name(string(c.Type), "none"))
		return nil
	})
	r.Unended()
	return err
}

// bareCodex returns the type of a line of an older rollout: the first one is about the session.
func bareCodex(c *codexLine) foreign.Text {
	switch c.Type {
	case "":
		return "session_meta"
	case "message", "function_call", "function_call_output", "local_shell_call", "local_shell_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning", "web_search_call":
		return "response_item"
	}
	return c.Type
}

// codexMeta notes what a session says of itself. Of a session that was forked the first one
// counts.
func (r transcript) codexMeta(p source.Place, s *codexSession, c *codexLine) error {
	var m codexMeta
	if !foreign.Decode(c.Payload, &m) || m.ID == "" || s.id != "" {
		r.Leave(p, source.Note, "a line about the session")
		return nil
	}
	s.id, s.cwd, s.branch, s.version, s.model = string(m.ID), string(m.CWD), string(m.Git.Branch), string(m.CLIVersion), string(m.Model)
	s.parent = string(m.Source.Subagent.Spawn.Parent)
	if at, ok := foreign.When(m.Timestamp); ok {
		s.at = at
	}
	return nil
}

func (r transcript) codexTurn(p source.Place, s *codexSession, c *codexLine) *source.Turn {
	if s.id == "" {
		s.id = cmp.Or(rolloutID().FindString(r.Stem()), r.Stem())
	}
	t := &source.Turn{
		Place: p, ID: []string{s.id, strconv.Itoa(p.Line)}, Named: true, Session: s.id, Agent: string(foreign.Codex), At: s.at, Prompt: s.turn,
		Meta: map[string]any{"cwd": s.cwd, "git_branch": s.branch, "version": s.version, "model": s.model},
	}
	t.Time(c.Timestamp)
	if !t.At.IsZero() {
		s.at = t.At // what follows without a time was not before
	}
	if s.parent != "" {
		t.Group, t.Session, t.Agent, t.Ceiling = s.parent, s.parent+"/"+s.id, t.Agent+"/"+s.id, record.Agent
	}
	r.InTime(t)
	return t
}

// codexItem makes the events of a line.
func (r transcript) codexItem(ctx context.Context, t *source.Turn, s *codexSession, kind string, item *codexItem) error {
	t.Original = string(item.ID)
	switch {
	case kind == "compacted":
		t.Tags = []string{"summary"}
		return r.Say(ctx, t, "assistant", string(item.Message), nil)
	case kind == "event_msg" && (item.Type == "error" || item.Type == "stream_error"):
		return r.Fail(ctx, t, string(item.Type), string(item.Message), "")
	case kind == "event_msg" && item.Type == "item_completed":
		return r.codexCompleted(ctx, t, s, item.Item)
	case kind == "event_msg":
		if item.Type == "task_started" || item.Type == "turn_started" {
			s.turn = cmp.Or(string(item.TurnID), s.turn)
		}
		r.Leave(t.Place, source.Note, "an event of type "+foreign.Name(string(item.Type), "none"))
		return nil
	}
	switch item.Type {
	case "message":
		return r.codexMessage(ctx, t, item)
	case "function_call", "custom_tool_call":
		if item.Type == "custom_tool_call" && item.Name == "exec" {
			if err := r.codexScriptEnds(ctx, s); err != nil {
				return err
			}
			s.script = &codexScript{turn: *t, item: *item}
			t.Part++
			return nil
		}
		return r.codexCall(ctx, t, item)
	case "local_shell_call":
		return r.Call(ctx, t, cmp.Or(string(item.CallID), string(item.ID)), "shell", shellLine(item.Action))
	case "web_search_call":
		return r.Call(ctx, t, string(item.ID), "web_search", foreign.AsObject(map[string]any(item.Action), "action"))
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		if s.script != nil && s.script.item.CallID == item.CallID {
			told := s.script.nested > 0
			if err := r.codexScriptEnds(ctx, s); told || err != nil {
				r.Leave(t.Place, source.Note, "the output of a script whose calls are recorded")
				return err
			}
		}
		return r.codexResult(ctx, t, s, item)
	case "reasoning":
		r.Leave(t.Place, source.Thinking, "what the model thought")
		return nil
	}
	r.Leave(t.Place, source.Note, "an item of type "+foreign.Name(string(item.Type), "none"))
	return nil
}

// codexCall makes a call.
func (r transcript) codexCall(ctx context.Context, t *source.Turn, item *codexItem) error {
	args := foreign.Value(item.Arguments)
	if item.Type == "custom_tool_call" {
		args = foreign.Value(item.Input)
	}
	under := "input"
	if item.Name == "apply_patch" {
		under = "patch"
	}
	tool := string(item.Name)
	if space := strings.TrimSuffix(string(item.Namespace), "__"); space != "" && !strings.HasPrefix(tool, space) {
		tool = space + "__" + tool
	}
	return r.Call(ctx, t, string(item.CallID), tool, shellLine(foreign.AsObject(args, under)))
}

// codexResult makes the result of a call from its output and from earlier lines about it.
func (r transcript) codexResult(ctx context.Context, t *source.Turn, s *codexSession, item *codexItem) error {
	id := string(item.CallID)
	o := toolcall.CodexResult(item.Output)
	text, _ := o.Result["text"].(string)
	if told, ok := toolcall.Stopped(text); ok {
		o = told
	} else if end, ok := s.ends[id]; ok {
		o = o.With(end)
	}
	delete(s.ends, id)
	return r.Conclude(ctx, t, id, "", o, map[string]any{})
}

// codexCompleted reads how a call went, which the rollout tells before its output. A call of a
// script has no output of its own: nothing else is recorded about it.
func (r transcript) codexCompleted(ctx context.Context, t *source.Turn, s *codexSession, raw json.RawMessage) error {
	done, ok := readCodexDone(raw)
	if !ok {
		r.Leave(t.Place, source.Note, "an event of type item_completed")
		return nil
	}
	if open, own := r.Called(t, done.ID); open || own || s.script == nil {
		if open && len(s.ends) < source.MaxCalls {
			s.ends[done.ID] = done.Outcome
		}
		r.Leave(t.Place, source.Note, "an event of type item_completed")
		return nil
	}
	s.script.nested++
	if len(done.Edits) > 0 && (!done.Success.Set || done.Success.Value) {
		return r.Edited(ctx, t, done.ID, done.Tool, done.Edits, nil)
	}
	if err := r.Call(ctx, t, done.ID, done.Tool, done.Arguments); err != nil {
		return err
	}
	return r.Ended(ctx, t, done.ID, done.Tool, done.Outcome)
}

// codexScriptEnds makes the call of a script that called no tool itself.
func (r transcript) codexScriptEnds(ctx context.Context, s *codexSession) error {
	script := s.script
	s.script = nil
	if script == nil || script.nested > 0 {
		return nil
	}
	t := script.turn
	return r.codexCall(ctx, &t, &script.item)
}

func (r transcript) codexMessage(ctx context.Context, t *source.Turn, item *codexItem) error {
	role := string(item.Role)
	b := &source.Saying{Run: r.Run, Turn: t, Role: role}
	switch role {
	case "developer", "system":
		r.Leave(t.Place, source.Note, "instructions of the program to the model")
		return nil
	case "user", "assistant":
	default:
		r.Leave(t.Place, source.Unknown, "a message of the role "+foreign.Name(role, "none"))
		return nil
	}
	noted := false
	for _, one := range foreign.ContentList(item.Content) {
		var k source.Block
		_ = foreign.Decode(one, &k) // what is of another shape says nothing
		switch k.Type {
		case "input_image":
			b.Attach("image", "")
		default:
			noted = noted || role == "user" && prompt.Words(foreign.Codex, string(k.Text)).Own == "" && k.Text != ""
			b.Add(string(k.Text))
		}
	}
	if b.Empty() && !noted {
		r.Leave(t.Place, source.Empty, "a message without text")
	}
	return b.Flush(ctx)
}

// shellLine writes a command that is a list of words as the line that a shell would read.
func shellLine(args map[string]any) map[string]any {
	words, ok := args["command"].([]any)
	if !ok {
		return args
	}
	var parts []string
	for _, w := range words {
		if s, ok := w.(string); ok {
			parts = append(parts, s)
		}
	}
	line := strings.Join(parts, " ")
	if len(parts) == 3 && strings.HasPrefix(parts[1], "-") && strings.HasSuffix(parts[1], "c") {
		line = parts[2]
	}
	args["command"] = line
	return args
}
