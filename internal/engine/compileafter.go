package engine

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// CompileAfter says when a board compiles a tenant by itself. The zero value is never.
type CompileAfter struct {
	// Events is how many events are new. Zero means that they are not counted.
	Events int
	// Quiet is how long nothing came, if something is new. Zero means that it is not
	// waited for.
	Quiet time.Duration
}

// set reports whether there is anything to wait for.
func (a CompileAfter) set() bool { return a.Events > 0 || a.Quiet > 0 }

// background compiles tenants that have new events. What was new before the board was
// opened counts once something comes.
type background struct {
	b     *Board
	after CompileAfter
	wake  chan struct{} // has an item if somebody is to look what is due
	end   context.CancelFunc
	done  chan struct{} // is closed when it has ended

	mu      sync.Mutex
	waiting map[string]*waiting
	told    func(tenant string, err error) // of each compile; for tests
}

// waiting is what is new of a tenant.
type waiting struct {
	events int
	last   time.Time // when something came
}

// startCompiling starts the goroutine that compiles, if there is anything to wait for.
func (b *Board) startCompiling() {
	if !b.o.CompileAfter.set() {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	b.background = &background{
		b: b, after: b.o.CompileAfter, wake: make(chan struct{}, 1), end: end, done: make(chan struct{}), waiting: make(map[string]*waiting),
	}
	go b.background.run(ctx)
}

// stop ends the goroutine and waits for it. What it was at is completed by the next
// compile.
func (g *background) stop() {
	if g == nil {
		return
	}
	g.end()
	<-g.done
}

// note counts the events that a batch brought.
func (g *background) note(batch *eventBatch, res *AppendResult) {
	if g == nil {
		return
	}
	now := g.b.o.Clock()
	g.mu.Lock()
	for i := range res.Receipts {
		if d := res.Receipts[i].Disposition; d != Accepted && d != Late {
			continue
		}
		name := batch.events[i].header.Tenant
		if name == SystemTenant {
			continue
		}
		if g.waiting[name] == nil {
			g.waiting[name] = &waiting{}
		}
		g.waiting[name].events++
		g.waiting[name].last = now
	}
	g.mu.Unlock()
	g.look()
}

// look has the goroutine look what is due.
func (g *background) look() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// run compiles what is due until it is told to end.
func (g *background) run(ctx context.Context) {
	defer close(g.done)
	for {
		due, wait := g.due()
		for _, tenant := range due {
			_, err := g.b.compile(ctx, tenant, CompileOptions{})
			if ctx.Err() != nil {
				return
			}
			g.mu.Lock()
			told := g.told
			g.mu.Unlock()
			if told != nil {
				told(tenant, err) // nobody else is told: the next compile tries again
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

// due takes out the tenants that are to be compiled now, by name, and returns how long
// it is until the next may be, or zero if none is waited for.
func (g *background) due() (tenants []string, wait time.Duration) {
	now := g.b.o.Clock()
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, w := range g.waiting {
		quiet := now.Sub(w.last)
		switch {
		case g.after.Events > 0 && w.events >= g.after.Events, g.after.Quiet > 0 && quiet >= g.after.Quiet:
			tenants = append(tenants, name)
			delete(g.waiting, name)
		case g.after.Quiet > 0:
			if left := max(g.after.Quiet-quiet, time.Millisecond); wait == 0 || left < wait {
				wait = left
			}
		}
	}
	slices.SortFunc(tenants, strings.Compare)
	return tenants, wait
}
