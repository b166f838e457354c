package migrate

import (
	"context"

	"lukasa.dev/internal/memory"
)

// mcpThing is a line of the memory of the MCP server of that name: an entity with what was
// observed of it, or a relation. One object with both as lists is the graph as its tools
// answer it.
type mcpThing struct {
	Type         loose `json:"type"`
	Name         loose `json:"name"`
	EntityType   loose `json:"entityType"`
	Observations list  `json:"observations"`
	From         loose `json:"from"`
	To           loose `json:"to"`
	RelationType loose `json:"relationType"`
	CreatedAt    loose `json:"createdAt"`
	Tags         list  `json:"tags"`
}

// mcpMemory reads memory.json or memory.jsonl of the MCP memory server.
func (r *run) mcpMemory(ctx context.Context, src *text) error {
	return r.pieces(ctx, src, []string{"entities", "relations"}, func(p piece) error {
		var m mcpThing
		if !r.decode(p, &m) {
			return nil
		}
		switch {
		case m.From != "" && m.To != "" && (m.Type == "relation" || m.Type == "" && p.in != "entities"):
			return r.relation(ctx, p.place, r.entityID(string(m.From)), string(m.RelationType), r.entityID(string(m.To)), map[string]any{"from": string(m.From), "to": string(m.To)})
		case m.Name != "":
			return r.mcpEntity(ctx, p.place, &m)
		case p.rest:
			return nil // what is around the lists
		}
		r.leave(p.place, Unknown, "this is neither an entity nor a relation")
		return nil
	})
}

// mcpEntity makes an entity, and a memory of each observation.
func (r *run) mcpEntity(ctx context.Context, p place, m *mcpThing) error {
	called := string(m.Name)
	if err := r.entity(ctx, p, r.entityID(called), called, string(m.EntityType), "", m.Tags.words(), nil); err != nil {
		return err
	}
	for _, seen := range m.Observations.words() {
		err := r.remember(ctx, &note{
			place: p, id: []string{"observation", called, seen}, original: called, kind: memory.TypeFact,
			text: called + ": " + seen, data: fact(called, "", seen), tags: append(m.Tags.words(), string(m.EntityType)), addedWhen: m.CreatedAt,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
