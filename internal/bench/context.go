package bench

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// ContextOptions configures the size of the tenant and the calls.
type ContextOptions struct {
	// Dir is where temporary directories are created.
	Dir string
	// Keep is a directory to build and keep, Reuse one that was kept. Things and Frames must
	// then equal those it was built with. An index of another format is rebuilt when it is
	// opened; a tenant that was built differently is refused.
	Keep, Reuse string
	// Things is the number of memories and events together, half of each. For half of the files
	// the events are the newest, for the others the memories. Zero means 1,000,000.
	Things int
	// Frames is the number of files they are about. Zero means 10,000.
	Frames int
	// Calls is how many sequential calls are measured. Zero means 10,000.
	Calls int
	// Callers is the number of concurrent callers, Rounds the number of calls of each. Zero
	// means 1,000 and 20.
	Callers, Rounds int
	// Progress receives what is being done, and how far it is: 0 of 0 if unknown. Calls do not
	// overlap.
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

// Latency is the distribution of the latency of calls.
type Latency struct {
	Calls     int     `json:"calls"`
	Errors    int     `json:"errors"`
	PerSecond float64 `json:"per_second"`
	P50       float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
	P99       float64 `json:"p99_ms"`
	Max       float64 `json:"max_ms"`
}

// Limit is a figure with an upper limit.
type Limit struct {
	Name  string  `json:"name"`
	Got   float64 `json:"got_ms"`
	Goal  float64 `json:"goal_ms"`
	Ratio float64 `json:"ratio"`
	OK    bool    `json:"ok"` // the ratio is below 1
}

// Mix is the composition of the calls, as shares of all of them.
type Mix struct {
	TwoObjects float64 `json:"two_objects"` // a file and its project, instead of a file alone
	Scoped     float64 `json:"scoped"`      // under a scope token
	Short      float64 `json:"short"`       // in the short form, instead of the medium one
	Full       float64 `json:"full"`        // in the full form
}

// Outcomes is what the bundles contain about earlier outcomes.
type Outcomes struct {
	PerBundle float64 `json:"per_bundle"`
	Bundles   float64 `json:"bundles_with_events"` // share of the bundles with events
	Events    float64 `json:"events"`              // share that are events
	Followed  float64 `json:"followed"`            // share of these with the following events from the journal
}

// Building is how fast the tenant was built.
type Building struct {
	EventsPerSecond   float64 `json:"events_per_second"`
	MemoriesPerSecond float64 `json:"memories_per_second"` // single durable puts, concurrent
	Seconds           float64 `json:"seconds"`
	PeakBytes         uint64  `json:"peak_bytes"`
}

// ContextReport is the result of the measurement of bundles.
type ContextReport struct {
	Things        int       `json:"things"`
	Frames        int       `json:"frames"`
	Records       uint64    `json:"records"` // of the tenant, with pins and feedback
	DirBytes      int64     `json:"directory_bytes"`
	Building      *Building `json:"building,omitempty"` // nil if a directory is reused
	OpenSeconds   float64   `json:"open_seconds"`
	Replayed      uint64    `json:"replayed_records"` // into the index, before it was open
	Candidates    float64   `json:"candidates"`       // per bundle, on average
	Entries       float64   `json:"entries"`          // of these, kept
	Tokens        float64   `json:"tokens"`
	Mix           Mix       `json:"mix"`
	Outcomes      Outcomes  `json:"outcomes"`
	One           Latency   `json:"one"`
	Callers       int       `json:"callers"`
	Many          Latency   `json:"many"` // of all concurrent callers
	Goals         []Limit   `json:"goals"`
	ResidentBytes uint64    `json:"resident_bytes"`    // after the sequential calls
	PeakBytes     uint64    `json:"peak_bytes"`        // during the concurrent calls
	Problem       string    `json:"problem,omitempty"` // error of the first failed call
}

// Context builds a tenant with many memories and events and measures the latency of bundles.
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
	b, err := engine.Open(ctx, dir, engine.Options{MustExist: true, Progress: func(done, end journal.LSN, records uint64) {
		report.Replayed = records
		o.Progress(fmt.Sprintf("opening: the index is made from the journal, %d%%", 100*done/max(end, 1)), 0, 0)
	}})
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

// measure measures calls, after a warm-up.
func (r *ContextReport) measure(ctx context.Context, b *engine.Board, o *ContextOptions) error {
	if err := checkMade(ctx, b, o); err != nil {
		return err
	}
	root, err := b.Root(ctx, tenant)
	if err != nil {
		return err
	}
	r.Records = root.Size
	token, err := b.MintScope(ctx, engine.Writer{Actor: "bench", Trust: record.User}, tenant, scope.Grant{
		To: "agent-0", Include: scope.Selectors{All: true}, Exclude: scope.Selectors{Tags: []string{hidden}}, Expires: b.Now().Add(24 * time.Hour),
	})
	if err != nil {
		return err
	}
	a := asker{frames: o.Frames, token: token}
	chance := rand.New(rand.NewPCG(1, 0))
	for i := range o.Calls / 2 {
		if _, err := b.Context(ctx, a.question(chance)); err != nil {
			return err
		}
		o.Progress("warming up", i, o.Calls/2)
	}
	chance = rand.New(rand.NewPCG(2, 0))
	times := make([]time.Duration, 0, o.Calls)
	var seen tally
	began := time.Now()
	for i := range o.Calls {
		q := a.question(chance)
		start := time.Now()
		out, err := b.Context(ctx, q)
		times = append(times, time.Since(start))
		if err == nil {
			err = answered(out)
		}
		if err != nil {
			a.fail(err)
		} else {
			seen.add(&q, out)
		}
		o.Progress("asking", i, o.Calls)
	}
	took := time.Since(began)
	if err := ctx.Err(); err != nil {
		return err
	}
	seen.sumUp(r)
	r.One = latency(times, a.failed(), took)
	r.ResidentBytes = resident()
	r.Goals = []Limit{{Name: "p50", Got: r.One.P50, Goal: 1}, {Name: "p99", Got: r.One.P99, Goal: 5}}
	for i := range r.Goals {
		r.Goals[i].Ratio = r.Goals[i].Got / r.Goals[i].Goal
		r.Goals[i].OK = r.Goals[i].Ratio < 1
	}
	peak := watchMemory()
	r.Many = a.crowd(ctx, b, o)
	r.PeakBytes = peak()
	if a.why != nil {
		r.Problem = a.why.Error()
	}
	return ctx.Err()
}

// asker requests bundles.
type asker struct {
	frames int
	token  string // a scope

	mu     sync.Mutex
	errors int
	why    error // error of the first
}

// fail counts a failed call.
func (a *asker) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.errors++; a.why == nil {
		a.why = err
	}
}

