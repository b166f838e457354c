package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/scope"
)

// TestSearchHidesHowRare: hidden documents do not decide which of many are scored:
// how rare words are among them, and how long they are, has no influence.
func TestSearchHidesHowRare(t *testing.T) {
	var told [2][]string
	for i := range told {
		c := newClock()
		b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: c.Now, CacheBytes: 8 << 20, MemTableBytes: 4 << 20})
		token := mint(t, b, c, func(g *scope.Grant) { g.Include.All, g.Exclude.Tags = true, []string{"secret"} })
		var list []*hmx.Event
		for n := range 400 {
			if n%4 == 3 {
				if i == 0 {
					list = append(list, eventWith(t, "acme", fmt.Sprint("h", n), "s2", int64(n), strings.Repeat("aardvark ", 1+n%9), `,"tags":["secret"]`))
				}
				continue
			}
			text := strings.Repeat("aardvark ", n%3) + strings.Repeat("badger ", n/3%4) + strings.Repeat("filler ", n%13)
			list = append(list, coders(eventWith(t, "acme", fmt.Sprint("e", n), fmt.Sprint("s", n), int64(n), text+"x", "")))
		}
		if res, err := b.AppendEvents(ctx, user, list); err != nil || res.Refused > 0 {
			t.Fatal(res, err)
		}
		for _, sources := range []recall.Sources{recall.Words, 0} {
			s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "aardvark badger", TopK: 200, Sources: sources, View: engine.View{Scope: token}})
			if err != nil || len(s.Hits) < 100 {
				t.Fatal(s, err)
			}
			s.Root = engine.Root{}
			told[i] = append(told[i], searchTold(s))
		}
	}
	for i := range told[0] {
		if told[0][i] != told[1][i] {
			t.Errorf("%s\nbut where it never was:\n%s", told[0][i], told[1][i])
		}
	}
}
