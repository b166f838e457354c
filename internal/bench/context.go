package bench

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// ContextOptions says how large a tenant is built, and how it is asked.
type ContextOptions struct {
	// Dir is where the directory is made and removed again.
	Dir string
	// Keep is a directory that is built instead and left there, Reuse one that
	// was. Things and Frames are then those that it was built with.
	Keep, Reuse string
	// Things is how many memories and events there are together, half of each.
	// Zero means 1,000,000.
	Things int
	// Frames is how many files they are about. Zero means 10,000.
	Frames int
	// Calls is how many calls are measured one after the other. Zero means
	// 10,000.
	Calls int
	// Callers is how many ask at the same time, Rounds how often each of them
	// does. Zero means 1,000 and 20.
	Callers, Rounds int
	// Progress is told what is being done, and how far it is: 0 of 0 where that
	// is not known. It is called by one goroutine at a time.
	Progress func(what string, done, total int)
}

func (o ContextOptions) filled() ContextOptions {
	for _, f := range []struct {
		field *int
		value int
	}{{&o.Things, 1_000_000}, {&o.Frames, 10_000}, {&o.Calls, 10_000}, {&o.Callers, 1_000}, {&o.Rounds, 20}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	return o
}

// Latency is how long calls took.
type Latency struct {
	Calls     int     `json:"calls"`
	Errors    int     `json:"errors"`
	PerSecond float64 `json:"per_second"`
	P50       float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
	P99       float64 `json:"p99_ms"`
	Max       float64 `json:"max_ms"`
}

// Limit is a figure that must not exceed another.
type Limit struct {
	Name  string  `json:"name"`
	Got   float64 `json:"got_ms"`
	Goal  float64 `json:"goal_ms"`
	Ratio float64 `json:"ratio"` // below 1 is good
}

// Met reports whether the goal is reached.
func (l Limit) Met() bool { return l.Ratio < 1 }

// Building is how fast the tenant came to be.
type Building struct {
	EventsPerSecond   float64 `json:"events_per_second"`
	MemoriesPerSecond float64 `json:"memories_per_second"` // single durable puts, many at a time
	Seconds           float64 `json:"seconds"`
	PeakBytes         uint64  `json:"peak_bytes"`
}

// ContextReport is what the measurement of bundles found.
type ContextReport struct {
	Things        int       `json:"things"`
	Frames        int       `json:"frames"`
	Records       uint64    `json:"records"` // of the tenant, with pins and feedback
	DirBytes      int64     `json:"directory_bytes"`
	Building      *Building `json:"building,omitempty"` // not of a directory that is reused
	OpenSeconds   float64   `json:"open_seconds"`
	Candidates    float64   `json:"candidates"` // of a bundle, on average
	Entries       float64   `json:"entries"`    // kept of them
	Tokens        float64   `json:"tokens"`
	One           Latency   `json:"one"`
	Callers       int       `json:"callers"`
	Many          Latency   `json:"many"` // of all callers at once
	Goals         []Limit   `json:"goals"`
	ResidentBytes uint64    `json:"resident_bytes"` // after the calls of one
	PeakBytes     uint64    `json:"peak_bytes"`     // while all asked
}

// Context builds a tenant with many memories and events and measures how long
// it takes to tell an agent what it needs to know.
func Context(ctx context.Context, o ContextOptions) (*ContextReport, error) {
	o = o.filled()
	report := &ContextReport{Things: o.Things, Frames: o.Frames, Callers: o.Callers}
	dir := o.Reuse
	if dir == "" {
		if dir = o.Keep; dir == "" {
			made, err := os.MkdirTemp(o.Dir, "lukasa-bench-")
			if err != nil {
				return nil, err
			}
			defer os.RemoveAll(made)
			dir = filepath.Join(made, "data")
		}
		var err error
		if report.Building, err = buildTenant(ctx, dir, &o); err != nil {
			return nil, err
		}
	}
	if err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			report.DirBytes += info.Size()
		}
		return err
	}); err != nil {
		return nil, err
	}
	o.Progress("opening", 0, 0)
	start := time.Now()
	b, err := engine.Open(ctx, dir, engine.Options{MustExist: true})
	if err != nil {
		return nil, err
	}
	report.OpenSeconds = time.Since(start).Seconds()
	if err := report.measure(ctx, b, &o); err != nil {
		_ = b.Close() // the first error counts
		return nil, err
	}
	return report, b.Close()
}

