package lukasa_test

import (
	"context"
	"fmt"
	"os"

	"lukasa.dev"
)

// Find by predicates, and follow the edges from there.
func ExampleTenant_Find() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	acme := board.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	for _, m := range []*lukasa.Memory{
		{ID: "rounding", Type: "fact", Key: "billing/rounding", Text: "Refunds round half away from zero.", Tags: []string{"billing"}},
		{ID: "invoices", Type: "fact", Key: "billing/invoices", Text: "Invoices go out on Mondays.", Tags: []string{"billing"}},
		{ID: "audit", Type: "belief", Key: "audit/findings", Text: "The auditors asked for it in March."},
	} {
		if _, err := acme.Remember(ctx, m); failed(err) {
			return
		}
	}
	_, err := acme.Put(ctx, &lukasa.Edge{
		From: acme.URI(lukasa.MemoryKind, "audit"), To: acme.URI(lukasa.MemoryKind, "rounding"), EdgeKind: "supports",
	}, lukasa.AnyVersion())
	if failed(err) {
		return
	}
	found, err := acme.Find(ctx, lukasa.FindOptions{
		KeyPrefix: "billing", Text: "how are refunds rounded",
		Follow: []lukasa.Step{{Kinds: []lukasa.EdgeType{"supports"}, Direction: lukasa.Inward, Hops: 1}},
	})
	if failed(err) {
		return
	}
	for _, hit := range found.Hits {
		fmt.Println(hit.Hops, hit.Text)
	}

	// A find without any predicate is refused.
	_, err = acme.Find(ctx, lukasa.FindOptions{Text: "refunds"})
	fmt.Println(lukasa.CodeOf(err) + ": " + lukasa.Advice(err))
	// Output:
	// 0 Refunds round half away from zero.
	// 1 The auditors asked for it in March.
	// invalid_argument: give at least one of types, tags, key_prefix, agent, session, frame with its reference, after, before
}

// The board as it was at a position.
func ExampleTenant_ResolveAt() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	acme := board.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	put, err1 := acme.Remember(ctx, &lukasa.Memory{Type: "fact", Key: "release/cadence", Text: "Every second Tuesday."})
	_, err2 := acme.Remember(ctx, &lukasa.Memory{Type: "fact", Key: "release/cadence", Text: "Every Tuesday."})
	_, err3 := acme.Forget(ctx, lukasa.Ref{Key: "release/cadence"}, "we ship daily now", lukasa.AnyVersion())
	if failed(err1, err2, err3) {
		return
	}
	for position := range uint64(3) {
		then, err := acme.ResolveAt(ctx, put.URI.Head(), lukasa.AtPosition(position), lukasa.View{})
		if failed(err) {
			return
		}
		fmt.Println(position, then.Thing.State, then.Thing.Body.(*lukasa.Memory).Text)
	}
	// Output:
	// 0 live Every second Tuesday.
	// 1 live Every Tuesday.
	// 2 forgotten Every Tuesday.
}
