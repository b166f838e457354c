package lexical

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/text"
)

// message returns the record of a message.
func message(t testing.TB, position uint64, words string) index.Record {
	t.Helper()
	ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"e%d","event_type":"message","agent_id":"coder","tenant_id":"acme","session_id":"s1","timestamp":"2026-11-15T05:00:00Z","sequence":7,"content":{"role":"user","text":%q},"metadata":{}}`, position, words))
	if err != nil {
		t.Fatal(err)
	}
	return index.Record{Event: ev, Header: record.Header{Kind: record.Event, Position: position, Tenant: "acme"}}
}

// fact returns the record of a version of a memory.
func fact(t testing.TB, position uint64, words string) index.Record {
	t.Helper()
	m := &memory.Memory{ID: "m", Type: memory.TypeFact, Text: words}
	m.Normalize()
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return index.Record{Body: m, Header: record.Header{Kind: record.Memory, Position: position, Tenant: "acme"}}
}

// TestApply folds records and searches for their words.
func TestApply(t *testing.T) {
	s, x := openStore(t), New()
	size := uint64(0)
	apply := func(records ...index.Record) {
		tx := s.Begin()
		for i := range records {
			if err := x.Apply(tx, &records[i]); err != nil {
				t.Fatal(err)
			}
			size = records[i].Header.Position + 1
		}
		if err := x.Finish(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	find := func(words string, want ...uint64) {
		t.Helper()
		v, err := Open(s, 0, size, nil)
		if err != nil {
			t.Fatal(err)
		}
		var q Query
		for _, token := range text.Analyze(nil, text.FieldText, words) {
			q.Terms = append(q.Terms, WeightedTerm{token.Term, 1})
		}
		found, err := v.Search(context.Background(), q, 10, index.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, m := range found {
			got = append(got, m.Position)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q is at %v, want %v", words, got, want)
		}
	}
	first := message(t, 0, "The gearbox is rusty.")
	apply(first, fact(t, 1, "Rusty gears are oiled on Mondays."))
	find("rusty", 0, 1)
	find("gearbox", 0)
	apply(fact(t, 2, "Gears are oiled on Fridays."), index.Record{Header: record.Header{Kind: record.Feedback, Position: 3, Tenant: "acme"}})
	find("rusty", 0)
	find("Mondays")
	find("oiled", 2)
	apply(index.Record{
		Header:  record.Header{Kind: record.Tombstone, Position: 4, Tenant: "acme"},
		Control: &memory.Tombstone{Target: record.Memory, ID: "m"},
	})
	find("oiled")
	find("rusty", 0)
	if n, _ := statisticsOf(t, s); n != 1 {
		t.Errorf("%d documents are left", n)
	}
}

func statisticsOf(t testing.TB, s *kv.Store) (documents, length uint64) {
	t.Helper()
	v, err := Open(s, 0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.Stats()
}

// TestDamagedRows changes bytes of rows: reads and folds may then find other
// documents or report damage, and nothing else.
func TestDamagedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	w := newWords(2, 80)
	var steps []step
	for p := range uint64(1000) {
		steps = append(steps, step{position: p, tokens: w.document(6)})
	}
	whole := openStore(t)
	fold(t, whole, newShaped(small()), false, steps...)
	type row struct{ key, value []byte }
	var rows []row
	it, err := whole.Iter([]byte{Prefix}, []byte{Prefix + 1})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row{bytes.Clone(it.Key()), bytes.Clone(v)})
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	said := 0
	for range 25 {
		s := openStore(t)
		tx := s.Begin()
		for _, r := range rows {
			v := r.value
			if rng.IntN(20) == 0 {
				v = bytes.Clone(v)
				switch i := rng.IntN(len(v)); rng.IntN(3) {
				case 0:
					v[i] ^= byte(1 + rng.IntN(255))
				case 1:
					v = v[:i]
				default:
					v = append(v[:i], byte(rng.Uint32()))
				}
			}
			if err := tx.SetBlind(r.key, v); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{searchAll(s), foldOn(s, w)} {
			if err != nil {
				damageOnly(t, err)
				said++
			}
		}
	}
	if said < 25 {
		t.Errorf("damage was told %d times only", said)
	}
}

// searchAll searches for several terms and documents.
func searchAll(s *kv.Store) error {
	v, err := openShaped(small(), s, 0, 1000, nil)
	if err != nil {
		return err
	}
	for rank := range uint64(20) {
		q := Query{Terms: []WeightedTerm{{term(rank), 1}, {term(rank + 1), 1}}}
		if rank%4 == 0 {
			q.Phrases = []text.Phrase{{Parts: []text.Token{{Term: term(rank)}, {Term: term(rank + 1), At: 1}}}}
		}
		if _, err := v.Search(context.Background(), q, 20, index.Filter{}); err != nil {
			return err
		}
		if _, err := v.Count(q, []uint64{rank, 50 * rank, 999}, nil); err != nil {
			return err
		}
	}
	return nil
}

// foldOn removes documents, and continues to the end of a segment.
func foldOn(s *kv.Store, w *words) error {
	x := newShaped(small())
	tx := s.Begin()
	defer tx.Discard()
	for p := uint64(1000); p < 2050; p++ {
		if p%40 == 0 {
			if err := x.remove(tx, 0, p-1000); err != nil {
				return err
			}
		}
		if err := x.add(tx, 0, &index.Document{Position: p, Tokens: w.document(3)}); err != nil {
			return err
		}
		x.pass(0, p)
	}
	return x.Finish(tx)
}

// TestForwardRows covers what other tests do not: fields out of order, many terms, a
// very frequent term, decreasing places.
func TestForwardRows(t *testing.T) {
	var w forwardWriter
	w.write([]text.Token{
		{Term: 5, At: 9, Field: text.FieldTitle}, {Term: 5, At: 3, Field: text.FieldText}, {Term: 7, At: 1, Field: text.FieldText},
		{Term: 5, At: 1<<32 - 1, Field: text.FieldTags}, {Term: 8, At: 0, Field: 200},
	})
	f, err := readForward(w.row)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := f.tokens()
	if err != nil {
		t.Fatal(err)
	}
	want := []text.Token{
		{Term: 5, At: 3, Field: text.FieldText}, {Term: 7, At: 1, Field: text.FieldText}, {Term: 5, At: 9, Field: text.FieldTitle},
		{Term: 5, At: 1<<32 - 1, Field: text.FieldTags}, {Term: 8, At: 0, Field: 200},
	}
	if !slices.Equal(tokens, want) || f.length != 4 || f.weight(5) != 2+4+3 || f.weight(8) != 2 || f.weight(6) != 0 {
		t.Errorf("%v of length %d", tokens, f.length)
	}
	for _, n := range []int{300, 70_000} {
		many := make([]text.Token, 0, n+200)
		for i := range n {
			many = append(many, text.Token{Term: term(uint64(i)), At: uint32(i)})
		}
		for range 200 {
			many = append(many, text.Token{Term: term(3), At: uint32(n)})
		}
		w.write(many)
		if f, err = readForward(w.row); err != nil {
			t.Fatal(err)
		}
		if tokens, err = f.tokens(); err != nil || !slices.Equal(tokens, many) || f.weight(term(3)) != 255 {
			t.Errorf("%d terms: %d tokens, %v", n, len(tokens), err)
		}
	}
}

// TestCache: the cache stays within its limit, and is correct.
func TestCache(t *testing.T) {
	s, x := openStore(t), New()
	for tenant := range uint32(20) {
		fold(t, s, x, false, step{tenant: tenant, tokens: []text.Token{{Term: 1}, {Term: text.Term(tenant) + 2}}})
	}
	c := NewCache(5 * 1024)
	for range 3 {
		for tenant := range uint32(20) {
			v, err := Open(s, tenant, 1, c)
			if err != nil {
				t.Fatal(err)
			}
			for other := range uint32(20) {
				n, err := v.DF(text.Term(other) + 2)
				if err != nil || (n == 1) != (other == tenant) {
					t.Fatalf("tenant %d has the term of %d %d times: %v", tenant, other, n, err)
				}
			}
		}
	}
	if c.bytes > c.limit || len(c.tails) != c.order.Len() || len(c.tails) == 0 || len(c.tails) == 20 {
		t.Errorf("%d tails of %d bytes", len(c.tails), c.bytes)
	}
}
