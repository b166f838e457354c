package pack

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/tokens"
)

func TestFence(t *testing.T) {
	lines := regexp.MustCompile("^(`{4,})quote-[0-9a-f]{6}\n$")
	seen := map[string]bool{}
	for _, seed := range []string{fenceSeed("a", "b"), fenceSeed("ab", ""), fenceSeed("", "ab")} {
		for _, section := range hmx.Sections() {
			open, shut := fence(seed, section, nil)
			m := lines.FindStringSubmatch(open)
			if m == nil || shut != m[1]+"\n" || seen[open] {
				t.Fatalf("%q %q", open, shut)
			}
			seen[open] = true
			// Texts that do not need another do not move it.
			for i := range 50 {
				again, _ := fence(seed, section, []string{fmt.Sprint("- some ```code``` ", i, "\n"), "- x\n"})
				if again != open {
					t.Fatalf("%q moved to %q", open, again)
				}
			}
			tag := strings.TrimSpace(strings.TrimLeft(open, "`"))[len("quote-"):]
			if again, _ := fence(seed, section, []string{"- " + tag + "\n"}); strings.Contains(again, tag) {
				t.Errorf("%q holds the tag of its text", again)
			}
			long, shut := fence(seed, section, []string{"- ```\n", "- x" + strings.Repeat("`", 31) + "y\n"})
			if long != strings.Repeat("`", 32)+"quote-"+tag+"\n" || shut != strings.Repeat("`", 32)+"\n" {
				t.Errorf("%q %q", long, shut)
			}
		}
	}
}

func TestFenceCost(t *testing.T) {
	for _, c := range []tokens.Counter{tokens.O200k(), tokens.Estimate()} {
		most := fenceCost(c)
		for i := range 300 {
			open, shut := fence(fmt.Sprint(i), hmx.SectionFacts, nil)
			if n := c.Count(open) + c.Count(shut); n > most {
				t.Errorf("%s: %q counts %d, more than %d", c.Name(), open, n, most)
			}
		}
	}
}
