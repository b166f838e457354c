package bench

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
)

// Ingest is how fast a file of events was ingested into the journal and every index, and at
// what cost.
type Ingest struct {
	Events      int     `json:"events"`
	EventBytes  float64 `json:"event_bytes"` // average length of a line
	PerSecond   float64 `json:"per_second"`
	OpenSeconds float64 `json:"open_seconds"` // to open the directory after a clean stop
	PeakBytes   uint64  `json:"peak_bytes"`   // of the process, if the system reports it; otherwise 0
}

// ingest writes a file of events and ingests it.
func ingest(ctx context.Context, dir string, o Options) (*Ingest, error) {
	path := filepath.Join(dir, "events.ndjson")
	size, err := writeEvents(path, o.Events, o.EventBytes)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := filepath.Join(dir, "data")
	b, err := engine.Open(ctx, data, engine.Options{})
	if err != nil {
		return nil, err
	}
	peak := watchMemory()
	start := time.Now()
	rep, err := b.Ingest(ctx, f, engine.IngestOptions{Writer: engine.Writer{Actor: "bench", Trust: record.User}})
	took := time.Since(start)
	high := peak()
	if err != nil {
		_ = b.Close() // the first error counts
		return nil, err
	}
	if rep.Accepted != o.Events {
		_ = b.Close() // likewise
		return nil, fault.Newf(fault.Internal, "%d of %d events were accepted", rep.Accepted, o.Events)
	}
	if err := b.Close(); err != nil {
		return nil, err
	}
	start = time.Now()
	if b, err = engine.Open(ctx, data, engine.Options{}); err != nil {
		return nil, err
	}
	opened := time.Since(start)
	return &Ingest{
		Events: o.Events, EventBytes: float64(size) / float64(o.Events), PerSecond: float64(o.Events) / took.Seconds(),
		OpenSeconds: opened.Seconds(), PeakBytes: high,
	}, b.Close()
}

// writeEvents writes events of about the given size, of many sessions and a few agents, and
// returns the size of the file.
func writeEvents(path string, n, size int) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	filler := strings.Repeat("the quick brown fox jumps over the lazy dog ", size/44+1)
	var written int64
	for i := range n {
		text := filler[i%40 : i%40+max(size-282, 16)]
		k, err := fmt.Fprintf(w, `{"hmx_version":"HMX-1.0","event_id":"evt-%012d","event_type":"message","agent_id":"agent-%d","tenant_id":"bench","session_id":"session-%06d","timestamp":"%s","sequence":%d,"content":{"role":"assistant","text":"%d %s"},"metadata":{"host":"worker-%d"}}`+"\n",
			i, i%17, i/200, hmx.TimeOf(start.Add(time.Duration(i)*time.Millisecond)), i%200, i, text, i%5)
		if err != nil {
			f.Close()
			return 0, err
		}
		written += int64(k)
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return 0, err
	}
	return written, f.Close()
}

// watchMemory samples the memory of the process until the returned function is called, which
// returns the highest sample.
func watchMemory() func() uint64 {
	var high atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			if now := resident(); now > high.Load() {
				high.Store(now)
			}
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		return high.Load()
	}
}

// resident returns the resident memory of the process, or what Go's runtime reports if the
// system does not.
func resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		var size, pages uint64
		if _, err := fmt.Sscan(string(text), &size, &pages); err == nil {
			return pages * uint64(os.Getpagesize())
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
