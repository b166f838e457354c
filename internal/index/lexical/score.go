package lexical

import (
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/text"
)

// Counts says how often the terms of a query occur in documents.
type Counts struct {
	Terms   []text.Term
	Weights []float64 // of each term in the query
	IDF     []float64 // of each term
	// TF are occurrences by field: for each document, a number for each term.
	TF []float64
	// Lengths are those of the documents; zero if there is none at a position.
	Lengths []uint32
}

// Count returns how often the terms of a query occur in the documents at the given
// positions, which must be ascending. Lengths are those of the documents, if the
// caller knows them; if nil, they are looked up.
func (v *View) Count(q Query, positions []uint64, lengths []uint32) (*Counts, error) {
	terms, scorer, err := v.prepare(&q)
	if err != nil {
		return nil, err
	}
	n := &Counts{
		Terms: make([]text.Term, len(terms)), Weights: make([]float64, len(terms)), IDF: make([]float64, len(terms)),
		TF: make([]float64, len(terms)*len(positions)), Lengths: make([]uint32, len(positions)),
	}
	for i := range terms {
		n.Terms[i], n.Weights[i], n.IDF[i] = terms[i].term, terms[i].weight, terms[i].idf
	}
	known := make([]bool, len(positions))
	err = v.visit(terms, &scorer, positions, func(i int, c *cursor) {
		n.TF[i*len(terms)+c.term.number] = float64(c.block.weights[c.at]) / plain
		n.Lengths[i], known[i] = c.block.lengths[c.at], true
	})
	if err != nil {
		return nil, err
	}
	if lengths != nil {
		copy(n.Lengths, lengths)
		return n, nil
	}
	return n, v.lengths(positions, known, n.Lengths)
}

// stride is the distance up to which stepping row by row to a position is cheaper
// than a seek.
const stride = 6

// lengths fills in the unknown ones, from forward rows.
func (v *View) lengths(positions []uint64, known []bool, lengths []uint32) error {
	it, err := v.reader.Iter(forwardKey(nil, v.tenant, 0), forwardKey(nil, v.tenant, v.size))
	if err != nil {
		return err
	}
	defer it.Close()
	var key []byte
	at, ok := uint64(0), false // where the iterator is, if it is valid
	for i, p := range positions {
		if known[i] || p >= v.size || ok && at > p {
			continue
		}
		if !ok || p-at > stride {
			key = forwardKey(key, v.tenant, p)
			ok = it.Seek(key)
		} else {
			for ok && at < p {
				if ok = it.Next(); ok {
					at = positionOf(it.Key())
				}
			}
		}
		if !ok {
			break
		}
		if at = positionOf(it.Key()); at != p {
			continue
		}
		row, err := it.Value()
		if err != nil {
			return err
		}
		f, err := readForward(row)
		if err != nil {
			return err
		}
		lengths[i] = f.length
	}
	return it.Close()
}

// visit calls found for every term of every document at the given positions, with a
// cursor at it.
func (v *View) visit(terms []queryTerm, s *scorer, positions []uint64, found func(i int, c *cursor)) error {
	for i := 1; i < len(positions); i++ {
		if positions[i] < positions[i-1] {
			return fault.New(fault.InvalidArgument, "positions: they must be ascending").WithFix("sort them")
		}
	}
	room := v.cache.room()
	defer v.cache.rooms.Put(room)
	room.open = room.open[:0]
	c := room.cursor()
	done := 0
	// one looks a term up at the positions in one segment.
	one := func(begin uint64, from, to int) error {
		for i := from; i < to; i++ {
			offset := uint32(positions[i] - begin)
			ok, err := c.seek(offset, offset+1)
			if err != nil {
				return err
			}
			if ok {
				found(i, c)
			}
		}
		return nil
	}
	for n, seg := range v.segments {
		begin, end := v.shape.begin(seg), v.shape.end(seg)
		from := done
		for done < len(positions) && positions[done] < end {
			done++
		}
		if from == done {
			continue
		}
		for i := range terms {
			if body := terms[i].lists.bodies[n]; body != nil {
				if err := c.open(v, s, &terms[i], seg, body); err != nil {
					return err
				}
				if err := one(begin, from, done); err != nil {
					return err
				}
			}
		}
	}
	last := done
	for last < len(positions) && positions[last] < v.size {
		last++
	}
	for i := range terms {
		if last > done && len(terms[i].lists.tail.offsets) > 0 {
			c.openTail(v, s, &terms[i])
			if err := one(v.from, done, last); err != nil {
				return err
			}
		}
	}
	return nil
}
