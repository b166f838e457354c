package torture

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/record"
)

// TestLiesAreCaught runs children that acknowledge what they have not done. The
// first judgement must detect each lie.
func TestLiesAreCaught(t *testing.T) {
	for _, c := range []struct{ lie, want string }{
		{"early", "is there 0 times"},
		{opEvents, "is there 0 times"},
		{opPut, "was acknowledged, but it is at version"},
		{opForget, "was acknowledged, but it is at version"},
		{opRedact, "its text is in the journal's files"},
		{"", ""},
	} {
		t.Run("lie="+c.lie, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			l := newLedger()
			o := orders{Job: "work", Dir: dir, Writers: 2, Ops: 120, Seed: 7, Lie: c.lie}
			end, err := l.live(run{orders: o})
			if err != nil {
				t.Fatalf("%v\n%s", err, end.stderr)
			}
			err = l.judge(dir, judgement{})
			switch {
			case c.want == "" && err != nil:
				t.Errorf("an honest child is called a liar: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("the lie is not caught: %v", err)
			}
		})
	}
}

// TestDoctoredBoardsAreCaught changes what an honest child left, or the ledger,
// in ways that no child can.
func TestDoctoredBoardsAreCaught(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	l := newLedger()
	end, err := l.live(run{orders: orders{Job: "work", Dir: dir, Writers: 1, Ops: 150, Seed: 1}})
	if err != nil {
		t.Fatalf("%v\n%s", err, end.stderr)
	}
	if len(l.notes) == 0 {
		t.Fatal("nothing was signed")
	}
	board, err := engine.Open(context.Background(), dir, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer board.Close()
	tenant := l.notes[0].tenant
	event := func(s *scan) *rec {
		i := slices.IndexFunc(s.records, func(r rec) bool { return r.Kind == record.Event && r.payload != nil })
		return &s.records[i]
	}
	for _, c := range []struct {
		name, want string
		doctor     func(s *scan, l *ledger)
	}{
		{"honest", "", func(*scan, *ledger) {}},
		{"doubled", "is there 2 times", func(s *scan, _ *ledger) {
			r := event(s)
			s.byID[r.ID] = append(s.byID[r.ID], r)
		}},
		{"invented", "that nobody wrote", func(s *scan, _ *ledger) {
			s.byID[record.Hash{1}] = []*rec{{Header: record.Header{Kind: record.Event}}}
		}},
		{"other bytes", "has other bytes", func(s *scan, _ *ledger) { event(s).payload = []byte("{}") }},
		{"blank", "nobody erased it", func(s *scan, _ *ledger) { event(s).payload = nil }},
		{"other leaf", "but the bytes give", func(s *scan, _ *ledger) { s.leaves[tenant][0][0] ^= 1 }},
		{"other history", "were signed, and now", func(s *scan, _ *ledger) { s.leaves[tenant][0][0] ^= 1 }},
		{"short", "were acknowledged", func(_ *scan, l *ledger) { l.sizes[tenant] += 1000 }},
		{"forged note", "checkpoint of tenant", func(_ *scan, l *ledger) { l.notes[0].note[len(l.notes[0].note)-9] ^= 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readJournal(dir)
			if err != nil {
				t.Fatal(err)
			}
			note := slices.Clone(l.notes[0].note)
			size := l.sizes[tenant]
			defer func() { l.notes[0].note, l.sizes[tenant] = note, size }()
			c.doctor(s, l)
			err = l.compare(board, s)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("want %q, got %v", c.want, err)
			}
		})
	}
}

// TestRoots compares the two computations of a root that the judge relies on.
func TestRoots(t *testing.T) {
	var leaves [][32]byte
	sizes := map[uint64]bool{}
	for i := range 70 {
		leaves = append(leaves, [32]byte{byte(i)})
		sizes[uint64(i+1)] = true
	}
	roots := rootsAt(leaves, sizes)
	for n := 1; n <= len(leaves); n++ {
		if roots[uint64(n)] != naiveRoot(leaves[:n]) {
			t.Fatalf("size %d", n)
		}
	}
}
