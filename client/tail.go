package client

import (
	"bufio"
	"bytes"
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
	req.Header.Set("Accept", "text/event-stream")
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
	return t.read(bufio.NewReaderSize(res.Body, 64<<10))
}

// maxBlock is the maximum size of one event of a stream.
const maxBlock = 16 << 20

// read reads the blocks of a stream.
func (t *tail) read(in *bufio.Reader) error {
	var data []byte
	kind, id := "", ""
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return errGoOn
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if err := t.block(kind, id, data); err != nil {
				return err
			}
			kind, id, data = "", "", nil
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			kind = string(value)
		case "id":
			id = string(value)
		case "data":
			if data = append(data, value...); len(data) > maxBlock {
				return fmt.Errorf("client: an event of the stream has more than %d bytes", maxBlock)
			}
		}
	}
}

// block processes one block.
func (t *tail) block(kind, id string, data []byte) error {
	switch {
	case kind == "end":
		p := &Problem{}
		if json.Unmarshal(data, p) == nil && p.Status == http.StatusServiceUnavailable {
			return errGoOn // the server is shutting down
		}
		return p
	case len(data) > 0:
		position, err := strconv.ParseUint(id, 10, 64)
		if err != nil {
			return fmt.Errorf("client: an event of the stream has no position but %q", id)
		}
		ev, _, err := hmx.DecodeEvent(data)
		if err != nil {
			return fmt.Errorf("client: the event at position %d cannot be read: %w", position, err)
		}
		if err := t.got(Tailed{position, ev}); err != nil {
			return err
		}
	}
	if id != "" {
		t.last = id
	}
	return nil
}
