package frame

import (
	"encoding/binary"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// counts are what feedback says of one thing.
type counts struct {
	uses, wins, losses uint64
}

// countsOf returns what feedback says of a thing.
func countsOf(r kv.Reader, tenant uint32, k record.Kind, thing index.Digest) (n counts, err error) {
	v, ok, err := r.Get(usageKey(nil, tenant, k, thing), nil)
	if err != nil || !ok {
		return n, err
	}
	return decodeCounts(v)
}

// decodeCounts reads what setCounts writes.
func decodeCounts(v []byte) (n counts, err error) {
	d := reader{bytes: v}
	if d.byte() != layout {
		return n, damaged("a count", errCard)
	}
	n = counts{d.uvarint(), d.uvarint(), d.uvarint()}
	if err := d.end(); err != nil {
		return n, damaged("a count", err)
	}
	return n, nil
}

// cited is what one feedback said, as long as it counts: an outcome, and of each
// thing that it drew on the kind and the digest.
type cited struct {
	outcome memory.Outcome
	things  []citation
}

type citation struct {
	kind  record.Kind
	thing index.Digest
}

// encode appends layout, outcome, and kind and digest of each thing.
func (c *cited) encode(dst []byte) []byte {
	dst = append(dst, layout, outcomeByte(c.outcome))
	for _, t := range c.things {
		dst = append(append(dst, byte(t.kind)), t.thing[:]...)
	}
	return dst
}

// decodeCited reads what encode wrote.
func decodeCited(v []byte) (*cited, error) {
	const size = 1 + len(index.Digest{})
	if len(v) < 2 || v[0] != layout || (len(v)-2)%size != 0 {
		return nil, errCard
	}
	c := &cited{}
	known := false
	if c.outcome, known = outcomeAt(v[1]); !known {
		return nil, errCard
	}
	for rest := v[2:]; len(rest) > 0; rest = rest[size:] {
		c.things = append(c.things, citation{record.Kind(rest[0]), index.Digest(rest[1:size])})
	}
	return c, nil
}

// feedback counts what a feedback drew on, once each whatever versions of it are
// named. What is less trusted than an agent counts nothing: text from outside
// must not be able to praise itself.
func (x *Frames) feedback(tx *kv.Txn, r *index.Record, b *memory.Feedback) error {
	thing := ThingOf(r.Header.Tenant, record.Feedback, b.ID)
	if err := x.takeBack(tx, r.Tenant, thing); err != nil {
		return err // of the version before
	}
	if r.Header.Trust < record.Agent {
		return nil
	}
	c := &cited{outcome: b.Outcome}
	seen := make(map[citation]bool, len(b.Cited))
	for _, u := range b.Cited {
		one := citation{u.Kind, ThingOf(r.Header.Tenant, u.Kind, u.ID)}
		if !seen[one] {
			seen[one] = true
			c.things = append(c.things, one)
		}
	}
	if len(c.things) == 0 {
		return nil
	}
	if err := tx.Set(feedbackKey(nil, r.Tenant, thing), c.encode(nil)); err != nil {
		return err
	}
	return x.count(tx, r.Tenant, c, 1)
}

// takeBack undoes what a feedback counted, if it counted anything.
func (x *Frames) takeBack(tx *kv.Txn, tenant uint32, thing index.Digest) error {
	key := feedbackKey(nil, tenant, thing)
	v, ok, err := tx.Get(key, nil)
	if err != nil || !ok {
		return err
	}
	c, err := decodeCited(v)
	if err != nil {
		return damaged("a feedback", err)
	}
	if err := tx.Delete(key); err != nil {
		return err
	}
	return x.count(tx, tenant, c, ^uint64(0))
}

// count adds by, which is one or minus one, to the counts of what was cited. They
// are in no card: a feedback that cites many things with many frames would write
// all of them anew.
func (x *Frames) count(tx *kv.Txn, tenant uint32, c *cited, by uint64) error {
	for _, t := range c.things {
		n, err := countsOf(tx, tenant, t.kind, t.thing)
		if err != nil {
			return err
		}
		n.uses += by
		switch c.outcome {
		case memory.OutcomeSuccess:
			n.wins += by
		case memory.OutcomeFailure:
			n.losses += by
		}
		if err := setCounts(tx, tenant, t, n); err != nil {
			return err
		}
	}
	return nil
}

func setCounts(tx *kv.Txn, tenant uint32, t citation, n counts) (err error) {
	key := usageKey(nil, tenant, t.kind, t.thing)
	if n == (counts{}) {
		err = tx.Delete(key)
	} else {
		v := []byte{layout}
		for _, one := range [...]uint64{n.uses, n.wins, n.losses} {
			v = binary.AppendUvarint(v, one)
		}
		err = tx.Set(key, v)
	}
	return err
}
