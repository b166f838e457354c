package engine_test

import (
	"fmt"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// Events by their ids equal the single ones, in the order of the ids, with nil for a missing,
// hidden or erased one.
func TestEventsOf(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	for i := range 6 {
		ev := eventWith(t, "acme", fmt.Sprintf("e%d", i), fmt.Sprintf("s%d", i%2), int64(i), fmt.Sprintf("number %d", i), "")
		if _, err := b.AppendEvents(ctx, user, []*hmx.Event{ev}); err != nil {
			t.Fatal(err)
		}
	}
	ids := []string{"e4", "e1", "none", "e0", "e4", "e3"}
	look := func(v engine.View) {
		t.Helper()
		got, err := b.EventsOf(ctx, "acme", ids, v)
		if err != nil || len(got) != len(ids) {
			t.Fatalf("%d events, %v", len(got), err)
		}
		for i, id := range ids {
			want, err := b.Event(ctx, "acme", id, v)
			if err != nil {
				want = nil
			}
			if (got[i] == nil) != (want == nil) || want != nil && (got[i].Event.EventID != id || got[i].Position != want.Position || got[i].Event.Content != want.Event.Content || got[i].Trust != want.Trust) {
				t.Errorf("%s is %+v and not %+v", id, got[i], want)
			}
		}
	}
	look(engine.View{})
	if got, err := b.EventsOf(ctx, "acme", nil, engine.View{}); err != nil || len(got) != 0 {
		t.Errorf("none are %v, %v", got, err)
	}
	token, err := b.MintScope(ctx, user, "acme", scope.Grant{To: "coder", Expires: b.Now().Add(time.Hour), Include: scope.Selectors{Sessions: []string{"s0"}}})
	if err != nil {
		t.Fatal(err)
	}
	look(engine.View{Scope: token})
	if _, err := b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "e0"}}); err != nil {
		t.Fatal(err)
	}
	look(engine.View{})
	look(engine.View{Scope: token})
}
