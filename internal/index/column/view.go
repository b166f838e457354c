package column

import (
	"bytes"
	"sync"
	"sync/atomic"

	"lukasa.dev/internal/kv"
)

// View is a column of a tenant at one state. It is safe for concurrent use if its
// reader is, such as a snapshot.
type View struct {
	column Column
	reader kv.Reader
	tenant uint32
	cache  *Cache
	state  *state
}

// state is the state of a column when its tenant had size records.
type state struct {
	size   uint64
	stamps [][]byte // of each volume, as stored
	chunks []*slot  // the finished ones
	tail   *slot    // the unfinished one
}

// slot holds a chunk at one of its states. States that agree on it share it.
type slot struct {
	stamp uint64
	chunk atomic.Pointer[Chunk]
	load  sync.Mutex // held while the chunk is read

	// For an unfinished chunk: its rows when the tenant had fewer records, if
	// known. None of them was removed since.
	base     *Chunk
	baseSize uint64

	item item // of the cache
}

// Open returns the column of a tenant as a reader sees it. Size is how many records
// the tenant has there; cache may be nil. The cost does not depend on the length of
// the column if the cache has seen that size before; otherwise it is some
// nanoseconds per chunk.
func (c Column) Open(r kv.Reader, tenant uint32, size uint64, cache *Cache) (*View, error) {
	v := &View{column: c, reader: r, tenant: tenant, cache: cache}
	var known *state
	if cache != nil {
		if known = cache.known(c, tenant); known != nil && known.size == size {
			v.state = known
			return v, nil
		}
	}
	s, err := v.read(size, known)
	if err != nil {
		return nil, err
	}
	if cache != nil {
		s = cache.learn(c, tenant, s)
	}
	v.state = s
	return v, nil
}

// read returns the state of the column at a size. It shares slots with a known
// state where they agree.
func (v *View) read(size uint64, known *state) (*state, error) {
	finished := int(size / ChunkDocs)
	s := &state{size: size, tail: new(slot)}
	same := known != nil && len(known.chunks) == finished
	for volume := 0; volume*ChunkDocs <= finished; volume++ {
		raw, _, err := v.reader.Get(v.column.stampsKey(nil, v.tenant, uint64(volume)), nil)
		if err != nil {
			return nil, err
		}
		same = same && bytes.Equal(raw, known.stamps[volume])
		s.stamps = append(s.stamps, raw)
	}
	if same {
		s.chunks, s.tail.stamp = known.chunks, known.tail.stamp
	} else if err := v.share(s, finished, known); err != nil {
		return nil, err
	}
	s.tail.follow(known, s)
	return s, nil
}

// share creates the slots of a state, or takes those of a known one with the same
// stamps.
func (v *View) share(s *state, finished int, known *state) error {
	s.chunks = make([]*slot, finished)
	var list []stamp
	for volume, raw := range s.stamps {
		var ok bool
		if list, ok = parseStamps(list[:0], raw); !ok {
			return v.column.damaged("the stamps of volume", v.tenant, uint64(volume))
		}
		rest, first := list, volume*ChunkDocs
		for i := first; i < min(first+ChunkDocs, finished+1); i++ {
			by := uint64(0)
			if len(rest) > 0 && int(rest[0].chunk) == i-first {
				by, rest = rest[0].by, rest[1:]
			}
			switch {
			case i == finished:
				s.tail.stamp = by
			case known != nil && i < len(known.chunks) && known.chunks[i].stamp == by:
				s.chunks[i] = known.chunks[i]
			default:
				s.chunks[i] = &slot{stamp: by}
			}
		}
	}
	return nil
}

// follow makes the unfinished chunk of s start with the rows of a known state.
func (t *slot) follow(known, s *state) {
	if known == nil || known.size > s.size || len(known.chunks) != len(s.chunks) || known.tail.stamp != t.stamp {
		return
	}
	if c := known.tail.chunk.Load(); c != nil {
		t.base, t.baseSize = c, known.size
	} else {
		t.base, t.baseSize = known.tail.base, known.tail.baseSize
	}
}

// Size is how many records the tenant has.
func (v *View) Size() uint64 { return v.state.size }

// Chunks is how many chunks there are, the unfinished one included.
func (v *View) Chunks() int {
	if v.state.size%ChunkDocs == 0 {
		return len(v.state.chunks)
	}
	return len(v.state.chunks) + 1
}

// Chunk returns a chunk, or nil if it is empty.
func (v *View) Chunk(i int) (*Chunk, error) {
	t := v.state.tail
	if i < len(v.state.chunks) {
		t = v.state.chunks[i]
	}
	c := t.chunk.Load()
	if c == nil {
		var err error
		if c, err = v.load(t, i); err != nil {
			return nil, err
		}
	} else {
		t.item.touch()
	}
	if c.count == 0 {
		return nil, nil
	}
	return c, nil
}

// load reads a chunk into its slot. Concurrent callers wait for it.
func (v *View) load(t *slot, i int) (*Chunk, error) {
	t.load.Lock()
	defer t.load.Unlock()
	if c := t.chunk.Load(); c != nil {
		return c, nil
	}
	var c *Chunk
	var err error
	if i < len(v.state.chunks) {
		c, err = v.readChunk(uint64(i))
	} else {
		c, err = v.readTail(t)
	}
	if err != nil {
		return nil, err
	}
	t.chunk.Store(c)
	if v.cache != nil {
		v.cache.add(t, c)
	}
	return c, nil
}

// readChunk reads a finished chunk.
func (v *View) readChunk(i uint64) (*Chunk, error) {
	raw, found, err := v.reader.Get(v.column.chunkKey(nil, v.tenant, i), nil)
	if err != nil {
		return nil, err
	}
	if !found {
		return v.column.newChunk(new(Live), nil), nil
	}
	live, rows, ok := parseChunk(raw, v.column.Width)
	if !ok {
		return nil, v.column.damaged("chunk", v.tenant, i)
	}
	return v.column.newChunk(&live, rows), nil
}

// readTail reads the unfinished chunk.
func (v *View) readTail(t *slot) (*Chunk, error) {
	var live Live
	var rows []byte
	from := v.state.size / ChunkDocs * ChunkDocs
	if t.base != nil {
		live, from = t.base.Live, t.baseSize
		rows = append(make([]byte, 0, len(t.base.Rows)+int(v.state.size-from)*v.column.Width), t.base.wholeRows()...)
	}
	if from < v.state.size {
		err := v.column.eachRow(v.reader, v.tenant, from, v.state.size, func(offset int, row []byte) {
			live.set(offset)
			rows = append(rows, row...)
		})
		if err != nil {
			return nil, err
		}
	}
	return v.column.newChunk(&live, rows), nil
}
