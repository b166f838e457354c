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

// Parameters of the tenant whose bundles are measured.
const (
	tenant     = "bench"
	agents     = 17
	perSession = 20       // events per session
	pins       = 20       // identities, constraints and goals
	feedbacks  = 500      // half of them cite memories, half events
	writers    = 512      // concurrent writers of memories, so that they share fsyncs
	hidden     = "team-8" // a tag that the scope of some callers hides
	// format is the version of the way tenants are built. It changes with their content, since
	// figures of different tenants cannot be compared.
	format = 2
)

// made records how a tenant was built. It is written last.
func made(o *ContextOptions) *memory.Memory {
	return &memory.Memory{
		ID: "made", Type: memory.TypeFact,
		Text: fmt.Sprintf("A tenant of format %d with %d memories and events about %d files.", format, o.Things, o.Frames),
	}
}

// checkMade refuses a tenant that was built differently.
func checkMade(ctx context.Context, b *engine.Board, o *ContextOptions) error {
	want := made(o)
	got, err := b.Get(ctx, engine.Ref{Tenant: tenant, Kind: record.Memory, ID: want.ID}, engine.View{})
	if fault.CodeOf(err) == fault.NotFound {
		return fault.Newf(fault.InvalidArgument, "%s has no tenant that was built to its end, or it was built by an earlier version", b.Dir()).
			WithFix("build another")
	}
	if err != nil {
		return err
	}
	if m, ok := got.Body.(*memory.Memory); !ok || m.Text != want.Text {
		says := "something else"
		if ok {
			says = m.Text
		}
		return fault.Newf(fault.InvalidArgument, "%s is not what is to be measured: it says %q, and not %q", b.Dir(), says, want.Text).
			WithFix("say with how many it was built, or build another")
	}
	return nil
}

// fileOf names a file.
func fileOf(i int) string {
	return fmt.Sprintf("services/%s/part%d/file%05d.go", projectOf(i), i%7, i)
}

// projectOf names the project of a file. Files with odd and with even numbers have as many
// projects.
func projectOf(i int) string { return fmt.Sprintf("billing%02d", i%50) }

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
	memories := o.Things - events
	// The first half of the sessions is about every other file, long ago; the second about the
	// rest, after all memories are written.
	older := events / 2 / perSession * perSession
	long := time.Now().Add(-time.Duration(older+1) * 20 * time.Second)
	err := streamEvents(ctx, b, user, o, span{0, older, events, long, 20 * time.Second, 0})
	streamed := time.Since(began)
	if err == nil {
		start := time.Now()
		err = putAll(ctx, memories, func(done int) { o.Progress("writing memories", done, memories) }, func(i int) error {
			_, err := b.Put(ctx, user, tenant, memoryOf(i, o.Frames), engine.Expect{})
			return err
		})
		out.MemoriesPerSecond = float64(memories) / time.Since(start).Seconds()
	}
	if err == nil {
		start := time.Now()
		err = streamEvents(ctx, b, user, o, span{older, events, events, start, time.Microsecond, 1})
		streamed += time.Since(start)
		out.EventsPerSecond = float64(events) / streamed.Seconds()
	}
	for _, rest := range []struct {
		n    int
		body func(i int) memory.Body
	}{
		{pins, func(i int) memory.Body { return pinOf(i) }},
		{min(feedbacks, events), func(i int) memory.Body { return feedbackOf(i, events, memories) }},
		{1, func(int) memory.Body { return made(o) }},
	} {
		if err == nil {
			err = putAll(ctx, rest.n, nil, func(i int) error {
				_, err := b.Put(ctx, user, tenant, rest.body(i), engine.Expect{})
				return err
			})
		}
	}
	out.PeakBytes = peak()
	out.Seconds = time.Since(began).Seconds()
	return out, err
}

// putAll calls put for every number below n, concurrently.
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

// span is a range of consecutive events.
type span struct {
	from, to, of int // their numbers, and the number of all events
	start        time.Time
	step         time.Duration
	odd          int // 1 if they are about files with odd numbers, else 0
}

// streamEvents ingests events as if from a file.
func streamEvents(ctx context.Context, b *engine.Board, w engine.Writer, o *ContextOptions, s span) error {
	if s.from == s.to {
		return nil
	}
	src, dst := io.Pipe()
	go func() {
		out := bufio.NewWriterSize(dst, 1<<18)
		for i := s.from; i < s.to; i++ {
			if _, err := out.WriteString(s.line(i, o.Frames)); err != nil {
				return // the reader has stopped
			}
		}
		_ = dst.CloseWithError(out.Flush())
	}()
	rep, err := b.Ingest(ctx, src, engine.IngestOptions{Writer: w, Progress: func(r engine.IngestReport) { o.Progress("recording events", s.from+r.Accepted, s.of) }})
	_ = src.Close() // ends the writer, if it has not ended
	if err == nil && rep.Accepted != s.to-s.from {
		err = fault.Newf(fault.Internal, "%d of %d events were accepted", rep.Accepted, s.to-s.from)
	}
	return err
}

// eventID names an event.
func eventID(i int) string { return fmt.Sprintf("evt-%012d", i) }

// line is an event in a session of an agent that edits files, has tools edit them, and runs
// tests.
func (s *span) line(i, frames int) string {
	chance := rand.New(rand.NewPCG(4, uint64(i/5)))
	file := func() int { return min(2*chance.IntN((frames+1)/2)+s.odd, frames-1) }
	first, second, third := file(), file(), file()
	if i/5%4 == 0 {
		third = first // sometimes a tool continues with the edited file
	}
	chance = rand.New(rand.NewPCG(7, uint64(i)))
	about := [...]int{first, second, third, third, first}[i%5]
	name, content := "file_edit", ""
	switch i % 5 {
	case 0, 1:
		content = fmt.Sprintf(`{"path":"%s","operation":"modify","lines_added":%d,"lines_removed":%d}`, fileOf(about), chance.IntN(80), chance.IntN(30))
	case 2:
		name = "tool_call"
		content = fmt.Sprintf(`{"tool_name":"edit_file","call_id":"call-%d","arguments":{"path":"%s","old":"return amount","new":"return amount.Round(2) // %d"}}`, i, fileOf(about), i)
	case 3:
		name = "tool_result"
		content = fmt.Sprintf(`{"tool_name":"edit_file","call_id":"call-%d","success":%t,"duration_ms":%d,"result":{"line":%d}}`, i-1, chance.IntN(10) > 0, chance.IntN(300), chance.IntN(900))
	case 4:
		name = "test_run"
		content = fmt.Sprintf(`{"framework":"go","command":"go test ./services/%s/...","passed":%d,"failed":%d,"output":"--- TestRefundRounding/%d"}`, projectOf(about), chance.IntN(90), chance.IntN(2), i)
	}
	at := s.start.Add(time.Duration(i-s.from) * s.step)
	return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":"%s","event_type":"%s","agent_id":"agent-%d","tenant_id":"%s","session_id":"session-%07d","timestamp":"%s","sequence":%d,"content":%s,"metadata":{"project":"%s"}}`+"\n",
		eventID(i), name, i/perSession%agents, tenant, i/perSession, hmx.TimeOf(at), i%perSession, content, projectOf(about))
}

// memoryID names a memory.
func memoryID(i int) string { return fmt.Sprintf("mem-%012d", i) }

// memoryOf is a memory about a file.
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

// pinOf is a memory for every agent.
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

// feedbackOf is feedback about used records.
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
