package transcripts

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/prompt"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/toolcall"
	"lukasa.dev/internal/record"
)

// openCodeInfo is the metadata of a session or a message of OpenCode.
type openCodeInfo struct {
	ID         foreign.Text   `json:"id"`
	Role       foreign.Text   `json:"role"`
	SessionID  foreign.Text   `json:"sessionID"`
	ParentID   foreign.Text   `json:"parentID"` // of a session, the one that a sub-agent works for
	Directory  foreign.Text   `json:"directory"`
	Version    foreign.Text   `json:"version"`
	Permission foreign.List   `json:"permission"`
	ModelID    foreign.Text   `json:"modelID"`
	Path       foreign.Object `json:"path"`
	Summary    foreign.Truth  `json:"summary"`
	Error      foreign.Object `json:"error"`
	Model      foreign.Object `json:"model"`
	Time       struct {
		Created   foreign.Text `json:"created"`
		Completed foreign.Text `json:"completed"`
	} `json:"time"`
}

// openCodeMessage is a message as `opencode export` writes it.
type openCodeMessage struct {
	Info  json.RawMessage `json:"info"`
	Parts foreign.List    `json:"parts"`
}

// openCodePart is a part of a message.
type openCodePart struct {
	Type      foreign.Text   `json:"type"`
	Text      foreign.Text   `json:"text"`
	Synthetic foreign.Truth  `json:"synthetic"`
	Ignored   foreign.Truth  `json:"ignored"`
	Tool      foreign.Text   `json:"tool"`
	CallID    foreign.Text   `json:"callID"`
	URL       foreign.Text   `json:"url"`
	Filename  foreign.Text   `json:"filename"`
	State     foreign.Object `json:"state"`
}

// openCodeSession is what is known of a session while it is read.
type openCodeSession struct {
	id, cwd, version, parent string
	once                     bool // `opencode run` began it, which puts quotation marks around words
	known                    bool
	held                     []heldMessage // until their session is known
}

type heldMessage struct {
	source.Place
	message openCodeMessage
}

// maxHeldMessages is how many messages wait for the session behind them.
const maxHeldMessages = 4096

// openCode reads what `opencode export` writes: a document with info, which is the session, and
// messages.
func (r transcript) openCode(ctx context.Context) error {
	s := &openCodeSession{}
	r.openCodeHead(s)
	err := r.Pieces(ctx, []string{"messages"}, func(p source.Piece) error {
		if p.In == "messages" {
			var m openCodeMessage
			if !r.Decode(p, &m) {
				return nil
			}
			return r.openCodeMessage(ctx, p.Place, s, m)
		}
		var doc struct {
			Info json.RawMessage `json:"info"`
		}
		if r.Decode(p, &doc) {
			s.read(doc.Info)
		}
		return r.openCodeHeld(ctx, s)
	})
	if err == nil {
		err = r.openCodeHeld(ctx, s) // of a document that is cut off
	}
	r.Unended()
	return err
}

// openCodeHead reads the metadata of the session, which precedes its messages.
func (r transcript) openCodeHead(s *openCodeSession) {
	head, _ := r.Text.Peek(source.PeekBytes) // an error of reading shows up when it is read
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
	if s.known || !foreign.Decode(raw, &info) || info.ID == "" {
		return
	}
	s.known = true
	s.id, s.cwd, s.version, s.parent = string(info.ID), string(info.Directory), string(info.Version), string(info.ParentID)
	for _, one := range info.Permission {
		var rule struct {
			Permission foreign.Text `json:"permission"`
			Action     foreign.Text `json:"action"`
		}
		if foreign.Decode(one, &rule) && rule.Permission == "question" && rule.Action == "deny" {
			s.once = true // the session has no user who can answer
		}
	}
}

// openCodeHeld takes the messages that waited.
func (r transcript) openCodeHeld(ctx context.Context, s *openCodeSession) error {
	held := s.held
	s.held, s.known = nil, true
	for _, h := range held {
		if err := r.openCodeMessage(ctx, h.Place, s, h.message); err != nil {
			return err
		}
	}
	return nil
}

// openCodeMessage makes the events of a message.
func (r transcript) openCodeMessage(ctx context.Context, p source.Place, s *openCodeSession, m openCodeMessage) error {
	if !s.known && len(s.held) < maxHeldMessages {
		s.held = append(s.held, heldMessage{p, m})
		return nil
	}
	var info openCodeInfo
	if !foreign.Decode(m.Info, &info) {
		r.Leave(p, source.Unknown, "a message that does not say whose it is")
		return nil
	}
	if s.id == "" {
		s.id = cmp.Or(string(info.SessionID), r.Stem())
	}
	switch info.Role {
	case "user":
		return r.openCodeUser(ctx, p, s, &info, m.Parts)
	case "assistant":
		return r.openCodeAssistant(ctx, p, s, &info, m.Parts)
	}
	r.Leave(p, source.Unknown, "a message of the role "+foreign.Name(string(info.Role), "none"))
	return nil
}

// openCodeTurn returns what events of a message have in common, at a time.
func (r transcript) openCodeTurn(p source.Place, s *openCodeSession, info *openCodeInfo, at ...any) *source.Turn {
	model := string(info.ModelID)
	if model == "" {
		model = info.Model.Text("modelID")
	}
	t := &source.Turn{
		Place: p, ID: []string{"message", string(info.ID)}, Named: true, Session: s.id, Agent: string(foreign.OpenCode), Original: string(info.ID),
		Meta: map[string]any{"cwd": cmp.Or(info.Path.Text("cwd"), s.cwd), "version": s.version, "model": model},
	}
	if info.ID != "" {
		t.Message = foreign.EventID(r.Format, "message", string(info.ID))
	}
	t.Time(at...)
	if s.parent != "" {
		t.Group, t.Ceiling = s.parent, record.Agent
	}
	r.InTime(t)
	return t
}

