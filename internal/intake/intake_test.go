package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
)

var ctx = context.Background()

// on returns what is recorded of a session.
func (m *memory) on(tenant, id string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.recorded[session{tenant, id}])
}

func TestGapFreeRunDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := newMemory()
		gate := newGate(board, Options{})
		defer gate.Close()
		got := newAnswers()
		start := time.Now()
		for i := range int64(100) {
			gate.Offer(ctx, lukasa.Writer{}, event("t", "s", fmt.Sprint("e", i), i), got.to(fmt.Sprint(i)))
		}
		got.all.Wait()
		if d := time.Since(start); d != 0 {
			t.Errorf("it took %s", d)
		}
		got.once(t, 100)
	})
}

// The first session of a tenant that begins at 1 waits once; later ones do not.
func TestSessionsThatBeginAtOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := newGate(newMemory(), Options{})
		defer gate.Close()
		waits := func(tenant, session string, sequence int64) time.Duration {
			got := newAnswers()
			start := time.Now()
			gate.Offer(ctx, lukasa.Writer{}, event(tenant, session, tenant+session+fmt.Sprint(sequence), sequence), got.to("e"))
			got.all.Wait()
			return time.Since(start)
		}
		for _, row := range []struct {
			tenant, session string
			sequence        int64
			want            time.Duration
		}{
			{"t", "s1", 1, DefaultWindow}, {"t", "s1", 2, 0}, {"t", "s2", 1, 0}, {"t", "s3", 1, 0},
			{"other", "s1", 1, DefaultWindow},
			{"t", "s4", 2, DefaultWindow}, // 1 is missing
			{"t", "s5", 0, 0},             // sessions begin at 0 again
			{"t", "s6", 1, DefaultWindow},
		} {
			if d := waits(row.tenant, row.session, row.sequence); d != row.want {
				t.Errorf("%s/%s %d waited %s, want %s", row.tenant, row.session, row.sequence, d, row.want)
			}
		}
	})
}

// A session may go on without the gate; the gate asks the board.
func TestSessionThatWentOnElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := newMemory()
		gate := newGate(board, Options{})
		defer gate.Close()
		got := newAnswers()
		gate.Offer(ctx, lukasa.Writer{}, event("t", "s", "e0", 0), got.to("e0"))
		got.all.Wait()
		if _, err := board.Append(ctx, lukasa.Writer{}, event("t", "s", "e1", 1), event("t", "s", "e2", 2)); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		gate.Offer(ctx, lukasa.Writer{}, event("t", "s", "e3", 3), got.to("e3"))
		got.all.Wait()
		if d := time.Since(start); d != 0 {
			t.Errorf("it waited %s", d)
		}
	})
}

func TestManyWritersShareSessions(t *testing.T) {
	board := newMemory()
	gate := newGate(board, Options{MaxEvents: 64})
	got := newAnswers()
	var all sync.WaitGroup
	const writers, events, sessions = 8, 400, 5
	for w := range writers {
		all.Go(func() {
			for i := w; i < events; i += writers {
				for s := range sessions {
					name := fmt.Sprint("s", s, "e", i)
					gate.Offer(ctx, lukasa.Writer{Actor: fmt.Sprint("w", w)}, event("t", fmt.Sprint("s", s), name, int64(i)), got.to(name))
				}
			}
		})
	}
	all.Wait()
	gate.Close()
	got.all.Wait()
	got.once(t, events*sessions)
	for s := range sessions {
		if list := board.on("t", fmt.Sprint("s", s)); len(list) != events {
			t.Errorf("session %d: %d of %d are on record", s, len(list), events)
		}
	}
	if s := gate.Stats(); s.Unanswered != 0 || s.Offered != events*sessions || s.Answered != s.Offered {
		t.Errorf("%+v", s)
	}
}

// Events of one session by two writers, offered at the same time, are recorded in
// order.
func TestWritersTakeTurns(t *testing.T) {
	board := newMemory()
	board.block = make(chan struct{})
	gate := newGate(board, Options{Lanes: 1})
	got := newAnswers()
	var want []string
	for i := range int64(50) {
		id := fmt.Sprint("e", i)
		want = append(want, id)
		gate.Offer(ctx, lukasa.Writer{Actor: fmt.Sprint("w", i%3)}, event("t", "s", id, i), got.to(id))
	}
	close(board.block)
	got.all.Wait()
	gate.Close()
	if list := board.on("t", "s"); !slices.Equal(list, want) {
		t.Errorf("recorded %v", list)
	}
	got.once(t, 50)
}

func TestOfferWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := newMemory()
		board.block = make(chan struct{})
		gate := newGate(board, Options{MaxEvents: 4})
		got := newAnswers()
		for i := range int64(4) {
			gate.Offer(ctx, lukasa.Writer{}, event("t", "s", fmt.Sprint("e", i), i), got.to(fmt.Sprint(i)))
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		gate.Offer(short, lukasa.Writer{}, event("t", "s", "given up", 4), got.to("given up"))
		if err := got.errs["given up"]; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who gave up got %v", err)
		}
		in := make(chan struct{})
		go func() {
			gate.Offer(ctx, lukasa.Writer{}, event("t", "s", "e4", 4), got.to("e4"))
			close(in)
		}()
		synctest.Wait()
		select {
		case <-in:
			t.Error("it came in without room")
		default:
		}
		close(board.block)
		<-in
		got.all.Wait()
		gate.Close()
		if n := len(board.on("t", "s")); n != 5 {
			t.Errorf("%d are on record", n)
		}
		got.once(t, 6)
	})
}

