package engine_test

import (
	"fmt"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// library makes a board with that many memories: each has a key under one of
// 200 prefixes and one of 20 tags, and supports the next. There are as many
// events, in sessions of 1,000.
func library(b *testing.B, things int) *engine.Board {
	b.Helper()
	board := openWith(b, "data", engine.Options{FS: disk.NewMem()})
	uri := func(i int) memory.URI { return memory.URI{Tenant: "acme", Kind: record.Memory, ID: fmt.Sprint("m", i)} }
	const writers = 64
	errs := make(chan error, writers)
	for w := range writers {
		go func() {
			var err error
			for i := w; i < things && err == nil; i += writers {
				m := fact(fmt.Sprint("m", i), fmt.Sprintf("area%d/thing/%d", i%200, i), fmt.Sprintf("Number %d says: %s", i, findSentences[i%len(findSentences)]))
				m.Tags, m.Importance = []string{fmt.Sprint("t", i%20)}, hmx.Some(float64(i%7)/7)
				m.Frames = []memory.Frame{{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: fmt.Sprintf("area%d/file.go", i%200)}}
				if _, err = board.Put(ctx, user, "acme", m, engine.AnyVersion()); err == nil {
					_, err = board.Put(ctx, user, "acme", &memory.Edge{ID: fmt.Sprint("l", i), From: uri(i), To: uri((i + 1) % things), EdgeKind: memory.EdgeSupports}, engine.AnyVersion())
				}
			}
			errs <- err
		}()
	}
	for range writers {
		if err := <-errs; err != nil {
			b.Fatal(err)
		}
	}
	for from := 0; from < things; from += 1000 {
		var evs []*hmx.Event
		for i := from; i < from+1000; i++ {
			evs = append(evs, eventWith(b, "acme", fmt.Sprint("e", i), fmt.Sprint("s", from/1000), int64(i), findSentences[i%len(findSentences)], ""))
		}
		must(b)(board.AppendEvents(ctx, user, evs))
	}
	return board
}

// BenchmarkFind measures finds by how much they read.
func BenchmarkFind(b *testing.B) {
	board := library(b, 20_000)
	step := engine.Step{Kinds: []memory.EdgeKind{memory.EdgeSupports}, Direction: engine.BothWay, Hops: 3}
	for _, tc := range []struct {
		name string
		o    engine.FindOptions
	}{
		{"key=100", engine.FindOptions{KeyPrefix: "area7"}},
		{"frame=100", engine.FindOptions{Frame: "modify:file=area7/file.go"}},
		{"key=100/text", engine.FindOptions{KeyPrefix: "area7", Text: "half of the refund"}},
		{"key=100/follow", engine.FindOptions{KeyPrefix: "area7", Limit: 50, Follow: []engine.Step{step}}},
		{"tag=1000", engine.FindOptions{Tags: []string{"t7"}}},
		{"tag=1000/text", engine.FindOptions{Tags: []string{"t7"}, Text: "half of the refund"}},
		{"session=1000", engine.FindOptions{Session: "s7"}},
		{"session=1000/text", engine.FindOptions{Session: "s7", Text: "half of the refund"}},
		{"type=20000", engine.FindOptions{Types: []string{"fact"}}},
		{"type=20000/text", engine.FindOptions{Types: []string{"fact"}, Text: "half of the refund"}},
	} {
		b.Run(tc.name, func(b *testing.B) {
			tc.o.Tenant = "acme"
			b.ReportAllocs()
			scanned := 0
			for b.Loop() {
				found, err := board.Find(ctx, tc.o)
				if err != nil || len(found.Hits) == 0 {
					b.Fatal(found, err)
				}
				scanned = found.Scanned
			}
			b.ReportMetric(float64(scanned), "looked/op")
		})
	}
}

// BenchmarkResolveAt measures a read of the past of a record with many
// versions.
func BenchmarkResolveAt(b *testing.B) {
	board := openWith(b, "data", engine.Options{FS: disk.NewMem()})
	for i := range 100 {
		must(b)(board.Put(ctx, user, "acme", fact("m", "k", fmt.Sprint("Version ", i)), engine.AnyVersion()))
	}
	u := memory.URI{Tenant: "acme", Kind: record.Memory, ID: "m"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := board.ResolveAt(ctx, u, engine.AtPosition(50), engine.View{}); err != nil {
			b.Fatal(err)
		}
	}
}
