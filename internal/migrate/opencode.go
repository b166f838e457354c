package migrate

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
)

// openCodeInfo is the metadata of a session or a message of OpenCode.
type openCodeInfo struct {
	ID         loose  `json:"id"`
	Role       loose  `json:"role"`
	SessionID  loose  `json:"sessionID"`
	ParentID   loose  `json:"parentID"` // of a session, the one that a sub-agent works for
	Directory  loose  `json:"directory"`
	Version    loose  `json:"version"`
	Permission list   `json:"permission"`
	ModelID    loose  `json:"modelID"`
	Path       object `json:"path"`
	Summary    truth  `json:"summary"`
	Error      object `json:"error"`
	Model      object `json:"model"`
	Time       struct {
		Created   loose `json:"created"`
		Completed loose `json:"completed"`
	} `json:"time"`
}

// openCodeMessage is a message as `opencode export` writes it.
type openCodeMessage struct {
	Info  json.RawMessage `json:"info"`
	Parts list            `json:"parts"`
}

// openCodePart is a part of a message.
type openCodePart struct {
	Type      loose  `json:"type"`
	Text      loose  `json:"text"`
	Synthetic truth  `json:"synthetic"`
	Ignored   truth  `json:"ignored"`
	Tool      loose  `json:"tool"`
	CallID    loose  `json:"callID"`
	URL       loose  `json:"url"`
	Filename  loose  `json:"filename"`
	State     object `json:"state"`
}

// openCodeSession is what is known of a session while it is read.
type openCodeSession struct {
	id, cwd, version, parent string
	once                     bool // `opencode run` began it, which puts quotation marks around words
	known                    bool
	held                     []heldMessage // until their session is known
}

type heldMessage struct {
	place
	message openCodeMessage
}

// maxHeldMessages is how many messages wait for the session behind them.
const maxHeldMessages = 4096

// openCode reads what `opencode export` writes: a document with info, which is the session, and
// messages.
func (r *run) openCode(ctx context.Context, src *text) error {
	s := &openCodeSession{}
	r.openCodeHead(src, s)
	err := r.pieces(ctx, src, []string{"messages"}, func(p piece) error {
		if p.in == "messages" {
			var m openCodeMessage
			if !r.decode(p, &m) {
				return nil
			}
			return r.openCodeMessage(ctx, p.place, s, m)
		}
		var doc struct {
			Info json.RawMessage `json:"info"`
		}
		if r.decode(p, &doc) {
			s.read(doc.Info)
		}
		return r.openCodeHeld(ctx, s)
	})
	if err == nil {
		err = r.openCodeHeld(ctx, s) // of a document that is cut off
	}
	r.unended()
	return err
}

