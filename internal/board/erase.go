package board

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
)

// Erasure says what a redaction did.
type Erasure struct {
	// Receipts are signed notes, one for each redaction record: the one that
	// was written now, and those that had erased some of it before.
	Receipts [][]byte
	// Redaction is the position of the record that was written now, if Written.
	Redaction uint64
	Written   bool
	Erased    int // payloads erased now
	Already   int // things that had been erased before
	// Unsigned says why there are no receipts, when the erasure itself is done.
	Unsigned error
	// Warning says that the memory outside the directory could not be used.
	// The receipts are good all the same.
	Warning error
}

// Redact erases things and events, with their whole history, for good: on the
// disk, in every index, and against coming back. When it returns, the payloads
// are overwritten. Index files that are no longer in use may hold names until
// [Board.Purge]. No scope may do it.
func (b *Board) Redact(ctx context.Context, w Writer, uris []memory.URI) (*Erasure, error) {
	if len(uris) > 0 {
		if err := b.RefuseScope(ctx, uris[0].Tenant, w, memory.OpRedact, uris[0].String()); err != nil {
			return nil, err
		}
	}
	return b.redact(ctx, w, uris, true)
}

// redact is Redact. Unless keepOut, the content may come again under another id.
func (b *Board) redact(ctx context.Context, w Writer, uris []memory.URI, keepOut bool) (*Erasure, error) {
	if len(uris) == 0 {
		return nil, fault.New(fault.InvalidArgument, "uris: nothing is named").WithFix("name what is to be erased")
	}
	tenant := uris[0].Tenant
	for _, u := range uris {
		if u.Tenant != tenant {
			return nil, fault.New(fault.InvalidArgument, "uris: they belong to more than one tenant").WithFix("erase one tenant's at a time")
		}
		if u.Version != 0 {
			return nil, fault.Newf(fault.InvalidArgument, "uris: %s names one version, but a thing is erased with all of its history", u).
				WithFix("leave the #version away")
		}
	}
	if err := memory.CheckTenant(tenant); err != nil {
		return nil, err
	}
	if err := memory.CheckActor(w.Actor); err != nil {
		return nil, err
	}
	id, err := b.ids.Next()
	if err != nil {
		return nil, err
	}
	var key []byte
	if keepOut {
		key = make([]byte, 32)
		if _, err := io.ReadFull(b.o.Random, key); err != nil {
			return nil, err
		}
	}
	out := &Erasure{}
	before := make(map[uint64]bool) // redactions that had erased some of it
	err = b.Submit(ctx, &Request{Alone: true, Admit: func(g *Group) error {
		return g.redact(w, tenant, id, key, uris, out, before)
	}})
	if err != nil {
		return nil, err
	}
	if out.Written {
		if err := b.FinishErasures(ctx); err != nil {
			return nil, err
		}
		before[out.Redaction] = true
	}
	return out, b.Read(ctx, tenant, func(r kv.Reader, t *ledger.Tenant) error {
		for _, position := range slices.Sorted(maps.Keys(before)) {
			signed, err := b.receipt(r, t, position)
			if err != nil {
				out.Unsigned = err
				return nil
			}
			out.Receipts = append(out.Receipts, signed.Note)
			out.Warning = fault.First(out.Warning, signed.Warning)
		}
		return nil
	})
}

// redact collects what is to be erased and puts the record that says so.
func (g *Group) redact(w Writer, tenant, id string, key []byte, uris []memory.URI, out *Erasure, before map[uint64]bool) error {
	t, err := g.Tenant(tenant)
	if err != nil {
		return err
	}
	if t.Key != nil && key != nil {
		key = t.Key
	}
	red := &memory.Redaction{Key: key}
	seen := make(map[uint64]bool)
	for _, u := range uris {
		targets, by, err := g.targetsOf(w, t, u, key)
		if err != nil {
			return err
		}
		if targets == nil {
			out.Already++
			before[by] = true
		}
		for _, target := range targets {
			if !seen[target.Position] {
				seen[target.Position] = true
				red.Targets = append(red.Targets, target)
			}
		}
	}
	if len(red.Targets) == 0 {
		return nil
	}
	return g.putRedaction(w, tenant, id, red, out)
}

// putRedaction puts the record of a redaction.
func (g *Group) putRedaction(w Writer, tenant, id string, red *memory.Redaction, out *Erasure) error {
	keyed := false
	for _, t := range red.Targets {
		keyed = keyed || t.Content != record.Hash{}
	}
	if !keyed {
		red.Key = nil
	}
	e, err := g.b.ControlEntry(w, tenant, id, red)
	if err != nil {
		return err
	}
	out.Erased, out.Written = len(red.Targets), true
	out.Redaction, err = g.Put(e)
	return err
}

