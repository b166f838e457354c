// Package serving measures the server, next to the library and to minimal handlers on the same
// machine in the same run.
//
// A real node listens on loopback in this process, with its keys, quotas, metrics and a log
// that is discarded. The client shares the processors with it, so it is minimal: it writes
// requests to a connection, and reads the status and the length of answers.
//
// The two sides of a comparison alternate in rounds, and the first side changes from round to
// round; the result is the median of the ratios of the rounds. Events count once they are
// durable. Everything is written to a directory of its own, which is removed.
//
// Tenants are not compiled meanwhile: that is the same work for both sides.
package serving

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/node"
)

// Options configures a measurement.
type Options struct {
	// Dir is where temporary directories are created.
	Dir string
	// Events is the number of events in the stream of lines. There are a fifth as many single
	// events. Zero means 50,000.
	Events int
	// Progress receives what is being measured, and how far it is.
	Progress func(what string, done, total int)
}

// Sizes of the measurements, relative to the number of events.
const (
	usualEvents = 50_000
	rounds      = 5
	connections = 64
	packBudget  = 2000
	mostPacks   = 300
	mostTails   = 200
	memory      = 1280 << 20 // gives a node's board the default cache of a board
)

// The goals.
const (
	goalLines  = 0.7
	goalSingle = 0.5
	goalPack   = 1.0 // ms
)

// Rate is a throughput of events, next to another.
type Rate struct {
	Name   string  `json:"name"`
	What   string  `json:"what"`
	Beside string  `json:"beside,omitempty"` // what it is compared with
	Events int     `json:"events"`
	Ours   float64 `json:"per_second"`
	Other  float64 `json:"other_per_second,omitempty"`
	Ratio  float64 `json:"ratio,omitempty"` // the median over the rounds
}

// Wait is a latency, next to another.
type Wait struct {
	Name   string         `json:"name"`
	What   string         `json:"what"`
	Beside string         `json:"beside,omitempty"`
	Ours   bench.Latency  `json:"served"`
	Other  *bench.Latency `json:"other,omitempty"`
	Adds   float64        `json:"adds_p50_ms,omitempty"` // the part of p50 that is ours
}

// Report is the result of the measurement.
type Report struct {
	Events     int          `json:"events"`
	EventBytes float64      `json:"event_bytes"` // average length of a line
	Rounds     int          `json:"rounds"`
	Rates      []Rate       `json:"rates"`
	Waits      []Wait       `json:"waits"`
	Goals      []bench.Goal `json:"goals"`
}

// Run measures.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Events == 0 {
		o.Events = usualEvents
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	dir, err := os.MkdirTemp(o.Dir, "lukasa-bench-")
	if err != nil {
		return nil, fault.Wrap(fault.WriteFailed, err)
	}
	defer os.RemoveAll(dir)
	r := &run{o: o, dir: dir, report: &Report{Events: o.Events, Rounds: rounds}}
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	err = r.measure(ctx)
	if closed := r.node.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	r.judge()
	return r.report, nil
}

// run is a running measurement.
type run struct {
	o      Options
	dir    string
	corpus *bench.Corpus
	node   *node.Node
	token  string
	report *Report
}

// start starts the node, with a key for the tenant.
func (r *run) start(ctx context.Context) (err error) {
	c := node.Defaults()
	c.Data, c.Listen, c.Memory = filepath.Join(r.dir, "served"), "127.0.0.1:0", memory
	c.CompileEvents, c.CompileQuiet = 0, 0
	c.RequestsPerSecond, c.EventsPerSecond, c.BytesPerSecond = 1e9, 1e9, 1e15 // counted, and never reached
	if r.node, err = node.Start(ctx, c, node.Options{Log: c.NewLog(io.Discard, false)}); err != nil {
		return err
	}
	if r.token, err = r.key(ctx); err != nil {
		_ = r.node.Close() // the first error counts
	}
	return err
}

// key makes a key for the tenant.
func (r *run) key(ctx context.Context) (string, error) {
	text, err := os.ReadFile(r.node.TokenFile())
	if err != nil {
		return "", fault.Wrap(fault.UnreadableInput, err)
	}
	operator, err := r.node.Keys().Authenticate(ctx, string(text[:len(text)-1]), "", "")
	if err != nil {
		return "", err
	}
	_, token, err := r.node.Keys().Create(ctx, operator, auth.Request{Role: auth.Member, Tenant: bench.Tenant})
	return token, err
}

// measure runs all measurements in sequence.
func (r *run) measure(ctx context.Context) error {
	r.o.Progress("making words", 0, 0)
	r.corpus = bench.NewCorpus(r.o.Events)
	for _, f := range []func(context.Context) error{r.lines, r.singles, r.packs, r.socket, r.blocks, r.tail} {
		if err := f(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tenant is the tenant through the library, on the board that is served.
func (r *run) tenant() *lukasa.Tenant { return r.node.Board().Tenant(bench.Tenant, writer()) }

// writer is the writer for the library.
func writer() lukasa.Writer { return lukasa.Writer{Actor: "bench", Trust: lukasa.User} }

// turns alternates two sides, and returns the median rate of each and the median of the ratios.
// A side gets the number of the round, and returns how many events a second it made durable.
func (r *run) turns(ctx context.Context, what string, ours, other func(round int) (float64, error)) (rate Rate, err error) {
	var got [2][]float64
	var ratios []float64
	for round := range rounds {
		r.o.Progress(what, round, rounds)
		var speed [2]float64
		for k := range 2 {
			side := (round + k) % 2
			if err := ctx.Err(); err != nil {
				return rate, err
			}
			if speed[side], err = [2]func(int) (float64, error){ours, other}[side](round); err != nil {
				return rate, err
			}
			got[side] = append(got[side], speed[side])
		}
		ratios = append(ratios, speed[0]/speed[1])
	}
	return Rate{Ours: median(got[0]), Other: median(got[1]), Ratio: median(ratios)}, nil
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// timed returns the rate of n items.
func timed(n int, f func() error) (float64, error) {
	start := time.Now()
	if err := f(); err != nil {
		return 0, err
	}
	return float64(n) / time.Since(start).Seconds(), nil
}

// judge compares with the goals.
func (r *run) judge() {
	rep := r.report
	least := func(name string, got, goal float64) {
		rep.Goals = append(rep.Goals, bench.Goal{Name: name, Got: got, Goal: goal, Least: true, OK: got >= goal})
	}
	least("lines, of the library's", rep.Rates[0].Ratio, goalLines)
	least("single events, of bare fsync", rep.Rates[1].Ratio, goalSingle)
	adds := rep.Waits[0].Adds
	rep.Goals = append(rep.Goals, bench.Goal{Name: "what HTTP adds to a pack, ms", Got: adds, Goal: goalPack, OK: adds < goalPack})
}
