package catalog_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// between returns the ids on a list that were created within a time, newest
// first.
func (w *world) between(way catalog.Way, from, until int64, ids ...string) (got []string) {
	w.t.Helper()
	kinds := []record.Kind{record.Memory, record.Feedback}
	err := catalog.Between(w.s, 0, way, from, until, func(d catalog.Thing) bool {
		i := slices.IndexFunc(ids, func(id string) bool {
			return slices.ContainsFunc(kinds, func(k record.Kind) bool { return catalog.ThingOf("acme", k, id) == d })
		})
		if i < 0 {
			w.t.Fatal("a thing that nobody put")
		}
		got = append(got, ids[i])
		return true
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// TestUnderKey finds records by whole segments of their keys, follows a changed
// key, and finds only live records.
func TestUnderKey(t *testing.T) {
	w := newWorld(t)
	deep := strings.Repeat("x/", 20) + "end"
	w.put("a", "release/cadence")
	w.put("b", "release")
	w.put("c", "releases/cadence")
	w.put("d", "")
	w.put("e", deep)
	ids := []string{"a", "b", "c", "d", "e"}
	for prefix, want := range map[string]string{
		"release": "b a", "release/cadence": "a", "releases": "c", "rel": "", "release/cadence/x": "", "": "",
		"x": "e", deep: "e",
		// Beyond the last listed segment, the reader filters.
		strings.Repeat("x/", 18) + "other": "e",
		strings.Repeat("x/", 14) + "other": "",
	} {
		way := catalog.UnderKey(record.Memory, prefix)
		if got := strings.Join(w.between(way, math.MinInt64, math.MaxInt64, ids...), " "); got != want {
			t.Errorf("under %q: %q, want %q", prefix, got, want)
		}
		if got := strings.Join(w.list(way, 2, ids...), " "); got != want {
			t.Errorf("listed under %q: %q, want %q", prefix, got, want)
		}
	}
	w.put("a", "cadence/release")
	w.forget("b")
	if got := w.between(catalog.UnderKey(record.Memory, "release"), math.MinInt64, math.MaxInt64, ids...); len(got) > 0 {
		t.Errorf("%v are still under the key that they had", got)
	}
	if got := w.between(catalog.UnderKey(record.Memory, "cadence"), math.MinInt64, math.MaxInt64, ids...); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%v are under the new key", got)
	}
	if got := w.between(catalog.UnderKey(record.Policy, "cadence"), math.MinInt64, math.MaxInt64); len(got) > 0 {
		t.Errorf("%v of another kind", got)
	}
}

// TestOfAgent finds records by their writer and by the agent they are about, and
// feedback by its session.
func TestOfAgent(t *testing.T) {
	w := newWorld(t)
	w.put("a", "")
	note := &memory.Feedback{ID: "f", AgentID: "planner", SessionID: "s1", Outcome: memory.OutcomeSuccess}
	note.Normalize()
	w.apply(index.Record{Header: record.Header{Kind: record.Feedback}, Body: note})
	own := &memory.Feedback{ID: "g", AgentID: "tester", Outcome: memory.OutcomeSuccess}
	own.Normalize()
	w.apply(index.Record{Header: record.Header{Kind: record.Feedback}, Body: own})
	for _, tc := range []struct {
		way  catalog.Way
		want string
	}{
		{catalog.OfAgent(record.Memory, "tester"), "a"},
		{catalog.OfAgent(record.Memory, "planner"), ""},
		{catalog.OfAgent(record.Feedback, "tester"), "g f"},
		{catalog.OfAgent(record.Feedback, "planner"), "f"},
		{catalog.OfSession(record.Feedback, "s1"), "f"},
		{catalog.OfSession(record.Feedback, "s2"), ""},
		{catalog.OfSession(record.Feedback, ""), ""},
	} {
		if got := strings.Join(w.between(tc.way, math.MinInt64, math.MaxInt64, "a", "f", "g"), " "); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.way, got, tc.want)
		}
	}
}

// TestBetween cuts every list by time: from is inclusive, until is exclusive.
func TestBetween(t *testing.T) {
	w := newWorld(t)
	ids := []string{"a", "b", "c", "d"}
	for _, id := range ids {
		w.put(id, "k/"+id, "red") // at 100, 101, 102, 103
	}
	for _, way := range []catalog.Way{
		catalog.All(record.Memory, catalog.Live), catalog.OfClass(record.Memory, "fact"), catalog.Tagged(record.Memory, "red"),
		catalog.UnderKey(record.Memory, "k"), catalog.OfAgent(record.Memory, "tester"),
	} {
		for from := int64(98); from < 106; from++ {
			for until := int64(98); until < 106; until++ {
				var want []string
				for i := len(ids) - 1; i >= 0; i-- {
					if at := int64(100 + i); from <= at && at < until {
						want = append(want, ids[i])
					}
				}
				if got := w.between(way, from, until, ids...); !slices.Equal(got, want) {
					t.Errorf("from %d until %d: %v, want %v", from, until, got, want)
				}
			}
		}
		if got := w.between(way, math.MinInt64, math.MaxInt64, ids...); len(got) != len(ids) {
			t.Errorf("ever: %v", got)
		}
	}
}

