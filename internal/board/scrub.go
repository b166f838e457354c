package board

import (
	"context"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/secret"
)

// ScrubText scrubs a text of a caller that is not a body.
func (b *Board) ScrubText(ctx context.Context, text string) (string, int) {
	if b.o.KeepSecrets || isSystem(ctx) {
		return text, 0
	}
	return secret.Text(text)
}

// scrubBody scrubs the secrets of a body, and returns how many there were.
func (b *Board) scrubBody(ctx context.Context, body memory.Body) (int, error) {
	if b.o.KeepSecrets || isSystem(ctx) {
		return 0, nil
	}
	return secret.Body(body)
}

// scrubs reports whether the writes of a writer are scrubbed.
func (b *Board) scrubs(w Writer) bool { return !b.o.KeepSecrets && !w.system }
