package scope

import (
	"testing"
	"time"

	"lukasa.dev/internal/fault"
)

// FuzzParse: a text is either refused as an invalid token or is the only spelling of its
// content, and only what the board signed verifies.
func FuzzParse(f *testing.F) {
	// Fuzz workers are processes of their own and need the same tokens.
	board, random := testKey(1), &counting{}
	token, err := mint(random, board, grant())
	if err != nil {
		f.Fatal(err)
	}
	longer, err := token.narrow(random, Grant{To: "tests", Mode: Read, Include: Selectors{Types: []string{"fact"}}})
	if err != nil {
		f.Fatal(err)
	}
	good := make(map[string]bool)
	for _, token := range []Token{token, longer} {
		for _, t := range []Token{token, seal(f, token)} {
			good[t.String()] = true
			f.Add(t.String())
			f.Add(unpacked(f, t))
		}
	}
	for _, s := range []string{"", prefix, prefix + "e30", packed(`{}`), packed(`{"blocks":[]}`), packed(`{"blocks":[{"block":{}}],"secret":""}`)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []string{text, packed(text)} {
			token, err := Parse(s)
			if err != nil {
				if fault.CodeOf(err) != fault.ScopeInvalid {
					t.Fatalf("%q: %v", s, err)
				}
				continue
			}
			if token.String() != s {
				t.Fatalf("%q is written again as %q", s, token)
			}
			if _, err := token.Verify(public(board), "acme", epoch.Add(time.Second)); err == nil && !good[s] {
				t.Fatalf("%q was never signed", s)
			}
			if longer, err := token.Narrow(Grant{}); err == nil && !longer.Extends(token) {
				t.Fatalf("%q cannot be narrowed", s)
			}
			_, _ = token.Seal()
		}
	})
}
