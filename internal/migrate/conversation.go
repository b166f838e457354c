package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"lukasa.dev/hmx"
)

// chatMessage is a message as the interfaces of OpenAI and Anthropic write it, and the export
// of claude.ai.
type chatMessage struct {
	ID           loose           `json:"id"`
	UUID         loose           `json:"uuid"`
	Role         loose           `json:"role"`
	Sender       loose           `json:"sender"` // human or assistant
	Model        loose           `json:"model"`
	Name         loose           `json:"name"`
	Content      json.RawMessage `json:"content"`
	Text         loose           `json:"text"`
	Refusal      loose           `json:"refusal"`
	ToolCalls    list            `json:"tool_calls"`
	FunctionCall json.RawMessage `json:"function_call"`
	ToolCallID   loose           `json:"tool_call_id"`

	Timestamp  loose `json:"timestamp"`
	CreatedAt  loose `json:"created_at"`
	CreateTime loose `json:"create_time"`
	Created    loose `json:"created"`

	SessionID      loose `json:"session_id"`
	ConversationID loose `json:"conversation_id"`
	ThreadID       loose `json:"thread_id"`
}

// chatDocument is what has messages in it: a request, a response, a line of a log of both, a
// line of training data, a conversation.
type chatDocument struct {
	chatMessage
	CustomID     loose           `json:"custom_id"`
	System       json.RawMessage `json:"system"`
	Messages     list            `json:"messages"`
	ChatMessages list            `json:"chat_messages"`
	Choices      list            `json:"choices"`
	Message      json.RawMessage `json:"message"`
	Body         json.RawMessage `json:"body"`
	Request      json.RawMessage `json:"request"`
	Response     json.RawMessage `json:"response"`
	Result       json.RawMessage `json:"result"`
	Metadata     object          `json:"metadata"`
}

// chat is one conversation of a source.
type chat struct {
	place
	session string
	model   string
	times   []any
	title   string
	seen    map[string]int // how often a message came before, where some come again
	n       int64
}

// conversations reads messages one after the other, or what has messages in it. speak makes
// the events of a message.
func (r *run) conversations(ctx context.Context, src *text, speak func(*turn, *chatMessage) error) error {
	return r.pieces(ctx, src, nil, func(p piece) error {
		if len(p.text) > 0 && p.text[0] == '[' {
			var all list
			_ = all.UnmarshalJSON(p.text) // it never fails
			return r.chat(&chat{place: p.place, session: r.numbered(p.place)}, all, speak)
		}
		var d chatDocument
		if !r.decode(p, &d) {
			return nil
		}
		if d.Role != "" || d.Sender != "" {
			return r.message(p, &d.chatMessage, speak)
		}
		c := &chat{place: p.place, session: r.numbered(p.place)}
		messages := d.collect(c, 0)
		if len(messages) == 0 {
			r.leave(p.place, Unknown, "there are no messages in it")
			return nil
		}
		return r.chat(c, messages, speak)
	})
}

// numbered names a conversation that has no name, by where it stands.
func (r *run) numbered(p place) string {
	if p.index >= 0 {
		return r.stem() + "#" + itoa(p.index)
	}
	return r.stem() + "#" + itoa(p.line)
}

// collect returns the messages of a document, and notes what it says about them. Documents
// are wrapped in others a few times at most.
func (d *chatDocument) collect(c *chat, depth int) list {
	if s := first(string(d.ConversationID), string(d.SessionID), string(d.ThreadID), d.Metadata.text("session_id"), d.Metadata.text("conversation_id"), string(d.CustomID), string(d.UUID)); s != "" {
		c.session = s
	} else if depth == 0 && len(d.Choices) == 0 && d.ID != "" {
		c.session = string(d.ID)
	}
	c.model = first(string(d.Model), c.model)
	c.title = first(c.title, string(d.Name))
	c.times = append(c.times, d.Timestamp, d.CreatedAt, d.CreateTime, d.Created)
	var out list
	if text := blockText(d.System); text != "" {
		out = append(out, encode(map[string]any{"role": "system", "content": text}))
	}
	out = append(append(out, d.Messages...), d.ChatMessages...)
	if d.Role != "" {
		out = append(out, encode(map[string]any{"role": string(d.Role), "content": anything(d.Content), "tool_calls": rawAny(d.ToolCalls)}))
	}
	if depth < 4 {
		for _, inner := range []json.RawMessage{d.Request, d.Body, d.Response, d.Result, d.Message} {
			var in chatDocument
			if loosely(inner, &in) {
				out = append(out, in.collect(c, depth+1)...)
			}
		}
	}
	for _, choice := range d.Choices[:min(len(d.Choices), 1)] { // others are alternatives
		var k struct {
			Message json.RawMessage `json:"message"`
		}
		if loosely(choice, &k) && len(k.Message) > 0 {
			out = append(out, k.Message)
		}
	}
	return out
}

func rawAny(l list) any {
	if len(l) == 0 {
		return nil
	}
	out := make([]any, len(l))
	for i, one := range l {
		out[i] = anything(one)
	}
	return out
}

// message makes the events of a message that stands by itself in a list or on a line.
func (r *run) message(p piece, m *chatMessage, speak func(*turn, *chatMessage) error) error {
	session := first(string(m.ConversationID), string(m.SessionID), string(m.ThreadID), r.stem())
	order := p.index
	if order < 0 {
		order = p.line
	}
	t := &turn{
		place: p.place, id: []string{session, itoa(order), m.key()}, session: session, sequence: lineSequence(order),
		original: first(string(m.ID), string(m.UUID)), meta: map[string]any{"model": string(m.Model)},
	}
	t.time(m.times()...)
	return speak(t, m)
}

