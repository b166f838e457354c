package column

import (
	"cmp"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// Writer writes rows for a fold. The changes of the current group are kept in
// memory until Finish, and nothing beyond that: the rows of an unfinished chunk are
// read from the store when the chunk is finished. It is for one goroutine.
type Writer struct {
	column  Column
	tenants map[uint32]*pending
	free    []*pending
	key     []byte
	upper   []byte
	value   []byte
	stamps  []stamp
}

// maxFree is how many pendings are kept for reuse.
const maxFree = 64

// pending is the changes of a group to the column of one tenant.
type pending struct {
	// The unfinished chunk: added rows by offset, and earlier ones to remove.
	chunk uint64
	at    []uint16
	rows  []byte
	gone  *Live

	finished map[uint64]*change // changes of finished chunks
	stamps   map[uint64]uint64  // of chunks
}

// change is the change of a finished chunk by a group.
type change struct {
	whole bool // the chunk was finished in this group: live and rows are complete
	live  Live
	rows  []byte
	gone  Live
}

// NewWriter returns a writer of a column.
func NewWriter(c Column) *Writer {
	return &Writer{column: c, tenants: make(map[uint32]*pending)}
}

// Set writes the row of a document. It copies the row.
func (w *Writer) Set(tx *kv.Txn, tenant uint32, position uint64, row []byte) error {
	if len(row) != w.column.Width {
		return w.column.misuse("a row has %d bytes, and must have %d", len(row), w.column.Width)
	}
	p, err := w.tail(tenant, position)
	if err != nil {
		return err
	}
	offset := uint16(position % ChunkDocs)
	if n := len(p.at); n == 0 || p.at[n-1] < offset {
		p.at, p.rows = append(p.at, offset), append(p.rows, row...)
		return nil
	}
	i, found := slices.BinarySearch(p.at, offset)
	if !found {
		p.at = slices.Insert(p.at, i, offset)
		p.rows = slices.Insert(p.rows, i*len(row), row...)
	}
	copy(p.rows[i*len(row):], row)
	return nil
}

// Remove removes a row, if it exists. By is the position of the removing record,
// which is after the row's and not done yet.
func (w *Writer) Remove(tx *kv.Txn, tenant uint32, position, by uint64) error {
	if by <= position {
		return w.column.misuse("the record at %d cannot take away what is at %d", by, position)
	}
	chunk, offset := position/ChunkDocs, int(position%ChunkDocs)
	p := w.pending(tenant)
	if p.stamps == nil {
		p.stamps = make(map[uint64]uint64)
	}
	p.stamps[chunk] = max(p.stamps[chunk], by)
	if chunk < by/ChunkDocs {
		if p.finished == nil {
			p.finished = make(map[uint64]*change)
		}
		c := p.finished[chunk]
		if c == nil {
			c = new(change)
			p.finished[chunk] = c
		}
		c.gone.set(offset)
		return nil
	}
	p, err := w.tail(tenant, position)
	if err != nil {
		return err
	}
	if i, found := slices.BinarySearch(p.at, uint16(offset)); found {
		p.at = slices.Delete(p.at, i, i+1)
		p.rows = slices.Delete(p.rows, i*w.column.Width, (i+1)*w.column.Width)
	}
	if p.gone == nil {
		p.gone = new(Live)
	}
	p.gone.set(offset)
	return nil
}

// Pass tells the writer that the record at a position is done, with or without a
// row. The last position of a chunk finishes the chunk.
func (w *Writer) Pass(tx *kv.Txn, tenant uint32, position uint64) error {
	if position%ChunkDocs != ChunkDocs-1 {
		return nil
	}
	p, err := w.tail(tenant, position)
	if err != nil {
		return err
	}
	c, err := w.finish(tx, tenant, p)
	if err != nil {
		return err
	}
	if p.finished == nil {
		p.finished = make(map[uint64]*change)
	}
	p.finished[p.chunk] = c
	p.at, p.rows, p.gone = p.at[:0], p.rows[:0], nil
	return nil
}

// finish assembles the rows of the unfinished chunk, and deletes those in the
// store.
func (w *Writer) finish(tx *kv.Txn, tenant uint32, p *pending) (*change, error) {
	c := &change{whole: true}
	var stored Live
	add := func(offset int, row []byte) {
		c.live.set(offset)
		c.rows = append(c.rows, row...)
	}
	next, width := 0, w.column.Width
	// come adds the rows of the group, up to an offset.
	come := func(limit int) {
		for ; next < len(p.at) && int(p.at[next]) < limit; next++ {
			add(int(p.at[next]), p.rows[next*width:(next+1)*width])
		}
	}
	err := w.column.eachRow(tx, tenant, p.chunk*ChunkDocs, (p.chunk+1)*ChunkDocs, func(offset int, row []byte) {
		stored.set(offset)
		come(offset)
		switch {
		case next < len(p.at) && int(p.at[next]) == offset: // overwritten
		case p.gone != nil && p.gone.Has(offset):
		default:
			add(offset, row)
		}
	})
	if err != nil {
		return nil, err
	}
	come(ChunkDocs)
	return c, w.clear(tx, tenant, p.chunk, &stored)
}

// fewRows is how many rows are deleted one by one. More are deleted as a range.
const fewRows = 32

// clear deletes the rows of a chunk from the store.
func (w *Writer) clear(tx *kv.Txn, tenant uint32, chunk uint64, stored *Live) error {
	first := chunk * ChunkDocs
	if stored.Count() > fewRows {
		w.key = w.column.rowKey(w.key, tenant, first)
		w.upper = w.column.rowKey(w.upper, tenant, first+ChunkDocs)
		return tx.DeleteRange(w.key, w.upper)
	}
	return w.deleteRows(tx, tenant, chunk, stored)
}

// deleteRows deletes rows from the store one by one.
func (w *Writer) deleteRows(tx *kv.Txn, tenant uint32, chunk uint64, rows *Live) error {
	for offset := range ChunkDocs {
		if rows.Has(offset) {
			w.key = w.column.rowKey(w.key, tenant, chunk*ChunkDocs+uint64(offset))
			if err := tx.Delete(w.key); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finish writes the changes of the group.
func (w *Writer) Finish(tx *kv.Txn) error {
	for tenant, p := range w.tenants {
		if err := w.write(tx, tenant, p); err != nil {
			return err
		}
		if len(w.free) < maxFree {
			*p = pending{at: p.at[:0], rows: p.rows[:0]}
			w.free = append(w.free, p)
		}
	}
	clear(w.tenants)
	return nil
}

// write writes the changes of a group for one tenant.
func (w *Writer) write(tx *kv.Txn, tenant uint32, p *pending) error {
	if p.gone != nil {
		if err := w.deleteRows(tx, tenant, p.chunk, p.gone); err != nil {
			return err
		}
	}
	width := w.column.Width
	for i, offset := range p.at {
		w.key = w.column.rowKey(w.key, tenant, p.chunk*ChunkDocs+uint64(offset))
		if err := tx.SetBlind(w.key, p.rows[i*width:(i+1)*width]); err != nil {
			return err
		}
	}
	for chunk, c := range p.finished {
		if err := w.writeChunk(tx, tenant, chunk, c); err != nil {
			return err
		}
	}
	return w.writeStamps(tx, tenant, p.stamps)
}

// writeChunk writes a finished chunk without its removed rows.
func (w *Writer) writeChunk(tx *kv.Txn, tenant uint32, chunk uint64, c *change) error {
	w.key = w.column.chunkKey(w.key, tenant, chunk)
	if !c.whole {
		v, found, err := tx.Get(w.key, w.value[:0])
		w.value = v
		if err != nil || !found {
			return err
		}
		var ok bool
		if c.live, c.rows, ok = parseChunk(v, w.column.Width); !ok {
			return w.column.damaged("chunk", tenant, chunk)
		}
	}
	if n, left := c.live.Count(), c.without(w.column.Width); left == 0 {
		if c.whole {
			return nil
		}
		return tx.Delete(w.key)
	} else if left == n && !c.whole {
		return nil
	}
	// The rows may be part of the buffer, in which case they stay in place.
	w.value = appendChunk(w.value[:0], &c.live, c.rows)
	return tx.SetBlind(w.key, w.value)
}

// without removes the removed rows, and returns how many are left.
func (c *change) without(width int) int {
	left, i := 0, 0
	for offset := range ChunkDocs {
		if !c.live.Has(offset) {
			continue
		}
		if c.gone.Has(offset) {
			c.live.unset(offset)
		} else {
			copy(c.rows[left*width:(left+1)*width], c.rows[i*width:])
			left++
		}
		i++
	}
	c.rows = c.rows[:left*width]
	return left
}

// writeStamps writes the stamps that a group changed.
func (w *Writer) writeStamps(tx *kv.Txn, tenant uint32, changed map[uint64]uint64) error {
	if len(changed) == 0 {
		return nil
	}
	chunks := make([]uint64, 0, len(changed))
	for chunk := range changed {
		chunks = append(chunks, chunk)
	}
	slices.Sort(chunks)
	for len(chunks) > 0 {
		volume := chunks[0] / ChunkDocs
		var err error
		if w.stamps, err = w.column.readStamps(tx, w.stamps[:0], tenant, volume); err != nil {
			return err
		}
		for ; len(chunks) > 0 && chunks[0]/ChunkDocs == volume; chunks = chunks[1:] {
			s := stamp{uint16(chunks[0] % ChunkDocs), changed[chunks[0]]}
			i, found := slices.BinarySearchFunc(w.stamps, s, func(a, b stamp) int { return cmp.Compare(a.chunk, b.chunk) })
			if found {
				w.stamps[i].by = max(w.stamps[i].by, s.by)
			} else {
				w.stamps = slices.Insert(w.stamps, i, s)
			}
		}
		w.value = appendStamps(w.value[:0], w.stamps)
		w.key = w.column.stampsKey(w.key, tenant, volume)
		if err := tx.SetBlind(w.key, w.value); err != nil {
			return err
		}
	}
	return nil
}

// Reset drops what is not written.
func (w *Writer) Reset() { clear(w.tenants) }

// pending returns the changes of the group for a tenant.
func (w *Writer) pending(tenant uint32) *pending {
	p := w.tenants[tenant]
	if p == nil {
		if n := len(w.free); n > 0 {
			p, w.free = w.free[n-1], w.free[:n-1]
		} else {
			p = new(pending)
		}
		w.tenants[tenant] = p
	}
	return p
}

// tail is pending for the unfinished chunk of a position.
func (w *Writer) tail(tenant uint32, position uint64) (*pending, error) {
	p := w.pending(tenant)
	if len(p.at) == 0 && p.gone == nil {
		p.chunk = position / ChunkDocs
	}
	if p.chunk != position/ChunkDocs {
		return nil, w.column.misuse("position %d comes before chunk %d is finished", position, p.chunk)
	}
	return p, nil
}

// eachRow visits the single rows in [from, until), which are in one chunk, with
// their offsets in it.
func (c Column) eachRow(r kv.Reader, tenant uint32, from, until uint64, visit func(offset int, row []byte)) error {
	it, err := r.Iter(c.rowKey(nil, tenant, from), c.rowKey(nil, tenant, until))
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		row, err := it.Value()
		if err == nil && (len(it.Key()) != rowKeySize || len(row) != c.Width) {
			err = c.damaged("a row of chunk", tenant, from/ChunkDocs)
		}
		if err != nil {
			it.Close()
			return err
		}
		visit(int(index.Uint64At(it.Key()[rowKeySize-8:])%ChunkDocs), row)
	}
	return it.Close()
}

// readStamps appends the stamps of a volume.
func (c Column) readStamps(r kv.Reader, list []stamp, tenant uint32, volume uint64) ([]stamp, error) {
	v, found, err := r.Get(c.stampsKey(nil, tenant, volume), nil)
	if err != nil || !found {
		return list, err
	}
	list, ok := parseStamps(list, v)
	if !ok {
		return list, c.damaged("the stamps of volume", tenant, volume)
	}
	return list, nil
}
