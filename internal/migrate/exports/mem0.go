package exports

import (
	"cmp"
	"context"
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// mem0Memory is a memory as Mem0 answers get_all and search, and as its exports are commonly
// laid out.
type mem0Memory struct {
	ID         foreign.Text   `json:"id"`
	Memory     foreign.Text   `json:"memory"`
	Text       foreign.Text   `json:"text"`
	Data       foreign.Text   `json:"data"`
	UserID     foreign.Text   `json:"user_id"`
	AgentID    foreign.Text   `json:"agent_id"`
	AppID      foreign.Text   `json:"app_id"`
	RunID      foreign.Text   `json:"run_id"`
	ActorID    foreign.Text   `json:"actor_id"`
	Categories foreign.List   `json:"categories"`
	Metadata   foreign.Object `json:"metadata"`
	CreatedAt  foreign.Text   `json:"created_at"`
	UpdatedAt  foreign.Text   `json:"updated_at"`
	Expires    foreign.Text   `json:"expiration_date"`

	// Of a relation of its graph.
	Source       foreign.Text `json:"source"`
	Relationship foreign.Text `json:"relationship"`
	Relation     foreign.Text `json:"relation"`
	Target       foreign.Text `json:"target"`
	Destination  foreign.Text `json:"destination"`
}

// mem0 reads memories of Mem0: what get_all answers, a list of memories, or one a line.
func (r export) mem0(ctx context.Context) error {
	return r.Pieces(ctx, []string{"results", "memories", "relations"}, func(p source.Piece) error {
		var m mem0Memory
		if !r.Decode(p, &m) {
			return nil
		}
		target := cmp.Or(string(m.Target), string(m.Destination))
		text := cmp.Or(string(m.Memory), string(m.Text), string(m.Data))
		switch {
		case m.Source != "" && target != "":
			return r.mem0Relation(ctx, p.Place, &m, target)
		case text != "":
			return r.mem0Memory(ctx, p.Place, &m, text)
		case p.Rest:
			return nil // what is around the lists
		}
		r.Leave(p.Place, source.Unknown, "this is neither a memory nor a relation")
		return nil
	})
}

func (r export) mem0Memory(ctx context.Context, p source.Place, m *mem0Memory, text string) error {
	n := &source.Memory{
		Place: p, ID: []string{"memory", string(m.ID)}, Original: string(m.ID), Kind: memory.TypeFact, Text: text,
		Tags: m.Categories.Words(), Added: m.CreatedAt, Changed: m.UpdatedAt,
		Meta: map[string]any{"user_id": string(m.UserID), "agent_id": string(m.AgentID), "app_id": string(m.AppID), "run_id": string(m.RunID), "actor_id": string(m.ActorID)},
	}
	if m.ID == "" {
		n.ID = []string{"memory", "", string(m.UserID), string(m.AgentID), string(m.RunID), text}
	}
	if len(m.Metadata) > 0 {
		n.Meta["metadata"] = map[string]any(m.Metadata)
	}
	for _, sort := range append(m.Categories.Words(), m.Metadata.Text("type"), m.Metadata.Text("category")) {
		if strings.Contains(strings.ToLower(sort), "preference") {
			n.Kind, n.Data = memory.TypePreference, source.Neutral()
		}
	}
	n.From, _ = foreign.When(cmp.Or(string(m.UpdatedAt), string(m.CreatedAt)))
	n.Until, _ = foreign.When(m.Expires)
	return r.Remember(ctx, n)
}

// mem0Relation makes the two entities of a relation, and the relation.
func (r export) mem0Relation(ctx context.Context, p source.Place, m *mem0Memory, target string) error {
	for _, called := range []string{string(m.Source), target} {
		if err := r.Entity(ctx, p, r.EntityID(called), called, "", "", nil, nil); err != nil {
			return err
		}
	}
	predicate := cmp.Or(string(m.Relationship), string(m.Relation))
	return r.Relation(ctx, p, r.EntityID(string(m.Source)), predicate, r.EntityID(target), nil)
}
