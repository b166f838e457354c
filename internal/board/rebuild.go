package board

import (
	"context"
	"errors"
	"fmt"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// Rebuild builds a new index from the journal and replaces the old one. Until
// then the old one stays; a failed or interrupted rebuild changes nothing. All
// other operations wait meanwhile.
func (b *Board) Rebuild(ctx context.Context, tell apply.Progress) error {
	b.gate.Lock()
	defer b.gate.Unlock()
	if b.closed {
		return ErrClosed()
	}
	if err := b.Failed(); err != nil {
		return err
	}
	_ = b.store.Close() // what it could not flush is in the journal
	b.store = nil
	remade := fault.First(b.remake(ctx, tell), b.forgetAll())
	if err := b.OpenStore(); err != nil {
		b.closed = true
		return errors.Join(fault.First(remade, err), b.release())
	}
	b.serve()
	// An index that is behind the journal must not be written.
	if _, err := b.applier.CatchUp(context.WithoutCancel(ctx), nil); err != nil {
		return fault.First(remade, b.fail(err))
	}
	// As at the opening: Verify reports what is damaged.
	if err := b.finishErasures(); err != nil && fault.CodeOf(err) != fault.Damaged {
		return fault.First(remade, err)
	}
	return remade
}

// remake builds an index beside the one in use and swaps the two. No index may
// be open.
func (b *Board) remake(ctx context.Context, tell apply.Progress) error {
	if err := b.sweep(); err != nil {
		return err
	}
	store, err := b.OpenIndex(nameRebuilt)
	if err != nil {
		return err
	}
	b.passed, err = apply.New(store, b.log).CatchUp(ctx, tell)
	if err := fault.First(err, store.Close()); err != nil {
		return fault.First(err, b.sweep())
	}
	if _, err := b.o.FS.Stat(b.Path(NameIndex)); err == nil {
		if err := b.o.FS.Rename(b.Path(NameIndex), b.Path(nameOld)); err != nil {
			return fmt.Errorf("put the old index aside: %w", disk.Fault(err))
		}
	}
	if err := b.o.FS.Rename(b.Path(nameRebuilt), b.Path(NameIndex)); err != nil {
		return fmt.Errorf("put the new index in its place: %w", disk.Fault(err))
	}
	if err := disk.SyncDir(b.o.FS, b.dir); err != nil {
		return disk.Fault(err)
	}
	return b.sweep()
}
