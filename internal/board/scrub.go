package board

import (
	"context"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/secret"
)

// ScrubText is for text of a caller that is no body.
func (b *Board) ScrubText(ctx context.Context, text string) (string, int) {
	if b.o.KeepSecrets || isSystem(ctx) {
		return text, 0
	}
	return secret.Text(text)
}

// scrubBody takes the secrets out of a body, and returns how many there were.
func (b *Board) scrubBody(ctx context.Context, body memory.Body) (int, error) {
	if b.o.KeepSecrets || isSystem(ctx) {
		return 0, nil
	}
	return secret.Body(body)
}

// scrubs reports whether secrets are taken out of what a writer sends.
func (b *Board) scrubs(w Writer) bool { return !b.o.KeepSecrets && !w.system }
