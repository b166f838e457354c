package ingest

import (
	"context"
	"errors"
	"sync"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
)

// attempts is how often in a row a call of the broker may fail before the connection
// is given up.
const attempts = 4

// pass is the lifetime of one connection. Three goroutines share it: one fetches and
// offers, one acknowledges and buries, one keeps the broker informed.
type pass struct {
	c   *Consumer
	src Source

	wake chan struct{} // wakes the acknowledging goroutine: something is settled
	free chan struct{} // wakes the fetching goroutine: there is room, or something to offer again

	once    sync.Once
	failure error         // why the connection was given up
	broken  chan struct{} // closed when it was

	mu     sync.Mutex
	flying map[*flight]bool // fetched and not acknowledged
	bytes  int64            // of these
	acks   []*flight        // recorded
	dead   []Dead           // never to be recorded
	graves []*flight        // their flights, in the same order
	again  []*flight        // to be offered again
	acked  uint64
	over   bool // nothing is offered any more; unanswered messages are left
}

// flight is a message under way.
type flight struct {
	msg   *Message
	event *lukasa.Event
	wait  backoff
	due   time.Time // when it is offered again
}

func newPass(c *Consumer, src Source) *pass {
	return &pass{
		c: c, src: src, flying: make(map[*flight]bool),
		wake: make(chan struct{}, 1), free: make(chan struct{}, 1), broken: make(chan struct{}),
	}
}

// run works until ctx is done or the connection is given up.
func (p *pass) run(ctx context.Context) error {
	fetching, stop := context.WithCancel(ctx)
	defer stop()
	// Messages under way are completed even when no more are fetched.
	settling, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	var all sync.WaitGroup
	all.Go(func() {
		if err := p.settle(settling); err != nil {
			p.fail(err)
			stop()
		}
	})
	all.Go(func() { p.inform(settling) })
	if err := p.fetch(fetching); err != nil {
		p.fail(err)
	} else {
		p.finish()
	}
	p.leave()
	end()
	all.Wait()
	return p.failure
}

// fail gives the connection up.
func (p *pass) fail(err error) {
	p.once.Do(func() {
		p.failure = err
		close(p.broken)
	})
}

// moved reports whether the connection completed any message.
func (p *pass) moved() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.acked > 0
}

// fetch brings messages to the gate.
func (p *pass) fetch(ctx context.Context) error {
	wait := backoff{min: p.c.o.MinBackoff, max: p.c.o.MaxBackoff}
	for failed := 0; ; {
		n := p.room(ctx)
		if ctx.Err() != nil {
			return nil
		}
		p.offerAgain(ctx)
		if n == 0 {
			continue
		}
		msgs, err := p.src.Fetch(ctx, n)
		p.board(ctx, msgs)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			failed = 0
			wait.reset()
		default:
			p.c.counts.trouble(err)
			if failed++; failed >= attempts {
				return err
			}
			sleep(ctx, wait.next())
		}
	}
}

// room waits until something can be fetched or offered again, and returns how much can
// be fetched.
func (p *pass) room(ctx context.Context) int {
	for {
		p.mu.Lock()
		n := min(p.c.o.Batch, p.c.o.InFlight-len(p.flying))
		if p.bytes >= p.c.o.Bytes {
			n = 0
		}
		var due time.Time
		for _, f := range p.again {
			if due.IsZero() || f.due.Before(due) {
				due = f.due
			}
		}
		p.mu.Unlock()
		if n > 0 || !due.IsZero() && !due.After(time.Now()) {
			return max(n, 0)
		}
		pause := time.Hour
		if !due.IsZero() {
			pause = time.Until(due)
		}
		timer := time.NewTimer(pause)
		select {
		case <-p.free:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return 0
		}
		timer.Stop()
	}
}

