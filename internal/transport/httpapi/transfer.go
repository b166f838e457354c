package httpapi

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// transferBytes is the chunk size of an export.
const transferBytes = 64 << 10

// export sends all records of a tenant. If it fails, it cuts the connection: a complete export
// has an end mark.
func (c *call) export(op *operation.Operation) {
	if err := c.mayStream(op); err != nil {
		c.fail(err)
		return
	}
	if err := c.audit("tenant.export"); err != nil {
		c.fail(err)
		return
	}
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	defer c.s.onStop(cancel)()
	gone, stop := c.s.keys.Watch(c.who)
	defer stop()
	h := c.w.Header()
	h.Set("Content-Type", op.Media)
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "Accept-Encoding")
	if c.r.Method == http.MethodHead {
		c.w.WriteHeader(http.StatusOK)
		return
	}
	out := bufio.NewWriterSize(&timely{c, gone}, transferBytes)
	var dst io.Writer = out
	end := func() error { return nil }
	if answerCoding(c.r.Header) == gzipped {
		h.Set("Content-Encoding", gzipped.String())
		z := c.s.packers.gzip.Get().(*gzip.Writer)
		defer c.s.packers.gzip.Put(z)
		z.Reset(out)
		dst, end = z, z.Close
	}
	_, err := c.handle().Export(ctx, dst, nil)
	if err == nil {
		if err = end(); err == nil {
			err = out.Flush()
		}
	}
	if err != nil {
		h.Del("Content-Encoding")
		c.fail(ended(err))
	}
}

// audit journals that the caller exports or imports a tenant, before it is done.
func (c *call) audit(act string) error {
	return c.s.o.Keys.Audit(context.WithoutCancel(c.r.Context()), c.who, act, nil)
}

// mayStream checks everything that a stream needs.
func (c *call) mayStream(op *operation.Operation) error {
	if err := c.inside(); err != nil {
		return err
	}
	if err := operation.Allow(op, c.who); err != nil {
		return err
	}
	if _, err := c.query(op); err != nil {
		return err
	}
	return c.take(c.s.streams)
}

// timely writes to a reader that must keep reading, with a credential that is still valid.
type timely struct {
	c    *call
	gone <-chan struct{}
}

func (t *timely) Write(p []byte) (int, error) {
	select {
	case <-t.gone:
		return 0, &streamEnd{errRevoked()}
	default:
	}
	t.c.answerTime(len(p))
	return t.c.w.Write(p)
}

// takeExport imports an export.
func (c *call) takeExport(op *operation.Operation) {
	if err := c.mayStream(op); err != nil {
		c.fail(err)
		return
	}
	media, err := c.media()
	if err == nil && media != "" && media != mediaNDJSON {
		err = fault.Newf(fault.WrongMedia, "Content-Type: %.80q is not read here", media).WithFix("send application/x-ndjson")
	}
	if err != nil {
		c.fail(err)
		return
	}
	if err := c.audit("tenant.import"); err != nil {
		c.fail(err)
		return
	}
	feed, err := c.feed()
	if err != nil {
		c.fail(err)
		return
	}
	feed.spooled = true
	defer feed.close()
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.r.Context()))
	defer cancel()
	defer c.s.onStop(cancel)()
	report, err := c.s.o.Board.Import(ctx, feed, nil)
	if err != nil {
		c.fail(ended(err))
		return
	}
	c.bodyDone = true
	out, err := json.Marshal(answer.ImportedOf(report))
	if err != nil {
		c.fail(err)
		return
	}
	c.w.Header().Set("Content-Type", mediaJSON)
	c.w.Header().Set("Cache-Control", "no-store")
	c.send(http.StatusOK, append(out, '\n'))
}
