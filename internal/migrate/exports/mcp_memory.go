package exports

import (
	"context"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// mcpThing is a line of the memory of the MCP server of that name: an entity with what was
// observed of it, or a relation. One object with both as lists is the graph as its tools
// answer it.
type mcpThing struct {
	Type         foreign.Text `json:"type"`
	Name         foreign.Text `json:"name"`
	EntityType   foreign.Text `json:"entityType"`
	Observations foreign.List `json:"observations"`
	From         foreign.Text `json:"from"`
	To           foreign.Text `json:"to"`
	RelationType foreign.Text `json:"relationType"`
	CreatedAt    foreign.Text `json:"createdAt"`
	Tags         foreign.List `json:"tags"`
}

// mcpMemory reads memory.json or memory.jsonl of the MCP memory server.
func (r export) mcpMemory(ctx context.Context) error {
	return r.Pieces(ctx, []string{"entities", "relations"}, func(p source.Piece) error {
		var m mcpThing
		if !r.Decode(p, &m) {
			return nil
		}
		switch {
		case m.From != "" && m.To != "" && (m.Type == "relation" || m.Type == "" && p.In != "entities"):
			return r.Relation(ctx, p.Place, r.EntityID(string(m.From)), string(m.RelationType), r.EntityID(string(m.To)), map[string]any{"from": string(m.From), "to": string(m.To)})
		case m.Name != "":
			return r.mcpEntity(ctx, p.Place, &m)
		case p.Rest:
			return nil // what is around the lists
		}
		r.Leave(p.Place, source.Unknown, "this is neither an entity nor a relation")
		return nil
	})
}

// mcpEntity makes an entity, and a memory of each observation.
func (r export) mcpEntity(ctx context.Context, p source.Place, m *mcpThing) error {
	called := string(m.Name)
	if err := r.Entity(ctx, p, r.EntityID(called), called, string(m.EntityType), "", m.Tags.Words(), nil); err != nil {
		return err
	}
	for _, seen := range m.Observations.Words() {
		err := r.Remember(ctx, &source.Memory{
			Place: p, ID: []string{"observation", called, seen}, Original: called, Kind: memory.TypeFact,
			Text: called + ": " + seen, Data: source.Fact(called, "", seen), Tags: append(m.Tags.Words(), string(m.EntityType)), Added: m.CreatedAt,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
