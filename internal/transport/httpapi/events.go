package httpapi

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"unicode/utf8"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// eventsPath is the path for events.
const eventsPath = "/v1/events"

// maxRejected limits the rejected events that an answer lists.
const maxRejected = 1000

// takeEvents records events: one, an array, or lines.
func (c *call) takeEvents(op *operation.Operation) {
	if err := c.inside(); err != nil {
		c.fail(err)
		return
	}
	if err := operation.Allow(op, c.who); err != nil {
		c.fail(err)
		return
	}
	if _, err := c.query(op); err != nil {
		c.fail(err)
		return
	}
	media, err := c.media()
	if err != nil {
		c.fail(err)
		return
	}
	switch media {
	case mediaNDJSON, "application/ndjson", "application/jsonl":
		c.takeLines()
	case mediaJSON, "":
		c.takeDocument()
	default:
		c.fail(fault.Newf(fault.WrongMedia, "Content-Type: %.80q is not read here", media).
			WithFix("send application/json for one event or an array of them, application/x-ndjson for lines"))
	}
}

// takeDocument records one event, or an array of them.
func (c *call) takeDocument() {
	body, err := c.body()
	if err != nil {
		c.fail(err)
		return
	}
	if err := c.take(c.s.calls); err != nil {
		c.fail(err)
		return
	}
	text := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(text) == 0:
		c.fail(fault.New(fault.InvalidDocument, "body: there is none").WithFix("send an event, an array of events, or lines of events as application/x-ndjson"))
	case text[0] == '[':
		c.takeArray(text)
	default:
		c.takeOne(body)
	}
}

// takeOne records one event. If the event is refused, the call fails.
func (c *call) takeOne(body []byte) {
	became := lukasa.Refused
	defer func(bytes int) { c.s.ingested(ByDocument, TakenOne(became, bytes)) }(len(body))
	ev, warnings, err := hmx.DecodeEvent(body)
	if err != nil {
		c.refuseOne(fault.Wrap(fault.InvalidDocument, err))
		return
	}
	if err := c.who.Admit(ev); err != nil {
		c.refuseOne(err)
		return
	}
	if q := c.s.o.Quotas; q != nil {
		if err := q.Events(ev.TenantID, 1, int64(len(body))); err != nil {
			c.refuseOne(err)
			return
		}
	}
	// A client that disconnects now cannot know whether the event is recorded. Record it.
	ctx := context.WithoutCancel(c.r.Context())
	res, err := c.s.o.Board.Append(ctx, c.who.Writer(), ev)
	if err != nil {
		c.fail(err)
		return
	}
	if refused := res.Receipts[0].Fault; refused != nil {
		c.refuseOne(refused)
		return
	}
	became = res.Receipts[0].Disposition
	root, err := c.s.o.Board.Tenant(ev.TenantID, lukasa.Writer{}).Root(ctx)
	if err != nil {
		c.fail(err)
		return
	}
	in := answer.Intake{Accepted: res.Accepted, Duplicates: res.Duplicates, Late: res.Late, Warnings: len(warnings), Scrubbed: res.Scrubbed, Own: res.Own}
	in.Into(root)
	c.reuse(body) // the event has its own copy
	out := append(appendIntake(append(make([]byte, 0, 512), '{'), &in), '}', '\n')
	c.w.Header().Set("Content-Type", mediaJSON)
	c.answerTime(len(out))
	c.send(http.StatusOK, out)
}

// refuseOne answers for the only event of a call.
func (c *call) refuseOne(err error) {
	p := newProblem(err, c.id)
	p.report = &answer.Intake{Rejected: []answer.Rejected{{Code: p.Code, Detail: p.Detail}}}
	c.failWith(p, err)
}

// takeArray records the events of an array.
func (c *call) takeArray(text []byte) {
	lines, err := splitArray(text)
	if err != nil {
		c.fail(err)
		return
	}
	in, err := c.ingest(c.r.Context(), ByDocument, bytes.NewReader(lines), &intakeLog{})
	c.answerIntake(in, err)
}

// intakeLog receives the progress of a stream of events. Its functions may be nil.
type intakeLog struct {
	reject   func(answer.Rejected)
	progress func(lukasa.IngestReport)
}