// A stream full of gaps neither takes the room of one without gaps nor stops it.
func TestGapsDoNotStopOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := newMemory()
		gate := newGate(board, Options{MaxEvents: 16})
		got := newAnswers()
		start := time.Now()
		for i := range int64(200) {
			gate.Offer(ctx, lukasa.Writer{}, event("evil", fmt.Sprint("s", i%5), fmt.Sprint("x", i), 10+2*i), got.to(fmt.Sprint("x", i)))
			gate.Offer(ctx, lukasa.Writer{}, event("good", "s", fmt.Sprint("e", i), i), got.to(fmt.Sprint("e", i)))
		}
		synctest.Wait()
		if d := time.Since(start); d != 0 {
			t.Errorf("it took %s", d)
		}
		if n := len(board.on("good", "s")); n != 200 {
			t.Errorf("%d of the good ones are on record", n)
		}
		if s := gate.Stats(); s.Waiting > 8 || s.Unanswered > 16 || s.Early == 0 {
			t.Errorf("%+v", s)
		}
		gate.Close()
		got.once(t, 400)
	})
}

func TestLargeEventIsTakenInAlone(t *testing.T) {
	board := newMemory()
	gate := newGate(board, Options{MaxBytes: 10})
	got := newAnswers()
	for i := range int64(20) {
		gate.Offer(ctx, lukasa.Writer{}, event("t", "s", fmt.Sprint("e", i), i), got.to(fmt.Sprint(i)))
	}
	got.all.Wait()
	gate.Close()
	got.once(t, 20)
	if n := len(board.on("t", "s")); n != 20 {
		t.Errorf("%d are on record", n)
	}
}

func TestTroubleIsAnswered(t *testing.T) {
	full := fault.New(fault.DiskFull, "no room")
	for _, row := range []struct {
		name string
		make func(*memory)
		code fault.Code
	}{
		{"failure", func(m *memory) { m.fail = full }, fault.DiskFull},
		{"panic", func(m *memory) { m.panics = true }, fault.Internal},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				board := newMemory()
				row.make(board)
				gate := newGate(board, Options{})
				got := newAnswers()
				for i := range int64(30) {
					gate.Offer(ctx, lukasa.Writer{Actor: fmt.Sprint(i % 2)}, event("t", fmt.Sprint("s", i%3), fmt.Sprint("e", i), i), got.to(fmt.Sprint(i)))
				}
				got.all.Wait()
				for name, err := range got.errs {
					if fault.CodeOf(err) != row.code {
						t.Errorf("%s: %v", name, err)
					}
				}
				// It goes on once the board does.
				board.mu.Lock()
				board.fail, board.panics = nil, false
				board.mu.Unlock()
				gate.Offer(ctx, lukasa.Writer{}, event("t", "s9", "after", 0), got.to("after"))
				gate.Close()
				if err := got.errs["after"]; err != nil {
					t.Errorf("afterwards: %v", err)
				}
				got.once(t, 31)
			})
		})
	}
}

func TestClosedGateAnswers(t *testing.T) {
	gate := newGate(newMemory(), Options{})
	got := newAnswers()
	gate.Offer(ctx, lukasa.Writer{}, event("t", "s", "waits", 7), got.to("waits"))
	gate.Close()
	gate.Close()
	gate.Offer(ctx, lukasa.Writer{}, event("t", "s", "too late", 8), got.to("too late"))
	gate.Offer(ctx, lukasa.Writer{}, nil, got.to("nil"))
	got.once(t, 3)
	if got.errs["waits"] != nil || fault.CodeOf(got.errs["too late"]) != fault.Closed || fault.CodeOf(got.errs["nil"]) != fault.InvalidArgument {
		t.Errorf("%v", got.errs)
	}
}

// Callers that wait for room when the gate closes are refused, and every offer is
// answered.
func TestCloseWithOffersAtTheDoor(t *testing.T) {
	for range 50 {
		gate := newGate(newMemory(), Options{MaxEvents: 2})
		got := newAnswers()
		var all sync.WaitGroup
		for i := range int64(40) {
			all.Go(func() {
				gate.Offer(ctx, lukasa.Writer{}, event("t", fmt.Sprint("s", i), fmt.Sprint("e", i), i%3), got.to(fmt.Sprint(i)))
			})
		}
		gate.Close()
		all.Wait()
		got.once(t, 40)
	}
}

// Events under way count as recorded: the next one of the session does not wait for
// them.
func TestSessionUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := newMemory()
		board.block = make(chan struct{})
		gate := newGate(board, Options{})
		got := newAnswers()
		start := time.Now()
		for i := range int64(20) {
			gate.Offer(ctx, lukasa.Writer{}, event("t", "s", fmt.Sprint("e", i), i), got.to(fmt.Sprint(i)))
			synctest.Wait() // one group each
		}
		close(board.block)
		got.all.Wait()
		if d := time.Since(start); d != 0 {
			t.Errorf("it waited %s", d)
		}
		gate.Close()
		got.once(t, 20)
	})
}
