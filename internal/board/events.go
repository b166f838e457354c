package board

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/secret"
)

// Writer is who writes: the name in the record, and the maximum trust of what it writes.
type Writer struct {
	// Actor is the writer's name. It stays in the header of the record forever, even after
	// an erasure. For events it may be empty.
	Actor string
	// Trust is the ceiling. Zero means [record.Agent].
	Trust record.Trust
	// Scope is a token that narrows what may be written. The actor is then the holder of the
	// token, and may be left out; the ceiling is that of the token if it is lower. Empty
	// means no scope.
	Scope string

	access *scope.Access // of the scope, once verified
	// derived says that the ceiling is the lowest trust of a body's sources, so that they
	// need not be looked up.
	derived bool
	// system says that it may write to the system tenant.
	system bool
}

// Scoped reports whether a writer has a verified scope.
func Scoped(w Writer) bool { return w.access != nil }

// DerivedWriter returns a writer of records derived from sources with at least this trust.
func DerivedWriter(actor string, tier record.Trust) Writer {
	return Writer{Actor: actor, Trust: tier, derived: true}
}

// SystemWriter returns a writer that may write to the system tenant, for records that were
// admitted before.
func SystemWriter(actor string) Writer { return Writer{Actor: actor, system: true} }

func (w Writer) Ceiling() record.Trust {
	if w.Trust == 0 {
		return record.Agent
	}
	return w.Trust
}

// check refuses an unknown tier.
func (w Writer) check() error {
	if w.Trust == 0 || w.Trust.Known() {
		return nil
	}
	return fault.Newf(fault.InvalidArgument, "trust: there is no tier %d", uint8(w.Trust)).WithFix("use external, tool, agent, user or operator")
}

// Disposition is the result for an event.
type Disposition string

// The results for an event.
const (
	Accepted  Disposition = "accepted"
	Late      Disposition = "late"      // accepted, after one of its session with a higher or equal sequence
	Duplicate Disposition = "duplicate" // already recorded with the same content
	Refused   Disposition = "refused"
	Own       Disposition = "own" // not recorded: the board handed it out, see [Options.Clean]
)

// EventReceipt is the result for one event.
type EventReceipt struct {
	Disposition Disposition  `json:"disposition"`
	Position    uint64       `json:"position"`        // its position; meaningless if refused or own
	Fault       *fault.Error `json:"error,omitempty"` // why it was refused
	// Scrubbed is how many secrets were scrubbed before it was recorded.
	Scrubbed int `json:"scrubbed,omitempty"`
}

// AppendResult is the result for a batch of events.
type AppendResult struct {
	Receipts   []EventReceipt
	Accepted   int // late ones included
	Duplicates int
	Late       int
	Refused    int
	Own        int // handed-out text, which is not recorded
	Scrubbed   int // secrets that were scrubbed from accepted events
}

// prepared is an event that is ready for the queue.
type prepared struct {
	Entry
	refused  *fault.Error
	own      bool     // it was handed out, and is not recorded
	beyond   *Refusal // the refusal of the scope, if there is one
	scrubbed int      // secrets that were scrubbed
}

// EventBatch is a batch of prepared events, whose hashes may still be in progress.
type EventBatch struct {
	writer Writer
	events []prepared
	ahead  *record.Ahead
}

// AppendEvents records events. Valid ones are recorded even if others are refused; the
// result says which. The error is for failures that are not about the events; the result
// then has the receipts of those that were recorded before. The events must not be changed
// while the call runs.
//
// Under a scope, events that it does not allow are refused one by one.
func (b *Board) AppendEvents(ctx context.Context, w Writer, events []*hmx.Event) (*AppendResult, error) {
	w, err := b.EventWriter(ctx, w)
	if err != nil {
		return nil, err
	}
	res := &AppendResult{}
	// A few thousand share an fsync well enough, and more would only take memory.
	for part := range slices.Chunk(events, appendBatch) {
		batch, err := b.prepare(w, part, madeInGo)
		if err != nil {
			return res, err
		}
		done, err := b.AppendPrepared(ctx, batch)
		if done != nil {
			res.add(done)
		}
		if err != nil {
			return res, err
		}
	}
	return res, nil
}

// IngestBatch is how many events of a stream share an fsync. It is a multiple of the number
// of positions that the indexes group, so that a stream into a new tenant leaves no group
// half done.
const IngestBatch = 2048

// appendBatch is how many events of one call are admitted together.
const appendBatch = 4096

// add adds the result for the events that followed.
func (r *AppendResult) add(next *AppendResult) {
	r.Receipts = append(r.Receipts, next.Receipts...)
	r.Accepted += next.Accepted
	r.Duplicates += next.Duplicates
	r.Late += next.Late
	r.Refused += next.Refused
	r.Own += next.Own
	r.Scrubbed += next.Scrubbed
}

