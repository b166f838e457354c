package quote

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/tokens"
)

func TestFence(t *testing.T) {
	lines := regexp.MustCompile("^(`{4,})quote-[0-9a-f]{6}\n$")
	seen := map[string]bool{}
	for _, seed := range []string{"a\x00b", "ab\x00", "\x00ab"} {
		for _, place := range []string{"facts", "episodes", "Next steps", "Listing", ""} {
			open, shut := Fence(seed, place, nil)
			m := lines.FindStringSubmatch(open)
			if m == nil || shut != m[1]+"\n" || seen[open] {
				t.Fatalf("%q %q", open, shut)
			}
			seen[open] = true
			// Texts without the tag do not change the fence.
			for i := range 50 {
				again, _ := Fence(seed, place, []string{fmt.Sprint("- some ```code``` ", i, "\n"), "- x\n"})
				if again != open {
					t.Fatalf("%q moved to %q", open, again)
				}
			}
			tag := strings.TrimSpace(strings.TrimLeft(open, "`"))[len("quote-"):]
			if again, _ := Fence(seed, place, []string{"- " + tag + "\n"}); strings.Contains(again, tag) {
				t.Errorf("%q holds the tag of its text", again)
			}
			long, shut := Fence(seed, place, []string{"- ```\n", "- x" + strings.Repeat("`", 31) + "y\n"})
			if long != strings.Repeat("`", 32)+"quote-"+tag+"\n" || shut != strings.Repeat("`", 32)+"\n" {
				t.Errorf("%q %q", long, shut)
			}
		}
	}
}

// TestFenceAmongTags: a text that contains all first tags is read once for them.
func TestFenceAmongTags(t *testing.T) {
	seed := "acme\x00agent"
	var held []string
	for range 300 {
		open, _ := Fence(seed, "facts", held)
		tag := strings.TrimSpace(strings.TrimLeft(open, "`"))[len("quote-"):]
		if slices.Contains(held, tag) {
			t.Fatalf("%s is held", tag)
		}
		held = append(held, tag)
	}
	// Tags may be adjacent or between digits, and upper case does not count.
	together := strings.Join(held, "")
	open, _ := Fence(seed, "facts", []string{"- " + together + "\n"})
	if tag := strings.TrimSpace(open[strings.IndexByte(open, '-')+1:]); strings.Contains(together, tag) {
		t.Errorf("%s is held", tag)
	}
	first, _ := Fence(seed, "facts", nil)
	if open, _ := Fence(seed, "facts", []string{strings.ToUpper(together)}); open != first && strings.ContainsAny(held[0], "abcdef") {
		t.Errorf("%q, not %q", open, first)
	}
	used := tagsUsed{texts: []string{"- x\n", "- 0123456789abcdef\n"}}
	if used.has("fedcba") || !used.has("123456") {
		t.Error("a tag is not found")
	}
	used.texts = nil // nothing is read again
	for tag, want := range map[string]bool{"012345": true, "abcdef": true, "789abc": true, "fedcba": false, "bcdef0": false} {
		if used.has(tag) != want {
			t.Errorf("%s: %v", tag, !want)
		}
	}
}

// TestFenceCost: the stated cost of a fence is its real cost for any number of backticks. With
// another tag it is an upper bound.
func TestFenceCost(t *testing.T) {
	for _, c := range []tokens.Counter{tokens.O200k(), tokens.Estimate()} {
		for i := range 300 {
			seed := fmt.Sprint(i)
			tag, _ := fenceAt(seed, "facts", 0)
			for _, text := range []string{"plain", strings.Repeat("`", i%40), "tag " + tag, strings.Repeat("`", 9) + tag} {
				f := NewFencePrices(c, seed, []string{"core", "facts"})
				told := f.Cost(1, f.Need(1, "", text))
				open, shut := Fence(seed, "facts", []string{Item("", text, Fenced)})
				if n := c.Count(open) + c.Count(shut); n > told || n < told && !strings.Contains(text, tag) {
					t.Errorf("%s: %q around %q counts %d, not %d", c.Name(), open, text, n, told)
				}
			}
		}
	}
}
