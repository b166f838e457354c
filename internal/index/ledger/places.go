package ledger

import (
	"sync"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// Places caches the addresses of positions that are looked up often. The address of a
// committed position never changes, so the cache is right for every reader that sees
// the position. It belongs to one store and is safe for concurrent use.
type Places struct {
	held  sync.Map // of *[chunkPlaces]Place by placesChunk
	mu    sync.Mutex
	count int                 // of held
	reads map[placesChunk]int // of chunks that are not cached
}

// placesChunk is positions of a tenant that are cached together.
type placesChunk struct {
	tenant uint32
	chunk  uint64
}

const (
	chunkPlaces = 1024
	// loadPlaces is how many positions of a chunk are looked up one by one before the
	// whole chunk is read, which costs about as much as a few dozen lookups.
	loadPlaces = 8
	// maxPlaces is how many chunks are cached: 40 KiB each.
	maxPlaces = 1200
	// maxReads is for how many chunks reads are counted.
	maxReads = 1 << 16
)

// NewPlaces returns an empty cache.
func NewPlaces() *Places {
	return &Places{reads: make(map[placesChunk]int)}
}

// At returns the address of a position of a tenant, like [At]. The reader must see only
// what is committed, and size is how many records the tenant has there. A nil Places
// caches nothing.
func (p *Places) At(r kv.Reader, tenant uint32, size, position uint64) (Place, bool, error) {
	c := placesChunk{tenant, position / chunkPlaces}
	if p == nil || (c.chunk+1)*chunkPlaces > size {
		return At(r, tenant, position)
	}
	held, load := p.find(c)
	if load {
		var err error
		if held, err = readPlaces(r, c); err != nil {
			return Place{}, false, err
		}
		p.hold(c, held)
	}
	if held == nil {
		return At(r, tenant, position)
	}
	return held[position%chunkPlaces], true, nil
}

// find returns a cached chunk, or reports that it should be loaded.
func (p *Places) find(c placesChunk) (held *[chunkPlaces]Place, load bool) {
	if there, ok := p.held.Load(c); ok {
		return there.(*[chunkPlaces]Place), false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.reads) >= maxReads {
		clear(p.reads)
	}
	p.reads[c]++
	return nil, p.reads[c] == loadPlaces
}

// hold caches a chunk, and evicts at random if there are too many. A chunk with gaps is
// nil, and not cached.
func (p *Places) hold(c placesChunk, held *[chunkPlaces]Place) {
	if held == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.reads, c)
	p.held.Range(func(other, _ any) bool {
		if p.count < maxPlaces {
			return false
		}
		p.held.Delete(other)
		p.count--
		return true
	})
	if _, there := p.held.Swap(c, held); !there {
		p.count++
	}
}

// readPlaces reads a chunk. It returns nil if one of its positions is missing.
func readPlaces(r kv.Reader, c placesChunk) (held *[chunkPlaces]Place, err error) {
	from := c.chunk * chunkPlaces
	key := func(position uint64) []byte {
		return index.NewKey(nil, Prefix, tablePosition, c.tenant).Uint64(position)
	}
	it, err := r.Iter(key(from), key(from+chunkPlaces))
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := it.Close(); err == nil {
			err = closed
		}
	}()
	held = new([chunkPlaces]Place)
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			return nil, err
		}
		if held[index.Uint64At(it.Key()[6:])%chunkPlaces], _, err = place(v); err != nil {
			return nil, err
		}
		n++
	}
	if err := it.Err(); err != nil || n != chunkPlaces {
		return nil, err
	}
	return held, nil
}
