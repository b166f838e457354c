package reorder

import (
	"math/rand/v2"
	"testing"
	"time"

	"lukasa.dev/hmx"
)

func TestInOrderPushAllocatesNothing(t *testing.T) {
	b, _ := New(Options{})
	e := ev(0)
	b.Push(epoch, e)
	allocs := testing.AllocsPerRun(1000, func() {
		e.Sequence++
		if r := b.Push(epoch, e); len(r) != 1 || r[0].Disposition != InOrder {
			t.Fatal(show(r))
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations for an event in order", allocs)
	}
}

func BenchmarkPushInOrder(b *testing.B) {
	buf, _ := New(Options{})
	sessions := make([]*hmx.Event, 1000)
	for i := range sessions {
		sessions[i] = eventOf("tenant-northwind", "session-"+string(rune('a'+i%26))+string(rune('a'+i/26)), -1)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e := sessions[i%len(sessions)]
		e.Sequence++
		buf.Push(epoch, e)
	}
}

// BenchmarkPushShuffled pushes events that are up to 63 places from their own.
func BenchmarkPushShuffled(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 1 << 16
	events := make([]*hmx.Event, n)
	for i := range events {
		events[i] = ev(int64(i))
	}
	for i := 0; i < n; i += 64 {
		random.Shuffle(64, func(a, c int) { events[i+a], events[i+c] = events[i+c], events[i+a] })
	}
	b.ReportAllocs()
	var buf *Buffer
	for i := 0; b.Loop(); i++ {
		if i%n == 0 {
			buf, _ = New(Options{})
		}
		buf.Push(epoch, events[i%n])
	}
}

// BenchmarkPushReversed is the worst order: all wait for the last.
func BenchmarkPushReversed(b *testing.B) {
	const n = 4096
	events := make([]*hmx.Event, n)
	for i := range events {
		events[i] = ev(int64(n - 1 - i))
	}
	b.ReportAllocs()
	var buf *Buffer
	for i := 0; b.Loop(); i++ {
		if i%n == 0 {
			buf, _ = New(Options{})
		}
		buf.Push(epoch.Add(time.Duration(i%n)), events[i%n])
	}
}

func BenchmarkPushBatch(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 1000
	events := make([]*hmx.Event, n)
	b.ReportAllocs()
	buf, _ := New(Options{})
	for i := int64(0); b.Loop(); i++ {
		for j := range events {
			if i == 0 {
				events[j] = ev(0)
			}
			events[j].Sequence = i*n + int64(j)
		}
		random.Shuffle(n, func(a, c int) { events[a], events[c] = events[c], events[a] })
		if len(buf.PushBatch(epoch, events)) != n {
			b.Fatal("not all released")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
}
