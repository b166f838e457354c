package frame

import (
	"encoding/binary"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// counts are the feedback counts of one record.
type counts struct {
	uses, wins, losses uint64
}

// countsOf returns the feedback counts of a record.
func countsOf(r kv.Reader, tenant uint32, k record.Kind, thing index.Digest) (n counts, err error) {
	v, ok, err := r.Get(usageKey(nil, tenant, k, thing), nil)
	if err != nil || !ok {
		return n, err
	}
	return decodeCounts(v)
}

// decodeCounts reads the output of setCounts.
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

// cited is the content of one feedback, as long as it counts: an outcome, and the
// kind and digest of each cited record.
type cited struct {
	outcome memory.Outcome
	things  []citation
}

type citation struct {
	kind  record.Kind
	thing index.Digest
}

// encode appends layout, outcome, and kind and digest of each record.
func (c *cited) encode(dst []byte) []byte {
	dst = append(dst, layout, outcomeByte(c.outcome))
	for _, t := range c.things {
		dst = append(append(dst, byte(t.kind)), t.thing[:]...)
	}
	return dst
}

// decodeCited reads the output of encode.
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

// feedback counts the citations of a feedback, once per record whichever versions
// are named. Feedback with less trust than an agent does not count: external text
// must not be able to praise itself.
func (x *Frames) feedback(tx *kv.Txn, r *index.Record, b *memory.Feedback) error {
	thing := ThingOf(r.Header.Tenant, record.Feedback, b.ID)
	if err := x.takeBack(tx, r.Tenant, thing); err != nil {
		return err // of the previous version
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

// takeBack reverts the counts of a feedback, if it has any.
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

// count adds by, which is one or minus one, to the counts of cited records. Cards
// do not store them: a feedback that cites many records with many frames would
// rewrite all of them.
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
