package lukasa

import (
	"context"
	"time"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/scope"
)

// What a token grants. docs/formats/scope.md describes tokens.
type (
	// Grant is what one block of a token says.
	Grant = scope.Grant
	// Selectors are lists that pick things and events.
	Selectors = scope.Selectors
	// ScopeMode says whether a scope may write.
	ScopeMode = scope.Mode
)

// The modes of a scope.
const (
	ScopeRead  = scope.Read
	ScopeWrite = scope.Write
)

// Scope is what a verified token allows: what every one of its grants allows,
// and the least of their bounds.
type Scope struct {
	ID           string // shared by all tokens that were narrowed from one
	Tenant       string
	By           string // who minted it
	To           string // the agent that it was granted to last
	Mode         ScopeMode
	BudgetTokens int       // 0 for no limit
	NotBefore    time.Time // zero if it always was good
	Expires      time.Time
	Trust        Trust
	Grants       []Grant // first to last
	Sealed       bool    // it cannot be narrowed
}

// noScope stands for an empty token: a token that nothing accepts, so that one
// that got lost on its way does not open everything.
const noScope = "lukasa_scope_1."

// Scoped returns a handle whose every call carries a token: it sees and writes
// what the token allows, in the name of the agent that it was granted to. What
// it writes is trusted no further than this handle, nor than the token says. The
// token is verified by each call, and not here.
//
// A handle with a scope gives handles with the same or a narrower one only: a
// token that does not go on where its own ends is refused by every call.
func (t *Tenant) Scoped(token string) *Tenant {
	if token == "" || t.scope != "" && !extends(token, t.scope) {
		token = noScope
	}
	return &Tenant{engine: t.engine, name: t.name, writer: Writer{Trust: t.writer.Trust, Scope: token}, scope: token}
}

// extends reports whether a token is another one, or was narrowed from it.
func extends(token, from string) bool {
	if token == from {
		return true
	}
	longer, err := scope.Parse(token)
	if err != nil {
		return false
	}
	shorter, err := scope.Parse(from)
	return err == nil && longer.Extends(shorter)
}

// view gives a view the token of the handle. One that brings another token with
// it is refused by whoever verifies it.
func (t *Tenant) view(v View) View {
	switch {
	case t.scope == "":
	case v.Scope == "" || v.Scope == t.scope:
		v.Scope = t.scope
	case !extends(v.Scope, t.scope):
		v.Scope = noScope
	}
	return v
}

// unscoped refuses what cannot be narrowed to a scope, if the handle has one.
func (t *Tenant) unscoped(ctx context.Context, what string) error {
	return t.engine.Unscoped(ctx, t.name, t.scope, what)
}

// MintScope returns a token for an agent of this tenant. The writer of the
// handle is who grants it; it must be trusted as a user at least, and gives no
// more trust than it has. Tenant and By are filled in. To, Include and Expires
// must be given, and the end be at most 366 days away.
func (t *Tenant) MintScope(ctx context.Context, g Grant) (string, error) {
	return t.engine.MintScope(ctx, t.writer, t.name, g)
}

// CheckScope verifies a token for this tenant and returns what it allows.
func (t *Tenant) CheckScope(ctx context.Context, token string) (*Scope, error) {
	if t.scope != "" && !extends(token, t.scope) {
		token = noScope
	}
	a, err := t.engine.CheckScope(ctx, t.name, token)
	if err != nil {
		return nil, err
	}
	s := &Scope{
		ID: a.ID(), Tenant: a.Tenant(), By: a.By(), To: a.Agent(), Mode: ScopeRead, BudgetTokens: a.Budget(),
		NotBefore: a.NotBefore(), Expires: a.Expires(), Trust: a.Trust(), Grants: a.Grants(), Sealed: a.Sealed(),
	}
	if a.MayWrite() {
		s.Mode = ScopeWrite
	}
	return s, nil
}

// NarrowScope returns the token with a further grant, which can only take away.
// It needs no board and asks nobody. To is put below the agent that the token
// was granted to: tests becomes coder/tests. What is left out stays as it was.
func NarrowScope(token string, g Grant) (string, error) { return engine.NarrowScope(token, g) }

// SealScope returns the token so that nobody can narrow it any further.
func SealScope(token string) (string, error) {
	t, err := scope.Parse(token)
	if err != nil {
		return "", err
	}
	if t, err = t.Seal(); err != nil {
		return "", err
	}
	return t.String(), nil
}

// InspectScope returns what a token says of itself: its grants, first to last,
// and whether it is sealed. It needs no board, and so nothing of it is
// verified: anybody can make a token that says anything. [Tenant.CheckScope]
// verifies.
func InspectScope(token string) (grants []Grant, sealed bool, err error) {
	t, err := scope.Parse(token)
	if err != nil {
		return nil, false, err
	}
	return t.Grants(), t.Sealed(), nil
}
