package quote

import (
	"math/rand/v2"
	"strings"
	"testing"

	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

// TestCheck: which contents are quotes of a text.
func TestCheck(t *testing.T) {
	const text = "\n One two.  Three four. Five [truncated] \t"
	for content, want := range map[string]string{
		text: "whole", strings.TrimSpace(text): "whole", "\n One two.  Three four. Five [truncated]": "whole",
		"One two. [truncated]": "cut", "\n One [truncated]": "cut", "[truncated] Three four. [truncated]": "cut", "[truncated] Five [truncated]": "cut",
		"[truncated] four. Five [truncated] [truncated]": "none", // nothing follows it
		"": "none", " ": "none", "[truncated]": "none", " [truncated]": "none",
		"One two.": "none", "[truncated] One two. [truncated]": "none", "Three four. [truncated]": "none", "Three four.": "none",
		"[truncated] Three four.": "none", "[truncated] Three six. [truncated]": "none", "[truncated]Three four.[truncated]": "none",
		strings.TrimSpace(text) + " [truncated]": "none", "[truncated] " + strings.TrimSpace(text): "none", "One two. Three": "none",
	} {
		got := "none"
		if cut, ok := Check(text, content); ok && cut {
			got = "cut"
		} else if ok {
			got = "whole"
		}
		if got != want {
			t.Errorf("%q is %s, not %s", content, got, want)
		}
	}
}

// TestSpansAreQuotes: every cut of a text is a quote of it, and reports rightly whether it is
// cut.
func TestSpansAreQuotes(t *testing.T) {
	testsize.OneGoroutine(t)
	chance := rand.New(rand.NewPCG(3, 5))
	words := []string{"glass", "parcel", " ", "\n", ". ", "! ", "[truncated]", " [truncated] ", "\u202e", "\r\n", "weight", "kg", "é", "日本語。", "\t", strings.Repeat("x", 300)}
	for range 3000 {
		var b strings.Builder
		for range chance.IntN(80) {
			b.WriteString(words[chance.IntN(len(words))])
		}
		text := b.String()
		got, cut := Span(tokens.Estimate(), text, chance.IntN(60), []string{"glass", "kg"})
		if got == "" {
			continue
		}
		if is, ok := Check(text, got); strings.TrimSpace(text) != "" && (!ok || is != cut) {
			t.Fatalf("%q of %q, cut %v: %v, %v", got, text, cut, ok, is)
		}
	}
}
