package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// segmentWith returns the journal file that contains a word, its bytes, and the offset of the word.
func segmentWith(t testing.TB, fs disk.FS, dir, word string) (name string, data []byte, at int) {
	t.Helper()
	all, err := files(fs, dir+"/journal")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		data, err := disk.ReadFile(fs, name)
		if err != nil {
			t.Fatal(err)
		}
		if at := bytes.Index(data, []byte(word)); at >= 0 {
			return name, data, at
		}
	}
	t.Fatalf("%q is not in the journal", word)
	return "", nil, 0
}

// overwrite writes bytes into a file that may be open.
func overwrite(t testing.TB, fs disk.FS, name string, at int, data []byte) {
	t.Helper()
	f, err := fs.OpenReadWrite(name, disk.General)
	if err == nil {
		_, err = f.WriteAt(bytes.Clone(data), int64(at))
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// flip damages the first byte of a word in the journal.
func flip(t testing.TB, fs disk.FS, dir, word string) {
	t.Helper()
	name, data, at := segmentWith(t, fs, dir, word)
	overwrite(t, fs, name, at, []byte{data[at] ^ 1})
}

// flipHeader damages the header of the record whose payload contains a word, and returns a function that
// repairs it.
func flipHeader(t testing.TB, fs disk.FS, dir, word string) (back func()) {
	t.Helper()
	name, data, at := segmentWith(t, fs, dir, word)
	at = bytes.LastIndex(data[:at], []byte(user.Actor))
	if at < 0 {
		t.Fatal("the header was not found")
	}
	overwrite(t, fs, name, at, []byte{data[at] ^ 1})
	return func() { overwrite(t, fs, name, at, data[at:at+1]) }
}

// found returns the findings of a deep verification as text.
func found(t testing.TB, b *engine.Board) string {
	t.Helper()
	r, err := b.Verify(ctx, engine.VerifyOptions{Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&s, "%s: %s\n", f.Where, f.Detail)
	}
	return s.String()
}

// talk writes events of one session, each with every indexed field.
func talk(t testing.TB, b *engine.Board, n int) {
	t.Helper()
	for i := range n {
		more := fmt.Sprintf(`,"trace_id":"trace","correlation_id":"talk","ttl_seconds":%d`, 60+i)
		if i > 0 {
			more += fmt.Sprintf(`,"parent_event_id":"e%d"`, i-1)
		}
		ev := eventWith(t, "acme", fmt.Sprint("e", i), "s1", int64(i), fmt.Sprintf("canary-%04d %s", i, strings.Repeat("x", 300)), more)
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{ev}))
	}
}

func eventURI(id string) memory.URI { return memory.URI{Tenant: "acme", Kind: record.Event, ID: id} }

// TestErasedPayloadPutBack restores a file of the journal from before an erasure. That is detected, no
// receipt is signed for it, and it is repaired.
func TestErasedPayloadPutBack(t *testing.T) {
	testsize.OneGoroutine(t)
	for name, mend := range map[string]func(b *engine.Board) error{
		"purge":   func(b *engine.Board) error { return b.Purge(ctx) },
		"rebuild": func(b *engine.Board) error { return b.Rebuild(ctx, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			fs := disk.NewMem()
			b := openWith(t, "data", small(fs))
			talk(t, b, 100)
			seg, old, _ := segmentWith(t, fs, "data", "canary-0003")
			res, err := b.Redact(ctx, user, []memory.URI{eventURI("e3"), eventURI("e99")})
			if err != nil || res.Unsigned != nil || len(res.Receipts) != 1 {
				t.Fatalf("%+v %v", res, err)
			}
			sound(t, b)
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			overwrite(t, fs, seg, 0, old)
			b = openWith(t, "data", small(fs))
			if got := found(t, b); !strings.Contains(got, `position 3 of tenant "acme" was erased, but its payload is on the disk`) {
				t.Fatalf("found %q", got)
			}
			if _, err := b.Event(ctx, "acme", "e3", engine.View{}); fault.CodeOf(err) != fault.Erased {
				t.Fatalf("it is served: %v", err)
			}
			if signed, err := b.Receipt(ctx, "acme", res.Redaction); fault.CodeOf(err) != fault.Damaged || signed.Note != nil {
				t.Fatalf("a receipt was signed: %s %v", signed.Note, err)
			}
			again, err := b.Redact(ctx, user, []memory.URI{eventURI("e3")})
			if err != nil || again.Already != 1 || len(again.Receipts) > 0 || fault.CodeOf(again.Unsigned) != fault.Damaged {
				t.Fatalf("%+v %v", again, err)
			}
			if err := mend(b); err != nil {
				t.Fatal(err)
			}
			if path, _, err := grep(fs, "data/journal", "canary-0003"); err != nil || path != "" {
				t.Fatalf("it is still in %s: %v", path, err)
			}
			signed, err := b.Receipt(ctx, "acme", res.Redaction)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := notary.VerifyReceipt(signed.Note, b.VerifierKey("acme")); err != nil {
				t.Fatal(err)
			}
			sound(t, b)
		})
	}
}

