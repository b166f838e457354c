package learn

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/index"
)

// The wait before a failed compile is retried: it doubles each time.
const (
	firstRetry = time.Second
	lastRetry  = 5 * time.Minute
)

// waits reports whether background compiles are configured.
func waits(a board.CompileAfter) bool { return a.Events > 0 || a.Quiet > 0 }

// background compiles tenants that have new events. Events from before the board was
// opened count once a new one arrives.
type background struct {
	board.NopFollower
	b     *Learner
	after board.CompileAfter
	wake  chan struct{} // has an item if the goroutine should check what is due
	end   context.CancelFunc
	done  chan struct{} // closed when it has ended

	failures atomic.Uint64

	mu       sync.Mutex
	waiting  map[string]*waiting
	compiled map[string]time.Time // when a compile of a tenant began last
}

// waiting is the new events of a tenant.
type waiting struct {
	events int
	last   time.Time // when the last one arrived
	ended  bool      // a session ended
	tries  int       // failed attempts
	retry  time.Time // not before this time, after a failure
}

// ends reports whether an event says that its session ended.
func ends(ev *hmx.Event) bool {
	if ev.EventType != hmx.TypeStateChange {
		return false
	}
	c, ok := ev.StateChange()
	return ok && c.Subject == "session" && c.To == "ended"
}

// Start starts the background goroutine, if background compiles are configured.
func (b *Learner) Start() {
	if !waits(b.core.Options().CompileAfter) {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	b.background = &background{
		b: b, after: b.core.Options().CompileAfter, wake: make(chan struct{}, 1), end: end, done: make(chan struct{}), waiting: make(map[string]*waiting), compiled: make(map[string]time.Time),
	}
	b.core.Follow(b.background)
	go b.background.run(ctx)
}

// stop ends the goroutine and waits for it. The next compile completes what it was doing.
func (g *background) stop() {
	if g == nil {
		return
	}
	g.end()
	<-g.done
}

// Committed counts the events of a group.
func (g *background) Committed(c board.Commit) {
	if !slices.ContainsFunc(c.Records, func(r *index.Record) bool { return r.Event != nil }) {
		return
	}
	now := g.b.core.Now()
	g.mu.Lock()
	for _, r := range c.Records {
		name := r.Header.Tenant
		if r.Event == nil || name == board.SystemTenant {
			continue
		}
		if g.waiting[name] == nil {
			g.waiting[name] = &waiting{}
		}
		g.waiting[name].events++
		g.waiting[name].last = now
		g.waiting[name].ended = g.waiting[name].ended || ends(r.Event)
	}
	g.mu.Unlock()
	g.look()
}

// look makes the goroutine check what is due.
func (g *background) look() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// run compiles what is due until ctx ends.
func (g *background) run(ctx context.Context) {
	defer close(g.done)
	for {
		due, wait := g.due()
		for _, tenant := range due {
			_, err := g.b.compile(ctx, tenant.name, CompileOptions{})
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				g.mu.Lock()
				g.again(tenant)
				g.mu.Unlock()
				g.failures.Add(1)
				if g.after.Failed != nil {
					g.after.Failed(tenant.name, err)
				}
			}
			if g.after.Compiled != nil {
				g.after.Compiled(tenant.name, err)
			}
		}
		if len(due) > 0 {
			continue
		}
		timer := time.NewTimer(wait)
		if wait == 0 {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-g.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// again schedules the retry of a failed compile, with a growing wait. Events that arrive
// meanwhile wait with it.
func (g *background) again(t dueTenant) {
	w := g.waiting[t.name]
	if w == nil {
		w = &waiting{last: t.last}
		g.waiting[t.name] = w
	}
	w.events, w.ended, w.tries = w.events+t.events, w.ended || t.ended, t.tries+1
	w.retry = g.b.core.Now().Add(min(firstRetry<<min(t.tries, 16), lastRetry))
}

// CompileFailures returns how many background compiles failed.
func (b *Learner) CompileFailures() uint64 {
	if b.background == nil {
		return 0
	}
	return b.background.failures.Load()
}

// dueTenant is a tenant that is due, and its new events.
type dueTenant struct {
	name string
	waiting
}

// until returns the time until a tenant is due, and whether it ever is.
func (g *background) until(name string, w *waiting, now time.Time) (left time.Duration, ever bool) {
	soonest := func(d time.Duration) {
		if !ever || d < left {
			left, ever = d, true
		}
	}
	if w.tries > 0 {
		return w.retry.Sub(now), true
	}
	if g.after.Events > 0 && w.events >= g.after.Events {
		soonest(0)
	}
	if g.after.Quiet > 0 {
		soonest(g.after.Quiet - now.Sub(w.last))
	}
	if last, ok := g.compiled[name]; w.ended {
		if ok {
			soonest(cmp.Or(g.after.Apart, board.DefaultCompileApart) - now.Sub(last))
		} else {
			soonest(0)
		}
	}
	return left, ever
}

// due removes and returns the tenants that are due, by name, and the time until the next
// one, or zero if there is none.
func (g *background) due() (tenants []dueTenant, wait time.Duration) {
	now := g.b.core.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, w := range g.waiting {
		switch left, ever := g.until(name, w, now); {
		case !ever:
		case left <= 0:
			tenants = append(tenants, dueTenant{name, *w})
			g.compiled[name] = now
			delete(g.waiting, name)
		default:
			if left = max(left, time.Millisecond); wait == 0 || left < wait {
				wait = left
			}
		}
	}
	slices.SortFunc(tenants, func(a, b dueTenant) int { return strings.Compare(a.name, b.name) })
	return tenants, wait
}
