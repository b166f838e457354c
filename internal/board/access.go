package board

import (
	"context"
	"math"
	"time"

	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/scope"
)

// Authorize returns a view with its scope verified. The agent of the view is the one that the
// token was granted to.
func (b *Board) Authorize(tenant string, v access.View) (access.View, error) {
	return b.authority.Authorize(tenant, v)
}

// ReadAs is Read for a view with its scope.
func (b *Board) ReadAs(ctx context.Context, tenant string, v access.View, f func(s State) error) error {
	v, err := b.Authorize(tenant, v)
	if err != nil {
		return err
	}
	return b.Read(ctx, tenant, func(st State) error {
		if err := access.Timely(v, st.Tenant); err != nil {
			return err
		}
		st.View = v
		if st.View, err = b.ByClock(st); err != nil {
			return err
		}
		return f(st)
	})
}

// ByClock returns the view of a read of the present: unless the caller sets a time, everything
// has expired or become valid whose time has come by the board's clock.
func (b *Board) ByClock(s State) (access.View, error) {
	if !s.View.Now.IsZero() {
		return s.View, nil
	}
	head := s.Tenant.Time
	if _, any, err := lastTurn(s, head, math.MaxInt64); err != nil || !any {
		return s.View, err
	}
	at, ok, err := lastTurn(s, head, index.Nanos(b.o.Clock()))
	if err != nil || !ok {
		return s.View, err
	}
	return access.Passed(s.View, at), nil
}

// lastTurn returns the latest time in (after, until] at which something expires or its validity
// begins or ends.
func lastTurn(s State, after, until int64) (at int64, ok bool, err error) {
	at, ok, err = catalog.LastTurn(s.Reader, s.Tenant.Number, after, until)
	if err != nil {
		return 0, false, err
	}
	event, there, err := timeline.LastTurn(s.Reader, s.Tenant.Number, after, until)
	if there && (!ok || event > at) {
		at, ok = event, true
	}
	return at, ok, err
}

// MintScope returns the text of a token for an agent of a tenant. The token names the writer
// as its granter; the writer needs at least the trust of a user, and grants no more trust
// than it has. A writer with a scope cannot mint; it can narrow its own token. Nothing is
// recorded.
func (b *Board) MintScope(ctx context.Context, w Writer, tenant string, g scope.Grant) (string, error) {
	if err := b.RefuseScope(ctx, tenant, w, memory.OpMint, "a scope for "+g.To); err != nil {
		return "", err
	}
	if err := b.EnterTenant(tenant); err != nil {
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
	return b.authority.Mint(tenant, w.Actor, w.Ceiling(), g)
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
	return b.authority.Access(tenant, token, time.Time{})
}

// Unscoped refuses a token for an operation that cannot be narrowed to a scope. An empty
// token means no scope.
func (b *Board) Unscoped(ctx context.Context, tenant, token, what string) error {
	if token == "" {
		return nil
	}
	if _, err := b.CheckScope(ctx, tenant, token); err != nil {
		return err
	}
	return fault.Newf(fault.OutOfScope, "%s: no scope may do this", what)
}
