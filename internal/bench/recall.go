package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// RecallOptions configures the size of the tenant and the questions.
type RecallOptions struct {
	// Dir is where temporary directories are created.
	Dir string
	// Keep is a directory to build and keep, Reuse one that was kept. Events must then equal
	// the number it was built with.
	Keep, Reuse string
	// Events is the number of events. Zero means 1,000,000.
	Events int
	// Queries is the number of questions without a filter. Each filter gets a quarter as many.
	// Zero means 2,000.
	Queries int
	// Case is the time limit for questions of one sort. Zero means two minutes.
	Case time.Duration
	// Texts are files with real texts, a line each, for a further comparison of the vector
	// index with a scan. Without files there is none.
	Texts []string
	// Progress receives what is being done, and how far it is: 0 of 0 if unknown. Calls do not
	// overlap.
	Progress func(what string, done, total int)
}

func (o RecallOptions) filled() RecallOptions {
	if o.Events == 0 {
		o.Events = 1_000_000
	}
	if o.Queries == 0 {
		o.Queries = 2_000
	}
	if o.Case == 0 {
		o.Case = 2 * time.Minute
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	return o
}

// eventsWarmed is about how many events a question brings into the caches, with their
// neighbours.
const eventsWarmed = 4000

// warming is the number of warm-up questions: enough to fill the caches of the tenant, however
// few questions follow.
func (o *RecallOptions) warming(total int) int {
	return max(total/8, o.Events/eventsWarmed, 1)
}

// Intake is how fast the events were ingested, and at what cost.
type Intake struct {
	EventsPerSecond float64 `json:"events_per_second"`
	EventBytes      float64 `json:"event_bytes"` // average length of a line
	Seconds         float64 `json:"seconds"`
	CPUSeconds      float64 `json:"cpu_seconds"` // includes making the events; 0 if unknown
	PeakBytes       uint64  `json:"peak_bytes"`
}

// RecallCase is the result for questions of one sort.
type RecallCase struct {
	Name string `json:"name"`
	What string `json:"what"`
	Latency
	CPU   float64 `json:"cpu_ms"` // per call, on average; 0 if unknown
	Hits  float64 `json:"hits"`   // per answer, on average
	Found float64 `json:"found"`  // share of the questions whose event is among the hits
}

// Goal is a figure with a goal.
type Goal struct {
	Name  string  `json:"name"`
	Got   float64 `json:"got"`
	Goal  float64 `json:"goal"`
	Least bool    `json:"least"` // a minimum, and otherwise a maximum
	OK    bool    `json:"ok"`
}

// RecallReport is the result of the measurement of recall.
type RecallReport struct {
	Events        int          `json:"events"`
	Records       uint64       `json:"records"`
	DirBytes      int64        `json:"directory_bytes"`
	Intake        *Intake      `json:"intake,omitempty"` // nil if a directory is reused
	OpenSeconds   float64      `json:"open_seconds"`     // after a clean stop, the median of three
	Replayed      uint64       `json:"replayed_records"` // into the index, before it was open
	Cases         []RecallCase `json:"cases"`
	ResidentBytes uint64       `json:"resident_bytes"` // after the questions
	PeakBytes     uint64       `json:"peak_bytes"`     // during the questions
	Vectors       VectorScan   `json:"vectors"`
	Texts         *VectorScan  `json:"texts,omitempty"` // on real texts
	Goals         []Goal       `json:"goals"`
	Problem       string       `json:"problem,omitempty"` // error of the first failed call
}

// Recall builds a tenant with many events and measures the latency of searches.
func Recall(ctx context.Context, o RecallOptions) (*RecallReport, error) {
	o = o.filled()
	report := &RecallReport{Events: o.Events}
	o.Progress("making words", 0, 0)
	c := newCorpus(o.Events)
	dir, intake, remove, err := o.build(ctx, c)
	if err != nil {
		return nil, err
	}
	defer remove()
	report.Intake = intake
	b, err := report.open(ctx, dir, &o)
	if err != nil {
		return nil, err
	}
	if err := report.measure(ctx, b, c, &o); err != nil {
		_ = b.Close() // the first error counts
		return nil, err
	}
	if err := b.Close(); err != nil {
		return nil, err
	}
	if report.Vectors, err = scanVectors(ctx, dir, c, &o); err != nil {
		return nil, err
	}
	if len(o.Texts) > 0 {
		if report.Texts, err = scanTexts(ctx, &o); err != nil {
			return nil, err
		}
	}
	report.judge()
	return report, nil
}

// build returns the directory to measure, which it builds unless it is reused, how that went,
// and a function that removes it unless it is kept.
func (o *RecallOptions) build(ctx context.Context, c *corpus) (dir string, in *Intake, remove func(), err error) {
	remove = func() {}
	if o.Reuse != "" {
		return o.Reuse, nil, remove, nil
	}
	if dir = o.Keep; dir == "" {
		made, err := os.MkdirTemp(o.Dir, "lukasa-bench-")
		if err != nil {
			return "", nil, remove, err
		}
		dir, remove = filepath.Join(made, "data"), func() { _ = os.RemoveAll(made) } // leftovers are in a directory for temporary files
	}
	if in, err = takeIn(ctx, dir, c, o); err != nil {
		remove()
	}
	return dir, in, remove, err
}

// opens is how often the directory is opened; the median counts, since the first may wait for
// earlier writes.
const opens = 3

// open opens the directory.
func (r *RecallReport) open(ctx context.Context, dir string, o *RecallOptions) (b *engine.Board, err error) {
	var took []float64
	for range opens {
		if b != nil {
			if err := b.Close(); err != nil {
				return nil, err
			}
			if r.DirBytes, err = dirBytes(dir); err != nil {
				return nil, err
			}
		}
		o.Progress("opening", 0, 0)
		start := time.Now()
		b, err = engine.Open(ctx, dir, engine.Options{MustExist: true, Progress: func(done, end journal.LSN, records uint64) {
			r.Replayed = max(r.Replayed, records)
			o.Progress(fmt.Sprintf("opening: the index is made from the journal, %d%%", 100*done/max(end, 1)), 0, 0)
		}})
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(start).Seconds())
	}
	r.OpenSeconds = median(took)
	return b, nil
}

