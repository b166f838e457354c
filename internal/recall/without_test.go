package recall

import "testing"

// TestWithout removes names from questions as whole words only.
func TestWithout(t *testing.T) {
	for _, c := range []struct{ text, name, want string }{
		{"What did Ann say about Annapolis?", "Ann", "What did   say about Annapolis?"},
		{"what did ann say", "Ann", "what did   say"},
		{"Joann and Ann", "Ann", "Joann and  "},
		{"Ann's plan", "Ann", " 's plan"},
		{"Ann", "Ann", " "},
		{"nobody", "Ann", "nobody"},
		{"ÉAnn Ann", "Ann", "ÉAnn  "},
		{"", "Ann", ""},
		{"Ann", "", "Ann"},
	} {
		if got := without(c.text, c.name); got != c.want {
			t.Errorf("%q without %q: %q, want %q", c.text, c.name, got, c.want)
		}
	}
}
