package deeds

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
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

// called is the record of a call.
func called(t testing.TB, position uint64, session, tool string, sequence int64) index.Record {
	t.Helper()
	ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"e%d","event_type":"tool_call","agent_id":"a","tenant_id":"acme","session_id":%q,"timestamp":"2026-11-15T05:00:00Z","sequence":%d,"content":{"tool_name":%q,"arguments":{"n":%d}},"metadata":{}}`,
		position, session, sequence, tool, position))
	if err != nil {
		t.Fatal(err)
	}
	return index.Record{Event: ev, Header: record.Header{Kind: record.Event, Position: position, Tenant: "acme"}}
}

func apply(t testing.TB, s *kv.Store, records ...index.Record) {
	t.Helper()
	tx, fold := s.BeginIndexed(), New()
	for i := range records {
		if err := fold.Apply(tx, &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

func newest(t testing.TB, s *kv.Store, kin index.Digest) (positions []uint64) {
	t.Helper()
	if err := Newest(s, 0, kin, func(p Place) bool {
		positions = append(positions, p.Position)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return positions
}

// walked returns the positions from that many events before a place on.
func walked(t testing.TB, s *kv.Store, at Place, before int, shown func(uint64) bool) (positions []uint64) {
	t.Helper()
	w, err := NewWalker(s, 0, shown)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.On(w.Back(at, before), func(p Place, g *trace.Glance) bool {
		if g.Sort != trace.GlanceCall || g.Tool == "" {
			t.Errorf("%+v", g)
		}
		positions = append(positions, p.Position)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return positions
}

// TestFindsAndForgets reads actions by kin and in their session, with some hidden, and
// after some were erased.
func TestFindsAndForgets(t *testing.T) {
	s := openStore(t)
	var all []index.Record
	for i := range uint64(8) {
		all = append(all, called(t, i, "s", []string{"look", "ship"}[i%2], 100-int64(i))) // recorded in the reverse order of the session
	}
	apply(t, s, append(all, called(t, 8, "other", "look", 1))...)
	kin := KinOf("look", "n=<int>")
	for i, name := range []string{"same", "like"} {
		if got := newest(t, s, kin[i]); !slices.Equal(got, []uint64{8, 6, 4, 2, 0}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := newest(t, s, KinOf("look", "m=<int>")[0]); got != nil {
		t.Errorf("of another shape: %v", got)
	}
	at := Place{Session: index.DigestOf("s"), Sequence: 97, Timestamp: index.Nanos(all[3].Event.Timestamp.Time()), Position: 3}
	if got := walked(t, s, at, 2, nil); !slices.Equal(got, []uint64{5, 4, 3, 2, 1, 0}) {
		t.Errorf("from two before: %v", got)
	}
	if got := walked(t, s, at, 99, nil); !slices.Equal(got, []uint64{7, 6, 5, 4, 3, 2, 1, 0}) {
		t.Errorf("from the first: %v", got)
	}
	even := func(p uint64) bool { return p%2 == 0 }
	if got := walked(t, s, at, 1, even); !slices.Equal(got, []uint64{4, 2, 0}) {
		t.Errorf("with some hidden: %v", got)
	}
	damaged := all[2]
	damaged.Event, damaged.Damaged = nil, true
	apply(t, s, index.Record{Header: record.Header{Kind: record.Redaction, Position: 9}, Targets: []index.Record{all[0], all[3], damaged}})
	if got := newest(t, s, kin[0]); !slices.Equal(got, []uint64{8, 6, 4}) {
		t.Errorf("after an erasure: %v", got)
	}
	if got := walked(t, s, at, 99, nil); !slices.Equal(got, []uint64{7, 6, 5, 4, 1}) {
		t.Errorf("after an erasure, from the first: %v", got)
	}
}

// TestGlancesComeBack encodes any glance, and refuses invalid bytes.
func TestGlancesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, hash, truth := rapid.StringN(0, 20, 40), rapid.Uint64Range(0, 3), rapid.Bool()
		g := trace.Glance{
			Sort: trace.GlanceSort(rapid.IntRange(0, int(trace.GlanceMended)).Draw(t, "sort")), State: trace.State(rapid.IntRange(0, 2).Draw(t, "state")),
			Outcome: trace.Outcome(rapid.IntRange(0, 2).Draw(t, "outcome")), Known: truth.Draw(t, "known"), Spoke: truth.Draw(t, "spoke"), Spoke2: truth.Draw(t, "spoke2"),
			Leaves: truth.Draw(t, "leaves"), Next: truth.Draw(t, "next"), Named: truth.Draw(t, "named"), Tool: text.Draw(t, "tool"), Shape: text.Draw(t, "shape"), Error: text.Draw(t, "error"),
			Event: hash.Draw(t, "event"), Call: hash.Draw(t, "call"), Parent: hash.Draw(t, "parent"), Correlation: hash.Draw(t, "correlation"), Target: hash.Draw(t, "target"),
		}
		v := appendGlance(nil, &g)
		var back trace.Glance
		if err := readGlance(v, &back); err != nil || back != g {
			t.Fatalf("%+v %v, want %+v", back, err, g)
		}
		if readGlance(v[:len(v)-1], &back) == nil || readGlance(append(bytes.Clone(v), 0), &back) == nil {
			t.Fatal("another length is read")
		}
	})
}
