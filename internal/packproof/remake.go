package packproof

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/packer"
	"lukasa.dev/internal/retrieval"
)

// Remade says whether a repetition with the same root and request gave the same pack.
type Remade string

// The results of the repetition. There is none if it would prove nothing, or its inputs
// are missing; [PackProof.Unchecked] says which.
const (
	RemadeYes         Remade = "yes"
	RemadeNo          Remade = "no"
	RemadeNotPossible Remade = "not possible"
)

// again is a pack that is made again.
type again struct {
	b      *Prover
	o      packer.PackOptions
	digest string // the expected digest
	erased bool   // something was erased since
}

// repack makes a pack again from its request and compares the digests. Why says what
// prevented that.
func (b *Prover) repack(ctx context.Context, tenant string, r pack.Request, m *packer.Metadata, o VerifyPackOptions, erased bool) (remade Remade, why string, err error) {
	switch {
	case r.Model != "" && o.Embedder == nil:
		return RemadeNotPossible, fmt.Sprintf("the model %q had a part in it, and is not at hand", r.Model), nil
	case r.Scope != "" && o.Scope == "":
		return RemadeNotPossible, "it was made under a scope, whose token is not at hand", nil
	case r.Scope != "" && packer.ScopeDigest(o.Scope) != r.Scope:
		return RemadeNotPossible, "it was made under another scope than that of the token at hand", nil
	}
	var passed time.Time
	if r.Passed.Set {
		passed = r.Passed.Value.Time()
	}
	a := again{b: b, digest: m.Digest, erased: erased}
	a.o = packer.PackOptions{
		Tenant: tenant, Query: r.Query, Budget: r.Budget, Strategy: r.Strategy, Counter: r.Counter, Weights: r.Weights,
		SectionWeights: r.SectionWeights, MinRelevance: r.MinRelevance, Sections: r.Sections, Tags: r.Tags, Session: r.Session,
		Priors: r.Priors, AsOf: retrieval.AsOfAgain(o.Far, passed, o.Progress), View: board.View{Agent: r.Agent, Now: r.Now.Value.Time(), Conditions: r.Conditions},
	}
	if !r.Now.Set {
		a.o.View.Now = (board.View{}).Now
	}
	if r.Scope != "" {
		a.o.View.Scope = o.Scope
	}
	if r.Model != "" {
		a.o.Embedder = o.Embedder
	}
	if a.o.AsOf.Root = hmx.Some(merkle.EmptyRoot()); m.Size > 0 {
		a.o.AsOf.Position, a.o.AsOf.Root = hmx.Some(m.Size-1), hmx.Opt[merkle.Hash]{}
	}
	remade, why, err = a.compare(ctx)
	switch code := fault.CodeOf(err); {
	case errors.Is(err, retrieval.ErrTooFar):
		return RemadeNotPossible, fmt.Sprintf("its state has more than %d records and is a past one, which takes long to replay", b.retrieval.PastRecords()), nil
	case code == fault.ScopeExpired || code == fault.ScopeInvalid:
		return RemadeNotPossible, "the scope that it was made under has expired, or is not for this tenant", nil
	}
	return remade, why, err
}

// erasedWhy says why a pack cannot be made again.
const erasedWhy = "something was erased since, which may have had a part in it"

// compare makes the pack again with the visibility of then and, if something is hidden
// from the caller since, with that of now: it may have been requested as of its state.
func (a *again) compare(ctx context.Context) (Remade, string, error) {
	same, hidden, err := a.same(ctx)
	if err == nil && !same && hidden {
		a.o.AsOf = retrieval.Hiding(a.o.AsOf)
		same, _, err = a.same(ctx)
	}
	switch {
	case err != nil:
		return "", "", err
	case same:
		return RemadeYes, "", nil
	case a.erased:
		return RemadeNotPossible, erasedWhy, nil
	case hidden:
		return RemadeNotPossible, "something is hidden now from whom it was made for, which may have had a part in it", nil
	case a.o.Embedder != nil:
		return RemadeNotPossible, "the model that had a part in it gives another vector, or none", nil
	}
	return RemadeNo, "", nil
}

// same makes the pack again, and reports whether it is the same, and whether something is
// hidden from the caller since.
func (a *again) same(ctx context.Context) (same, hidden bool, err error) {
	err = a.b.packer.Assemble(ctx, &a.o, func(p *packer.Assembly) error {
		res, err := p.Compose(ctx)
		if err != nil {
			return err
		}
		digest, err := packer.StatedDigest(res.Pack)
		same, hidden = digest == a.digest, p.HiddenSince
		return err
	})
	return same, hidden, err
}

// erasedSince reports whether something of a tenant was erased after it had size records.
func erasedSince(ctx context.Context, s board.State, size uint64) (bool, error) {
	if size == s.Tenant.Size {
		return false, nil
	}
	n := 0
	for e, err := range ledger.Erasures(s.Reader) {
		if n++; err == nil && n%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return false, err
		}
		if e.Tenant == s.Tenant.Number && e.By >= size {
			return true, nil
		}
	}
	return false, nil
}
