package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/wire"
)

// TailRequest selects the events to follow.
type TailRequest struct {
	// Session, Agent and Type filter events, if they are set.
	Session, Agent string
	Type           hmx.EventType
	// From is the first wanted position. Nil means new events only.
	From *uint64
}

// Tailed is an event of a tail and its position.
type Tailed struct {
	Position uint64
	Event    *hmx.Event
}

// errGoOn ends a connection after which the tail reconnects.
var errGoOn = errors.New("the stream ended")

// Tail calls got for each new event as it is recorded, in order and once each, until ctx ends,
// got returns an error, or the server refuses. It reconnects when the connection is lost and
// resumes where it was.
func (c *Client) Tail(ctx context.Context, r TailRequest, got func(Tailed) error) error {
	t := &tail{client: c, request: r, got: got}
	for attempt := 1; ; attempt++ {
		before := t.last
		err := t.connect(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if before != t.last {
			attempt = 1
		}
		var wait time.Duration
		if errors.Is(err, errGoOn) {
			wait, attempt = c.backoff(1), 0
		} else {
			var again bool
			if wait, again = c.again(err, true, attempt); !again {
				return err
			}
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// tail is the position of a reader.
type tail struct {
	client  *Client
	request TailRequest
	got     func(Tailed) error
	last    string // the id of the newest
}

// connect follows one connection until it ends.
func (t *tail) connect(ctx context.Context) error {
	q := url.Values{}
	for name, value := range map[string]string{"session": t.request.Session, "agent": t.request.Agent, "type": string(t.request.Type)} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if t.request.From != nil {
		q.Set("from", strconv.FormatUint(*t.request.From, 10))
	}
	req, err := t.client.request(ctx, &Call{Method: http.MethodGet, Path: "/v1/events/stream", Query: q}, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", wire.ContentType)
	if t.last != "" {
		req.Header.Set("Last-Event-ID", t.last)
	}
	res, err := t.client.o.HTTP.Do(req)
	if err != nil {
		return &lost{err}
	}
	defer func() { _ = res.Body.Close() }() // the rest is not needed
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // as much as there is
		return problemOf(res, text)
	}
	return t.read(res.Body)
}

// maxBlock is the maximum size of one event of a stream.
const maxBlock = 16 << 20

// read reads the blocks of a stream.
func (t *tail) read(src io.Reader) error {
	d := wire.NewDecoder(src, wire.Options{MaxBytes: maxBlock})
	for {
		block, err := d.Next()
		if _, ok := errors.AsType[*wire.TooLongError](err); ok {
			return fmt.Errorf("client: an event of the stream has more than %d bytes", maxBlock)
		}
		if err == nil {
			err = t.block(block)
		} else {
			err = errGoOn
		}
		if errors.Is(err, errGoOn) {
			t.last = cmp.Or(d.LastEventID(), t.last)
		}
		if err != nil {
			return err
		}
	}
}

// block takes one block in.
func (t *tail) block(b wire.Block) error {
	if b.Type == "end" {
		p := &Problem{}
		if json.Unmarshal(b.Data, p) == nil && p.Status == http.StatusServiceUnavailable {
			return errGoOn // the server is shutting down
		}
		return p
	}
	if len(b.Data) == 0 {
		return nil
	}
	position, err := strconv.ParseUint(b.ID, 10, 64)
	if err != nil || b.ID == t.last { // the id of a block without one is that of the block before
		return fmt.Errorf("client: an event of the stream has no position of its own but %q", b.ID)
	}
	ev, _, err := hmx.DecodeEvent(b.Data)
	if err != nil {
		return fmt.Errorf("client: the event at position %d cannot be read: %w", position, err)
	}
	if err := t.got(Tailed{position, ev}); err != nil {
		return err
	}
	t.last = b.ID
	return nil
}
