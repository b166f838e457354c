package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"

	"lukasa.dev/hmx"
)

// Ack is the result for an event that was sent over a [Socket].
type Ack struct {
	EventID string `json:"event_id"`
	// Disposition is accepted, late, duplicate, own or rejected.
	Disposition string `json:"disposition"`
	// Position is its position, unless it was rejected.
	Position uint64 `json:"position"`
	// Warnings is the number of warnings, such as for an unknown type; Scrubbed is how many
	// secrets were removed from it.
	Warnings int `json:"warnings,omitempty"`
	Scrubbed int `json:"scrubbed,omitempty"`
	// Code and Detail say why it was rejected.
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`
	Index  int    `json:"index"` // of the frame on its connection
}

// SocketOptions configures a socket.
type SocketOptions struct {
	// Acked, if not nil, receives the result for each event, once. It must not block.
	Acked func(Ack)
	// InFlight is the maximum number of unacknowledged events. Zero means 128.
	InFlight int
}

// Socket sends events over a WebSocket, each acknowledged when it is on the server's disk. When
// the connection is lost it reconnects and sends unacknowledged events again; the server
// identifies events by their ids, so that none is recorded twice. It is safe for concurrent
// use.
type Socket struct {
	c      *Client
	o      SocketOptions
	cancel context.CancelFunc // ends the socket
	ended  chan struct{}

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when something below changes
	queue   []*frame      // unacknowledged, in order
	sent    int           // how many of these were sent over this connection
	err     error         // why no more are accepted
}

// frame is an event that is being sent.
type frame struct {
	id   string
	text []byte
}

// dispositionFailed is that of an event that may be sent again.
const dispositionFailed = "failed"

// OpenSocket connects. The socket ends with ctx or with [Socket.Close].
func (c *Client) OpenSocket(ctx context.Context, o SocketOptions) (*Socket, error) {
	if o.InFlight <= 0 {
		o.InFlight = 128
	}
	s := &Socket{c: c, o: o, ended: make(chan struct{}), changed: make(chan struct{})}
	ctx, s.cancel = context.WithCancel(ctx)
	conn, err := s.dial(ctx)
	if err != nil {
		s.cancel()
		return nil, err
	}
	go s.run(ctx, conn)
	return s, nil
}

// Send submits an event. It returns when there is room for it; Acked receives the result.
func (s *Socket) Send(ctx context.Context, ev *hmx.Event) error {
	text, err := ev.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	return s.when(ctx, func() (done bool) {
		if len(s.queue) >= s.o.InFlight {
			return false
		}
		s.queue = append(s.queue, &frame{ev.EventID, text})
		return true
	})
}

// Flush waits until everything that was sent is acknowledged.
func (s *Socket) Flush(ctx context.Context) error {
	return s.when(ctx, func() bool { return len(s.queue) == 0 })
}

// Close waits until everything is acknowledged, and closes the socket. If ctx ends before that,
// it returns its error, and unacknowledged events may be sent again.
func (s *Socket) Close(ctx context.Context) error {
	err := s.Flush(ctx)
	s.cancel()
	<-s.ended
	return err
}

// when waits until f, which runs with the lock held, returns true.
func (s *Socket) when(ctx context.Context, f func() bool) error {
	for {
		s.mu.Lock()
		if s.err != nil {
			defer s.mu.Unlock()
			return s.err
		}
		if f() {
			s.tell()
			s.mu.Unlock()
			return nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tell wakes waiting goroutines. The caller holds the lock.
func (s *Socket) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Socket) dial(ctx context.Context) (*websocket.Conn, error) {
	u := *s.c.base
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	u.Path += "/v1/ingest/ws"
	u.RawPath = ""
	h := http.Header{}
	s.c.authorize(h)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), &websocket.DialOptions{HTTPClient: s.c.o.HTTP, HTTPHeader: h})
	if err == nil {
		conn.SetReadLimit(1 << 20)
		return conn, nil
	}
	if res != nil && res.StatusCode >= 300 {
		text := make([]byte, 64<<10)
		n := 0
		if res.Body != nil {
			n, _ = res.Body.Read(text) // as much as there is
		}
		return nil, problemOf(res, text[:n])
	}
	return nil, &lost{err}
}

// run serves one connection after the other.
func (s *Socket) run(ctx context.Context, conn *websocket.Conn) {
	defer close(s.ended)
	for attempt := 1; ; {
		if conn != nil {
			if s.serve(ctx, conn) {
				attempt = 1
			}
			conn = nil
		}
		if ctx.Err() != nil {
			s.fail(ctx.Err())
			return
		}
		err := sleep(ctx, s.c.backoff(attempt))
		if err == nil {
			conn, err = s.dial(ctx)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		wait, again := s.c.again(err, true, attempt)
		if !again {
			s.fail(err)
			return
		}
		attempt++
		_ = sleep(ctx, wait) // the loop looks at ctx
	}
}

// fail stops accepting events.
func (s *Socket) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, context.Canceled) {
		err = errors.New("client: the socket is closed")
	}
	s.err = err
	s.tell()
}

// serve sends and listens until the connection ends, and reports whether anything was
// acknowledged.
func (s *Socket) serve(ctx context.Context, conn *websocket.Conn) (moved bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.sent = 0
	s.mu.Unlock()
	flying := &flying{frames: map[int]*frame{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cancel()
		s.send(ctx, conn, flying)
	}()
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			break
		}
		var a Ack
		if json.Unmarshal(text, &a) != nil || a.Disposition == dispositionFailed {
			break // the next connection sends it again
		}
		if f := flying.take(a.Index); f != nil {
			s.acked(f, a)
			moved = true
		}
	}
	cancel()
	_ = conn.Close(websocket.StatusNormalClosure, "") // it may be closed already
	<-done
	return moved
}

// flying are the unacknowledged frames of a connection, by number.
type flying struct {
	mu     sync.Mutex
	next   int
	frames map[int]*frame
}

func (y *flying) add(f *frame) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.frames[y.next] = f
	y.next++
}

// take returns a frame once, and nil for one that was never sent.
func (y *flying) take(index int) *frame {
	y.mu.Lock()
	defer y.mu.Unlock()
	f := y.frames[index]
	delete(y.frames, index)
	return f
}

// send sends what is in the queue and was not sent over this connection.
func (s *Socket) send(ctx context.Context, conn *websocket.Conn, flying *flying) {
	for {
		s.mu.Lock()
		var next *frame
		if s.sent < len(s.queue) {
			next = s.queue[s.sent]
			s.sent++
		}
		changed := s.changed
		s.mu.Unlock()
		if next == nil {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		flying.add(next)
		if err := conn.Write(ctx, websocket.MessageText, next.text); err != nil {
			return
		}
	}
}

// acked removes an event from the queue.
func (s *Socket) acked(f *frame, a Ack) {
	s.mu.Lock()
	for i, q := range s.queue {
		if q == f {
			s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
			s.sent--
			break
		}
	}
	s.tell()
	s.mu.Unlock()
	a.EventID = f.id
	if s.o.Acked != nil {
		s.o.Acked(a)
	}
}
