package engine_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
)

// beforeBlocks are the formats of the folds before their tables were in blocks: the part of the
// number that belongs to the fold, and its place.
var beforeBlocks = map[byte]struct {
	format uint32
	shift  int
}{'L': {1, 0}, 'X': {2, 16}, 'V': {1, 24}, 'G': {1, 16}}

// TestIndexBeforeBlocks opens a directory whose index has each row under its own key, as in an
// old format. The index is rebuilt from the journal.
func TestIndexBeforeBlocks(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", small(fs))
	talk(t, b, 40)
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "named", 98, "see internal/kv/rows.go and go.mod")}))
	must(t)(b.Redact(ctx, user, []memory.URI{eventURI("e7")}))
	want := sound(t, b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	unblock(t, fs)
	b = openWith(t, "data", small(fs))
	if got := sound(t, b); got.Records != want.Records {
		t.Errorf("%d records, want %d", got.Records, want.Records)
	}
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "new", 99, "the next one")}))
	sound(t, b)
}

// unblock rewrites the index of a closed board in the format before blocks.
func unblock(t *testing.T, fs disk.FS) {
	t.Helper()
	open := func(dir string, rows []string) *kv.Store {
		s, err := kv.Open(kv.Options{FS: fs, Dir: dir, CacheBytes: 1 << 20, MemTableBytes: 128 << 10, Rows: rows})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	from, to := open("data/index", apply.Rows()), open("data/old", nil)
	it, err := from.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	tx := to.Begin()
	for ok := it.First(); ok; ok = it.Next() {
		key := it.Key()
		value, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		value = bytes.Clone(value)
		if was, cursor := beforeBlocks[key[0]]; cursor && len(key) == 2 && key[1] == 0 {
			now := binary.BigEndian.Uint32(value)
			binary.BigEndian.PutUint32(value, now&(1<<was.shift-1)|was.format<<was.shift)
		}
		if err := tx.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{it.Close(), tx.Commit(), from.Close(), to.Close(), fs.RemoveAll("data/index"), fs.Rename("data/old", "data/index")} {
		if err != nil {
			t.Fatal(err)
		}
	}
}
