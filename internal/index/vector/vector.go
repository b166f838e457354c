// Package vector is the index of documents by meaning: vectors, and the search for near
// ones.
//
// # Spaces
//
// Vectors are comparable within a space: those of one model with one number of
// dimensions. The built-in space has the vector of each document by the built-in model.
// Other spaces have the vectors that events brought with them, and those that an
// external model made later, which are records of their own. A vector that is zero or
// not finite is in no space.
//
// # Tables
//
//	q  tenant, position, space    → row: the vector as int8
//	z  tenant, position           → nothing: of a document without a built-in vector
//	e  tenant, position of an embedding → position of its document, space
//	c  tenant, space, chunk       → codes of the rows in 1,024 positions, once the chunk is finished
//	d  tenant, space, chunks/1024 → directory: number of rows and digest of each chunk
//	s  tenant, space              → model, dimensions, number of vectors
//	h  see [index.Keeper]
//
// A code has a bit for each number of the rotated row, see rotate.go. The positions
// after the last finished chunk have no codes yet; a reader computes them from the
// rows.
//
// # Search
//
// Candidates are those whose codes are nearest to the query, weighted by the query's
// own numbers, see table.go. Their rows give an estimate of the cosine, and for the
// very best the exact one is computed from the vectors of the caller.
//
// # What is guaranteed
//
// What is stored is a function of the live documents, their embeddings, and the number
// of records. A search gives the same bits on every machine, with or without vector
// instructions, for any number of processors: everything is integer arithmetic up to
// the last product, except for the numbers of a table, each of which is rounded once,
// and sums are added in order. The [Cache] limits memory.
//
// # What is not
//
// A search is not exact: with the defaults, 98 of 100 of the ten nearest among a
// million are found, even if all are about as near. The index does not judge whether a
// model's vectors make sense. Only a redaction removes an embedding by itself; there is
// at most one per document and model, and it does not replace a vector that the
// document brought.
package vector

