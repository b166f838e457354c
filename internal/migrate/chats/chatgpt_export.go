package chats

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// chatGPTConversation is one conversation of conversations.json in an export of ChatGPT. Its
// messages are a tree, since a person may ask again in other words.
type chatGPTConversation struct {
	ID             foreign.Text               `json:"id"`
	ConversationID foreign.Text               `json:"conversation_id"`
	Title          foreign.Text               `json:"title"`
	CreateTime     foreign.Text               `json:"create_time"`
	CurrentNode    foreign.Text               `json:"current_node"`
	Mapping        map[string]json.RawMessage `json:"mapping"`
}

// chatGPTNode is a place in the tree.
type chatGPTNode struct {
	Parent  foreign.Text    `json:"parent"`
	Message json.RawMessage `json:"message"`
}

// chatGPTMessage is what was said there.
type chatGPTMessage struct {
	ID     foreign.Text `json:"id"`
	Author struct {
		Role foreign.Text `json:"role"`
		Name foreign.Text `json:"name"`
	} `json:"author"`
	CreateTime foreign.Text `json:"create_time"`
	Recipient  foreign.Text `json:"recipient"`
	Content    struct {
		Type         foreign.Text `json:"content_type"`
		Parts        foreign.List `json:"parts"`
		Text         foreign.Text `json:"text"`
		Result       foreign.Text `json:"result"`
		Profile      foreign.Text `json:"user_profile"`
		Instructions foreign.Text `json:"user_instructions"`
	} `json:"content"`
	Metadata foreign.Object `json:"metadata"`
}

// chatGPTExport reads conversations.json of an export of ChatGPT.
func (r talk) chatGPTExport(ctx context.Context) error {
	return r.Pieces(ctx, nil, func(p source.Piece) error {
		var c chatGPTConversation
		if !r.Decode(p, &c) {
			return nil
		}
		if len(c.Mapping) == 0 {
			r.Leave(p.Place, source.Unknown, "this is not a conversation of ChatGPT")
			return nil
		}
		return r.chatGPT(ctx, p.Place, &c)
	})
}

// chatGPT makes the events of the branch that went on, from its root.
func (r talk) chatGPT(ctx context.Context, p source.Place, c *chatGPTConversation) error {
	session := cmp.Or(string(c.ConversationID), string(c.ID), r.numbered(p))
	branch := c.branch()
	if beside := len(c.Mapping) - len(branch); beside > 0 {
		for range beside {
			r.Leave(p, source.Branch, "a message of another branch")
		}
	}
	at, last := hmx.Time{}, ""
	if t, ok := foreign.When(c.CreateTime); ok {
		at = t
	}
	for depth, id := range branch {
		var n chatGPTNode
		var m chatGPTMessage
		if !foreign.Decode(c.Mapping[id], &n) || !foreign.Decode(n.Message, &m) {
			continue // the root has no message
		}
		t := &source.Turn{
			Place: p, ID: []string{session, cmp.Or(string(m.ID), id)}, Session: session, Agent: "chatgpt", At: at, Sequence: source.LineSequence(depth),
			Original: cmp.Or(string(m.ID), id), Meta: map[string]any{"title": string(c.Title), "model": m.Metadata.Text("model_slug")},
		}
		t.Time(m.CreateTime)
		if !t.At.IsZero() {
			at = t.At
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
		_ = foreign.Decode(node, &n) // what is none has no parent
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
		if !foreign.Decode(node, &n) || !foreign.Decode(n.Message, &m) {
			continue
		}
		at, _ := foreign.When(m.CreateTime)
		if d := at.Compare(when0); best == "" || d > 0 || d == 0 && id > best {
			best, when0 = id, at
		}
	}
	return best
}

// chatGPTMessage makes the events of a message. It returns the call that is open: the message
// that a tool answers has no id for that.
func (r talk) chatGPTMessage(ctx context.Context, t *source.Turn, m *chatGPTMessage, open string) (string, error) {
	role, tool := string(m.Author.Role), string(m.Recipient)
	text, attachments := m.text()
	switch kind := m.Content.Type; {
	case kind == "thoughts" || kind == "reasoning_recap":
		r.Leave(t.Place, source.Thinking, "what the model thought")
		return open, nil
	case kind == "user_editable_context":
		t.Tags = []string{"instructions"}
		text = strings.TrimSpace(string(m.Content.Profile) + "\n" + string(m.Content.Instructions))
		role = "system"
	case text == "" && len(attachments) == 0:
		r.Leave(t.Place, source.Empty, "a message without text")
		return open, nil
	case role == "tool":
		out := map[string]any{"text": text}
		if len(attachments) > 0 {
			out["attachments"] = attachments
		}
		return "", r.Result(ctx, t, open, string(m.Author.Name), out, hmx.Opt[bool]{})
	case role == "assistant" && tool != "" && tool != "all":
		id := t.Original
		under := "input"
		if kind == "code" && strings.HasPrefix(tool, "python") {
			under = "code"
		}
		return id, r.Call(ctx, t, id, tool, foreign.AsObject(text, under))
	}
	if role != "user" && role != "assistant" && role != "system" {
		r.Leave(t.Place, source.Unknown, "a message of the role "+foreign.Name(role, "none"))
		return open, nil
	}
	return open, r.Say(ctx, t, role, text, attachments)
}

// text returns what a message says, and what is attached to it.
func (m *chatGPTMessage) text() (text string, attachments []any) {
	texts := []string{string(m.Content.Text), string(m.Content.Result)}
	for _, part := range m.Content.Parts {
		var k struct {
			Type  foreign.Text `json:"content_type"`
			Text  foreign.Text `json:"text"`
			Asset foreign.Text `json:"asset_pointer"`
		}
		var s foreign.Text
		switch {
		case foreign.Decode(part, &k) && k.Text != "":
			texts = append(texts, string(k.Text))
		case k.Type != "":
			attachments = append(attachments, source.Attachment(strings.TrimSuffix(string(k.Type), "_asset_pointer"), string(k.Asset)))
		default:
			_ = s.UnmarshalJSON(part) // it never fails
			texts = append(texts, string(s))
		}
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(texts, "\n\n"), attachments
}
