package migrate

import (
	"context"
	"strings"

	"lukasa.dev/internal/memory"
)

// mem0Memory is a memory as Mem0 answers get_all and search, and as its exports are commonly
// laid out.
type mem0Memory struct {
	ID         loose  `json:"id"`
	Memory     loose  `json:"memory"`
	Text       loose  `json:"text"`
	Data       loose  `json:"data"`
	UserID     loose  `json:"user_id"`
	AgentID    loose  `json:"agent_id"`
	AppID      loose  `json:"app_id"`
	RunID      loose  `json:"run_id"`
	ActorID    loose  `json:"actor_id"`
	Categories list   `json:"categories"`
	Metadata   object `json:"metadata"`
	CreatedAt  loose  `json:"created_at"`
	UpdatedAt  loose  `json:"updated_at"`
	Expires    loose  `json:"expiration_date"`

	// Of a relation of its graph.
	Source       loose `json:"source"`
	Relationship loose `json:"relationship"`
	Relation     loose `json:"relation"`
	Target       loose `json:"target"`
	Destination  loose `json:"destination"`
}

// mem0 reads memories of Mem0: what get_all answers, a list of memories, or one a line.
func (r *run) mem0(ctx context.Context, src *text) error {
	return r.pieces(ctx, src, []string{"results", "memories", "relations"}, func(p piece) error {
		var m mem0Memory
		if !r.decode(p, &m) {
			return nil
		}
		target := first(string(m.Target), string(m.Destination))
		text := first(string(m.Memory), string(m.Text), string(m.Data))
		switch {
		case m.Source != "" && target != "":
			return r.mem0Relation(ctx, p.place, &m, target)
		case text != "":
			return r.mem0Memory(ctx, p.place, &m, text)
		case p.rest:
			return nil // what is around the lists
		}
		r.leave(p.place, Unknown, "this is neither a memory nor a relation")
		return nil
	})
}

func (r *run) mem0Memory(ctx context.Context, p place, m *mem0Memory, text string) error {
	n := &note{
		place: p, id: []string{"memory", string(m.ID)}, original: string(m.ID), kind: memory.TypeFact, text: text,
		tags: m.Categories.words(), addedWhen: m.CreatedAt, changed: m.UpdatedAt,
		meta: map[string]any{"user_id": string(m.UserID), "agent_id": string(m.AgentID), "app_id": string(m.AppID), "run_id": string(m.RunID), "actor_id": string(m.ActorID)},
	}
	if m.ID == "" {
		n.id = []string{"memory", "", string(m.UserID), string(m.AgentID), string(m.RunID), text}
	}
	if len(m.Metadata) > 0 {
		n.meta["metadata"] = map[string]any(m.Metadata)
	}
	for _, sort := range append(m.Categories.words(), m.Metadata.text("type"), m.Metadata.text("category")) {
		if strings.Contains(strings.ToLower(sort), "preference") {
			n.kind, n.data = memory.TypePreference, neutral()
		}
	}
	n.from, _ = when(first(string(m.UpdatedAt), string(m.CreatedAt)))
	n.until, _ = when(m.Expires)
	return r.remember(ctx, n)
}

// mem0Relation makes the two entities of a relation, and the relation.
func (r *run) mem0Relation(ctx context.Context, p place, m *mem0Memory, target string) error {
	for _, called := range []string{string(m.Source), target} {
		if err := r.entity(ctx, p, r.entityID(called), called, "", "", nil, nil); err != nil {
			return err
		}
	}
	predicate := first(string(m.Relationship), string(m.Relation))
	return r.relation(ctx, p, r.entityID(string(m.Source)), predicate, r.entityID(target), nil)
}
