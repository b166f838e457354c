package intake_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/intake"
)

func openBoard(t testing.TB) *lukasa.Board {
	t.Helper()
	board, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := board.Close(); err != nil {
			t.Error(err)
		}
	})
	return board
}

func message(session string, sequence int64) *lukasa.Event {
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprint(session, "-", sequence), EventType: hmx.TypeMessage, AgentID: "a",
		TenantID: "t", SessionID: session, Timestamp: hmx.TimeOf(time.Unix(1773457200+sequence, 0)), Sequence: sequence,
		Content: hmx.Raw(`{"role":"user","text":"The release is cut every second Tuesday, and the notes go out a day later."}`), Metadata: hmx.Raw("{}"),
	}
}

// What a gate acknowledged is on a real board, with sessions in order and no
// late events.
func TestGateOfABoard(t *testing.T) {
	ctx := context.Background()
	board := openBoard(t)
	gate := intake.New(board, intake.Options{})
	var mu sync.Mutex
	counts := map[lukasa.Disposition]int{}
	var all sync.WaitGroup
	for s := range 4 {
		all.Go(func() {
			for i := range int64(200) {
				gate.Offer(ctx, lukasa.Writer{Actor: "a"}, message(fmt.Sprint("s", s), i^1), func(r lukasa.EventReceipt, err error) {
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						t.Error(err)
					}
					counts[r.Disposition]++
				})
			}
		})
	}
	all.Wait()
	gate.Close()
	if counts[lukasa.Accepted] != 800 || len(counts) != 1 {
		t.Errorf("%v", counts)
	}
	if high, ok, err := board.Reached(ctx, "t", "s1"); high != 199 || !ok || err != nil {
		t.Errorf("reached %d %v %v", high, ok, err)
	}
	if _, ok, err := board.Reached(ctx, "t", "none"); ok || err != nil {
		t.Errorf("reached of none: %v %v", ok, err)
	}
	if _, ok, err := board.Reached(ctx, "none", "s1"); ok || err != nil {
		t.Errorf("reached of no tenant: %v %v", ok, err)
	}
	report, err := board.Verify(ctx, lukasa.VerifyOptions{Deep: true})
	if err != nil || !report.OK() {
		t.Errorf("%v %v", report, err)
	}
}

// BenchmarkGate records gap-free sessions through a gate, and by plain Append in
// groups of the size that streams have.
func BenchmarkGate(b *testing.B) {
	const sessions, group = 64, 2048
	run := func(b *testing.B, send func(board *lukasa.Board, events []*lukasa.Event)) {
		board := openBoard(b)
		sequences := [sessions]int64{}
		b.ResetTimer()
		for b.Loop() {
			events := make([]*lukasa.Event, group)
			for i := range events {
				s := i % sessions
				events[i] = message(fmt.Sprint("s", s), sequences[s])
				sequences[s]++
			}
			send(board, events)
		}
		b.ReportMetric(float64(b.N)*group/b.Elapsed().Seconds(), "events/s")
	}
	b.Run("append", func(b *testing.B) {
		run(b, func(board *lukasa.Board, events []*lukasa.Event) {
			if _, err := board.Append(context.Background(), lukasa.Writer{}, events...); err != nil {
				b.Fatal(err)
			}
		})
	})
	for _, lanes := range []int{1, 2, 4} {
		b.Run(fmt.Sprint("gate/lanes=", lanes), func(b *testing.B) {
			var gate *intake.Gate
			var pending sync.WaitGroup
			run(b, func(board *lukasa.Board, events []*lukasa.Event) {
				if gate == nil {
					gate = intake.New(board, intake.Options{Lanes: lanes})
					b.Cleanup(gate.Close)
				}
				pending.Add(len(events))
				for _, ev := range events {
					gate.Offer(context.Background(), lukasa.Writer{}, ev, func(_ lukasa.EventReceipt, err error) {
						if err != nil {
							b.Error(err)
						}
						pending.Done()
					})
				}
			})
			pending.Wait()
		})
	}
}

// BenchmarkSingles runs many callers that each wait for their event.
func BenchmarkSingles(b *testing.B) {
	const callers = 64
	work := func(b *testing.B, one func(w int, ev *lukasa.Event)) {
		var all sync.WaitGroup
		n := b.N / callers
		for w := range callers {
			all.Go(func() {
				for i := range n {
					one(w, message(fmt.Sprint("s", w), int64(i)))
				}
			})
		}
		all.Wait()
		b.ReportMetric(float64(n*callers)/b.Elapsed().Seconds(), "events/s")
	}
	b.Run("append", func(b *testing.B) {
		board := openBoard(b)
		b.ResetTimer()
		work(b, func(_ int, ev *lukasa.Event) {
			if _, err := board.Append(context.Background(), lukasa.Writer{}, ev); err != nil {
				b.Error(err)
			}
		})
	})
	for _, writers := range []int{1, callers} {
		b.Run(fmt.Sprint("gate/writers=", writers), func(b *testing.B) {
			board := openBoard(b)
			gate := intake.New(board, intake.Options{})
			b.Cleanup(gate.Close)
			b.ResetTimer()
			work(b, func(w int, ev *lukasa.Event) {
				done := make(chan error, 1)
				gate.Offer(context.Background(), lukasa.Writer{Actor: fmt.Sprint("w", w%writers)}, ev, func(_ lukasa.EventReceipt, err error) { done <- err })
				if err := <-done; err != nil {
					b.Error(err)
				}
			})
		})
	}
}
