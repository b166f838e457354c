package vector

import (
	"slices"
	"sync"
	"sync/atomic"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// View is the vectors of a tenant at one state. Its reader must be safe for concurrent
// use, as stores and snapshots are. It caches rows: a search reads the best of them
// again.
type View struct {
	r       kv.Reader
	tenant  uint32
	size    uint64
	cache   *Cache
	kernels kernels

	mu   sync.Mutex // guards the rest
	kept map[place][]byte
	refs map[index.Digest][]chunkRef // of spaces
}

// maxKept is how many rows a view caches.
const maxKept = 2048

// Open returns the vectors of a tenant as a reader sees them. Size is how many
// records the tenant has there; cache may be nil.
func Open(r kv.Reader, tenant uint32, size uint64, cache *Cache) *View {
	return &View{r: r, tenant: tenant, size: size, cache: cache, kernels: quickest(), kept: make(map[place][]byte), refs: make(map[index.Digest][]chunkRef)}
}

// Space is a set of comparable vectors: those of one model with one number of
// dimensions.
type Space struct {
	Builtin    bool
	Model      string // its name, at most the first 256 bytes; may be empty
	Dimensions int
	Vectors    uint64
}

// Spaces returns the spaces that have vectors, at most limit: the built-in one first,
// the others in an arbitrary but stable order.
func (v *View) Spaces(limit int) ([]Space, error) {
	from := index.NewKey(nil, Prefix, tableSpace, v.tenant)
	it, err := v.r.Iter(from, kv.PrefixEnd(from))
	if err != nil {
		return nil, err
	}
	var list []Space
	for ok := it.First(); ok && len(list) < limit; ok = it.Next() {
		value, err := it.Value()
		var l listing
		if err == nil {
			l, err = decodeListing(value)
		}
		if err != nil {
			_ = it.Close()
			return nil, err
		}
		list = append(list, Space{index.Digest(it.Key()[6:]) == builtin, l.model, l.dimensions, l.vectors})
	}
	return list, it.Close()
}

// listing returns the description of a space, and false if it has no vectors.
func (v *View) listing(space index.Digest) (listing, bool, error) {
	value, ok, err := v.r.Get(spaceKey(nil, v.tenant, space), nil)
	if err != nil || !ok {
		return listing{}, false, err
	}
	l, err := decodeListing(value)
	return l, err == nil, err
}

// chunkRef refers to a chunk.
type chunkRef struct {
	number uint64
	entry  entry
	tail   bool  // it is unfinished, and has no entry
	slot   *slot // nil without a cache
}

// slot refers to the cached data of a chunk in one version, without a lock.
type slot struct {
	codes atomic.Pointer[chunk]
	rows  atomic.Pointer[heldRows]
}

// chunks are the finished chunks of a space in its directory. The list is immutable.
type chunks struct {
	directory []byte
	ends      []int // of its parts
	list      []chunkRef
}

// chunks returns the chunks of a space that have rows, in order. The last one may have
// none. The list must not be changed.
func (v *View) chunks(space index.Digest) ([]chunkRef, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if list, ok := v.refs[space]; ok {
		return list, nil
	}
	list, err := v.readChunks(space)
	if err == nil {
		v.refs[space] = list
	}
	return list, err
}

// readChunks reads the directory of a space.
func (v *View) readChunks(space index.Digest) ([]chunkRef, error) {
	whole := v.size / chunkRows
	parts := uint32((whole + chunkRows - 1) / chunkRows)
	var (
		directory []byte
		ends      []int // of the parts
		err       error
	)
	for part := range parts {
		directory, _, err = v.r.Get(directoryKey(nil, v.tenant, space, part), directory)
		if err != nil {
			return nil, err
		}
		ends = append(ends, len(directory))
	}
	id := spaceID{v.tenant, space}
	known := v.cache.known(id, directory, ends)
	if known == nil {
		if known, err = listChunks(directory, ends); err != nil {
			return nil, err
		}
		v.cache.know(id, known)
	}
	if v.size%chunkRows == 0 {
		return known.list, nil
	}
	return append(slices.Clip(known.list), chunkRef{number: whole, tail: true}), nil
}

// listChunks reads a directory whose parts end at ends.
func listChunks(directory []byte, ends []int) (*chunks, error) {
	c := &chunks{directory: directory, ends: ends}
	var (
		room []entry
		err  error
	)
	from := 0
	for part, to := range ends {
		if from == to {
			continue // there is none
		}
		if room, err = decodeEntries(room[:0], directory[from:to]); err != nil {
			return nil, err
		}
		for _, e := range room {
			c.list = append(c.list, chunkRef{number: uint64(part)*chunkRows + uint64(e.chunk), entry: e})
		}
		from = to
	}
	slots := make([]slot, len(c.list))
	for i := range c.list {
		c.list[i].slot = &slots[i]
	}
	return c, nil
}

// chunk returns the codes of a chunk, or nil if it has none.
func (v *View) chunk(space index.Digest, dimensions int, ref chunkRef) (*chunk, error) {
	if ref.slot != nil {
		if c := ref.slot.codes.Load(); c != nil {
			c.use()
			return c, nil
		}
	}
	at := spaceChunk{v.tenant, space, ref.number}
	if ref.tail {
		return v.cache.chunk(at, version{size: v.size}, nil, func() (*chunk, error) { return v.loadTail(at, dimensions) })
	}
	return v.cache.chunk(at, version{digest: ref.entry.digest}, ref.slot, func() (*chunk, error) { return v.loadChunk(at, dimensions, &ref.entry) })
}

// loadChunk reads a finished chunk.
func (v *View) loadChunk(at spaceChunk, dimensions int, e *entry) (*chunk, error) {
	value, ok, err := v.r.Get(codesKey(nil, at.tenant, at.space, at.chunk), nil)
	if err != nil {
		return nil, err
	}
	if !ok || !e.matches(value) {
		return nil, damaged("a chunk", errContent)
	}
	c, err := decodeCodes(value)
	if err != nil {
		return nil, err
	}
	if c.words != codeWords(dimensions) || len(c.offsets) != int(e.rows) {
		return nil, damaged("a chunk", errContent)
	}
	return v.cache.newChunk(c), nil
}

// loadTail computes the codes of an unfinished chunk.
func (v *View) loadTail(at spaceChunk, dimensions int) (*chunk, error) {
	first := at.chunk * chunkRows
	it, err := v.r.Iter(rowsFrom(nil, at.tenant, first), rowsFrom(nil, at.tenant, first+chunkRows))
	if err != nil {
		return nil, err
	}
	c := &codes{words: codeWords(dimensions)}
	var make coder
	for ok := it.First(); ok; ok = it.Next() {
		p, err := placeOf(it.Key())
		if err == nil && p.space == at.space {
			err = addRow(c, &make, it, p, dimensions)
		}
		if err != nil {
			_ = it.Close()
			return nil, err
		}
	}
	return v.cache.newChunk(c), it.Close()
}

// addRow adds the code of the row that an iterator is at.
func addRow(c *codes, make *coder, it *kv.Iter, p place, dimensions int) error {
	value, err := it.Value()
	if err != nil {
		return err
	}
	r, err := decodeRow(value)
	if err != nil {
		return err
	}
	if len(r.values) != dimensions {
		return damaged("a row", errContent)
	}
	make.code(c.add(offsetOf(p.position)), r.values)
	return nil
}
