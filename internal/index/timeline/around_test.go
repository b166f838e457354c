package timeline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/timeline"
)

// TestAround compares with the whole session, for each of its places and for some
// that do not exist. Sequences and timestamps are often equal.
func TestAround(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	s, tl := openStore(t), timeline.New()
	var records []index.Record
	for i := range uint64(120) {
		records = append(records, event(t, 1, i, fmt.Sprint("s", rnd.IntN(4)), "a", int64(rnd.IntN(5))-2, rnd.IntN(3), ""))
	}
	// Sessions whose events are numbered one by one, every other, and down to the
	// lowest number.
	for i := range uint64(60) {
		records = append(records, event(t, 1, 120+i, fmt.Sprint("d", i%3), "a", []int64{int64(i / 3), int64(i/3) * 2, math.MinInt64 + int64(i/9)}[i%3], 0, ""))
	}
	apply(t, s, tl, records...)
	apply(t, s, tl, event(t, 0, 0, "s0", "a", 0, 0, ""), event(t, 2, 7, "s0", "a", 0, 0, ""))
	apply(t, s, tl, away(1, records[5], records[50], records[51]))

	var w *timeline.Walker
	for _, r := range records {
		// A used walker finds the same as a new one.
		if w == nil || rnd.IntN(3) == 0 {
			if w != nil {
				must(t, w.Close())
			}
			var err error
			if w, err = timeline.NewWalker(s, 1); err != nil {
				t.Fatal(err)
			}
		}
		name := r.Event.SessionID
		session := index.DigestOf(name)
		at := timeline.Place{Sequence: r.Event.Sequence, Timestamp: index.Nanos(r.Event.Timestamp.Time()), Position: r.Header.Position}
		var whole []uint64
		place := 0 // how many come before
		if err := timeline.Session(s, 1, name, nil, func(_ []byte, p timeline.Place) bool {
			if p.Position != at.Position {
				whole = append(whole, p.Position)
			}
			if before(p, at) {
				place++
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		for _, n := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {2, 2}, {2, 3}, {3, 0}, {8, 1}, {1000, 1000}} {
			first, last := max(0, place-n[0]), min(len(whole), place+n[1])
			kept := []uint64{99}
			got, earlier, err := w.Around(kept, session, at, n[0], n[1])
			want := append([]uint64{99}, whole[first:last]...)
			if err != nil || !slices.Equal(got, want) || earlier != place-first {
				t.Fatalf("%d before and %d behind %+v of %s: %v (%d earlier, %v), want %v (%d)", n[0], n[1], at, name, got, earlier, err, want, place-first)
			}
		}
	}
	if got, _, err := w.Around(nil, index.DigestOf("nobody"), timeline.Place{}, 3, 3); err != nil || len(got) > 0 {
		t.Errorf("a session without events: %v %v", got, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// before reports whether p comes before q in a session.
func before(p, q timeline.Place) bool {
	if p.Sequence != q.Sequence {
		return p.Sequence < q.Sequence
	}
	if p.Timestamp != q.Timestamp {
		return p.Timestamp < q.Timestamp
	}
	return p.Position < q.Position
}

// BenchmarkAround reads the neighbours of events all over a session.
func BenchmarkAround(b *testing.B) {
	const events = 5000
	s, tl := openStore(b), timeline.New()
	var records []index.Record
	for i := range uint64(events) {
		records = append(records, event(b, 1, i, fmt.Sprint("s", i%20), "a", int64(i), 0, ""))
	}
	apply(b, s, tl, records...)
	w, err := timeline.NewWalker(s, 1)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	var sessions []index.Digest
	for i := range 20 {
		sessions = append(sessions, index.DigestOf(fmt.Sprint("s", i)))
	}
	at := index.Nanos(records[0].Event.Timestamp.Time())
	var list []uint64
	for i := 0; b.Loop(); i++ {
		n := i * 7919 % events
		if list, _, err = w.Around(list[:0], sessions[n%20], timeline.Place{Sequence: int64(n), Timestamp: at, Position: uint64(n)}, 2, 2); err != nil || len(list) < 2 {
			b.Fatal(list, err)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
