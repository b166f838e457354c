package scope

import (
	"testing"
	"time"
)

// BenchmarkVerify measures a chain of three blocks that is new to a board: parsing its text and
// checking its signatures.
func BenchmarkVerify(b *testing.B) {
	board, tokens := three(b)
	text := tokens[2].String()
	for b.Loop() {
		token, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := token.Verify(public(board), "acme", epoch.Add(time.Second)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAllows measures one candidate under a chain of three blocks.
func BenchmarkAllows(b *testing.B) {
	_, tokens := three(b)
	a, err := accessOf(tokens[2].Grants())
	if err != nil {
		b.Fatal(err)
	}
	s := &Subject{Type: "fact", Tags: []string{"a", "b"}, Frames: []string{"modify:file=internal/pack/pack.go"}, Section: "facts"}
	if !a.Allows(s) {
		b.Fatal("the subject is not in scope")
	}
	for b.Loop() {
		a.Allows(s)
	}
}