// openCodeHead reads the metadata of the session, which precedes its messages.
func (r *run) openCodeHead(src *text, s *openCodeSession) {
	head, _ := src.Peek(peekBytes) // an error of reading shows up when it is read
	d := json.NewDecoder(strings.NewReader(string(head)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return
	}
	for d.More() {
		key, err := d.Token()
		if err != nil || key == "messages" {
			return
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return
		}
		if key == "info" {
			s.read(v)
			return
		}
	}
}

// read stores the metadata of a session.
func (s *openCodeSession) read(raw json.RawMessage) {
	var info openCodeInfo
	if s.known || !loosely(raw, &info) || info.ID == "" {
		return
	}
	s.known = true
	s.id, s.cwd, s.version, s.parent = string(info.ID), string(info.Directory), string(info.Version), string(info.ParentID)
	for _, one := range info.Permission {
		var rule struct {
			Permission loose `json:"permission"`
			Action     loose `json:"action"`
		}
		if loosely(one, &rule) && rule.Permission == "question" && rule.Action == "deny" {
			s.once = true // the session has no user who can answer
		}
	}
}

// openCodeHeld takes the messages that waited.
func (r *run) openCodeHeld(ctx context.Context, s *openCodeSession) error {
	held := s.held
	s.held, s.known = nil, true
	for _, h := range held {
		if err := r.openCodeMessage(ctx, h.place, s, h.message); err != nil {
			return err
		}
	}
	return nil
}

// openCodeMessage makes the events of a message.
func (r *run) openCodeMessage(ctx context.Context, p place, s *openCodeSession, m openCodeMessage) error {
	if !s.known && len(s.held) < maxHeldMessages {
		s.held = append(s.held, heldMessage{p, m})
		return nil
	}
	var info openCodeInfo
	if !loosely(m.Info, &info) {
		r.leave(p, Unknown, "a message that does not say whose it is")
		return nil
	}
	if s.id == "" {
		s.id = first(string(info.SessionID), r.stem())
	}
	switch info.Role {
	case "user":
		return r.openCodeUser(ctx, p, s, &info, m.Parts)
	case "assistant":
		return r.openCodeAssistant(ctx, p, s, &info, m.Parts)
	}
	r.leave(p, Unknown, "a message of the role "+name(string(info.Role), "none"))
	return nil
}

// openCodeTurn returns what events of a message have in common, at a time.
func (r *run) openCodeTurn(p place, s *openCodeSession, info *openCodeInfo, at ...any) *turn {
	model := string(info.ModelID)
	if model == "" {
		model = info.Model.text("modelID")
	}
	t := &turn{
		place: p, id: []string{"message", string(info.ID)}, named: true, session: s.id, agent: string(OpenCode), original: string(info.ID),
		meta: map[string]any{"cwd": first(info.Path.text("cwd"), s.cwd), "version": s.version, "model": model},
	}
	t.time(at...)
	if s.parent != "" {
		t.group, t.ceiling = s.parent, record.Agent
	}
	r.inTime(t)
	return t
}

// openCodeUser makes the message of a user.
func (r *run) openCodeUser(ctx context.Context, p place, s *openCodeSession, info *openCodeInfo, parts list) error {
	t := r.openCodeTurn(p, s, info, info.Time.Created)
	b := &saying{run: r, turn: t, role: "user"}
	for _, one := range parts {
		var k openCodePart
		if !loosely(one, &k) {
			r.leave(p, Unknown, "a part in an unknown form")
			continue
		}
		switch {
		case k.Type == "text" && !bool(k.Synthetic) && !bool(k.Ignored):
			text := string(k.Text)
			if s.once {
				plain := runWords(text)
				text = plain.Own
				if plain.Added != "" {
					b.attachments = append(b.attachments, map[string]any{"type": "text", "text": plain.Added})
				}
			}
			b.add(text)
		case k.Type == "file":
			b.attach("file", string(k.URL))
		default:
			r.leave(p, Note, "a part of type "+name(string(k.Type), "none"))
		}
	}
	if b.empty() {
		return nil
	}
	return r.openCodeSay(ctx, t, info, "user", strings.Join(b.texts, "\n\n"), b.attachments)
}

// openCodeSay makes a message with the id that hooks give it.
func (r *run) openCodeSay(ctx context.Context, t *turn, info *openCodeInfo, role, text string, attachments []any) error {
	if info.ID == "" {
		return r.say(ctx, t, role, text, attachments)
	}
	if text, _ = r.o.Own.CutAt(text, role, t.at.Time()); text == "" && len(attachments) == 0 {
		r.leave(t.place, Empty, "a message without text")
		return nil
	}
	content := map[string]any{"role": role, "text": text}
	if len(attachments) > 0 {
		content["attachments"] = attachments
	}
	return r.emit(ctx, t, hmx.TypeMessage, EventID(r.format, "message", string(info.ID)), content, t.ceiling, "")
}

// openCodeStep is something that happened within a message.
type openCodeStep struct {
	at   hmx.Time
	make func(t *turn) error
}

// openCodeAssistant makes the events of an answer of the model, in the order of hooks: each call
// when it begins, its result when it ends, and the text when the message is complete.
func (r *run) openCodeAssistant(ctx context.Context, p place, s *openCodeSession, info *openCodeInfo, parts list) error {
	created, _ := when(info.Time.Created)
	completed, done := when(info.Time.Completed)
	if !done {
		completed = created
	}
	var texts []string
	var steps []openCodeStep
	for _, one := range parts {
		var k openCodePart
		if !loosely(one, &k) {
			r.leave(p, Unknown, "a part in an unknown form")
			continue
		}
		switch k.Type {
		case "text":
			if !bool(k.Synthetic) && strings.TrimSpace(string(k.Text)) != "" {
				texts = append(texts, string(k.Text))
			}
		case "reasoning":
			r.leave(p, Thinking, "what the model thought")
		case "tool":
			steps = append(steps, r.openCodeUse(ctx, p, &k, created)...)
		default:
			r.leave(p, Note, "a part of type "+name(string(k.Type), "none"))
		}
	}
	slices.SortStableFunc(steps, func(a, b openCodeStep) int { return a.at.Compare(b.at) })
	for _, step := range steps {
		if err := step.make(r.openCodeTurn(p, s, info, step.at.String())); err != nil {
			return err
		}
	}
	failed := info.Error.text("name")
	if !done && failed == "" {
		if len(texts) > 0 {
			r.leave(p, Unfinished, "a message that is not complete")
		}
		return nil
	}
	t := r.openCodeTurn(p, s, info, completed.String())
	if bool(info.Summary) {
		t.tags = []string{"summary"}
	}
	if len(texts) > 0 {
		if err := r.openCodeSay(ctx, t, info, "assistant", strings.Join(texts, "\n\n"), nil); err != nil {
			return err
		}
	}
	if failed == "" {
		return nil
	}
	about, _ := info.Error["data"].(map[string]any)
	content := map[string]any{"error_type": failed}
	if message := textIn(about, "message"); message != "" {
		content["message"] = message
	}
	return r.emit(ctx, t, hmx.TypeError, EventID(r.format, "error", string(info.ID)), content, t.ceiling, "")
}

// openCodeUse returns the call and the result of a part. A call that is not over has no result.
func (r *run) openCodeUse(ctx context.Context, p place, k *openCodePart, created hmx.Time) []openCodeStep {
	id, tool := string(k.CallID), string(k.Tool)
	times, _ := k.State["time"].(map[string]any)
	begun, known := when(times["start"])
	if !known {
		begun = created
	}
	if tool == "" {
		r.leave(p, Unknown, "a call in an unknown form")
		return nil
	}
	args := asObject(k.State["input"], "input")
	steps := []openCodeStep{{begun, func(t *turn) error { return r.call(ctx, t, id, tool, args) }}}
	status := k.State.text("status")
	if status != "completed" && status != "error" {
		return steps
	}
	ended, told := when(times["end"])
	if !told {
		ended = begun
	}
	o := OpenCodeEnd(k.State)
	if known && told && o.DeniedBy == "" && ended.Compare(begun) >= 0 {
		o.Duration = json.Number(strconv.FormatInt(ended.Time().Sub(begun.Time()).Milliseconds(), 10))
	}
	return append(steps, openCodeStep{later(ended, begun), func(t *turn) error {
		well := o.Success
		if o.DeniedBy != "" || o.Interrupted {
			well = hmx.Some(false) // nothing was edited
		}
		response := map[string]any{}
		if o.Duration != "" {
			response["duration_ms"] = o.Duration
		}
		if done, err := r.edit(ctx, t, id, response, well); done || err != nil {
			return err
		}
		return r.ended(ctx, t, id, tool, o)
	}})
}

// later returns the later of two times.
func later(a, b hmx.Time) hmx.Time {
	if a.Compare(b) < 0 {
		return b
	}
	return a
}

// OpenCodeEnd reads the outcome of a tool of OpenCode from the state of its part, or from the
// input of hooks: output, metadata and error. The shell tool gives the exit code, and none for a
// command that was killed.
func OpenCodeEnd(state map[string]any) Outcome {
	text := textIn(state, "output")
	about, _ := state["metadata"].(map[string]any)
	if failed := textIn(state, "error"); failed != "" {
		o := Failed(failed)
		if interrupted, _ := about["interrupted"].(bool); interrupted && o.DeniedBy == "" {
			o.Interrupted, o.Success = true, hmx.Opt[bool]{}
		}
		return o
	}
	o := Outcome{Result: map[string]any{}}
	if text != "" {
		o.Result["text"] = text
	}
	exit, told := about["exit"]
	for _, name := range []string{"is_error", "isError"} {
		if failed, _ := about[name].(bool); failed {
			o.Success = hmx.Some(false)
		}
	}
	if well, ok := about["success"].(bool); ok {
		o.Success = hmx.Some(well)
	}
	switch n, number := exit.(json.Number); {
	case number:
		o.Result["exit_code"], o.Success = n, hmx.Some(n == "0")
	case told && strings.Contains(text, "User aborted the command"):
		o.Interrupted = true
	case told && strings.Contains(text, "exceeding timeout"):
		o.Success = hmx.Some(false)
	}
	return o
}

// runWords returns the words of a prompt that `opencode run` made from its arguments: arguments
// with a space are in quotation marks, and piped input follows on its own lines. It returns a text
// without this form unchanged.
func runWords(text string) Prompt {
	var words []string
	rest := text
	for rest != "" && rest[0] != '\n' {
		word, after, ok := quotedWord(rest)
		if !ok {
			end := strings.IndexAny(rest, " \n")
			if end < 0 {
				end = len(rest)
			}
			word, after = rest[:end], rest[end:]
		}
		words = append(words, word)
		rest = strings.TrimPrefix(after, " ")
	}
	if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, " ") }) {
		return Prompt{Own: text}
	}
	return Prompt{Own: strings.Join(words, " "), Added: strings.Trim(rest, "\n")}
}

// quotedWord reads an argument with quotation marks at the beginning of a text.
func quotedWord(text string) (word, rest string, ok bool) {
	if text == "" || text[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(text); i++ {
		if text[i] != '"' || text[i-1] == '\\' {
			continue
		}
		rest := text[i+1:]
		if rest != "" && rest[0] != ' ' && rest[0] != '\n' {
			return "", "", false
		}
		word := strings.ReplaceAll(text[1:i], `\"`, `"`)
		return word, rest, strings.Contains(word, " ")
	}
	return "", "", false
}
