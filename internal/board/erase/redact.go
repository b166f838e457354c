package erase

import (
	"context"
	"io"
	"maps"
	"slices"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Erasure is the result of a redaction.
type Erasure struct {
	// Receipts are signed notes, one for each redaction record: the new one, and
	// earlier ones that had erased some of the records.
	Receipts [][]byte
	// Redaction is the position of the new record, if Written.
	Redaction uint64
	Written   bool
	Erased    int // payloads erased now
	Already   int // records that had been erased before
	// Unsigned says why there are no receipts, although the erasure is done.
	Unsigned error
	// Warning says that the witness outside the directory could not be used. The
	// receipts are still valid.
	Warning error
}

// Redact erases versioned records and events, with their whole history, for
// good: on the disk, in every index, and against being sent again. When it
// returns, the payloads are overwritten. Index files that are no longer in use
// may hold names until [board.Board.Purge]. It is refused under a scope.
func (b *Eraser) Redact(ctx context.Context, w board.Writer, uris []memory.URI) (*Erasure, error) {
	if len(uris) > 0 {
		if err := b.core.RefuseScope(ctx, uris[0].Tenant, w, memory.OpRedact, uris[0].String()); err != nil {
			return nil, err
		}
	}
	return b.redact(ctx, w, uris, true)
}

// redact is Redact. Unless keepOut, the content may be sent again under another
// id.
func (b *Eraser) redact(ctx context.Context, w board.Writer, uris []memory.URI, keepOut bool) (*Erasure, error) {
	if len(uris) == 0 {
		return nil, fault.New(fault.InvalidArgument, "uris: nothing is named").WithFix("name the records to erase")
	}
	tenant := uris[0].Tenant
	for _, u := range uris {
		if u.Tenant != tenant {
			return nil, fault.New(fault.InvalidArgument, "uris: they belong to more than one tenant").WithFix("erase one tenant's at a time")
		}
		if u.Version != 0 {
			return nil, fault.Newf(fault.InvalidArgument, "uris: %s names one version, but a record is erased with all of its history", u).
				WithFix("leave the #version out")
		}
	}
	if err := memory.CheckTenant(tenant); err != nil {
		return nil, err
	}
	if err := memory.CheckActor(w.Actor); err != nil {
		return nil, err
	}
	id, err := b.core.NewID()
	if err != nil {
		return nil, err
	}
	var key []byte
	if keepOut {
		key = make([]byte, 32)
		if _, err := io.ReadFull(b.core.Options().Random, key); err != nil {
			return nil, err
		}
	}
	out := &Erasure{}
	before := make(map[uint64]bool) // redactions that had erased some of it
	err = b.core.Submit(ctx, &board.Request{Alone: true, Admit: func(g *board.Group) error {
		return redactIn(g, w, tenant, id, key, uris, out, before)
	}})
	if err != nil {
		return nil, err
	}
	if out.Written {
		if err := b.core.FinishErasures(ctx); err != nil {
			return nil, err
		}
		before[out.Redaction] = true
	}
	return out, b.core.Read(ctx, tenant, func(s board.State) error {
		for _, position := range slices.Sorted(maps.Keys(before)) {
			signed, err := b.receipt(s, position)
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

// redactIn collects what to erase and writes the record of the redaction.
func redactIn(g *board.Group, w board.Writer, tenant, id string, key []byte, uris []memory.URI, out *Erasure, before map[uint64]bool) error {
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
		targets, by, err := targetsOf(g, w, t, u, key)
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
	return putRedaction(g, w, tenant, id, red, out)
}

// putRedaction writes the record of a redaction.
func putRedaction(g *board.Group, w board.Writer, tenant, id string, red *memory.Redaction, out *Erasure) error {
	keyed := false
	for _, t := range red.Targets {
		keyed = keyed || t.Content != record.Hash{}
	}
	if !keyed {
		red.Key = nil
	}
	e, err := g.Board().ControlEntry(w, tenant, id, red)
	if err != nil {
		return err
	}
	out.Erased, out.Written = len(red.Targets), true
	out.Redaction, err = g.Put(e)
	return err
}

// targetsOf returns every record about a URI, and what models derived from it,
// or the position of the redaction that erased it before.
func targetsOf(g *board.Group, w board.Writer, t *ledger.Tenant, u memory.URI, key []byte) (targets []memory.RedactionTarget, by uint64, err error) {
	targets, by, err = recordsOf(g, w, t, u, key)
	if err != nil || targets == nil {
		return nil, by, err
	}
	made, err := madeOf(g.State(t), u)
	if err != nil {
		return nil, 0, g.Stop(err)
	}
	for _, m := range made {
		// A vector or a title is not content that could be sent again.
		more, _, err := recordsOf(g, w, t, m, nil)
		if err != nil {
			return nil, 0, err
		}
		targets = append(targets, more...)
	}
	return targets, 0, nil
}

// madeOf returns what models derived from a URI's record: embeddings and
// refinements.
func madeOf(s board.State, u memory.URI) (list []memory.URI, err error) {
	var failed error
	u.Version = 0
	for _, kind := range []record.Kind{record.Embedding, record.Refinement} {
		err = catalog.ReferrersOf(s.Reader, s.Tenant.Number, u.String(), kind, func(x catalog.Referrer) bool {
			var h *catalog.Head
			if h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, x.Kind, x.Thing); failed == nil && h != nil {
				list = append(list, memory.URI{Tenant: s.Tenant.Name, Kind: x.Kind, ID: h.ID})
			}
			return failed == nil
		})
		if err = fault.First(failed, err); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// recordsOf returns every record about a URI.
func recordsOf(g *board.Group, w board.Writer, t *ledger.Tenant, u memory.URI, key []byte) (targets []memory.RedactionTarget, by uint64, err error) {
	id := record.ID(t.Name, u.Kind, u.ID)
	if u.Kind == record.Event {
		position, ok, err := ledger.Find(g.Tx(), t.Number, &id)
		if err != nil {
			return nil, 0, g.Stop(err)
		}
		if !ok {
			return nil, 0, fault.Newf(fault.NotFound, "tenant %q has no event %q", t.Name, u.ID)
		}
		if by, gone, err := ledger.Erased(g.Tx(), t.Number, position); err != nil {
			return nil, 0, g.Stop(err)
		} else if gone {
			return nil, by, nil
		}
		target, err := targetAt(g, w, t, u.Kind, position, id, key)
		return []memory.RedactionTarget{target}, 0, err
	}
	thing := catalog.ThingOf(t.Name, u.Kind, u.ID)
	h, ok, err := catalog.HeadOf(g.Tx(), t.Number, u.Kind, thing)
	if err != nil {
		return nil, 0, g.Stop(err)
	}
	if !ok {
		return nil, 0, fault.Newf(fault.NotFound, "tenant %q has no %s %q", t.Name, u.Kind, u.ID)
	}
	if h.State == catalog.Redacted {
		return nil, h.Position, nil
	}
	if err := board.Outranks(w, h); err != nil {
		return nil, 0, err
	}
	entries, err := catalog.Entries(g.Tx(), t.Number, u.Kind, thing)
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
		target, err := targetAt(g, w, t, u.Kind, e.Position, id, k)
		if err != nil {
			return nil, 0, err
		}
		targets = append(targets, target)
	}
	return targets, 0, nil
}

// targetAt returns the target of one record. Without a key, its content may be
// sent again.
func targetAt(g *board.Group, w board.Writer, t *ledger.Tenant, kind record.Kind, position uint64, id record.Hash, key []byte) (memory.RedactionTarget, error) {
	target := memory.RedactionTarget{Kind: kind, Position: position, ID: id}
	f, err := g.Board().HeadAt(g.State(t), position)
	if fault.CodeOf(err) == fault.Damaged {
		// The header says where its payload is and who may erase it.
		return target, fault.Newf(fault.Damaged, "position %d of tenant %q cannot be erased, because its header cannot be read: %w", position, t.Name, err).
			WithFix("`lukasa verify --deep` says what is damaged; put the journal back from a copy, then erase it")
	}
	if err != nil {
		return target, g.Stop(err)
	}
	// An unreadable payload may still be erased, but not by every writer, and
	// its content is unknown.
	r, decoding := apply.Decode(&f)
	if r.Header.Trust > w.Ceiling() {
		return target, fault.Newf(fault.Untrusted, "position %d was written with trust %s; a writer of trust %s may not erase it", position, r.Header.Trust, w.Ceiling()).
			WithFix("have a writer of tier " + r.Header.Trust.String() + " erase it")
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
