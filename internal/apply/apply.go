// Package apply folds the journal into the indexes, in order.
//
// Every fold stores its format number and its cursor, the LSN up to which it has folded
// the journal, next to its keys. Both change in the transaction that changes the keys.
// So at any moment and after any crash, a store is the fold of a prefix of the journal,
// and [Applier.CatchUp] brings it to the end. A fold with another format than the
// code's starts from nothing; so does every fold of an empty store.
//
// # What is guaranteed
//
// Live and in a replay, the folds see the same records in the same order, so that a
// rebuilt store answers as the old one did. Records that were erased in between are the
// exception, and the folds make it irrelevant: an erased record leaves the same keys
// whether it was erased before or after it was folded. A record that removes what it
// must not remove is damage, and ends the fold: see [Applier.Load].
//
// # What is not
//
// Apply does not write to the journal and does not decide what is admitted.
package apply

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/deeds"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/graph"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/lexical"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/index/vector"
	"lukasa.dev/internal/index/weights"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// groupRecords is how many records a replay commits at once, unless what they fold into
// reaches groupBytes first.
const (
	groupRecords = 2048
	groupBytes   = 32 << 20
)

// Applier feeds the folds of one store. It is used by one goroutine at a time.
type Applier struct {
	store *kv.Store
	log   *journal.Log

	Ledger   *ledger.Ledger
	Catalog  *catalog.Catalog
	Timeline *timeline.Timeline
	folds    []index.Fold
}

// New returns an applier of all folds.
func New(store *kv.Store, log *journal.Log) *Applier {
	a := &Applier{
		store: store, log: log,
		Ledger: ledger.New(), Catalog: catalog.New(), Timeline: timeline.New(),
	}
	// The ledger is first: it gives tenants their numbers.
	a.folds = append([]index.Fold{a.Ledger, a.Catalog, a.Timeline}, others()...)
	return a
}

// others returns the folds whose keys are read directly.
func others() []index.Fold {
	return []index.Fold{
		frame.New(), weights.New(), roster.New(), lexical.New(), vector.New(embed.Builtin().Name()), graph.New(), deeds.New(),
	}
}

// Apart returns the prefixes of the keys that are written in order, for [kv.Options]:
// large values by position.
func Apart() []string {
	return []string{"Gd", "Lp", "Rl", "Vq", "Xd"}
}

// Rows returns the prefixes of the keys with a small value per position, for
// [kv.Options]: a tenant, a position, and an optional rest. A change here changes the
// format of the folds of these tables.
func Rows() []string {
	return []string{"Gd", "Lp", "Vq", "Xd"}
}

// Apply feeds one record to every fold.
func (a *Applier) Apply(tx *kv.Txn, r *index.Record) error {
	return a.feed(tx, r, nil, 0)
}

