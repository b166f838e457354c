package ingesttest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/ingest"
	"lukasa.dev/internal/intake"
)

// Start returns a broker with a stream of its own for a test. ackWait is the broker's
// timeout for redelivery, if it has one.
type Start func(t *testing.T, ackWait time.Duration) Broker

// AckWait is long enough for an overloaded machine.
const AckWait = 15 * time.Second

// Run runs the whole suite.
func Run(t *testing.T, start Start) {
	for _, c := range []struct {
		name string
		test func(*world)
		o    intake.Options
	}{
		{"Good", testGood, intake.Options{}},
		{"Garbage", testGarbage, intake.Options{}},
		{"MuchGarbage", testMuchGarbage, intake.Options{}},
		{"Duplicates", testDuplicates, intake.Options{}},
		{"Disorder", testDisorder, intake.Options{Window: patience}},
		{"Gap", testGap, intake.Options{Window: 50 * time.Millisecond}},
		{"Restart", testRestart, intake.Options{}},
		{"KilledBeforeAck", testKilledBeforeAck, intake.Options{}},
		{"LostAcks", testLostAcks, intake.Options{}},
		{"StopAndGoOn", testStopAndGoOn, intake.Options{}},
		{"TroubleThatPasses", testTroubleThatPasses, intake.Options{}},
		{"TwoShare", testTwoShare, intake.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(newWorld(t, start(t, AckWait), c.o)) })
	}
	t.Run("Waiting", func(t *testing.T) {
		testWaiting(newWorld(t, start(t, 600*time.Millisecond), intake.Options{Window: patience}))
	})
}

// testGood: everything is recorded, in order, and acknowledged.
func testGood(w *world) {
	const sessions, events = 5, 100
	for i := range int64(events) {
		var batch []wire.Message
		for s := range sessions {
			batch = append(batch, message(fmt.Sprint("s", s), i))
		}
		w.broker.Publish(w.t, batch...)
	}
	c := w.consume(nil)
	c.settled(w.t, sessions*events)
	for s := range sessions {
		name := fmt.Sprint("s", s)
		if got := w.session(name); !slices.Equal(got, ids(name, 0, events)) {
			w.t.Errorf("%s: %v", name, got)
		}
	}
	// Later messages are taken in too.
	w.broker.Publish(w.t, run("later", 0, 10)...)
	c.settled(w.t, sessions*events+10)
	w.recorded(sessions*events + 10)
	s := c.Stats()
	if s.Recorded != sessions*events+10 || s.Dead+s.Duplicates+s.Late+s.Retried != 0 || s.Consumed != s.Acked || !s.Connected || s.Bytes != 0 {
		w.t.Errorf("%+v", s)
	}
	w.letters(nil)
}

// letters fails unless exactly these are the dead letters: body and code.
func (w *world) letters(want map[string]string) {
	w.t.Helper()
	got := w.broker.Letters(w.t)
	if len(got) != len(want) {
		w.t.Errorf("%d dead letters, want %d", len(got), len(want))
	}
	for _, l := range got {
		code, ok := want[l.Body]
		if !ok || l.Headers[ingest.HeaderCode] != code {
			w.t.Errorf("a dead letter %.100q with %q, want %q", l.Body, l.Headers, code)
		}
		for _, name := range []string{ingest.HeaderDetail, ingest.HeaderSubject, ingest.HeaderOffset} {
			if l.Headers[name] == "" {
				w.t.Errorf("a dead letter %.100q without %s", l.Body, name)
			}
		}
	}
}

// testGarbage: each invalid message becomes a dead letter with its bytes, and no valid
// message is lost.
func testGarbage(w *world) {
	want := make(map[string]string)
	n := int64(0)
	for name, m := range garbage() {
		want[string(m.Body)] = string(fault.InvalidDocument)
		if name == "another tenant" {
			want[string(m.Body)] = string(fault.NotPermitted)
		}
		w.broker.Publish(w.t, message("s", n), m)
		n++
	}
	c := w.consume(nil)
	c.settled(w.t, int(n)+len(want))
	if got := w.session("s"); !slices.Equal(got, ids("s", 0, n)) {
		w.t.Errorf("%v", got)
	}
	w.recorded(int(n))
	w.letters(want)
	if s := c.Stats(); s.Dead != uint64(len(want)) || s.Recorded != uint64(n) {
		w.t.Errorf("%+v", s)
	}
}

