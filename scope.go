package lukasa

import (
	"context"
	"time"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/scope"
)

// Scope tokens. docs/formats/scope.md describes them.
type (
	// Grant is the content of one block of a token.
	Grant = scope.Grant
	// Selectors are lists that select records and events.
	Selectors = scope.Selectors
	// ScopeMode says whether a scope may write.
	ScopeMode = scope.Mode
)

// The modes of a scope.
const (
	ScopeRead  = scope.Read
	ScopeWrite = scope.Write
)

// Scope is what a verified token allows: the intersection of its grants, and the least of their
// bounds.
type Scope struct {
	ID           string // shared by all tokens narrowed from one
	Tenant       string
	By           string // who minted it
	To           string // the agent of the last grant
	Mode         ScopeMode
	BudgetTokens int       // 0 for no limit
	NotBefore    time.Time // zero if there is no such limit
	Expires      time.Time
	Trust        Trust
	Grants       []Grant // first to last
	Sealed       bool    // it cannot be narrowed
}

// noScope replaces an empty token: a token that is never accepted, so that a lost token does
// not give full access.
const noScope = "lukasa_scope_1."

// Scoped returns a handle whose calls carry a token: it sees and writes what the token allows,
// in the name of the token's agent. Its writes have at most the trust of this handle and of the
// token. Each call verifies the token; Scoped does not.
//
// A handle with a scope gives only handles with the same or a narrower one: a token that does
// not extend its own is refused by every call.
func (t *Tenant) Scoped(token string) *Tenant {
	if token == "" || t.scope != "" && !extends(token, t.scope) {
		token = noScope
	}
	return &Tenant{engine: t.engine, name: t.name, writer: Writer{Trust: t.writer.Trust, Scope: token}, scope: token}
}

// extends reports whether a token equals another one, or was narrowed from it.
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

// view adds the token of the handle to a view. Verification refuses a view with an unrelated
// token.
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

// unscoped refuses an operation that cannot be narrowed, if the handle has a scope.
func (t *Tenant) unscoped(ctx context.Context, what string) error {
	return t.engine.Unscoped(ctx, t.name, t.scope, what)
}

// MintScope returns a token for an agent of this tenant. The writer of the handle grants it; it
// needs at least the trust of a user, and cannot give more trust than it has. Tenant and By are
// filled in. To, Include and Expires are required, and the token lasts at most 366 days.
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

// NarrowScope returns the token with a further grant, which can only remove. It needs no board.
// It puts To below the token's agent: tests becomes coder/tests. What is left out is unchanged.
func NarrowScope(token string, g Grant) (string, error) { return engine.NarrowScope(token, g) }

// SealScope returns the token in a form that cannot be narrowed further.
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

// InspectScope returns the grants of a token, first to last, and whether it is sealed. It needs
// no board, so nothing is verified: a token can claim anything. [Tenant.CheckScope] verifies.
func InspectScope(token string) (grants []Grant, sealed bool, err error) {
	t, err := scope.Parse(token)
	if err != nil {
		return nil, false, err
	}
	return t.Grants(), t.Sealed(), nil
}
