package engine

import (
	"context"
	"errors"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/pack"
)

// Remade says whether the same root and request gave the same pack once more.
type Remade string

// Whether a pack was made again. It is not where that would not give the same, as
// something was erased since or a model outside had a part in it, where the scope is
// needed that it was made under, or where it would cost more than a pack: for a state far
// back.
const (
	RemadeYes         Remade = "yes"
	RemadeNo          Remade = "no"
	RemadeNotPossible Remade = "not possible"
)

// errTooFar says that a state is too far back to be made again for a comparison.
var errTooFar = errors.New("the state is far back")

// repack makes a pack again from its request and compares the digests.
func (b *Board) repack(ctx context.Context, tenant string, r pack.Request, m *packMetadata) (Remade, error) {
	if r.Scope != "" || r.Model != "" {
		return RemadeNotPossible, nil
	}
	o := PackOptions{
		Tenant: tenant, Query: r.Query, Budget: r.Budget, Strategy: r.Strategy, Counter: r.Counter, Weights: r.Weights,
		SectionWeights: r.SectionWeights, MinRelevance: r.MinRelevance, Sections: r.Sections, Tags: r.Tags, Session: r.Session,
		Priors: r.Priors, AsOf: AsOf{again: true}, View: View{Agent: r.Agent, Now: r.Now.Value.Time()},
	}
	if !r.Now.Set {
		o.View.Now = (View{}).Now
	}
	if o.AsOf.Root = hmx.Some(merkle.EmptyRoot()); m.Size > 0 {
		o.AsOf.Position, o.AsOf.Root = hmx.Some(m.Size-1), hmx.Opt[merkle.Hash]{}
	}
	digest := ""
	err := b.packing(ctx, &o, func(p *packing) error {
		res, err := p.compose()
		if err == nil {
			digest, err = statedDigest(res.Pack)
		}
		return err
	})
	switch {
	case errors.Is(err, errTooFar):
		return RemadeNotPossible, nil
	case err != nil:
		return "", err
	case digest != m.Digest:
		return RemadeNo, nil
	}
	return RemadeYes, nil
}

// erasedSince reports whether something of a tenant was erased after it had so many
// records.
func erasedSince(ctx context.Context, r kv.Reader, t *ledger.Tenant, size uint64) (bool, error) {
	if size == t.Size {
		return false, nil
	}
	n := 0
	for e, err := range ledger.Erasures(r) {
		if n++; err == nil && n%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return false, err
		}
		if e.Tenant == t.Number && e.By >= size {
			return true, nil
		}
	}
	return false, nil
}