// dirBytes returns the total size of the files in a directory.
func dirBytes(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// recallMade records how a tenant was built. It is written last.
func recallMade(events int) *memory.Memory {
	return &memory.Memory{
		ID: "made", Type: memory.TypeFact,
		Text: fmt.Sprintf("A tenant to be asked, of format %d with %d events.", recallFormat, events),
	}
}

// checkRecallMade refuses a tenant that was built differently.
func checkRecallMade(ctx context.Context, b *engine.Board, events int) error {
	want := recallMade(events)
	got, err := b.Get(ctx, engine.Ref{Tenant: tenant, Kind: record.Memory, ID: want.ID}, engine.View{})
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	if err == nil {
		if m, ok := got.Body.(*memory.Memory); ok && m.Text == want.Text {
			return nil
		}
	}
	return fault.Newf(fault.InvalidArgument, "%s has no tenant that was built to its end with %d events by this version", b.Dir(), events).
		WithFix("say with how many it was built, or build another")
}

// takeIn builds a directory with the events of a corpus.
func takeIn(ctx context.Context, dir string, c *corpus, o *RecallOptions) (*Intake, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fault.Newf(fault.InvalidArgument, "%s is not empty", dir).WithFix("name a directory that is not there, or reuse it")
	}
	b, err := engine.Open(ctx, dir, engine.Options{})
	if err != nil {
		return nil, err
	}
	out, err := stream(ctx, b, dir, c, o)
	if err == nil {
		_, err = b.Put(ctx, engine.Writer{Actor: "bench", Trust: record.User}, tenant, recallMade(len(c.turns)), engine.Expect{})
	}
	if err != nil {
		_ = b.Close() // the first error counts
		return nil, err
	}
	return out, b.Close()
}

