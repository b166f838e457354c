package scope

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"io"
	"slices"
	"time"

	"lukasa.dev/internal/fault"
)

// Domains of the signatures, so that a signature for one purpose is useless for another.
const (
	domainFirst = "lukasa/scope/1/first\n"
	domainNext  = "lukasa/scope/1/next\n"
	domainSeal  = "lukasa/scope/1/seal\n"
)

// idBytes is how many bytes of a block's key make a token's id.
const idBytes = 8

// Token is a chain of blocks. The zero Token is none. Its text is a secret until it expires:
// any holder may use it.
type Token struct {
	blocks []block
	secret ed25519.PrivateKey // of the key that signs the next block; nil when sealed
	seal   []byte             // a signature by that key; nil unless sealed
}

// block is one link of the chain.
type block struct {
	grant     Grant
	next      ed25519.PublicKey
	signature []byte
}

// Mint returns a token of one block, signed with the board's key.
func Mint(key ed25519.PrivateKey, g Grant) (Token, error) { return mint(rand.Reader, key, g) }

func mint(random io.Reader, key ed25519.PrivateKey, g Grant) (Token, error) {
	if len(key) != ed25519.PrivateKeySize {
		return Token{}, fault.New(fault.Internal, "scope token: there is no key to sign it with")
	}
	g = g.normal()
	g.defaults()
	next, err := newKey(random)
	if err != nil {
		return Token{}, err
	}
	if g.ID == "" {
		g.ID = hex.EncodeToString(public(next)[:idBytes])
	}
	if err := g.check(); err != nil {
		return Token{}, err
	}
	if _, err := g.first(); err != nil {
		return Token{}, err
	}
	return Token{}.add(key, g, next)
}

// Narrow returns the token with a further block, which can only remove. It sets By, and puts To
// below the agent of the token if it is not. It verifies nothing: an invalid chain stays
// invalid.
func (t Token) Narrow(g Grant) (Token, error) { return t.narrow(rand.Reader, g) }

func (t Token) narrow(random io.Reader, g Grant) (Token, error) {
	switch {
	case len(t.blocks) == 0:
		return Token{}, invalid("there is none")
	case t.secret == nil:
		return Token{}, invalid("it is sealed and cannot be narrowed").WithFix("use it as it is, or ask its issuer for another")
	case len(t.blocks) == MaxBlocks:
		return Token{}, invalid("it has %d blocks, and no more are allowed", MaxBlocks).WithFix("narrow an earlier token of the chain")
	}
	b, err := chain(t.Grants())
	if err != nil {
		return Token{}, err
	}
	if g = g.normal(); g.By == "" {
		g.By = b.to
	}
	if g.To != "" && !Below(g.To, b.to) {
		g.To = b.to + "/" + g.To
	}
	if err := g.check(); err != nil {
		return Token{}, err
	}
	if err := b.narrow(&g); err != nil {
		return Token{}, err
	}
	next, err := newKey(random)
	if err != nil {
		return Token{}, err
	}
	return t.add(t.secret, g, next)
}

// add signs a block and appends it to a chain.
func (t Token) add(key ed25519.PrivateKey, g Grant, next ed25519.PrivateKey) (Token, error) {
	b := block{grant: g, next: public(next)}
	b.signature = ed25519.Sign(key, t.signed(len(t.blocks), b.append(nil)))
	out := Token{blocks: append(slices.Clone(t.blocks), b), secret: next}
	if n := len(out.String()); n > MaxText {
		return Token{}, invalid("it would have %d bytes, but may have at most %d", n, MaxText).WithFix("name fewer records, or give them a common tag and name that")
	}
	return out, nil
}

// signed returns what the signature of block i covers: the domain, the signature of the block
// before, and the block itself.
func (t Token) signed(i int, text []byte) []byte {
	if i == 0 {
		return append([]byte(domainFirst), text...)
	}
	return append(append([]byte(domainNext), t.blocks[i-1].signature...), text...)
}

// Seal returns the token without its secret, so that it cannot be narrowed.
func (t Token) Seal() (Token, error) {
	switch {
	case len(t.blocks) == 0:
		return Token{}, invalid("there is none")
	case t.secret == nil:
		return Token{}, invalid("it is sealed already").WithFix("use it as it is")
	}
	return Token{blocks: t.blocks, seal: ed25519.Sign(t.secret, t.sealed())}, nil
}

// sealed returns what a seal covers: the domain and the last signature, which covers the whole
// chain.
func (t Token) sealed() []byte {
	return append([]byte(domainSeal), t.blocks[len(t.blocks)-1].signature...)
}

// Sealed reports whether the token cannot be narrowed.
func (t Token) Sealed() bool { return t.seal != nil }

// Grants returns the grants of the blocks, first to last, unverified.
func (t Token) Grants() []Grant {
	grants := make([]Grant, len(t.blocks))
	for i := range t.blocks {
		grants[i] = t.blocks[i].grant
	}
	return cloneGrants(grants)
}

// Extends reports whether the token equals another one, or was narrowed or sealed from it. It
// verifies nothing.
func (t Token) Extends(from Token) bool {
	if len(from.blocks) == 0 || len(t.blocks) < len(from.blocks) || from.Sealed() && !t.Sealed() {
		return false
	}
	for i := range from.blocks {
		a, b := &t.blocks[i], &from.blocks[i]
		if !bytes.Equal(a.signature, b.signature) || !bytes.Equal(a.append(nil), b.append(nil)) {
			return false
		}
	}
	return true
}

// Verify returns what the token allows, if its chain begins with the board's key, is complete,
// belongs to the tenant, never widens and is valid at now.
func (t Token) Verify(key ed25519.PublicKey, tenant string, now time.Time) (*Access, error) {
	if now.IsZero() {
		return nil, fault.New(fault.InvalidArgument, "now: it is not given").WithFix("give the current time")
	}
	if len(t.blocks) == 0 {
		return nil, invalid("there is none")
	}
	if err := t.verifySignatures(key); err != nil {
		return nil, err
	}
	a, err := accessOf(t.Grants())
	if err != nil {
		return nil, err
	}
	a.sealed = t.Sealed()
	if a.tenant != tenant {
		return nil, invalid("it is for another tenant").WithFix("use it with the tenant that it was minted for")
	}
	if err := a.At(now); err != nil {
		return nil, err
	}
	return a, nil
}

// verifySignatures follows the chain from the board's key to the secret or seal.
func (t Token) verifySignatures(key ed25519.PublicKey) error {
	forged := invalid("it was not signed by this board's key, or was changed").
		WithFix("ask its issuer for another; a new key of the board ends all earlier tokens")
	for i := range t.blocks {
		b := &t.blocks[i]
		if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, t.signed(i, b.append(nil)), b.signature) {
			return forged
		}
		key = b.next
	}
	if t.secret != nil {
		if !bytes.Equal(public(t.secret), key) {
			return forged
		}
		return nil
	}
	if !ed25519.Verify(key, t.sealed(), t.seal) {
		return forged
	}
	return nil
}

func public(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

// newKey draws a random key.
func newKey(random io.Reader) (ed25519.PrivateKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, fault.Newf(fault.Internal, "scope token: draw a key: %w", err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}