// testMuchGarbage: a broker full of garbage does not stop the valid messages in it.
func testMuchGarbage(w *world) {
	const bad, good = 1500, 30
	want := make(map[string]string)
	var batch []wire.Message
	for i := range bad {
		m := wire.Message{Key: fmt.Sprint(i), Body: fmt.Appendf(nil, "garbage %d", i)}
		want[string(m.Body)] = string(fault.InvalidDocument)
		if batch = append(batch, m); i%(bad/good) == 0 {
			batch = append(batch, message("s", int64(i/(bad/good))))
		}
	}
	w.broker.Publish(w.t, batch...)
	c := w.consume(func(o *ingest.Options) { o.InFlight = 64 })
	c.settled(w.t, bad+good)
	if got := w.session("s"); !slices.Equal(got, ids("s", 0, good)) {
		w.t.Errorf("%v", got)
	}
	w.letters(want)
}

// testDuplicates: repeated messages are recorded once, and a repeated id with other content
// is a conflict.
func testDuplicates(w *world) {
	const n = 50
	for range 3 {
		w.broker.Publish(w.t, run("s", 0, n)...)
	}
	other := text(Tenant, "s", eventID("s", 3), 3, "something else")
	c := w.consume(nil)
	c.settled(w.t, 3*n)
	w.broker.Publish(w.t, other)
	c.settled(w.t, 3*n+1)
	w.recorded(n)
	if s := c.Stats(); s.Recorded != n || s.Duplicates != 2*n || s.Dead != 1 {
		w.t.Errorf("%+v", s)
	}
	w.letters(map[string]string{string(other.Body): string(fault.IDConflict)})
}

// testDisorder: messages that arrive out of order are recorded in order.
func testDisorder(w *world) {
	const n = 300
	list := run("s", 0, n)
	random := rand.New(rand.NewPCG(1, 2))
	for part := range slices.Chunk(list, 20) {
		random.Shuffle(len(part), func(a, b int) { part[a], part[b] = part[b], part[a] })
	}
	w.broker.Publish(w.t, list...)
	c := w.consume(nil)
	c.settled(w.t, n)
	if got := w.session("s"); !slices.Equal(got, ids("s", 0, n)) {
		w.t.Errorf("%v", got)
	}
	w.recorded(n)
	if s := c.Stats(); s.Late != 0 || s.Recorded != n {
		w.t.Errorf("%+v", s)
	}
}

// testGap: a missing message delays others no longer than the window.
func testGap(w *world) {
	w.broker.Publish(w.t, message("s", 0), message("s", 2), message("s", 5))
	c := w.consume(nil)
	c.settled(w.t, 3)
	w.broker.Publish(w.t, message("s", 1))
	c.settled(w.t, 4)
	w.recorded(4)
	if s := c.Stats(); s.Late != 1 || s.Recorded != 4 {
		w.t.Errorf("%+v", s)
	}
}

// listened counts the calls of Working.
type listened struct {
	ingest.Source
	beats *atomic.Int64
}

func (s listened) Working(ctx context.Context, busy []*ingest.Message) error {
	err := s.Source.Working(ctx, busy)
	if err == nil {
		s.beats.Add(1)
	}
	return err
}

