package trace

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
)

// benchSessions are the events that benchmarks read: real ones if they are there.
func benchSessions(b *testing.B) [][]Event {
	return sessionsOf(b, filepath.Join("..", "..", "..", "shared", "data", "tau-airline", "tau-airline.ndjson"))
}

// BenchmarkRead reads decoded events into traces, and reports events in a second.
func BenchmarkRead(b *testing.B) {
	all := benchSessions(b)
	var shared Strings
	r := NewReader(&shared)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, events := range all {
			r.Reset()
			for _, e := range events {
				r.Add(e)
			}
			r.Trace()
			n += len(events)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}

// millionTraces are the traces of a million events or so.
func millionTraces(b *testing.B) (traces []*Trace, events int) {
	all := benchSessions(b)
	var shared Strings
	r := NewReader(&shared)
	for round := 0; events < 1_000_000; round++ {
		for _, list := range all {
			r.Reset()
			for _, e := range list {
				ev := *e.Event
				ev.EventID = fmt.Sprintf("%08x-%s", round, ev.EventID)
				r.Add(Event{&ev, e.Position, e.Trust})
			}
			traces = append(traces, r.Trace())
			events += len(list)
		}
	}
	return traces, events
}

// BenchmarkDecode decodes the traces of a million events, and reports what they take
// encoded and in memory.
func BenchmarkDecode(b *testing.B) {
	traces, _ := millionTraces(b)
	enc := Append(nil, traces)
	traces = nil
	b.SetBytes(int64(len(enc)))
	b.ReportMetric(float64(len(enc))/1e6, "MB-encoded")
	var before, after runtime.MemStats
	for b.Loop() {
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&before)
		b.StartTimer()
		var err error
		if traces, err = Decode(enc, nil); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(traces)
		traces = nil
		b.StartTimer()
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-held")
	b.ReportMetric(float64(len(enc))/1e6, "MB-encoded")
}
