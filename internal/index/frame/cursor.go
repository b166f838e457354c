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

// Cursor reads the frame index of one tenant. It uses one iterator for all
// queries, since creating one costs more than scanning a few rows. It is for one
// goroutine, visitors must not use it, and it must be closed.
type Cursor struct {
	r      kv.Reader
	tenant uint32
	it     *kv.Iter // nil until it is needed
	look   *kv.Iter // follows references; nil until it is needed
	key    []byte
}

// Look returns a cursor.
func Look(r kv.Reader, tenant uint32) *Cursor {
	return &Cursor{r: r, tenant: tenant, key: make([]byte, 0, 64)}
}

// Close closes the iterators.
func (c *Cursor) Close() (err error) {
	for _, it := range []*kv.Iter{c.it, c.look} {
		if it != nil {
			err = first(err, it.Close())
		}
	}
	c.it, c.look = nil, nil
	return err
}

// under returns the iterator over the keys with a prefix, without a current key.
func (c *Cursor) under(prefix []byte) (*kv.Iter, error) {
	end := kv.PrefixEnd(prefix)
	if c.it != nil {
		c.it.Within(prefix, end)
		return c.it, nil
	}
	it, err := c.r.Iter(prefix, end)
	if err != nil {
		return nil, err
	}
	c.it = it
	return it, nil
}

// Pinned calls visit with the pinned cards of a rank, newest first. The visitor
// may keep a card.
func (c *Cursor) Pinned(rank Rank, visit func(*Card) bool) error {
	return c.walk(pinPrefix(c.key, c.tenant, rank), visit)
}

// Scan calls visit with the cards of a class in a frame, newest first by
// creation. The visitor may keep a card. The frame's reference need not be clean.
func (c *Cursor) Scan(f memory.Frame, class Class, visit func(*Card) bool) error {
	prefix, ok := rowPrefix(c.key, c.tenant, f)
	if !ok {
		return nil
	}
	return c.walk(prefix.Byte(byte(class)), visit)
}

// walk calls visit with the cards under the keys with a prefix, in order.
func (c *Cursor) walk(prefix []byte, visit func(*Card) bool) error {
	it, err := c.under(prefix)
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			return err
		}
		card, err := c.card(it.Key(), v)
		if err != nil {
			return err
		}
		if !visit(card) {
			return nil
		}
	}
	return it.Err()
}

// card returns the card of a row.
func (c *Cursor) card(key, value []byte) (*Card, error) {
	if isReference(key, value) {
		var err error
		if value, err = c.follow(key, value); err != nil {
			return nil, err
		}
	}
	card := new(Card)
	if err := card.decode(value); err != nil || card.gone || len(key) < len(card.Thing) {
		return nil, damaged("a row", errCard)
	}
	card.Thing = index.Digest(key[len(key)-len(card.Thing):])
	return card, nil
}

// follow returns the value of the row that a reference points to.
func (c *Cursor) follow(key, value []byte) ([]byte, error) {
	if c.look == nil {
		table := bytes.Clone(key[:rowFrame])
		look, err := c.r.Iter(table, kv.PrefixEnd(table))
		if err != nil {
			return nil, err
		}
		c.look = look
	}
	c.key = referred(c.key, key, value)
	if !c.look.Seek(c.key) || !bytes.Equal(c.look.Key(), c.key) {
		if err := c.look.Err(); err != nil {
			return nil, err
		}
		return nil, damaged("a row", errors.New("it refers to one that is not there"))
	}
	return c.look.Value()
}

// Count sets the uses, wins and losses of cards of a kind to the values of
// [Usage]. It reads them in one pass.
func (c *Cursor) Count(kind record.Kind, cards []*Card) error {
	if len(cards) == 0 {
		return nil
	}
	for _, card := range cards {
		card.Uses, card.Wins, card.Losses = 0, 0, 0
	}
	cards = slices.Clone(cards)
	slices.SortFunc(cards, func(a, b *Card) int { return bytes.Compare(a.Thing[:], b.Thing[:]) })
	it, err := c.under(usagePrefix(c.key, c.tenant, kind))
	if err != nil {
		return err
	}
	for len(cards) > 0 {
		c.key = usageKey(c.key, c.tenant, kind, cards[0].Thing)
		if !it.Seek(c.key) {
			break
		}
		if len(it.Key()) != len(c.key) {
			return damaged("a count", errCard)
		}
		drawn := index.Digest(it.Key()[usageThing:])
		for len(cards) > 0 && bytes.Compare(cards[0].Thing[:], drawn[:]) < 0 {
			cards = cards[1:]
		}
		if len(cards) == 0 || cards[0].Thing != drawn {
			continue
		}
		v, err := it.Value()
		if err != nil {
			return err
		}
		n, err := decodeCounts(v)
		if err != nil {
			return err
		}
		for len(cards) > 0 && cards[0].Thing == drawn {
			cards[0].Uses, cards[0].Wins, cards[0].Losses = n.uses, n.wins, n.losses
			cards = cards[1:]
		}
	}
	return it.Err()
}

