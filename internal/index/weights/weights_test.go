package weights_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/weights"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

func openStore(t rapid.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// feedback is a record of a success with a profile.
func feedback(id, agent, actor string, trust record.Trust) index.Record {
	return index.Record{
		Header: record.Header{Kind: record.Feedback, Tenant: "acme", Trust: trust, Actor: actor},
		Body: &memory.Feedback{
			ID: id, AgentID: agent, Outcome: memory.OutcomeSuccess,
			Profile: hmx.Some(memory.Profile{Recency: 1, Access: 0.25, Citations: 0.5, Importance: 0.75}),
		},
	}
}

func forgotten(id string) index.Record {
	return index.Record{Header: record.Header{Kind: record.Tombstone, Tenant: "acme"}, Control: &memory.Tombstone{Target: record.Feedback, ID: id}}
}

func expired(put index.Record) index.Record {
	return index.Record{Header: record.Header{Kind: record.Expiry, Tenant: "acme"}, Control: &memory.Expiry{}, Targets: []index.Record{put}}
}

func redacted(id string) index.Record {
	return index.Record{Header: record.Header{Kind: record.Redaction, Tenant: "acme"}, Control: &memory.Redaction{
		Targets: []memory.RedactionTarget{{Kind: record.Feedback, ID: record.ID("acme", record.Feedback, id)}},
	}}
}

// fold folds records as one group, in a plain transaction where possible.
func fold(t rapid.TB, s *kv.Store, w *weights.Weights, records ...index.Record) {
	t.Helper()
	tx := s.Begin()
	for _, r := range records {
		if r.Header.Kind == record.Redaction || r.Header.Kind == record.Expiry {
			tx = s.BeginIndexed()
		}
	}
	for i := range records {
		if err := w.Apply(tx, &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(tx); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

func learned(t rapid.TB, s *kv.Store, agent string) (salience.Weights, uint64) {
	t.Helper()
	w, n, err := weights.For(s, 0, agent)
	if err != nil {
		t.Fatal(err)
	}
	return w, n
}

// empty reports whether a store is empty.
func empty(t rapid.TB, s *kv.Store) bool {
	t.Helper()
	it, err := s.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	any := it.First()
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return !any
}

// TestWhoTeaches: users and operators teach every agent, an agent only itself,
// and others none.
func TestWhoTeaches(t *testing.T) {
	bare := feedback("f", "coder", "coder", record.Operator)
	bare.Body.(*memory.Feedback).Profile = hmx.Opt[memory.Profile]{}
	for name, c := range map[string]struct {
		record index.Record
		want   uint64
	}{
		"an operator":                 {feedback("f", "coder", "ops", record.Operator), 1},
		"a user":                      {feedback("f", "coder", "ann", record.User), 1},
		"the agent":                   {feedback("f", "coder", "coder", record.Agent), 1},
		"another agent":               {feedback("f", "coder", "rival", record.Agent), 0},
		"a tool with its name":        {feedback("f", "coder", "coder", record.Tool), 0},
		"the outside with its name":   {feedback("f", "coder", "coder", record.External), 0},
		"an operator without profile": {bare, 0},
	} {
		s := openStore(t)
		defer s.Close()
		fold(t, s, weights.New(), c.record)
		w, n := learned(t, s, "coder")
		if n != c.want || (w == salience.Cold()) != (c.want == 0) {
			t.Errorf("%s: learned %d, %+v", name, n, w)
		}
		if c.want == 0 && !empty(t, s) {
			t.Errorf("%s: something was written", name)
		}
		if w, n := learned(t, s, "rival"); n != 0 || w != salience.Cold() {
			t.Errorf("%s: another agent learned %d", name, n)
		}
		if _, n, err := weights.For(s, 1, "coder"); n != 0 || err != nil {
			t.Errorf("%s: another tenant's agent learned %d, %v", name, n, err)
		}
	}
}

// TestSignal: the signal is the score, or else that of the outcome.
func TestSignal(t *testing.T) {
	profile := salience.Profile{Recency: 1, Access: 0.25, Citations: 0.5, Importance: 0.75}
	for _, c := range []struct {
		outcome memory.Outcome
		score   hmx.Opt[float64]
		signal  float64
	}{
		{memory.OutcomeSuccess, hmx.Opt[float64]{}, 1},
		{memory.OutcomePartial, hmx.Opt[float64]{}, 0.25},
		{memory.OutcomeFailure, hmx.Opt[float64]{}, -1},
		{memory.OutcomeSuccess, hmx.Some(-0.5), -0.5},
		{memory.OutcomeFailure, hmx.Some(0.0), 0},
	} {
		s := openStore(t)
		defer s.Close()
		r := feedback("f", "coder", "ann", record.User)
		b := r.Body.(*memory.Feedback)
		b.Outcome, b.Score = c.outcome, c.score
		fold(t, s, weights.New(), r)
		if w, n := learned(t, s, "coder"); n != 1 || w != salience.Cold().Learn(c.signal, profile) {
			t.Errorf("%s %v: %+v", c.outcome, c.score, w)
		}
	}
}

// TestTakenBack: a removed feedback leaves the weights as if it had never
// existed, for any kind of removal and grouping; and nothing is left of the
// last.
func TestTakenBack(t *testing.T) {
	put := func(position uint64) index.Record {
		r := feedback(fmt.Sprint("f", position), "coder", "ann", record.User)
		r.Header.Position = position
		b := r.Body.(*memory.Feedback)
		b.Profile.Value.Access = float64(position) / 8
		return r
	}
	learn := func(positions ...uint64) salience.Weights {
		w := salience.Cold()
		for _, p := range positions {
			w = w.Learn(1, salience.Profile(put(p).Body.(*memory.Feedback).Profile.Value))
		}
		return w
	}
	s, w := openStore(t), weights.New()
	defer s.Close()
	check := func(what string, positions ...uint64) {
		t.Helper()
		if got, n := learned(t, s, "coder"); n != uint64(len(positions)) || got != learn(positions...) {
			t.Errorf("%s: learned %d, %+v", what, n, got)
		}
	}
	fold(t, s, w, put(0), put(1))
	fold(t, s, w, put(2))
	check("put", 0, 1, 2)
	fold(t, s, w, forgotten("f1"), put(3))
	check("one from before and one more", 0, 2, 3)
	fold(t, s, w, put(4), put(5), forgotten("f4"), forgotten("f4"), put(6))
	check("one of the same group", 0, 2, 3, 5, 6)
	fold(t, s, w, expired(put(0)))
	check("expired", 2, 3, 5, 6)
	fold(t, s, w, redacted("f6"))
	check("redacted", 2, 3, 5)
	again := put(3)
	again.Header.Position = 7
	fold(t, s, w, again)
	check("said again", 2, 5, 3)
	fold(t, s, w, redacted("f2"), redacted("f3"), redacted("f3"), redacted("nobody"))
	check("more", 5)
	fold(t, s, w, forgotten("f5"))
	check("all")
	if !empty(t, s) {
		t.Error("something is left")
	}
}

// TestGroups: any grouping gives the same weights, which are those of the inputs
// in order.
func TestGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, w := openStore(t), weights.New()
		defer s.Close()
		type lesson struct {
			id      string
			agent   string
			profile salience.Profile
		}
		var live []lesson
		forget := func(id string) {
			for i := range live {
				if live[i].id == id {
					live = append(live[:i:i], live[i+1:]...)
					return
				}
			}
		}
		position := uint64(0)
		for range rapid.IntRange(1, 10).Draw(t, "groups") {
			var group []index.Record
			for range rapid.IntRange(1, 8).Draw(t, "size") {
				id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "id")
				forget(id)
				if rapid.IntRange(0, 2).Draw(t, "forget") == 0 {
					group = append(group, forgotten(id))
				} else {
					r := feedback(id, rapid.SampledFrom([]string{"x", "y"}).Draw(t, "agent"), "ann", record.User)
					b := r.Body.(*memory.Feedback)
					b.Profile.Value.Recency = rapid.Float64Range(0, 1).Draw(t, "recency")
					group = append(group, r)
					live = append(live, lesson{id, b.AgentID, salience.Profile(b.Profile.Value)})
				}
				group[len(group)-1].Header.Position = position
				position++
			}
			fold(t, s, w, group...)
			for _, agent := range []string{"x", "y"} {
				want, count := salience.Cold(), uint64(0)
				for _, l := range live {
					if l.agent == agent {
						want, count = want.Learn(1, l.profile), count+1
					}
				}
				if got, n := learned(t, s, agent); got != want || n != count {
					t.Fatalf("%s learned %d, %+v, want %d, %+v", agent, n, got, count, want)
				}
			}
		}
	})
}

