package torture

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/testsize"
)

// TestKill kills children at any moment, repeatedly in one directory, and
// finds everything that was acknowledged.
func TestKill(t *testing.T) {
	kills := testsize.Of(t, "kills", 2, 10, 1000)
	deepEvery := testsize.Of(t, "deep-verify-stride", 1, 1, 5)
	rng := chance(t)
	base := t.TempDir()
	var l *ledger
	var dir string
	var acks, judged, boards, early int
	for round := range kills {
		// A directory grows until it is replaced.
		if l == nil || len(l.items) > 15000 {
			if dir != "" {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			boards++
			l, dir = newLedger(), filepath.Join(base, "data")
		}
		before := l.acks
		r := killing(rng, l, dir, round)
		end, err := l.live(r)
		if err != nil {
			t.Fatalf("round %d: %v\n%s", round, err, end.stderr)
		}
		acks += l.acks - before
		if !l.opened {
			early++
		}
		switch {
		case end.hung:
			t.Fatalf("round %d: the child hangs", round)
		case end.panicked():
			t.Fatalf("round %d: the child crashed: %s", round, end.stderr)
		case len(l.fails) > 0:
			t.Fatalf("round %d: a healthy disk, and it failed: %+v", round, l.fails[0])
		}
		// Now and then the next child is killed in what this one left.
		if round < kills-1 && rng.IntN(10) < 3 {
			continue
		}
		judged++
		if judged%100 == 0 {
			t.Logf("%d kills so far, %d acknowledgements", round+1, acks)
		}
		j := judgement{options: engine.Options{SegmentBytes: r.orders.Segment, MemTableBytes: r.orders.Table, CacheBytes: 8 << 20}}
		j.deep = deepEvery > 0 && (judged%deepEvery == 0 || round == kills-1)
		if err := l.judge(dir, j); err != nil {
			t.Fatalf("round %d, orders %+v: %v", round, r.orders, err)
		}
	}
	t.Logf("%d kills, %d of them before the board was open; %d boards, %d judgements, %d acknowledgements", kills, early, boards, judged, acks)
}

// killing draws what a child does and when it dies.
func killing(rng *rand.Rand, l *ledger, dir string, round int) run {
	pick := func(list ...int64) int64 { return list[rng.IntN(len(list))] }
	r := run{orders: orders{
		Job: "work", Dir: dir, Round: round, Seed: rng.Uint64(),
		Writers: int(pick(1, 2, 4, 8)),
		Segment: pick(64<<10, 256<<10, 4<<20, 0),
		Table:   uint64(pick(256<<10, 1<<20, 0)),
		Rebuild: rng.IntN(20) == 0,
		Heirs:   l.heirs(rng, 24),
	}}
	lines, after := 0, 1+rng.IntN(400)
	switch rng.IntN(10) {
	case 0, 1: // while it starts, opens or replays
		r.after = 10*time.Millisecond + time.Duration(rng.IntN(60_000))*time.Microsecond
	case 2: // while it closes
		r.orders.Ops = 1 + rng.IntN(20)
		delay := time.Duration(rng.IntN(6000)) * time.Microsecond
		r.watch = func(told line, kill func()) {
			if told.Say == "closing" {
				time.AfterFunc(delay, kill)
			}
		}
	case 3, 4, 5: // at an acknowledgement
		r.watch = func(_ line, kill func()) {
			if lines++; lines == after {
				kill()
			}
		}
	default: // at any moment
		delay := time.Duration(rng.IntN(150_000)) * time.Microsecond
		r.watch = func(told line, kill func()) {
			if told.Say == "open" {
				time.AfterFunc(delay, kill)
			}
		}
	}
	return r
}
