package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// What the tenant has whose bundles are measured, besides what is asked for.
const (
	tenant     = "bench"
	agents     = 17
	perSession = 20  // events of a session
	pins       = 20  // identities, constraints and goals
	feedbacks  = 500 // half of them cite memories, half events
	writers    = 512 // of memories, so that they share fsyncs
)

// fileOf names a file.
func fileOf(i int) string {
	return fmt.Sprintf("services/billing%02d/part%d/file%05d.go", i%50, i%7, i)
}

// buildTenant builds a directory with one tenant.
func buildTenant(ctx context.Context, dir string, o *ContextOptions) (*Building, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fault.Newf(fault.InvalidArgument, "%s is not empty", dir).WithFix("name a directory that is not there, or reuse it")
	}
	b, err := engine.Open(ctx, dir, engine.Options{})
	if err != nil {
		return nil, err
	}
	out, err := fillTenant(ctx, b, o)
	if err != nil {
		_ = b.Close() // the first error counts
		return nil, err
	}
	return out, b.Close()
}

func fillTenant(ctx context.Context, b *engine.Board, o *ContextOptions) (*Building, error) {
	began := time.Now()
	out := &Building{}
	peak := watchMemory()
	user := engine.Writer{Actor: "bench", Trust: record.User}
	events := o.Things / 2
	err := streamEvents(ctx, b, user, events, o)
	if err == nil {
		out.EventsPerSecond = float64(events) / time.Since(began).Seconds()
		start := time.Now()
		err = putAll(ctx, o.Things-events, func(done int) { o.Progress("writing memories", done, o.Things-events) }, func(i int) error {
			_, err := b.Put(ctx, user, tenant, memoryOf(i, o.Frames), engine.Expect{})
			return err
		})
		out.MemoriesPerSecond = float64(o.Things-events) / time.Since(start).Seconds()
	}
	if err == nil {
		err = putAll(ctx, pins, nil, func(i int) error {
			_, err := b.Put(ctx, user, tenant, pinOf(i), engine.Expect{})
			return err
		})
	}
	if err == nil {
		err = putAll(ctx, min(feedbacks, events), nil, func(i int) error {
			_, err := b.Put(ctx, user, tenant, feedbackOf(i, events, o.Things-events), engine.Expect{})
			return err
		})
	}
	out.PeakBytes = peak()
	out.Seconds = time.Since(began).Seconds()
	return out, err
}

