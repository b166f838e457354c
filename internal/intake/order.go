package intake

import (
	"context"
	"hash/maphash"
	"math"
	"strings"
	"sync"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx/reorder"
)

// session names a session of a tenant.
type session struct{ tenant, id string }

// order decides which events may go on. Only answered may be called concurrently with
// the other methods.
type order struct {
	board  journal
	buffer *reorder.Buffer
	held   map[*lukasa.Event]*offer // in the buffer
	events []*lukasa.Event          // working memory of push
	seed   maphash.Seed

	// fromOne are tenants whose newest session began at 1.
	fromOne map[string]bool

	mu sync.Mutex
	// going are the sessions with released and unanswered events, whose progress the
	// board does not know yet.
	going map[session]*going
}

// going is how far the released events of a session reach.
type going struct {
	high   int64
	events int
}

// maxHabits and maxTenantName limit what is remembered about the starts of sessions.
const (
	maxHabits     = 4096
	maxTenantName = 256
)

func newOrder(board journal, o Options) *order {
	r := &order{
		board: board, held: make(map[*lukasa.Event]*offer), seed: maphash.MakeSeed(),
		fromOne: make(map[string]bool), going: make(map[session]*going),
	}
	buffer, err := reorder.New(reorder.Options{
		Window: o.Window, Next: r.next,
		MaxSessionEvents: half(o.MaxEvents), MaxSessionBytes: half(o.MaxBytes), MaxEvents: half(o.MaxEvents), MaxBytes: half(o.MaxBytes),
		// The buffer keeps no state of a session that holds nothing: the session may
		// go on elsewhere, and the board knows.
		MaxSessions: 1, MaxNameBytes: 1,
	})
	if err != nil {
		panic(err) // unreachable: the options have only positive numbers
	}
	r.buffer = buffer
	return r
}

func half(n int) int { return max(n/2, 1) }

// push takes offers in and returns those that may go on, the events of each session in
// order.
func (r *order) push(now time.Time, offers []*offer) []*offer {
	if len(offers) == 0 {
		return r.released(r.buffer.Advance(now))
	}
	r.events = r.events[:0]
	for _, o := range offers {
		r.events = append(r.events, o.event)
		if first := r.held[o.event]; first != nil {
			for first.next != nil {
				first = first.next
			}
			first.next = o
		} else {
			r.held[o.event] = o
		}
	}
	out := r.released(r.buffer.PushBatch(now, r.events))
	clear(r.events)
	return out
}

// flush returns all waiting offers.
func (r *order) flush() []*offer { return r.released(r.buffer.Flush()) }

// deadline returns when push next releases an event.
func (r *order) deadline() (time.Time, bool) { return r.buffer.Deadline() }

// stats returns the counters of the buffer.
func (r *order) stats() reorder.Stats { return r.buffer.Stats() }

// released turns events back into offers, and records that they are under way.
func (r *order) released(list []reorder.Release) []*offer {
	out := make([]*offer, 0, len(list))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rel := range list {
		o := r.held[rel.Event]
		if o.next != nil {
			r.held[rel.Event] = o.next
		} else {
			delete(r.held, rel.Event)
		}
		o.next = nil
		out = append(out, o)
		r.learn(rel)
		key := session{rel.Event.TenantID, rel.Event.SessionID}
		g := r.going[key]
		if g == nil {
			g = &going{high: rel.Event.Sequence}
			r.going[key] = g
		}
		g.high = max(g.high, rel.Event.Sequence)
		g.events++
	}
	return out
}

// answered records that offers are no longer under way.
func (r *order) answered(offers []*offer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range offers {
		key := session{o.event.TenantID, o.event.SessionID}
		g := r.going[key]
		if g.events--; g.events == 0 {
			delete(r.going, key)
		}
	}
}

// next returns the expected sequence of a session that holds nothing. If the state of
// a session cannot be read, its events do not wait; the write then reports the error.
func (r *order) next(tenant, id string) (int64, bool) {
	high, ok, err := r.reached(tenant, id)
	if err != nil {
		return math.MinInt64, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if g := r.going[session{tenant, id}]; g != nil && (!ok || g.high > high) {
		high, ok = g.high, true
	}
	if !ok && r.fromOne[tenant] {
		return 1, true
	}
	return high + 1, ok
}

// reached asks the board, and returns a panic as an error.
func (r *order) reached(tenant, id string) (high int64, ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errPanic(p)
		}
	}()
	return r.board.Reached(context.Background(), tenant, id)
}

// learn records how the sessions of a tenant begin: at 0, or at 1 with nothing before
// it within the window.
func (r *order) learn(rel reorder.Release) {
	tenant := rel.Event.TenantID
	switch {
	case rel.Event.Sequence == 0:
		delete(r.fromOne, tenant)
	case rel.Missing == reorder.Range{First: 0, End: 1} && len(tenant) <= maxTenantName:
		if len(r.fromOne) >= maxHabits {
			clear(r.fromOne)
		}
		r.fromOne[strings.Clone(tenant)] = true
	}
}

// lane returns the lane of an event's session.
func (r *order) lane(ev *lukasa.Event, lanes int) int {
	var h maphash.Hash
	h.SetSeed(r.seed)
	_, _ = h.WriteString(ev.TenantID)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(ev.SessionID)
	return int(h.Sum64() % uint64(lanes))
}
