package board

import (
	"context"

	"lukasa.dev/internal/notary"
)

// Checkpoint returns the signed current state of the tenant.
func (b *Board) Checkpoint(ctx context.Context, tenant string) (signed notary.Signed, err error) {
	err = b.Read(ctx, tenant, func(s State) (err error) {
		signed, err = b.notary.Sign(tenant, b.TreeIn(s))
		return err
	})
	return signed, err
}

// VerifierKey returns the key that verifies a tenant's checkpoints, proofs and
// receipts, as a line of text.
func (b *Board) VerifierKey(tenant string) string { return b.notary.VerifierKey(tenant) }

// FormerKeys returns the keys that verify what was signed for a tenant with
// earlier keys, oldest first.
func (b *Board) FormerKeys(tenant string) []string { return b.notary.FormerKeys(tenant) }

// NewKey creates a new signing key. Earlier signatures can still be verified
// with the old one.
func (b *Board) NewKey(ctx context.Context) error {
	if err := b.Enter(ctx); err != nil {
		return err
	}
	defer b.Leave()
	return b.notary.Rekey()
}
