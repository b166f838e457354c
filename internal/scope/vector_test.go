package scope

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/record"
)

// counting returns 32 bytes of 1, then 32 bytes of 2, and so on.
type counting struct{ n byte }

func (c *counting) Read(b []byte) (int, error) {
	c.n++
	for i := range b {
		b[i] = c.n
	}
	return len(b), nil
}

// TestVector checks the worked example of docs/formats/scope.md: a board's key, a token of two
// blocks, and its seal.
func TestVector(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats/scope.md")
	if err != nil {
		t.Fatal(err)
	}
	need := func(what, text string) {
		t.Helper()
		if !strings.Contains(string(page), "\n"+text+"\n") {
			t.Errorf("docs/formats/scope.md has not this %s on a line of its own:\n%s", what, text)
		}
	}
	seed := make([]byte, ed25519.SeedSize)
	for i := range seed {
		seed[i] = byte(i)
	}
	board := ed25519.NewKeyFromSeed(seed)
	need("board's seed", hex.EncodeToString(seed))
	need("board's public key", hex.EncodeToString(public(board)))
	random := &counting{}
	token, err := mint(random, board, Grant{
		Tenant: "acme", By: "ann", To: "coder", Mode: Write, Trust: record.User, BudgetTokens: 2000,
		Expires: time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC),
		Include: Selectors{Types: []string{"fact", "event"}}, Exclude: Selectors{Tags: []string{"secret"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	need("first block", string(token.blocks[0].append(nil)))
	need("first signature", hex.EncodeToString(token.blocks[0].signature))
	need("token", token.String())
	narrow, err := token.narrow(random, Grant{To: "tests", Mode: Read, Include: Selectors{Frames: []string{"modify:file=internal/*"}}})
	if err != nil {
		t.Fatal(err)
	}
	need("second block", string(narrow.blocks[1].append(nil)))
	need("second signature", hex.EncodeToString(narrow.blocks[1].signature))
	need("narrowed token", narrow.String())
	sealed := seal(t, narrow)
	need("seal", hex.EncodeToString(sealed.seal))

	// Again by hand, from the text of the page alone.
	first, second := narrow.blocks[0], narrow.blocks[1]
	k1, k2 := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, 32))
	for what, ok := range map[string]bool{
		"first":  ed25519.Verify(public(board), append([]byte("lukasa/scope/1/first\n"), first.append(nil)...), first.signature),
		"second": ed25519.Verify(public(k1), append(append([]byte("lukasa/scope/1/next\n"), first.signature...), second.append(nil)...), second.signature),
		"seal":   ed25519.Verify(public(k2), append([]byte("lukasa/scope/1/seal\n"), second.signature...), sealed.seal),
	} {
		if !ok {
			t.Errorf("the %s signature is not over what the page says", what)
		}
	}
	for _, tok := range []Token{token, narrow, sealed} {
		read, err := Parse(tok.String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read.Verify(public(board), "acme", time.Date(2026, 4, 1, 11, 59, 59, 0, time.UTC)); err != nil {
			t.Error(err)
		}
	}
}

// TestDocumented compares docs/formats/scope.md with the code: it names every member, type,
// section, mode and limit.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats/scope.md")
	if err != nil {
		t.Fatal(err)
	}
	words := []string{
		"blocks", "block", "signature", "seal", "secret", "budget_tokens", "by", "exclude", "expires", "id", "include", "mode", "next",
		"not_before", "tenant", "to", "trust", "all", "16,384", "16", "64", "1,073,741,824",
	}
	var s Selectors
	for _, l := range s.lists() {
		words = append(words, l.name)
	}
	words = append(append(words, Types()...), sections()...)
	for _, m := range Modes() {
		words = append(words, string(m))
	}
	for _, w := range words {
		if !strings.Contains(string(page), "`"+w+"`") {
			t.Errorf("docs/formats/scope.md does not mention `%s`", w)
		}
	}
}
