package traces

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/chats"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// span is a span of a trace, from JSON or from protobuf.
type span struct {
	trace, id, name string
	start, end      uint64 // nanoseconds since 1970
	attrs           foreign.Object
	events          []spanEvent
	failed          bool
	status          string
	resource        foreign.Object
}

// spanEvent is an event of a span.
type spanEvent struct {
	name  string
	attrs foreign.Object
}

// otlp reads traces of OpenTelemetry, and takes the spans that follow the semantic conventions
// for generative AI. It reads JSON, one request per line or a whole document, and protobuf, one
// request or several with a length before each.
func (r *traced) otlp(ctx context.Context) error {
	head, _ := r.Text.Peek(4096) // the read that follows returns the error
	if protobuf(head) {
		return r.otlpProto(ctx, head[0] == 0)
	}
	return r.Pieces(ctx, []string{"resourceSpans", "resource_spans"}, func(p source.Piece) error {
		switch {
		case p.Rest:
			return nil // the object around the list
		case p.In != "":
			return r.otlpJSON(ctx, p)
		}
		var whole struct {
			Spans foreign.List `json:"resourceSpans"`
		}
		if r.Decode(p, &whole) && len(whole.Spans) == 0 {
			r.Leave(p.Place, source.Unknown, "there are no spans in it")
		}
		for _, one := range whole.Spans {
			if err := r.otlpJSON(ctx, source.Piece{Place: p.Place, In: "resourceSpans", Text: one}); err != nil {
				return err
			}
		}
		return nil
	})
}

// protobuf reports whether a source cannot be JSON, though it may begin with a byte that is
// white space there.
func protobuf(head []byte) bool {
	if len(head) == 0 {
		return false
	}
	if head[0] == 0 {
		return true
	}
	if head[0] != '\n' {
		return false
	}
	text := strings.TrimLeft(string(head), " \t\r\n")
	if text == "" || text[0] != '{' && text[0] != '[' {
		return true
	}
	text = strings.TrimLeft(text[1:], " \t\r\n")
	return text != "" && !strings.ContainsRune("\"{}[]", rune(text[0]))
}

// genAI makes the events of a span.
func (r *traced) genAI(ctx context.Context, p source.Place, s *span) error {
	op := s.attrs.Text("gen_ai.operation.name")
	if op == "" && !slices.ContainsFunc(slices.Collect(maps.Keys(s.attrs)), func(n string) bool { return strings.HasPrefix(n, "gen_ai.") }) {
		r.Leave(p, source.Note, "a span that is not about generative AI")
		return nil
	}
	t := &source.Turn{
		Place: p, Retold: true, Original: s.id, Trace: s.trace, Sequence: int64(s.start),
		Session: cmp.Or(s.attrs.Text("gen_ai.conversation.id"), s.attrs.Text("session.id"), s.trace, r.Stem()),
		Agent:   cmp.Or(s.attrs.Text("gen_ai.agent.name"), s.attrs.Text("gen_ai.agent.id"), r.Options.Agent, s.resource.Text("service.name"), string(OTLP)),
		Meta:    map[string]any{"model": cmp.Or(s.attrs.Text("gen_ai.response.model"), s.attrs.Text("gen_ai.request.model")), "span": s.name},
	}
	t.Time(s.start)
	if op == "execute_tool" || op == "" && s.attrs.Text("gen_ai.tool.name") != "" {
		return r.toolSpan(ctx, t, s)
	}
	seen := map[string]int{}
	ended := s.end <= s.start
	for _, m := range s.messages() {
		if m.out && !ended {
			ended = true
			t.Sequence, t.Part = int64(s.end), 0
			t.Time(s.end)
		}
		if err := r.otlpMessage(ctx, t, m.value, m.role, seen); err != nil {
			return err
		}
	}
	if s.failed {
		kind, message, stack := s.trouble()
		t.ID = []string{t.Session, s.trace, s.id}
		t.Sequence, t.Part = t.Sequence+int64(t.Part), 0
		return r.Fail(ctx, t, kind, message, stack)
	}
	if len(seen) == 0 {
		r.Leave(p, source.Empty, "a span without messages")
	}
	return nil
}

