package board

import (
	"context"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// MintScope returns the text of a token for an agent of a tenant. The writer
// stands in it as who granted it; it must be trusted as a user at least, and
// gives no more trust than it has. A writer with a scope mints nothing: it
// narrows its own token. Nothing is recorded.
func (b *Board) MintScope(ctx context.Context, w Writer, tenant string, g scope.Grant) (string, error) {
	if err := b.RefuseScope(ctx, tenant, w, memory.OpMint, "a scope for "+g.To); err != nil {
		return "", err
	}
	if err := EnterTenant(ctx, tenant); err != nil {
		return "", err
	}
	if err := b.Enter(ctx); err != nil {
		return "", err
	}
	defer b.Leave()
	if err := w.check(); err != nil {
		return "", err
	}
	for _, err := range []error{memory.CheckTenant(tenant), memory.CheckActor(w.Actor)} {
		if err != nil {
			return "", err
		}
	}
	if w.ceiling() < record.User {
		return "", fault.Newf(fault.Untrusted, "scope: a writer of trust %s may not grant one", w.ceiling()).
			WithFix("have someone of tier user or operator grant it, or narrow a token that you have")
	}
	if g.Trust > w.ceiling() {
		return "", fault.Newf(fault.Untrusted, "trust: a writer of trust %s cannot give more than it has", w.ceiling()).
			WithFix("give a tier of at most " + w.ceiling().String())
	}
	if g.Tenant != "" && g.Tenant != tenant || g.By != "" && g.By != w.Actor {
		return "", fault.New(fault.ScopeInvalid, "tenant, by: they are the tenant's and the writer's own").WithFix("leave them out")
	}
	g.Tenant, g.By = tenant, w.Actor
	now := b.o.Clock()
	switch {
	case g.Expires.IsZero(): // told by the token's own rules
	case !g.Expires.Truncate(time.Second).After(now):
		return "", fault.New(fault.ScopeInvalid, "expires: it is over already").WithFix("give a time to come")
	case g.Expires.After(now.Add(scope.MaxLife)):
		return "", fault.Newf(fault.ScopeInvalid, "expires: it is more than %d days from now", int(scope.MaxLife/(24*time.Hour))).
			WithFix("give an earlier end; a token that is over is replaced by a new one")
	}
	if err := cleanSelectors(&g); err != nil {
		return "", err
	}
	key, err := b.notary.ScopeKey()
	if err != nil {
		return "", err
	}
	token, err := scope.Mint(key, g)
	if err != nil {
		return "", err
	}
	return token.String(), nil
}

// CheckScope verifies a token for a tenant, and returns what it allows.
func (b *Board) CheckScope(ctx context.Context, tenant, token string) (*scope.Access, error) {
	if token == "" {
		return nil, fault.New(fault.ScopeInvalid, "scope token: there is none").WithFix("give the text of one")
	}
	if err := b.Enter(ctx); err != nil {
		return nil, err
	}
	defer b.Leave()
	return b.access(tenant, token, time.Time{})
}

// Unscoped refuses a token that is given where none may be: what the caller is
// about to do cannot be narrowed to a scope. No token is no scope.
func (b *Board) Unscoped(ctx context.Context, tenant, token, what string) error {
	if token == "" {
		return nil
	}
	if _, err := b.CheckScope(ctx, tenant, token); err != nil {
		return err
	}
	return fault.Newf(fault.OutOfScope, "%s: no scope may do this", what)
}

// NarrowScope adds a block to a token, which can only take away. It needs no
// board, and verifies nothing.
func NarrowScope(token string, g scope.Grant) (string, error) {
	t, err := scope.Parse(token)
	if err != nil {
		return "", err
	}
	if err := cleanSelectors(&g); err != nil {
		return "", err
	}
	if t, err = t.Narrow(g); err != nil {
		return "", err
	}
	return t.String(), nil
}

// cleanSelectors refuses selectors of frames whose references are not in their
// one spelling: they would pick nothing, and nobody is to believe that such a
// selector excludes anything.
func cleanSelectors(g *scope.Grant) error {
	for _, list := range [][]string{g.Include.Frames, g.Exclude.Frames} {
		for _, selector := range list {
			head, ref, ok := strings.Cut(selector, "=")
			_, object, _ := strings.Cut(head, ":")
			begin, star := strings.CutSuffix(ref, "*")
			if !ok || star && begin == "" {
				continue
			}
			clean := kind.CleanRef(memory.ObjectKind(object), begin)
			if clean != begin && !(star && clean+"/" == begin) {
				return fault.Newf(fault.ScopeInvalid, "frames: %.40q is not spelled as references are kept", ref).
					WithFix("write paths and addresses in their shortest form, without ./ and .. and with hosts in lower case")
			}
		}
	}
	return nil
}
