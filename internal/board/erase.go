package board

import (
	"context"
	"fmt"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/notary"
)

// HeadAt reads the frame at a position. An unreadable body is left out; the header
// is the one in the tenant's tree.
func (b *Board) HeadAt(s State, position uint64) (journal.Frame, error) {
	at, ok, err := ledger.At(s.Reader, s.Tenant.Number, position)
	if err != nil {
		return journal.Frame{}, err
	}
	if !ok {
		return journal.Frame{}, fault.Newf(fault.Damaged, "the index has no place for position %d of tenant %q", position, s.Tenant.Name).
			WithFix("`lukasa rebuild` rebuilds the index from the journal")
	}
	f, err := b.log.Read(at.LSN, nil)
	if apply.Bodiless(err) {
		f.Body, err = nil, nil
	}
	if err != nil {
		return f, err
	}
	if merkle.LeafHash(f.Header) != at.Leaf {
		return f, fault.Newf(fault.Damaged, "position %d of tenant %q: the journal and the index disagree about its leaf", position, s.Tenant.Name)
	}
	return f, nil
}

// FinishErasures is finishErasures for an open board.
func (b *Board) FinishErasures(ctx context.Context) error {
	if err := b.Enter(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	defer b.Leave()
	return b.finishErasures()
}

// finishErasures overwrites the payloads of redacted records. It flushes the index
// first: if the index were behind after a crash, it could no longer derive from
// the payload which of its keys to delete.
func (b *Board) finishErasures() error {
	b.erasing.Lock()
	defer b.erasing.Unlock()
	var lsns []journal.LSN
	var done []ledger.UndoneErasure
	for u, err := range ledger.Undone(b.store) {
		if err != nil {
			return err
		}
		// A note alone must not cause an overwrite: a record must say so, and one
		// that is newer than what it erases.
		by, ok, err := ledger.Erased(b.store, u.Tenant, u.Position)
		if err != nil {
			return err
		}
		if !ok || by <= u.Position {
			done = append(done, u)
			continue
		}
		place, ok, err := ledger.At(b.store, u.Tenant, u.Position)
		if err != nil {
			return err
		}
		if ok {
			lsns, done = append(lsns, place.LSN), append(done, u)
		}
	}
	if len(done) > 0 {
		if err := b.ForgetErased(); err != nil {
			return err
		}
	}
	if err := b.overwrite(lsns); err != nil || len(done) == 0 {
		return err
	}
	tx := b.store.Begin()
	for _, u := range done {
		if err := ledger.Done(tx, u); err != nil {
			_ = tx.Discard()
			return err
		}
	}
	return tx.Commit()
}

// overwrite erases payloads on the disk, after the index is durable.
func (b *Board) overwrite(lsns []journal.LSN) error {
	if len(lsns) == 0 {
		return nil
	}
	if err := b.store.Flush(); err != nil {
		return err
	}
	return b.log.Erase(lsns)
}

// ErasedPlaces visits every erased record with its address. A record that claims
// to erase itself or a newer one is ignored.
func ErasedPlaces(ctx context.Context, r kv.Reader, visit func(tenant uint32, position uint64, lsn journal.LSN) error) error {
	n := 0
	for e, err := range ledger.Erasures(r) {
		if n++; n%1024 == 0 && err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if e.By <= e.Position {
			continue
		}
		place, ok, err := ledger.At(r, e.Tenant, e.Position)
		if err == nil && ok {
			err = visit(e.Tenant, e.Position, place.LSN)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// blankAt reports whether nothing of a payload is on the disk. An unreadable one
// is not known to be gone.
func (b *Board) blankAt(lsn journal.LSN) (bool, error) {
	f, err := b.log.Read(lsn, nil)
	if apply.Bodiless(err) {
		return false, nil
	}
	return err == nil && apply.Blank(&f), err
}

// eraseAgain overwrites erased payloads that are on the disk again: a file of the
// journal may have been restored from a copy.
func (b *Board) eraseAgain(ctx context.Context) error {
	b.erasing.Lock()
	defer b.erasing.Unlock()
	snap := b.store.Snapshot()
	defer snap.Close()
	var lsns []journal.LSN
	var unread error
	err := ErasedPlaces(ctx, snap, func(_ uint32, _ uint64, lsn journal.LSN) error {
		blank, err := b.blankAt(lsn)
		switch {
		case fault.CodeOf(err) == fault.Damaged:
			unread = fault.First(unread, err) // still erase the others
		case err != nil:
			return err
		case !blank:
			lsns = append(lsns, lsn)
		}
		return nil
	})
	return fault.First(err, b.overwrite(lsns), unread)
}

// finishAll completes every erasure, including those that had been completed
// before.
func (b *Board) finishAll(ctx context.Context) error {
	if err := b.Enter(ctx); err != nil {
		return err
	}
	defer b.Leave()
	return fault.First(b.finishErasures(), b.eraseAgain(ctx), b.ForgetErased())
}

// Purge rewrites the index so that nothing deleted is left in its files, and
// overwrites erased payloads that are on the disk again.
func (b *Board) Purge(ctx context.Context) error {
	if err := b.finishAll(ctx); err != nil {
		return err
	}
	// Reads that began before the deletions keep their snapshots; later ones do
	// not see them.
	if err := b.drained(func() error { return fault.First(b.toFollowers(Follower.Purging), b.store.Touch()) }); err != nil {
		return err
	}
	if err := b.Enter(ctx); err != nil {
		return err
	}
	err := b.store.Purge(ctx)
	b.Leave()
	if err != nil {
		return err
	}
	return b.drained(func() error { return b.store.Cleaned(ctx) })
}

// drained runs a function while no other operation runs.
func (b *Board) drained(f func() error) error {
	if err := b.EnterAlone(); err != nil {
		return err
	}
	defer b.LeaveAlone()
	return f()
}

// CheckErased refuses unless every payload of a receipt is verified to be gone
// from the disk. The caller holds the gate.
func (b *Board) CheckErased(s State, list []notary.Erased) error {
	err := b.lookBlank(s, list)
	if err == nil {
		return nil
	}
	// The erasure may be under way, or have been interrupted.
	if undone := b.finishErasures(); undone != nil && fault.CodeOf(undone) != fault.Damaged {
		return undone
	}
	return b.lookBlank(s, list)
}

func (b *Board) lookBlank(s State, list []notary.Erased) error {
	for _, e := range list {
		for _, position := range e.Positions {
			at, ok, err := ledger.At(s.Reader, s.Tenant.Number, position)
			if err != nil {
				return err
			}
			blank := false
			if ok {
				if blank, err = b.blankAt(at.LSN); err != nil {
					return fmt.Errorf("position %d of tenant %q: %w", position, s.Tenant.Name, err)
				}
			}
			if !blank {
				return fault.Newf(fault.Damaged, "position %d of tenant %q was erased, but its payload is on the disk, so no receipt is signed", position, s.Tenant.Name).
					WithFix("`lukasa redact --purge` overwrites it; then ask for the receipt again")
			}
		}
	}
	return nil
}

// TreeIn is a tenant's tree as the notary sees it. It may have grown, and a longer
// one may have been signed, since the snapshot was taken; the notary then asks for
// it again.
func (b *Board) TreeIn(s State) notary.Tree {
	tree := TreeOf(s)
	tree.Fresh = func(use func(notary.Tree) error) error {
		snap := b.store.Snapshot()
		defer snap.Close()
		now, ok, err := ledger.Lookup(snap, s.Tenant.Name)
		if err != nil {
			return err
		}
		if !ok {
			return fault.Newf(fault.Damaged, "tenant %q is no longer in the index", s.Tenant.Name)
		}
		return use(TreeOf(State{Reader: snap, Tenant: now}))
	}
	return tree
}

// TreeOf returns the tree of a tenant in a snapshot, for the notary.
func TreeOf(s State) notary.Tree {
	return notary.Tree{Size: s.Tenant.Size, Root: s.Tenant.Tree.Root(), RootAt: func(size uint64) (merkle.Hash, error) { return RootWhen(s, size) }}
}
