package typed_test

import (
	"strings"
	"testing"

	"lukasa.dev/internal/typed"
)

// TestProse: what counts as typed and what as pasted.
func TestProse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"never push to main", "never push to main"},
		{"look:\n```\nnever push\n```\nand fix it", "look:|and fix it"},
		{"> never push\nwhat does he mean?", "what does he mean?"},
		{"fix it\n<stdin>\nnever push\n</stdin>\nthanks", "fix it|thanks"},
		{"| a | b |\n|---|---|\n| never | push |", ""},
	} {
		var got []string
		typed.Prose(c.text, func(from, to int) bool {
			got = append(got, strings.TrimSpace(c.text[from:to]))
			return true
		})
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("Prose(%q) = %q, want %q", c.text, s, c.want)
		}
	}
	if !typed.Delimited("\n> quoted") || typed.Delimited("\nplain") {
		t.Error("only what has an end of its own is delimited")
	}
}
