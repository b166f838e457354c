package board

import (
	"context"
	"iter"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
)

// Root identifies the state of a tenant: the number of its records, and the root of the tree
// over them.
type Root struct {
	Tenant string
	Size   uint64
	Hash   merkle.Hash
	Time   time.Time // of the newest record; zero when there is none
}

// Root returns the current root of a tenant. A tenant without records has the root of the empty
// tree.
func (b *Board) Root(ctx context.Context, tenant string) (Root, error) {
	if err := memory.CheckTenant(tenant); err != nil {
		return Root{}, err
	}
	if err := b.EnterTenant(tenant); err != nil {
		return Root{}, err
	}
	if err := b.Enter(ctx); err != nil {
		return Root{}, err
	}
	defer b.Leave()
	t, ok, err := ledger.Lookup(b.store, tenant)
	if err != nil {
		return Root{}, err
	}
	if !ok {
		return Root{Tenant: tenant, Hash: merkle.EmptyRoot()}, nil
	}
	return RootOf(t), nil
}

// RootOf returns the root of a tenant in a snapshot.
func RootOf(t *ledger.Tenant) Root {
	return Root{Tenant: t.Name, Size: t.Size, Hash: t.Tree.Root(), Time: time.Unix(0, t.Time).UTC()}
}

// tenantsAtOnce is how many tenants an iteration looks up at a time.
const tenantsAtOnce = 1000

// Tenants iterates over the roots of all tenants but [SystemTenant], in the order of their first
// writes. The caller may use the board meanwhile; if a tenant is written, one of its roots is
// seen.
func (b *Board) Tenants(ctx context.Context) iter.Seq2[Root, error] {
	return func(yield func(Root, error) bool) {
		for from := uint32(0); ; {
			part, err := b.tenantsFrom(ctx, from)
			for _, t := range part {
				from = t.Number + 1
				if t.Name != SystemTenant && !yield(RootOf(t), nil) {
					return
				}
			}
			if err != nil {
				yield(Root{}, err)
				return
			}
			if len(part) < tenantsAtOnce {
				return
			}
		}
	}
}

// tenantsFrom returns some tenants, from a number on.
func (b *Board) tenantsFrom(ctx context.Context, from uint32) ([]*ledger.Tenant, error) {
	if err := b.Enter(ctx); err != nil {
		return nil, err
	}
	defer b.Leave()
	var part []*ledger.Tenant
	for t, err := range ledger.Tenants(b.store, from) {
		if err != nil {
			return part, err
		}
		if part = append(part, t); len(part) == tenantsAtOnce {
			break
		}
	}
	return part, nil
}

// CountTenants returns how many tenants have records, without [SystemTenant].
func (b *Board) CountTenants(ctx context.Context) (int, error) {
	if err := b.Enter(ctx); err != nil {
		return 0, err
	}
	defer b.Leave()
	n, err := ledger.Count(b.store)
	if err != nil {
		return 0, err
	}
	_, ok, err := ledger.Lookup(b.store, SystemTenant)
	if ok {
		n--
	}
	return n, err
}

// RootAt returns the root of a tenant at a given size.
func (b *Board) RootAt(ctx context.Context, tenant string, size uint64) (merkle.Hash, error) {
	var root merkle.Hash
	err := b.Read(ctx, tenant, func(s State) (err error) {
		root, err = RootWhen(s, size)
		return err
	})
	return root, err
}

// RootWhen returns the root of a tenant at a size.
func RootWhen(s State, size uint64) (merkle.Hash, error) {
	if size > s.Tenant.Size {
		return merkle.Hash{}, fault.Newf(fault.NotFound, "tenant %q has %d records, so it has no root of size %d", s.Tenant.Name, s.Tenant.Size, size)
	}
	return merkle.RootAt(ledger.Nodes(s.Reader, s.Tenant.Number), size)
}

// Read runs a read of one tenant on one snapshot. A tenant without records is
// not found.
func (b *Board) Read(ctx context.Context, tenant string, f func(s State) error) error {
	if err := memory.CheckTenant(tenant); err != nil {
		return err
	}
	if err := b.EnterTenant(tenant); err != nil {
		return err
	}
	if err := b.Enter(ctx); err != nil {
		return err
	}
	defer b.Leave()
	snap := b.store.Snapshot()
	defer snap.Close()
	t, ok, err := ledger.Lookup(snap, tenant)
	if err != nil {
		return err
	}
	if !ok {
		return fault.Newf(fault.NotFound, "tenant %q has no records here", tenant).WithFix("`lukasa root --all` lists the tenants")
	}
	return f(State{Reader: snap, Tenant: t})
}
