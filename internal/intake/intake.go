// Package intake orders streams of events and records them. Every transport that
// receives events one by one, from many places at once, uses it.
//
//	gate := intake.New(board, intake.Options{})
//	defer gate.Close()
//
//	gate.Offer(ctx, writer, event, func(receipt lukasa.EventReceipt, err error) {
//		// the event is durable, or refused
//	})
//
// A session in order passes at once. An event that is ahead of others waits for them,
// at most for the window, whichever transport they use; then it goes on without them.
// Released events are recorded in groups, so that many callers share an fsync.
//
// # What is guaranteed
//
//   - Each offer is answered exactly once: with a receipt, after the fsync, or with an
//     error. That holds if the board panics or fails, and after [Gate.Close].
//   - Of two events of a session that are held or under way together, the lower by
//     sequence, timestamp and event id is recorded first, whichever caller offered it.
//   - Unanswered offers take no more memory than the options allow. Beyond that, Offer
//     blocks. At most half of it is for events that wait for others: above that half,
//     events are released before their window ends, so that a stream full of gaps
//     cannot stop one without.
//   - The expected sequence of a session comes from the board, not from the memory of
//     this gate. A repeated event never waits.
//
// # Where a session begins
//
// A session that is not on record is expected to begin at 0. If it begins at 1, its
// first event waits for the window once; from then on the gate expects the tenant's new
// sessions to begin at 1, until one begins at 0. Any other first event waits for the
// window.
//
// # What is not
//
// The gate does not authorize: events must be authorized before they are offered. It
// does not order events across sessions, and it cannot put an event before one that is
// recorded already; the receipt then says late.
package intake

import (
	"cmp"
	"context"
	"sync"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx/reorder"
	"lukasa.dev/internal/fault"
)

// The defaults, for options that are zero.
const (
	DefaultWindow    = reorder.DefaultWindow
	DefaultMaxEvents = 16384
	DefaultMaxBytes  = 64 << 20
	// DefaultLanes is small because each lane has its own share of every group.
	DefaultLanes = 2
)

// Options says how long to wait and how much to hold. The zero value works.
type Options struct {
	// Window is how long an event waits for those before it.
	Window time.Duration
	// MaxEvents and MaxBytes limit the unanswered offers. An event that is larger than
	// MaxBytes is taken in alone. Bytes are counted by [lukasa.Event.Size].
	MaxEvents int
	MaxBytes  int
	// Lanes is how many groups are written at the same time. A session stays in one
	// lane.
	Lanes int
}

func (o Options) withDefaults() Options {
	o.Window = cmp.Or(max(o.Window, 0), DefaultWindow)
	o.MaxEvents = cmp.Or(max(o.MaxEvents, 0), DefaultMaxEvents)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	o.Lanes = cmp.Or(max(o.Lanes, 0), DefaultLanes)
	return o
}

// journal is the part of a board that a gate needs.
type journal interface {
	Append(ctx context.Context, w lukasa.Writer, events ...*lukasa.Event) (*lukasa.AppendResult, error)
	Reached(ctx context.Context, tenant, session string) (sequence int64, ok bool, err error)
}

// Gate receives events. It is safe for concurrent use. Make one with New.
type Gate struct {
	board  journal
	room   *room
	order  *order
	lanes  []*lane
	wake   chan struct{} // an offer arrived, or the gate closes
	ended  chan struct{} // everything is answered
	ending sync.WaitGroup

	mu      sync.Mutex
	inbox   []*offer // not processed yet
	closing bool
	stats   Stats
}

// offer is one offered event.
type offer struct {
	writer lukasa.Writer
	event  *lukasa.Event
	size   int
	done   func(lukasa.EventReceipt, error)
	next   *offer // the same event, offered again
}

// Stats is what a gate holds, and its counters since it was made.
type Stats struct {
	Unanswered int // offers that are waiting or under way
	Bytes      int // of their events
	Waiting    int // those that wait for others of their session

	Offered  uint64
	Answered uint64
	Appends  uint64 // calls of the board; many events share one
	Early    uint64 // released before the window ended, since too many waited
	AfterGap uint64 // released because the window ended
}

// New returns a gate to a board, which must stay open until the gate is closed. Invalid
// options count as zero.
func New(board *lukasa.Board, o Options) *Gate { return newGate(board, o) }

func newGate(board journal, o Options) *Gate {
	o = o.withDefaults()
	g := &Gate{
		board: board,
		room:  newRoom(o.MaxEvents, o.MaxBytes),
		order: newOrder(board, o),
		wake:  make(chan struct{}, 1),
		ended: make(chan struct{}),
	}
	for range o.Lanes {
		l := &lane{gate: g, wake: make(chan struct{}, 1)}
		g.lanes = append(g.lanes, l)
		g.ending.Go(l.run)
	}
	go g.run()
	return g
}