// testWaiting: a message that waits for another is not acknowledged meanwhile, and is
// reported to the broker as in progress.
func testWaiting(w *world) {
	w.broker.Publish(w.t, message("s", 0), message("s", 2))
	var beats atomic.Int64
	silent := atomic.Bool{}
	c := w.consume(func(o *ingest.Options) {
		dial := o.Dial
		o.Dial = func(ctx context.Context) (ingest.Source, error) {
			src, err := dial(ctx)
			if err != nil {
				return nil, err
			}
			silent.Store(src.Heartbeat() == 0)
			return listened{src, &beats}, nil
		}
	})
	until(w.t, "one is acknowledged and one waits", func() bool {
		s := c.Stats()
		return s.Acked == 1 && s.InFlight == 1 && s.Lag > 0
	}, func() any { return c.Stats() })
	until(w.t, "the broker was told", func() bool { return silent.Load() || beats.Load() >= 3 }, func() any { return c.Stats() })
	w.broker.Publish(w.t, message("s", 1))
	c.settled(w.t, 3)
	w.recorded(3)
	if got := w.session("s"); !slices.Equal(got, ids("s", 0, 3)) {
		w.t.Errorf("%v", got)
	}
	if s := c.Stats(); s.Late != 0 || s.Recorded != 3 {
		w.t.Errorf("%+v", s)
	}
}

// testRestart: a broker that restarts loses nothing and doubles nothing. What it delivers
// after the window is late, and the rest is in order.
func testRestart(w *world) {
	c := w.consume(nil)
	w.broker.Publish(w.t, run("s", 0, 100)...)
	until(w.t, "some are recorded", func() bool { return c.Stats().Recorded >= 10 }, func() any { return c.Stats() })
	if !w.broker.Restart(w.t) {
		w.t.Skip("this broker cannot be restarted from here")
	}
	w.broker.Publish(w.t, run("s", 100, 200)...)
	until(w.t, "all are recorded", func() bool { return len(w.session("s")) == 200 }, func() any { return c.Stats() })
	until(w.t, "the lag is 0", func() bool { s := c.Stats(); return s.Lag == 0 && s.InFlight == 0 }, func() any { return c.Stats() })
	got, want := w.session("s"), ids("s", 0, 200)
	if c.Stats().Late > 0 {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("%v %+v", got, c.Stats())
	}
	w.recorded(200)
	w.letters(nil)
}

// sick is a source whose acknowledgements fail, as when the process ends between the fsync
// and the acknowledgement.
type sick struct {
	ingest.Source
	healthy func() bool
}

var errSick = errors.New("the broker did not hear it")

func (s sick) Ack(ctx context.Context, done []*ingest.Message) error {
	if !s.healthy() {
		return errSick
	}
	return s.Source.Ack(ctx, done)
}

func (s sick) Bury(ctx context.Context, dead []ingest.Dead) (int, error) {
	if !s.healthy() {
		return 0, errSick
	}
	return s.Source.Bury(ctx, dead)
}

// ail makes a consumer use sick sources.
func (w *world) ail(healthy func() bool) func(*ingest.Options) {
	return func(o *ingest.Options) {
		dial := o.Dial
		o.Dial = func(ctx context.Context) (ingest.Source, error) {
			src, err := dial(ctx)
			if err != nil {
				return nil, err
			}
			return sick{src, healthy}, nil
		}
	}
}

// testKilledBeforeAck: a consumer that ends when everything is durable and nothing is
// acknowledged leaves everything to the next one, which records nothing twice.
func testKilledBeforeAck(w *world) {
	const n = 100
	bad := wire.Message{Key: "g", Body: []byte("garbage")}
	w.broker.Publish(w.t, append(run("s", 0, n), bad)...)
	first := w.consume(w.ail(func() bool { return false }))
	until(w.t, "all are recorded", func() bool { return len(w.session("s")) == n }, func() any { return first.Stats() })
	first.stop()
	if s := first.Stats(); s.Acked != 0 || s.Dead != 0 || s.InFlight != 0 || s.Connected {
		w.t.Errorf("the first: %+v", s)
	}
	second := w.consume(nil)
	second.settled(w.t, n+1)
	if s := second.Stats(); s.Recorded != 0 || s.Duplicates < n || s.Dead != 1 {
		w.t.Errorf("the second: %+v", s)
	}
	w.recorded(n)
	w.letters(map[string]string{"garbage": string(fault.InvalidDocument)})
}

