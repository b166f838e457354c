package vector

import (
	"testing"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// TestApply follows a memory through its life: it is created, gets a vector by
// another model, is updated, and redacted with what was derived from it.
func TestApply(t *testing.T) {
	s := openStore(t)
	model := embed.Builtin()
	x := New(model.Name())
	size := uint64(0)
	apply := func(r index.Record) {
		t.Helper()
		r.Header.Tenant, r.Header.Position, r.Header.Trust = "acme", size, record.User
		size++
		tx := s.BeginIndexed()
		if err := x.Apply(tx, &r); err != nil {
			t.Fatal(err)
		}
		if err := x.Finish(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	say := func(text string) {
		t.Helper()
		m := &memory.Memory{ID: "cat", Type: memory.TypeFact, Text: text}
		m.Normalize()
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		apply(index.Record{Header: record.Header{Kind: record.Memory}, Body: m})
	}
	embedded := func(position uint64) {
		t.Helper()
		apply(index.Record{Header: record.Header{Kind: record.Embedding}, Body: memory.NewEmbedding("other", memory.URI{}, position, []float32{1, 2, 3})})
	}
	find := func(q Query, want ...uint64) {
		t.Helper()
		q.K = 10
		got, err := Open(s, 0, size, nil).Search(t.Context(), q)
		if err != nil || len(got) != len(want) {
			t.Fatal(got, err)
		}
		for i, m := range got {
			if m.Position != want[i] || m.Score < 0.4 {
				t.Fatal(got)
			}
		}
	}
	builtIn := Query{Vector: model.Embed(nil, "the cat").Vector}
	other := Query{Vector: []float32{1, 2, 3}, Own: true, Model: "other"}

	say("The cat sleeps on the sofa.") // position 0
	find(builtIn, 0)
	find(other)
	embedded(0) // 1
	find(other, 0)
	say("The cat sleeps in the garden.") // 2
	find(builtIn, 2)
	find(other)
	embedded(0) // 3: too late
	embedded(2) // 4
	find(other, 2)
	spaces, err := Open(s, 0, size, nil).Spaces(5)
	if err != nil || len(spaces) != 2 || spaces[0] != (Space{true, model.Name(), model.Dimensions(), 1}) || spaces[1] != (Space{false, "other", 3, 1}) {
		t.Fatal(spaces, err)
	}
	red := &memory.Redaction{}
	id := record.ID("acme", record.Memory, "cat")
	for position, kind := range map[uint64]record.Kind{0: record.Memory, 2: record.Memory, 1: record.Embedding, 3: record.Embedding, 4: record.Embedding} {
		red.Targets = append(red.Targets, memory.RedactionTarget{Kind: kind, Position: position, ID: id})
	}
	apply(index.Record{Header: record.Header{Kind: record.Redaction}, Control: red})
	find(builtIn)
	find(other)
	for key := range dump(t, s) {
		if key[1] != index.KeeperTable {
			t.Errorf("%s is left", index.Describe([]byte(key)))
		}
	}
}