// stream ingests the events of a corpus from a file beside the directory. The file is written
// first, so that generating events is not measured.
func stream(ctx context.Context, b *engine.Board, dir string, c *corpus, o *RecallOptions) (*Intake, error) {
	src, err := os.CreateTemp(filepath.Dir(dir), "lukasa-bench-*.ndjson")
	if err != nil {
		return nil, fault.Wrap(fault.WriteFailed, err)
	}
	defer func() {
		_ = src.Close() // it has been read
		_ = os.Remove(src.Name())
	}()
	size, err := writeCorpus(ctx, src, c, o)
	if err != nil {
		return nil, err
	}
	peak := watchMemory()
	began, cpu := time.Now(), processTime()
	rep, err := b.Ingest(ctx, src, engine.IngestOptions{
		Writer:   engine.Writer{Actor: "bench", Trust: record.User},
		Progress: func(r engine.IngestReport) { o.Progress("recording events", r.Accepted, len(c.turns)) },
	})
	took, worked := time.Since(began), processTime()-cpu
	high := peak()
	if err == nil && rep.Accepted != len(c.turns) {
		err = fault.Newf(fault.Internal, "%d of %d events were accepted", rep.Accepted, len(c.turns))
	}
	if err != nil {
		return nil, err
	}
	n := float64(len(c.turns))
	return &Intake{
		EventsPerSecond: n / took.Seconds(), EventBytes: float64(size) / n, Seconds: took.Seconds(), CPUSeconds: worked.Seconds(), PeakBytes: high,
	}, nil
}

// writeCorpus writes the events of a corpus to a file and seeks to its beginning.
func writeCorpus(ctx context.Context, f *os.File, c *corpus, o *RecallOptions) (size int64, err error) {
	var e said
	out := bufio.NewWriterSize(f, 1<<18)
	for i := range c.turns {
		if i%4096 == 0 {
			o.Progress("writing events", i, len(c.turns))
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		c.event(i, &e)
		size += int64(len(e.line))
		if _, err := out.Write(e.line); err != nil {
			return 0, fault.Wrap(fault.WriteFailed, err)
		}
	}
	if err = out.Flush(); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return 0, fault.Wrap(fault.WriteFailed, err)
	}
	return size, nil
}

// recallHits is the number of hits requested.
const recallHits = 50

// recallSort is a sort of questions.
type recallSort struct {
	name, what string
	// part is the share of the questions: one in this many.
	part   int
	tagged bool // only questions from events with tags
	narrow func(o *engine.SearchOptions, q *question)
}

// recallSorts returns the sorts of questions. token is that of a scope.
func recallSorts(token string) []recallSort {
	return []recallSort{
		{"hybrid", "by words, meaning and names", 1, false, func(*engine.SearchOptions, *question) {}},
		{"words", "by words only", 1, false, func(o *engine.SearchOptions, _ *question) { o.Sources = recall.Words }},
		{"meaning", "by meaning only", 1, false, func(o *engine.SearchOptions, _ *question) { o.Sources = recall.Meaning }},
		{"session", "within a session", 4, false, func(o *engine.SearchOptions, q *question) { o.Sessions = []string{q.said.session} }},
		{"agent", "of one agent of 50", 4, false, func(o *engine.SearchOptions, q *question) { o.Agents = []string{q.said.agent} }},
		{"time", "within thirty days", 4, false, func(o *engine.SearchOptions, q *question) {
			o.Since, o.Until = q.said.at.AddDate(0, 0, -15), q.said.at.AddDate(0, 0, 15)
		}},
		{"tag", "with one of 40 tags", 4, true, func(o *engine.SearchOptions, q *question) { o.Tags = q.said.tags[:1] }},
		{"scope", "under a scope that hides a tag", 4, false, func(o *engine.SearchOptions, _ *question) { o.View.Scope = token }},
	}
}

// ask makes a question of the sort.
func (s *recallSort) ask(c *corpus, chance *rand.Rand) question {
	q := c.ask(chance)
	for s.tagged && len(q.said.tags) == 0 {
		q = c.ask(chance)
	}
	return q
}

// hiding returns the token of a scope that hides a tag.
func hiding(ctx context.Context, b *engine.Board) (string, error) {
	return b.MintScope(ctx, engine.Writer{Actor: "bench", Trust: record.User}, tenant, scope.Grant{
		To: "agent-0", Include: scope.Selectors{All: true}, Exclude: scope.Selectors{Tags: []string{tagName(recallHidden)}}, Expires: b.Now().Add(24 * time.Hour),
	})
}

