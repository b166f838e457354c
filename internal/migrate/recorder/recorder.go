// Package recorder records what was read from sources on a board.
//
// It guarantees that
//
//   - a source that is imported again adds nothing but what is new in it;
//   - an event that a hook recorded is not recorded again from a transcript; what only the
//     transcript knows of the outcome of a call becomes an event of its own;
//   - no record that exists is changed: what was changed, forgotten or erased on the board stays
//     so, unless the source has new content;
//   - no item gets more trust than its ceiling.
package recorder

import (
	"context"
	"hash/maphash"
	"reflect"
	"slices"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/secret"
)

// Events are recorded in batches of about this many, or this many bytes.
const (
	batchEvents = 1000
	batchBytes  = 4 << 20
)

// Counts are the outcomes of the items of a source.
type Counts struct {
	Events     int // recorded
	Duplicates int // events that are on record already
	Late       int // of those recorded, after one of their session with a higher sequence
	Memories   int // written
	Entities   int
	Relations  int
	Present    int // memories, entities and relations that are on record already
	Sessions   int // of the events
	Scrubbed   int // secrets that were removed before anything was recorded
}

// Options says how a [Recorder] records items.
type Options struct {
	Tenant string
	// Events is the writer of events, and Things that of memories, entities and relations.
	Events, Things lukasa.Writer
	// DryRun records nothing, and counts what would be.
	DryRun bool
	// Leave receives what was left out.
	Leave func(source.Left)
}

// Recorder is a [source.Sink] that records items on a board. It does not change records that exist:
// a memory that was changed or forgotten since its import stays so, unless the source has
// new content.
type Recorder struct {
	board  *lukasa.Board // nil for a dry run where there is none yet
	tenant *lukasa.Tenant
	o      Options
	counts Counts

	events   []*hmx.Event
	retold   []bool
	lines    []int
	ceiling  record.Trust
	bytes    int
	sessions map[uint64]bool
	seed     maphash.Seed
	dry      map[uint64]struct{} // hashes of the ids that a dry run has met
	heard    map[string]*heard
}

// New returns a recorder. Flush ends it. The board may be nil for a dry run.
func New(board *lukasa.Board, o Options) *Recorder {
	r := &Recorder{board: board, o: o, sessions: map[uint64]bool{}, seed: maphash.MakeSeed(), dry: map[uint64]struct{}{}}
	if board != nil {
		r.tenant = board.Tenant(o.Tenant, o.Things)
	}
	return r
}

// Counts returns the outcomes of the items so far. It is complete after Flush.
func (r *Recorder) Counts() Counts {
	c := r.counts
	c.Sessions = len(r.sessions)
	return c
}

// Leave implements Sink.
func (r *Recorder) Leave(l source.Left) {
	if r.o.Leave != nil {
		r.o.Leave(l)
	}
}

// leave reports what was left out.
func (r *Recorder) leave(line int, why source.Reason, detail string) {
	r.Leave(source.Left{Line: line, Reason: why, Detail: detail})
}

// Take implements Sink.
func (r *Recorder) Take(ctx context.Context, it source.Item) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if it.Body != nil {
		if err := r.Flush(ctx); err != nil {
			return err
		}
		return r.keep(ctx, it)
	}
	r.sessions[maphash.String(r.seed, it.Event.SessionID)] = true
	told, adds, err := r.told(ctx, it)
	if err != nil {
		return err
	}
	if told {
		r.counts.Duplicates++
		if adds == nil {
			return nil
		}
		it.Event = adds
	}
	if r.o.DryRun {
		return r.tryEvent(ctx, it)
	}
	if it.Ceiling != r.ceiling {
		if err := r.Flush(ctx); err != nil {
			return err
		}
		r.ceiling = it.Ceiling
	}
	r.events = append(r.events, it.Event)
	r.retold = append(r.retold, it.Retold)
	r.lines = append(r.lines, it.Line)
	r.bytes += it.Event.Size()
	if len(r.events) >= batchEvents || r.bytes >= batchBytes {
		return r.Flush(ctx)
	}
	return nil
}

