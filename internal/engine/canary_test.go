package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// TestCanaries erases memories and events with unique words in each of their
// fields, and then searches for those words in every file of the directory.
func TestCanaries(t *testing.T) {
	testsize.OneGoroutine(t)
	n := testsize.Of(t, "canaries", 10, 40, 1000)
	dir := t.TempDir() + "/data"
	o := small(disk.OS())
	b := openWith(t, dir, o)
	word := func(place string, i int) string { return fmt.Sprintf("canary-%s-%05d-bird", place, i) }
	var words []string
	note := func(place string, i int) string {
		w := word(place, i)
		words = append(words, w)
		return w
	}
	var events []*hmx.Event
	var bodies []*memory.Memory
	var uris []memory.URI
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "stays", 0, "what stays stays")}))
	for i := range n {
		more := fmt.Sprintf(`,"trace_id":%q,"correlation_id":%q,"parent_event_id":%q`, note("trace", i), note("correlation", i), note("parent", i))
		ev := eventWith(t, "acme", note("event", i), note("session", i), int64(i), note("said", i)+" in a sentence", more)
		ev.AgentID = note("agent", i)
		events = append(events, ev)
		uris = append(uris, memory.URI{Tenant: "acme", Kind: record.Event, ID: ev.EventID})
		m := fact(note("id", i), note("key", i), note("text", i)+" stands here")
		m.Tags = []string{note("tag", i)}
		m.Frames = []memory.Frame{{Verb: memory.VerbFind, Kind: memory.ObjFile, Ref: note("frame", i)}}
		m.Metadata = hmx.Raw(fmt.Sprintf(`{%q:%q}`, note("field", i), note("value", i)))
		bodies = append(bodies, m)
		uris = append(uris, memory.URI{Tenant: "acme", Kind: record.Memory, ID: m.ID})
	}
	for part := range slices.Chunk(events, 50) {
		must(t)(b.AppendEvents(ctx, user, part))
	}
	for i, m := range bodies {
		must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
		if i%2 == 0 {
			must(t)(b.Put(ctx, user, "acme", fact(m.ID, m.Key, note("second", i)+" in the second version"), engine.AnyVersion()))
		}
		if i%3 == 0 {
			must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: m.ID}, note("reason", i), engine.AnyVersion()))
		}
		if i%6 == 0 {
			must(t)(b.Restore(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: m.ID}, engine.AnyVersion()))
		}
	}
	// Part of it is compacted by now, with a concurrent reader.
	if err := b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	must(t)(soundness(b))
	early, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	earlyNote, err := b.Checkpoint(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(uris, 97) {
		res, err := b.Redact(ctx, user, part)
		if err != nil || res.Unsigned != nil {
			t.Fatal(res, err)
		}
		for _, note := range res.Receipts {
			if _, err := notary.VerifyReceipt(note, b.VerifierKey("acme")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if path, found, err := grep(disk.OS(), dir+"/journal", words...); err != nil || path != "" {
		t.Fatalf("before the purge %q is in %s: %v", found, path, err)
	}
	if err := b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	look := func(when string) {
		t.Helper()
		if path, found, err := grep(disk.OS(), dir, words...); err != nil || path != "" {
			t.Fatalf("%s: %q is in %s: %v", when, found, path, err)
		}
	}
	look("after the purge")
	sound(t, b)
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	sound(t, b)
	look("after a rebuild")
	stillProven(t, b, early, earlyNote.Note)
	staysErased(t, b, events, bodies)
	look("after it came again")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	look("after closing")
	b = openWith(t, dir, o)
	staysErased(t, b, events[:5], bodies[:5])
	sound(t, b)
	t.Logf("%d words, %d records", len(words), early.Size)
}

// stillProven checks proofs of everything, also from before an erasure.
func stillProven(t *testing.T, b *engine.Board, early engine.Root, note []byte) {
	t.Helper()
	now, err := b.Checkpoint(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	key := b.VerifierKey("acme")
	for position := range early.Size {
		p, err := b.Prove(ctx, "acme", engine.ProveOptions{Position: position})
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := notary.VerifyProof(p, now.Note, key)
		if err != nil || verdict.Payload != (position == 0) {
			t.Fatalf("position %d: %+v %v", position, verdict, err)
		}
		p, err = b.Prove(ctx, "acme", engine.ProveOptions{Position: position, Size: early.Size})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := notary.VerifyProof(p, note, key); err != nil {
			t.Fatalf("position %d in the earlier tree: %v", position, err)
		}
	}
	c, err := b.ProveConsistency(ctx, "acme", early.Size, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := notary.VerifyConsistency(c, note, now.Note, key); err != nil {
		t.Fatal(err)
	}
}

// staysErased sends erased records again, by id and by content.
func staysErased(t *testing.T, b *engine.Board, events []*hmx.Event, bodies []*memory.Memory) {
	t.Helper()
	before, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	var again []*hmx.Event
	for _, ev := range events {
		other := *ev
		other.EventID = "another-" + fmt.Sprint(ev.Sequence)
		again = append(again, ev, &other)
	}
	res, err := b.AppendEvents(ctx, user, again)
	if err != nil || res.Refused != len(again) {
		t.Fatalf("%+v %v", res, err)
	}
	for _, r := range res.Receipts {
		if r.Fault.Code != fault.Erased {
			t.Fatal(r.Fault)
		}
	}
	for i, m := range bodies {
		byID := fact(m.ID, "", "Something else entirely.")
		if _, err := b.Put(ctx, user, "acme", byID, engine.AnyVersion()); fault.CodeOf(err) != fault.Erased {
			t.Fatal(err)
		}
		byContent := fact(fmt.Sprintf("new-%d", i), "", m.Text)
		if _, err := b.Put(ctx, user, "acme", byContent, engine.AnyVersion()); fault.CodeOf(err) != fault.Erased {
			t.Fatal(err)
		}
		ref := engine.Ref{Tenant: "acme", Kind: record.Memory, ID: m.ID}
		if _, err := b.Get(ctx, ref, engine.View{}); fault.CodeOf(err) != fault.Erased {
			t.Fatal(err)
		}
		if _, _, err := b.History(ctx, ref, engine.View{}); fault.CodeOf(err) != fault.Erased {
			t.Fatal(err)
		}
		if _, err := b.Restore(ctx, user, ref, engine.AnyVersion()); fault.CodeOf(err) != fault.Erased {
			t.Fatal(err)
		}
		if err := fault.CodeOf(err); strings.Contains(string(err), m.Text) {
			t.Fatal("an error repeats what was erased")
		}
	}
	if after, err := b.Root(ctx, "acme"); err != nil || after != before {
		t.Fatalf("what was refused left a trace: %+v %+v %v", before, after, err)
	}
}
