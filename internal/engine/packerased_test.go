package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// TestPackPastForgets: an erased record is in no pack of a past state, in no cached
// state, and in no file.
func TestPackPastForgets(t *testing.T) {
	for _, files := range []bool{false, true} {
		t.Run(fmt.Sprint("files ", files), func(t *testing.T) { packPastForgets(t, files) })
	}
}

func packPastForgets(t *testing.T, files bool) {
	dir := t.TempDir() + "/data"
	b := openWith(t, dir, small(disk.OS()))
	if files {
		engine.KeepNoPast(b)
	}
	var words []string
	var uris []memory.URI
	for i := range 60 {
		word := fmt.Sprintf("canary-%03d-bird", i)
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", fmt.Sprint("e", i), int64(i), "the payment service and the "+word)}))
		must(t)(b.Put(ctx, user, "acme", &memory.Entity{ID: fmt.Sprint("n", i), Name: "Name of " + word, Type: "bird"}, engine.AnyVersion()))
		if i%2 == 0 {
			words = append(words, word)
			uris = append(uris, uri(record.Event, fmt.Sprint("e", i)), uri(record.Entity, fmt.Sprint("n", i)))
		}
	}
	o := engine.PackOptions{Tenant: "acme", Query: "Which birds are at the payment service?", Budget: 20_000, AsOf: engine.AsOf{Position: hmx.Some[uint64](110)}}
	tell := func() string {
		t.Helper()
		got, err := b.Pack(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		data, err := got.Pack.AppendJSON(nil)
		must(t)(nil, err)
		return string(data) + got.Text
	}
	if said := tell(); !strings.Contains(said, words[0]) || engine.KeepsPast(b) == files {
		t.Fatalf("kept %v: %s", engine.KeepsPast(b), said)
	}
	if res, err := b.Redact(ctx, user, uris); err != nil || res.Unsigned != nil {
		t.Fatal(res, err)
	}
	if engine.KeepsPast(b) {
		t.Error("a past state is kept that has what was erased")
	}
	// A purge removes a state whose removal failed.
	left := dir + "/index.past/9"
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left+"/000001.sst", []byte(words[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		said := tell()
		for _, word := range words {
			if strings.Contains(said, word) {
				t.Fatalf("%s is told: %s", word, said)
			}
		}
		if !strings.Contains(said, "canary-001-bird") {
			t.Error("what stays is not told")
		}
		if path, word, err := grep(disk.OS(), dir, words...); err != nil || path != "" {
			t.Fatalf("%q is in %s: %v", word, path, err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if path, word, err := grep(disk.OS(), dir, words...); err != nil || path != "" {
		t.Fatalf("after closing, %q is in %s: %v", word, path, err)
	}
}

// impatient is a context that ends after a number of checks.
type impatient struct {
	context.Context
	looks atomic.Int64
	most  int64
}

func (c *impatient) Err() error {
	if c.looks.Add(1) > c.most {
		return context.Canceled
	}
	return c.Context.Err()
}

// TestPackPastStops: the rebuild of a past state checks often for cancellation, and
// leaves nothing behind.
func TestPackPastStops(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that no goroutine reads ahead, which checks as well
	b, _ := packBoard(t)
	const size = 21
	o := engine.PackOptions{Tenant: "acme", Query: packQuery, AsOf: engine.AsOf{Position: hmx.Some[uint64](size - 1)}}
	look := func(most int64) (int64, error) {
		c := &impatient{Context: ctx, most: most}
		_, err := b.Pack(c, o)
		return c.looks.Load(), err
	}
	if _, err := look(size / 2); !errors.Is(err, context.Canceled) || engine.KeepsPast(b) {
		t.Fatalf("kept %v, %v", engine.KeepsPast(b), err)
	}
	made, err := look(1 << 40)
	must(t)(nil, err)
	kept, err := look(1 << 40)
	must(t)(nil, err)
	if made-kept < size {
		t.Errorf("%d looks to make a past of %d records", made-kept, size)
	}
}
