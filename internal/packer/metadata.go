package packer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/tokens"
)

// ScopeDigest is how a pack names the token that it was made under.
func ScopeDigest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// CounterOf returns the counter of a name.
func CounterOf(name string) tokens.Counter {
	if c := tokens.Estimate(); c.Name() == name {
		return c
	}
	return tokens.O200k()
}

// StatedDigest returns the digest that a pack states.
func StatedDigest(p *hmx.Pack) (string, error) {
	m, err := MetadataOf(p)
	return m.Digest, err
}

// Metadata is the part of a pack's metadata about its state.
type Metadata struct {
	Counter string `json:"counter"`
	Digest  string `json:"digest"`
	Root    string `json:"root"`
	Size    uint64 `json:"size"`
}

// MetadataOf reads the metadata of a pack.
func MetadataOf(p *hmx.Pack) (m Metadata, err error) {
	if err := json.Unmarshal([]byte(p.Metadata), &m); err != nil {
		return m, fault.New(fault.InvalidDocument, "metadata: it does not say of which state the pack is: root, size, counter and digest").WithCause(err).
			WithFix("give a pack as it was made, with its metadata: what Pack returned or `lukasa pack --json` printed")
	}
	return m, nil
}
