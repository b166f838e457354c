package transcripts

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/toolcall"
	"lukasa.dev/internal/record"
)

// geminiLine is one line of a session of Gemini CLI, ~/.gemini/tmp/*/chats/session-*.jsonl: what
// the session is, a message, or a change. A message with an id of an earlier one is a newer version
// of it, and a session that is resumed repeats all its messages. Older versions wrote one document,
// session-*.json, which has the messages in a list.
type geminiLine struct {
	SessionID   foreign.Text    `json:"sessionId"`
	StartTime   foreign.Text    `json:"startTime"`
	Kind        foreign.Text    `json:"kind"` // main or subagent
	Directories foreign.List    `json:"directories"`
	ID          foreign.Text    `json:"id"`
	Timestamp   foreign.Text    `json:"timestamp"`
	Type        foreign.Text    `json:"type"` // user, gemini, info, warning, error
	Content     json.RawMessage `json:"content"`
	Model       foreign.Text    `json:"model"`
	Thoughts    foreign.List    `json:"thoughts"`
	ToolCalls   foreign.List    `json:"toolCalls"`
	Messages    foreign.List    `json:"messages"`
	Set         json.RawMessage `json:"$set"`
	Rewind      foreign.Text    `json:"$rewindTo"`
}

// geminiCall is a use of a tool, which is written when it is over.
type geminiCall struct {
	ID        foreign.Text    `json:"id"`
	Name      foreign.Text    `json:"name"`
	Args      foreign.Object  `json:"args"`
	Status    foreign.Text    `json:"status"` // success, error, cancelled
	Timestamp foreign.Text    `json:"timestamp"`
	Result    foreign.List    `json:"result"`
	Display   json.RawMessage `json:"resultDisplay"`
}

// geminiPart is a part of a message.
type geminiPart struct {
	Text     foreign.Text  `json:"text"`
	Thought  foreign.Truth `json:"thought"`
	Call     *geminiCall
	Response *geminiResponse
	Inline   json.RawMessage `json:"inlineData"`
	File     json.RawMessage `json:"fileData"`
}

