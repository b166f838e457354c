package journal

import (
	"fmt"
	"sync"
)

// MaxGroup is the most requests that a [Committer] hands to one run.
const MaxGroup = 1024

// Committer groups requests that arrive at the same time, so that one write
// and one sync serve them all. It has no goroutine of its own: the first
// caller runs for all waiting callers, and callers that arrive meanwhile form
// the next group. Requests are served in order of arrival. Handing over
// allocates nothing.
type Committer[R any] struct {
	run  func(group []R)
	pool sync.Pool
	// Only the goroutine that runs touches group.
	group []R

	mu      sync.Mutex
	busy    bool
	waiting line[R]
}

// waiter is a caller of Do that waits.
type waiter[R any] struct {
	request R
	next    *waiter[R]
	wake    chan outcome
}

// outcome is the reason why a waiter is woken.
type outcome struct {
	lead   bool // the waiter runs the next group
	reason any  // not nil: run did not return
}

// line is an intrusive queue of waiters.
type line[R any] struct {
	first, last *waiter[R]
	n           int
}

func (l *line[R]) push(w *waiter[R]) {
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
	l.n++
}

// take removes the first n waiters and returns the first of them.
func (l *line[R]) take(n int) *waiter[R] {
	first := l.first
	if n >= l.n {
		*l = line[R]{}
		return first
	}
	if n == 0 {
		return nil
	}
	end := first
	for range n - 1 {
		end = end.next
	}
	l.first, end.next = end.next, nil
	l.n -= n
	return first
}

// NewCommitter returns a committer that calls run, from one goroutine at a
// time, with one to [MaxGroup] requests. The slice is run's until it returns;
// results travel inside the requests.
func NewCommitter[R any](run func(group []R)) *Committer[R] {
	c := &Committer[R]{run: run}
	c.pool.New = func() any { return &waiter[R]{wake: make(chan outcome, 1)} }
	return c
}

// Do returns when run has returned from a group that contained r. If run
// panics, Do panics in all callers of that group, so that none takes it for
// done, and the next group runs as usual.
func (c *Committer[R]) Do(r R) {
	c.mu.Lock()
	if !c.busy {
		c.busy = true
		c.mu.Unlock()
		c.lead(r)
		return
	}
	w := c.pool.Get().(*waiter[R])
	w.request = r
	c.waiting.push(w)
	c.mu.Unlock()

	out := <-w.wake
	var zero R
	w.request, w.next = zero, nil
	c.pool.Put(w)
	switch {
	case out.lead:
		c.lead(r)
	case out.reason != nil:
		panic(out.reason)
	}
}

// lead runs a group of r and all waiting requests.
func (c *Committer[R]) lead(r R) {
	c.mu.Lock()
	members := c.waiting.take(MaxGroup - 1)
	c.mu.Unlock()
	c.group = append(c.group[:0], r)
	for w := members; w != nil; w = w.next {
		c.group = append(c.group, w.request)
	}
	done := false
	defer func() {
		if done {
			c.pass(members, nil)
			return
		}
		// run panicked, or ended its goroutine.
		reason := recover()
		if reason == nil {
			c.pass(members, "journal: the goroutine that committed this group was ended")
			return
		}
		c.pass(members, fmt.Sprintf("journal: the commit of this group panicked: %v", reason))
		panic(reason)
	}()
	c.run(c.group)
	done = true
}

// pass ends a group: it hands over to the first waiter, and wakes the members
// of the group.
func (c *Committer[R]) pass(members *waiter[R], reason any) {
	clear(c.group)
	c.mu.Lock()
	next := c.waiting.take(1)
	c.busy = next != nil
	c.mu.Unlock()
	// The next group can start while the members are still being woken.
	if next != nil {
		next.wake <- outcome{lead: true}
	}
	for w := members; w != nil; {
		behind := w.next // w belongs to its caller once it is woken
		w.wake <- outcome{reason: reason}
		w = behind
	}
}
