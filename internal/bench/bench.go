// Package bench measures the parts of the engine, next to raw Pebble with the same bytes in the
// same run.
//
// Machines are noisy, so a figure is meaningful only next to another one from the same minute:
// the contenders alternate for several turns, and the result is the ratio of their medians.
// Everything is written to a real directory and removed afterwards.
//
// Appends are durable: one counts once its bytes are fsynced. Ours includes salt, commitment,
// header, leaf and tree; Pebble's is a synced batch of the same payloads, with its default
// options and keys in order. With larger memory tables, or payloads that compress better,
// Pebble is faster than that.
//
// The latency of a bundle has no contender. It is compared with the goals, which a busy machine
// misses sooner than a slow one.
package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Options configures a measurement.
type Options struct {
	// Dir is where temporary directories are created.
	Dir string
	// Turn is the length of one turn. Zero means one second.
	Turn time.Duration
	// Turns is the number of turns of each contender. Zero means 5.
	Turns int
	// EventBytes is the size of a payload. Zero means 600.
	EventBytes int
	// Events is how many events are ingested from a file. Zero means 300,000.
	Events int
	// Progress receives what is being measured.
	Progress func(what string)
}

func (o Options) filled() Options {
	if o.Turn == 0 {
		o.Turn = time.Second
	}
	if o.Turns == 0 {
		o.Turns = 5
	}
	if o.EventBytes == 0 {
		o.EventBytes = 600
	}
	if o.Events == 0 {
		o.Events = 300_000
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o
}

// Comparison is one case with both contenders.
type Comparison struct {
	Name   string  `json:"name"`
	What   string  `json:"what"`
	Ours   float64 `json:"lukasa_per_second"`
	Pebble float64 `json:"pebble_per_second"`
	Ratio  float64 `json:"ratio"`
	Goal   float64 `json:"goal"` // the ratio to reach
	OK     bool    `json:"ok"`   // it is reached
}

// JournalReport is the result of the measurement of the journal.
type JournalReport struct {
	EventBytes  int          `json:"event_bytes"`
	Turns       int          `json:"turns"`
	TurnSeconds float64      `json:"turn_seconds"`
	Comparisons []Comparison `json:"comparisons"`
	Ingest      *Ingest      `json:"ingest,omitempty"`
}

// contender runs for a while in a directory of its own and returns how many events per second
// it made durable.
type contender func(ctx context.Context, dir string, o Options) (float64, error)

// pair is a case.
type pair struct {
	name, what   string
	goal         float64
	ours, pebble contender
}

// Journal measures the journal next to Pebble, and then the ingestion of a file of events into
// the journal and every index.
func Journal(ctx context.Context, o Options) (*JournalReport, error) {
	o = o.filled()
	dir, err := os.MkdirTemp(o.Dir, "lukasa-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	report := &JournalReport{EventBytes: o.EventBytes, Turns: o.Turns, TurnSeconds: o.Turn.Seconds()}
	for _, p := range []pair{
		{"batches", "one writer, 1,000 events a batch", 1.5, oursBatches(1000), pebbleBatches(1000)},
		{"writers", "64 writers of single events", 1.2, oursWriters(64), pebbleWriters(64)},
		{"single", "one writer of single events", 0.9, oursWriters(1), pebbleWriters(1)},
	} {
		o.Progress(p.what)
		c, err := p.run(ctx, dir, o)
		if err != nil {
			return nil, err
		}
		report.Comparisons = append(report.Comparisons, c)
	}
	o.Progress("events from a file")
	if report.Ingest, err = ingest(ctx, dir, o); err != nil {
		return nil, err
	}
	return report, nil
}

// run alternates the two, after one warm-up turn each.
func (p pair) run(ctx context.Context, dir string, o Options) (Comparison, error) {
	var ours, pebble []float64
	for turn := range o.Turns + 1 {
		warm := o
		if turn == 0 {
			warm.Turn /= 4
		}
		for _, side := range []struct {
			name string
			run  contender
			got  *[]float64
		}{{"lukasa", p.ours, &ours}, {"pebble", p.pebble, &pebble}} {
			at := filepath.Join(dir, fmt.Sprintf("%s-%s-%d", p.name, side.name, turn))
			rate, err := side.run(ctx, at, warm)
			if err != nil {
				return Comparison{}, err
			}
			if err := os.RemoveAll(at); err != nil {
				return Comparison{}, err
			}
			if turn > 0 {
				*side.got = append(*side.got, rate)
			}
		}
	}
	c := Comparison{Name: p.name, What: p.what, Ours: median(ours), Pebble: median(pebble), Goal: p.goal}
	c.Ratio = c.Ours / c.Pebble
	c.OK = c.Ratio >= c.Goal
	return c, nil
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
