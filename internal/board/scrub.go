package board

import (
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/secret"
)

// ScrubText is for text of a caller that is no body.
func (b *Board) ScrubText(text string) (string, int) {
	if b.o.KeepSecrets || b.system {
		return text, 0
	}
	return secret.Text(text)
}

// scrubBody takes the secrets out of a body, and returns how many there were.
func (b *Board) scrubBody(body memory.Body) (int, error) {
	if b.o.KeepSecrets || b.system {
		return 0, nil
	}
	return secret.Body(body)
}

// scrubs reports whether the writes of a writer are scrubbed.
func (b *Board) scrubs(w Writer) bool { return !b.o.KeepSecrets && !w.system }