// targetsOf returns every record about what a URI names, and what was made of it
// by a model, or the position of the redaction that erased it before.
func (g *Group) targetsOf(w Writer, t *ledger.Tenant, u memory.URI, key []byte) (targets []memory.RedactionTarget, by uint64, err error) {
	targets, by, err = g.recordsOf(w, t, u, key)
	if err != nil || targets == nil {
		return nil, by, err
	}
	made, err := madeOf(g.tx, t, u)
	if err != nil {
		return nil, 0, g.Stop(err)
	}
	for _, m := range made {
		// A vector or a title is no content that could be sent again.
		more, _, err := g.recordsOf(w, t, m, nil)
		if err != nil {
			return nil, 0, err
		}
		targets = append(targets, more...)
	}
	return targets, 0, nil
}

// madeOf returns what models made of what a URI names: embeddings and refinements.
func madeOf(r kv.Reader, t *ledger.Tenant, u memory.URI) (list []memory.URI, err error) {
	var failed error
	u.Version = 0
	for _, kind := range []record.Kind{record.Embedding, record.Refinement} {
		err = catalog.ReferrersOf(r, t.Number, u.String(), kind, func(x catalog.Referrer) bool {
			var h *catalog.Head
			if h, _, failed = catalog.HeadOf(r, t.Number, x.Kind, x.Thing); failed == nil && h != nil {
				list = append(list, memory.URI{Tenant: t.Name, Kind: x.Kind, ID: h.ID})
			}
			return failed == nil
		})
		if err = fault.First(failed, err); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// recordsOf returns every record about what a URI names.
func (g *Group) recordsOf(w Writer, t *ledger.Tenant, u memory.URI, key []byte) (targets []memory.RedactionTarget, by uint64, err error) {
	id := record.ID(t.Name, u.Kind, u.ID)
	if u.Kind == record.Event {
		position, ok, err := ledger.Find(g.tx, t.Number, &id)
		if err != nil {
			return nil, 0, g.Stop(err)
		}
		if !ok {
			return nil, 0, fault.Newf(fault.NotFound, "tenant %q has no event %q", t.Name, u.ID)
		}
		if by, gone, err := ledger.Erased(g.tx, t.Number, position); err != nil {
			return nil, 0, g.Stop(err)
		} else if gone {
			return nil, by, nil
		}
		target, err := g.target(w, t, u.Kind, position, id, key)
		return []memory.RedactionTarget{target}, 0, err
	}
	thing := catalog.ThingOf(t.Name, u.Kind, u.ID)
	h, ok, err := catalog.HeadOf(g.tx, t.Number, u.Kind, thing)
	if err != nil {
		return nil, 0, g.Stop(err)
	}
	if !ok {
		return nil, 0, fault.Newf(fault.NotFound, "tenant %q has no %s %q", t.Name, u.Kind, u.ID)
	}
	if h.State == catalog.Redacted {
		return nil, h.Position, nil
	}
	if err := Outranks(w, h); err != nil {
		return nil, 0, err
	}
	entries, err := catalog.Entries(g.tx, t.Number, u.Kind, thing)
	if err != nil {
		return nil, 0, g.Stop(err)
	}
	for _, e := range entries {
		if e.Op == catalog.Expiry {
			continue // its record names others too, and this one by position only
		}
		k := key
		if e.Op != catalog.Put {
			k = nil
		}
		target, err := g.target(w, t, u.Kind, e.Position, id, k)
		if err != nil {
			return nil, 0, err
		}
		targets = append(targets, target)
	}
	return targets, 0, nil
}

// target describes one record that is to be erased. Without a key, its content
// may come again.
func (g *Group) target(w Writer, t *ledger.Tenant, kind record.Kind, position uint64, id record.Hash, key []byte) (memory.RedactionTarget, error) {
	target := memory.RedactionTarget{Kind: kind, Position: position, ID: id}
	f, err := g.b.HeadAt(g.tx, t, position)
	if fault.CodeOf(err) == fault.Damaged {
		// Where its payload is and who may erase it are both in its header.
		return target, fault.Newf(fault.Damaged, "position %d of tenant %q cannot be erased, because its header cannot be read: %w", position, t.Name, err).
			WithFix("`lukasa verify --deep` says what is damaged; put the journal back from a copy, then erase it")
	}
	if err != nil {
		return target, g.Stop(err)
	}
	// A payload that cannot be read may be erased all the same, but not by
	// anyone, and what it said is not known any more.
	r, decoding := apply.Decode(&f)
	if r.Header.Trust > w.ceiling() {
		return target, fault.Newf(fault.Untrusted, "position %d was written with trust %s; a writer of trust %s may not erase it", position, r.Header.Trust, w.ceiling()).
			WithFix("have someone of tier " + r.Header.Trust.String() + " erase it")
	}
	if key == nil || decoding != nil {
		return target, nil
	}
	if r.Event != nil {
		if mac, ok := memory.EventMAC(key, r.Event); ok {
			target.Content = mac
		}
	} else if r.Body != nil {
		if mac, ok := memory.BodyMAC(key, r.Body); ok {
			target.Content = mac
		}
	}
	return target, nil
}

// HeadAt reads the frame at a position. A body that cannot be read is left
// away; the header is the one that the tenant's tree has.
func (b *Board) HeadAt(r kv.Reader, t *ledger.Tenant, position uint64) (journal.Frame, error) {
	at, ok, err := ledger.At(r, t.Number, position)
	if err != nil {
		return journal.Frame{}, err
	}
	if !ok {
		return journal.Frame{}, fault.Newf(fault.Damaged, "the index has no place for position %d of tenant %q", position, t.Name).
			WithFix("`lukasa rebuild` makes the index anew from the journal")
	}
	f, err := b.log.Read(at.LSN, nil)
	if apply.Bodiless(err) {
		f.Body, err = nil, nil
	}
	if err != nil {
		return f, err
	}
	if merkle.LeafHash(f.Header) != at.Leaf {
		return f, fault.Newf(fault.Damaged, "position %d of tenant %q: the journal and the index disagree about its leaf", position, t.Name)
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

// finishErasures overwrites what redactions took out of the index. The index is
// flushed first: were it behind after a crash, it could no longer look up in
// the payload which of its keys are to go.
func (b *Board) finishErasures() error {
	b.erasing.Lock()
	defer b.erasing.Unlock()
	var lsns []journal.LSN
	var done []ledger.UndoneErasure
	for u, err := range ledger.Undone(b.store) {
		if err != nil {
			return err
		}
		// A note is not enough to overwrite anything: a record must say so, and
		// one that was written after what it erases.
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

// overwrite erases payloads on the disk, after the index is there to stay.
func (b *Board) overwrite(lsns []journal.LSN) error {
	if len(lsns) == 0 {
		return nil
	}
	if err := b.store.Flush(); err != nil {
		return err
	}
	return b.log.Erase(lsns)
}

// ErasedPlaces walks over everything that was ever erased and calls visit with
// where it lies. What names itself or something younger as erased is not
// believed.
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

// blankAt reports whether nothing of a payload is on the disk. One that cannot
// be read is not known to be gone.
func (b *Board) blankAt(lsn journal.LSN) (bool, error) {
	f, err := b.log.Read(lsn, nil)
	if apply.Bodiless(err) {
		return false, nil
	}
	return err == nil && apply.Blank(&f), err
}

// eraseAgain overwrites every erased payload that is on the disk all the same:
// a file of the journal may have been put back from a copy.
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
			unread = fault.First(unread, err) // the others are erased all the same
		case err != nil:
			return err
		case !blank:
			lsns = append(lsns, lsn)
		}
		return nil
	})
	return fault.First(err, b.overwrite(lsns), unread)
}

// finishAll finishes every erasure, also such as had been finished before.
func (b *Board) finishAll(ctx context.Context) error {
	if err := b.Enter(ctx); err != nil {
		return err
	}
	defer b.Leave()
	return fault.First(b.finishErasures(), b.eraseAgain(ctx), b.ForgetErased())
}

// Purge rewrites the index so that nothing deleted is left in its files, and
// overwrites what was erased and is on the disk again.
func (b *Board) Purge(ctx context.Context) error {
	if err := b.finishAll(ctx); err != nil {
		return err
	}
	// Reads that began before the deletions keep what they see; those that
	// begin from now on do not.
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

// drained runs a function when nothing else is under way.
func (b *Board) drained(f func() error) error {
	if err := b.EnterAlone(); err != nil {
		return err
	}
	defer b.LeaveAlone()
	return f()
}

// receipt signs a receipt for the redaction at a position.
func (b *Board) receipt(r kv.Reader, t *ledger.Tenant, position uint64) (notary.Signed, error) {
	f, err := b.FrameAt(r, t, position)
	if err != nil {
		return notary.Signed{}, err
	}
	rec, err := apply.Decode(&f)
	if err != nil {
		return notary.Signed{}, err
	}
	out := notary.Receipt{Time: time.Unix(0, rec.Header.Time).UTC(), Redaction: position}
	switch c := rec.Control.(type) {
	case *memory.Redaction:
		for _, target := range c.Targets {
			out.Erased = add(out.Erased, target.Kind, target.ID, target.Position)
		}
	case *memory.Expiry:
		for _, target := range c.Targets {
			if target.Kind != record.Event {
				continue // a thing keeps its history
			}
			g, err := b.HeadAt(r, t, target.Position)
			if err != nil {
				return notary.Signed{}, err
			}
			h, err := record.ParseHeader(g.Header)
			if err != nil {
				return notary.Signed{}, err
			}
			out.Erased = add(out.Erased, target.Kind, h.ID, target.Position)
		}
	default:
		return notary.Signed{}, fault.Newf(fault.NotFound, "position %d of tenant %q is a %s, not a redaction", position, t.Name, rec.Header.Kind)
	}
	if len(out.Erased) == 0 {
		return notary.Signed{}, fault.Newf(fault.NotFound, "position %d of tenant %q is an expiry that erased nothing: a thing that is over keeps its history", position, t.Name)
	}
	if err := b.seeBlank(r, t, out.Erased); err != nil {
		return notary.Signed{}, err
	}
	return b.notary.SignReceipt(t.Name, out, b.TreeIn(r, t))
}

// seeBlank refuses unless every payload that a receipt is to name is seen to be
// gone from the disk. The caller has the gate.
func (b *Board) seeBlank(r kv.Reader, t *ledger.Tenant, list []notary.Erased) error {
	err := b.lookBlank(r, t, list)
	if err == nil {
		return nil
	}
	// It may be under way, or not have been finished the last time.
	if undone := b.finishErasures(); undone != nil && fault.CodeOf(undone) != fault.Damaged {
		return undone
	}
	return b.lookBlank(r, t, list)
}

func (b *Board) lookBlank(r kv.Reader, t *ledger.Tenant, list []notary.Erased) error {
	for _, e := range list {
		for _, position := range e.Positions {
			at, ok, err := ledger.At(r, t.Number, position)
			if err != nil {
				return err
			}
			blank := false
			if ok {
				if blank, err = b.blankAt(at.LSN); err != nil {
					return fmt.Errorf("position %d of tenant %q: %w", position, t.Name, err)
				}
			}
			if !blank {
				return fault.Newf(fault.Damaged, "position %d of tenant %q was erased, but its payload is on the disk, so no receipt is signed", position, t.Name).
					WithFix("`lukasa redact --purge` overwrites it; then ask for the receipt again")
			}
		}
	}
	return nil
}

// add adds a position to what is erased of an id.
func add(list []notary.Erased, kind record.Kind, id record.Hash, position uint64) []notary.Erased {
	for i := range list {
		if list[i].ID == id && list[i].Kind == kind {
			list[i].Positions = append(list[i].Positions, position)
			return list
		}
	}
	return append(list, notary.Erased{Kind: kind, ID: id, Positions: []uint64{position}})
}

// TreeIn is a tenant's tree as the notary sees it. It may have grown, and a
// longer one may have been signed, since the snapshot was taken; the notary
// then asks for it again.
func (b *Board) TreeIn(r kv.Reader, t *ledger.Tenant) notary.Tree {
	tree := TreeOf(r, t)
	tree.Fresh = func(use func(notary.Tree) error) error {
		snap := b.store.Snapshot()
		defer snap.Close()
		now, ok, err := ledger.Lookup(snap, t.Name)
		if err != nil {
			return err
		}
		if !ok {
			return fault.Newf(fault.Damaged, "tenant %q is no longer in the index", t.Name)
		}
		return use(TreeOf(snap, now))
	}
	return tree
}

// TreeOf returns the tree of a tenant in a snapshot, for the notary.
func TreeOf(r kv.Reader, t *ledger.Tenant) notary.Tree {
	return notary.Tree{Size: t.Size, Root: t.Tree.Root(), RootAt: func(size uint64) (merkle.Hash, error) { return RootWhen(r, t, size) }}
}

// Receipt returns the signed receipt of the redaction at a position.
func (b *Board) Receipt(ctx context.Context, tenant string, redaction uint64) (notary.Signed, error) {
	var signed notary.Signed
	err := b.Read(ctx, tenant, func(r kv.Reader, t *ledger.Tenant) (err error) {
		signed, err = b.receipt(r, t, redaction)
		return err
	})
	return signed, err
}
