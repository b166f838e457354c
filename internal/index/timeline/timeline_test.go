package timeline_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

func openStore(t testing.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// event returns the record of an event. second is that of its timestamp.
func event(t testing.TB, tenant uint32, position uint64, session, agent string, sequence int64, second int, more string) index.Record {
	t.Helper()
	ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"e%d","event_type":"message","agent_id":%q,"tenant_id":"acme","session_id":%q,"timestamp":"2026-11-15T05:00:%02dZ","sequence":0,"content":{"role":"user","text":"hello"},"metadata":{}%s}`,
		position, agent, session, second, more))
	if err != nil {
		t.Fatal(err)
	}
	ev.Sequence = sequence // the protocol has no negative ones, but the order does
	return index.Record{
		Tenant: tenant, Event: ev,
		Header: record.Header{Kind: record.Event, Position: position, Tenant: "acme", Time: int64(position)},
	}
}

// apply folds records in one group.
func apply(t testing.TB, s *kv.Store, tl *timeline.Timeline, records ...index.Record) {
	t.Helper()
	tx := s.BeginIndexed()
	for i := range records {
		if err := tl.Apply(tx, &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := tl.Finish(tx); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// away is a record that removes others.
func away(tenant uint32, targets ...index.Record) index.Record {
	return index.Record{Tenant: tenant, Header: record.Header{Kind: record.Redaction, Tenant: "acme"}, Targets: targets}
}

// blank returns a target of which only the header is left.
func blank(r index.Record, damaged bool) index.Record {
	r.Event, r.Payload, r.Damaged = nil, nil, damaged
	return r
}

// dump returns the whole content of a store.
func dump(t testing.TB, s *kv.Store) (lines []string) {
	t.Helper()
	it, err := s.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s = %s", index.Describe(it.Key()), v))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func session(t testing.TB, s *kv.Store, tenant uint32, name string) (positions []uint64) {
	t.Helper()
	err := timeline.Session(s, tenant, name, nil, func(_ []byte, p timeline.Place) bool {
		positions = append(positions, p.Position)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return positions
}

func summary(t testing.TB, s *kv.Store, name string) *timeline.Summary {
	t.Helper()
	sum, ok, err := timeline.SessionSummary(s, 0, name)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return nil
	}
	return sum
}

// TestOrder: the order is by sequence, then by timestamp, then by position,
// for any order of recording; and separate for each tenant.
func TestOrder(t *testing.T) {
	s, tl := openStore(t), timeline.New()
	apply(t, s, tl,
		event(t, 0, 0, "s", "a", 7, 1, ""),
		event(t, 0, 1, "s", "a", -3, 9, ""),
		event(t, 0, 2, "s", "a", 0, 2, ""),
		event(t, 0, 3, "other", "a", 1, 0, ""),
		event(t, 1, 0, "s", "a", 2, 0, ""),
	)
	apply(t, s, tl,
		event(t, 0, 4, "s", "a", 0, 2, ""), // a tie with 2
		event(t, 0, 5, "s", "a", 0, 1, ""),
		event(t, 0, 6, "s", "a", -1<<63, 0, ""),
		event(t, 0, 7, "s", "a", 1<<63-1, 0, ""),
	)
	if got, want := session(t, s, 0, "s"), []uint64{6, 1, 5, 2, 4, 0, 7}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := session(t, s, 1, "s"); !slices.Equal(got, []uint64{0}) {
		t.Errorf("another tenant: %v", got)
	}
	sum := summary(t, s, "s")
	if sum.ID != "s" || sum.Events != 7 || sum.First.Sequence != -1<<63 || sum.Last.Sequence != 1<<63-1 {
		t.Errorf("%+v", sum)
	}
	var agent []uint64
	var times []int64
	err := timeline.Follow(s, 0, timeline.ByAgent, "a", nil, func(_ []byte, p timeline.Place) bool {
		agent, times = append(agent, p.Position), append(times, p.Timestamp)
		return true
	})
	if err != nil || len(agent) != 8 || !slices.IsSorted(times) {
		t.Errorf("%v %v %v", agent, times, err)
	}
	tx := s.Begin()
	defer tx.Discard()
	for sequence, want := range map[int64]bool{1<<63 - 1: true, 5: true} {
		late := event(t, 0, 9, "s", "a", sequence, 0, "")
		if got, err := tl.Late(tx, 0, late.Event); err != nil || got != want {
			t.Errorf("sequence %d: late %v %v", sequence, got, err)
		}
	}
}

// TestCursors continues after any place, in pages of any size.
func TestCursors(t *testing.T) {
	s, tl := openStore(t), timeline.New()
	for i := range uint64(23) {
		apply(t, s, tl, event(t, 0, i, "s", "a", int64(i%5)-2, int(i%3), ""))
	}
	want := session(t, s, 0, "s")
	for size := 1; size <= 24; size++ {
		var got []uint64
		var after []byte
		for {
			n := 0
			err := timeline.Session(s, 0, "s", after, func(key []byte, p timeline.Place) bool {
				after = bytes.Clone(key)
				got = append(got, p.Position)
				n++
				return n < size
			})
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("pages of %d: %v, want %v", size, got, want)
		}
	}
}

// TestRemoval removes events, readable or damaged, and compares the rest with
// a store that never had them.
func TestRemoval(t *testing.T) {
	const more = `,"trace_id":"t","correlation_id":"c","parent_event_id":"p","ttl_seconds":9`
	all := func() (list []index.Record) {
		for i := range uint64(9) {
			list = append(list, event(t, 0, i, fmt.Sprint("s", i/6), fmt.Sprint("a", i%2), int64(i)-3, int(i), more))
		}
		return list
	}
	for _, gone := range [][]uint64{{0}, {5}, {2, 3}, {0, 5}, {6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}} {
		for _, damaged := range []bool{false, true} {
			s, tl := openStore(t), timeline.New()
			apply(t, s, tl, all()...)
			other := event(t, 1, gone[0], "s0", "a0", 1, 1, more) // the same position of another tenant
			apply(t, s, tl, other)
			var targets []index.Record
			for _, r := range all() {
				if slices.Contains(gone, r.Header.Position) {
					if damaged {
						r = blank(r, true)
					}
					targets = append(targets, r, r) // named twice, it is removed once
				}
			}
			apply(t, s, tl, away(0, targets...))
			apply(t, s, tl, away(0, targets...))

			never, made := openStore(t), timeline.New()
			for _, r := range all() {
				if slices.Contains(gone, r.Header.Position) {
					r = blank(r, false)
				}
				apply(t, never, made, r)
			}
			apply(t, never, made, other)
			for i := range targets {
				targets[i] = blank(targets[i], false)
			}
			apply(t, never, made, away(0, targets...))
			if got, want := dump(t, s), dump(t, never); !slices.Equal(got, want) {
				t.Errorf("%v, damaged %v: there are\n%q\nand should be\n%q", gone, damaged, got, want)
			}
		}
	}
}

// TestRemovalRenews: a removal looks up first and last again.
func TestRemovalRenews(t *testing.T) {
	s, tl := openStore(t), timeline.New()
	var list []index.Record
	for i := range uint64(4) {
		list = append(list, event(t, 0, i, "s", "a", int64(i)*10-10, int(i), ""))
	}
	apply(t, s, tl, list...)
	apply(t, s, tl, away(0, list[0]))
	if sum := summary(t, s, "s"); sum.Events != 3 || sum.First.Sequence != 0 || sum.Last.Sequence != 20 {
		t.Errorf("%+v", sum)
	}
	apply(t, s, tl, away(0, blank(list[3], true)))
	if sum := summary(t, s, "s"); sum.Events != 2 || sum.First.Sequence != 0 || sum.Last.Sequence != 10 {
		t.Errorf("%+v", sum)
	}
	apply(t, s, tl, away(0, list[1], blank(list[2], true)))
	if sum := summary(t, s, "s"); sum != nil {
		t.Errorf("%+v", sum)
	}
	if left := dump(t, s); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestChildrenAndEnds finds events by their parent and by their end of life.
func TestChildrenAndEnds(t *testing.T) {
	s, tl := openStore(t), timeline.New()
	apply(t, s, tl,
		event(t, 0, 0, "s", "a", 0, 0, `,"ttl_seconds":2`),
		event(t, 0, 1, "s", "a", 1, 1, `,"parent_event_id":"e0","ttl_seconds":1`),
		event(t, 0, 2, "s", "a", 2, 2, `,"parent_event_id":"e0"`),
	)
	parent := record.ID("acme", record.Event, "e0")
	var children, ended []uint64
	if err := timeline.Children(s, 0, &parent, nil, func(_ []byte, p timeline.Place) bool {
		children = append(children, p.Position)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if err := timeline.Expired(s, 0, 2_000_000_000, func(p timeline.Place) bool {
		ended = append(ended, p.Position)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(children, []uint64{1, 2}) || !slices.Equal(ended, []uint64{1}) {
		t.Errorf("children %v, ended %v", children, ended)
	}
}