// chat makes the events of a conversation. Logs of requests tell a conversation again and again,
// each time with a little more: a message is known by what it says and how often that was
// said before.
func (r *run) chat(c *chat, messages list, speak func(*turn, *chatMessage) error) error {
	c.seen = map[string]int{}
	for _, one := range messages {
		var m chatMessage
		if !loosely(one, &m) || m.Role == "" && m.Sender == "" {
			r.leave(c.place, Unknown, "a message without a role")
			continue
		}
		key := m.key()
		c.seen[key]++
		t := &turn{
			place: c.place, id: []string{c.session, key, itoa(c.seen[key])}, session: c.session, sequence: c.n << 16, retold: true,
			original: first(string(m.ID), string(m.UUID)), meta: map[string]any{"model": first(string(m.Model), c.model), "title": c.title},
		}
		c.n++
		t.time(append(m.times(), c.times...)...)
		if err := speak(t, &m); err != nil {
			return err
		}
	}
	return nil
}

func (m *chatMessage) times() []any {
	return []any{m.Timestamp, m.CreatedAt, m.CreateTime, m.Created}
}

// key is a hash of what a message says, however it is written.
func (m *chatMessage) key() string {
	h := sha256.New()
	add := func(s string) { _, _ = h.Write([]byte(s + "\x00")) } // a hash takes everything
	add(m.role())
	add(string(m.Text))
	add(blockText(m.Content))
	for _, c := range m.ToolCalls {
		add(string(encode(anything(c))))
	}
	add(string(m.ToolCallID))
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// role returns the role of the speaker, by its name in HMX if there is one.
func (m *chatMessage) role() string {
	switch role := strings.ToLower(first(string(m.Role), string(m.Sender))); role {
	case "human":
		return "user"
	case "developer":
		return "system"
	case "model", "ai":
		return "assistant"
	case "function":
		return "tool"
	default:
		return role
	}
}

// openAIChat reads messages of OpenAI's chat completions, and what has such messages in it.
func (r *run) openAIChat(ctx context.Context, src *text) error {
	return r.conversations(ctx, src, func(t *turn, m *chatMessage) error {
		t.agent = "openai"
		return r.openAIMessage(ctx, t, m)
	})
}

// openAICall is a call of a tool in a message.
type openAICall struct {
	ID       loose `json:"id"`
	Function struct {
		Name      loose           `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Custom struct {
		Name  loose           `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"custom"`
}

func (r *run) openAIMessage(ctx context.Context, t *turn, m *chatMessage) error {
	role := m.role()
	switch role {
	case "tool":
		out := map[string]any{}
		if s := blockText(m.Content); s != "" {
			out["text"] = s
		}
		return r.result(ctx, t, string(m.ToolCallID), string(m.Name), out, hmx.Opt[bool]{})
	case "user", "assistant", "system":
	default:
		r.leave(t.place, Unknown, "a message of the role "+name(role, "none"))
		return nil
	}
	if err := r.openAIText(ctx, t, role, m); err != nil {
		return err
	}
	for _, one := range m.ToolCalls {
		var c openAICall
		if !loosely(one, &c) {
			r.leave(t.place, Unknown, "a tool call in an unknown form")
			continue
		}
		tool, args := string(c.Function.Name), c.Function.Arguments
		if tool == "" {
			tool, args = string(c.Custom.Name), c.Custom.Input
		}
		if err := r.call(ctx, t, string(c.ID), tool, asObject(anything(args), "input")); err != nil {
			return err
		}
	}
	var f struct {
		Name      loose           `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if loosely(m.FunctionCall, &f) && f.Name != "" {
		return r.call(ctx, t, "", string(f.Name), asObject(anything(f.Arguments), "input"))
	}
	if t.part == 0 {
		r.leave(t.place, Empty, "a message without text")
	}
	return nil
}

// openAIText makes a message of what a message says besides calls.
func (r *run) openAIText(ctx context.Context, t *turn, role string, m *chatMessage) error {
	b := &saying{run: r, turn: t, role: role}
	if s, ok := plainText(m.Content); ok {
		b.add(s)
		b.add(string(m.Refusal))
		return b.flush(ctx)
	}
	for _, one := range contentList(m.Content) {
		var k struct {
			block
			Refusal  loose `json:"refusal"`
			ImageURL struct {
				URL loose `json:"url"`
			} `json:"image_url"`
		}
		if !loosely(one, &k) {
			continue
		}
		switch kind := string(k.Type); {
		case slices.Contains([]string{"image_url", "input_audio", "file", "input_image", "input_file"}, kind):
			b.attach(strings.TrimSuffix(kind, "_url"), string(k.ImageURL.URL))
		case kind == "refusal":
			b.add(string(k.Refusal))
		case kind == "reasoning" || kind == "thinking":
			r.leave(t.place, Thinking, "what the model thought")
		default:
			b.add(string(k.Text))
		}
	}
	b.add(string(m.Refusal))
	return b.flush(ctx)
}

// anthropicMessages reads messages of Anthropic's Messages API, what has such messages in it,
// and conversations as claude.ai exports them.
func (r *run) anthropicMessages(ctx context.Context, src *text) error {
	return r.conversations(ctx, src, func(t *turn, m *chatMessage) error {
		t.agent = "anthropic"
		role := m.role()
		if role != "user" && role != "assistant" && role != "system" {
			r.leave(t.place, Unknown, "a message of the role "+name(role, "none"))
			return nil
		}
		content := m.Content
		if len(contentList(content)) == 0 && m.Text != "" {
			content = encode(string(m.Text))
		}
		return r.blocks(ctx, t, role, content, claudeToolUse{})
	})
}
