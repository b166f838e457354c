package board

import (
	"fmt"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// FrameAt reads the frame at a position. A redacted record that is not overwritten yet
// counts as erased.
func (b *Board) FrameAt(s State, position uint64) (journal.Frame, error) {
	return b.FrameIn(s, position, false)
}

// FrameIn is FrameAt for callers that know whether the tenant is whole in the snapshot:
// nothing of it was erased then.
func (b *Board) FrameIn(s State, position uint64, whole bool) (journal.Frame, error) {
	if position >= s.Tenant.Size {
		return journal.Frame{}, fault.Newf(fault.NotFound, "tenant %q has no position %d; its newest is %d", s.Tenant.Name, position, int64(s.Tenant.Size)-1)
	}
	at, ok, err := ledger.At(s.Reader, s.Tenant.Number, position)
	if err != nil {
		return journal.Frame{}, err
	}
	if !ok {
		return journal.Frame{}, fault.Newf(fault.Damaged, "the index has no place for position %d of tenant %q", position, s.Tenant.Name).
			WithFix("`lukasa rebuild` rebuilds the index from the journal")
	}
	gone := false
	if !whole {
		if _, gone, err = ledger.Erased(s.Reader, s.Tenant.Number, position); err != nil {
			return journal.Frame{}, err
		}
	}
	f, err := b.log.Read(at.LSN, nil)
	if gone && apply.Bodiless(err) {
		err = nil // half overwritten: its erasure is under way
	}
	if err != nil {
		return f, fmt.Errorf("position %d of tenant %q: %w", position, s.Tenant.Name, err)
	}
	switch {
	case gone:
		f.Erased, f.Body = true, nil
	case apply.Blank(&f):
		// It may have been erased since the snapshot was taken.
		if _, since, err := ledger.Erased(b.store, s.Tenant.Number, position); err != nil {
			return f, err
		} else if since {
			f.Erased, f.Body = true, nil
			break
		}
		return f, fault.Newf(fault.Damaged, "position %d of tenant %q is blank on the disk, but no redaction erased it", position, s.Tenant.Name)
	}
	if merkle.LeafHash(f.Header) != at.Leaf {
		return f, fault.Newf(fault.Damaged, "position %d of tenant %q: the journal and the index disagree about its leaf", position, s.Tenant.Name)
	}
	return f, nil
}

// Unerased reports whether nothing of a tenant was erased.
func Unerased(s State) (bool, error) {
	any, err := ledger.AnyErased(s.Reader, s.Tenant.Number)
	return !any, err
}

// wholeAt is a cheaper FrameAt for tenants without erasures, and readers that see only
// committed records.
func (b *Board) wholeAt(s State, position uint64) (journal.Frame, error) {
	f, _, err := b.WholeLeafAt(s, position)
	return f, err
}

// WholeLeafAt is wholeAt with the hash of the header.
func (b *Board) WholeLeafAt(s State, position uint64) (f journal.Frame, leaf merkle.Hash, err error) {
	place, ok, err := b.places.At(s.Reader, s.Tenant.Number, s.Tenant.Size, position)
	if err == nil && ok {
		f, err := b.log.Read(place.LSN, nil)
		if err == nil && !apply.Blank(&f) && merkle.LeafHash(f.Header) == place.Leaf {
			return f, place.Leaf, nil
		}
	}
	if f, err = b.FrameAt(s, position); err == nil { // it reports the problem
		leaf = merkle.LeafHash(f.Header)
	}
	return f, leaf, err
}

// HeaderAt reads the header of the record at a position.
func (b *Board) HeaderAt(s State, position uint64) (record.Header, error) {
	f, err := b.FrameAt(s, position)
	if err != nil && !apply.Bodiless(err) {
		return record.Header{}, err
	}
	return record.ParseHeader(f.Header)
}
