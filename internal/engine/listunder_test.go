package engine_test

import (
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// TestListUnder lists by key prefix, live and forgotten records, in pages of one.
func TestListUnder(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	deep := "a/b/" + strings.Repeat("c/", 20) + "d"
	for _, key := range []string{"a", "a/b", "a/bc", "ab", "b/a", deep, "a/gone"} {
		must(t)(b.Put(ctx, user, "acme", fact("", key, "At "+key+"."), engine.AnyVersion()))
	}
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "a/gone"}, "", engine.AnyVersion()))
	for _, c := range []struct {
		under string
		state catalog.State
		want  []string
	}{
		{"a", catalog.Live, []string{"a", "a/b", deep, "a/bc"}},
		{"a/b", catalog.Live, []string{"a/b", deep}},
		{strings.TrimSuffix(deep, "/d"), catalog.Live, []string{deep}},
		{strings.TrimSuffix(deep, "/c/d"), catalog.Live, []string{deep}},
		{"c", catalog.Live, nil},
		{"a", catalog.Forgotten, []string{"a/gone"}},
	} {
		var got []string
		o := engine.ListOptions{Tenant: "acme", Under: c.under, State: c.state, Limit: 1}
		for {
			page, err := b.List(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range page.Things {
				got = append(got, x.Body.(*memory.Memory).Key)
			}
			if o.After = page.Next; o.After == "" {
				break
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("under %s: %q, want %q", c.under, got, c.want)
		}
	}
}
