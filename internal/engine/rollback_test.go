package engine_test

import (
	"errors"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
)

// restored returns a file system with the given parts of a directory from an older
// copy.
func restored(t *testing.T, now, then disk.FS, parts ...string) *disk.Mem {
	t.Helper()
	fs := copyFiles(t, now, "")
	for _, part := range parts {
		if err := fs.RemoveAll(part); err != nil {
			t.Fatal(err)
		}
		all, err := files(then, part)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			data, err := disk.ReadFile(then, name)
			if err != nil {
				t.Fatal(err)
			}
			put(t, fs, name, data)
		}
	}
	return fs
}

// TestRollback restores an older state in place of a signed one.
func TestRollback(t *testing.T) {
	fs := disk.NewMem()
	o := small(fs)
	o.WitnessDir = "witness"
	b := openWith(t, "data", o)
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e1", 1, "one"), event(t, "other", "e1", 1, "one")}))
	must(t)(b.Checkpoint(ctx, "acme"))
	must(t)(b.Checkpoint(ctx, "other"))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	then := copyFiles(t, fs, "")
	b = openWith(t, "data", o)
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e2", 2, "two"), event(t, "acme", "e3", 3, "three")}))
	must(t)(b.Checkpoint(ctx, "acme"))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		parts   []string
		witness bool
		fork    bool
		refuses bool
	}{
		{"nothing", nil, true, false, false},
		{"journal and index", []string{"data/journal", "data/index"}, false, false, true},
		{"journal and index, then another history", []string{"data/journal", "data/index"}, false, true, true},
		{"everything, with a witness", []string{"data"}, true, false, true},
		{"everything, then another history, with a witness", []string{"data"}, true, true, true},
		{"everything, with nobody to tell", []string{"data"}, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := small(restored(t, fs, then, c.parts...))
			if c.witness {
				o.WitnessDir = "witness"
			}
			b := openWith(t, "data", o)
			if c.fork {
				must(t)(b.AppendEvents(ctx, user, []*hmx.Event{
					event(t, "acme", "x2", 2, "another two"), event(t, "acme", "x3", 3, "another three"), event(t, "acme", "x4", 4, "another four"),
				}))
			}
			_, err := b.Checkpoint(ctx, "acme")
			if refused := fault.CodeOf(err) == fault.RolledBack; refused != c.refuses || err != nil && !refused {
				t.Fatal(err)
			}
			if _, err := b.Prove(ctx, "acme", engine.ProveOptions{}); (fault.CodeOf(err) == fault.RolledBack) != c.refuses {
				t.Fatal(err)
			}
			report, err := b.Verify(ctx, engine.VerifyOptions{})
			if err != nil || report.OK() == c.refuses {
				t.Errorf("verify finds %+v, %v", report, err)
			}
			// Reads and writes continue, and so do the other tenants.
			must(t)(b.Event(ctx, "acme", "e1", engine.View{}))
			must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "later", 9, "later")}))
			must(t)(b.Checkpoint(ctx, "other"))
		})
	}
}

// TestNothingIsRecordedWithoutAKey: a directory whose key is unreadable opens if
// it has records to read. Otherwise it does not open: new records could never be
// signed.
func TestNothingIsRecordedWithoutAKey(t *testing.T) {
	fs := disk.NewMem()
	if err := openWith(t, "data", small(fs)).Close(); err != nil {
		t.Fatal(err)
	}
	key, err := disk.ReadFile(fs, "data/keys/checkpoint.key")
	if err != nil {
		t.Fatal(err)
	}
	put(t, fs, "data/keys/checkpoint.key", []byte("no key\n"))
	if b, err := engine.Open(ctx, "data", small(fs)); fault.CodeOf(err) != fault.Damaged {
		t.Fatalf("it opened: %v", errors.Join(err, b.Close()))
	}
	put(t, fs, "data/keys/checkpoint.key", key)
	b := openWith(t, "data", small(fs))
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e1", 1, "one")}))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, fs, "data/keys/checkpoint.key", []byte("no key\n"))
	b = openWith(t, "data", small(fs))
	if _, err := b.Event(ctx, "acme", "e1", engine.View{}); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