// feed is Apply for the folds that have not seen the record's LSN.
func (a *Applier) feed(tx *kv.Txn, r *index.Record, cursors []journal.LSN, lsn journal.LSN) error {
	t, err := a.Ledger.For(tx, r.Header.Tenant)
	if err != nil {
		return err
	}
	r.Tenant = t.Number
	for i, f := range a.folds {
		if cursors != nil && cursors[i] > lsn {
			continue
		}
		if err := f.Apply(tx, r); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return nil
}

// Finish ends a group: the folds write what they keep in memory and their cursors to
// the transaction, which is then ready to be committed.
func (a *Applier) Finish(tx *kv.Txn, cursor journal.LSN) error {
	if err := a.Settle(tx); err != nil {
		return err
	}
	return a.Advance(tx, cursor)
}

// Settle is the part of Finish that needs no journal: the folds write what they keep in
// memory to the transaction.
func (a *Applier) Settle(tx *kv.Txn) error {
	for _, f := range a.folds {
		if err := f.Finish(tx); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return nil
}

// Advance is the rest of Finish: it writes the cursors.
func (a *Applier) Advance(tx *kv.Txn, cursor journal.LSN) error {
	for _, f := range a.folds {
		if err := setCursor(tx, f, cursor); err != nil {
			return err
		}
	}
	return nil
}

// Discard drops a group: the transaction, and what the folds keep in memory.
func (a *Applier) Discard(tx *kv.Txn) {
	for _, f := range a.folds {
		f.Reset()
	}
	_ = tx.Discard() // nothing of it was acknowledged
}

// Decode returns the record in a frame of the journal. A payload that breaks the rules
// of its kind is damage, since no such payload is admitted.
func Decode(f *journal.Frame) (index.Record, error) {
	return DecodeLeaf(f, merkle.LeafHash(f.Header))
}

// DecodeLeaf is Decode for callers that know the hash of the frame's header.
func DecodeLeaf(f *journal.Frame, leaf merkle.Hash) (index.Record, error) {
	h, err := record.ParseHeader(f.Header)
	if err != nil {
		return index.Record{}, fault.Newf(fault.Damaged, "the record at LSN %d: %w", f.LSN, err)
	}
	r := index.Record{LSN: f.LSN, Header: h, Leaf: leaf}
	if Blank(f) {
		return r, nil
	}
	if len(f.Body) < record.SaltSize {
		return r, fault.Newf(fault.Damaged, "the record at LSN %d has no salt", f.LSN)
	}
	r.Payload = f.Body[record.SaltSize:]
	if err := DecodePayload(&r); err != nil {
		return r, fault.Newf(fault.Damaged, "the payload of the record at LSN %d: %w", f.LSN, err)
	}
	return r, nil
}

// Blank reports whether a record has no payload any more: it was erased, here or before
// it was imported.
func Blank(f *journal.Frame) bool { return f.Erased || len(f.Body) == 0 }

// DecodePayload decodes a record's payload by its kind.
func DecodePayload(r *index.Record) (err error) {
	switch r.Header.Kind {
	case record.Event:
		r.Event, _, err = hmx.DecodeEvent(r.Payload)
	case record.Tombstone, record.Redaction, record.Expiry, record.Transition:
		r.Control, err = memory.DecodeControl(r.Header.Kind, r.Payload)
	default:
		r.Body, err = memory.Decode(r.Header.Kind, r.Payload)
	}
	return err
}

// read reads one record. A half overwritten body counts as erased: its erasure is under
// way.
func (a *Applier) read(lsn journal.LSN) (index.Record, error) {
	f, err := a.log.Read(lsn, nil)
	damaged := Bodiless(err)
	if damaged {
		f.Erased, err = true, nil
	}
	if err != nil {
		return index.Record{}, err
	}
	r, err := Decode(&f)
	r.Damaged = damaged
	return r, err
}

// Bodiless reports whether err is damage of a record's body alone, so that the frame
// returned with it has a header.
func Bodiless(err error) bool {
	d, ok := errors.AsType[*journal.Damage](err)
	return ok && d.Part == journal.PartBody
}

// Alone reports whether a record must be folded in a group of its own, because its fold
// reads what earlier records wrote.
func Alone(k record.Kind) bool { return k == record.Redaction || k == record.Expiry }

// cursorKey is the key of a fold's format and cursor.
func cursorKey(f index.Fold) []byte { return []byte{f.Prefix(), 0} }

func setCursor(tx *kv.Txn, f index.Fold, cursor journal.LSN) error {
	v := binary.BigEndian.AppendUint32(nil, f.Format())
	return tx.SetBlind(cursorKey(f), binary.BigEndian.AppendUint64(v, uint64(cursor)))
}

// cursor returns the cursor of a fold, and false if it must start from nothing.
func cursor(r kv.Reader, f index.Fold) (at journal.LSN, ok bool, err error) {
	v, ok, err := r.Get(cursorKey(f), nil)
	if err != nil || !ok || len(v) != 12 {
		return 0, false, err
	}
	return journal.LSN(binary.BigEndian.Uint64(v[4:])), binary.BigEndian.Uint32(v) == f.Format(), nil
}

// Cursor returns the least and the greatest cursor of a store's folds, whatever their
// formats. Both are zero for a store without folds.
func Cursor(r kv.Reader) (least, most journal.LSN, err error) {
	for i, f := range append([]index.Fold{ledger.New(), catalog.New(), timeline.New()}, others()...) {
		at, _, err := cursor(r, f)
		if err != nil {
			return 0, 0, err
		}
		if i == 0 || at < least {
			least = at
		}
		most = max(most, at)
	}
	return least, most, nil
}

// Progress receives the progress of a replay: the LSN reached, the LSN of the end, and
// the records so far.
type Progress func(done, end journal.LSN, records uint64)

// CatchUp brings every fold to the end of the journal. It returns the damage that it
// passed over: unreadable payloads. An unreadable header ends it, since no record after
// it has a known position.
func (a *Applier) CatchUp(ctx context.Context, tell Progress) ([]journal.Damage, error) {
	cursors := make([]journal.LSN, len(a.folds))
	from := a.log.End()
	for i, f := range a.folds {
		at, ok, err := cursor(a.store, f)
		if err != nil {
			return nil, err
		}
		if !ok {
			if err := a.empty(f); err != nil {
				return nil, err
			}
			at = 0
		}
		cursors[i] = at
		from = min(from, at)
	}
	if from >= a.log.End() {
		return nil, nil
	}
	return a.replay(ctx, from, cursors, tell)
}

// empty deletes every key of a fold.
func (a *Applier) empty(f index.Fold) error {
	f.Reset()
	tx := a.store.Begin()
	if err := tx.DeleteRange([]byte{f.Prefix()}, []byte{f.Prefix() + 1}); err != nil {
		return err
	}
	return tx.Commit()
}

func (a *Applier) replay(ctx context.Context, from journal.LSN, cursors []journal.LSN, tell Progress) (passed []journal.Damage, err error) {
	scan := a.log.Scan(from)
	var (
		tx      = a.store.Begin()
		held    int
		records uint64
		end     = a.log.End()
	)
	commit := func(next journal.LSN) error {
		for i, f := range a.folds {
			if err := f.Finish(tx); err != nil {
				return err
			}
			if err := setCursor(tx, f, max(next, cursors[i])); err != nil {
				return err
			}
		}
		// The replayed records stay in the journal, so this may fail when nothing can
		// be flushed.
		if err := a.store.MakeRoom(); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		if tell != nil {
			tell(next, end, records)
		}
		tx, held = a.store.Begin(), 0
		return ctx.Err()
	}
	defer func() {
		if err != nil {
			a.Discard(tx)
		} else {
			_ = tx.Discard()
		}
	}()
	last := from
	ahead := readAhead(ctx, scan)
	defer ahead.stop()
	for {
		item, ok := ahead.next()
		if !ok {
			break
		}
		if item.passed != nil {
			passed = append(passed, *item.passed)
		}
		if item.err != nil {
			return passed, item.err
		}
		r := &item.record
		if Alone(r.Header.Kind) {
			if err := commit(item.at); err != nil {
				return passed, err
			}
			_ = tx.Discard()
			tx = a.store.BeginIndexed()
			if err := a.Load(tx, r); err != nil {
				return passed, err
			}
		}
		if err := a.feed(tx, r, cursors, item.at); err != nil {
			return passed, err
		}
		held++
		records++
		last = item.next
		if held >= groupRecords || tx.Size() >= groupBytes || Alone(r.Header.Kind) {
			if err := commit(last); err != nil {
				return passed, err
			}
		}
	}
	return passed, commit(last)
}