// putAll calls put for every number below n, many at a time.
func putAll(ctx context.Context, n int, tell func(done int), put func(i int) error) error {
	var next, done atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for w := range min(writers, n) {
		wg.Go(func() {
			for failed.Load() == nil && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := put(i); err != nil {
					failed.CompareAndSwap(nil, &err)
					return
				}
				if made := int(done.Add(1)); w == 0 && tell != nil {
					tell(made)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// streamEvents takes events in as if from a file.
func streamEvents(ctx context.Context, b *engine.Board, w engine.Writer, n int, o *ContextOptions) error {
	src, dst := io.Pipe()
	go func() {
		out := bufio.NewWriterSize(dst, 1<<18)
		chance := rand.New(rand.NewPCG(4, 0))
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for i := range n {
			if _, err := out.WriteString(eventLine(chance, i, o.Frames, start)); err != nil {
				return // the reader went away
			}
		}
		_ = dst.CloseWithError(out.Flush())
	}()
	rep, err := b.Ingest(ctx, src, engine.IngestOptions{Writer: w, Progress: func(r engine.IngestReport) { o.Progress("recording events", r.Accepted, n) }})
	_ = src.Close() // ends the writer, if it has not ended
	if err == nil && rep.Accepted != n {
		err = fault.Newf(fault.Internal, "%d of %d events were accepted", rep.Accepted, n)
	}
	return err
}

// eventID names an event.
func eventID(i int) string { return fmt.Sprintf("evt-%012d", i) }

// eventLine is an event of a session of an agent that edits files and runs
// tests.
func eventLine(chance *rand.Rand, i, frames int, start time.Time) string {
	file := fileOf(chance.IntN(frames))
	name, content := "file_edit", ""
	switch i % 5 {
	case 0, 1, 2:
		content = fmt.Sprintf(`{"path":"%s","operation":"modify","lines_added":%d,"lines_removed":%d}`, file, chance.IntN(80), chance.IntN(30))
	case 3:
		name = "test_run"
		content = fmt.Sprintf(`{"framework":"go","command":"go test ./services/billing%02d/...","passed":%d,"failed":%d,"output":"--- TestRefundRounding/%d"}`, chance.IntN(50), chance.IntN(90), chance.IntN(2), i)
	case 4:
		name = "tool_call"
		content = fmt.Sprintf(`{"tool_name":"edit_file","arguments":{"path":"%s","old":"return amount","new":"return amount.Round(2) // %d"}}`, file, i)
	}
	return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":"%s","event_type":"%s","agent_id":"agent-%d","tenant_id":"%s","session_id":"session-%07d","timestamp":"%s","sequence":%d,"content":%s,"metadata":{"project":"billing"}}`+"\n",
		eventID(i), name, i/perSession%agents, tenant, i/perSession, hmx.TimeOf(start.Add(time.Duration(i)*20*time.Second)), i%perSession, content)
}

// memoryID names a memory.
func memoryID(i int) string { return fmt.Sprintf("mem-%012d", i) }

// memoryOf is something that was learned about a file.
func memoryOf(i, frames int) *memory.Memory {
	chance := rand.New(rand.NewPCG(5, uint64(i)))
	m := &memory.Memory{
		ID: memoryID(i), Type: memory.TypeFact,
		Frames:     []memory.Frame{{Verb: memory.VerbModify, Kind: memory.ObjFile, Ref: fileOf(chance.IntN(frames))}},
		Tags:       []string{"billing", fmt.Sprint("team-", chance.IntN(9))},
		Importance: hmx.Some(float64(chance.IntN(1000)) / 1000),
		Text: fmt.Sprintf("Rule %d of this file: half a cent is rounded away from zero, whatever the currency. The tests in package billing%02d that say so stay as they are; ask %s before the table of currencies changes.",
			i, chance.IntN(50), []string{"Ada", "Grace", "Edsger", "Barbara"}[chance.IntN(4)]),
	}
	switch i % 8 {
	case 0:
		m.Type = memory.TypePattern
	case 1:
		m.Type = memory.TypeBelief
	case 2, 3:
		m.Type = memory.TypeEvent
		m.Data = &memory.Event{Verb: memory.VerbModify, Outcome: []memory.Outcome{memory.OutcomeSuccess, memory.OutcomeFailure}[chance.IntN(2)]}
	}
	return m
}

// pinOf is something that every agent is told.
func pinOf(i int) *memory.Memory {
	m := &memory.Memory{ID: fmt.Sprintf("pin-%d", i), Text: fmt.Sprintf("Number %d of what everybody here is told: refunds are booked twice, once for each side, and never by hand.", i)}
	switch i % 3 {
	case 0:
		m.Type = memory.TypeIdentity
	case 1:
		m.Type, m.Data = memory.TypeConstraint, &memory.Constraint{Strength: memory.StrengthHard}
	case 2:
		m.Type = memory.TypeGoal
	}
	return m
}

// feedbackOf is what somebody said about what was drawn on.
func feedbackOf(i, events, memories int) *memory.Feedback {
	chance := rand.New(rand.NewPCG(6, uint64(i)))
	f := &memory.Feedback{
		ID: fmt.Sprintf("fb-%d", i), AgentID: fmt.Sprint("agent-", i%agents),
		Outcome: []memory.Outcome{memory.OutcomeSuccess, memory.OutcomePartial, memory.OutcomeFailure}[chance.IntN(3)],
	}
	for range 1 + chance.IntN(4) {
		u := memory.URI{Tenant: tenant, Kind: record.Memory, ID: memoryID(chance.IntN(max(memories, 1)))}
		if i%2 == 1 {
			u = memory.URI{Tenant: tenant, Kind: record.Event, ID: eventID(chance.IntN(events))}
		}
		f.Cited = append(f.Cited, u)
	}
	return f
}