// Flush records the pending items.
func (r *Recorder) Flush(ctx context.Context) error {
	if len(r.events) == 0 {
		return nil
	}
	events, retold, lines := r.events, r.retold, r.lines
	r.events, r.retold, r.lines, r.bytes = r.events[:0], r.retold[:0], r.lines[:0], 0
	res, err := r.board.Append(ctx, capped(r.o.Events, r.ceiling), events...)
	if res != nil {
		r.counts.Events += res.Accepted
		r.counts.Duplicates += res.Duplicates
		r.counts.Late += res.Late
		r.counts.Scrubbed += res.Scrubbed
		for i, receipt := range res.Receipts {
			if receipt.Disposition == lukasa.Refused {
				if err := r.refused(ctx, events[i], retold[i], lines[i], receipt.Fault); err != nil {
					return err
				}
			}
		}
	}
	clear(events)
	return err
}

// capped lowers the trust of a writer.
func capped(w lukasa.Writer, ceiling record.Trust) lukasa.Writer {
	if ceiling != 0 && (w.Trust == 0 || w.Trust > ceiling) {
		w.Trust = ceiling
	}
	return w
}

// refused handles an event that the board refused. An event on record with the same content is
// a duplicate, whichever file it was read from.
func (r *Recorder) refused(ctx context.Context, ev *hmx.Event, retold bool, line int, why *fault.Error) error {
	switch why.Code {
	case fault.Erased:
		r.leave(line, source.Erased, why.Error())
		return nil
	case fault.IDConflict:
		there, err := r.board.Tenant(ev.TenantID, r.o.Events).Event(ctx, ev.EventID)
		if err != nil {
			return err
		}
		if retold || byHook(there.Event) || sameEvent(there.Event, ev) {
			r.counts.Duplicates++
			return nil
		}
		if hasHooks(ev) && there.Event.SessionID != ev.SessionID && isCall(ev) {
			foreign.Apart(ev)
			return r.again(ctx, ev, line)
		}
		r.leave(line, source.Changed, "it is recorded with other content: "+why.Error())
		return nil
	}
	r.leave(line, source.Refused, why.Error())
	return nil
}

// again records an event with a new id.
func (r *Recorder) again(ctx context.Context, ev *hmx.Event, line int) error {
	res, err := r.board.Append(ctx, capped(r.o.Events, r.ceiling), ev)
	if res == nil || err != nil {
		return err
	}
	r.counts.Events += res.Accepted
	r.counts.Duplicates += res.Duplicates
	for _, receipt := range res.Receipts {
		if receipt.Disposition == lukasa.Refused && receipt.Fault.Code == fault.IDConflict {
			r.counts.Duplicates++
		} else if receipt.Disposition == lukasa.Refused {
			r.leave(line, source.Refused, receipt.Fault.Error())
		}
	}
	return nil
}

// isCall reports whether an event is about a call of a tool.
func isCall(ev *hmx.Event) bool {
	call, _ := told(ev)
	return call != "" || edited(ev) != ""
}

// sameEvent reports whether two events say the same, whichever file, line and session they
// were read from.
func sameEvent(a, b *hmx.Event) bool {
	if a.EventType != b.EventType {
		return false
	}
	x, err := withoutSecrets(a).Canonical()
	y, failed := withoutSecrets(b).Canonical()
	return err == nil && failed == nil && string(x) == string(y)
}

// withoutSecrets returns the content of an event as the board keeps it.
func withoutSecrets(ev *hmx.Event) hmx.Raw {
	clean, _ := secret.JSON(string(ev.Content))
	return hmx.Raw(clean)
}

// tryEvent counts the outcome that an event would have.
func (r *Recorder) tryEvent(ctx context.Context, it source.Item) error {
	if r.met(it.Event.EventID) {
		r.counts.Duplicates++
		return nil
	}
	if r.board == nil {
		r.counts.Events++
		return nil
	}
	_, err := r.board.Tenant(it.Event.TenantID, r.o.Events).Event(ctx, it.Event.EventID)
	switch fault.CodeOf(err) {
	case "":
		r.counts.Duplicates++
	case fault.NotFound:
		r.counts.Events++
	case fault.Erased:
		r.leave(it.Line, source.Erased, "it was erased here")
	default:
		return err
	}
	return nil
}

