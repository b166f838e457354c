package lukasa_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"lukasa.dev"
)

// An agent that is about to modify a file requests what it needs to know. A user set its identity and its constraints;
// the outcome of the last time comes from the events of an earlier agent, which never wrote a memory by hand.
func ExampleTenant_Context() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	dana := board.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	_, err1 := dana.Remember(ctx, &lukasa.Memory{
		Key: "deploy/friday", Text: "Never deploy on a Friday.", Data: &lukasa.ConstraintData{Strength: "hard"},
	})
	stream, err2 := os.Open("examples/session.ndjson")
	if failed(err1, err2) {
		return
	}
	defer stream.Close()
	_, err := board.Ingest(ctx, stream, lukasa.IngestOptions{Writer: lukasa.Writer{Actor: "harness", Trust: lukasa.User}})
	if failed(err) {
		return
	}
	bundle, err := dana.Context(ctx, lukasa.ContextOptions{
		Verb: "modify", Objects: map[string]string{"file": "billing/refund.go"},
		View: lukasa.View{Agent: "agent-coder-1", Now: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)},
	})
	if failed(err) {
		return
	}
	for _, e := range bundle.Pinned {
		fmt.Printf("pinned, %s: %s\n", e.Trust, e.Text)
	}
	for _, e := range bundle.Outcomes {
		fmt.Printf("outcome, %s: %s\n", e.Trust, e.Text)
	}
	fmt.Println(bundle.TotalTokens, "of", bundle.Budget, "tokens,", bundle.Trimmed, "left out")
	// Output:
	// pinned, user: (hard) Never deploy on a Friday.
	// outcome, tool: edited billing/refund.go (modify, +1 -1) -> ran `go vet ./billing/...`: exit 0 -> ran `go test ./billing/...`: 42 passed, 0 failed -> user feedback positive: "Works, thank you."
	// 61 of 3000 tokens, 0 left out
}

// A sub-agent gets a token, and receives what the token allows.
func ExampleTenant_Context_scope() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	dana := board.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	_, err1 := dana.Remember(ctx, &lukasa.Memory{Type: "identity", Text: "You look after the billing service.", Tags: []string{"billing"}})
	_, err2 := dana.Remember(ctx, &lukasa.Memory{Type: "goal", Text: "Buy the competitor, quietly."})
	token, err3 := dana.MintScope(ctx, lukasa.Grant{
		To: "tester", Include: lukasa.Selectors{Tags: []string{"billing"}}, BudgetTokens: 500, Expires: time.Now().Add(time.Hour),
	})
	if failed(err1, err2, err3) {
		return
	}
	for _, handle := range []*lukasa.Tenant{dana, dana.Scoped(token)} {
		bundle, err := handle.Context(ctx, lukasa.ContextOptions{})
		if failed(err) {
			return
		}
		fmt.Println(len(bundle.Pinned), "pinned within", bundle.Budget, "tokens, the first:", bundle.Pinned[0].Text)
	}
	// Output:
	// 2 pinned within 3000 tokens, the first: You look after the billing service.
	// 1 pinned within 500 tokens, the first: You look after the billing service.
}
