package migrate

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"lukasa.dev/hmx"
)

// chatGPTConversation is one conversation of conversations.json in an export of ChatGPT. Its
// messages are a tree, since a person may ask again in other words.
type chatGPTConversation struct {
	ID             loose                      `json:"id"`
	ConversationID loose                      `json:"conversation_id"`
	Title          loose                      `json:"title"`
	CreateTime     loose                      `json:"create_time"`
	CurrentNode    loose                      `json:"current_node"`
	Mapping        map[string]json.RawMessage `json:"mapping"`
}

// chatGPTNode is a place in the tree.
type chatGPTNode struct {
	Parent  loose           `json:"parent"`
	Message json.RawMessage `json:"message"`
}

// chatGPTMessage is what was said there.
type chatGPTMessage struct {
	ID     loose `json:"id"`
	Author struct {
		Role loose `json:"role"`
		Name loose `json:"name"`
	} `json:"author"`
	CreateTime loose `json:"create_time"`
	Recipient  loose `json:"recipient"`
	Content    struct {
		Type         loose `json:"content_type"`
		Parts        list  `json:"parts"`
		Text         loose `json:"text"`
		Result       loose `json:"result"`
		Profile      loose `json:"user_profile"`
		Instructions loose `json:"user_instructions"`
	} `json:"content"`
	Metadata object `json:"metadata"`
}

// chatGPTExport reads conversations.json of an export of ChatGPT.
func (r *run) chatGPTExport(ctx context.Context, src *text) error {
	return r.pieces(ctx, src, nil, func(p piece) error {
		var c chatGPTConversation
		if !r.decode(p, &c) {
			return nil
		}
		if len(c.Mapping) == 0 {
			r.leave(p.place, Unknown, "this is not a conversation of ChatGPT")
			return nil
		}
		return r.chatGPT(ctx, p.place, &c)
	})
}

// chatGPT makes the events of the branch that went on, from its root.
func (r *run) chatGPT(ctx context.Context, p place, c *chatGPTConversation) error {
	session := first(string(c.ConversationID), string(c.ID), r.numbered(p))
	branch := c.branch()
	if beside := len(c.Mapping) - len(branch); beside > 0 {
		for range beside {
			r.leave(p, Branch, "a message of another branch")
		}
	}
	at, last := hmx.Time{}, ""
	if t, ok := when(c.CreateTime); ok {
		at = t
	}
	for depth, id := range branch {
		var n chatGPTNode
		var m chatGPTMessage
		if !loosely(c.Mapping[id], &n) || !loosely(n.Message, &m) {
			continue // the root has no message
		}
		t := &turn{
			place: p, id: []string{session, first(string(m.ID), id)}, session: session, agent: "chatgpt", at: at, sequence: lineSequence(depth),
			original: first(string(m.ID), id), meta: map[string]any{"title": string(c.Title), "model": m.Metadata.text("model_slug")},
		}
		t.time(m.CreateTime)
		if !t.at.IsZero() {
			at = t.at
		}
		var err error
		if last, err = r.chatGPTMessage(ctx, t, &m, last); err != nil {
			return err
		}
	}
	return nil
}

// branch returns the ids of the nodes from the root to the current one. Without one it is the
// node that came last.
func (c *chatGPTConversation) branch() []string {
	at := string(c.CurrentNode)
	if _, ok := c.Mapping[at]; !ok {
		at = c.newest()
	}
	var out []string
	seen := map[string]bool{}
	for at != "" && !seen[at] {
		node, ok := c.Mapping[at]
		if !ok {
			break
		}
		seen[at] = true
		out = append(out, at)
		var n chatGPTNode
		_ = loosely(node, &n) // what is none has no parent
		at = string(n.Parent)
	}
	slices.Reverse(out)
	return out
}

// newest returns the node whose message is the newest, of several the one with the highest id.
func (c *chatGPTConversation) newest() string {
	best, when0 := "", hmx.Time{}
	for id, node := range c.Mapping {
		var n chatGPTNode
		var m chatGPTMessage
		if !loosely(node, &n) || !loosely(n.Message, &m) {
			continue
		}
		at, _ := when(m.CreateTime)
		if d := at.Compare(when0); best == "" || d > 0 || d == 0 && id > best {
			best, when0 = id, at
		}
	}
	return best
}

// chatGPTMessage makes the events of a message. It returns the call that is open: the message
// that a tool answers has no id for that.
func (r *run) chatGPTMessage(ctx context.Context, t *turn, m *chatGPTMessage, open string) (string, error) {
	role, tool := string(m.Author.Role), string(m.Recipient)
	text, attachments := m.text(t, r)
	switch kind := m.Content.Type; {
	case kind == "thoughts" || kind == "reasoning_recap":
		r.leave(t.place, Thinking, "what the model thought")
		return open, nil
	case kind == "user_editable_context":
		t.tags = []string{"instructions"}
		text = strings.TrimSpace(string(m.Content.Profile) + "\n" + string(m.Content.Instructions))
		role = "system"
	case text == "" && len(attachments) == 0:
		r.leave(t.place, Empty, "a message without text")
		return open, nil
	case role == "tool":
		out := map[string]any{"text": text}
		if len(attachments) > 0 {
			out["attachments"] = attachments
		}
		return "", r.result(ctx, t, open, string(m.Author.Name), out, hmx.Opt[bool]{})
	case role == "assistant" && tool != "" && tool != "all":
		id := t.original
		under := "input"
		if kind == "code" && strings.HasPrefix(tool, "python") {
			under = "code"
		}
		return id, r.call(ctx, t, id, tool, asObject(text, under))
	}
	if role != "user" && role != "assistant" && role != "system" {
		r.leave(t.place, Unknown, "a message of the role "+name(role, "none"))
		return open, nil
	}
	return open, r.say(ctx, t, role, text, attachments)
}

// text returns what a message says, and what is attached to it.
func (m *chatGPTMessage) text(t *turn, r *run) (string, []any) {
	texts := []string{string(m.Content.Text), string(m.Content.Result)}
	b := &saying{run: r, turn: t}
	for _, part := range m.Content.Parts {
		var k struct {
			Type  loose `json:"content_type"`
			Text  loose `json:"text"`
			Asset loose `json:"asset_pointer"`
		}
		var s loose
		switch {
		case loosely(part, &k) && k.Text != "":
			texts = append(texts, string(k.Text))
		case k.Type != "":
			b.attach(strings.TrimSuffix(string(k.Type), "_asset_pointer"), string(k.Asset))
		default:
			_ = s.UnmarshalJSON(part) // it never fails
			texts = append(texts, string(s))
		}
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(texts, "\n\n"), b.attachments
}
