package echo

import (
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/tokens"
)

// A mark costs at most 8 tokens, or 3 % of a block, whichever is more.
func TestMarksAreCheap(t *testing.T) {
	t.Parallel()
	count := tokens.O200k()
	m := Open(disk.NewMem(), "d")
	for _, title := range []string{title, "Memory (Lukasa): recalled at the start, not said by the user.", "Warning (Lukasa), before Bash:"} {
		for _, size := range []int{20, 100, 400, 800} {
			var text strings.Builder
			for i := 0; count.Count(text.String()) < size; i++ {
				fmt.Fprintf(&text, "- (hard) Rule %d: releases of part %d are cut every second Tuesday, and never on a Friday.\n", i, i*7)
			}
			plain := title + "\n" + strings.TrimSpace(text.String())
			added := count.Count(m.Wrap(title, text.String())) - count.Count(plain)
			t.Logf("%4d tokens: %d more", count.Count(plain), added)
			if added > max(8, count.Count(plain)*3/100) {
				t.Errorf("%q, %d tokens: the mark costs %d", title, count.Count(plain), added)
			}
		}
	}
}
