package chats

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/toolcall"
)

// Said is a message as the interfaces of OpenAI and Anthropic write it, and the export
// of claude.ai.
type Said struct {
	ID           foreign.Text    `json:"id"`
	UUID         foreign.Text    `json:"uuid"`
	Role         foreign.Text    `json:"role"`
	Sender       foreign.Text    `json:"sender"` // human or assistant
	Model        foreign.Text    `json:"model"`
	Name         foreign.Text    `json:"name"`
	Content      json.RawMessage `json:"content"`
	Text         foreign.Text    `json:"text"`
	Refusal      foreign.Text    `json:"refusal"`
	ToolCalls    foreign.List    `json:"tool_calls"`
	FunctionCall json.RawMessage `json:"function_call"`
	ToolCallID   foreign.Text    `json:"tool_call_id"`

	Timestamp  foreign.Text `json:"timestamp"`
	CreatedAt  foreign.Text `json:"created_at"`
	CreateTime foreign.Text `json:"create_time"`
	Created    foreign.Text `json:"created"`

	SessionID      foreign.Text `json:"session_id"`
	ConversationID foreign.Text `json:"conversation_id"`
	ThreadID       foreign.Text `json:"thread_id"`
}

// chatDocument is what has messages in it: a request, a response, a line of a log of both, a
// line of training data, a conversation.
type chatDocument struct {
	Said
	CustomID     foreign.Text    `json:"custom_id"`
	System       json.RawMessage `json:"system"`
	Messages     foreign.List    `json:"messages"`
	ChatMessages foreign.List    `json:"chat_messages"`
	Choices      foreign.List    `json:"choices"`
	Message      json.RawMessage `json:"message"`
	Body         json.RawMessage `json:"body"`
	Request      json.RawMessage `json:"request"`
	Response     json.RawMessage `json:"response"`
	Result       json.RawMessage `json:"result"`
	Metadata     foreign.Object  `json:"metadata"`
}

// chat is one conversation of a source.
type chat struct {
	source.Place
	session string
	model   string
	times   []any
	title   string
	seen    map[string]int // how often a message came before, where some come again
	n       int64
}

// conversations reads messages one after the other, or what has messages in it. speak makes
// the events of a message.
func (r talk) conversations(ctx context.Context, speak func(*source.Turn, *Said) error) error {
	return r.Pieces(ctx, nil, func(p source.Piece) error {
		if len(p.Text) > 0 && p.Text[0] == '[' {
			var all foreign.List
			_ = all.UnmarshalJSON(p.Text) // it never fails
			return r.chat(&chat{Place: p.Place, session: r.numbered(p.Place)}, all, speak)
		}
		var d chatDocument
		if !r.Decode(p, &d) {
			return nil
		}
		if d.Role != "" || d.Sender != "" {
			return r.message(p, &d.Said, speak)
		}
		c := &chat{Place: p.Place, session: r.numbered(p.Place)}
		messages := d.collect(c, 0)
		if len(messages) == 0 {
			r.Leave(p.Place, source.Unknown, "there are no messages in it")
			return nil
		}
		return r.chat(c, messages, speak)
	})
}

// numbered names a conversation that has no name, by where it stands.
func (r talk) numbered(p source.Place) string {
	if p.Index >= 0 {
		return r.Stem() + "#" + strconv.Itoa(p.Index)
	}
	return r.Stem() + "#" + strconv.Itoa(p.Line)
}