// testLostAcks: acknowledgements that fail now and then only cost time.
func testLostAcks(w *world) {
	const n = 200
	var calls atomic.Int64
	c := w.consume(w.ail(func() bool { return calls.Add(1)%9 == 0 })) // often enough to reconnect
	w.broker.Publish(w.t, run("s", 0, n)...)
	until(w.t, "all are recorded and the lag is 0", func() bool {
		s := c.Stats()
		return len(w.session("s")) == n && s.Lag == 0 && s.InFlight == 0
	}, func() any { return c.Stats() })
	// What the broker redelivers after the window is late: only that may stand after later
	// events.
	got, want := w.session("s"), ids("s", 0, n)
	late, newest := uint64(0), -1
	for _, id := range got {
		at := slices.Index(want, id)
		if at < newest {
			late++
		}
		newest = max(newest, at)
	}
	if s := c.Stats(); late != s.Late {
		w.t.Errorf("%d are out of order, and %d were late: %v", late, s.Late, got)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Errorf("%v", got)
	}
	w.recorded(n)
	w.letters(nil)
}

// testStopAndGoOn: one consumer stops in the middle, another continues.
func testStopAndGoOn(w *world) {
	const n = 600
	w.broker.Publish(w.t, run("s", 0, n)...)
	first := w.consume(func(o *ingest.Options) { o.Batch, o.InFlight = 8, 16 })
	until(w.t, "some are recorded", func() bool { return first.Stats().Recorded > 20 }, func() any { return first.Stats() })
	first.stop()
	if s := first.Stats(); s.InFlight != 0 || s.Recorded+s.Duplicates != s.Acked {
		w.t.Errorf("the first: %+v", s)
	}
	second := w.consume(nil)
	until(w.t, "all are recorded", func() bool { return len(w.session("s")) == n }, func() any { return second.Stats() })
	until(w.t, "the lag is 0", func() bool { s := second.Stats(); return s.Lag == 0 && s.InFlight == 0 }, func() any { return second.Stats() })
	if got := w.session("s"); !slices.Equal(got, ids("s", 0, n)) {
		w.t.Errorf("%v", got)
	}
	w.recorded(n)
	w.letters(nil)
}

// testTroubleThatPasses: nothing is acknowledged or buried while the board cannot write,
// and everything is recorded when it can again.
func testTroubleThatPasses(w *world) {
	const n = 40
	w.broker.Publish(w.t, run("s", 0, n)...)
	var ill atomic.Bool
	ill.Store(true)
	c := w.consume(func(o *ingest.Options) {
		o.InFlight = 8
		o.Admit = func(*lukasa.Event, int) error {
			if ill.Load() {
				return fault.New(fault.DiskFull, "no room")
			}
			return nil
		}
	})
	until(w.t, "it was tried again", func() bool { return c.Stats().Retried >= 20 }, func() any { return c.Stats() })
	if s := c.Stats(); s.Acked+s.Dead+s.Recorded != 0 || s.InFlight > 8 {
		w.t.Errorf("while it lasts: %+v", s)
	}
	ill.Store(false)
	c.settled(w.t, n)
	if got := w.session("s"); !slices.Equal(got, ids("s", 0, n)) {
		w.t.Errorf("%v", got)
	}
	w.recorded(n)
	w.letters(nil)
}

// testTwoShare: two concurrent consumers record everything once.
func testTwoShare(w *world) {
	const sessions, n = 8, 60
	a, b := w.consume(nil), w.consume(nil)
	for i := range int64(n) {
		var batch []wire.Message
		for s := range sessions {
			batch = append(batch, message(fmt.Sprint("s", s), i))
		}
		w.broker.Publish(w.t, batch...)
	}
	until(w.t, "all are recorded and acknowledged", func() bool {
		x, y := a.Stats(), b.Stats()
		return x.Recorded+y.Recorded == sessions*n && x.Lag == 0 && y.Lag == 0 && x.InFlight+y.InFlight == 0
	}, func() any { return []ingest.Stats{a.Stats(), b.Stats()} })
	w.recorded(sessions * n)
	w.letters(nil)
}