// maxMet is how many ids a dry run remembers, in about 300 MB. Later ones count as new.
const maxMet = 1 << 24

// met reports whether a dry run has met an id before, and remembers it.
func (r *Recorder) met(id string) bool {
	h := maphash.String(r.seed, id)
	if _, ok := r.dry[h]; ok {
		return true
	}
	if len(r.dry) < maxMet {
		r.dry[h] = struct{}{}
	}
	return false
}

// keep writes a versioned record, unless its content is on record already.
func (r *Recorder) keep(ctx context.Context, it source.Item) error {
	known, err := r.known(ctx, it)
	if err != nil || known {
		return err
	}
	if !r.o.DryRun {
		t := r.tenant
		if it.Ceiling != 0 {
			t = r.board.Tenant(r.o.Tenant, capped(r.o.Things, it.Ceiling))
		}
		put, err := t.Put(ctx, it.Body, lukasa.AnyVersion())
		if err != nil {
			return r.unkept(it, err)
		}
		if put.Unchanged {
			r.counts.Present++
			return nil
		}
		r.counts.Scrubbed += put.Scrubbed
	}
	switch it.Body.Kind() {
	case record.Entity:
		r.counts.Entities++
	case record.Relation:
		r.counts.Relations++
	default:
		r.counts.Memories++
	}
	return nil
}

// unkept reports why a record was not written. An error that is not about the record ends the
// import.
func (r *Recorder) unkept(it source.Item, err error) error {
	switch fault.CodeOf(err) {
	case fault.Erased:
		r.leave(it.Line, source.Erased, err.Error())
	case fault.InvalidArgument, fault.InvalidDocument, fault.IDConflict, fault.TooLarge, fault.Untrusted:
		r.leave(it.Line, source.Refused, err.Error())
	default:
		return err
	}
	return nil
}

// known reports whether the content of a record is there already, as its newest version or an
// earlier one, and counts it.
func (r *Recorder) known(ctx context.Context, it source.Item) (bool, error) {
	id, _ := it.Body.Identity()
	if r.o.DryRun && r.met(id) {
		r.counts.Present++
		return true, nil
	}
	if r.board == nil {
		return false, nil
	}
	ref := lukasa.Ref{Kind: it.Body.Kind(), ID: id}
	_, changes, err := r.tenant.History(ctx, ref, lukasa.View{})
	switch fault.CodeOf(err) {
	case "":
	case fault.NotFound:
		return false, nil
	case fault.Erased:
		r.leave(it.Line, source.Erased, err.Error())
		return true, nil
	default:
		return false, err
	}
	if n := len(changes); n > 0 && changes[n-1].Body == nil {
		r.leave(it.Line, source.Forgotten, "it was forgotten or has expired here")
		return true, nil
	}
	if slices.ContainsFunc(changes, func(c lukasa.Change) bool { return c.Body != nil && sameBody(c.Body, it.Body) }) {
		r.counts.Present++
		return true, nil
	}
	return false, nil
}

// sameBody reports whether two bodies say the same, whichever file they were read from.
func sameBody(a, b memory.Body) bool {
	x, y := plainBody(a), plainBody(b)
	return x != nil && reflect.DeepEqual(x, y)
}

// plainBody returns the members of a body, without its origin.
func plainBody(b memory.Body) map[string]any {
	text, err := b.AppendJSON(nil)
	if err != nil {
		return nil
	}
	clean, _ := secret.JSON(string(text)) // as the board keeps it
	m, _ := foreign.Value([]byte(clean)).(map[string]any)
	if meta, ok := m["metadata"].(map[string]any); ok {
		if from, ok := meta["import"].(map[string]any); ok {
			delete(from, "file")
		}
	}
	delete(m, "forms") // the board makes them
	return m
}