import (
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Prefix is the first byte of the fold's keys.
const Prefix = 'V'

const format = 2

const (
	tableRow       = 'q'
	tableWithout   = 'z'
	tableEmbedding = 'e'
	tableCodes     = 'c'
	tableDirectory = 'd'
	tableSpace     = 's'
)

// Vectors is the fold. The changes of a group stay in memory until its end.
type Vectors struct {
	keeper index.Keeper
	model  string // the built-in one
	group  group
	key    []byte
	value  []byte
	quant  []int8
	rounds quantizer
}

// New returns the fold. Model names the built-in model.
func New(model string) *Vectors {
	x := &Vectors{keeper: index.Keeper{Prefix: Prefix}, model: model, key: make([]byte, 0, 64)}
	x.Reset()
	return x
}

// Name is the fold's name.
func (x *Vectors) Name() string { return "vector" }

// Prefix is the first byte of the fold's keys.
func (x *Vectors) Prefix() byte { return Prefix }

// Format is the number of the fold's layout, of how documents are made, and of the
// built-in model.
func (x *Vectors) Format() uint32 {
	model := index.DigestOf(x.model)
	return format<<24 | index.DocumentVersion<<16 | uint32(model[0])<<8 | uint32(model[1])
}

// Reset drops the current group.
func (x *Vectors) Reset() { x.group.reset() }

// Apply adds the vectors of a record, and removes those of documents that have ended.
func (x *Vectors) Apply(tx *kv.Txn, r *index.Record) error {
	changes, err := x.keeper.Changes(tx, r)
	if err != nil {
		return err
	}
	return x.change(tx, r, changes)
}

// change is Apply with the known changes of documents.
func (x *Vectors) change(tx *kv.Txn, r *index.Record, changes index.Changes) error {
	at := r.Header.Position
	if err := x.remove(tx, r.Tenant, changes.Gone, at); err != nil {
		return err
	}
	if changes.Add != nil {
		if err := x.add(tx, r.Tenant, changes.Add); err != nil {
			return err
		}
	}
	if e, ok := r.Body.(*memory.Embedding); ok {
		if err := x.embed(tx, r.Tenant, e, at); err != nil {
			return err
		}
	}
	switch c := r.Control.(type) {
	case *memory.Redaction:
		for _, t := range c.Targets {
			if t.Kind == record.Embedding {
				if err := x.unembed(tx, r.Tenant, t.Position, at); err != nil {
					return err
				}
			}
		}
	case *memory.Expiry:
		for _, t := range c.Targets {
			if t.Kind == record.Embedding {
				if err := x.unembed(tx, r.Tenant, t.Position, at); err != nil {
					return err
				}
			}
		}
	}
	x.pass(r.Tenant, at)
	return nil
}

// add adds the vectors of a new document.
func (x *Vectors) add(tx *kv.Txn, tenant uint32, d *index.Document) error {
	var err error
	if q, ok := x.rounds.row(d.Embedding.Vector); ok {
		err = x.put(tx, place{tenant, builtin, d.Position}, x.model, q, origin{norm: d.Embedding.Norm, pieces: d.Embedding.Pieces})
	} else {
		err = tx.Set(withoutKey(x.key, tenant, d.Position), nil)
	}
	if err != nil || len(d.Own) == 0 {
		return err
	}
	q, ok := quantize(x.quant[:0], d.Own, maxRow)
	if x.quant = q.values; !ok {
		return nil
	}
	return x.put(tx, place{tenant, spaceOf(d.OwnModel, len(d.Own)), d.Position}, d.OwnModel, q, origin{norm: q.norm})
}

// embed adds a model's vector of a document. A document that has ended gets none, and
// one that has a vector in that space keeps it. by is the position of the embedding.
func (x *Vectors) embed(tx *kv.Txn, tenant uint32, e *memory.Embedding, by uint64) error {
	p := place{tenant, spaceOf(e.Model, e.Dimensions()), e.Position}
	switch live, err := x.live(tx, tenant, e.Position); {
	case err != nil:
		return err
	case !live:
		return nil
	}
	switch there, err := x.there(tx, p); {
	case err != nil:
		return err
	case there:
		return nil
	}
	q, ok := x.rounds.row(e.Floats())
	if !ok {
		return nil
	}
	if err := x.put(tx, p, e.Model, q, origin{norm: q.norm, late: true, by: by}); err != nil {
		return err
	}
	x.value = appendEmbedded(x.value[:0], p)
	if err := tx.Set(embeddedKey(x.key, tenant, by), x.value); err != nil {
		return err
	}
	if x.finished(tenant, chunkOf(p.position), by) {
		x.group.change(p).insert(offsetOf(p.position), x.group.rowOf(p))
	}
	return nil
}

// unembed removes the vector of the embedding at a position, if it still exists. by is
// the position of the erasing record.
func (x *Vectors) unembed(tx *kv.Txn, tenant uint32, position, by uint64) error {
	x.key = embeddedKey(x.key, tenant, position)
	v, ok, err := tx.Get(x.key, x.value[:0])
	x.value = v
	if err != nil || !ok {
		return err
	}
	p, err := decodeEmbedded(tenant, v)
	if err != nil {
		return err
	}
	if err := tx.Delete(x.key); err != nil {
		return err
	}
	return x.drop(tx, p, by)
}

// live reports whether a document is live.
func (x *Vectors) live(tx *kv.Txn, tenant uint32, position uint64) (bool, error) {
	if there, err := x.there(tx, place{tenant, builtin, position}); err != nil || there {
		return there, err
	}
	return found(tx, withoutKey(x.key, tenant, position))
}

// there reports whether a row exists.
func (x *Vectors) there(tx *kv.Txn, p place) (bool, error) {
	if x.group.rowOf(p) != nil {
		return true, nil
	}
	if x.group.gone[p] {
		return false, nil
	}
	return found(tx, rowKey(x.key, p))
}

func found(tx *kv.Txn, key []byte) (bool, error) {
	_, ok, err := tx.Get(key, nil)
	return ok, err
}

// put writes a row.
func (x *Vectors) put(tx *kv.Txn, p place, model string, q quantized[int8], o origin) error {
	row := x.group.add(p, appendRow(x.group.room(rowBytes(o, len(q.values))), q, o))
	x.group.count(p, 1).name(model, len(q.values))
	return tx.SetBlind(rowKey(x.key, p), row)
}

// remove removes all vectors of documents.
func (x *Vectors) remove(tx *kv.Txn, tenant uint32, positions []uint64, by uint64) error {
	if len(positions) == 0 {
		return nil
	}
	it, err := tx.Iter(rowsFrom(nil, tenant, positions[0]), rowsFrom(nil, tenant, positions[0]+1))
	if err != nil {
		return err
	}
	for _, position := range positions {
		if err := x.removeOne(tx, it, tenant, position, by); err != nil {
			_ = it.Close()
			return err
		}
	}
	return it.Close()
}

// removeOne removes the vectors of one document. The caller owns the iterator.
func (x *Vectors) removeOne(tx *kv.Txn, it *kv.Iter, tenant uint32, position, by uint64) error {
	spaces := x.group.spacesOf(tenant, position)
	it.Within(rowsFrom(nil, tenant, position), rowsFrom(nil, tenant, position+1))
	for ok := it.First(); ok; ok = it.Next() {
		p, err := placeOf(it.Key())
		if err != nil {
			return err
		}
		if !x.group.gone[p] && x.group.rowOf(p) == nil {
			spaces = append(spaces, p.space)
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	for _, space := range spaces {
		p := place{tenant, space, position}
		if err := x.forget(tx, p); err != nil {
			return err
		}
		if err := x.drop(tx, p, by); err != nil {
			return err
		}
	}
	key := withoutKey(x.key, tenant, position)
	if ok, err := found(tx, key); err != nil || !ok {
		return err
	}
	return tx.Delete(key)
}

// forget removes the note of the embedding that a row is from, if it is from one.
func (x *Vectors) forget(tx *kv.Txn, p place) error {
	if p.space == builtin {
		return nil
	}
	v := x.group.rowOf(p)
	if v == nil {
		var err error
		x.value, _, err = tx.Get(rowKey(x.key, p), x.value[:0])
		if err != nil {
			return err
		}
		v = x.value
	}
	r, err := decodeRow(v)
	if err != nil || !r.late {
		return err
	}
	return tx.Delete(embeddedKey(x.key, p.tenant, r.by))
}

// drop removes an existing row.
func (x *Vectors) drop(tx *kv.Txn, p place, by uint64) error {
	x.group.drop(p)
	x.group.count(p, -1)
	if x.finished(p.tenant, chunkOf(p.position), by) {
		x.group.change(p).remove(offsetOf(p.position))
	}
	return tx.Delete(rowKey(x.key, p))
}

// finished reports whether an earlier group finished a chunk, while the record at a
// position is folded.
func (x *Vectors) finished(tenant uint32, chunk, by uint64) bool {
	return chunk < chunkOf(by) && !x.group.full[fullChunk{tenant, chunk}]
}

// pass records that the record at a position was seen.
func (x *Vectors) pass(tenant uint32, position uint64) {
	if offsetOf(position) == chunkRows-1 {
		x.group.full[fullChunk{tenant, chunkOf(position)}] = true
	}
}

var _ index.Fold = (*Vectors)(nil)
