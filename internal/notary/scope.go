package notary

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// purposeScope separates the key that signs scopes from every other use of the
// directory's key.
const purposeScope = "lukasa/scope-key/1\n"

// ScopeKey returns the key that signs the directory's scope tokens. It is
// derived from the signing key with HKDF-SHA256, so that it needs no file of its
// own, reveals nothing about the signing key, and changes with [Notary.Rekey].
// It must not leave the process. A notary that cannot sign has none.
func (n *Notary) ScopeKey() (ed25519.PrivateKey, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken != nil {
		return nil, n.broken
	}
	if !bytes.Equal(n.scopeOf, n.key) {
		seed, err := hkdf.Key(sha256.New, n.key.Seed(), nil, purposeScope+n.name, ed25519.SeedSize)
		if err != nil {
			return nil, fmt.Errorf("derive the key of scopes: %w", err)
		}
		n.scope, n.scopeOf = ed25519.NewKeyFromSeed(seed), n.key
	}
	return n.scope, nil
}
