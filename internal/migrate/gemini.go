package migrate

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
)

// geminiLine is one line of a session of Gemini CLI, ~/.gemini/tmp/*/chats/session-*.jsonl: what
// the session is, a message, or a change. A message with an id of an earlier one is a newer version
// of it, and a session that is resumed repeats all its messages. Older versions wrote one document,
// session-*.json, which has the messages in a list.
type geminiLine struct {
	SessionID   loose           `json:"sessionId"`
	StartTime   loose           `json:"startTime"`
	Kind        loose           `json:"kind"` // main or subagent
	Directories list            `json:"directories"`
	ID          loose           `json:"id"`
	Timestamp   loose           `json:"timestamp"`
	Type        loose           `json:"type"` // user, gemini, info, warning, error
	Content     json.RawMessage `json:"content"`
	Model       loose           `json:"model"`
	Thoughts    list            `json:"thoughts"`
	ToolCalls   list            `json:"toolCalls"`
	Messages    list            `json:"messages"`
	Set         json.RawMessage `json:"$set"`
	Rewind      loose           `json:"$rewindTo"`
}

// geminiCall is a use of a tool, which is written when it is over.
type geminiCall struct {
	ID        loose           `json:"id"`
	Name      loose           `json:"name"`
	Args      object          `json:"args"`
	Status    loose           `json:"status"` // success, error, cancelled
	Timestamp loose           `json:"timestamp"`
	Result    list            `json:"result"`
	Display   json.RawMessage `json:"resultDisplay"`
}

// geminiPart is a part of a message.
type geminiPart struct {
	Text     loose `json:"text"`
	Thought  truth `json:"thought"`
	Call     *geminiCall
	Response *geminiResponse
	Inline   json.RawMessage `json:"inlineData"`
	File     json.RawMessage `json:"fileData"`
}

