package vector

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// Has reports whether there are vectors of a model with these dimensions.
func (v *View) Has(model string, dimensions int) (bool, error) {
	_, ok, err := v.listing(spaceOf(model, dimensions))
	return ok, err
}

// Dimensions returns the dimensions of the vectors by an external model, in order:
// usually one number, more if the model was used with different ones.
func (v *View) Dimensions(model string) ([]int, error) {
	from := index.NewKey(nil, Prefix, tableSpace, v.tenant)
	it, err := v.r.Iter(from, kv.PrefixEnd(from))
	if err != nil {
		return nil, err
	}
	var wanted listing
	wanted.name(model, 1)
	var list []int
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.Value()
		var l listing
		if err == nil {
			l, err = decodeListing(value)
		}
		if err != nil {
			_ = it.Close()
			return nil, err
		}
		if l.model == wanted.model && index.Digest(it.Key()[6:]) == spaceOf(model, l.dimensions) {
			list = append(list, l.dimensions)
		}
	}
	slices.Sort(list)
	return list, it.Close()
}

// Embedding returns the position of the record with the vector of a document by a
// model. It is false if there is no such vector, or if the document brought it itself.
func (v *View) Embedding(model string, dimensions int, position uint64) (uint64, bool, error) {
	value, ok, err := v.r.Get(rowKey(nil, place{v.tenant, spaceOf(model, dimensions), position}), nil)
	if err != nil || !ok {
		return 0, false, err
	}
	r, err := decodeRow(value)
	return r.by, err == nil && r.late, err
}

// Missing calls visit with the positions of documents in [from, until) that have no
// vector of a model with these dimensions, in order, until visit returns false. known
// says that the built-in model has a vector of the document.
func (v *View) Missing(model string, dimensions int, from, until uint64, visit func(position uint64, known bool) (bool, error)) error {
	m := missing{view: v, space: spaceOf(model, dimensions), until: min(until, v.size)}
	if from >= m.until {
		return nil
	}
	var err error
	if m.without, err = v.r.Iter(withoutKey(nil, v.tenant, from), withoutKey(nil, v.tenant, m.until)); err != nil {
		return err
	}
	for ok := true; ok && err == nil && from < m.until; {
		ok, err = m.chunk(from, visit)
		from = (chunkOf(from) + 1) * chunkRows
	}
	if closed := m.without.Close(); err == nil {
		err = closed
	}
	return err
}

// missing is a walk over documents without a vector.
type missing struct {
	view    *View
	space   index.Digest
	until   uint64
	without *kv.Iter // over documents without a built-in vector
}

// chunk visits the rest of a chunk, and reports whether to continue.
func (m *missing) chunk(from uint64, visit func(uint64, bool) (bool, error)) (bool, error) {
	number := chunkOf(from)
	known, have, err := m.rows(number)
	if err != nil {
		return false, err
	}
	all := known
	first := number * chunkRows
	m.without.Within(withoutKey(nil, m.view.tenant, from), withoutKey(nil, m.view.tenant, min(first+chunkRows, m.until)))
	for ok := m.without.First(); ok; ok = m.without.Next() {
		all.set(offsetOf(index.Uint64At(m.without.Key()[6:])))
	}
	if err := m.without.Err(); err != nil {
		return false, err
	}
	for i := range all {
		for w := all[i] &^ have[i]; w != 0; w &= w - 1 {
			offset := 64*i + bits.TrailingZeros64(w)
			position := first + uint64(offset)
			if position < from {
				continue
			}
			if position >= m.until {
				return false, nil
			}
			if ok, err := visit(position, known.has(offset)); err != nil || !ok {
				return false, err
			}
		}
	}
	return true, nil
}

// rows returns which positions of a chunk have a built-in vector, and which have one
// of the space.
func (m *missing) rows(number uint64) (known, have live, err error) {
	if number < m.view.size/chunkRows {
		if known, err = m.codes(builtin, number); err == nil {
			have, err = m.codes(m.space, number)
		}
		return known, have, err
	}
	first := number * chunkRows
	it, err := m.view.r.Iter(rowsFrom(nil, m.view.tenant, first), rowsFrom(nil, m.view.tenant, first+chunkRows))
	if err != nil {
		return known, have, err
	}
	for ok := it.First(); ok; ok = it.Next() {
		p, err := placeOf(it.Key())
		if err != nil {
			_ = it.Close()
			return known, have, err
		}
		switch p.space {
		case builtin:
			known.set(offsetOf(p.position))
		case m.space:
			have.set(offsetOf(p.position))
		}
	}
	return known, have, it.Close()
}

// codes returns which positions of a finished chunk have a code in a space.
func (m *missing) codes(space index.Digest, number uint64) (l live, err error) {
	value, ok, err := m.view.r.Get(codesKey(nil, m.view.tenant, space, number), nil)
	if err != nil || !ok {
		return l, err
	}
	if len(value) < 8*len(l) {
		return l, damaged("a chunk", errLength)
	}
	for i := range l {
		l[i] = binary.LittleEndian.Uint64(value[8*i:])
	}
	return l, nil
}