// openCodeUser makes the message of a user.
func (r transcript) openCodeUser(ctx context.Context, p source.Place, s *openCodeSession, info *openCodeInfo, parts foreign.List) error {
	t := r.openCodeTurn(p, s, info, info.Time.Created)
	b := &source.Saying{Run: r.Run, Turn: t, Role: "user"}
	for _, one := range parts {
		var k openCodePart
		if !foreign.Decode(one, &k) {
			r.Leave(p, source.Unknown, "a part in an unknown form")
			continue
		}
		switch {
		case k.Type == "text" && !bool(k.Synthetic) && !bool(k.Ignored):
			text := string(k.Text)
			if s.once {
				plain := prompt.RunWords(text)
				text = plain.Own
				if plain.Added != "" {
					b.AttachText(plain.Added)
				}
			}
			b.Add(text)
		case k.Type == "file":
			b.Attach("file", string(k.URL))
		default:
			r.Leave(p, source.Note, "a part of type "+foreign.Name(string(k.Type), "none"))
		}
	}
	return b.Flush(ctx)
}

// openCodeStep is something that happened within a message.
type openCodeStep struct {
	at   hmx.Time
	make func(t *source.Turn) error
}

// openCodeAssistant makes the events of an answer of the model, in the order of hooks: each call
// when it begins, its result when it ends, and the text when the message is complete.
func (r transcript) openCodeAssistant(ctx context.Context, p source.Place, s *openCodeSession, info *openCodeInfo, parts foreign.List) error {
	created, _ := foreign.When(info.Time.Created)
	completed, done := foreign.When(info.Time.Completed)
	if !done {
		completed = created
	}
	var texts []string
	var steps []openCodeStep
	for _, one := range parts {
		var k openCodePart
		if !foreign.Decode(one, &k) {
			r.Leave(p, source.Unknown, "a part in an unknown form")
			continue
		}
		switch k.Type {
		case "text":
			if !bool(k.Synthetic) && strings.TrimSpace(string(k.Text)) != "" {
				texts = append(texts, string(k.Text))
			}
		case "reasoning":
			r.Leave(p, source.Thinking, "what the model thought")
		case "tool":
			steps = append(steps, r.openCodeUse(ctx, p, &k, created)...)
		default:
			r.Leave(p, source.Note, "a part of type "+foreign.Name(string(k.Type), "none"))
		}
	}
	slices.SortStableFunc(steps, func(a, b openCodeStep) int { return a.at.Compare(b.at) })
	for _, step := range steps {
		if err := step.make(r.openCodeTurn(p, s, info, step.at.String())); err != nil {
			return err
		}
	}
	failed := info.Error.Text("name")
	if !done && failed == "" {
		if len(texts) > 0 {
			r.Leave(p, source.Unfinished, "a message that is not complete")
		}
		return nil
	}
	t := r.openCodeTurn(p, s, info, completed.String())
	if bool(info.Summary) {
		t.Tags = []string{"summary"}
	}
	if len(texts) > 0 {
		if err := r.Say(ctx, t, "assistant", strings.Join(texts, "\n\n"), nil); err != nil {
			return err
		}
	}
	if failed == "" {
		return nil
	}
	about, _ := info.Error["data"].(map[string]any)
	content := map[string]any{"error_type": failed}
	if message := foreign.TextIn(about, "message"); message != "" {
		content["message"] = message
	}
	return r.Emit(ctx, t, hmx.TypeError, foreign.EventID(r.Format, "error", string(info.ID)), content, t.Ceiling, "")
}

// openCodeUse returns the call and the result of a part. A call that is not over has no result.
func (r transcript) openCodeUse(ctx context.Context, p source.Place, k *openCodePart, created hmx.Time) []openCodeStep {
	id, tool := string(k.CallID), string(k.Tool)
	times, _ := k.State["time"].(map[string]any)
	begun, known := foreign.When(times["start"])
	if !known {
		begun = created
	}
	if tool == "" {
		r.Leave(p, source.Unknown, "a call in an unknown form")
		return nil
	}
	args := foreign.AsObject(k.State["input"], "input")
	steps := []openCodeStep{{begun, func(t *source.Turn) error { return r.Call(ctx, t, id, tool, args) }}}
	status := k.State.Text("status")
	if status != "completed" && status != "error" {
		return steps
	}
	ended, told := foreign.When(times["end"])
	if !told {
		ended = begun
	}
	o := toolcall.OpenCodeEnd(k.State)
	if known && told && o.DeniedBy == "" && ended.Compare(begun) >= 0 {
		o.Duration = json.Number(strconv.FormatInt(ended.Time().Sub(begun.Time()).Milliseconds(), 10))
	}
	return append(steps, openCodeStep{later(ended, begun), func(t *source.Turn) error {
		return r.Conclude(ctx, t, id, tool, o, map[string]any{})
	}})
}

// later returns the later of two times.
func later(a, b hmx.Time) hmx.Time {
	if a.Compare(b) < 0 {
		return b
	}
	return a
}
