// Package stream records a stream of events, one per line: it decodes, prepares and writes three
// parts of the stream at the same time, in bounded memory.
//
// What is guaranteed: a bad line does not affect others; the events of each session within a
// part are put in order; what the report counts is durable, also if the stream fails; sending
// the whole stream again is harmless.
//
// What is not: events of a session that are further apart in the stream than one part are
// recorded in the order of arrival, and counted as late.
package stream

import (
	"context"
	"errors"
	"io"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
)

// ingestBytes limits a part by its bytes, if its lines are long.
const ingestBytes = 4 << 20

// Rejection is a line of a stream that was not recorded.
type Rejection struct {
	Line  int // of the stream, from 1
	Index int // among the non-empty lines, from 0
	Fault *fault.Error
}

// IngestReport is the result for a stream of events.
type IngestReport struct {
	Lines      int // non-empty ones
	Accepted   int // late ones included
	Duplicates int
	Late       int
	Rejected   int
	Own        int // handed-out text, which is not recorded
	Scrubbed   int // secrets that were scrubbed from accepted events
	Bytes      int64
	Warnings   int
	// Tenants are the roots of the tenants that were written, in the order of their first
	// writes.
	Tenants []board.Root
}

// IngestOptions says how a stream is read.
type IngestOptions struct {
	Writer board.Writer
	// Admit refuses events that the sender may not write, each as a line of its own. One
	// goroutine calls it in the order of the lines, before anything is recorded, and the stream
	// is not read on while it runs. Nil admits all.
	Admit func(*hmx.Event) error
	// Reject is called with every line that is not recorded, in order, by one goroutine at a
	// time.
	Reject func(Rejection)
	// Progress is called now and then with the report so far.
	Progress func(IngestReport)
}

// Ingest records a stream of events, one per line. A bad line does not affect others. Events are
// acknowledged in groups; if Ingest returns an error, those of the report are still recorded,
// and sending the whole stream again is harmless.
func Ingest(ctx context.Context, core *board.Board, src io.Reader, o IngestOptions) (IngestReport, error) {
	w, err := core.EventWriter(ctx, o.Writer)
	if err != nil {
		return IngestReport{}, err
	}
	o.Writer = w
	in := &intake{core: core, o: o, report: IngestReport{}, tenants: make(map[string]bool)}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lots := make(chan *lot, 2)
	ready := make(chan *lot, 2)
	go func() {
		defer close(lots)
		in.decode(ctx, src, lots)
	}()
	go func() {
		defer close(ready)
		for l := range lots {
			// What a failing source sent before still counts.
			batch, err := core.PrepareEvents(o.Writer, l.events)
			l.batch, l.err = batch, fault.First(l.err, err)
			select {
			case ready <- l:
			case <-ctx.Done():
				return
			}
		}
	}()
	var failed error
	for l := range ready {
		if failed == nil {
			if failed = in.take(ctx, l); failed != nil {
				cancel(failed)
			}
		}
	}
	if failed == nil {
		failed = ctx.Err()
	}
	for _, name := range in.order {
		root, err := core.Root(context.WithoutCancel(ctx), name)
		if err != nil {
			return in.report, fault.First(failed, err)
		}
		in.report.Tenants = append(in.report.Tenants, root)
	}
	return in.report, failed
}

// linePlace is the place of a line in the stream.
type linePlace struct {
	line  int // from 1
	index int // among the non-empty ones of its lot, from 0
}

// lot is a part of the stream in progress.
type lot struct {
	events   []*hmx.Event
	places   []linePlace
	batch    *board.EventBatch
	rejected []Rejection // invalid lines
	warnings int
	bytes    int64
	read     int   // lines read, bad ones included
	held     int   // bytes of the events held
	err      error // of the source
}

// intake is one running ingest.
type intake struct {
	core    *board.Board
	o       IngestOptions
	report  IngestReport
	tenants map[string]bool
	order   []string
}

