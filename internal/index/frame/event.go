package frame

import (
	"bytes"
	"math"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// addEvent files an event under its frames. The card is with the first of them,
// and the others refer to it: most rows of a frequent frame are never read again,
// and cards in all of them would be most of the cost of an event.
func (x *Frames) addEvent(tx *kv.Txn, r *index.Record) error {
	reading := r.Reading
	if reading == nil {
		reading = kind.ReadForms(r.Event, x.tokens)
	}
	if len(reading.Frames) == 0 {
		return nil
	}
	c := x.eventCard(r, reading)
	x.value = c.encode(x.value[:0])
	var reference []byte
	return x.eventRows(r.Tenant, reading.Frames, c, func(key []byte) error {
		if reference == nil {
			reference = appendReference(x.refer[:0], key)
			return tx.SetBlind(key, x.value)
		}
		if bytes.Equal(reference[1:], key[rowFrame:rowClass]) {
			return nil // a repeated frame
		}
		return tx.SetBlind(key, reference)
	})
}

// eventRows calls visit with the key of each frame of an event, in their order.
func (x *Frames) eventRows(tenant uint32, frames []memory.Frame, c *Card, visit func(key []byte) error) error {
	for _, f := range frames {
		if err := x.row(tenant, f, c, visit); err != nil {
			return err
		}
	}
	return nil
}

// externalImportance is the maximum importance that an external event can state.
const externalImportance = 0.3

// eventCard returns the card of an event.
func (x *Frames) eventCard(r *index.Record, reading *kind.Reading) *Card {
	ev, at := r.Event, happened(r)
	c := &Card{
		Kind: record.Event, Thing: index.Digest(r.Header.ID[:16]), ID: ev.EventID, Class: string(ev.EventType), Position: r.Header.Position,
		Created: at, Updated: at, Trust: r.Header.Trust, Actor: r.Header.Actor,
		Agent: ev.AgentID, Session: ev.SessionID, Sequence: ev.Sequence, Timestamp: index.Nanos(ev.Timestamp.Time()),
		Tags: ev.Tags, ValidFrom: math.MinInt64, ValidUntil: math.MaxInt64, Expires: math.MaxInt64,
		Importance: reading.Importance, Outcome: reading.Outcome,
		Medium: reading.Medium, MediumTokens: reading.MediumTokens, Short: reading.Short, ShortTokens: reading.ShortTokens,
	}
	if c.Trust <= record.External {
		c.Importance = min(c.Importance, externalImportance)
	}
	if end, ok := index.EndOfLife(r.Header.Time, ev); ok {
		c.Expires = end
	}
	c.Frames = x.texts(reading.Frames)
	return c
}

// texts returns frames in their text form, as parts of one text. They are valid
// until the next call.
func (x *Frames) texts(frames []memory.Frame) []string {
	x.text = x.text[:0]
	for _, f := range frames {
		x.text = append(append(x.text, f.Verb...), ':')
		x.text = append(append(x.text, f.Kind...), '=')
		x.text = append(x.text, f.Ref...)
	}
	whole := string(x.text)
	x.frames = x.frames[:0]
	for _, f := range frames {
		n := len(f.Verb) + 1 + len(f.Kind) + 1 + len(f.Ref)
		x.frames = append(x.frames, whole[:n])
		whole = whole[n:]
	}
	return x.frames
}

// happened returns the time of an event: its timestamp, but not after it was
// recorded.
func happened(r *index.Record) int64 {
	return min(index.Nanos(r.Event.Timestamp.Time()), r.Header.Time)
}

// takeOut removes the events among a record's targets. The transaction must be
// indexed.
func (x *Frames) takeOut(tx *kv.Txn, r *index.Record) error {
	lost := make(map[index.Digest]bool)
	for i := range r.Targets {
		switch t := &r.Targets[i]; {
		case t.Event != nil:
			facets := kind.Read(t.Event)
			c := &Card{Kind: record.Event, Thing: index.Digest(t.Header.ID[:16]), Created: happened(t)}
			if err := x.eventRows(r.Tenant, facets.Frames, c, tx.Delete); err != nil {
				return err
			}
		case t.Damaged && t.Header.Kind == record.Event:
			lost[index.Digest(t.Header.ID[:16])] = true
		}
		// A blank one was blank when it was folded, or was removed before.
	}
	if len(lost) == 0 {
		return nil
	}
	return search(tx, r.Tenant, lost)
}

// search removes events of which only the ids are known. It reads every row of the
// tenant, which happens only for damaged events.
func search(tx *kv.Txn, tenant uint32, lost map[index.Digest]bool) error {
	prefix := index.NewKey(nil, Prefix, tableRow, tenant)
	it, err := tx.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	var keys [][]byte
	for ok := it.First(); ok; ok = it.Next() {
		if k := it.Key(); len(k) == rowSize && Class(k[rowClass]) == Events && lost[index.Digest(k[rowThing:])] {
			keys = append(keys, bytes.Clone(k))
		}
	}
	if err := it.Close(); err != nil {
		return err
	}
	for _, k := range keys {
		if err := tx.Delete(k); err != nil {
			return err
		}
	}
	return nil
}