// measure runs the questions.
func (r *RecallReport) measure(ctx context.Context, b *engine.Board, c *corpus, o *RecallOptions) error {
	if err := checkRecallMade(ctx, b, o.Events); err != nil {
		return err
	}
	root, err := b.Root(ctx, tenant)
	if err != nil {
		return err
	}
	r.Records = root.Size
	token, err := hiding(ctx, b)
	if err != nil {
		return err
	}
	peak := watchMemory()
	for _, s := range recallSorts(token) {
		one, err := r.askAll(ctx, b, c, o, s)
		if err != nil {
			peak()
			return err
		}
		r.Cases = append(r.Cases, one)
	}
	r.PeakBytes, r.ResidentBytes = peak(), resident()
	return nil
}

// askAll runs all questions of one sort, after a warm-up.
func (r *RecallReport) askAll(ctx context.Context, b *engine.Board, c *corpus, o *RecallOptions, s recallSort) (RecallCase, error) {
	out := RecallCase{Name: s.name, What: s.what}
	chance := rand.New(rand.NewPCG(corpusSeed, 1))
	var worked time.Duration
	asked := func(chance *rand.Rand) (question, *engine.Searched, time.Duration, error) {
		q := s.ask(c, chance)
		so := engine.SearchOptions{Tenant: tenant, Query: q.text, TopK: recallHits, View: engine.View{Now: c.end()}}
		s.narrow(&so, &q)
		cpu, start := processTime(), time.Now()
		found, err := b.Search(ctx, so)
		took := time.Since(start)
		worked += processTime() - cpu
		return q, found, took, err
	}
	total := max(o.Queries/s.part, 1)
	began := time.Now()
	for i := range o.warming(total) {
		if _, _, _, err := asked(chance); err != nil {
			return out, err
		}
		o.Progress("warming up: "+s.what, i, o.warming(total))
		if time.Since(began) > o.Case/4 {
			break
		}
	}
	chance = rand.New(rand.NewPCG(corpusSeed, 2))
	times := make([]time.Duration, 0, total)
	failed, found, hits := 0, 0, 0
	var all time.Duration
	began, worked = time.Now(), 0
	for i := 0; i < total && (i == 0 || time.Since(began) < o.Case); i++ {
		q, answer, took, err := asked(chance)
		times = append(times, took)
		all += took
		if err != nil {
			if failed++; r.Problem == "" {
				r.Problem = err.Error()
			}
			continue
		}
		hits += len(answer.Hits)
		want := fmt.Sprintf("%s%012d", eventIDPrefix, q.event)
		for _, h := range answer.Hits {
			if h.URI.ID == want {
				found++
			}
			if h.Event != nil {
				if err := placed(h.Event); err != nil {
					return out, err
				}
			}
		}
		o.Progress("asking: "+s.what, i, total)
	}
	if err := ctx.Err(); err != nil {
		return out, err
	}
	n := float64(len(times))
	out.Latency = latency(times, failed, all)
	out.CPU = 1000 * worked.Seconds() / n
	out.Hits, out.Found = float64(hits)/n, float64(found)/n
	return out, nil
}

// placed refuses an event that is not at its expected position: the vectors are compared by
// position.
func placed(e *engine.StoredEvent) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(e.Event.EventID, eventIDPrefix), 10, 64)
	if err == nil && n != e.Position {
		err = fault.Newf(fault.Internal, "event %d is at position %d", n, e.Position)
	}
	return err
}

// judge compares with the goals.
func (r *RecallReport) judge() {
	goal := func(name string, got, goal float64, least bool) {
		ok := got < goal
		if least {
			ok = got >= goal
		}
		r.Goals = append(r.Goals, Goal{Name: name, Got: got, Goal: goal, Least: least, OK: ok})
	}
	peak := r.PeakBytes
	if r.Intake != nil {
		goal("events taken in, a second", r.Intake.EventsPerSecond, 20_000, true)
		peak = max(peak, r.Intake.PeakBytes)
	}
	goal("peak memory, MB", float64(peak)/1e6, 1000, false)
	for _, c := range r.Cases {
		if c.Name == "hybrid" {
			goal("hybrid p50, ms", c.P50, 10, false)
			goal("hybrid p99, ms", c.P99, 30, false)
			goal("hybrid, events found", c.Found, 0.8, true)
		}
	}
	goal("vectors beside an exact scan", r.Vectors.Ratio, 12, true)
	if r.Texts != nil {
		goal("vectors of texts, beside a scan", r.Texts.Ratio, 12, true)
		goal("vectors of texts, recall@10", r.Texts.Recall, 0.99, true)
	}
}
