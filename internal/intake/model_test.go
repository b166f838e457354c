package intake

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
)

// model says what a gate has to record, as simply as possible: one event at a time,
// with lists that are searched and sorted each time.
type model struct {
	window   time.Duration
	now      time.Time
	sessions map[session]*modelSession
	fromOne  map[string]bool
}

type modelSession struct {
	recorded []string
	reached  int64 // on record, or -1
	high     int64 // released while others wait
	held     []modelHeld
}

type modelHeld struct {
	event    *lukasa.Event
	deadline time.Time
}

func (m *model) session(ev *lukasa.Event) *modelSession {
	key := session{ev.TenantID, ev.SessionID}
	if m.sessions[key] == nil {
		m.sessions[key] = &modelSession{reached: -1}
	}
	return m.sessions[key]
}

// offer takes one event in.
func (m *model) offer(ev *lukasa.Event) {
	s := m.session(ev)
	if len(s.held) == 0 {
		s.high = s.reached
		if s.reached < 0 && m.fromOne[ev.TenantID] {
			s.high = 0
		}
	}
	s.held = append(s.held, modelHeld{ev, m.now.Add(m.window)})
	m.flow(s)
}

// flow releases the events that nothing is missing before.
func (m *model) flow(s *modelSession) {
	for s.sort(); len(s.held) > 0 && s.held[0].event.Sequence <= s.high+1; s.sort() {
		m.record(s)
	}
}

// sleep advances the time, and lets windows end.
func (m *model) sleep(d time.Duration) {
	m.now = m.now.Add(d)
	for {
		var first *modelSession
		var at time.Time
		for _, s := range m.sessions {
			for _, h := range s.held {
				if !h.deadline.After(m.now) && (first == nil || h.deadline.Before(at)) {
					first, at = s, h.deadline
				}
			}
		}
		if first == nil {
			return
		}
		first.sort()
		m.record(first)
		m.flow(first)
	}
}

func (m *model) record(s *modelSession) {
	ev := s.held[0].event
	s.held = s.held[1:]
	if ev.Sequence == 0 {
		delete(m.fromOne, ev.TenantID)
	} else if ev.Sequence == 1 && s.high == -1 {
		m.fromOne[ev.TenantID] = true
	}
	s.high = max(s.high, ev.Sequence)
	if ev.EventID[0] != 'b' && !slices.Contains(s.recorded, ev.EventID) {
		s.recorded = append(s.recorded, ev.EventID)
		s.reached = max(s.reached, ev.Sequence)
	}
}

func (s *modelSession) sort() {
	slices.SortStableFunc(s.held, func(a, b modelHeld) int { return hmx.CompareEvents(a.event, b.event) })
}

// After each step of a random history, the records of every session match the model,
// in order; and each offer is answered once.
func TestAgainstModel(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) { history(t, seed) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func history(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	window := time.Duration(1+random.IntN(5)) * time.Second
	board := newMemory()
	gate := newGate(board, Options{Window: window, Lanes: 1 + random.IntN(4)})
	m := &model{window: window, now: time.Now(), sessions: map[session]*modelSession{}, fromOne: map[string]bool{}}
	got := newAnswers()
	var sent []*lukasa.Event
	offer := func(ev *lukasa.Event, name string) {
		w := lukasa.Writer{Actor: fmt.Sprint("w", random.IntN(3))}
		gate.Offer(context.Background(), w, ev, got.to(name))
	}
	offers := 0
	for step := range 60 {
		if random.IntN(3) == 0 {
			d := time.Duration(random.IntN(3000)) * time.Millisecond
			time.Sleep(d)
			synctest.Wait()
			m.sleep(d)
		} else {
			ev := drawEvent(random, step, sent)
			sent = append(sent, ev)
			offer(ev, fmt.Sprint(offers))
			offers++
			synctest.Wait()
			m.offer(ev)
		}
		compare(t, m, board)
	}
	gate.Close()
	for _, s := range m.sessions {
		for s.sort(); len(s.held) > 0; s.sort() {
			m.record(s)
		}
	}
	compare(t, m, board)
	got.once(t, offers)
	if s := gate.Stats(); s.Unanswered != 0 || s.Bytes != 0 || s.Waiting != 0 || s.Answered != s.Offered {
		t.Errorf("after the end: %+v", s)
	}
}

// drawEvent returns an event near the earlier ones, sometimes a repeated one.
func drawEvent(random *rand.Rand, step int, sent []*lukasa.Event) *lukasa.Event {
	if len(sent) > 0 && random.IntN(8) == 0 {
		return sent[random.IntN(len(sent))]
	}
	id := fmt.Sprint("e", step)
	if random.IntN(10) == 0 {
		id = fmt.Sprint("bad", step)
	}
	return event(fmt.Sprint("t", random.IntN(2)), fmt.Sprint("s", random.IntN(4)), id, int64(random.IntN(step/4+3)))
}

func compare(t *testing.T, m *model, board *memory) {
	t.Helper()
	board.mu.Lock()
	defer board.mu.Unlock()
	for key, s := range m.sessions {
		if !slices.Equal(s.recorded, board.recorded[key]) {
			t.Fatalf("%v at %v:\n got %v\nwant %v", key, m.now, board.recorded[key], s.recorded)
		}
	}
}
