package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// TestSearchWhileWriting runs readers while writers append, put and erase, and an
// operator rebuilds the index. A search that begins after an acknowledgement finds the
// record, and does not find what was erased before it began.
func TestSearchWhileWriting(t *testing.T) {
	o := small(disk.NewMem())
	o.RecallBytes = 1 << 20
	b := openWith(t, "data", o)
	must(t)(b.Put(ctx, user, "acme", fact("first", "", "The first of all ferrets."), engine.AnyVersion()))
	steps := testsize.Of(t, "searchers", 4, 12, 40)
	var writers, others sync.WaitGroup
	var done atomic.Bool
	var acked sync.Map // word -> true, or false once it is erased
	for w := range 3 {
		writers.Go(func() {
			for i := range steps {
				var evs []*hmx.Event
				var words []string
				for k := range 10 {
					word := fmt.Sprintf("ferret%dx%dx%d", w, i, k)
					ev, err := decodeEvent("acme", word, fmt.Sprint("s", w), int64(10*i+k), "A "+word+" was seen beside the house.", "")
					if err != nil {
						t.Error(err)
						return
					}
					evs, words = append(evs, ev), append(words, word)
				}
				if _, err := b.AppendEvents(ctx, user, evs); err != nil {
					t.Error(err)
					return
				}
				acked.Store(words[1], true)
				if _, err := b.Put(ctx, user, "acme", fact(fmt.Sprint("m", w), "", fmt.Sprintf("There are %d ferrets of %d.", 10*i, w)), engine.AnyVersion()); err != nil {
					t.Error(err)
					return
				}
				if i%4 == 1 {
					if _, err := b.Redact(ctx, user, []memory.URI{uri(record.Event, words[0]), uri(record.Event, words[5])}); err != nil {
						t.Error(err)
						return
					}
					acked.Store(words[5], false)
				}
			}
		})
	}
	for range 3 {
		others.Go(func() {
			for n := 0; !done.Load(); n++ {
				s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "which ferrets were seen beside the house", TopK: 200})
				if err != nil || len(s.Hits) == 0 {
					t.Error(s, err)
					return
				}
				acked.Range(func(word, there any) bool {
					s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: `"` + word.(string) + `"`})
					if err != nil || (len(s.Hits) > 0) != there.(bool) {
						t.Errorf("%s is found: %v, %v", word, err == nil && len(s.Hits) > 0, err)
					}
					return false
				})
			}
		})
	}
	others.Go(func() {
		for !done.Load() {
			if err := b.Rebuild(ctx, nil); err != nil {
				t.Error(err)
			}
			if err := b.Purge(ctx); err != nil && fault.CodeOf(err) != fault.Closed {
				t.Error(err)
			}
		}
	})
	within(t, "searches while writing", func() {
		writers.Wait()
		done.Store(true)
		others.Wait()
	})
	s, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "ferrets of", Kinds: []record.Kind{record.Memory}})
	if err != nil || len(s.Hits) != 4 || strings.Contains(searchTold(s), " 0 ferrets") && steps > 1 {
		t.Errorf("%+v %v", searchedIDs(s), err)
	}
	sound(t, b)
}
