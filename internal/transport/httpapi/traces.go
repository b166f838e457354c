package httpapi

import (
	"context"
	"net/http"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/recorder"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/traces"
	"lukasa.dev/internal/operation"
)

// tracesPath is where exporters of OpenTelemetry send spans if their endpoint is /v1/otlp.
const tracesPath = "/v1/otlp/v1/traces"

// mediaProtobuf is the type of OTLP in its binary form.
const mediaProtobuf = "application/x-protobuf"

// Approximate memory of a request besides itself: per byte, per value, and per event that is
// made from it, without the event's text.
const (
	memoryOfByte  = 2
	memoryOfValue = 256
	memoryOfEvent = 1 << 10
)

// mostSpanEvents limits the events that one request may become.
const mostSpanEvents = 50_000

// takeTraces records the generative AI spans of an OTLP/HTTP request. The answer, even a
// refusal, is in the encoding of the request.
func (c *call) takeTraces(op *operation.Operation) {
	how, media, err := c.traceEncoding()
	if err == nil {
		var spans *spanGate
		if spans, err = c.recordTraces(op, how); err == nil {
			c.w.Header().Set("Content-Type", media)
			c.w.Header().Set("Cache-Control", "no-store")
			body := exportAnswer(how, len(spans.bad), spans.words)
			c.answerTime(len(body))
			c.send(http.StatusOK, body)
			return
		}
	}
	p := newProblem(err, c.id)
	p.Status = traceStatus(p.Status)
	if p.Code == fault.OverQuota {
		p.Status = http.StatusBadRequest // a retry fails until the limit is raised
	}
	if p.Status == http.StatusServiceUnavailable && p.Retry == nil {
		seconds := int(drainWait / time.Second)
		p.Retry = &seconds
	}
	c.refuse(p, err, media, statusAnswer(how, p))
}

// traceEncoding returns the encoding of the request, and the type of the answer. A request of
// neither type is answered in JSON.
func (c *call) traceEncoding() (traces.Encoding, string, error) {
	media, err := c.media()
	switch {
	case err != nil:
		return traces.JSON, mediaJSON, err
	case media == mediaProtobuf:
		return traces.Protobuf, mediaProtobuf, nil
	case media == mediaJSON:
		return traces.JSON, mediaJSON, nil
	}
	return traces.JSON, mediaJSON, fault.Newf(fault.WrongMedia, "Content-Type: %.80q is not read here", media).
		WithFix("send application/x-protobuf or application/json, as OTLP/HTTP specifies")
}

// traceStatus returns the status that tells an exporter what to do: 400 not to retry, 503 to
// retry.
func traceStatus(status int) int {
	switch status {
	case http.StatusUnprocessableEntity:
		return http.StatusBadRequest
	case http.StatusInsufficientStorage, http.StatusRequestTimeout:
		return http.StatusServiceUnavailable
	}
	return status
}

// recordTraces records the spans of a request, and returns when they are on the disk. If it
// fails, the client may send the same again: recorded events are recognised by their ids.
func (c *call) recordTraces(op *operation.Operation, how traces.Encoding) (*spanGate, error) {
	if err := c.inside(); err != nil {
		return nil, err
	}
	if err := operation.Allow(op, c.who); err != nil {
		return nil, err
	}
	if _, err := c.query(op); err != nil {
		return nil, err
	}
	body, err := c.body()
	if err != nil {
		return nil, err
	}
	if err := c.take(c.s.calls); err != nil {
		return nil, err
	}
	if err := c.hold(memoryOfByte*int64(len(body)) + memoryOfValue*int64(traces.Values(body, how))); err != nil {
		return nil, err
	}
	spans := &spanGate{hold: c.hold}
	o := source.Options{Tenant: c.who.Tenant, Agent: c.who.Agent, Own: c.s.o.Board.Handout()}
	if err := traces.Read(c.r.Context(), body, how, c.start.UTC().Truncate(time.Second), o, spans); err != nil {
		return nil, err
	}
	return spans, c.recordSpans(spans)
}

// recordSpans records the events made from spans that the caller may write.
func (c *call) recordSpans(spans *spanGate) error {
	good, size := spans.items[:0], int64(0)
	for _, it := range spans.items {
		if err := c.who.Admit(it.Event); err != nil {
			spans.refuse(it.Line, err.Error())
			continue
		}
		good = append(good, it)
		size += int64(it.Event.Size())
	}
	if len(good) == 0 {
		return nil
	}
	if q := c.s.o.Quotas; q != nil {
		if err := q.Events(c.who.Tenant, len(good), size); err != nil {
			return err
		}
	}
	// A client that disconnects now cannot know whether they are recorded. Record them.
	ctx := context.WithoutCancel(c.r.Context())
	rec := recorder.New(c.s.o.Board, recorder.Options{
		Tenant: c.who.Tenant, Events: c.who.Writer(), Things: c.who.Writer(),
		Leave: func(l source.Left) {
			if l.Reason.Problem() {
				spans.refuse(l.Line, l.Detail)
			}
		},
	})
	defer func(sent int) {
		n := rec.Counts()
		c.s.ingested(BySpans, Taken{n.Events, n.Duplicates, sent - n.Events - n.Duplicates, size})
	}(len(spans.items))
	for _, it := range good {
		if err := rec.Take(ctx, it); err != nil {
			return err
		}
	}
	return rec.Flush(ctx)
}

// spanGate collects the items made from the spans of a request, each with the number of its
// span in place of a line.
type spanGate struct {
	hold  func(bytes int64) error // memory for an event
	items []source.Item
	span  int          // the current one, from 1
	bad   map[int]bool // spans of which something could not be recorded
	words string       // about the first of them
}

// Span implements traces.Sink.
func (g *spanGate) Span() { g.span++ }

// Take implements source.Sink.
func (g *spanGate) Take(_ context.Context, it source.Item) error {
	if len(g.items) == mostSpanEvents {
		return fault.Newf(fault.TooLarge, "the spans have more than %d messages and calls", mostSpanEvents).WithFix("export fewer spans at once")
	}
	if err := g.hold(memoryOfEvent + int64(it.Event.Size())); err != nil {
		return err
	}
	it.Line = g.span
	g.items = append(g.items, it)
	return nil
}

// Leave implements source.Sink. Spans that are not about generative AI, or are empty, are
// skipped silently: an exporter would log a message with every batch.
func (g *spanGate) Leave(l source.Left) {
	if l.Reason.Problem() {
		g.refuse(g.span, l.Detail)
	}
}

// refuse counts a span, and keeps the message about the first one.
func (g *spanGate) refuse(span int, why string) {
	if g.words == "" {
		g.words = why
	}
	if g.bad == nil {
		g.bad = map[int]bool{}
	}
	g.bad[span] = true
}
