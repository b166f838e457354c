// Package frame is the index of situations: cards of memories, policies and events, filed under frames,
// and the pinned cards that every agent reads at its start.
//
// # Tables
//
//	c  tenant, kind, id         → card: of a live memory or policy; of an ended one, its age and version
//	r  tenant, verb, reference, object kind, class, created, id → card: records of a frame
//	p  tenant, rank, created, kind, id → card: pinned records
//	u  tenant, kind, id         → counts: how often feedback cited it, and the outcomes
//	f  tenant, id of a feedback → its citations and its outcome
//
// A verb and an object kind are the byte of their place in [memory.Verbs] and [memory.ObjectKinds],
// counted from 1. A reference is the digest of its [kind.CleanRef] text. A class is the byte of a
// [Class]. A creation time has all its bits inverted, so that the newest comes first.
//
// # What is guaranteed
//
// The values of r and p hold cards, so that one scan needs no further lookups; except for events, whose
// card is with their first frame, to which the rows of their others refer. Only live records are found.
// Pinned records have at least the trust of a user. Feedback with less trust than an agent is not
// counted. An erased record leaves nothing here but the counts that others' feedback gave it.
//
// # What is not
//
// The reader decides whether a card may be shown, is valid at a time or has ended. Stored cards have no
// counts; [Cursor.Count] sets them. The packages kind, memory and tokens define how an event is read, a
// form is made and tokens are counted: if that changes, the format of this fold must change.
package frame