// board takes messages on: from here on they are in flight.
func (p *pass) board(ctx context.Context, msgs []*Message) {
	flights := make([]*flight, len(msgs))
	n := &p.c.counts
	p.mu.Lock()
	for i, m := range msgs {
		flights[i] = &flight{msg: m, wait: backoff{min: p.c.o.MinBackoff, max: p.c.o.MaxBackoff}}
		p.flying[flights[i]] = true
		p.bytes += int64(len(m.Body))
		n.consumed.Add(1)
		n.received.Add(uint64(len(m.Body)))
		n.inFlight.Add(1)
		n.bytes.Add(int64(len(m.Body)))
		if m.Again {
			n.redelivered.Add(1)
		}
	}
	p.mu.Unlock()
	for _, f := range flights {
		ev, err := p.c.read(f.msg)
		if err != nil {
			p.settled(f, err)
			continue
		}
		f.event = ev
		p.offer(ctx, f)
	}
}

// offer hands an event to the gate.
func (p *pass) offer(ctx context.Context, f *flight) {
	if admit := p.c.o.Admit; admit != nil {
		if err := admit(f.event, len(f.msg.Body)); err != nil {
			p.admitted(f, err)
			return
		}
	}
	p.c.o.Gate.Offer(ctx, p.c.writer, f.event, func(r lukasa.EventReceipt, err error) {
		switch {
		case err != nil:
			p.later(f) // the error is not about the event
		case r.Disposition == lukasa.Refused:
			p.admitted(f, r.Fault)
		default:
			p.c.counts.took(r.Disposition)
			p.settled(f, nil)
		}
	})
}

// admitted handles an event that was refused.
func (p *pass) admitted(f *flight, err error) {
	if passes(err) {
		p.later(f)
	} else {
		p.settled(f, err)
	}
}

// took counts a recorded event by its disposition.
func (n *counts) took(d lukasa.Disposition) {
	switch d {
	case lukasa.Own:
	case lukasa.Duplicate:
		n.duplicates.Add(1)
	case lukasa.Late:
		n.late.Add(1)
		n.recorded.Add(1)
	default:
		n.recorded.Add(1)
	}
}

// settled marks a message to be acknowledged, or buried if there is a reason.
func (p *pass) settled(f *flight, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if why == nil {
		p.acks = append(p.acks, f)
	} else {
		p.dead = append(p.dead, bury(f.msg, why))
		p.graves = append(p.graves, f)
	}
	ring(p.wake)
}

// later schedules a message for a retry after a temporary error.
func (p *pass) later(f *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		p.land(f)
		return
	}
	f.due = time.Now().Add(f.wait.next())
	p.again = append(p.again, f)
	ring(p.free)
}

// offerAgain offers messages whose wait has ended, in the order of their return.
func (p *pass) offerAgain(ctx context.Context) {
	now := time.Now()
	var due, rest []*flight
	p.mu.Lock()
	for _, f := range p.again {
		if f.due.After(now) {
			rest = append(rest, f)
		} else {
			due = append(due, f)
		}
	}
	p.again = rest
	p.mu.Unlock()
	for _, f := range due {
		p.c.counts.retried.Add(1)
		p.offer(ctx, f)
	}
}

// settle acknowledges and buries until ctx is done.
func (p *pass) settle(ctx context.Context) error {
	for {
		select {
		case <-p.wake:
		case <-ctx.Done():
			return nil
		}
		if err := errors.Join(p.acknowledge(ctx), p.bury(ctx)); err != nil {
			return err
		}
	}
}

// acknowledge acknowledges the recorded messages.
func (p *pass) acknowledge(ctx context.Context) error {
	p.mu.Lock()
	list := p.acks
	p.acks = nil
	p.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	msgs := make([]*Message, len(list))
	for i, f := range list {
		msgs[i] = f.msg
	}
	if err := p.try(ctx, func(ctx context.Context) error { return p.src.Ack(ctx, msgs) }); err != nil {
		return err
	}
	p.c.counts.acked.Add(uint64(len(list)))
	p.landed(list)
	return nil
}

