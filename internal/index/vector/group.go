package vector

import (
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// group is the changes of a group of records, kept until its end: a transaction
// cannot list what it wrote.
type group struct {
	rows    map[document][]newRow // not in the store yet
	bytes   []byte                // buffer for rows
	gone    map[place]bool        // removed rows of the store
	full    map[fullChunk]bool    // chunks that were finished
	changed map[spaceChunk]*changes
	spaces  map[spaceID]*counted
	coder   coder
}

// document is a document of a tenant.
type document struct {
	tenant   uint32
	position uint64
}

// newRow is a row of a document.
type newRow struct {
	space index.Digest
	value []byte
}

// fullChunk is a chunk of all spaces.
type fullChunk struct {
	tenant uint32
	chunk  uint64
}

// spaceChunk is a chunk of one space.
type spaceChunk struct {
	tenant uint32
	space  index.Digest
	chunk  uint64
}

// spaceID is a space of a tenant.
type spaceID struct {
	tenant uint32
	space  index.Digest
}

// counted is the growth of a space, and its name if that is known.
type counted struct {
	listing
	more int64
}

// changes is the changes of a chunk that an earlier group finished.
type changes struct {
	removed  live
	inserted map[int][]byte // rows by offset
}

func (c *changes) remove(offset int) {
	c.removed.set(offset)
	delete(c.inserted, offset)
}

func (c *changes) insert(offset int, row []byte) {
	if c.inserted == nil {
		c.inserted = make(map[int][]byte)
	}
	c.inserted[offset] = row
}

func (g *group) reset() {
	*g = group{
		rows: make(map[document][]newRow), bytes: g.bytes[:0], gone: make(map[place]bool),
		full: make(map[fullChunk]bool), changed: make(map[spaceChunk]*changes), spaces: make(map[spaceID]*counted),
	}
}

// room returns memory for a row of n bytes.
func (g *group) room(n int) []byte {
	const block = 1 << 16
	if cap(g.bytes)-len(g.bytes) < n {
		g.bytes = make([]byte, 0, max(n, block))
	}
	at := len(g.bytes)
	g.bytes = g.bytes[:at+n]
	return g.bytes[at : at : at+n]
}

// add stores a row, and returns it.
func (g *group) add(p place, row []byte) []byte {
	d := document{p.tenant, p.position}
	g.rows[d] = append(g.rows[d], newRow{p.space, row})
	return row
}

// rowOf returns a row of the group, or nil.
func (g *group) rowOf(p place) []byte {
	for _, r := range g.rows[document{p.tenant, p.position}] {
		if r.space == p.space {
			return r.value
		}
	}
	return nil
}

// spacesOf returns the spaces in which a document has a row of the group.
func (g *group) spacesOf(tenant uint32, position uint64) []index.Digest {
	var list []index.Digest
	for _, r := range g.rows[document{tenant, position}] {
		list = append(list, r.space)
	}
	return list
}

// drop removes a row, in the group or the store.
func (g *group) drop(p place) {
	g.gone[p] = true
	d := document{p.tenant, p.position}
	list := slices.DeleteFunc(g.rows[d], func(r newRow) bool { return r.space == p.space })
	if len(list) == 0 {
		delete(g.rows, d)
	} else {
		g.rows[d] = list
	}
}

// change returns the changes of a row's chunk.
func (g *group) change(p place) *changes {
	at := spaceChunk{p.tenant, p.space, chunkOf(p.position)}
	c := g.changed[at]
	if c == nil {
		c = new(changes)
		g.changed[at] = c
	}
	return c
}

// count counts vectors of a space.
func (g *group) count(p place, more int64) *counted {
	at := spaceID{p.tenant, p.space}
	c := g.spaces[at]
	if c == nil {
		c = new(counted)
		g.spaces[at] = c
	}
	c.more += more
	return c
}

// Finish writes the codes of finished and changed chunks, with their directories and
// spaces.
func (x *Vectors) Finish(tx *kv.Txn) error {
	f := finish{tx: tx, group: &x.group, parts: make(map[directoryPart][]entry)}
	for at := range x.group.full {
		if err := f.full(at); err != nil {
			return err
		}
	}
	for at, c := range x.group.changed {
		if err := f.changed(at, c); err != nil {
			return err
		}
	}
	for at, c := range x.group.spaces {
		if err := f.space(at, c); err != nil {
			return err
		}
	}
	for at, list := range f.parts {
		if err := f.directory(at, list); err != nil {
			return err
		}
	}
	x.group.reset()
	return nil
}

// finish is the end of a group. Each key is written once, so that the order does not
// matter.
type finish struct {
	tx    *kv.Txn
	group *group
	parts map[directoryPart][]entry // new entries of directories
	key   []byte
	value []byte
}

// directoryPart is a part of the directory of a space.
type directoryPart struct {
	spaceID
	part uint32
}

// full writes the codes of a finished chunk.
func (f *finish) full(at fullChunk) error {
	spaces := make(map[index.Digest]*codes)
	first := at.chunk * chunkRows
	it, err := f.tx.Iter(rowsFrom(nil, at.tenant, first), rowsFrom(nil, at.tenant, first+chunkRows))
	if err != nil {
		return err
	}
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		err = f.stored(spaces, it)
	}
	if e := it.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	for offset := range chunkRows {
		for _, r := range f.group.rows[document{at.tenant, first + uint64(offset)}] {
			if err := f.code(spaces, r.space, offset, r.value); err != nil {
				return err
			}
		}
	}
	for space, c := range spaces {
		if err := f.write(spaceChunk{at.tenant, space, at.chunk}, c); err != nil {
			return err
		}
	}
	return nil
}