// origin says where events come from: a decoder, which has applied every rule of the
// protocol, or other code, which may not have.
type origin bool

const (
	decoded  origin = false
	madeInGo origin = true
)

// PrepareEvents prepares events that a decoder has validated by every rule of the protocol.
// It does what needs neither the state nor the queue, so that the next events of a stream
// can be prepared while the previous ones are written.
func (b *Board) PrepareEvents(w Writer, events []*hmx.Event) (*EventBatch, error) {
	return b.prepare(w, events, decoded)
}

// prepare does what needs neither the state nor the queue: rules, names,
// encoding, salts, hashes.
func (b *Board) prepare(w Writer, events []*hmx.Event, from origin) (*EventBatch, error) {
	batch := make([]prepared, len(events))
	room := 0
	for _, ev := range events {
		if ev != nil {
			room += record.SaltSize + ev.Size() + 256
		}
	}
	arena := make([]byte, 0, room)
	salts := make([]byte, record.SaltSize*len(events))
	if _, err := io.ReadFull(b.o.Random, salts); err != nil {
		return nil, err
	}
	for i, ev := range events {
		p := &batch[i]
		if err := CheckEvent(ev, w); err != nil {
			p.refused = fault.From(err)
			continue
		}
		again := from == madeInGo
		if b.o.Clean != nil && !w.system {
			clean, keep := b.o.Clean(ev)
			if p.own = !keep; p.own {
				continue
			}
			again, ev = again || clean != ev, clean
		}
		if b.scrubs(w) {
			if ev, p.scrubbed = secret.Event(ev); p.scrubbed > 0 {
				again = true
			}
		}
		start := len(arena)
		arena = append(arena, salts[i*record.SaltSize:(i+1)*record.SaltSize]...)
		grown, err := ev.AppendJSON(arena)
		if err != nil {
			arena = arena[:start]
			p.refused = fault.From(fault.Wrap(fault.InvalidDocument, err))
			continue
		}
		arena = grown
		p.Body = arena[start:len(arena):len(arena)]
		if len(p.Body)-record.SaltSize > hmx.MaxEventBytes {
			arena = arena[:start]
			p.refused = fault.Newf(fault.TooLarge, "event %q has %d bytes as it would be recorded, numbers written out; at most %d are allowed", ev.EventID, len(p.Body)-record.SaltSize, hmx.MaxEventBytes)
			continue
		}
		if again {
			// A replay must accept the payload.
			if ev, _, err = hmx.DecodeEvent(p.Body[record.SaltSize:]); err != nil {
				arena = arena[:start]
				p.refused = fault.From(fault.Wrap(fault.InvalidDocument, err))
				continue
			}
		}
		if p.beyond = judgeEvent(w, ev); p.beyond != nil {
			arena = arena[:start]
			p.refused = p.beyond.fault()
			continue
		}
		p.Record.Event = ev
		p.Header = record.Header{Kind: record.Event, Trust: kind.Trust(ev, w.Ceiling()), Tenant: ev.TenantID, Actor: w.Actor}
	}
	return &EventBatch{writer: w, events: batch, ahead: b.runAhead(batch)}, nil
}

// runAhead computes ids and commitments, and reads the references of events, concurrently
// with the consumer of the batch.
func (b *Board) runAhead(batch []prepared) *record.Ahead {
	return record.RunAhead(len(batch), func(from, to int) {
		for i := from; i < to; i++ {
			if p := &batch[i]; p.refused == nil && !p.own {
				p.Header.ID = record.ID(p.Header.Tenant, record.Event, p.Record.Event.EventID)
				p.Header.Commitment = record.Commit(p.Body)
				p.Record.Reading = kind.ReadForms(p.Record.Event, b.tokens)
				p.Record.Doc()
				p.Record.Glanced()
			}
		}
	})
}

// CheckEvent applies the rules that the engine adds to the protocol's.
func CheckEvent(ev *hmx.Event, w Writer) error {
	if ev == nil {
		return fault.New(fault.InvalidArgument, "event: there is none").WithFix("leave nil out")
	}
	if err := memory.CheckTenant(ev.TenantID); err != nil {
		return err
	}
	if ev.TenantID == SystemTenant && !w.system {
		return notYours()
	}
	if err := memory.CheckEventIDs(ev); err != nil {
		return err
	}
	if w.Actor != "" {
		return memory.CheckActor(w.Actor)
	}
	return nil
}