// TestReferrersOf finds only the referrers of one kind.
func TestReferrersOf(t *testing.T) {
	w := newWorld(t)
	target := memory.URI{Tenant: "acme", Kind: record.Memory, ID: "a"}
	other := memory.URI{Tenant: "acme", Kind: record.Memory, ID: "b"}
	edge := &memory.Edge{ID: "e", From: target, To: other, EdgeKind: memory.EdgeCauses}
	edge.Normalize()
	w.apply(index.Record{Header: record.Header{Kind: record.Edge}, Body: edge})
	note := &memory.Feedback{ID: "f", AgentID: "planner", Outcome: memory.OutcomeSuccess, Cited: []memory.URI{target, other}}
	note.Normalize()
	w.apply(index.Record{Header: record.Header{Kind: record.Feedback}, Body: note})
	for uri, want := range map[memory.URI]string{target: "edge from", other: "edge to"} {
		var got []string
		err := catalog.ReferrersOf(w.s, 0, uri.String(), record.Edge, func(ref catalog.Referrer) bool {
			if ref.Thing != catalog.ThingOf("acme", record.Edge, "e") {
				t.Errorf("%+v is not the edge", ref)
			}
			got = append(got, ref.Kind.String()+" "+ref.Rel)
			return true
		})
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%s: %v, want %s: %v", uri, got, want, err)
		}
		all := 0
		if err := catalog.Referrers(w.s, 0, uri.String(), func(catalog.Referrer) bool { all++; return true }); err != nil || all != 2 {
			t.Errorf("%s has %d referrers: %v", uri, all, err)
		}
	}
}

// history is a random sequence of records about a few versioned records of two
// kinds.
type history struct {
	t       *rapid.T
	records []index.Record
	bodies  map[string][]int // records about a versioned record, by kind and id
}

func (h *history) add(r index.Record, subject string) {
	n := len(h.records)
	r.Header.Position, r.Header.Tenant, r.Header.Time = uint64(n), "acme", int64(100+n)
	r.Header.Actor = rapid.SampledFrom([]string{"ann", "bob"}).Draw(h.t, "actor")
	r.Header.Trust = record.User
	h.records = append(h.records, r)
	if subject != "" {
		h.bodies[subject] = append(h.bodies[subject], n)
	}
}

func (h *history) step() {
	id := fmt.Sprint("x", rapid.IntRange(0, 3).Draw(h.t, "id"))
	kind := rapid.SampledFrom([]record.Kind{record.Memory, record.Artifact, record.Feedback}).Draw(h.t, "kind")
	subject := kind.String() + " " + id
	switch rapid.IntRange(0, 9).Draw(h.t, "what") {
	case 0, 1:
		h.add(index.Record{Header: record.Header{Kind: record.Tombstone}, Control: &memory.Tombstone{Target: kind, ID: id, Version: 1}}, subject)
	case 2:
		if kind == record.Artifact {
			h.add(index.Record{Header: record.Header{Kind: record.Transition}, Control: &memory.Transition{ArtifactID: id, From: "active", To: "deprecated"}}, subject)
		}
	case 3:
		var targets []index.Record
		for _, n := range h.bodies[subject] {
			if h.records[n].Body != nil {
				targets = []index.Record{h.records[n]}
			}
		}
		if targets != nil {
			h.add(index.Record{Header: record.Header{Kind: record.Expiry}, Control: &memory.Expiry{Cause: memory.CauseTTL}, Targets: targets}, "")
		}
	case 4:
		red := &memory.Redaction{}
		for _, n := range h.bodies[subject] {
			red.Targets = append(red.Targets, memory.RedactionTarget{Kind: kind, Position: uint64(n), ID: record.ID("acme", kind, id)})
		}
		if red.Targets != nil {
			h.add(index.Record{Header: record.Header{Kind: record.Redaction}, Control: red}, "")
		}
	default:
		if body := h.body(kind, id); body != nil {
			h.add(index.Record{Header: record.Header{Kind: kind}, Body: body}, subject)
		}
	}
}

