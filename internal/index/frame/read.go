package frame

import (
	"bytes"
	"errors"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Class tells the rows of a frame apart.
type Class byte

// The classes.
const (
	Events        Class = 'e' // HMX events
	EventMemories Class = 'v' // memories of type event
	Memories      Class = 'm' // all other memories
)

// ThingOf returns the digest of an id of a kind within a tenant, events included.
func ThingOf(tenant string, kind record.Kind, id string) index.Digest {
	sum := record.ID(tenant, kind, id)
	return index.Digest(sum[:16])
}

// cardAt returns the card of a memory or policy, or what is left of one that
// went.
func cardAt(r kv.Reader, tenant uint32, kind record.Kind, thing index.Digest) (*Card, bool, error) {
	v, ok, err := r.Get(cardKey(nil, tenant, kind, thing), nil)
	if err != nil || !ok {
		return nil, false, err
	}
	c := new(Card)
	if err := c.decode(v); err != nil {
		return nil, false, damaged("a card", err)
	}
	c.Thing = thing
	return c, true, nil
}

// CardOf returns the card of a live memory or policy.
func CardOf(r kv.Reader, tenant uint32, kind record.Kind, thing index.Digest) (*Card, bool, error) {
	c, ok, err := cardAt(r, tenant, kind, thing)
	if err != nil || !ok || c.gone {
		return nil, false, err
	}
	return c, true, nil
}

// Usage returns how often feedback drew on a thing or an event, and how often
// that went well and badly.
func Usage(r kv.Reader, tenant uint32, kind record.Kind, thing index.Digest) (uses, wins, losses uint64, err error) {
	n, err := countsOf(r, tenant, kind, thing)
	return n.uses, n.wins, n.losses, err
}

// Used reports whether feedback drew on anything of a kind.
func Used(r kv.Reader, tenant uint32, kind record.Kind) (bool, error) {
	prefix := index.NewKey(nil, Prefix, tableUsage, tenant).Byte(byte(kind))
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return false, err
	}
	used := it.First()
	return used, it.Close()
}

// Pinned calls visit with what is pinned: identities, then constraints and
// instructions, then goals, the newest of each first. A card is the visitor's
// to keep.
func Pinned(r kv.Reader, tenant uint32, visit func(*Card) bool) error {
	more := true
	for _, rank := range Ranks() {
		err := PinnedOf(r, tenant, rank, func(c *Card) bool {
			more = visit(c)
			return more
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// PinnedOf is Pinned for one rank.
func PinnedOf(r kv.Reader, tenant uint32, rank Rank, visit func(*Card) bool) error {
	return walk(r, pinPrefix(nil, tenant, rank), visit)
}

// Scan calls visit with the cards of a class in a frame, newest first by the time
// that they were made. A card is the visitor's to keep. The frame's reference
// need not be clean.
func Scan(r kv.Reader, tenant uint32, f memory.Frame, class Class, visit func(*Card) bool) error {
	prefix, ok := rowPrefix(nil, tenant, f)
	if !ok {
		return nil
	}
	return walk(r, prefix.Byte(byte(class)), visit)
}

// walk calls visit with the cards under the keys with a prefix, in their order.
func walk(r kv.Reader, prefix []byte, visit func(*Card) bool) error {
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	cards := finder{r: r}
	for ok := it.First(); ok; ok = it.Next() {
		c, err := cards.at(it)
		if err != nil {
			it.Close()
			cards.close()
			return err
		}
		if !visit(c) {
			break
		}
	}
	return first(it.Close(), cards.close())
}

// first returns the first error there is.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// finder returns the cards of rows, and follows references with one iterator for
// all of them.
type finder struct {
	r    kv.Reader
	look *kv.Iter
	key  []byte
}

// at returns the card of the row that an iterator is at.
func (f *finder) at(it *kv.Iter) (*Card, error) {
	k := it.Key()
	v, err := it.Value()
	if err == nil && isReference(k, v) {
		v, err = f.follow(k, v)
	}
	if err != nil {
		return nil, err
	}
	c := new(Card)
	if err := c.decode(v); err != nil || c.gone || len(k) < len(c.Thing) {
		return nil, damaged("a row", errCard)
	}
	c.Thing = index.Digest(k[len(k)-len(c.Thing):])
	return c, nil
}

// follow returns the value of the row that another refers to.
func (f *finder) follow(key, value []byte) ([]byte, error) {
	if f.look == nil {
		table := bytes.Clone(key[:rowFrame])
		look, err := f.r.Iter(table, kv.PrefixEnd(table))
		if err != nil {
			return nil, err
		}
		f.look = look
	}
	f.key = referred(f.key, key, value)
	if !f.look.Seek(f.key) || !bytes.Equal(f.look.Key(), f.key) {
		if err := f.look.Err(); err != nil {
			return nil, err
		}
		return nil, damaged("a row", errors.New("it refers to one that is not there"))
	}
	return f.look.Value()
}

func (f *finder) close() error {
	if f.look == nil {
		return nil
	}
	return f.look.Close()
}

// Outcomes calls visit with the events, and the memories of type event, that
// have a verb and a reference, whatever the reference's kind: newest first, each
// once. The reference must be as kind.CleanRef returns it. A card is the
// visitor's to keep.
func Outcomes(r kv.Reader, tenant uint32, verb memory.Verb, ref string, visit func(*Card) bool) error {
	prefix, ok := refPrefix(nil, tenant, verb, ref)
	if !ok {
		return nil
	}
	lists, err := outcomeLists(r, prefix)
	if err != nil {
		return err
	}
	cards := finder{r: r}
	err = first(merge(lists, &cards, visit), cards.close())
	for _, it := range lists {
		if e := it.Close(); err == nil {
			err = e
		}
	}
	return err
}

// outcomeLists returns an iterator at the newest row of every object kind and
// class of outcomes that there is. There are few: mostly one.
func outcomeLists(r kv.Reader, prefix index.Key) (lists []*kv.Iter, err error) {
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := it.Close(); err == nil {
			err = e
		}
		if err != nil {
			for _, list := range lists {
				list.Close()
			}
			lists = nil
		}
	}()
	for ok := it.First(); ok; {
		k := it.Key()
		if len(k) != rowSize {
			return lists, damaged("a row", errCard)
		}
		list := bytes.Clone(k[:rowTime])
		end := kv.PrefixEnd(list)
		if Class(k[rowClass]) != Memories {
			one, err := r.Iter(list, end)
			if err != nil {
				return lists, err
			}
			if one.First() {
				lists = append(lists, one)
			} else if err := one.Close(); err != nil {
				return lists, err
			}
		}
		ok = it.Seek(end)
	}
	return lists, nil
}

// merge visits the rows of several lists in one order, newest first. What is in
// more than one list is visited once.
func merge(lists []*kv.Iter, cards *finder, visit func(*Card) bool) error {
	var last [rowSize - rowClass]byte
	alive := slices.Clone(lists) // each is at a row
	for len(alive) > 0 {
		best := 0
		for i := 1; i < len(alive); i++ {
			if bytes.Compare(alive[i].Key()[rowTime:], alive[best].Key()[rowTime:]) < 0 {
				best = i
			}
		}
		it := alive[best]
		if own := it.Key()[rowClass:]; !bytes.Equal(own, last[:]) {
			copy(last[:], own)
			c, err := cards.at(it)
			if err != nil {
				return err
			}
			if !visit(c) {
				return nil
			}
		}
		if !it.Next() {
			if err := it.Err(); err != nil {
				return err
			}
			alive = slices.Delete(alive, best, best+1)
		}
	}
	return nil
}
