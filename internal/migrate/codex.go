package migrate

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
)

// codexLine is one line of a rollout of Codex, ~/.codex/sessions/**/rollout-*.jsonl. Older
// rollouts have the payload without anything around it.
type codexLine struct {
	Timestamp loose           `json:"timestamp"`
	Type      loose           `json:"type"` // session_meta, response_item, event_msg, turn_context, compacted
	Payload   json.RawMessage `json:"payload"`
}

// codexItem is a message, a call or a result.
type codexItem struct {
	Type      loose           `json:"type"`
	ID        loose           `json:"id"`
	Role      loose           `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      loose           `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	CallID    loose           `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Action    object          `json:"action"`
	Message   loose           `json:"message"`
	Namespace loose           `json:"namespace"` // of a tool of an MCP server
	TurnID    loose           `json:"turn_id"`
	Item      json.RawMessage `json:"item"` // of item_completed
}

// codexMeta is the metadata of a session.
type codexMeta struct {
	ID         loose `json:"id"`
	Timestamp  loose `json:"timestamp"`
	CWD        loose `json:"cwd"`
	CLIVersion loose `json:"cli_version"`
	Model      loose `json:"model"`
	TurnID     loose `json:"turn_id"`
	Git        struct {
		Branch loose `json:"branch"`
	} `json:"git"`
	Source codexSource `json:"source"`
}

// codexSource is the origin of a session: a text for a person, an object for another session.
type codexSource struct {
	Subagent struct {
		Spawn struct {
			Parent loose `json:"parent_thread_id"`
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
	ends   map[string]Outcome
	script *codexScript
}

// codexScript is a call of exec, whose program calls tools. They are recorded one by one, as hooks
// tell them; the script is a call only if it calls none.
type codexScript struct {
	turn   turn
	item   codexItem
	nested int
}

// rolloutID finds the id of a session in the name of its rollout.
var rolloutID = pattern(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// codex reads a rollout of Codex.
func (r *run) codex(ctx context.Context, src *text) error {
	s := &codexSession{ends: map[string]Outcome{}}
	err := r.lines(ctx, src, func(l line) error {
		p := place{l.number, -1}
		var c codexLine
		if !loosely(l.text, &c) {
			r.broken(p, l.text, l.last)
			return nil
		}
		if len(c.Payload) == 0 {
			c.Payload, c.Type = l.text, bareCodex(&c)
		}
		switch c.Type {
		case "session_meta":
			return r.codexMeta(p, s, &c)
		case "turn_context":
			var m codexMeta
			_ = loosely(c.Payload, &m) // what is of another shape says nothing
			s.model, s.cwd, s.turn = first(string(m.Model), s.model), first(string(m.CWD), s.cwd), first(string(m.TurnID), s.turn)
			r.leave(p, Note, "a line of type turn_context")
			return nil
		case "response_item", "compacted", "event_msg":
			var item codexItem
			if !loosely(c.Payload, &item) {
				r.leave(p, Unknown, "a payload of another shape")
				return nil
			}
			return r.codexItem(ctx, r.codexTurn(p, s, &c), s, string(c.Type), &item)
		}
		r.leave(p, Note, "a line of type "+name(string(c.Type), "none"))
		return nil
	})
	r.unended()
	return err
}

// bareCodex returns the type of a line of an older rollout: the first one is about the session.
func bareCodex(c *codexLine) loose {
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
func (r *run) codexMeta(p place, s *codexSession, c *codexLine) error {
	var m codexMeta
	if !loosely(c.Payload, &m) || m.ID == "" || s.id != "" {
		r.leave(p, Note, "a line about the session")
		return nil
	}
	s.id, s.cwd, s.branch, s.version, s.model = string(m.ID), string(m.CWD), string(m.Git.Branch), string(m.CLIVersion), string(m.Model)
	s.parent = string(m.Source.Subagent.Spawn.Parent)
	if at, ok := when(m.Timestamp); ok {
		s.at = at
	}
	return nil
}

func (r *run) codexTurn(p place, s *codexSession, c *codexLine) *turn {
	if s.id == "" {
		s.id = first(rolloutID().FindString(r.stem()), r.stem())
	}
	t := &turn{
		place: p, id: []string{s.id, itoa(p.line)}, named: true, session: s.id, agent: string(Codex), at: s.at, prompt: s.turn,
		meta: map[string]any{"cwd": s.cwd, "git_branch": s.branch, "version": s.version, "model": s.model},
	}
	t.time(c.Timestamp)
	if !t.at.IsZero() {
		s.at = t.at // what follows without a time was not before
	}
	if s.parent != "" {
		t.group, t.session, t.agent, t.ceiling = s.parent, s.parent+"/"+s.id, t.agent+"/"+s.id, record.Agent
	}
	r.inTime(t)
	return t
}

// codexItem makes the events of a line.
func (r *run) codexItem(ctx context.Context, t *turn, s *codexSession, kind string, item *codexItem) error {
	t.original = string(item.ID)
	switch {
	case kind == "compacted":
		t.tags = []string{"summary"}
		return r.say(ctx, t, "assistant", string(item.Message), nil)
	case kind == "event_msg" && (item.Type == "error" || item.Type == "stream_error"):
		return r.failure(ctx, t, string(item.Type), string(item.Message), "")
	case kind == "event_msg" && item.Type == "item_completed":
		return r.codexCompleted(ctx, t, s, item.Item)
	case kind == "event_msg":
		if item.Type == "task_started" || item.Type == "turn_started" {
			s.turn = first(string(item.TurnID), s.turn)
		}
		r.leave(t.place, Note, "an event of type "+name(string(item.Type), "none"))
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
			t.part++
			return nil
		}
		return r.codexCall(ctx, t, item)
	case "local_shell_call":
		return r.call(ctx, t, first(string(item.CallID), string(item.ID)), "shell", shellLine(item.Action))
	case "web_search_call":
		return r.call(ctx, t, string(item.ID), "web_search", asObject(map[string]any(item.Action), "action"))
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		if s.script != nil && s.script.item.CallID == item.CallID {
			told := s.script.nested > 0
			if err := r.codexScriptEnds(ctx, s); told || err != nil {
				r.leave(t.place, Note, "the output of a script whose calls are recorded")
				return err
			}
		}
		return r.codexResult(ctx, t, s, item)
	case "reasoning":
		r.leave(t.place, Thinking, "what the model thought")
		return nil
	}
	r.leave(t.place, Note, "an item of type "+name(string(item.Type), "none"))
	return nil
}

// codexCall makes a call.
func (r *run) codexCall(ctx context.Context, t *turn, item *codexItem) error {
	args := anything(item.Arguments)
	if item.Type == "custom_tool_call" {
		args = anything(item.Input)
	}
	under := "input"
	if item.Name == "apply_patch" {
		under = "patch"
	}
	tool := string(item.Name)
	if space := strings.TrimSuffix(string(item.Namespace), "__"); space != "" && !strings.HasPrefix(tool, space) {
		tool = space + "__" + tool
	}
	return r.call(ctx, t, string(item.CallID), tool, shellLine(asObject(args, under)))
}

// codexResult makes the result of a call from its output and from earlier lines about it.
func (r *run) codexResult(ctx context.Context, t *turn, s *codexSession, item *codexItem) error {
	id := string(item.CallID)
	out, success := codexOutput(item.Output)
	o := Outcome{Result: out, Success: success}
	if ms, ok := out["duration_ms"]; ok {
		delete(out, "duration_ms")
		o.Duration = json.Number(fmt.Sprint(ms))
	}
	text, _ := out["text"].(string)
	if told, ok := Stopped(text); ok {
		o = told
	} else if end, ok := s.ends[id]; ok {
		o = o.With(end)
	}
	delete(s.ends, id)
	response := map[string]any{}
	if o.Duration != "" {
		response["duration_ms"] = o.Duration
	}
	well := o.Success
	if o.DeniedBy != "" || o.Interrupted {
		well = hmx.Some(false) // nothing was edited
	}
	if done, err := r.edit(ctx, t, id, response, well); done || err != nil {
		return err
	}
	return r.ended(ctx, t, id, "", o)
}

// codexCompleted reads how a call went, which the rollout tells before its output. A call of a
// script has no output of its own: nothing else is recorded about it.
func (r *run) codexCompleted(ctx context.Context, t *turn, s *codexSession, raw json.RawMessage) error {
	done, ok := readCodexDone(raw)
	if !ok {
		r.leave(t.place, Note, "an event of type item_completed")
		return nil
	}
	if _, open := r.calls[t.session+"\x00"+done.ID]; open || r.own[t.session+"\x00"+done.ID] || s.script == nil {
		if open && len(s.ends) < maxCalls {
			s.ends[done.ID] = done.Outcome
		}
		r.leave(t.place, Note, "an event of type item_completed")
		return nil
	}
	s.script.nested++
	if len(done.Edits) > 0 && (!done.Success.Set || done.Success.Value) {
		for i, e := range done.Edits {
			id := r.partID(t, "result", done.ID)
			if i > 0 {
				id = EventID(r.format, "edit", done.ID, strconv.Itoa(i))
			}
			if err := r.emit(ctx, t, hmx.TypeFileEdit, id, e.Content(done.Tool, done.ID), t.ceiling, ""); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.call(ctx, t, done.ID, done.Tool, done.Arguments); err != nil {
		return err
	}
	return r.ended(ctx, t, done.ID, done.Tool, done.Outcome)
}

// codexScriptEnds makes the call of a script that called no tool itself.
func (r *run) codexScriptEnds(ctx context.Context, s *codexSession) error {
	script := s.script
	s.script = nil
	if script == nil || script.nested > 0 {
		return nil
	}
	t := script.turn
	return r.codexCall(ctx, &t, &script.item)
}

func (r *run) codexMessage(ctx context.Context, t *turn, item *codexItem) error {
	role := string(item.Role)
	b := &saying{run: r, turn: t, role: role}
	switch role {
	case "developer", "system":
		r.leave(t.place, Note, "instructions of the program to the model")
		return nil
	case "user", "assistant":
	default:
		r.leave(t.place, Unknown, "a message of the role "+name(role, "none"))
		return nil
	}
	noted := false
	for _, one := range contentList(item.Content) {
		var k block
		_ = loosely(one, &k) // what is of another shape says nothing
		switch k.Type {
		case "input_image":
			b.attach("image", "")
		default:
			noted = noted || role == "user" && UserWords(Codex, string(k.Text)).Own == "" && k.Text != ""
			b.add(string(k.Text))
		}
	}
	if b.empty() && !noted {
		r.leave(t.place, Empty, "a message without text")
	}
	return b.flush(ctx)
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

// exitLine is the line of a command's output with its exit code.
var exitLine = pattern(`(?m)^(?:Exit code: |Process exited with code )(\d+)$`)

// codexOutput reads what a tool gave back: text, an object with text and how it went, or text
// with an object in it.
func codexOutput(output json.RawMessage) (map[string]any, hmx.Opt[bool]) {
	var o struct {
		Output   json.RawMessage `json:"output"`
		Content  json.RawMessage `json:"content"`
		Success  *bool           `json:"success"`
		Metadata struct {
			ExitCode *int     `json:"exit_code"`
			Seconds  *float64 `json:"duration_seconds"`
		} `json:"metadata"`
	}
	text := ""
	if len(output) > 0 && output[0] == '"' {
		_ = json.Unmarshal(output, &text) // a string of JSON is one of Go
	}
	inner := output
	if strings.HasPrefix(text, "{") {
		inner = json.RawMessage(text)
	}
	if loosely(inner, &o) && (o.Output != nil || o.Content != nil) {
		text = blockText(o.Output)
		if o.Output == nil {
			text = blockText(o.Content)
		}
	} else if text == "" {
		text = blockText(output)
	}
	out := map[string]any{}
	if text != "" {
		out["text"] = text
	}
	success := hmx.Opt[bool]{}
	if o.Success != nil {
		success = hmx.Some(*o.Success)
	}
	if o.Metadata.ExitCode == nil {
		head := shorten(text, 512)
		if m := exitLine().FindStringSubmatch(head); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				o.Metadata.ExitCode = &n
			}
		}
	}
	if n := o.Metadata.ExitCode; n != nil {
		out["exit_code"] = *n
		success = hmx.Some(*n == 0)
	}
	if s := o.Metadata.Seconds; s != nil && *s >= 0 && *s < 1e9 {
		out["duration_ms"] = int64(*s * 1000)
	}
	return out, success
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func itoa(n int) string { return strconv.Itoa(n) }
