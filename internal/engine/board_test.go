package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

func TestWholeLife(t *testing.T) {
	testsize.OneGoroutine(t)
	fs := disk.NewMem()
	b := open(t, fs, "data")
	var events []*hmx.Event
	for i := range 1000 {
		events = append(events, event(t, "acme", fmt.Sprintf("e%d", i), int64(i), fmt.Sprintf("hello world number %d", i)))
	}
	res, err := b.AppendEvents(ctx, user, events)
	if err != nil || res.Accepted != 1000 {
		t.Fatalf("%+v %v", res, err)
	}
	if res, err = b.AppendEvents(ctx, user, events[:10]); err != nil || res.Duplicates != 10 {
		t.Fatalf("%+v %v", res, err)
	}
	m := &memory.Memory{Type: "fact", Key: "release/cadence", Text: "Releases are cut every second Tuesday."}
	if _, err := b.Put(ctx, user, "acme", m, engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	put, err := b.Put(ctx, user, "acme", &memory.Memory{Type: "fact", Key: "release/cadence", Text: "Releases are cut on Mondays."}, engine.Version(1))
	if err != nil || put.URI.Version != 2 {
		t.Fatalf("%+v %v", put, err)
	}
	if _, err := b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "release/cadence"}, "outdated", engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	back, err := b.Restore(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "release/cadence", Version: 1}, engine.AnyVersion())
	if err != nil || back.URI.Version != 4 {
		t.Fatalf("%+v %v", back, err)
	}
	_, history, err := b.History(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "release/cadence"}, engine.View{})
	if err != nil || len(history) != 4 {
		t.Fatalf("%+v %v", history, err)
	}
	sound(t, b)
	er, err := b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "e5"}, back.URI.Head()})
	if err != nil || er.Erased != 5 || len(er.Receipts) != 1 || er.Unsigned != nil {
		t.Fatalf("%+v %v", er, err)
	}
	sound(t, b)
	res, err = b.AppendEvents(ctx, user, []*hmx.Event{events[5], event(t, "acme", "again", 5000, "hello world number 5")})
	if err != nil || res.Refused != 2 {
		t.Fatalf("%+v %v", res, err)
	}
	for _, at := range []uint64{0, 5, 700, 1004} {
		p, err := b.Prove(ctx, "acme", engine.ProveOptions{Position: at})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := notary.VerifyProof(p, nil, b.VerifierKey("acme")); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := b.Root(ctx, "acme")
	var out bytes.Buffer
	if _, err := b.Export(ctx, "acme", &out, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	sound(t, b)
	if err := b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, fs, "data")
	after, err := b.Root(ctx, "acme")
	if err != nil || after != before {
		t.Fatalf("%+v != %+v: %v", after, before, err)
	}
	c := open(t, disk.NewMem(), "other")
	rep, err := c.Import(ctx, bytes.NewReader(out.Bytes()), nil)
	if err != nil || rep.Root.Hash != before.Hash {
		t.Fatalf("%+v %v", rep, err)
	}
	sound(t, c)
}

func BenchmarkIngest(b *testing.B) {
	dir, err := os.MkdirTemp(".", "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	board := open(b, disk.OS(), dir+"/data")
	var buf bytes.Buffer
	for i := range b.N {
		ev := event(b, "acme", fmt.Sprintf("event-%d", i), int64(i), fmt.Sprintf("%0400d", i))
		js, _ := ev.AppendJSON(nil)
		buf.Write(js)
		buf.WriteByte('\n')
	}
	b.SetBytes(int64(buf.Len() / b.N))
	b.ResetTimer()
	rep, err := board.Ingest(ctx, &buf, engine.IngestOptions{Writer: user})
	if err != nil || rep.Accepted != b.N {
		b.Fatalf("%+v %v", rep, err)
	}
	b.StopTimer()
	board.Close()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