// toolSpan makes the call and the result of a span that executed a tool.
func (r *traced) toolSpan(ctx context.Context, t *source.Turn, s *span) error {
	tool, id := s.attrs.Text("gen_ai.tool.name"), cmp.Or(s.attrs.Text("gen_ai.tool.call.id"), s.id)
	t.ID, t.Calls, t.Named = []string{t.Session}, []string{t.Session}, true
	if err := r.Call(ctx, t, id, tool, foreign.AsObject(s.attrs["gen_ai.tool.call.arguments"], "input")); err != nil {
		return err
	}
	out := foreign.AsObject(s.attrs["gen_ai.tool.call.result"], "text")
	if s.failed {
		_, message, _ := s.trouble()
		if _, ok := out["text"]; !ok && message != "" {
			out["text"] = message
		}
	}
	if s.end > s.start {
		out["duration_ms"] = (s.end - s.start) / 1e6
		t.Sequence = int64(s.end)
		t.Time(s.end)
	}
	return r.Result(ctx, t, id, tool, out, hmx.Some(!s.failed))
}

// trouble returns why a span failed.
func (s *span) trouble() (kind, message, stack string) {
	kind, message = s.attrs.Text("error.type"), s.status
	for _, e := range s.events {
		if e.name == "exception" {
			kind = cmp.Or(e.attrs.Text("exception.type"), kind)
			message = cmp.Or(e.attrs.Text("exception.message"), message)
			stack = cmp.Or(e.attrs.Text("exception.stacktrace"), stack)
		}
	}
	return cmp.Or(kind, "error"), message, stack
}

// otlpSaid is a message of a span, in any of its notations.
type otlpSaid struct {
	value any
	role  string // if the message does not say it
	out   bool   // the model said it
}

// messages returns the messages of a span: from attributes, from events, from the attributes
// with numbers that came before either.
func (s *span) messages() []otlpSaid {
	var out []otlpSaid
	add := func(v any, role string, said bool) {
		for _, m := range asList(v) {
			out = append(out, otlpSaid{m, role, said})
		}
	}
	gather := func(attrs foreign.Object) {
		if v := parsed(attrs["gen_ai.system_instructions"]); v != nil {
			out = append(out, otlpSaid{map[string]any{"role": "system", "parts": asList(v)}, "system", false})
		}
		add(attrs["gen_ai.input.messages"], "user", false)
		add(attrs["gen_ai.output.messages"], "assistant", true)
		add(attrs["gen_ai.prompt"], "user", false)
		add(attrs["gen_ai.completion"], "assistant", true)
	}
	gather(s.attrs)
	for _, e := range s.events {
		switch e.name {
		case "gen_ai.system.message":
			add(map[string]any(e.attrs), "system", false)
		case "gen_ai.user.message":
			add(map[string]any(e.attrs), "user", false)
		case "gen_ai.assistant.message":
			add(map[string]any(e.attrs), "assistant", false)
		case "gen_ai.tool.message":
			add(map[string]any(e.attrs), "tool", false)
		case "gen_ai.choice":
			choice := map[string]any(e.attrs)
			if inner, ok := parsed(e.attrs["message"]).(map[string]any); ok {
				choice = inner
			}
			add(choice, "assistant", true)
		default:
			gather(e.attrs)
		}
	}
	if len(out) == 0 {
		out = append(s.numbered("gen_ai.prompt.", "user", false), s.numbered("gen_ai.completion.", "assistant", true)...)
	}
	return out
}

// numbered returns messages whose parts are attributes of their own: gen_ai.prompt.0.content.
func (s *span) numbered(prefix, role string, said bool) []otlpSaid {
	const most = 10_000
	var out []otlpSaid
	for i := range most {
		at := prefix + strconv.Itoa(i) + "."
		m := map[string]any{"role": cmp.Or(s.attrs.Text(at+"role"), role), "content": s.attrs[at+"content"]}
		var calls []any
		for k := range most {
			c := at + "tool_calls." + strconv.Itoa(k) + "."
			tool := s.attrs.Text(c + "name")
			if tool == "" {
				break
			}
			calls = append(calls, map[string]any{"id": s.attrs[c+"id"], "function": map[string]any{"name": tool, "arguments": s.attrs[c+"arguments"]}})
		}
		if m["content"] == nil && calls == nil && s.attrs[at+"role"] == nil {
			break
		}
		m["tool_calls"] = calls
		out = append(out, otlpSaid{m, role, said})
	}
	return out
}

