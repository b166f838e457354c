package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// reconnect is how long a reader of a stream waits before it reconnects.
const reconnect = time.Second

// tail streams new events as they are recorded. It buffers only a few of them, however slow the
// reader is; its state is a position.
func (c *call) tail(op *operation.Operation) {
	if err := c.mayStream(op); err != nil {
		c.fail(err)
		return
	}
	q, err := c.tailQuery()
	if err != nil {
		c.fail(err)
		return
	}
	t := c.handle()
	grew, stop := t.Watch()
	defer stop()
	if q.From, err = c.tailFrom(t, q.From); err != nil {
		c.fail(err)
		return
	}
	h := c.w.Header()
	h.Set("Content-Type", wire.ContentType)
	h.Set("Cache-Control", "no-store")
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return
	}
	c.follow(t, q, grew)
}

// handle returns the tenant of the call, with the caller as its writer.
func (c *call) handle() *lukasa.Tenant {
	return (&operation.Call{Board: c.s.o.Board, Who: c.who}).Tenant()
}

// newest stands for the end of the log.
const newest = 1<<64 - 1

// tailQuery parses the query.
func (c *call) tailQuery() (q lukasa.TailQuery, err error) {
	q.From = newest
	values := c.r.URL.Query() // it was validated before
	q.Session, q.Agent, q.Type = values.Get("session"), values.Get("agent"), hmx.EventType(values.Get("type"))
	if from := values.Get("from"); from != "" {
		if q.From, err = position("from", from); err != nil {
			return q, err
		}
	}
	if last := c.r.Header.Get("Last-Event-ID"); last != "" {
		if q.From, err = position("Last-Event-ID", last); err != nil {
			return q, err
		}
		q.From++
	}
	return q, nil
}

// position parses the position of a record.
func position(name, text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, fault.Newf(fault.InvalidArgument, "%s: %.40q is no position", name, text).WithFix("send the id of the last event that you received, or leave it out for new events only")
	}
	return n, nil
}

// tailFrom returns where to begin: at the end of the log, unless the request names an earlier
// position.
func (c *call) tailFrom(t *lukasa.Tenant, from uint64) (uint64, error) {
	root, err := t.Root(c.r.Context())
	return min(from, root.Size), err
}

// follow sends existing and new events until the reader disconnects or the stream must end.
func (c *call) follow(t *lukasa.Tenant, q lukasa.TailQuery, grew <-chan struct{}) {
	gone, stop := c.s.keys.Watch(c.who)
	defer stop()
	beat := time.NewTicker(c.s.limits.Heartbeat)
	defer beat.Stop()
	ctx := c.r.Context()
	buf := wire.AppendRetry(nil, reconnect)
	for {
		if !c.push(buf) {
			return
		}
		if buf = buf[:0]; cap(buf) > keptBody {
			buf = nil // do not keep the buffer of one large event
		}
		select {
		case <-gone:
			c.push(appendEnd(buf, newProblem(errRevoked(), c.id)))
			return
		case <-c.s.leave:
			c.push(appendEnd(buf, newProblem(errDraining(), c.id)))
			return
		case <-ctx.Done():
			return
		default:
		}
		part, err := t.Tail(ctx, q)
		if err != nil {
			if c.cause = err; !left(c.r, err) {
				c.push(appendEnd(buf, newProblem(err, c.id)))
			}
			return
		}
		q.From = part.Next
		for _, ev := range part.Events {
			if buf, err = appendEvent(buf, ev); err != nil {
				c.cause = err
				return
			}
		}
		if len(part.Events) > 0 || part.Next < part.Size {
			continue
		}
		select {
		case <-grew:
		case <-beat.C:
			buf = appendBeat(buf, q.From)
		case <-gone:
		case <-c.s.leave:
		case <-ctx.Done():
		}
	}
}

// push sends a piece of a stream, and reports whether the reader is still there.
func (c *call) push(buf []byte) bool {
	if len(buf) == 0 {
		return true
	}
	c.answerTime(len(buf))
	if _, err := c.w.Write(buf); err != nil {
		return false
	}
	return c.w.FlushError() == nil
}

// appendEvent appends an event as a block whose id is its position.
func appendEvent(buf []byte, ev *lukasa.StoredEvent) ([]byte, error) {
	return wire.AppendEvent(buf, strconv.FormatUint(ev.Position, 10), ev.Event)
}

// appendBeat appends a heartbeat with the position: a reader that reconnects is not sent what
// was skipped.
func appendBeat(buf []byte, next uint64) []byte {
	id := ""
	if next > 0 {
		id = strconv.FormatUint(next-1, 10)
	}
	return wire.AppendKeepAlive(buf, id)
}

// appendEnd says why the stream ends.
func appendEnd(buf []byte, p *problem) []byte { return wire.AppendBlock(buf, "end", p.append(nil)) }
