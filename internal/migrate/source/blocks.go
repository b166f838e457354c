package source

import (
	"context"
	"encoding/json"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/prompt"
	"lukasa.dev/internal/migrate/toolcall"
)

// Block is one block of a message of the Messages API.
type Block struct {
	Type      foreign.Text    `json:"type"`
	Text      foreign.Text    `json:"text"`
	ID        foreign.Text    `json:"id"`
	Name      foreign.Text    `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID foreign.Text    `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   foreign.Truth   `json:"is_error"`
	Source    struct {
		URL foreign.Text `json:"url"`
	} `json:"source"`
}

// Outcome returns how a call ended, by what its result itself says.
func (b *Block) Outcome() toolcall.Outcome {
	o := toolcall.Outcome{Success: hmx.Some(!bool(b.IsError)), Result: map[string]any{}}
	if text := foreign.ContentText(b.Content); text != "" {
		o.Result["text"] = text
	}
	return o
}

// Blocks makes the events of a message of the Messages API: its text as one message, tool uses
// as calls, tool results as results, in their order. ended returns how the call of a tool result
// ended, and what else is known of its edits.
func (r *Run) Blocks(ctx context.Context, t *Turn, role string, content json.RawMessage, ended func(*Block) (toolcall.Outcome, map[string]any)) error {
	b := &Saying{Run: r, Turn: t, Role: role}
	if s, ok := foreign.PlainText(content); ok {
		if b.Add(s); s == "" {
			r.Leave(t.Place, Empty, "a message without text")
		}
		return b.Flush(ctx)
	}
	for _, one := range foreign.ContentList(content) {
		var k Block
		if !foreign.Decode(one, &k) {
			r.Leave(t.Place, Unknown, "a block in an unknown form")
			continue
		}
		var err error
		switch kind := string(k.Type); {
		case kind == "text":
			b.Add(string(k.Text))
		case kind == "thinking" || kind == "redacted_thinking":
			r.Leave(t.Place, Thinking, "what the model thought")
		case kind == "image" || kind == "document":
			b.Attach(kind, string(k.Source.URL))
		case strings.HasSuffix(kind, "tool_use"):
			if err = b.Flush(ctx); err == nil {
				err = r.Call(ctx, t, string(k.ID), string(k.Name), foreign.AsObject(foreign.Value(k.Input), "input"))
			}
		case strings.HasSuffix(kind, "tool_result"):
			if err = b.Flush(ctx); err == nil {
				o, known := ended(&k)
				err = r.Conclude(ctx, t, string(k.ToolUseID), "", o, known)
			}
		default:
			r.Leave(t.Place, Unknown, "a block of type "+foreign.Name(kind, "none"))
		}
		if err != nil {
			return err
		}
	}
	if t.Part == 0 && b.Empty() && len(foreign.ContentList(content)) == 0 {
		r.Leave(t.Place, Empty, "a message without content")
	}
	return b.Flush(ctx)
}

// Saying gathers the texts of a message that follow each other.
type Saying struct {
	*Run
	Turn        *Turn
	Role        string
	texts       []string
	attachments []any
}

// Add adds a text. Of a user's, only the user's own words are added, and the rest is attached or
// left out.
func (b *Saying) Add(text string) {
	if b.Role == "user" {
		p := prompt.Words(b.Format, text)
		if p.Own == "" && strings.TrimSpace(text) != "" {
			b.Leave(b.Turn.Place, Note, "a note of the program to the model")
		}
		if p.Added != "" {
			b.AttachText(p.Added)
		}
		text = p.Own
	}
	if strings.TrimSpace(text) != "" {
		b.texts = append(b.texts, text)
	}
}

// AttachText attaches a text that is not the words of the speaker.
func (b *Saying) AttachText(text string) {
	b.attachments = append(b.attachments, map[string]any{"type": "text", "text": text})
}

// Attach attaches something else.
func (b *Saying) Attach(kind, url string) {
	b.attachments = append(b.attachments, Attachment(kind, url))
}

// Attachment says what is attached to a message, with its URL unless that is long or holds the
// data.
func Attachment(kind, url string) map[string]any {
	a := map[string]any{"type": kind}
	if url != "" && len(url) <= 2048 && !strings.HasPrefix(url, "data:") {
		a["url"] = url
	}
	return a
}

// Empty reports whether nothing was gathered since the last message.
func (b *Saying) Empty() bool { return len(b.texts) == 0 && len(b.attachments) == 0 }

// Flush makes a message of what was gathered.
func (b *Saying) Flush(ctx context.Context) error {
	if b.Empty() {
		return nil
	}
	text, attached := strings.Join(b.texts, "\n\n"), b.attachments
	b.texts, b.attachments = nil, nil
	return b.Say(ctx, b.Turn, b.Role, text, attached)
}