// stored adds the code of a row from before the group, unless the group removed it.
// An iterator may or may not see what the group wrote.
func (f *finish) stored(spaces map[index.Digest]*codes, it *kv.Iter) error {
	p, err := placeOf(it.Key())
	if err != nil {
		return err
	}
	if f.group.gone[p] || f.group.rowOf(p) != nil {
		return nil
	}
	v, err := it.Value()
	if err != nil {
		return err
	}
	return f.code(spaces, p.space, offsetOf(p.position), v)
}

// code adds the code of a row to those of its space.
func (f *finish) code(spaces map[index.Digest]*codes, space index.Digest, offset int, value []byte) error {
	r, err := decodeRow(value)
	if err != nil {
		return err
	}
	c := spaces[space]
	if c == nil {
		c = &codes{words: codeWords(len(r.values))}
		spaces[space] = c
	}
	if c.words != codeWords(len(r.values)) {
		return damaged("a row", errContent)
	}
	f.group.coder.code(c.add(offset), r.values)
	return nil
}

// changed rewrites the codes of a chunk that an earlier group finished.
func (f *finish) changed(at spaceChunk, c *changes) error {
	f.key = codesKey(f.key, at.tenant, at.space, at.chunk)
	v, ok, err := f.tx.Get(f.key, f.value[:0])
	f.value = v
	if err != nil {
		return err
	}
	spaces := make(map[index.Digest]*codes)
	if ok {
		old, err := decodeCodes(v)
		if err != nil {
			return err
		}
		left := &codes{words: old.words}
		for i, o := range old.offsets {
			if !c.removed.has(int(o)) {
				copy(left.add(int(o)), old.list[i*old.words:(i+1)*old.words])
			}
		}
		spaces[at.space] = left
	}
	for offset, row := range c.inserted {
		if err := f.code(spaces, at.space, offset, row); err != nil {
			return err
		}
	}
	left := spaces[at.space]
	if left == nil {
		return nil // it was added and removed
	}
	return f.write(at, left)
}

// write writes the codes of a chunk, or deletes them if there are none.
func (f *finish) write(at spaceChunk, c *codes) error {
	part, low := partOf(at.chunk)
	place := directoryPart{spaceID{at.tenant, at.space}, part}
	f.key = codesKey(f.key, at.tenant, at.space, at.chunk)
	if len(c.offsets) == 0 {
		f.parts[place] = append(f.parts[place], entry{chunk: low})
		return f.tx.Delete(f.key)
	}
	f.value = c.encode(f.value[:0])
	f.parts[place] = append(f.parts[place], entryOf(low, len(c.offsets), f.value))
	return f.tx.SetBlind(f.key, f.value)
}

// directory writes the new entries of a part of a directory.
func (f *finish) directory(at directoryPart, news []entry) error {
	f.key = directoryKey(f.key, at.tenant, at.space, at.part)
	v, _, err := f.tx.Get(f.key, f.value[:0])
	f.value = v
	if err != nil {
		return err
	}
	list, err := decodeEntries(nil, v)
	if err != nil {
		return err
	}
	for _, e := range news {
		list = setEntry(list, e)
	}
	if len(list) == 0 {
		return f.tx.Delete(f.key)
	}
	f.value = appendEntries(f.value[:0], list)
	return f.tx.SetBlind(f.key, f.value)
}

// space writes the number of vectors of a space.
func (f *finish) space(at spaceID, c *counted) error {
	if c.more == 0 {
		return nil
	}
	f.key = spaceKey(f.key, at.tenant, at.space)
	v, ok, err := f.tx.Get(f.key, f.value[:0])
	f.value = v
	if err != nil {
		return err
	}
	l := c.listing
	if ok {
		if l, err = decodeListing(v); err != nil {
			return err
		}
	}
	l.vectors += uint64(c.more)
	if l.vectors == 0 {
		return f.tx.Delete(f.key)
	}
	f.value = l.encode(f.value[:0])
	return f.tx.SetBlind(f.key, f.value)
}
