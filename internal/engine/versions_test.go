package engine_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// TestVersionsAreTheHistory reads histories in pages of every size, with full visibility,
// partial visibility, and partly private versions: together the pages equal History, with
// nothing twice and no page that leads to an empty one.
func TestVersionsAreTheHistory(t *testing.T) {
	g := guard(t)
	boss := engine.Writer{Actor: "boss", Trust: record.User}
	ref := engine.RefOf(uri(record.Memory, "v"))
	for i := range 7 {
		m := fact("v", "", fmt.Sprintf("Text %d.", i))
		if i%3 == 1 {
			m.Tags = []string{"secret"}
		}
		if i%3 == 2 {
			m.Visibility = memory.VisiblePrivate
		}
		if _, err := g.b.Put(ctx, boss, "acme", m, engine.AnyVersion()); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			if _, err := g.b.Forget(ctx, boss, ref, fmt.Sprintf("reason %d", i), engine.AnyVersion()); err != nil {
				t.Fatal(err)
			}
		}
	}
	narrow := engine.View{Scope: mint(t, g.b, g.clock, func(g *scope.Grant) { g.Include.All, g.Exclude.Tags = true, []string{"secret"} })}
	for name, v := range map[string]engine.View{"all": {}, "another agent": {Agent: "other"}, "the agent": {Agent: "boss"}, "a scope": narrow} {
		u, want, err := g.b.History(ctx, ref, v)
		if err != nil || len(want) == 0 {
			t.Fatalf("%s: %d versions, %v", name, len(want), err)
		}
		for limit := 1; limit <= len(want)+1; limit++ {
			var got []engine.Change
			for o := (engine.VersionsOptions{Ref: ref, Limit: limit, View: v}); ; {
				page, err := g.b.Versions(ctx, o)
				if err != nil || page.URI != u || len(page.Changes) == 0 || len(page.Changes) > limit {
					t.Fatalf("%s by %d after %q: %+v, %v", name, limit, o.After, page, err)
				}
				got = append(got, page.Changes...)
				if o.After = page.Next; o.After == "" {
					break
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s by %d: %+v, want %+v", name, limit, got, want)
			}
		}
	}
	for _, after := range []string{"x", "AAA", "AAAAAAAA", "!"} {
		if _, err := g.b.Versions(ctx, engine.VersionsOptions{Ref: ref, After: after}); !errors.Is(err, fault.InvalidArgument) {
			t.Errorf("after %q: %v", after, err)
		}
	}
}
