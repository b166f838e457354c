package apply_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/deeds"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/index/weights"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// history is what was journaled, in order, and which of it was erased.
type history struct {
	records []index.Record
	targets map[int][]int        // of the record that removes them
	erased  map[int]int          // the record that erased it
	damaged map[int]bool         // it was unreadable when it was erased
	gone    map[record.Hash]bool // redacted versioned records
}

var words = []string{"a", "b", "c"}

func pick[T any](t *rapid.T, name string, list []T) T { return rapid.SampledFrom(list).Draw(t, name) }

// add journals a record.
func (h *history) add(t *rapid.T, r index.Record) int {
	n := len(h.records)
	r.Header.Position, r.Header.Tenant, r.Header.Time = uint64(n), "acme", int64(n)*1_000_000_000
	r.Header.Actor, r.Header.Trust = pick(t, "actor", words), pick(t, "trust", record.Trusts())
	h.records = append(h.records, r)
	return n
}

// drawHistory draws a history that an engine could have journaled.
func drawHistory(t *rapid.T) *history {
	h := &history{targets: make(map[int][]int), erased: make(map[int]int), damaged: make(map[int]bool), gone: make(map[record.Hash]bool)}
	for range rapid.IntRange(1, 60).Draw(t, "length") {
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0, 1, 2:
			h.event(t)
		case 3, 4, 5, 6:
			h.put(t)
		case 7:
			h.tombstone(t)
		case 8:
			h.expiry(t)
		case 9:
			h.redaction(t)
		}
	}
	return h
}