// AppendPrepared queues a batch and waits for it. A result with an error says what was still
// recorded.
func (b *Board) AppendPrepared(ctx context.Context, batch *EventBatch) (*AppendResult, error) {
	res := &AppendResult{Receipts: make([]EventReceipt, len(batch.events))}
	w := batch.writer
	err := b.Submit(ctx, &Request{Records: len(batch.events), Admit: func(g *Group) error {
		if w.access != nil {
			t, err := g.Tenant(w.access.Tenant())
			if err != nil {
				return err
			}
			if err := w.timely(t); err != nil {
				return err
			}
		}
		for i := range batch.events {
			batch.ahead.Wait(i)
			if err := g.admitEvent(w, &batch.events[i], &res.Receipts[i]); err != nil {
				return err
			}
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	for i := range res.Receipts {
		res.Scrubbed += res.Receipts[i].Scrubbed
		switch res.Receipts[i].Disposition {
		case Late:
			res.Late++
			res.Accepted++
		case Accepted:
			res.Accepted++
		case Duplicate:
			res.Duplicates++
		case Refused:
			res.Refused++
		case Own:
			res.Own++
		}
	}
	return res, b.violations(ctx, batch)
}

// violations journals what a scope refused of a batch, each once.
func (b *Board) violations(ctx context.Context, batch *EventBatch) error {
	if batch.writer.access == nil {
		return nil
	}
	seen := make(map[Refusal]bool)
	var list []Refusal
	for i := range batch.events {
		if r := batch.events[i].beyond; r != nil && !seen[*r] && len(list) < maxViolations {
			seen[*r] = true
			list = append(list, *r)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if err := b.Refuse(ctx, batch.writer, list...); fault.CodeOf(err) != fault.OutOfScope {
		return err
	}
	return nil // the receipts report it
}

// admitEvent decides about one event and puts it. The error is for failures of the store,
// which end the group.
func (g *Group) admitEvent(w Writer, p *prepared, out *EventReceipt) error {
	refuse := func(err *fault.Error) error {
		out.Disposition, out.Fault = Refused, err
		return nil
	}
	if p.refused != nil {
		return refuse(p.refused)
	}
	if p.own {
		out.Disposition = Own
		return nil
	}
	t, err := g.Tenant(p.Header.Tenant)
	if err != nil {
		return err
	}
	position, taken, err := g.b.applier.Ledger.Find(g.tx, t, &p.Header.ID)
	if err != nil {
		return g.Stop(err)
	}
	if taken {
		return g.again(w, t, p, position, out)
	}
	if t.Key != nil {
		mac, ok := memory.EventMAC(t.Key, p.Record.Event)
		if ok {
			at, gone, err := ledger.ErasedContent(g.tx, t.Number, mac[:])
			if err != nil {
				return g.Stop(err)
			}
			if gone {
				return refuse(erasedContent(at))
			}
		}
	}
	late, err := g.b.applier.Timeline.Late(g.tx, t.Number, p.Record.Event)
	if err != nil {
		return g.Stop(err)
	}
	out.Disposition, out.Scrubbed = Accepted, p.scrubbed
	if late {
		out.Disposition = Late
	}
	out.Position, err = g.Put(&p.Entry)
	return err
}

// Stop ends the group with an error of the store.
func (g *Group) Stop(err error) error {
	g.broken = err
	return err
}

// again decides about an event whose id is taken.
func (g *Group) again(w Writer, t *ledger.Tenant, p *prepared, position uint64, out *EventReceipt) error {
	payload, erased, err := g.PayloadAt(t, position)
	if w.access != nil && err == nil && !erased {
		if seen, err := g.seesEventAt(ViewOf(w), t, position); err != nil {
			return err
		} else if !seen {
			p.beyond = &Refusal{memory.OpAppend, eventTarget(p.Record.Event), memory.RuleExisting}
			out.Disposition, out.Fault = Refused, p.beyond.fault()
			return nil
		}
	}
	out.Position = position
	switch {
	case fault.CodeOf(err) == fault.Damaged:
		// The recorded event is unreadable; that only affects this event.
		out.Disposition, out.Fault = Refused, fault.From(err)
		return nil
	case err != nil:
		return g.Stop(err)
	case erased:
		at, _, err := ledger.Erased(g.tx, t.Number, position)
		if err != nil {
			return g.Stop(err)
		}
		out.Disposition, out.Fault = Refused, fault.Newf(fault.Erased, "event %q was erased by the redaction at position %d and stays erased", p.Record.Event.EventID, at)
		return nil
	case sameJSON(payload, p.Body[record.SaltSize:]):
		out.Disposition = Duplicate
		return nil
	}
	out.Disposition, out.Fault = Refused, fault.Newf(fault.IDConflict, "event_id %q is recorded at position %d with other content", p.Record.Event.EventID, position)
	return nil
}

func erasedContent(redaction uint64) *fault.Error {
	return fault.Newf(fault.Erased, "content equal to this was erased by the redaction at position %d and stays erased", redaction)
}

// sameJSON reports whether two documents have the same content: byte by byte, or with other
// white space or order of keys. Numbers are compared as they are written, since rounding
// could make two ids equal.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return decodeExact(a, &x) == nil && decodeExact(b, &y) == nil && reflect.DeepEqual(x, y)
}

func decodeExact(data []byte, v *any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v)
}