// TestGivenUp: a discarded group has no effect.
func TestGivenUp(t *testing.T) {
	s, w := openStore(t), weights.New()
	defer s.Close()
	tx := s.Begin()
	r := feedback("f", "coder", "ann", record.User)
	if err := w.Apply(tx, &r); err != nil {
		t.Fatal(err)
	}
	w.Reset()
	if err := tx.Discard(); err != nil {
		t.Fatal(err)
	}
	fold(t, s, w, forgotten("another"))
	if !empty(t, s) {
		t.Error("what was given up is there")
	}
}

// TestDamage: damage is reported, not guessed at.
func TestDamage(t *testing.T) {
	for _, table := range []string{"a", "i", "f"} {
		s, w := openStore(t), weights.New()
		defer s.Close()
		fold(t, s, w, feedback("f", "coder", "ann", record.User))
		it, err := s.Iter([]byte("W"+table), []byte("W"+table+"\xff"))
		if err != nil || !it.First() {
			t.Fatal(table, err)
		}
		tx := s.Begin()
		if err := tx.Set(it.Key(), []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := it.Close(); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		_, _, err = weights.For(s, 0, "coder")
		if table != "a" {
			tx, r := s.Begin(), forgotten("f")
			if err = w.Apply(tx, &r); err == nil {
				err = w.Finish(tx)
			}
			_ = tx.Discard()
		}
		if fault.CodeOf(err) != fault.Damaged || !strings.Contains(err.Error(), "weights") {
			t.Errorf("table %s: %v", table, err)
		}
	}
}
