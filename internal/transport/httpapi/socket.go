package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// farewell is how long the client has for the closing handshake.
const farewell = time.Second

// socket ingests events over a WebSocket: one per frame, with one acknowledgement for each.
func (c *call) socket(op *operation.Operation) {
	if err := c.mayStream(op); err != nil {
		c.fail(err)
		return
	}
	if err := c.handshake(); err != nil {
		c.fail(err)
		return
	}
	conn, err := websocket.Accept(c.w, c.r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // host and origin are already checked
	if err != nil {
		c.cause = fault.Wrap(fault.UnreadableInput, err)
		return
	}
	s := &socket{c: c, conn: conn, writer: c.who.Writer()}
	s.run()
}

// handshake refuses a request that does not open a WebSocket.
func (c *call) handshake() error {
	h := c.r.Header
	if c.r.ProtoMajor != 1 || c.r.Method != http.MethodGet || !names(h, "Connection", "upgrade") || !names(h, "Upgrade", "websocket") {
		c.w.Header().Set("Upgrade", "websocket")
		return fault.New(fault.Usage, "this address is for WebSocket").WithFix("connect with a WebSocket client, or send events to POST /v1/events")
	}
	if h.Get("Sec-WebSocket-Version") != "13" || len(h["Sec-Websocket-Key"]) != 1 {
		c.w.Header().Set("Sec-WebSocket-Version", "13")
		return fault.New(fault.Usage, "the handshake is not that of WebSocket 13").WithFix("use a WebSocket client of RFC 6455")
	}
	return nil
}

// names reports whether a header has a token in its list.
func names(h http.Header, name, token string) bool {
	for _, line := range h[name] {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}

// socket is a WebSocket that delivers events.
type socket struct {
	c      *call
	conn   *websocket.Conn
	writer lukasa.Writer

	acks     chan ack      // to be sent; has capacity for all
	places   chan struct{} // has an item for each unacknowledged event
	leaving  atomic.Bool   // frames are no longer read
	crowded  atomic.Bool   // there was no memory for a frame
	held     int64         // bytes of the budget for the current frame; owned by the reader
	answered chan struct{} // has an item if an acknowledgement was sent
	out      atomic.Int64  // bytes
}

// ack is the result for a frame.
type ack struct {
	index    int
	eventID  string
	position uint64
	became   lukasa.Disposition
	why      *fault.Error
	warnings int
	scrubbed int
}

// failed is the disposition of an event that may not be recorded. The client may send it again.
const failed lukasa.Disposition = "failed"

// run serves the connection until it ends.
func (s *socket) run() {
	l := s.c.s.limits
	s.acks, s.places, s.answered = make(chan ack, l.InFlight), make(chan struct{}, l.InFlight), make(chan struct{}, 1)
	s.conn.SetReadLimit(4 * wire.DefaultMaxBytes) // a message larger than an event is skipped
	ctx, cancel := context.WithCancel(context.Background())
	defer s.c.s.onStop(cancel)()
	gone, stop := s.c.s.keys.Watch(s.c.who)
	defer stop()
	var all sync.WaitGroup
	ended := make(chan struct{})
	all.Go(func() {
		defer close(ended)
		s.read(ctx)
	})
	all.Go(func() { s.write(ctx, cancel) })
	all.Go(func() { s.ping(ctx, cancel) })

	code, reason := websocket.StatusNormalClosure, ""
	select {
	case <-ended:
		if s.crowded.Load() {
			code, reason = websocket.StatusTryAgainLater, "the frames take too much memory"
		}
	case <-gone:
		code, reason = websocket.StatusPolicyViolation, "the credential is no longer valid"
	case <-s.c.s.leave:
		code, reason = websocket.StatusGoingAway, "the server is shutting down"
	}
	s.leaving.Store(true)
	if code == websocket.StatusGoingAway {
		s.settle(ctx, gone)
	}
	timer := time.AfterFunc(farewell, cancel)
	_ = s.conn.Close(code, reason) // it is closed in any case
	timer.Stop()
	cancel()
	all.Wait()
	s.c.w.bytes = s.out.Load()
}

// settle waits until every event that was taken is acknowledged.
func (s *socket) settle(ctx context.Context, gone <-chan struct{}) {
	for len(s.places) > 0 {
		select {
		case <-s.answered:
		case <-gone:
			return
		case <-ctx.Done():
			return
		}
	}
}

// read reads frames until there are no more.
func (s *socket) read(ctx context.Context) {
	defer s.giveHeld()
	for index := 0; ; index++ {
		s.giveHeld()
		kind, text, err := s.frame(ctx)
		if err != nil {
			return
		}
		select {
		case s.places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		if s.leaving.Load() {
			s.settled() // it is not acknowledged, so the client will send it again
			return
		}
		s.take(ctx, index, kind, text)
	}
}

// frame reads a frame, which must arrive in time like a body. It returns the beginning of one
// that is too large.
func (s *socket) frame(ctx context.Context) (websocket.MessageType, []byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	kind, r, err := s.conn.Reader(ctx)
	if err != nil {
		return 0, nil, err
	}
	timely := &timedFrame{src: r, limits: &s.c.s.limits, start: time.Now(), late: time.AfterFunc(s.c.s.limits.BodyTime, cancel)}
	defer timely.late.Stop()
	text, err := s.readFrame(ctx, timely)
	if err == nil {
		_, err = io.Copy(io.Discard, timely)
	}
	s.c.in.Add(int64(len(text)))
	return kind, text, err
}

// timedFrame extends the deadline of a frame with every byte received.
type timedFrame struct {
	src    io.Reader
	limits *Limits
	start  time.Time
	late   *time.Timer
	read   int64
}

func (t *timedFrame) Read(b []byte) (int, error) {
	n, err := t.src.Read(b)
	t.read += int64(n)
	if t.read >= t.limits.BodyRate { // less would not change the deadline
		t.late.Reset(time.Until(t.start.Add(t.limits.BodyTime + time.Duration(t.read/t.limits.BodyRate)*time.Second)))
	}
	return n, err
}

// freeFrame is how much memory a frame gets outside of the budget: as much as most events have.
const freeFrame = 8 << 10

// errCrowded says that there is no memory for a frame.
var errCrowded = errors.New("the frames take too much memory")

// readFrame reads at most as much of a frame as an event may have, and a byte more if there is
// one, into memory that is taken from the budget as it fills.
func (s *socket) readFrame(ctx context.Context, r io.Reader) ([]byte, error) {
	const most = wire.DefaultMaxBytes + 1
	buf := make([]byte, 0, 1024)
	for len(buf) < most {
		if len(buf) == cap(buf) {
			grown := min(2*cap(buf), most)
			if grown > freeFrame && !s.hold(ctx, int64(grown)-s.held) {
				s.crowded.Store(true)
				return nil, errCrowded
			}
			buf = append(make([]byte, 0, grown), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// hold takes bytes from the budget until the frame is handed over. It waits for them as long as
// streams of lines do.
func (s *socket) hold(ctx context.Context, n int64) bool {
	ctx, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	if !s.c.s.held.wait(ctx, s.c.tenant(), n) {
		return false
	}
	s.held += n
	return true
}

// giveHeld returns what hold took.
func (s *socket) giveHeld() {
	s.c.s.held.give(s.c.tenant(), s.held)
	s.held = 0
}

// take submits the event of a frame.
func (s *socket) take(ctx context.Context, index int, kind websocket.MessageType, text []byte) {
	ev, warnings, err := s.event(kind, text)
	if err == nil {
		err = s.c.admit(ctx, ev)
	}
	if err != nil {
		a := ack{index: index, became: lukasa.Refused, why: fault.From(err)}
		if ev != nil {
			a.eventID = ev.EventID
		}
		if fault.Lookup(a.why.Code).Retry {
			a.became = failed
		}
		s.c.s.ingested(BySocket, TakenOne(a.became, len(text)))
		s.acks <- a
		return
	}
	size := len(text) // text is not kept until it is recorded
	s.offer(ctx, ev, func(r lukasa.EventReceipt, err error) {
		a := ack{index: index, eventID: ev.EventID, position: r.Position, became: r.Disposition, why: r.Fault, warnings: warnings, scrubbed: r.Scrubbed}
		if err != nil {
			a.became, a.why = failed, fault.From(err)
		}
		s.c.s.ingested(BySocket, TakenOne(a.became, size))
		s.acks <- a
	})
}

// event decodes the event of a frame, and counts its warnings.
func (s *socket) event(kind websocket.MessageType, text []byte) (ev *lukasa.Event, warnings int, err error) {
	if kind != websocket.MessageText {
		return nil, 0, fault.New(fault.WrongMedia, "the frame is binary").WithFix("send one event as one frame of text")
	}
	if len(text) > wire.DefaultMaxBytes {
		return nil, 0, fault.Newf(fault.TooLarge, "the frame has more than %d bytes", wire.DefaultMaxBytes)
	}
	ev, list, err := hmx.DecodeEvent(text)
	return ev, len(list), fault.Wrap(fault.InvalidDocument, err)
}

// offer submits an event for recording in its order.
func (s *socket) offer(ctx context.Context, ev *lukasa.Event, done func(lukasa.EventReceipt, error)) {
	o := s.c.s.o
	if o.Gate != nil {
		o.Gate.Offer(ctx, s.writer, ev, done)
		return
	}
	res, err := o.Board.Append(context.WithoutCancel(ctx), s.writer, ev)
	if err != nil {
		done(lukasa.EventReceipt{}, err)
		return
	}
	done(res.Receipts[0], nil)
}

// write sends acknowledgements until the connection ends.
func (s *socket) write(ctx context.Context, cancel context.CancelFunc) {
	var buf []byte
	for {
		select {
		case a := <-s.acks:
			buf = a.append(buf[:0])
			timed, end := context.WithTimeout(ctx, s.c.s.limits.WriteTime)
			err := s.conn.Write(timed, websocket.MessageText, buf)
			end()
			if err != nil {
				cancel()
				return
			}
			s.out.Add(int64(len(buf)))
			s.settled()
		case <-ctx.Done():
			return
		}
	}
}

// settled releases the slot of an event.
func (s *socket) settled() {
	<-s.places
	select {
	case s.answered <- struct{}{}:
	default:
	}
}

// ping checks that the client is still there while nothing is under way.
func (s *socket) ping(ctx context.Context, cancel context.CancelFunc) {
	beat := time.NewTicker(s.c.s.limits.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
		case <-ctx.Done():
			return
		}
		if len(s.places) > 0 {
			continue
		}
		timed, end := context.WithTimeout(ctx, s.c.s.limits.WriteTime)
		err := s.conn.Ping(timed)
		end()
		if err != nil && len(s.places) == 0 {
			cancel()
			return
		}
	}
}

// append writes the acknowledgement as JSON.
func (a *ack) append(buf []byte) []byte {
	buf = strconv.AppendInt(append(buf, `{"index":`...), int64(a.index), 10)
	if a.eventID != "" {
		buf = appendString(append(buf, `,"event_id":`...), a.eventID)
	}
	if a.why == nil && a.became != lukasa.Own {
		buf = strconv.AppendUint(append(buf, `,"position":`...), a.position, 10)
	}
	buf = appendString(append(buf, `,"disposition":`...), string(a.became))
	if a.why == nil && a.warnings > 0 {
		buf = strconv.AppendInt(append(buf, `,"warnings":`...), int64(a.warnings), 10)
	}
	if a.why == nil && a.scrubbed > 0 {
		buf = strconv.AppendInt(append(buf, `,"scrubbed":`...), int64(a.scrubbed), 10)
	}
	if a.why != nil {
		buf = appendString(append(buf, `,"code":`...), string(a.why.Code))
		buf = appendString(append(buf, `,"detail":`...), a.why.Error())
		buf = appendString(append(buf, `,"fix":`...), a.why.Advice())
	}
	return append(buf, '}')
}
