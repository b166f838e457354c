package lukasa_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"lukasa.dev"
)

// board opens a board in a temporary directory.
func board(t *testing.T, o lukasa.Options) *lukasa.Board {
	t.Helper()
	b, err := lukasa.Open(filepath.Join(t.TempDir(), "data"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// TestTenantsNeverMeet uses the handle of one tenant with the names of another.
func TestTenantsNeverMeet(t *testing.T) {
	ctx := context.Background()
	b := board(t, lukasa.Options{})
	w := lukasa.Writer{Actor: "w", Trust: lukasa.Operator}
	acme, globex := b.Tenant("acme", w), b.Tenant("globex", w)
	for _, tenant := range []*lukasa.Tenant{acme, globex} {
		if _, err := tenant.Remember(ctx, &lukasa.Memory{ID: "m", Type: "fact", Text: "What " + tenant.Name() + " knows."}); err != nil {
			t.Fatal(err)
		}
	}
	foreign := globex.URI(lukasa.MemoryKind, "m")
	ref := lukasa.Ref{Tenant: "globex", ID: "m"}
	for name, err := range map[string]error{
		"redact":    second(acme.Redact(ctx, foreign)),
		"resolve":   second(acme.Resolve(ctx, foreign, lukasa.View{})),
		"referrers": second(acme.Referrers(ctx, foreign, lukasa.View{})),
		"get":       second(acme.Get(ctx, ref, lukasa.View{})),
		"forget":    second(acme.Forget(ctx, ref, "", lukasa.AnyVersion())),
		"restore":   second(acme.Restore(ctx, ref, lukasa.AnyVersion())),
	} {
		if lukasa.CodeOf(err) != "invalid_argument" {
			t.Errorf("%s of another tenant's: %v", name, err)
		}
	}
	if _, _, err := acme.History(ctx, ref, lukasa.View{}); lukasa.CodeOf(err) != "invalid_argument" {
		t.Errorf("history of another tenant's: %v", err)
	}
	thing, err := globex.Get(ctx, lukasa.Ref{ID: "m"}, lukasa.View{})
	if err != nil || thing.State != lukasa.Live {
		t.Errorf("%+v, %v", thing, err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestRecallIsOfNow: Recall finds neither forgotten nor expired memories.
func TestRecallIsOfNow(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := board(t, lukasa.Options{Clock: func() time.Time { return now }})
	acme := b.Tenant("acme", lukasa.Writer{Actor: "w", Trust: lukasa.User})
	if _, err := acme.Remember(ctx, &lukasa.Memory{Type: "fact", Key: "short", Text: "For a minute.", TTLSeconds: 60}); err != nil {
		t.Fatal(err)
	}
	if _, err := acme.Recall(ctx, "short"); err != nil {
		t.Error(err)
	}
	now = now.Add(time.Hour)
	if _, err := acme.Recall(ctx, "short"); lukasa.CodeOf(err) != "not_found" {
		t.Errorf("what is over: %v", err)
	}
	if _, err := acme.Remember(ctx, &lukasa.Memory{
		Type: "constraint", Key: "rule", Text: "Never push to main.", Data: &lukasa.ConstraintData{Strength: "hard"},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := acme.Forget(ctx, lukasa.Ref{Key: "rule"}, "outdated", lukasa.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	if _, err := acme.Recall(ctx, "rule"); lukasa.CodeOf(err) != "not_found" || lukasa.Advice(err) == "" {
		t.Errorf("what is forgotten: %v", err)
	}
}

// TestNothingIsNotAnError: nil has no code.
func TestNothingIsNotAnError(t *testing.T) {
	ctx := context.Background()
	b := board(t, lukasa.Options{})
	event := &lukasa.Event{}
	res, err := b.Append(ctx, lukasa.Writer{Actor: "w"}, event, nil)
	if err != nil || res.Refused != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
	var receipt lukasa.EventReceipt
	if code := lukasa.CodeOf(receipt.Fault); code != "" {
		t.Errorf("the code of nothing is %q", code)
	}
	if _, err := lukasa.VerifyProof(nil, nil, ""); lukasa.CodeOf(err) != "invalid_argument" {
		t.Errorf("no proof: %v", err)
	}
	if b.Failed() != nil {
		t.Error(b.Failed())
	}
}

// TestGraph links records and follows the links back.
func TestGraph(t *testing.T) {
	ctx := context.Background()
	b := board(t, lukasa.Options{})
	acme := b.Tenant("acme", lukasa.Writer{Actor: "w", Trust: lukasa.User})
	first, err := acme.Remember(ctx, &lukasa.Memory{Type: "fact", Text: "The build is slow."})
	if err != nil {
		t.Fatal(err)
	}
	next, err := acme.Remember(ctx, &lukasa.Memory{Type: "belief", Text: "The cache is cold.", Sources: []lukasa.URI{first.URI}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := acme.Put(ctx, &lukasa.Edge{From: next.URI, To: first.URI, EdgeKind: "causes"}, lukasa.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	if _, err := acme.Put(ctx, &lukasa.Entity{Name: "Build Cache", Type: "system", Aliases: []string{"the cache"}}, lukasa.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"build cache", "The Cache"} {
		if things, err := acme.Named(ctx, lukasa.EntityKind, name, lukasa.View{}); err != nil || len(things) != 1 {
			t.Errorf("%d things are named %q, %v", len(things), name, err)
		}
	}
	things, err := acme.Referrers(ctx, first.URI, lukasa.View{})
	if err != nil || len(things) != 2 {
		t.Errorf("%d things refer to it, %v", len(things), err)
	}
}
