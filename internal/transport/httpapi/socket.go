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
	"lukasa.dev/internal/api"
	"lukasa.dev/internal/fault"
)

// farewell is how long the other end has to say goodbye.
const farewell = time.Second

// socket takes events in over a WebSocket: one a frame, and for each frame one that says
// what became of it.
func (c *call) socket(op *api.Operation) {
	if err := c.mayStream(op); err != nil {
		c.fail(err)
		return
	}
	if err := c.handshake(); err != nil {
		c.fail(err)
		return
	}
	conn, err := websocket.Accept(c.w, c.r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // host and origin were asked for before
	if err != nil {
		c.cause = fault.Wrap(fault.UnreadableInput, err)
		return
	}
	s := &socket{c: c, conn: conn, writer: c.who.Writer()}
	s.run()
}

// handshake refuses what is not the beginning of a WebSocket.
func (c *call) handshake() error {
	h := c.r.Header
	if c.r.ProtoMajor != 1 || c.r.Method != http.MethodGet || !names(h, "Connection", "upgrade") || !names(h, "Upgrade", "websocket") {
		c.w.Header().Set("Upgrade", "websocket")
		return fault.New(fault.Usage, "this address speaks WebSocket").WithFix("connect with a WebSocket client, or send events to POST /v1/events")
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

// socket is a connection that events come by.
type socket struct {
	c      *call
	conn   *websocket.Conn
	writer lukasa.Writer

	acks     chan ack      // that are to be sent; there is room for all that can come
	places   chan struct{} // has an item for each event that is not acknowledged
	leaving  atomic.Bool   // frames are no longer taken in
	crowded  atomic.Bool   // there was no memory for a frame
	held     int64         // bytes of the budget that the frame has; of who reads
	answered chan struct{} // has an item if an acknowledgement was sent
	out      atomic.Int64  // bytes
}

// ack says what became of a frame.
type ack struct {
	index    int
	eventID  string
	position uint64
	became   lukasa.Disposition
	why      *fault.Error
	warnings int
	scrubbed int
}

// failed is of an event that is not known to be recorded. It may be sent again.
const failed lukasa.Disposition = "failed"

// run serves the connection to its end.
func (s *socket) run() {
	l := s.c.s.limits
	s.acks, s.places, s.answered = make(chan ack, l.InFlight), make(chan struct{}, l.InFlight), make(chan struct{}, 1)
	s.conn.SetReadLimit(4 * wire.DefaultMaxBytes) // what is larger than an event is passed over
	ctx, cancel := context.WithCancel(context.Background())
	defer context.AfterFunc(s.c.s.stopped, cancel)()
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
			code, reason = websocket.StatusTryAgainLater, "too many frames are in memory"
		}
	case <-gone:
		code, reason = websocket.StatusPolicyViolation, "the credential is no longer good"
	case <-s.c.s.leave:
		code, reason = websocket.StatusGoingAway, "the server is on its way down"
	}
	s.leaving.Store(true)
	if code == websocket.StatusGoingAway {
		s.settle(ctx, gone)
	}
	timer := time.AfterFunc(farewell, cancel)
	_ = s.conn.Close(code, reason) // whatever became of it, it is closed
	timer.Stop()
	cancel()
	all.Wait()
	s.c.w.bytes = s.out.Load()
}

// settle waits until every event that was taken in is acknowledged.
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

// read takes frames in until there are no more.
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
			s.settled() // it is not acknowledged, and will be sent again
			return
		}
		s.take(ctx, index, kind, text)
	}
}

// frame reads a frame, which must come in time like a body. Of one that is too large it
// returns the beginning.
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

// timedFrame puts off the time at which a frame is given up, with every byte that came.
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
	if t.read >= t.limits.BodyRate { // what is smaller has come before that matters
		t.late.Reset(time.Until(t.start.Add(t.limits.BodyTime + time.Duration(t.read/t.limits.BodyRate)*time.Second)))
	}
	return n, err
}

// freeFrame is how much memory a frame gets without asking: as much as most events have.
const freeFrame = 8 << 10

// errCrowded says that there is no memory for a frame.
var errCrowded = errors.New("too many frames are in memory")

// readFrame reads as much of a frame as an event may have, and a byte more if there is one,
// into memory that is taken from the budget as it fills.
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

// hold takes bytes from the budget until the frame is handed in. It waits for them as long
// as streams of lines do.
func (s *socket) hold(ctx context.Context, n int64) bool {
	ctx, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	if !s.c.s.held.wait(ctx, s.c.tenant(), n) {
		return false
	}
	s.held += n
	return true
}

// giveHeld gives back what hold took.
func (s *socket) giveHeld() {
	s.c.s.held.give(s.c.tenant(), s.held)
	s.held = 0
}

// take hands the event of a frame in.
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
	size := len(text) // which is not kept until it is recorded
	s.offer(ctx, ev, func(r lukasa.EventReceipt, err error) {
		a := ack{index: index, eventID: ev.EventID, position: r.Position, became: r.Disposition, why: r.Fault, warnings: warnings, scrubbed: r.Scrubbed}
		if err != nil {
			a.became, a.why = failed, fault.From(err)
		}
		s.c.s.ingested(BySocket, TakenOne(a.became, size))
		s.acks <- a
	})
}

// event reads the event of a frame, and counts what is worth knowing about it.
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

// offer has an event recorded in its turn.
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

// settled gives the place of an event to another.
func (s *socket) settled() {
	<-s.places
	select {
	case s.answered <- struct{}{}:
	default:
	}
}

// ping finds out whether the other end is still there, while nothing is under way.
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
