package migrate

import (
	"encoding/json"
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

// codexItem is what was said or done.
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
}

// codexMeta is what a session says of itself.
type codexMeta struct {
	ID           loose `json:"id"`
	Timestamp    loose `json:"timestamp"`
	CWD          loose `json:"cwd"`
	CLIVersion   loose `json:"cli_version"`
	Model        loose `json:"model"`
	Instructions loose `json:"instructions"`
	Git          struct {
		Branch loose `json:"branch"`
	} `json:"git"`
}

// codexSession is what is known of the session while a rollout is read.
type codexSession struct {
	id, cwd, branch, version, model string
	at                              hmx.Time
}

// rolloutID finds the id of a session in the name of its rollout.
var rolloutID = pattern(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// codex reads a rollout of Codex.
func (r *run) codex(src *text) error {
	s := &codexSession{}
	err := r.lines(src, func(l line) error {
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
			s.model, s.cwd = first(string(m.Model), s.model), first(string(m.CWD), s.cwd)
			r.leave(p, Note, "a line of type turn_context")
			return nil
		case "response_item", "compacted", "event_msg":
			var item codexItem
			if !loosely(c.Payload, &item) {
				r.leave(p, Unknown, "a payload of another shape")
				return nil
			}
			return r.codexItem(r.codexTurn(p, s, &c), string(c.Type), &item)
		}
		r.leave(p, Note, "a line of type "+name(string(c.Type), "none"))
		return nil
	})
	r.unended()
	return err
}

// bareCodex tells what a line of an older rollout is: its first one is about the session.
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
	if at, ok := when(m.Timestamp); ok {
		s.at = at
	}
	if m.Instructions == "" {
		return nil
	}
	return r.say(r.codexTurn(p, s, c), "system", string(m.Instructions), nil)
}

func (r *run) codexTurn(p place, s *codexSession, c *codexLine) *turn {
	if s.id == "" {
		s.id = first(rolloutID().FindString(r.stem()), r.stem())
	}
	t := &turn{
		place: p, id: []string{s.id, itoa(p.line)}, session: s.id, agent: string(Codex), at: s.at, sequence: lineSequence(p.line),
		meta: map[string]any{"cwd": s.cwd, "git_branch": s.branch, "version": s.version, "model": s.model},
	}
	t.time(c.Timestamp)
	if !t.at.IsZero() {
		s.at = t.at // what follows without a time was not before
	}
	return t
}

// codexItem makes the events of a line.
func (r *run) codexItem(t *turn, kind string, item *codexItem) error {
	t.original = string(item.ID)
	switch {
	case kind == "compacted":
		t.tags = []string{"summary"}
		return r.say(t, "assistant", string(item.Message), nil)
	case kind == "event_msg" && (item.Type == "error" || item.Type == "stream_error"):
		return r.failure(t, string(item.Type), string(item.Message), "")
	case kind == "event_msg":
		r.leave(t.place, Note, "an event of type "+name(string(item.Type), "none"))
		return nil
	}
	switch item.Type {
	case "message":
		return r.codexMessage(t, item)
	case "function_call", "custom_tool_call":
		args := anything(item.Arguments)
		if item.Type == "custom_tool_call" {
			args = anything(item.Input)
		}
		under := "input"
		if item.Name == "apply_patch" {
			under = "patch"
		}
		return r.call(t, string(item.CallID), string(item.Name), shellLine(asObject(args, under)))
	case "local_shell_call":
		return r.call(t, first(string(item.CallID), string(item.ID)), "shell", shellLine(item.Action))
	case "web_search_call":
		return r.call(t, string(item.ID), "web_search", asObject(map[string]any(item.Action), "action"))
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		out, success := codexOutput(item.Output)
		if done, err := r.edit(t, string(item.CallID), out, success); done || err != nil {
			return err
		}
		return r.result(t, string(item.CallID), "", out, success)
	case "reasoning":
		r.leave(t.place, Thinking, "what the model thought")
		return nil
	}
	r.leave(t.place, Note, "an item of type "+name(string(item.Type), "none"))
	return nil
}

// notesOfCodex are how messages begin that Codex puts before a user's own.
var notesOfCodex = []string{"<environment_context>", "<user_instructions>", "<ENVIRONMENT_CONTEXT>", "# AGENTS.md instructions", "<turn_aborted>", "<INSTRUCTIONS>", "<permissions instructions>", "<collaboration_mode>"}

func (r *run) codexMessage(t *turn, item *codexItem) error {
	role := string(item.Role)
	b := &saying{run: r, turn: t, role: role}
	for _, one := range contentList(item.Content) {
		var k block
		_ = loosely(one, &k) // what is of another shape says nothing
		switch k.Type {
		case "input_image":
			b.attach("image", "")
		default:
			b.add(string(k.Text))
		}
	}
	switch role {
	case "user":
		for _, begin := range notesOfCodex {
			if len(b.texts) > 0 && strings.HasPrefix(strings.TrimSpace(b.texts[0]), begin) {
				b.role, t.tags = "system", []string{"instructions"}
				t.ceiling = record.Agent
			}
		}
	case "developer", "system":
		b.role = "system"
	case "assistant":
	default:
		r.leave(t.place, Unknown, "a message of the role "+name(role, "none"))
		return nil
	}
	if b.empty() {
		r.leave(t.place, Empty, "a message without text")
	}
	return b.flush()
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

// exitLine is how the text of a command's output tells how it ended.
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