import (
	"bytes"
	"math"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// Prefix is the first byte of the fold's keys.
const Prefix = 'F'

const format = 1

// Frames is the fold. It keeps nothing in memory but buffers.
type Frames struct {
	tokens tokens.Counter
	key    []byte
	value  []byte
	frames []string
	text   []byte // of the frames
	refer  []byte
}

// New returns the fold.
func New() *Frames {
	return &Frames{tokens: tokens.O200k(), key: make([]byte, 0, 128), refer: make([]byte, 0, 32)}
}

// Name is the fold's name.
func (x *Frames) Name() string { return "frame" }

// Prefix is the first byte of the fold's keys.
func (x *Frames) Prefix() byte { return Prefix }

// Format is the number of the fold's layout, and of how events are read.
func (x *Frames) Format() uint32 { return format<<16 | kind.Version }

// Reset does nothing.
func (x *Frames) Reset() {}

// Finish does nothing.
func (x *Frames) Finish(*kv.Txn) error { return nil }

// Apply files what a record says under its frames.
func (x *Frames) Apply(tx *kv.Txn, r *index.Record) error {
	if r.Event != nil {
		return x.addEvent(tx, r)
	}
	switch body := r.Body.(type) {
	case nil:
	case *memory.Feedback:
		return x.feedback(tx, r, body)
	default:
		return x.put(tx, r)
	}
	switch control := r.Control.(type) {
	case *memory.Tombstone:
		return x.end(tx, r.Tenant, control.Target, ThingOf(r.Header.Tenant, control.Target, control.ID))
	case *memory.Expiry:
		return x.expire(tx, r)
	case *memory.Redaction:
		return x.redact(tx, r, control)
	}
	return nil
}

// put files a new version in place of the previous one.
func (x *Frames) put(tx *kv.Txn, r *index.Record) error {
	c := x.cardOf(r)
	if c == nil {
		return nil // a record of a kind without cards
	}
	old, found, err := cardAt(tx, r.Tenant, c.Kind, c.Thing)
	if err != nil {
		return err
	}
	if found {
		c.Version, c.Created = old.Version+1, old.Created
		if err := x.drop(tx, r.Tenant, old); err != nil {
			return err
		}
	}
	return x.hang(tx, r.Tenant, c)
}

// cardOf returns the first card of a memory or policy, or nil for any other record.
func (x *Frames) cardOf(r *index.Record) *Card {
	var agents []string
	var forms memory.Forms
	switch b := r.Body.(type) {
	case *memory.Memory:
		forms = b.Forms
	case *memory.Policy:
		agents = b.Scope.Agents
	default:
		return nil
	}
	id, key := r.Body.Identity()
	f := r.Body.Facets()
	c := &Card{
		Kind: r.Header.Kind, Thing: ThingOf(r.Header.Tenant, r.Header.Kind, id), ID: id, Key: key, Class: f.Class, Status: f.State,
		Version: 1, Position: r.Header.Position, Created: r.Header.Time, Updated: r.Header.Time,
		Trust: r.Header.Trust, Actor: r.Header.Actor, Private: f.Visibility == memory.VisiblePrivate, Scoped: f.Scoped,
		Agents: agents, Tags: f.Tags, ValidFrom: f.ValidFrom, ValidUntil: f.ValidUntil, Expires: math.MaxInt64, Importance: f.Importance,
		Pinned: f.Pin && r.Header.Trust >= record.User,
	}
	for _, frame := range f.Frames {
		c.Frames = append(c.Frames, frame.String())
	}
	if f.TTL > 0 && r.Header.Time <= math.MaxInt64-int64(f.TTL) {
		c.Expires = r.Header.Time + int64(f.TTL)
	}
	if f.Class == string(memory.TypeEvent) && c.Kind == record.Memory {
		c.Outcome = memory.Outcome(f.State)
	}
	x.render(c, r.Body, forms)
	return c
}

// render sets the forms of a card. The forms of a memory are used if their length is allowed, which the
// engine has checked.
func (x *Frames) render(c *Card, body memory.Body, forms memory.Forms) {
	c.Short, c.Medium = forms.Short, forms.Medium
	c.ShortTokens, c.MediumTokens = x.tokens.Count(c.Short), x.tokens.Count(c.Medium)
	short := c.Short == "" || c.ShortTokens > memory.ShortTokens
	medium := c.Medium == "" || c.MediumTokens > memory.MediumTokens
	if !short && !medium {
		return
	}
	var made memory.Forms
	switch b := body.(type) {
	case *memory.Memory:
		made = memory.MakeForms(b.Text, b.Data, x.tokens)
	case *memory.Policy:
		made = b.Forms(x.tokens)
	}
	if short {
		c.Short, c.ShortTokens = made.Short, x.tokens.Count(made.Short)
	}
	if medium {
		c.Medium, c.MediumTokens = made.Medium, x.tokens.Count(made.Medium)
	}
}

// maxInline is the size of the largest card that is in every row of its record. A larger one is in the
// first row, and the others refer to it, so that many long frames do not take quadratic space.
const maxInline = 4 << 10

// hang writes a card, and the rows and the pin that lead to it.
func (x *Frames) hang(tx *kv.Txn, tenant uint32, c *Card) error {
	x.value = c.encode(x.value[:0])
	if err := tx.Set(cardKey(x.key, tenant, c.Kind, c.Thing), x.value); err != nil {
		return err
	}
	var reference []byte
	return x.ways(tenant, c, func(key []byte) error {
		switch {
		case len(x.value) <= maxInline || key[1] != tableRow:
		case reference == nil:
			reference = appendReference(x.refer[:0], key)
		case !bytes.Equal(reference[1:], key[rowFrame:rowClass]): // a frame may be repeated
			return tx.SetBlind(key, reference)
		}
		return tx.SetBlind(key, x.value)
	})
}

// drop removes the rows and the pin of a card, if it has any.
func (x *Frames) drop(tx *kv.Txn, tenant uint32, c *Card) error {
	return x.ways(tenant, c, tx.Delete)
}

// ways calls visit with every key that leads to a card. The key is valid during the call.
func (x *Frames) ways(tenant uint32, c *Card, visit func(key []byte) error) error {
	if c.gone {
		return nil
	}
	if c.Pinned {
		k := pinPrefix(x.key, tenant, c.Rank()).Int64(^c.Created).Byte(byte(c.Kind)).Digest(c.Thing)
		x.key = k
		if err := visit(k); err != nil {
			return err
		}
	}
	for _, text := range c.Frames {
		f, err := memory.ParseFrame(text)
		if err != nil {
			return damaged("a frame of a card", err)
		}
		if err := x.row(tenant, f, c, visit); err != nil {
			return err
		}
	}
	return nil
}

// row calls visit with the key of a card in one frame, if the frame has one.
func (x *Frames) row(tenant uint32, f memory.Frame, c *Card, visit func(key []byte) error) error {
	k, ok := rowPrefix(x.key, tenant, f)
	if !ok {
		return nil
	}
	k = k.Byte(byte(c.class())).Int64(^c.Created).Digest(c.Thing)
	x.key = k
	return visit(k)
}

// end removes a record from every list. Its age and version stay, in case it comes back.
func (x *Frames) end(tx *kv.Txn, tenant uint32, k record.Kind, thing index.Digest) error {
	if k == record.Feedback {
		return x.takeBack(tx, tenant, thing)
	}
	c, found, err := cardAt(tx, tenant, k, thing)
	if err != nil || !found {
		return err
	}
	if err := x.drop(tx, tenant, c); err != nil {
		return err
	}
	left := &Card{Kind: c.Kind, Version: c.Version + 1, Created: c.Created, gone: true}
	x.value = left.encode(x.value[:0])
	return tx.Set(cardKey(x.key, tenant, k, thing), x.value)
}

// expire ends records, and removes events.
func (x *Frames) expire(tx *kv.Txn, r *index.Record) error {
	for i := range r.Targets {
		t := &r.Targets[i]
		if t.Body == nil {
			continue
		}
		id, _ := t.Body.Identity()
		if err := x.end(tx, r.Tenant, t.Header.Kind, ThingOf(r.Header.Tenant, t.Header.Kind, id)); err != nil {
			return err
		}
	}
	return x.takeOut(tx, r)
}

// redact removes everything that is known of records and events.
func (x *Frames) redact(tx *kv.Txn, r *index.Record, red *memory.Redaction) error {
	for _, t := range red.Targets {
		thing := index.Digest(t.ID[:16])
		switch t.Kind {
		case record.Memory, record.Policy:
			c, found, err := cardAt(tx, r.Tenant, t.Kind, thing)
			if err != nil {
				return err
			}
			if !found {
				continue // another of its versions was named before
			}
			if err := x.drop(tx, r.Tenant, c); err != nil {
				return err
			}
			if err := tx.Delete(cardKey(x.key, r.Tenant, t.Kind, thing)); err != nil {
				return err
			}
		case record.Feedback:
			if err := x.takeBack(tx, r.Tenant, thing); err != nil {
				return err
			}
		}
	}
	return x.takeOut(tx, r)
}

var _ index.Fold = (*Frames)(nil)