// measure asks, after it has asked without measuring.
func (r *ContextReport) measure(ctx context.Context, b *engine.Board, o *ContextOptions) error {
	root, err := b.Root(ctx, tenant)
	if err != nil {
		return err
	}
	if r.Records = root.Size; r.Records < uint64(o.Things) {
		return fault.Newf(fault.InvalidArgument, "%s has %d records, fewer than %d memories and events", b.Dir(), r.Records, o.Things).
			WithFix("say with how many it was built, or build another")
	}
	chance := rand.New(rand.NewPCG(1, 0))
	for i := range o.Calls / 2 {
		if _, err := b.Context(ctx, question(chance, o)); err != nil {
			return err
		}
		o.Progress("warming up", i, o.Calls/2)
	}
	chance = rand.New(rand.NewPCG(2, 0))
	times := make([]time.Duration, 0, o.Calls)
	began := time.Now()
	for i := range o.Calls {
		q := question(chance, o)
		start := time.Now()
		out, err := b.Context(ctx, q)
		times = append(times, time.Since(start))
		if err != nil {
			return err
		}
		if err := answered(out); err != nil {
			return err
		}
		r.Candidates += float64(len(out.Rendered) + out.Trimmed)
		r.Entries += float64(len(out.Rendered))
		r.Tokens += float64(out.TotalTokens)
		o.Progress("asking", i, o.Calls)
	}
	for _, f := range []*float64{&r.Candidates, &r.Entries, &r.Tokens} {
		*f /= float64(o.Calls)
	}
	r.One = latency(times, 0, time.Since(began))
	r.ResidentBytes = resident()
	r.Goals = []Limit{{Name: "p50", Got: r.One.P50, Goal: 1}, {Name: "p99", Got: r.One.P99, Goal: 5}}
	for i := range r.Goals {
		r.Goals[i].Ratio = r.Goals[i].Got / r.Goals[i].Goal
	}
	peak := watchMemory()
	r.Many, err = crowd(ctx, b, o)
	r.PeakBytes = peak()
	return err
}

// answered refuses a bundle that cannot be right.
func answered(out *bundle.Bundle) error {
	if len(out.Pinned) == 0 {
		return fault.New(fault.Internal, "a bundle has nothing that is pinned")
	}
	return nil
}

// question asks about a file at random, as an agent at random.
func question(chance *rand.Rand, o *ContextOptions) engine.ContextOptions {
	return engine.ContextOptions{
		Tenant: tenant, Verb: memory.VerbModify, Objects: map[string]string{"file": fileOf(chance.IntN(o.Frames))},
		View: engine.View{Agent: fmt.Sprint("agent-", chance.IntN(agents))},
	}
}

// crowd has all callers ask at the same time.
func crowd(ctx context.Context, b *engine.Board, o *ContextOptions) (Latency, error) {
	times := make([]time.Duration, o.Callers*o.Rounds)
	var failed, done atomic.Int64
	var why atomic.Pointer[error]
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for caller := range o.Callers {
		chance := rand.New(rand.NewPCG(3, uint64(caller)))
		mine := times[caller*o.Rounds : (caller+1)*o.Rounds]
		wg.Go(func() {
			<-ready
			for i := range mine {
				q := question(chance, o)
				start := time.Now()
				out, err := b.Context(ctx, q)
				mine[i] = time.Since(start)
				if err == nil {
					err = answered(out)
				}
				if err != nil {
					failed.Add(1)
					why.CompareAndSwap(nil, &err)
				}
				done.Add(1)
			}
		})
	}
	all := make(chan struct{})
	began := time.Now()
	close(ready)
	go func() {
		defer close(all)
		wg.Wait()
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			o.Progress(fmt.Sprintf("asking, %d at the same time", o.Callers), int(done.Load()), len(times))
			continue
		case <-all:
		}
		break
	}
	took := time.Since(began)
	if int(failed.Load()) == len(times) {
		return Latency{}, *why.Load() // it is not about the load
	}
	return latency(times, int(failed.Load()), took), ctx.Err()
}

// latency sums up what calls took.
func latency(times []time.Duration, failed int, all time.Duration) Latency {
	slices.Sort(times)
	at := func(share float64) float64 {
		return float64(times[min(int(share*float64(len(times))), len(times)-1)]) / float64(time.Millisecond)
	}
	return Latency{
		Calls: len(times), Errors: failed, PerSecond: float64(len(times)) / all.Seconds(),
		P50: at(0.5), P95: at(0.95), P99: at(0.99), Max: at(1),
	}
}