// body returns a body for a record, unless it was redacted: none is admitted
// after that.
func (h *history) body(kind record.Kind, id string) memory.Body {
	for _, r := range h.records {
		if red, ok := r.Control.(*memory.Redaction); ok && red.Targets[0].ID == record.ID("acme", kind, id) {
			return nil
		}
	}
	var body memory.Body
	switch kind {
	case record.Memory:
		body = &memory.Memory{
			ID: id, Type: memory.TypeFact, Text: "What " + id + " says.",
			Key:  rapid.SampledFrom([]string{"", "a", "a/b", "a/b/c", "b", strings.Repeat("d/", 30) + "e"}).Draw(h.t, "key"),
			Tags: rapid.SliceOfN(rapid.SampledFrom([]string{"red", "blue"}), 0, 2).Draw(h.t, "tags"),
		}
	case record.Artifact:
		body = &memory.Artifact{HMX: hmx.Artifact{ArtifactID: id, AgentID: hmx.Some(rapid.SampledFrom([]string{"ann", "eve"}).Draw(h.t, "agent"))}}
	default:
		body = &memory.Feedback{ID: id, AgentID: "eve", SessionID: rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(h.t, "session"), Outcome: memory.OutcomeFailure}
	}
	body.Normalize()
	return body
}

// fold folds records into a new store, a group at a time, and returns all keys
// and values.
func fold(t *rapid.T, records []index.Record, group int) []string {
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := catalog.New()
	for chunk := range slices.Chunk(records, group) {
		tx := s.BeginIndexed()
		for i := range chunk {
			if err := c.Apply(tx, &chunk[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Finish(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	it, err := s.Iter([]byte{catalog.Prefix}, []byte{catalog.Prefix + 1})
	if err != nil {
		t.Fatal(err)
	}
	var dump []string
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		dump = append(dump, index.Describe(it.Key())+" "+string(bytes.Clone(v)))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return dump
}

// TestRebuild folds random histories again, in other groups and without redacted
// payloads, and expects the same keys and values in every table. The lists of
// live records must match the heads.
func TestRebuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{t: t, bodies: make(map[string][]int)}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			h.step()
		}
		live := fold(t, h.records, 1)
		blank := slices.Clone(h.records)
		for _, r := range h.records {
			red, ok := r.Control.(*memory.Redaction)
			if !ok {
				continue
			}
			for _, target := range red.Targets {
				blank[target.Position].Body, blank[target.Position].Control = nil, nil
			}
		}
		// An expiry sees what is still readable of its targets.
		for i := range blank {
			for j, target := range blank[i].Targets {
				if blank[target.Header.Position].Body == nil {
					blank[i].Targets = slices.Clone(blank[i].Targets)
					blank[i].Targets[j].Body = nil
				}
			}
		}
		anew := fold(t, blank, rapid.IntRange(1, 50).Draw(t, "group"))
		if !slices.Equal(live, anew) {
			t.Fatalf("live:\n%s\nanew:\n%s", strings.Join(live, "\n"), strings.Join(anew, "\n"))
		}
	})
}

// TestPast reconstructs the head at every version of a random history, and
// compares it with the head at that time.
func TestPast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{t: t, bodies: make(map[string][]int)}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			h.step()
		}
		s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		type name struct {
			kind record.Kind
			id   string
		}
		then := make(map[name][]*catalog.Head) // by version
		c := catalog.New()
		for i := range h.records {
			tx := s.BeginIndexed()
			if err := c.Apply(tx, &h.records[i]); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			for _, kind := range []record.Kind{record.Memory, record.Artifact, record.Feedback} {
				for _, id := range []string{"x0", "x1", "x2", "x3"} {
					head, ok, err := catalog.HeadOf(s, 0, kind, catalog.ThingOf("acme", kind, id))
					if err != nil {
						t.Fatal(err)
					}
					if seen := then[name{kind, id}]; ok && head.State != catalog.Redacted && int(head.Version) > len(seen) {
						then[name{kind, id}] = append(seen, head)
					}
				}
			}
		}
		for n, heads := range then {
			d := catalog.ThingOf("acme", n.kind, n.id)
			entries, err := catalog.Entries(s, 0, n.kind, d)
			if err != nil {
				t.Fatal(err)
			}
			if entries == nil {
				continue // redacted since
			}
			for v, want := range heads {
				content := v
				for entries[content].Op != catalog.Put {
					content--
				}
				body := h.records[entries[content].Position].Body
				got := catalog.Past("acme", n.kind, entries[:v+1], content, body)
				// Only the transition knows by what it is superseded.
				if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
					t.Fatalf("%v at version %d:\n%s\nwant\n%s", n, v+1, g, w)
				}
			}
		}
	})
}