// bury stores the dead letters.
func (p *pass) bury(ctx context.Context) error {
	p.mu.Lock()
	dead, graves := p.dead, p.graves
	p.dead, p.graves = nil, nil
	p.mu.Unlock()
	if len(dead) == 0 {
		return nil
	}
	p.c.o.Log.Warn("messages become dead letters", "messages", len(dead), "code", dead[0].Code, "detail", dead[0].Detail, "subject", dead[0].Message.Subject, "offset", dead[0].Message.Offset)
	return p.try(ctx, func(ctx context.Context) error {
		n, err := p.src.Bury(ctx, dead)
		p.c.counts.dead.Add(uint64(n))
		p.landed(graves[:n])
		dead, graves = dead[n:], graves[n:]
		return err
	})
}

// try calls the broker, and retries after a wait if it fails.
func (p *pass) try(ctx context.Context, call func(context.Context) error) error {
	wait := backoff{min: p.c.o.MinBackoff, max: p.c.o.MaxBackoff}
	for failed := 1; ; failed++ {
		err := p.call(ctx, call)
		if err == nil {
			return nil
		}
		p.c.counts.trouble(err)
		if failed >= attempts || !sleep(ctx, wait.next()) {
			return err
		}
	}
}

// call calls the broker once.
func (p *pass) call(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, p.c.o.Timeout)
	defer cancel()
	return call(ctx)
}

// landed completes messages.
func (p *pass) landed(list []*flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range list {
		p.acked++
		p.land(f)
	}
}

// land stops tracking a message. The caller holds the lock.
func (p *pass) land(f *flight) {
	if !p.flying[f] {
		return
	}
	delete(p.flying, f)
	p.bytes -= int64(len(f.msg.Body))
	p.c.counts.inFlight.Add(-1)
	p.c.counts.bytes.Add(-int64(len(f.msg.Body)))
	ring(p.free)
}

// finish waits for messages under way, at most for the grace. Messages with temporary
// errors are left with the broker.
func (p *pass) finish() {
	p.mu.Lock()
	p.over = true
	for _, f := range p.again {
		p.land(f)
	}
	p.again = nil
	p.mu.Unlock()
	timer := time.NewTimer(p.c.o.Grace)
	defer timer.Stop()
	for {
		p.mu.Lock()
		n := len(p.flying)
		p.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-p.free:
		case <-p.broken:
			return
		case <-timer.C:
			return
		}
	}
}

// leave gives up the unacknowledged messages.
func (p *pass) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for f := range p.flying {
		p.land(f)
	}
}

// inform reports to the broker which messages are in progress, and measures the lag.
func (p *pass) inform(ctx context.Context) {
	p.measure(ctx)
	lag := time.NewTicker(p.c.o.LagEvery)
	defer lag.Stop()
	var beat <-chan time.Time
	if every := p.src.Heartbeat(); every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		beat = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-lag.C:
			p.measure(ctx)
		case <-beat:
			if busy := p.busy(); len(busy) > 0 {
				p.note(p.call(ctx, func(ctx context.Context) error { return p.src.Working(ctx, busy) }))
			}
		}
	}
}

// measure updates the lag.
func (p *pass) measure(ctx context.Context) {
	p.note(p.call(ctx, func(ctx context.Context) error {
		lag, err := p.src.Lag(ctx)
		if err == nil {
			p.c.counts.lag.Store(lag)
		}
		return err
	}))
}

// note counts errors of calls that may fail without harm.
func (p *pass) note(err error) {
	if err != nil && fault.CodeOf(err) != fault.Canceled {
		p.c.counts.trouble(err)
	}
}

// busy returns the messages in flight.
func (p *pass) busy() []*Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*Message, 0, len(p.flying))
	for f := range p.flying {
		list = append(list, f.msg)
	}
	return list
}

// ring wakes a sleeping goroutine, or keeps it from falling asleep.
func ring(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