// otlpMessage makes the events of a message. Each span of a conversation repeats all earlier
// messages, so the id of a message is made from its content and the number of earlier equal ones
// in the span.
func (r *traced) otlpMessage(ctx context.Context, t *source.Turn, v any, role string, seen map[string]int) error {
	m, ok := v.(map[string]any)
	if !ok {
		m = map[string]any{"content": v}
	}
	if parts, ok := m["parts"].([]any); ok {
		m = map[string]any{"role": m["role"], "content": parts}
	}
	if s, _ := m["role"].(string); s == "" {
		m["role"] = role
	}
	m["content"], m["tool_calls"] = otlpParts(m)
	var c chats.Said
	if !foreign.Decode(foreign.Encode(m), &c) {
		r.Leave(t.Place, source.Unknown, "a message in an unknown form")
		return nil
	}
	sum := sha256.Sum256(foreign.Encode([]any{c.Speaker(), m["content"], m["tool_calls"], string(c.ToolCallID)}))
	key := hex.EncodeToString(sum[:12])
	seen[key]++
	t.ID = []string{t.Session, key, strconv.Itoa(seen[key])}
	t.Sequence, t.Part = t.Sequence+int64(t.Part), 0
	t.Calls, t.Named = []string{t.Session}, true
	if results, ok := m["content"].([]any); ok {
		return r.otlpContent(ctx, t, &c, results)
	}
	return chats.Speak(ctx, r.Run, t, &c)
}

// otlpContent makes the events of a message with parts, in their order.
func (r *traced) otlpContent(ctx context.Context, t *source.Turn, c *chats.Said, parts []any) error {
	role := c.Speaker()
	b := &source.Saying{Run: r.Run, Turn: t, Role: role}
	if role != "user" && role != "system" {
		b.Role = "assistant"
	}
	for _, one := range parts {
		p, _ := one.(map[string]any)
		o := foreign.Object(p)
		var err error
		switch kind := o.Text("type"); kind {
		case "reasoning", "thinking":
			r.Leave(t.Place, source.Thinking, "what the model thought")
		case "tool_call", "tool_use", "server_tool_call":
			if err = b.Flush(ctx); err == nil {
				args := o["arguments"]
				if args == nil {
					args = o["input"]
				}
				err = r.Call(ctx, t, o.Text("id"), o.Text("name"), foreign.AsObject(args, "input"))
			}
		case "tool_call_response", "tool_result", "server_tool_call_response":
			if err = b.Flush(ctx); err == nil {
				out := o["response"]
				if out == nil {
					out = o["result"]
				}
				err = r.Result(ctx, t, cmp.Or(o.Text("id"), o.Text("tool_use_id")), "", foreign.AsObject(out, "text"), hmx.Opt[bool]{})
			}
		case "blob", "file", "uri", "image", "image_url":
			b.Attach(cmp.Or(o.Text("modality"), kind), o.Text("uri"))
		default:
			s := cmp.Or(o.Text("content"), o.Text("text"))
			if role == "tool" && s != "" {
				err = r.Result(ctx, t, string(c.ToolCallID), string(c.Name), map[string]any{"text": s}, hmx.Opt[bool]{})
				break
			}
			b.Add(s)
		}
		if err != nil {
			return err
		}
	}
	if err := b.Flush(ctx); err != nil {
		return err
	}
	m := *c
	m.Content = nil
	if len(m.ToolCalls) > 0 && role == "assistant" {
		return chats.Speak(ctx, r.Run, t, &m)
	}
	return nil
}

// otlpParts returns content and tool calls of a message as JSON, though they may be text with JSON
// in it.
func otlpParts(m map[string]any) (content, calls any) {
	content, calls = m["content"], parsed(m["tool_calls"])
	if s, ok := content.(string); ok && strings.HasPrefix(s, "[{") {
		if l, ok := parsed(s).([]any); ok {
			content = l
		}
	}
	if id, ok := m["id"].(string); ok && m["role"] == "tool" && m["tool_call_id"] == nil {
		m["tool_call_id"] = id
	}
	return content, calls
}

// parsed returns a value, and for text that is a list or an object in JSON the parsed one.
func parsed(v any) any {
	s, ok := v.(string)
	if !ok {
		return v
	}
	if t := strings.TrimSpace(s); strings.HasPrefix(t, "[") || strings.HasPrefix(t, "{") {
		if json.Valid([]byte(t)) {
			return foreign.Value([]byte(t))
		}
	}
	return v
}

// asList returns a value as a list. Nothing is an empty one.
func asList(v any) []any {
	switch v := parsed(v).(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		return []any{v}
	}
}