// TestErasedBodyFlipped damages what was overwritten. Purge overwrites it again.
func TestErasedBodyFlipped(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", small(fs))
	talk(t, b, 5)
	seg, _, at := segmentWith(t, fs, "data", "canary-0002")
	res, err := b.Redact(ctx, user, []memory.URI{eventURI("e2")})
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, fs, seg, at, []byte("canary"))
	if found(t, b) == "" {
		t.Fatal("nothing was found")
	}
	if _, err := b.Receipt(ctx, "acme", res.Redaction); fault.CodeOf(err) != fault.Damaged {
		t.Fatalf("a receipt was signed: %v", err)
	}
	if err := b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	must(t)(b.Receipt(ctx, "acme", res.Redaction))
	sound(t, b)
}

// TestRedactDamagedEvent erases an unreadable event. Nothing of it stays in the index, and a writer that
// could not have erased it before still cannot.
func TestRedactDamagedEvent(t *testing.T) {
	testsize.OneGoroutine(t)
	for name, erase := range map[string]func(t *testing.T, b *engine.Board, c *clock) error{
		"redact": func(t *testing.T, b *engine.Board, _ *clock) error {
			_, err := b.Redact(ctx, engine.Writer{Actor: "x", Trust: record.External}, []memory.URI{eventURI("e5")})
			if fault.CodeOf(err) != fault.Untrusted {
				t.Fatalf("someone outside erases a user's event: %v", err)
			}
			res, err := b.Redact(ctx, user, []memory.URI{eventURI("e5"), eventURI("e0")})
			if err == nil && (res.Erased != 2 || res.Unsigned != nil) {
				t.Fatalf("%+v", res)
			}
			return err
		},
		"redact when the rest has expired": func(t *testing.T, b *engine.Board, c *clock) error {
			c.Move(2 * time.Minute)
			must(t)(b.Expire(ctx, user, "acme", c.Now()))
			_, err := b.Redact(ctx, user, []memory.URI{eventURI("e5")})
			if err == nil {
				sessions, failed := b.Sessions(ctx, "acme", engine.View{})
				if failed != nil || len(sessions) > 0 {
					t.Fatalf("left of the session: %+v %v", sessions, failed)
				}
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			fs, c := disk.NewMem(), newClock()
			o := small(fs)
			o.Clock = c.Now
			b := openWith(t, "data", o)
			talk(t, b, 40)
			flip(t, fs, "data", "canary-0005")
			if _, err := b.Event(ctx, "acme", "e5", engine.View{}); fault.CodeOf(err) != fault.Damaged {
				t.Fatalf("it was to be damaged: %v", err)
			}
			if err := erase(t, b, c); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Event(ctx, "acme", "e5", engine.View{}); fault.CodeOf(err) != fault.Erased {
				t.Fatal(err)
			}
			sound(t, b)
			before, failed := ask(b)
			if len(failed) > 0 {
				t.Fatalf("%v", failed)
			}
			if err := b.Rebuild(ctx, nil); err != nil {
				t.Fatal(err)
			}
			after, _ := ask(b)
			for q := range before {
				if before[q] != after[q] {
					t.Errorf("%s: %s\nafter a rebuild, not\n%s", q, after[q], before[q])
				}
			}
			sound(t, b)
		})
	}
}