// geminiResponse is what a tool gave back.
type geminiResponse struct {
	ID       foreign.Text   `json:"id"`
	Name     foreign.Text   `json:"name"`
	Response foreign.Object `json:"response"`
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (p *geminiPart) UnmarshalJSON(data []byte) error {
	var v struct {
		Text     foreign.Text    `json:"text"`
		Thought  foreign.Truth   `json:"thought"`
		Call     json.RawMessage `json:"functionCall"`
		Response json.RawMessage `json:"functionResponse"`
		Inline   json.RawMessage `json:"inlineData"`
		File     json.RawMessage `json:"fileData"`
	}
	if s, ok := foreign.PlainText(data); ok {
		p.Text = foreign.Text(s)
		return nil
	}
	if !foreign.Decode(data, &v) {
		return nil
	}
	p.Text, p.Thought, p.Inline, p.File = v.Text, v.Thought, v.Inline, v.File
	if c := new(geminiCall); foreign.Decode(v.Call, c) {
		p.Call = c
	}
	if r := new(geminiResponse); foreign.Decode(v.Response, r) {
		p.Response = r
	}
	return nil
}

// geminiSession is what is known of a session while it is read.
type geminiSession struct {
	id, cwd, model string
	parent         string // the session that a sub-agent works for
	sub            bool
	at             hmx.Time
	said           map[string]bool      // messages whose text is taken
	begun          map[string]geminiUse // calls that are taken, and not over
	ended          map[string]bool
}

// geminiUse is a call that was taken.
type geminiUse struct {
	tool  string
	alias string
	since time.Time
}

// maxSaid is how many messages and calls of a session are remembered, to skip repetitions. The
// board recognises a repetition that comes later.
const maxSaid = 1 << 17

// geminiCLI reads a session of Gemini CLI.
func (r transcript) geminiCLI(ctx context.Context) error {
	s := &geminiSession{said: map[string]bool{}, begun: map[string]geminiUse{}, ended: map[string]bool{}}
	var err error
	if r.Lined() {
		err = eachLine(ctx, r, func(p source.Place, _ []byte, g *geminiLine) error { return r.geminiLine(ctx, p, s, g) })
	} else {
		r.geminiHead(s)
		err = r.Pieces(ctx, []string{"messages"}, func(p source.Piece) error {
			var g geminiLine
			if !r.Decode(p, &g) {
				return nil
			}
			return r.geminiLine(ctx, p.Place, s, &g)
		})
	}
	r.Unended()
	return err
}

// geminiHead looks for the name of the session before the messages of a document. Without one, it
// takes the name of the file.
func (r transcript) geminiHead(s *geminiSession) {
	head, _ := r.Text.Peek(4096) // an error of reading shows up when it is read
	if m := geminiName().FindSubmatch(head); m != nil {
		var id string
		if json.Unmarshal(m[1], &id) == nil {
			s.id = id
		}
	}
}

var geminiName = foreign.Pattern(`"sessionId"\s*:\s*("[^"\\]{1,200}")`)

// geminiLine takes one line.
func (r transcript) geminiLine(ctx context.Context, p source.Place, s *geminiSession, g *geminiLine) error {
	if len(g.Set) > 0 {
		var set geminiLine
		_ = foreign.Decode(g.Set, &set) // another shape is ignored
		if len(set.Messages) == 0 {
			r.Leave(p, source.Note, "a change of the session")
			return nil
		}
		return r.geminiMessages(ctx, p, s, set.Messages)
	}
	switch {
	case g.Rewind != "":
		r.Leave(p, source.Note, "the session went back to a message")
	case g.ID == "" && g.SessionID != "":
		r.geminiMeta(s, g)
		r.Leave(p, source.Note, "a line about the session")
		return r.geminiMessages(ctx, p, s, g.Messages) // of a document on one line
	default:
		return r.geminiMessage(ctx, p, s, g)
	}
	return nil
}

// geminiMessages takes messages that stand on one line.
func (r transcript) geminiMessages(ctx context.Context, p source.Place, s *geminiSession, messages foreign.List) error {
	for _, one := range messages {
		var m geminiLine
		if !foreign.Decode(one, &m) {
			r.Leave(p, source.Unknown, "a message in an unknown form")
			continue
		}
		if err := r.geminiMessage(ctx, p, s, &m); err != nil {
			return err
		}
	}
	return nil
}

// geminiMeta stores the metadata of a session.
func (r transcript) geminiMeta(s *geminiSession, g *geminiLine) {
	s.id = cmp.Or(s.id, string(g.SessionID))
	if at, ok := foreign.When(g.StartTime); ok && s.at.IsZero() {
		s.at = at
	}
	if dirs := g.Directories.Words(); len(dirs) > 0 {
		s.cwd = cmp.Or(s.cwd, dirs[0])
	}
	if g.Kind == "subagent" && !s.sub {
		s.sub = true
		// The file is in a directory with the name of the session.
		if dir := path.Base(path.Dir(r.Source.Path)); dir != "." && dir != "/" && dir != "chats" {
			s.parent = dir
		}
	}
}

// geminiTurn returns what the events of a message have in common.
func (r transcript) geminiTurn(p source.Place, s *geminiSession, id string, at any) *source.Turn {
	s.id = cmp.Or(s.id, r.Stem())
	t := &source.Turn{
		Place: p, ID: []string{"message", s.id, id}, Named: true, Session: s.id, Agent: string(foreign.GeminiCLI), At: s.at, Original: id,
		Meta: map[string]any{"cwd": s.cwd, "model": s.model},
	}
	if id == "" {
		t.ID = []string{s.id, "line", strconv.Itoa(p.Line), strconv.Itoa(p.Index)}
	}
	t.Time(at)
	if !t.At.IsZero() {
		s.at = t.At
	}
	if s.sub {
		t.Group, t.Ceiling = s.parent, record.Agent
		if s.parent != "" {
			t.Session = s.parent + "/" + s.id
		}
		t.Agent += "/" + s.id
	}
	r.InTime(t)
	return t
}

// geminiMessage makes the events of a message, of which some may be there already.
func (r transcript) geminiMessage(ctx context.Context, p source.Place, s *geminiSession, g *geminiLine) error {
	s.model = cmp.Or(string(g.Model), s.model)
	switch g.Type {
	case "user", "gemini":
	case "error":
		if s.said[string(g.ID)] {
			return nil
		}
		s.remember(string(g.ID))
		return r.Fail(ctx, r.geminiTurn(p, s, string(g.ID), g.Timestamp), "error", geminiText(g.Content), "")
	default:
		r.Leave(p, source.Note, "a line of type "+foreign.Name(string(g.Type), "none"))
		return nil
	}
	role := "user"
	if g.Type == "gemini" {
		role = "assistant"
	}
	if len(g.Thoughts) > 0 && !s.said[string(g.ID)] {
		r.Leave(p, source.Thinking, "what the model thought")
	}
	if err := r.geminiSay(ctx, p, s, g, role); err != nil {
		return err
	}
	for _, one := range g.ToolCalls {
		var c geminiCall
		if !foreign.Decode(one, &c) {
			r.Leave(p, source.Unknown, "a call in an unknown form")
			continue
		}
		if err := r.geminiUse(ctx, p, s, g, &c); err != nil {
			return err
		}
	}
	return nil
}

// remember marks the text of a message as taken.
func (s *geminiSession) remember(id string) {
	if id != "" && len(s.said) < maxSaid {
		s.said[id] = true
	}
}

// geminiSay makes the event of a message, and those of the calls and results among its parts.
func (r transcript) geminiSay(ctx context.Context, p source.Place, s *geminiSession, g *geminiLine, role string) error {
	var b *source.Saying
	said := s.said[string(g.ID)]
	for _, one := range geminiParts(g.Content) {
		switch {
		case one.Call != nil:
			if _, begun := s.begun[string(one.Call.ID)]; !begun && !s.ended[string(one.Call.ID)] {
				if err := r.geminiBegins(ctx, p, s, g, one.Call); err != nil {
					return err
				}
			}
		case one.Response != nil:
			if err := r.geminiEnds(ctx, p, s, string(one.Response.ID), g.Timestamp, string(one.Response.Name), "", one.Response); err != nil {
				return err
			}
		case bool(one.Thought):
			r.Leave(p, source.Thinking, "what the model thought")
		case said:
		case len(one.Inline) > 0 || len(one.File) > 0:
			b = r.geminiSaying(b, p, s, g, role)
			b.Attach("file", "")
		case strings.TrimSpace(string(one.Text)) != "":
			s.workspace(string(one.Text))
			b = r.geminiSaying(b, p, s, g, role)
			b.Add(string(one.Text))
		}
	}
	if b == nil {
		return nil
	}
	s.remember(string(g.ID))
	return b.Flush(ctx)
}

func (r transcript) geminiSaying(b *source.Saying, p source.Place, s *geminiSession, g *geminiLine, role string) *source.Saying {
	if b != nil {
		return b
	}
	return &source.Saying{Run: r.Run, Turn: r.geminiTurn(p, s, string(g.ID), g.Timestamp), Role: role}
}

// workspace takes the working directory from the first context that the program sends to the
// model: no other part of a session has it.
func (s *geminiSession) workspace(text string) {
	if s.cwd != "" || !strings.HasPrefix(strings.TrimSpace(text), "<session_context>") {
		return
	}
	if m := geminiWorkspace().FindStringSubmatch(text); m != nil {
		s.cwd = strings.TrimSpace(m[1])
	}
}

var geminiWorkspace = foreign.Pattern(`(?m)^- \*\*Workspace Directories:\*\*\n\s*- (.+)$`)

// geminiUse makes a use of a tool that is over.
func (r transcript) geminiUse(ctx context.Context, p source.Place, s *geminiSession, g *geminiLine, c *geminiCall) error {
	id := string(c.ID)
	if id == "" || s.ended[id] {
		return nil
	}
	if _, begun := s.begun[id]; !begun {
		if err := r.geminiBegins(ctx, p, s, g, c); err != nil {
			return err
		}
	}
	switch c.Status {
	case "success", "error", "cancelled":
	default:
		return nil // it is not over
	}
	response := &geminiResponse{ID: c.ID, Name: c.Name}
	for _, one := range c.Result {
		var part geminiPart
		_ = part.UnmarshalJSON(one) // it never fails
		if part.Response != nil {
			response = part.Response
		}
	}
	if len(response.Response) == 0 {
		if text := foreign.ContentText(c.Display); text != "" && string(c.Display) != "null" {
			response.Response = foreign.Object{"output": text}
		}
	}
	at := c.Timestamp
	if at == "" {
		at = g.Timestamp
	}
	return r.geminiEnds(ctx, p, s, id, at, string(c.Name), string(c.Status), response)
}

// geminiBegins makes a call.
func (r transcript) geminiBegins(ctx context.Context, p source.Place, s *geminiSession, g *geminiLine, c *geminiCall) error {
	t := r.geminiTurn(p, s, string(g.ID), g.Timestamp)
	args := map[string]any(c.Args)
	if args == nil {
		args = map[string]any{}
	}
	of := s.id
	if s.parent != "" {
		of = s.parent // hooks of a sub-agent name the session that it works for
	}
	use := geminiUse{tool: string(c.Name), alias: toolcall.GuessedCall(of, string(c.Name), args), since: t.At.Time()}
	if id := string(c.ID); id != "" && len(s.begun) < maxSaid {
		s.begun[id] = use
	}
	t.Alias, t.Since = use.alias, use.since
	if c.Timestamp != "" {
		if at, ok := foreign.When(c.Timestamp); ok {
			t.Until = at.Time()
		}
	}
	return r.Call(ctx, t, string(c.ID), use.tool, args)
}

// geminiEnds makes the result of a call, once.
func (r transcript) geminiEnds(ctx context.Context, p source.Place, s *geminiSession, id string, at any, tool, status string, response *geminiResponse) error {
	if id == "" || s.ended[id] {
		return nil
	}
	use, begun := s.begun[id]
	if !begun {
		use.tool = tool
	}
	delete(s.begun, id)
	if len(s.ended) < maxSaid {
		s.ended[id] = true
	}
	t := r.geminiTurn(p, s, id, at)
	t.ID = []string{"call", s.id, id}
	t.Alias, t.Since, t.Until = use.alias, use.since, t.At.Time()
	o := geminiOutcome(use.tool, status, response.Response)
	return r.Conclude(ctx, t, id, use.tool, o, map[string]any{})
}

// geminiOutcome reads how a call ended.
func geminiOutcome(tool, status string, response foreign.Object) toolcall.Outcome {
	failed := response.Text("error")
	text := response.Text("output")
	if text == "" && failed == "" && len(response) > 0 {
		text = string(foreign.Encode(map[string]any(response)))
	}
	if failed != "" && text == "" {
		o := toolcall.Failed(failed)
		if status == "cancelled" && o.DeniedBy == "" {
			o.Interrupted = true
		}
		if strings.Contains(failed, "did not allow") {
			o = toolcall.Outcome{DeniedBy: toolcall.ByUser}
		}
		if o.Interrupted {
			o.Success = hmx.Opt[bool]{}
		}
		return o
	}
	o := toolcall.GeminiEnd(tool, text)
	switch {
	case o.DeniedBy != "" || o.Interrupted:
	case status == "cancelled":
		o.Interrupted, o.Success = true, hmx.Opt[bool]{}
	case status == "error":
		o.Success = hmx.Some(false)
	}
	return o
}

// geminiParts returns the parts of a content, which is a text, a part or a list.
func geminiParts(content json.RawMessage) []geminiPart {
	var all foreign.List
	_ = all.UnmarshalJSON(content) // it never fails
	out := make([]geminiPart, 0, len(all))
	for _, one := range all {
		var p geminiPart
		_ = p.UnmarshalJSON(one) // it never fails
		out = append(out, p)
	}
	return out
}

// geminiText returns the texts of a content.
func geminiText(content json.RawMessage) string {
	var texts []string
	for _, p := range geminiParts(content) {
		if p.Text != "" {
			texts = append(texts, string(p.Text))
		}
	}
	return strings.Join(texts, "\n")
}
