package kv

import (
	"context"
	"fmt"
	"testing"

	"lukasa.dev/internal/disk"
)

// TestApart: no file, flushed or compacted, holds both keys that are kept apart and
// others, and all keys are still found.
func TestApart(t *testing.T) {
	s, err := Open(Options{FS: disk.OS(), Dir: t.TempDir(), Apart: []string{"Bb", "C"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tables := []string{"A", "Ba", "Bb", "Bc", "Bb\xff", "C", "Cz", "D"}
	const groups, each = 5, 20
	check := func() {
		t.Helper()
		levels, err := s.db.SSTables()
		if err != nil {
			t.Fatal(err)
		}
		part := func(key []byte) int {
			switch {
			case len(key) > 1 && string(key[:2]) == "Bb":
				return 1
			case key[0] == 'C':
				return 2
			}
			return 0
		}
		for _, level := range levels {
			for _, f := range level {
				if a, b := part(f.Smallest.UserKey), part(f.Largest.UserKey); a != b {
					t.Errorf("a file has %q to %q", f.Smallest.UserKey, f.Largest.UserKey)
				}
			}
		}
	}
	for g := range groups {
		tx := s.Begin()
		for i := range each {
			for _, table := range tables {
				if err := tx.SetBlind(fmt.Appendf(nil, "%s%02d%02d", table, i, g), []byte(table)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if g > 0 { // the first write of the previous group is deleted
			for _, table := range tables {
				if err := tx.DeleteBlind(fmt.Appendf(nil, "%s%02d%02d", table, 0, g-1)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		check()
	}
	if err := s.Purge(context.Background()); err != nil {
		t.Fatal(err)
	}
	check()
	for g := range groups {
		for i := range each {
			for _, table := range tables {
				v, ok, err := s.Get(fmt.Appendf(nil, "%s%02d%02d", table, i, g), nil)
				if err != nil || ok != (i > 0 || g == groups-1) || ok && string(v) != table {
					t.Errorf("%q, %d, %d: %q, %v, %v", table, i, g, v, ok, err)
				}
			}
		}
	}
}