// failed returns how many calls failed since it was last called.
func (a *asker) failed() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.errors
	a.errors = 0
	return n
}

// tally counts requests and answers.
type tally struct {
	calls, two, scoped, short, full     int
	candidates, entries, tokens         int
	outcomes, events, followed, bundles int
}

// add counts a call.
func (t *tally) add(q *engine.ContextOptions, out *bundle.Bundle) {
	one := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	t.calls++
	t.two += one(len(q.Objects) == 2)
	t.scoped += one(q.View.Scope != "")
	t.short += one(q.Form == memory.FormShort)
	t.full += one(q.Form == memory.FormFull)
	t.candidates += len(out.Rendered) + out.Trimmed
	t.entries += len(out.Rendered)
	t.tokens += out.TotalTokens
	before := t.events
	for _, e := range out.Outcomes {
		t.outcomes++
		if e.Kind == record.Event {
			t.events++
			t.followed += one(strings.Contains(e.Text, "-> "))
		}
	}
	t.bundles += one(t.events > before)
}

// sumUp writes the counts into a report.
func (t *tally) sumUp(r *ContextReport) {
	of := func(n, all int) float64 { return float64(n) / float64(max(all, 1)) }
	r.Candidates, r.Entries, r.Tokens = of(t.candidates, t.calls), of(t.entries, t.calls), of(t.tokens, t.calls)
	r.Mix = Mix{TwoObjects: of(t.two, t.calls), Scoped: of(t.scoped, t.calls), Short: of(t.short, t.calls), Full: of(t.full, t.calls)}
	r.Outcomes = Outcomes{
		PerBundle: of(t.outcomes, t.calls), Bundles: of(t.bundles, t.calls), Events: of(t.events, t.outcomes), Followed: of(t.followed, t.events),
	}
}

// answered refuses a bundle that cannot be right.
func answered(out *bundle.Bundle) error {
	if len(out.Pinned) == 0 {
		return fault.New(fault.Internal, "a bundle has nothing that is pinned")
	}
	return nil
}

// Percentages of calls that differ from the usual one, which is about one file, by an agent
// without a scope, in the medium form.
const (
	askTwo    = 15
	askScoped = 15
	askShort  = 3
	askFull   = 3
)

// question returns a request about a random file by a random agent.
func (a *asker) question(chance *rand.Rand) engine.ContextOptions {
	file := chance.IntN(a.frames)
	q := engine.ContextOptions{
		Tenant: tenant, Verb: memory.VerbModify, Objects: map[string]string{string(memory.ObjFile): fileOf(file)},
		View: engine.View{Agent: fmt.Sprint("agent-", chance.IntN(agents))},
	}
	if chance.IntN(100) < askTwo {
		q.Objects[string(memory.ObjProject)] = projectOf(file)
	}
	if chance.IntN(100) < askScoped {
		q.View = engine.View{Scope: a.token}
	}
	switch n := chance.IntN(100); {
	case n < askShort:
		q.Form = memory.FormShort
	case n < askShort+askFull:
		q.Form = memory.FormFull
	}
	return q
}

// crowd runs all callers concurrently.
func (a *asker) crowd(ctx context.Context, b *engine.Board, o *ContextOptions) Latency {
	times := make([]time.Duration, o.Callers*o.Rounds)
	var done atomic.Int64
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for caller := range o.Callers {
		chance := rand.New(rand.NewPCG(3, uint64(caller)))
		mine := times[caller*o.Rounds : (caller+1)*o.Rounds]
		wg.Go(func() {
			<-ready
			for i := range mine {
				q := a.question(chance)
				start := time.Now()
				out, err := b.Context(ctx, q)
				mine[i] = time.Since(start)
				if err == nil {
					err = answered(out)
				}
				if err != nil {
					a.fail(err)
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
	return latency(times, a.failed(), time.Since(began))
}

// latency summarises the times of calls.
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
