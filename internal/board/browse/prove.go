package browse

import (
	"context"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
)

// ProveOptions selects a proof.
type ProveOptions struct {
	// Position of the record.
	Position uint64
	// Size of the tree to prove it in. Zero means the current tree.
	Size uint64
	// Withhold leaves salt and payload out: the proof then shows that a record
	// with this header exists, and not its content.
	Withhold bool
	// Unsigned leaves the checkpoint out.
	Unsigned bool
	// Warn is called if the witness outside the directory could not be used.
	// The proof is still valid.
	Warn func(error)
}

// Prove returns a proof that a record is in the tenant's tree.
func (b *Browser) Prove(ctx context.Context, tenant string, o ProveOptions) (*notary.Proof, error) {
	var p *notary.Proof
	err := b.core.Read(ctx, tenant, func(s board.State) error {
		size := o.Size
		if size == 0 {
			size = s.Tenant.Size
		}
		if size > s.Tenant.Size || o.Position >= size {
			return fault.Newf(fault.NotFound, "tenant %q has %d records: there is no proof of position %d in a tree of %d", tenant, s.Tenant.Size, o.Position, size)
		}
		f, err := b.core.FrameAt(s, o.Position)
		if err != nil {
			return err
		}
		nodes := ledger.Nodes(s.Reader, s.Tenant.Number)
		path, err := merkle.Inclusion(nodes, o.Position, size)
		if err != nil {
			return err
		}
		root, err := merkle.RootAt(nodes, size)
		if err != nil {
			return err
		}
		p = &notary.Proof{
			Tenant: tenant, Position: o.Position, Header: f.Header,
			LeafHash: merkle.LeafHash(f.Header), Size: size, Root: root, Path: path,
		}
		if !f.Erased && !o.Withhold {
			p.Salt, p.Payload = f.Body[:record.SaltSize], f.Body[record.SaltSize:]
		}
		if !o.Unsigned {
			signed, err := b.core.Notary().SignAt(tenant, b.core.TreeIn(s), size)
			if err != nil {
				return err
			}
			if signed.Warning != nil && o.Warn != nil {
				o.Warn(signed.Warning)
			}
			p.Checkpoint = string(signed.Note)
		}
		return nil
	})
	return p, err
}

// ProveConsistency returns a proof that the tree of size to continues the tree
// of size from. Zero for to means the current tree.
func (b *Browser) ProveConsistency(ctx context.Context, tenant string, from, to uint64) (*notary.ConsistencyProof, error) {
	var p *notary.ConsistencyProof
	err := b.core.Read(ctx, tenant, func(s board.State) error {
		if to == 0 {
			to = s.Tenant.Size
		}
		if from > to || to > s.Tenant.Size {
			return fault.Newf(fault.InvalidArgument, "from, to: there is no proof from size %d to size %d; tenant %q has %d records", from, to, tenant, s.Tenant.Size).
				WithFix("choose sizes with from <= to <= the tenant's size")
		}
		nodes := ledger.Nodes(s.Reader, s.Tenant.Number)
		path, err := merkle.Consistency(nodes, from, to)
		if err != nil {
			return err
		}
		p = &notary.ConsistencyProof{Tenant: tenant, From: from, To: to, Path: path}
		if p.FromRoot, err = merkle.RootAt(nodes, from); err != nil {
			return err
		}
		p.ToRoot, err = merkle.RootAt(nodes, to)
		return err
	})
	return p, err
}