// decode cuts the stream into lots.
func (in *intake) decode(ctx context.Context, src io.Reader, out chan<- *lot) {
	var send func() bool
	l := &lot{}
	slow := &patient{src: src, done: ctx.Done(), why: ctx.Err, idle: func() {
		if l.read > 0 {
			send()
		}
	}}
	r := wire.NewReader(slow, wire.Options{})
	send = func() bool {
		l.bytes = r.Counts().Bytes
		l.inOrder()
		select {
		case out <- l:
			l = &lot{}
			return true
		case <-ctx.Done():
			return false
		}
	}
	for {
		line, err := r.Next()
		switch {
		case err == io.EOF:
			if l.read > 0 || l.err != nil {
				send()
			}
			return
		case err != nil:
			if bad, ok := errors.AsType[*wire.LineError](err); ok {
				l.read++
				l.rejected = append(l.rejected, Rejection{bad.Line, l.read - 1, fault.From(fault.Wrap(fault.InvalidDocument, bad.Err))})
				break
			}
			if ctx.Err() == nil {
				l.err = fault.Wrap(fault.UnreadableInput, err)
				send()
			}
			return
		default:
			l.read++
			l.held += len(line.Text)
			ev, warnings, err := hmx.DecodeEvent(line.Text)
			if err != nil {
				l.rejected = append(l.rejected, Rejection{line.Number, l.read - 1, fault.From(fault.Wrap(fault.InvalidDocument, err))})
				break
			}
			if in.o.Admit != nil {
				if err := in.o.Admit(ev); err != nil {
					l.rejected = append(l.rejected, Rejection{line.Number, l.read - 1, fault.From(err)})
					break
				}
			}
			l.warnings += len(warnings)
			l.events, l.places = append(l.events, ev), append(l.places, linePlace{line.Number, l.read - 1})
		}
		if (l.read >= board.IngestBatch || l.held >= ingestBytes) && !send() {
			return
		}
	}
}

// inOrder sorts the events of each session, within the slots that the session has in the lot.
func (l *lot) inOrder() {
	type session struct{ tenant, id string }
	places := make(map[session][]int, 16)
	last := make(map[session]*hmx.Event, 16)
	sorted := true
	for _, ev := range l.events {
		s := session{ev.TenantID, ev.SessionID}
		if before := last[s]; before != nil && hmx.CompareEvents(before, ev) > 0 {
			sorted = false
			break
		}
		last[s] = ev
	}
	if sorted {
		return
	}
	for i, ev := range l.events {
		s := session{ev.TenantID, ev.SessionID}
		places[s] = append(places[s], i)
	}
	events, lines := slices.Clone(l.events), slices.Clone(l.places)
	for _, at := range places {
		from := slices.Clone(at)
		slices.SortStableFunc(from, func(a, b int) int { return hmx.CompareEvents(events[a], events[b]) })
		for i, place := range at {
			l.events[place], l.places[place] = events[from[i]], lines[from[i]]
		}
	}
}

// take records a lot and counts the results.
func (in *intake) take(ctx context.Context, l *lot) error {
	r := &in.report
	if l.batch != nil && len(l.events) > 0 {
		res, err := in.core.AppendPrepared(ctx, l.batch)
		if l.err = fault.First(l.err, err); res == nil {
			return err
		}
		r.Accepted += res.Accepted
		r.Duplicates += res.Duplicates
		r.Late += res.Late
		r.Scrubbed += res.Scrubbed
		r.Own += res.Own
		for i, receipt := range res.Receipts {
			if receipt.Disposition == board.Refused {
				l.rejected = append(l.rejected, Rejection{l.places[i].line, l.places[i].index, receipt.Fault})
			} else if name := l.events[i].TenantID; receipt.Disposition != board.Own && !in.tenants[name] {
				in.tenants[name] = true
				in.order = append(in.order, name)
			}
		}
	}
	before := r.Lines
	r.Lines += l.read
	r.Bytes = l.bytes
	r.Warnings += l.warnings
	r.Rejected += len(l.rejected)
	if in.o.Reject != nil {
		slices.SortFunc(l.rejected, func(a, b Rejection) int { return a.Line - b.Line })
		for _, rej := range l.rejected {
			rej.Index += before
			in.o.Reject(rej)
		}
	}
	if in.o.Progress != nil {
		in.o.Progress(*r)
	}
	return l.err
}