// Outcomes calls visit with the events, and the memories of type event, that have
// a verb and a reference of any kind: newest first, each once. The reference must
// be as kind.CleanRef returns it. The visitor may keep a card.
func (c *Cursor) Outcomes(verb memory.Verb, ref string, visit func(*Card) bool) error {
	prefix, ok := refPrefix(c.key, c.tenant, verb, ref)
	if !ok {
		return nil
	}
	it, err := c.under(prefix)
	if err != nil {
		return err
	}
	lists, err := outcomeLists(it)
	if err != nil {
		return err
	}
	return c.merge(it, lists, visit)
}

// list is the rows of one object kind and class, of which the next few are
// buffered: one iterator reads several lists, a few rows of each at a time.
type list struct {
	rows  []row
	bytes []byte // of the rows
	at    int    // the next row
	most  int    // how many rows are read at a time
	whole bool   // all rows are buffered
}

// row is the place of the key and the value of a row: the key ends where the
// value begins.
type row struct{ key, value, end int }

// How many rows of a list are read at first, and at most at a time later. The
// first read covers the three outcomes of a default request.
const (
	rowsFirst = 4
	rowsMost  = 64
)

func (l *list) key() []byte   { return l.bytes[l.rows[l.at].key:l.rows[l.at].value] }
func (l *list) value() []byte { return l.bytes[l.rows[l.at].value:l.rows[l.at].end] }

// read buffers rows from the iterator, which is in the list. It reports whether
// the iterator is at a row then, of this list or the next.
func (l *list) read(it *kv.Iter) (bool, error) {
	own := bytes.Clone(it.Key()[:rowTime])
	l.rows, l.bytes, l.at = l.rows[:0], l.bytes[:0], 0
	ok := true
	for ; ok; ok = it.Next() {
		k := it.Key()
		if len(k) != rowSize {
			return false, damaged("a row", errCard)
		}
		if l.whole = !bytes.HasPrefix(k, own); l.whole || len(l.rows) == l.most {
			return true, nil
		}
		v, err := it.Value()
		if err != nil {
			return false, err
		}
		from := len(l.bytes)
		l.bytes = append(append(l.bytes, k...), v...)
		l.rows = append(l.rows, row{from, from + len(k), len(l.bytes)})
	}
	l.whole = true
	return false, it.Err()
}

// next moves to the next row of the list, and reports whether there is one.
func (l *list) next(it *kv.Iter) (bool, error) {
	if l.at++; l.at < len(l.rows) {
		return true, nil
	}
	if l.whole {
		return false, nil
	}
	l.at--
	last := append(bytes.Clone(l.key()), 0)
	if !it.Seek(last) {
		return false, it.Err()
	}
	if !bytes.HasPrefix(it.Key(), last[:rowTime]) {
		return false, nil
	}
	l.most = min(2*l.most, rowsMost)
	_, err := l.read(it)
	return err == nil, err
}

// outcomeLists returns the lists of all object kinds and classes of outcomes,
// each at its newest row. There are few: mostly one or two. Keys between them are
// skipped.
func outcomeLists(it *kv.Iter) (lists []*list, err error) {
	for ok := it.First(); ok; {
		k := it.Key()
		if len(k) != rowSize {
			return nil, damaged("a row", errCard)
		}
		own, class := bytes.Clone(k[:rowTime]), Class(k[rowClass])
		if class != Memories {
			l := &list{most: rowsFirst}
			if ok, err = l.read(it); err != nil {
				return nil, err
			}
			lists = append(lists, l)
			if l.whole {
				continue
			}
		}
		if class < EventMemories {
			own[rowClass] = byte(EventMemories)
			ok = it.Seek(own)
		} else {
			ok = it.Seek(kv.PrefixEnd(own[:rowClass]))
		}
	}
	return lists, it.Err()
}

// merge visits the rows of several lists in one order, newest first. A row in
// more than one list is visited once.
func (c *Cursor) merge(it *kv.Iter, lists []*list, visit func(*Card) bool) error {
	var last [rowSize - rowClass]byte
	for len(lists) > 0 {
		best := 0
		for i := 1; i < len(lists); i++ {
			if bytes.Compare(lists[i].key()[rowTime:], lists[best].key()[rowTime:]) < 0 {
				best = i
			}
		}
		l := lists[best]
		if own := l.key()[rowClass:]; !bytes.Equal(own, last[:]) {
			copy(last[:], own)
			card, err := c.card(l.key(), l.value())
			if err != nil {
				return err
			}
			if !visit(card) {
				return nil
			}
		}
		more, err := l.next(it)
		if err != nil {
			return err
		}
		if !more {
			lists = slices.Delete(lists, best, best+1)
		}
	}
	return nil
}
