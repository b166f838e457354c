package engine_test

import (
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// TestErasedIsToldToOperators: an agent, or a caller under a scope, cannot distinguish an
// erased record, which may have been hidden from them, from one that never existed. An
// operator can. An event is never private, and only a scope hides it.
func TestErasedIsToldToOperators(t *testing.T) {
	b, c := packBoard(t)
	must(t)(b.Put(ctx, otherAgent, "acme", &memory.Memory{ID: "own", Type: memory.TypeFact, Key: "own/key", Text: "My own.", Visibility: memory.VisiblePrivate}, engine.AnyVersion()))
	token := mint(t, b, c, func(g *scope.Grant) { g.To, g.Include.All = "a1", true })
	gone := []memory.URI{uri(record.Memory, "own"), uri(record.Memory, "port"), uri(record.Entity, "dana"), uri(record.Event, "talk-1")}
	must(t)(b.Redact(ctx, operator, gone))
	root, err := b.Root(ctx, "acme")
	must(t)(nil, err)
	for _, u := range gone {
		never := u
		never.ID = "never"
		for name, x := range map[string]struct {
			view engine.View
			told bool
		}{"operator": {engine.View{}, true}, "agent": {engine.View{Agent: "a1"}, u.Kind == record.Event}, "scope": {engine.View{Scope: token}, false}} {
			reads := map[string]func(memory.URI) error{
				"resolve": func(u memory.URI) error { _, err := b.Resolve(ctx, u, x.view); return err },
				"resolve at": func(u memory.URI) error {
					_, err := b.ResolveAt(ctx, u, engine.AtPosition(root.Size-1), x.view)
					return err
				},
			}
			if u.Kind != record.Event {
				reads["history"] = func(u memory.URI) error { _, _, err := b.History(ctx, engine.RefOf(u), x.view); return err }
			}
			for read, do := range reads {
				want := fault.NotFound
				if x.told {
					want = fault.Erased
				}
				if code := fault.CodeOf(do(u)); code != want || fault.CodeOf(do(never)) != fault.NotFound {
					t.Errorf("%s, %s of %s: %s", name, read, u, code)
				}
			}
		}
		told, err := b.ExplainPack(ctx, engine.PackOptions{Tenant: "acme", Query: packQuery, View: engine.View{Agent: "a1"}, MinRelevance: hmx.Some(0.1)}, u.String())
		if must(t)(nil, err); u.Kind != record.Event && told.Reason != engine.ReasonUnknown {
			t.Errorf("%s is explained to an agent as %s", u, told.Reason)
		}
	}
}
