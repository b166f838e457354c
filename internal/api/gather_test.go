package api

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/testsize"
)

// The pages of a list have every item once and in order, and no page is much larger than
// allowed, whatever the sizes.
func TestGather(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int{1, 1000, pageBytes / 4, pageBytes}), 0, 60).Draw(t, "sizes")
		limit, most := rapid.IntRange(1, 70).Draw(t, "limit"), rapid.IntRange(1, 20).Draw(t, "most")
		part := func(limit int, after string) ([]int, string, error) {
			from, _ := strconv.Atoi(after) // an empty cursor is 0
			to := min(from+limit, len(sizes))
			if to == len(sizes) {
				return sizes[from:to], "", nil
			}
			return sizes[from:to], strconv.Itoa(to), nil
		}
		var all []int
		for after := ""; ; {
			list, next, err := gather(limit, most, after, part, func(n *int) int { return *n })
			if err != nil || list == nil || len(list) > limit || next != "" && len(list) == 0 {
				t.Fatalf("%v, %q, %v", list, next, err)
			}
			sum := 0
			for _, n := range list[:max(len(list)-most, 0)] {
				sum += n
			}
			if sum >= pageBytes {
				t.Fatalf("a page of %d bytes goes on", sum)
			}
			if next != "" && len(list) < limit {
				for _, n := range list[max(len(list)-most, 0):] {
					sum += n
				}
				if sum < pageBytes {
					t.Fatalf("a page of %d of %d ends with %d bytes", len(list), limit, sum)
				}
			}
			all = append(all, list...)
			if after = next; after == "" {
				break
			}
		}
		if len(all) != len(sizes) {
			t.Fatalf("%d of %d", len(all), len(sizes))
		}
		for i, n := range sizes {
			if all[i] != n {
				t.Fatalf("%v became %v", sizes, all)
			}
		}
	})
}

// Lists of large records, of their versions and of events come in pages limited by size, with
// and without a scope, and have every item once.
func TestLargeListsComeInPages(t *testing.T) {
	testsize.OneGoroutine(t)
	const many, large = 40, 60 << 10
	w := newWorld(t)
	text := strings.Repeat("What is long. ", large/14)
	for i := range many {
		w.must(admin("acme"), "remember", fmt.Sprintf(`{"key":"long/one","text":"%s%d"}`, text, i))
		w.must(admin("acme"), "remember", fmt.Sprintf(`{"key":"long/%02d","text":"%s%d","tags":["long"]}`, i, text, i))
		w.must(admin("acme"), "record_event", fmt.Sprintf(`{"session_id":"long","event_type":"message","content":{"role":"user","text":"%s%d"}}`, text, i))
	}
	holder := &auth.Principal{Key: "scope", Role: auth.Holder, Tenant: "acme", Agent: "helper", Rights: auth.Read, Trust: lukasa.Agent, Scope: w.names["scope"]}
	for _, who := range []*auth.Principal{admin("acme"), holder} {
		for _, c := range []struct{ operation, args, list, name string }{
			{"list_memories", `"tag":"long"`, "memories", "uri"}, {"memory_history", `"key":"long/one"`, "versions", "position"}, {"list_events", `"session":"long"`, "events", "position"},
		} {
			seen, pages := map[string]bool{}, 0
			for after := ""; ; pages++ {
				page := w.read(w.must(who, c.operation, fmt.Sprintf(`{%s,"limit":1000,"after":%q}`, c.args, after)))
				list := page[c.list].([]any)
				if most := (pageBytes + thingsPart*large) / large; len(list) == 0 || len(list) > most {
					t.Fatalf("%s for %s: a page of %d, and there may be %d", c.operation, who.Key, len(list), most)
				}
				for _, x := range list {
					name := fmt.Sprint(x.(map[string]any)[c.name])
					if seen[name] {
						t.Errorf("%s for %s: %s is there twice", c.operation, who.Key, name)
					}
					seen[name] = true
				}
				next, more := page["next"].(string)
				if !more {
					break
				}
				after = next
			}
			if len(seen) != many || pages == 0 {
				t.Errorf("%s for %s: %d of %d, after %d pages", c.operation, who.Key, len(seen), many, pages)
			}
		}
	}
}
