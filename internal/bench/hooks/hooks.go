// Package hooks measures how long a coding agent waits for the hooks of lukasa: whole
// processes, from their start to their end, next to programs that do nothing.
//
// The contenders take turns in one run: true, a hello world in Go, lukasa version, and events
// of an agent's hook on a board with many events, without a server and through one. The time of
// true and hello world is the cost of a process on this machine; the rest is ours.
//
// The measured program is a file, so that two builds can be compared. The board is built by
// that program from generated events. Each mode has a copy of it.
package hooks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"lukasa.dev/internal/bench"
)

// Options configures a measurement.
type Options struct {
	// Dir is where temporary files are created.
	Dir string
	// Program is the lukasa binary to measure. Empty means the one beside this program, else
	// the one in PATH.
	Program string
	// Events is the number of events on the board.
	Events int
	// Rounds is how often each contender runs.
	Rounds int
	// Progress receives what is being done.
	Progress func(what string, done, total int)
}

// Case is one contender.
type Case struct {
	Name   string  `json:"name"`
	What   string  `json:"what"`
	Runs   int     `json:"runs"`
	P50    float64 `json:"p50_ms"`
	P95    float64 `json:"p95_ms"`
	Max    float64 `json:"max_ms"`
	Goal   float64 `json:"goal_ms,omitempty"` // for p50; 0 if there is none
	OK     bool    `json:"ok"`                // p50 is within the goal, or there is none
	Server bool    `json:"server,omitempty"`  // through a running server
}

// Report is the result.
type Report struct {
	Program        string  `json:"program"`
	Version        string  `json:"version"`
	Events         int     `json:"events"`
	Rounds         int     `json:"rounds"`
	DirectoryBytes int64   `json:"directory_bytes"`
	BuildSeconds   float64 `json:"build_seconds"`
	Cases          []Case  `json:"cases"`
	// Failures is how many hooks logged an error, and Problem the first error.
	Failures int    `json:"failures"`
	Problem  string `json:"problem,omitempty"`
}

// The goals of p50, in milliseconds.
const (
	goalStart        = 10 // for a process that does next to nothing
	goalPromptServed = 15
	goalServed       = 10
	goalAlone        = 60
)

// Run builds a board, measures and removes everything.
func Run(ctx context.Context, o Options) (report *Report, err error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	dir, err := os.MkdirTemp(o.Dir, "lukasa-bench-hook-*")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w := &world{dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "shop")}
	for _, d := range []string{w.home, filepath.Join(w.project, ".git")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	if w.program, err = findProgram(o.Program); err != nil {
		return nil, err
	}
	r := &Report{Program: w.program, Events: o.Events, Rounds: o.Rounds}
	if r.Version, err = w.version(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	alone, served := filepath.Join(dir, "alone"), filepath.Join(dir, "served")
	if err := w.build(ctx, alone, o); err != nil {
		return nil, err
	}
	r.BuildSeconds = time.Since(began).Seconds()
	if err := os.CopyFS(served, os.DirFS(alone)); err != nil {
		return nil, err
	}
	if err := os.Chmod(served, 0o700); err != nil {
		return nil, err
	}
	if r.DirectoryBytes, err = treeSize(alone); err != nil {
		return nil, err
	}
	stop, err := w.serve(ctx, served)
	if err != nil {
		return nil, err
	}
	list, err := w.contenders(ctx, alone, served)
	if err == nil {
		err = measure(ctx, list, o, func() error { return errors.Join(forgetTrouble(alone), forgetTrouble(served)) })
	}
	stop()
	if err != nil {
		return nil, err
	}
	for _, data := range []string{alone, served} {
		if err := r.addTrouble(data); err != nil {
			return nil, err
		}
	}
	for _, c := range list {
		r.Cases = append(r.Cases, c.result())
	}
	return r, nil
}

// measure alternates the contenders. The first turn of each warms the caches and does not
// count; warm is called after it.
func measure(ctx context.Context, list []*contender, o Options, warm func() error) error {
	for round := range o.Rounds + 1 {
		if round == 1 {
			if err := warm(); err != nil {
				return err
			}
		}
		o.Progress("running hooks", round*len(list), (o.Rounds+1)*len(list))
		for _, c := range list {
			took, err := c.run(ctx, round)
			if err != nil {
				return fmt.Errorf("%s: %w", c.what, err)
			}
			if round > 0 {
				c.times = append(c.times, took)
			}
		}
	}
	return nil
}

// result returns the result of a contender.
func (c *contender) result() Case {
	l := bench.LatencyOf(c.times)
	return Case{
		Name: c.name, What: c.what, Runs: len(c.times), P50: l.P50, P95: l.P95, Max: l.Max,
		Goal: c.goal, OK: c.goal == 0 || l.P50 <= c.goal, Server: c.server,
	}
}

// build makes a board of generated events.
func (w *world) build(ctx context.Context, data string, o Options) error {
	path := filepath.Join(w.dir, "events.ndjson")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	corpus, out := bench.NewCorpus(o.Events), bufio.NewWriterSize(f, 1<<20)
	var line []byte
	for i := range o.Events {
		if i%10_000 == 0 {
			o.Progress("writing events", i, o.Events)
		}
		line = corpus.AppendLine(line[:0], i)
		if _, err := out.Write(line); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		return err
	}
	o.Progress("recording events", 0, 0)
	if _, err := w.output(ctx, "ingest", "--data", data, path); err != nil {
		return err
	}
	return os.Remove(path)
}

// input is the input that an agent passes to its hook.
func (w *world) input(name string, round int, more map[string]any) ([]byte, error) {
	m := map[string]any{
		"hook_event_name": name, "session_id": fmt.Sprintf("bench-%d", round/20), "cwd": w.project, "transcript_path": "",
	}
	for k, v := range more {
		m[k] = v
	}
	return json.Marshal(m)
}