// collect returns the messages of a document, and notes what it says about them. Documents
// are wrapped in others a few times at most.
func (d *chatDocument) collect(c *chat, depth int) foreign.List {
	if s := cmp.Or(string(d.ConversationID), string(d.SessionID), string(d.ThreadID), d.Metadata.Text("session_id"), d.Metadata.Text("conversation_id"), string(d.CustomID), string(d.UUID)); s != "" {
		c.session = s
	} else if depth == 0 && len(d.Choices) == 0 && d.ID != "" {
		c.session = string(d.ID)
	}
	c.model = cmp.Or(string(d.Model), c.model)
	c.title = cmp.Or(c.title, string(d.Name))
	c.times = append(c.times, d.Timestamp, d.CreatedAt, d.CreateTime, d.Created)
	var out foreign.List
	if text := foreign.ContentText(d.System); text != "" {
		out = append(out, foreign.Encode(map[string]any{"role": "system", "content": text}))
	}
	out = append(append(out, d.Messages...), d.ChatMessages...)
	if d.Role != "" {
		out = append(out, foreign.Encode(map[string]any{"role": string(d.Role), "content": foreign.Value(d.Content), "tool_calls": rawAny(d.ToolCalls)}))
	}
	if depth < 4 {
		for _, inner := range []json.RawMessage{d.Request, d.Body, d.Response, d.Result, d.Message} {
			var in chatDocument
			if foreign.Decode(inner, &in) {
				out = append(out, in.collect(c, depth+1)...)
			}
		}
	}
	for _, choice := range d.Choices[:min(len(d.Choices), 1)] { // others are alternatives
		var k struct {
			Message json.RawMessage `json:"message"`
		}
		if foreign.Decode(choice, &k) && len(k.Message) > 0 {
			out = append(out, k.Message)
		}
	}
	return out
}

func rawAny(l foreign.List) any {
	if len(l) == 0 {
		return nil
	}
	out := make([]any, len(l))
	for i, one := range l {
		out[i] = foreign.Value(one)
	}
	return out
}

// message makes the events of a message that stands by itself in a list or on a line.
func (r talk) message(p source.Piece, m *Said, speak func(*source.Turn, *Said) error) error {
	session := cmp.Or(string(m.ConversationID), string(m.SessionID), string(m.ThreadID), r.Stem())
	order := p.Index
	if order < 0 {
		order = p.Line
	}
	t := &source.Turn{
		Place: p.Place, ID: []string{session, strconv.Itoa(order), m.key()}, Session: session, Sequence: source.LineSequence(order),
		Original: cmp.Or(string(m.ID), string(m.UUID)), Meta: map[string]any{"model": string(m.Model)},
	}
	t.Time(m.times()...)
	return speak(t, m)
}

// chat makes the events of a conversation. Logs of requests tell a conversation again and again,
// each time with a little more: a message is known by what it says and how often that was
// said before.
func (r talk) chat(c *chat, messages foreign.List, speak func(*source.Turn, *Said) error) error {
	c.seen = map[string]int{}
	for _, one := range messages {
		var m Said
		if !foreign.Decode(one, &m) || m.Role == "" && m.Sender == "" {
			r.Leave(c.Place, source.Unknown, "a message without a role")
			continue
		}
		key := m.key()
		c.seen[key]++
		t := &source.Turn{
			Place: c.Place, ID: []string{c.session, key, strconv.Itoa(c.seen[key])}, Session: c.session, Sequence: c.n << 16, Retold: true,
			Original: cmp.Or(string(m.ID), string(m.UUID)), Meta: map[string]any{"model": cmp.Or(string(m.Model), c.model), "title": c.title},
		}
		c.n++
		t.Time(append(m.times(), c.times...)...)
		if err := speak(t, &m); err != nil {
			return err
		}
	}
	return nil
}

func (m *Said) times() []any {
	return []any{m.Timestamp, m.CreatedAt, m.CreateTime, m.Created}
}

