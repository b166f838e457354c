package intake

import (
	"slices"
	"sync"

	"lukasa.dev"
)

const (
	// maxRound is the maximum number of events that go to the board together, and
	// maxAtOnce the number of concurrent writers. The board puts them into one group.
	maxRound  = 4096
	maxAtOnce = 256
)

// lane sends events to the board, round after round. While one round is written, the
// next gathers.
type lane struct {
	gate *Gate
	wake chan struct{}

	mu     sync.Mutex
	queue  []*offer
	closed bool
}

// add puts an offer into the queue.
func (l *lane) add(o *offer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, o)
}

// close ends the lane when its queue is empty.
func (l *lane) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	ring(l.wake)
}

// run records until the lane is closed.
func (l *lane) run() {
	for range l.wake {
		for round := l.take(); len(round) > 0; round = l.take() {
			for _, stage := range stages(round) {
				l.record(stage)
			}
		}
		if l.over() {
			return
		}
	}
}

// take returns the next round.
func (l *lane) take() []*offer {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.queue), maxRound)
	round := slices.Clone(l.queue[:n])
	rest := copy(l.queue, l.queue[n:])
	clear(l.queue[rest:])
	l.queue = l.queue[:rest]
	return round
}

// over reports whether the lane is closed and empty.
func (l *lane) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed && len(l.queue) == 0
}

// record records the groups of one stage concurrently.
func (l *lane) record(stage []group) {
	if len(stage) == 1 {
		l.gate.record(stage[0].writer, stage[0].offers)
		return
	}
	for part := range slices.Chunk(stage, maxAtOnce) {
		var under sync.WaitGroup
		for _, g := range part {
			under.Go(func() { l.gate.record(g.writer, g.offers) })
		}
		under.Wait()
	}
}

// group is the events of one writer in a stage.
type group struct {
	writer lukasa.Writer
	offers []*offer
}

// stages cuts a round into groups that can be recorded concurrently, and into stages
// that run one after the other: where the writer changes within a session, the rest of
// the session goes to the next stage. Each session keeps its order.
func stages(round []*offer) [][]group {
	type place struct {
		writer lukasa.Writer
		stage  int
	}
	if one := round[0].writer; !slices.ContainsFunc(round, func(o *offer) bool { return o.writer != one }) {
		return [][]group{{{one, round}}}
	}
	var list [][]group
	last := make(map[session]place)
	at := make(map[place]int)
	for _, o := range round {
		key := session{o.event.TenantID, o.event.SessionID}
		p, seen := last[key]
		switch {
		case !seen:
			p = place{o.writer, 0}
		case p.writer != o.writer:
			p = place{o.writer, p.stage + 1}
		}
		last[key] = p
		if p.stage == len(list) {
			list = append(list, nil)
		}
		i, there := at[p]
		if !there {
			i = len(list[p.stage])
			at[p] = i
			list[p.stage] = append(list[p.stage], group{writer: o.writer})
		}
		list[p.stage][i].offers = append(list[p.stage][i].offers, o)
	}
	return list
}