// TestRedactDamagedHeader refuses to erase what cannot be found, with the reason.
func TestRedactDamagedHeader(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", small(fs))
	talk(t, b, 10)
	root, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	back := flipHeader(t, fs, "data", "canary-0005")
	_, err = b.Redact(ctx, user, []memory.URI{eventURI("e4"), eventURI("e5")})
	if fault.CodeOf(err) != fault.Damaged || !strings.Contains(err.Error(), "header cannot be read") {
		t.Fatal(err)
	}
	if now, err := b.Root(ctx, "acme"); err != nil || now != root {
		t.Fatalf("something was written: %+v %v", now, err)
	}
	if _, err := b.Event(ctx, "acme", "e4", engine.View{}); err != nil {
		t.Fatalf("half of it was erased: %v", err)
	}
	if found(t, b) == "" {
		t.Fatal("nothing was found")
	}
	back()
	must(t)(b.Redact(ctx, user, []memory.URI{eventURI("e4"), eventURI("e5")}))
	sound(t, b)
}

// TestErasureNeedsARecord plants a note that a payload is still to be overwritten. Without a record that says
// so, nothing is overwritten.
func TestErasureNeedsARecord(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", small(fs))
	talk(t, b, 10)
	must(t)(b.Redact(ctx, user, []memory.URI{eventURI("e1")}))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	store, err := kv.Open(kv.Options{FS: fs, Dir: "data/index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10})
	if err != nil {
		t.Fatal(err)
	}
	tx := store.Begin()
	for _, position := range []uint64{4, 1 << 40} {
		if err := tx.Set(index.NewKey(nil, ledger.Prefix, 'd', 0).Uint64(position), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for range ledger.Undone(store) {
		n++
	}
	if n != 2 {
		t.Fatalf("%d notes were planted", n)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	b = openWith(t, "data", small(fs))
	must(t)(b.Redact(ctx, user, []memory.URI{eventURI("e2")}))
	if err := b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Event(ctx, "acme", "e4", engine.View{}); err != nil {
		t.Fatalf("a live event was erased: %v", err)
	}
	sound(t, b)
}

// TestRebuildErasesWhatItCan meets damage only after the index is built. The rebuild succeeds then, as
// opening would.
func TestRebuildErasesWhatItCan(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", small(fs))
	talk(t, b, 10)
	seg, data, at := segmentWith(t, fs, "data", "canary-0005")
	must(t)(b.Redact(ctx, user, []memory.URI{eventURI("e5")}))
	at = bytes.LastIndex(data[:at], []byte(user.Actor))
	err := b.Rebuild(ctx, func(done, end journal.LSN, _ uint64) {
		if done == end {
			overwrite(t, fs, seg, at, []byte("T"))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if found(t, b) == "" {
		t.Fatal("nothing was found")
	}
	overwrite(t, fs, seg, at, data[at:at+1])
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	sound(t, b)
}

// TestErasureReceiptOfAnExpiry: the receipt names what was erased, and not what keeps its history.
func TestErasureReceiptOfAnExpiry(t *testing.T) {
	c := newClock()
	o := small(disk.NewMem())
	o.Clock = c.Now
	b := openWith(t, "data", o)
	talk(t, b, 2)
	m := fact("m", "k", "over before long")
	m.TTLSeconds = 60
	must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	c.Move(61*time.Second + 1)
	must(t)(b.Expire(ctx, user, "acme", c.Now())) // one record for e0, e1 and m
	signed, err := b.Receipt(ctx, "acme", 3)
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := notary.VerifyReceipt(signed.Note, b.VerifierKey("acme"))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%+v", receipt); !strings.Contains(string(signed.Note), "event") || strings.Contains(string(signed.Note), "memory") {
		t.Fatalf("%s\n%s", got, signed.Note)
	}
	sound(t, b)
}