// key is a hash of what a message says, however it is written.
func (m *Said) key() string {
	h := sha256.New()
	add := func(s string) { _, _ = h.Write([]byte(s + "\x00")) } // a hash takes everything
	add(m.Speaker())
	add(string(m.Text))
	add(foreign.ContentText(m.Content))
	for _, c := range m.ToolCalls {
		add(string(foreign.Encode(foreign.Value(c))))
	}
	add(string(m.ToolCallID))
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Speaker returns the role of the speaker, by its name in HMX if there is one.
func (m *Said) Speaker() string {
	switch role := strings.ToLower(cmp.Or(string(m.Role), string(m.Sender))); role {
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
func (r talk) openAIChat(ctx context.Context) error {
	return r.conversations(ctx, func(t *source.Turn, m *Said) error {
		t.Agent = "openai"
		return r.openAIMessage(ctx, t, m)
	})
}

// openAICall is a call of a tool in a message.
type openAICall struct {
	ID       foreign.Text `json:"id"`
	Function struct {
		Name      foreign.Text    `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Custom struct {
		Name  foreign.Text    `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"custom"`
}

// Speak makes the events of a message of OpenAI's chat completions.
func Speak(ctx context.Context, r *source.Run, t *source.Turn, m *Said) error {
	return talk{r}.openAIMessage(ctx, t, m)
}

func (r talk) openAIMessage(ctx context.Context, t *source.Turn, m *Said) error {
	role := m.Speaker()
	switch role {
	case "tool":
		out := map[string]any{}
		if s := foreign.ContentText(m.Content); s != "" {
			out["text"] = s
		}
		return r.Result(ctx, t, string(m.ToolCallID), string(m.Name), out, hmx.Opt[bool]{})
	case "user", "assistant", "system":
	default:
		r.Leave(t.Place, source.Unknown, "a message of the role "+foreign.Name(role, "none"))
		return nil
	}
	if err := r.openAIText(ctx, t, role, m); err != nil {
		return err
	}
	for _, one := range m.ToolCalls {
		var c openAICall
		if !foreign.Decode(one, &c) {
			r.Leave(t.Place, source.Unknown, "a tool call in an unknown form")
			continue
		}
		tool, args := string(c.Function.Name), c.Function.Arguments
		if tool == "" {
			tool, args = string(c.Custom.Name), c.Custom.Input
		}
		if err := r.Call(ctx, t, string(c.ID), tool, foreign.AsObject(foreign.Value(args), "input")); err != nil {
			return err
		}
	}
	var f struct {
		Name      foreign.Text    `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if foreign.Decode(m.FunctionCall, &f) && f.Name != "" {
		return r.Call(ctx, t, "", string(f.Name), foreign.AsObject(foreign.Value(f.Arguments), "input"))
	}
	if t.Part == 0 {
		r.Leave(t.Place, source.Empty, "a message without text")
	}
	return nil
}

// openAIText makes a message of what a message says besides calls.
func (r talk) openAIText(ctx context.Context, t *source.Turn, role string, m *Said) error {
	b := &source.Saying{Run: r.Run, Turn: t, Role: role}
	if s, ok := foreign.PlainText(m.Content); ok {
		b.Add(s)
		b.Add(string(m.Refusal))
		return b.Flush(ctx)
	}
	for _, one := range foreign.ContentList(m.Content) {
		var k struct {
			source.Block
			Refusal  foreign.Text `json:"refusal"`
			ImageURL struct {
				URL foreign.Text `json:"url"`
			} `json:"image_url"`
		}
		if !foreign.Decode(one, &k) {
			continue
		}
		switch kind := string(k.Type); {
		case slices.Contains([]string{"image_url", "input_audio", "file", "input_image", "input_file"}, kind):
			b.Attach(strings.TrimSuffix(kind, "_url"), string(k.ImageURL.URL))
		case kind == "refusal":
			b.Add(string(k.Refusal))
		case kind == "reasoning" || kind == "thinking":
			r.Leave(t.Place, source.Thinking, "what the model thought")
		default:
			b.Add(string(k.Text))
		}
	}
	b.Add(string(m.Refusal))
	return b.Flush(ctx)
}

// anthropicMessages reads messages of Anthropic's Messages API, what has such messages in it,
// and conversations as claude.ai exports them.
func (r talk) anthropicMessages(ctx context.Context) error {
	return r.conversations(ctx, func(t *source.Turn, m *Said) error {
		t.Agent = "anthropic"
		role := m.Speaker()
		if role != "user" && role != "assistant" && role != "system" {
			r.Leave(t.Place, source.Unknown, "a message of the role "+foreign.Name(role, "none"))
			return nil
		}
		content := m.Content
		if len(foreign.ContentList(content)) == 0 && m.Text != "" {
			content = foreign.Encode(string(m.Text))
		}
		return r.Blocks(ctx, t, role, content, func(k *source.Block) (toolcall.Outcome, map[string]any) {
			return k.Outcome(), map[string]any{}
		})
	})
}