// ingest records lines of events that the caller may write.
func (c *call) ingest(ctx context.Context, by Way, src io.Reader, tell *intakeLog) (*answer.Intake, error) {
	in := answer.NewIntake()
	var told lukasa.IngestReport
	count := func(r lukasa.IngestReport) {
		c.s.ingested(by, Taken{r.Accepted - told.Accepted, r.Duplicates - told.Duplicates, r.Rejected - told.Rejected, r.Bytes - told.Bytes})
		told = r
	}
	report, err := c.s.o.Board.Ingest(ctx, src, lukasa.IngestOptions{
		Writer: c.who.Writer(),
		Admit:  func(ev *lukasa.Event) error { return c.admit(ctx, ev) },
		Progress: func(r lukasa.IngestReport) {
			count(r)
			if tell.progress != nil {
				tell.progress(r)
			}
		},
		Reject: func(r lukasa.Rejection) {
			bad := answer.Rejected{Index: r.Index, Line: r.Line, Code: r.Fault.Code, Detail: r.Fault.Error()}
			if tell.reject != nil {
				tell.reject(bad)
			} else if len(in.Rejected) < maxRejected {
				in.Rejected = append(in.Rejected, bad)
				return
			}
			in.Omitted++
		},
	})
	in.Accepted, in.Duplicates, in.Late, in.Warnings = report.Accepted, report.Duplicates, report.Late, report.Warnings
	in.Scrubbed, in.Own = report.Scrubbed, report.Own
	count(report)
	roots := report.Tenants
	if len(roots) == 0 && c.who.Tenant != "" {
		if root, err := c.s.o.Board.Tenant(c.who.Tenant, lukasa.Writer{}).Root(context.WithoutCancel(ctx)); err == nil {
			roots = append(roots, root)
		}
	}
	in.Into(roots...)
	return in, err
}

// admit admits an event of a stream. If it exceeds the rate of its tenant, it waits, and the
// stream with it.
func (c *call) admit(ctx context.Context, ev *lukasa.Event) error {
	if err := c.who.Admit(ev); err != nil {
		return err
	}
	if c.s.o.Quotas == nil {
		return nil
	}
	return waitTurn(ctx, func() error { return c.s.o.Quotas.Events(ev.TenantID, 1, int64(ev.Size())) })
}

// answerIntake answers with the result for a batch of events.
func (c *call) answerIntake(in *answer.Intake, err error) {
	if err != nil {
		err = ended(err)
		p := newProblem(err, c.id)
		p.report = in
		c.failWith(p, err)
		return
	}
	out := append(appendIntake([]byte{'{'}, in), '}', '\n')
	c.w.Header().Set("Content-Type", mediaJSON)
	c.w.Header().Set("Cache-Control", "no-store")
	c.whole(http.StatusOK, out)
}

// appendIntake appends the members of an answer about events, as encoding/json would.
func appendIntake(buf []byte, in *answer.Intake) []byte {
	number := func(name string, n int) {
		buf = strconv.AppendInt(append(append(append(buf, '"'), name...), `":`...), int64(n), 10)
		buf = append(buf, ',')
	}
	number("accepted", in.Accepted)
	number("duplicates", in.Duplicates)
	number("late", in.Late)
	buf = append(buf, `"rejected":[`...)
	for i := range in.Rejected {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendRejected(buf, &in.Rejected[i])
	}
	buf = append(buf, `],`...)
	number("omitted", in.Omitted)
	number("warnings", in.Warnings)
	if in.Scrubbed > 0 {
		number("scrubbed", in.Scrubbed)
	}
	if in.Own > 0 {
		number("own", in.Own)
	}
	if in.Position != nil {
		buf = append(strconv.AppendUint(append(buf, `"position":`...), *in.Position, 10), ',')
	}
	if in.Root != "" {
		buf = append(append(append(buf, `"root":"`...), in.Root...), `",`...)
	}
	buf = append(buf, `"tenants":[`...)
	for i := range in.Tenants {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendState(buf, &in.Tenants[i])
	}
	return append(buf, ']')
}

// appendState appends the state of a tenant.
func appendState(buf []byte, s *answer.State) []byte {
	buf = appendString(append(buf, `{"tenant":`...), s.Tenant)
	buf = strconv.AppendUint(append(buf, `,"size":`...), s.Size, 10)
	buf = append(append(append(buf, `,"root":"`...), s.Root...), '"')
	if s.Time != "" {
		buf = append(append(append(buf, `,"time":"`...), s.Time...), '"')
	}
	return append(buf, '}')
}

// appendRejected appends an event that was not recorded.
func appendRejected(buf []byte, r *answer.Rejected) []byte {
	buf = strconv.AppendInt(append(buf, `{"index":`...), int64(r.Index), 10)
	if r.Line != 0 {
		buf = strconv.AppendInt(append(buf, `,"line":`...), int64(r.Line), 10)
	}
	buf = appendString(append(buf, `,"code":`...), string(r.Code))
	buf = appendString(append(buf, `,"detail":`...), r.Detail)
	return append(buf, '}')
}

// appendString appends a text as JSON, with invalid UTF-8 replaced.
func appendString(buf []byte, s string) []byte {
	buf = append(buf, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			buf = append(buf, '\\', byte(r))
		case r == '\n':
			buf = append(buf, `\n`...)
		case r < 0x20 || r == '\u2028' || r == '\u2029':
			buf = append(buf, `\u`...)
			buf = append(buf, hex.EncodeToString([]byte{byte(r >> 8), byte(r)})...)
		default:
			buf = utf8.AppendRune(buf, r)
		}
	}
	return append(buf, '"')
}