// geminiResponse is what a tool gave back.
type geminiResponse struct {
	ID       loose  `json:"id"`
	Name     loose  `json:"name"`
	Response object `json:"response"`
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (p *geminiPart) UnmarshalJSON(data []byte) error {
	var v struct {
		Text     loose           `json:"text"`
		Thought  truth           `json:"thought"`
		Call     json.RawMessage `json:"functionCall"`
		Response json.RawMessage `json:"functionResponse"`
		Inline   json.RawMessage `json:"inlineData"`
		File     json.RawMessage `json:"fileData"`
	}
	if s, ok := plainText(data); ok {
		p.Text = loose(s)
		return nil
	}
	if !loosely(data, &v) {
		return nil
	}
	p.Text, p.Thought, p.Inline, p.File = v.Text, v.Thought, v.Inline, v.File
	if c := new(geminiCall); loosely(v.Call, c) {
		p.Call = c
	}
	if r := new(geminiResponse); loosely(v.Response, r) {
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
func (r *run) geminiCLI(ctx context.Context, src *text) error {
	s := &geminiSession{said: map[string]bool{}, begun: map[string]geminiUse{}, ended: map[string]bool{}}
	var err error
	if lined(src.Reader) {
		err = r.lines(ctx, src, func(l line) error {
			var g geminiLine
			if !loosely(l.text, &g) {
				r.broken(place{l.number, -1}, l.text, l.last)
				return nil
			}
			return r.geminiLine(ctx, place{l.number, -1}, s, &g)
		})
	} else {
		r.geminiHead(src, s)
		err = r.pieces(ctx, src, []string{"messages"}, func(p piece) error {
			var g geminiLine
			if !r.decode(p, &g) {
				return nil
			}
			return r.geminiLine(ctx, p.place, s, &g)
		})
	}
	r.unended()
	return err
}

// geminiHead looks for the name of the session before the messages of a document. Without one, it
// takes the name of the file.
func (r *run) geminiHead(src *text, s *geminiSession) {
	head, _ := src.Peek(4096) // an error of reading shows up when it is read
	if m := geminiName().FindSubmatch(head); m != nil {
		var id string
		if json.Unmarshal(m[1], &id) == nil {
			s.id = id
		}
	}
}

var geminiName = pattern(`"sessionId"\s*:\s*("[^"\\]{1,200}")`)

// geminiLine takes one line.
func (r *run) geminiLine(ctx context.Context, p place, s *geminiSession, g *geminiLine) error {
	if len(g.Set) > 0 {
		var set geminiLine
		_ = loosely(g.Set, &set) // another shape is ignored
		if len(set.Messages) == 0 {
			r.leave(p, Note, "a change of the session")
			return nil
		}
		for _, one := range set.Messages {
			var m geminiLine
			if !loosely(one, &m) {
				r.leave(p, Unknown, "a message in an unknown form")
				continue
			}
			if err := r.geminiMessage(ctx, p, s, &m); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case g.Rewind != "":
		r.leave(p, Note, "the session went back to a message")
	case g.ID == "" && g.SessionID != "":
		r.geminiMeta(s, g)
		r.leave(p, Note, "a line about the session")
		for _, one := range g.Messages { // of a document on one line
			var m geminiLine
			if !loosely(one, &m) {
				r.leave(p, Unknown, "a message in an unknown form")
				continue
			}
			if err := r.geminiMessage(ctx, p, s, &m); err != nil {
				return err
			}
		}
	default:
		return r.geminiMessage(ctx, p, s, g)
	}
	return nil
}

// geminiMeta stores the metadata of a session.
func (r *run) geminiMeta(s *geminiSession, g *geminiLine) {
	s.id = first(s.id, string(g.SessionID))
	if at, ok := when(g.StartTime); ok && s.at.IsZero() {
		s.at = at
	}
	if dirs := g.Directories.words(); len(dirs) > 0 {
		s.cwd = first(s.cwd, dirs[0])
	}
	if g.Kind == "subagent" && !s.sub {
		s.sub = true
		// The file is in a directory with the name of the session.
		if dir := path.Base(path.Dir(r.src.Path)); dir != "." && dir != "/" && dir != "chats" {
			s.parent = dir
		}
	}
}

// geminiTurn returns what the events of a message have in common.
func (r *run) geminiTurn(p place, s *geminiSession, id string, at any) *turn {
	s.id = first(s.id, r.stem())
	t := &turn{
		place: p, id: []string{"message", s.id, id}, named: true, session: s.id, agent: string(GeminiCLI), at: s.at, original: id,
		meta: map[string]any{"cwd": s.cwd, "model": s.model},
	}
	if id == "" {
		t.id = []string{s.id, "line", itoa(p.line), itoa(p.index)}
	}
	t.time(at)
	if !t.at.IsZero() {
		s.at = t.at
	}
	if s.sub {
		t.group, t.ceiling = s.parent, record.Agent
		if s.parent != "" {
			t.session = s.parent + "/" + s.id
		}
		t.agent += "/" + s.id
	}
	r.inTime(t)
	return t
}

// geminiMessage makes the events of a message, of which some may be there already.
func (r *run) geminiMessage(ctx context.Context, p place, s *geminiSession, g *geminiLine) error {
	s.model = first(string(g.Model), s.model)
	switch g.Type {
	case "user", "gemini":
	case "error":
		if s.said[string(g.ID)] {
			return nil
		}
		s.remember(string(g.ID))
		return r.failure(ctx, r.geminiTurn(p, s, string(g.ID), g.Timestamp), "error", geminiText(g.Content), "")
	default:
		r.leave(p, Note, "a line of type "+name(string(g.Type), "none"))
		return nil
	}
	role := "user"
	if g.Type == "gemini" {
		role = "assistant"
	}
	if len(g.Thoughts) > 0 && !s.said[string(g.ID)] {
		r.leave(p, Thinking, "what the model thought")
	}
	if err := r.geminiSay(ctx, p, s, g, role); err != nil {
		return err
	}
	for _, one := range g.ToolCalls {
		var c geminiCall
		if !loosely(one, &c) {
			r.leave(p, Unknown, "a call in an unknown form")
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
func (r *run) geminiSay(ctx context.Context, p place, s *geminiSession, g *geminiLine, role string) error {
	var b *saying
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
			r.leave(p, Thinking, "what the model thought")
		case said:
		case len(one.Inline) > 0 || len(one.File) > 0:
			b = r.geminiSaying(b, p, s, g, role)
			b.attach("file", "")
		case strings.TrimSpace(string(one.Text)) != "":
			s.workspace(string(one.Text))
			b = r.geminiSaying(b, p, s, g, role)
			b.add(string(one.Text))
		}
	}
	if b == nil {
		return nil
	}
	s.remember(string(g.ID))
	return b.flush(ctx)
}

func (r *run) geminiSaying(b *saying, p place, s *geminiSession, g *geminiLine, role string) *saying {
	if b != nil {
		return b
	}
	return &saying{run: r, turn: r.geminiTurn(p, s, string(g.ID), g.Timestamp), role: role}
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

var geminiWorkspace = pattern(`(?m)^- \*\*Workspace Directories:\*\*\n\s*- (.+)$`)

// geminiUse makes a use of a tool that is over.
func (r *run) geminiUse(ctx context.Context, p place, s *geminiSession, g *geminiLine, c *geminiCall) error {
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
		if text := blockText(c.Display); text != "" && string(c.Display) != "null" {
			response.Response = object{"output": text}
		}
	}
	at := c.Timestamp
	if at == "" {
		at = g.Timestamp
	}
	return r.geminiEnds(ctx, p, s, id, at, string(c.Name), string(c.Status), response)
}

// geminiBegins makes a call.
func (r *run) geminiBegins(ctx context.Context, p place, s *geminiSession, g *geminiLine, c *geminiCall) error {
	t := r.geminiTurn(p, s, string(g.ID), g.Timestamp)
	args := map[string]any(c.Args)
	if args == nil {
		args = map[string]any{}
	}
	of := s.id
	if s.parent != "" {
		of = s.parent // hooks of a sub-agent name the session that it works for
	}
	use := geminiUse{tool: string(c.Name), alias: GuessedCall(of, string(c.Name), args), since: t.at.Time()}
	if id := string(c.ID); id != "" && len(s.begun) < maxSaid {
		s.begun[id] = use
	}
	t.alias, t.since = use.alias, use.since
	if c.Timestamp != "" {
		if at, ok := when(c.Timestamp); ok {
			t.until = at.Time()
		}
	}
	return r.call(ctx, t, string(c.ID), use.tool, args)
}

// geminiEnds makes the result of a call, once.
func (r *run) geminiEnds(ctx context.Context, p place, s *geminiSession, id string, at any, tool, status string, response *geminiResponse) error {
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
	t.id = []string{"call", s.id, id}
	t.alias, t.since, t.until = use.alias, use.since, t.at.Time()
	o := geminiOutcome(use.tool, status, response.Response)
	well := o.Success
	if o.DeniedBy != "" || o.Interrupted {
		well = hmx.Some(false) // nothing was edited
	}
	if done, err := r.edit(ctx, t, id, map[string]any{}, well); done || err != nil {
		return err
	}
	return r.ended(ctx, t, id, use.tool, o)
}

// geminiOutcome reads how a call ended.
func geminiOutcome(tool, status string, response object) Outcome {
	failed := response.text("error")
	text := response.text("output")
	if text == "" && failed == "" && len(response) > 0 {
		text = string(encode(map[string]any(response)))
	}
	if failed != "" && text == "" {
		o := Failed(failed)
		if status == "cancelled" && o.DeniedBy == "" {
			o.Interrupted = true
		}
		if strings.Contains(failed, "did not allow") {
			o = Outcome{DeniedBy: ByUser}
		}
		if o.Interrupted {
			o.Success = hmx.Opt[bool]{}
		}
		return o
	}
	o := GeminiEnd(tool, text)
	switch {
	case o.DeniedBy != "" || o.Interrupted:
	case status == "cancelled":
		o.Interrupted, o.Success = true, hmx.Opt[bool]{}
	case status == "error":
		o.Success = hmx.Some(false)
	}
	return o
}

// GuessedCall returns a name for a call of Gemini CLI, whose hooks have none: from the session, the
// tool and its arguments. Equal calls of a session have the same name.
func GuessedCall(session, tool string, arguments map[string]any) string {
	raw, _ := fit(arguments, maxContent)
	return strings.Replace(EventID(GeminiCLI, session, tool, string(raw)), "imp-", "call-", 1)
}

// geminiParts returns the parts of a content, which is a text, a part or a list.
func geminiParts(content json.RawMessage) []geminiPart {
	var all list
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