// Offer hands an event in. It blocks until there is room; done is then called once, by
// Offer itself or by another goroutine. If ctx ends before there is room, done gets its
// error; afterwards ctx has no effect. The event must not be changed before done is
// called, and done must not block or call Offer.
func (g *Gate) Offer(ctx context.Context, w lukasa.Writer, ev *lukasa.Event, done func(lukasa.EventReceipt, error)) {
	if ev == nil {
		done(lukasa.EventReceipt{}, fault.New(fault.InvalidArgument, "event: there is none").WithFix("offer an event"))
		return
	}
	o := &offer{writer: w, event: ev, size: ev.Size(), done: done}
	if err := g.room.enter(ctx, o.size); err != nil {
		done(lukasa.EventReceipt{}, err)
		return
	}
	g.mu.Lock()
	if g.closing {
		g.mu.Unlock()
		g.room.leave(1, o.size)
		done(lukasa.EventReceipt{}, errClosed())
		return
	}
	g.inbox = append(g.inbox, o)
	g.stats.Offered++
	g.mu.Unlock()
	ring(g.wake)
}

// Close refuses new offers, releases all waiting events, and returns when all offers
// are answered. It may be called again.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closing = true
	g.mu.Unlock()
	g.room.close()
	ring(g.wake)
	<-g.ended
}

// Stats returns the counters of the gate.
func (g *Gate) Stats() Stats {
	g.mu.Lock()
	s := g.stats
	g.mu.Unlock()
	s.Unanswered, s.Bytes = g.room.taken()
	return s
}

// run orders incoming events and passes them to the lanes.
func (g *Gate) run() {
	defer close(g.ended)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-g.wake:
		case <-timer.C:
		}
		offers, closing := g.take()
		g.send(g.order.push(time.Now(), offers))
		if closing {
			g.send(g.order.flush())
			break
		}
		wait := time.Hour
		if at, ok := g.order.deadline(); ok {
			wait = time.Until(at)
		}
		timer.Reset(wait)
	}
	for _, l := range g.lanes {
		l.close()
	}
	g.ending.Wait()
}

// take returns the new offers, and whether the gate closes. After it has reported that,
// no offer arrives any more.
func (g *Gate) take() ([]*offer, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	offers := g.inbox
	g.inbox = nil
	return offers, g.closing
}

// send puts released events into the lanes, each session into its own.
func (g *Gate) send(offers []*offer) {
	for _, o := range offers {
		g.lanes[g.order.lane(o.event, len(g.lanes))].add(o)
	}
	for _, l := range g.lanes {
		ring(l.wake)
	}
	s := g.order.stats()
	g.mu.Lock()
	g.stats.Waiting, g.stats.Early, g.stats.AfterGap = s.Events, s.Evicted, s.AfterGap
	g.mu.Unlock()
}

// answer ends an offer.
func (g *Gate) answer(offers []*offer, receipts []lukasa.EventReceipt, err error) {
	g.order.answered(offers)
	size := 0
	for i, o := range offers {
		size += o.size
		if i < len(receipts) {
			o.done(receipts[i], nil)
		} else {
			o.done(lukasa.EventReceipt{}, err)
		}
	}
	g.mu.Lock()
	g.stats.Appends++
	g.stats.Answered += uint64(len(offers))
	g.mu.Unlock()
	g.room.leave(len(offers), size)
}

// record appends a group of one writer and answers it.
func (g *Gate) record(w lukasa.Writer, offers []*offer) {
	events := make([]*lukasa.Event, len(offers))
	for i, o := range offers {
		events[i] = o.event
	}
	res, err := g.appendSafely(w, events)
	var receipts []lukasa.EventReceipt
	if res != nil {
		receipts = res.Receipts
	}
	if err == nil && len(receipts) < len(offers) {
		err = fault.Newf(fault.Internal, "the board gave %d receipts for %d events", len(receipts), len(offers))
	}
	g.answer(offers, receipts, err)
}

// appendSafely is Append, with a panic as an error. It is then unknown how much is
// recorded; a retry is harmless.
func (g *Gate) appendSafely(w lukasa.Writer, events []*lukasa.Event) (res *lukasa.AppendResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, errPanic(p)
		}
	}()
	return g.board.Append(context.Background(), w, events...)
}

// ring wakes a sleeping goroutine, or keeps it from falling asleep.
func ring(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

func errClosed() error {
	return fault.New(fault.Closed, "the way in is closed").WithFix("send it again when the server is back")
}

func errPanic(p any) error { return fault.Newf(fault.Internal, "the board panicked: %v", p) }