func (h *history) event(t *rapid.T) {
	id := fmt.Sprint("e", len(h.records))
	more := ""
	if rapid.Bool().Draw(t, "ttl") {
		more = `,"ttl_seconds":9`
	}
	ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"file_edit","agent_id":%q,"tenant_id":"acme","session_id":%q,"timestamp":"1970-01-01T00:00:%02dZ","sequence":%d,"content":{"path":%q,"operation":"modify"},"metadata":{"project":%q}%s}`,
		id, pick(t, "agent", words), pick(t, "session", words), rapid.IntRange(0, 59).Draw(t, "second"), rapid.IntRange(0, 9).Draw(t, "sequence"), pick(t, "path", words), pick(t, "project", words), more))
	if err != nil {
		t.Fatal(err)
	}
	h.add(t, index.Record{Header: record.Header{Kind: record.Event, ID: record.ID("acme", record.Event, id)}, Event: ev})
}

// body draws something to put.
func (h *history) body(t *rapid.T) memory.Body {
	id := pick(t, "id", words)
	switch pick(t, "kind", []record.Kind{record.Memory, record.Memory, record.Policy, record.Feedback, record.Feedback}) {
	case record.Memory:
		m := &memory.Memory{ID: id, Type: pick(t, "type", memory.Types()), Text: "What " + pick(t, "text", words) + " says.", Key: pick(t, "key", append(words, ""))}
		if m.Type == memory.TypeConstraint {
			m.Data = &memory.Constraint{Strength: pick(t, "strength", memory.Strengths())}
		}
		for range rapid.IntRange(0, 3).Draw(t, "frames") {
			m.Frames = append(m.Frames, memory.Frame{Verb: memory.VerbModify, Kind: pick(t, "object", []memory.ObjectKind{memory.ObjFile, memory.ObjTool}), Ref: pick(t, "ref", append(words, "./a"))})
		}
		if rapid.Bool().Draw(t, "tagged") {
			m.Tags, m.TTLSeconds = []string{pick(t, "tag", words)}, 7
		}
		return m
	case record.Policy:
		return &memory.Policy{ID: id, PolicyKind: memory.PolicyConstraint, Text: "Never " + pick(t, "text", words), Strength: pick(t, "strength", memory.Strengths()), Scope: memory.Scope{Agents: []string{pick(t, "agent", words)}}}
	}
	f := &memory.Feedback{ID: fmt.Sprint(id, rapid.IntRange(0, 3).Draw(t, "n")), AgentID: pick(t, "agent", words), Outcome: pick(t, "outcome", memory.FeedbackOutcomes())}
	for range rapid.IntRange(0, 4).Draw(t, "cited") {
		kind := pick(t, "cited kind", []record.Kind{record.Memory, record.Policy, record.Event, record.Entity})
		f.Cited = append(f.Cited, memory.URI{Tenant: "acme", Kind: kind, ID: pick(t, "cited id", append(words, "e0", "e1", "e2")), Version: pick(t, "cited version", []uint64{0, 1})})
	}
	if rapid.Bool().Draw(t, "profiled") {
		factor := func(name string) float64 { return rapid.Float64Range(0, 1).Draw(t, name) }
		f.Profile = hmx.Some(memory.Profile{Recency: factor("recency"), Access: factor("access"), Citations: factor("citations"), Importance: factor("importance")})
	}
	if rapid.Bool().Draw(t, "scored") {
		least, most := -1.0, 1.0
		switch f.Outcome {
		case memory.OutcomeSuccess:
			least = 0
		case memory.OutcomeFailure:
			most = 0
		}
		f.Score = hmx.Some(rapid.Float64Range(least, most).Draw(t, "score"))
	}
	return f
}

func (h *history) put(t *rapid.T) {
	b := h.body(t)
	b.Normalize()
	if err := b.Validate(); err != nil {
		t.Fatal(err)
	}
	if id, _ := b.Identity(); !h.gone[record.ID("acme", b.Kind(), id)] {
		h.add(t, index.Record{Header: record.Header{Kind: b.Kind()}, Body: b})
	}
}

// about returns which versioned record a record is about.
func (h *history) about(n int) (kind record.Kind, id string, ok bool) {
	r := &h.records[n]
	if c, ok := r.Control.(*memory.Tombstone); ok {
		return c.Target, c.ID, true
	}
	if r.Body == nil {
		return 0, "", false
	}
	id, _ = r.Body.Identity()
	return r.Header.Kind, id, true
}

// some returns a record that was not erased and passes the test.
func (h *history) some(t *rapid.T, test func(n int) bool) (int, bool) {
	var list []int
	for n := range h.records {
		if _, erased := h.erased[n]; !erased && test(n) {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return 0, false
	}
	return pick(t, "which", list), true
}

func (h *history) tombstone(t *rapid.T) {
	if n, ok := h.some(t, func(n int) bool { return h.records[n].Body != nil }); ok {
		kind, id, _ := h.about(n)
		h.add(t, index.Record{Header: record.Header{Kind: record.Tombstone}, Control: &memory.Tombstone{Target: kind, ID: id, Version: 1}})
	}
}

// expiry expires a few versioned records and events, which erases the events.
func (h *history) expiry(t *rapid.T) {
	x := &memory.Expiry{Cause: memory.CauseTTL}
	var targets []int
	for range rapid.IntRange(1, 3).Draw(t, "targets") {
		n, ok := h.some(t, func(n int) bool { return h.records[n].Body != nil || h.records[n].Event != nil })
		if ok && !slices.Contains(targets, n) {
			targets = append(targets, n)
			x.Targets = append(x.Targets, memory.ExpiryTarget{Kind: h.records[n].Header.Kind, Position: uint64(n)})
		}
	}
	if len(targets) == 0 {
		return
	}
	by := h.add(t, index.Record{Header: record.Header{Kind: record.Expiry}, Control: x})
	h.targets[by] = targets
	for _, n := range targets {
		if h.records[n].Event != nil {
			h.erase(t, n, by)
		}
	}
}

func (h *history) erase(t *rapid.T, n, by int) {
	h.erased[n] = by
	h.damaged[n] = rapid.IntRange(0, 3).Draw(t, "damaged") == 0
}

// redaction erases an event, or everything about a versioned record.
func (h *history) redaction(t *rapid.T) {
	first, ok := h.some(t, func(n int) bool { return h.records[n].Body != nil || h.records[n].Event != nil })
	if !ok {
		return
	}
	red := &memory.Redaction{}
	var targets []int
	kind, id, thing := h.about(first)
	for n := range h.records {
		k, i, about := h.about(n)
		if _, erased := h.erased[n]; erased || n != first && !(thing && about && k == kind && i == id) {
			continue
		}
		target := memory.RedactionTarget{Kind: record.Event, Position: uint64(n), ID: h.records[n].Header.ID}
		if thing {
			target.Kind, target.ID = kind, record.ID("acme", kind, id)
			h.gone[target.ID] = true
		}
		targets, red.Targets = append(targets, n), append(red.Targets, target)
	}
	by := h.add(t, index.Record{Header: record.Header{Kind: record.Redaction}, Control: red})
	h.targets[by] = targets
	for _, n := range targets {
		h.erase(t, n, by)
	}
}

// reading says what of a history can be read when it is folded.
type reading int

const (
	asItHappened reading = iota // erased records were readable until their erasure, except for damage
	notYetBlank                 // nothing was overwritten yet
	blank                       // all erased records are blank
)

// at returns a record as the record at now reads it.
func (h *history) at(n, now int, how reading) index.Record {
	r := h.records[n]
	by, erased := h.erased[n]
	unread := false
	switch {
	case !erased || how == notYetBlank:
	case how == blank || by < now:
		r.Event, r.Body, r.Control = nil, nil, nil
	case by == now && h.damaged[n]:
		r.Event, r.Body, r.Control, unread = nil, nil, nil, true
	}
	r.Damaged = unread
	return r
}

// fold folds a history in groups of the given sizes, cyclically.
func (h *history) fold(t *rapid.T, how reading, groups []int) []string {
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	folds := []index.Fold{catalog.New(), timeline.New(), frame.New(), weights.New(), deeds.New()}
	var tx *kv.Txn
	held, indexed := 0, false
	commit := func() {
		if tx == nil {
			return
		}
		for _, f := range folds {
			if err := f.Finish(tx); err != nil {
				t.Fatalf("%s: %v", f.Name(), err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		tx, held = nil, 0
	}
	for n := range h.records {
		r := h.at(n, n, how)
		alone := apply.Alone(r.Header.Kind)
		// Live, events are written in plain groups and everything else in
		// indexed ones; a replay uses plain ones wherever it can.
		want := alone || how == asItHappened && r.Header.Kind != record.Event
		if tx != nil && (alone || want != indexed || held >= groups[n%len(groups)]) {
			commit()
		}
		if tx == nil {
			if indexed = want; indexed {
				tx = s.BeginIndexed()
			} else {
				tx = s.Begin()
			}
		}
		for _, target := range h.targets[n] {
			found := h.at(target, n, how)
			if r.Header.Kind == record.Redaction {
				found.Body = nil
			}
			r.Targets = append(r.Targets, found)
		}
		for _, f := range folds {
			if err := f.Apply(tx, &r); err != nil {
				t.Fatalf("%s: %v", f.Name(), err)
			}
		}
		if held++; alone {
			commit()
		}
	}
	commit()
	return contents(t, s)
}

// contents returns all keys and values of a store.
func contents(t *rapid.T, s *kv.Store) (lines []string) {
	it, err := s.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s = %q", index.Describe(it.Key()), v))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestSameKeys folds random histories as they happened, and again with erased
// records readable or blank, in groups of any size: the keys and values are the
// same.
func TestSameKeys(t *testing.T) {
	testsize.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		sizes := rapid.SliceOfN(rapid.IntRange(1, 20), 1, 5)
		want := h.fold(t, blank, []int{1})
		for how, name := range []string{"as it happened", "before anything was overwritten", "after everything was"} {
			got := h.fold(t, reading(how), sizes.Draw(t, "groups"))
			if slices.Equal(got, want) {
				continue
			}
			for _, line := range got {
				if !slices.Contains(want, line) {
					t.Logf("too much: %s", line)
				}
			}
			for _, line := range want {
				if !slices.Contains(got, line) {
					t.Logf("missing: %s", line)
				}
			}
			t.Fatalf("folded %s, the keys are others", name)
		}
	})
}
