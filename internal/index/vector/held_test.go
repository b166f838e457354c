package vector

import (
	"reflect"
	"slices"
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// many makes a history of full chunks and a few more documents.
func many(words *vocabulary, chunks int) history {
	h := make(history, chunks*chunkRows+50)
	for i := range h {
		h[i].document = textDocument(words.text(5))
	}
	return h
}

// agree returns the result of a search, which is the same with a cache as without.
func agree(t *testing.T, s *View, cache *Cache, q Query) []Match {
	t.Helper()
	plain, err := Open(s.r, 0, s.size, nil).Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * loadAfter {
		got, err := Open(s.r, 0, s.size, cache).Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, plain) {
			t.Fatalf("with rows in memory %v\nwithout %v", got, plain)
		}
	}
	return plain
}

// TestHeldRows: cached rows equal the stored ones, also after some were removed, and
// stay within the limit of the cache.
func TestHeldRows(t *testing.T) {
	testsize.OneGoroutine(t)
	words := newVocabulary(3, 300, 64)
	h := many(words, 4)
	s := openStore(t)
	h.fold(t, s, 500)
	q := Query{Vector: words.text(3), K: 20}
	cache := NewCache(8 << 20)
	found := agree(t, Open(s, 0, h.size(0), nil), cache, q)
	if len(cache.rows) != 4 {
		t.Fatalf("rows of %d chunks are held, and not of 4", len(cache.rows))
	}
	full := cache.Bytes()
	if want := int64(4 * chunkRows * (rowHead + 64)); full < want {
		t.Fatalf("%d bytes are held, which is less than the rows have", full)
	}

	// A removed document is not found, whatever is cached.
	gone := found[0].Position
	h = append(h, step{gone: []uint64{gone}})
	again := openStore(t)
	h.fold(t, again, 700)
	if found := agree(t, Open(again, 0, h.size(0), nil), cache, q); slices.ContainsFunc(found, func(m Match) bool { return m.Position == gone }) {
		t.Errorf("%d is gone, but found", gone)
	}
	if b := cache.Bytes(); b > full {
		t.Errorf("%d bytes are held, and %d before", b, full)
	}

	// A cache with room for the rows of one chunk caches those, and evicts no codes.
	small := NewCache(full / 2)
	agree(t, Open(again, 0, h.size(0), nil), small, q)
	if b := small.Bytes(); b > small.limit || len(small.rows) == 0 || len(small.list) < 4 {
		t.Errorf("%d of %d bytes, rows of %d chunks, codes of %d", b, small.limit, len(small.rows), len(small.list))
	}
}

// TestHeldRowsOfEmbeddings: rows of embeddings are not cached: another embedding can
// have the same code.
func TestHeldRowsOfEmbeddings(t *testing.T) {
	words := newVocabulary(4, 300, 64)
	h := many(words, 1)
	vector := words.text(4)
	h = append(h, step{embedding: memory.NewEmbedding("other", memory.URI{Tenant: "acme", Kind: record.Event, ID: "e"}, 7, vector)})
	s := openStore(t)
	h.fold(t, s, 500)
	cache := NewCache(8 << 20)
	q := Query{Vector: vector, Own: true, Model: "other", K: 5}
	if found := agree(t, Open(s, 0, h.size(0), nil), cache, q); len(found) != 1 || found[0].Position != 7 {
		t.Fatal(found)
	}
	if len(cache.rows) != 0 {
		t.Errorf("rows of %d chunks are held", len(cache.rows))
	}
}
