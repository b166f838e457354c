package pack

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// drop returns the decision on the candidate with index i: why it was dropped, and the index of
// the one it was dropped for, -1 for none.
func drop(res *Result, i int) (hmx.DropReason, int) {
	for _, v := range res.Verdicts {
		if v.Candidate.Index == i {
			if v.Of == 0 {
				return v.Reason, -1
			}
			return v.Reason, res.Verdicts[v.Of-1].Candidate.Index
		}
	}
	return "gone", -1
}

// expect composes and compares the decisions on candidates.
func (b *board) expect(want ...any) {
	b.t.Helper()
	res := b.compose()
	for i := 0; i < len(want); i += 3 {
		reason, of := drop(res, want[i].(int))
		if fmt.Sprint(reason) != fmt.Sprint(want[i+1]) || of != want[i+2].(int) {
			b.t.Errorf("candidate %d is %q of %d, should be %q of %d", want[i], reason, of, want[i+1], want[i+2])
		}
	}
}

func TestDropReasons(t *testing.T) {
	b := newBoard(t, Request{Query: "q"})
	over := b.add(Candidate{Deprecated: "expired", Relevance: 0.01}, "The old vault holds the key.")
	low := b.add(Candidate{Relevance: 0.09}, "Cats sleep all day.")
	pinned := b.add(Candidate{Relevance: 0.01, Pinned: true}, "Say what you changed.")
	best := b.add(Candidate{Relevance: 1}, "The release is made from the main branch by Ann.")
	told := b.add(Candidate{Relevance: 0.5, SameAs: best + 1}, "Ann makes releases.")
	same := b.add(Candidate{Relevance: 0.9}, "the release  is made from the MAIN branch by ann.")
	forged := b.add(Candidate{Relevance: 0.8}, "Nobody signs the builds.")
	b.unproven(forged)
	lost := b.add(Candidate{Relevance: 0.7}, "Gone before it was read.")
	b.gone[b.in.Candidates[lost].Position] = true
	b.expect(over, hmx.DropDeprecated, -1, low, hmx.DropRelevance, -1, pinned, "", -1, best, "", -1,
		told, hmx.DropDuplicate, best, same, hmx.DropDuplicate, best, forged, hmx.DropProvenance, -1, lost, "gone", -1)
	for _, d := range b.compose().Pack.DroppedEntries {
		if of := string(d.Extra["of"]); (d.DropReason == hmx.DropDuplicate) != (of == `"lukasa://acme/memory/id-003"`) || d.Extra["uri"] == "" {
			t.Errorf("%+v", d)
		}
	}
}

func TestConflicts(t *testing.T) {
	sides := func(trust ...record.Trust) *board {
		b := newBoard(t, Request{Query: "q"})
		for i, tier := range trust {
			b.add(Candidate{Relevance: 0.9 - float64(i)/10, Trust: tier}, fmt.Sprintf("The vault is in city%d by law%d of land%d.", i, i, i))
		}
		return b
	}
	open := Conflict{ID: "c", Between: []int{0, 1, 2}}
	b := sides(record.Agent, record.Operator, record.User)
	b.in.Conflicts = []Conflict{open}
	b.expect(0, hmx.DropConflict, 1, 1, "", -1, 2, hmx.DropConflict, 1)

	b = sides(record.Agent, record.User, record.User) // none has the most support
	b.in.Conflicts = []Conflict{open}
	b.expect(0, "", -1, 1, "", -1, 2, "", -1)

	b = sides(record.Agent, record.Operator, record.User) // decided
	b.in.Conflicts = []Conflict{{ID: "c", Between: []int{0, 1, 2}, Winner: 1}}
	b.expect(0, "", -1, 1, hmx.DropConflict, 0, 2, hmx.DropConflict, 0)

	b = sides(record.Agent, record.Operator, record.User) // decided for one that is gone
	b.in.Conflicts = []Conflict{{ID: "c", Between: []int{0, 1, 2}, Winner: 1}}
	b.in.Candidates[0].Deprecated = "superseded"
	b.expect(0, hmx.DropDeprecated, -1, 1, "", -1, 2, "", -1)

	b = sides(record.Agent, record.Operator, record.User) // in the order of their ids
	b.in.Conflicts = []Conflict{{ID: "d", Between: []int{0, 1}}, {ID: "c", Between: []int{1, 2}, Winner: 3}}
	b.expect(0, "", -1, 1, hmx.DropConflict, 2, 2, "", -1)
}

// TestWinnerFalls: if a winner does not verify or is gone, the contender that was dropped for
// it is kept instead.
func TestWinnerFalls(t *testing.T) {
	for _, gone := range []bool{true, false} {
		b := newBoard(t, Request{Query: "q"})
		first := b.add(Candidate{Relevance: 1, Trust: record.Operator}, "The vault is in Rome.")
		second := b.add(Candidate{Relevance: 0.9, Trust: record.User}, "The vault is in Paris, Ann said.")
		third := b.add(Candidate{Relevance: 0.8, SameAs: second + 1}, "Paris has the vault.")
		other := b.add(Candidate{Relevance: 0.7, SameAs: first + 1}, "In Rome there is a vault.")
		b.in.Conflicts = []Conflict{{ID: "c", Between: []int{first, second}}}
		fallen := any(hmx.DropProvenance)
		if gone {
			b.gone[b.in.Candidates[first].Position] = true
			fallen = "gone"
		} else {
			b.unproven(first)
		}
		b.expect(first, fallen, -1, second, "", -1, third, hmx.DropDuplicate, second, other, "", -1)
	}
}

// TestKin: find returns the best of the kept texts that are alike.
func TestKin(t *testing.T) {
	testsize.OneGoroutine(t)
	r := rand.New(rand.NewPCG(5, 6))
	var k kin
	var texts []string
	var plain []plainText
	found := 0
	for i := range 1500 {
		text := sentenceOf(r, 1+r.IntN(80))
		if i > 0 && r.IntN(2) == 0 {
			text = texts[r.IntN(len(texts))]
			for range r.IntN(4) {
				text += " " + vocabulary[r.IntN(len(vocabulary))]
			}
		}
		texts, plain = append(texts, text), append(plain, plainOf(text))
		w := wordsOf(text)
		at := slices.IndexFunc(plain[:i], plain[i].same)
		got := k.find(&contender{c: &Candidate{}, source: &Source{words: w}})
		if (at < 0) != (got == nil) || got != nil && got != k[at] {
			t.Fatalf("%q is like %v, found %v", text, at, got)
		}
		if got != nil {
			found++
		}
		k = append(k, &contender{c: &Candidate{}, rank: i, source: &Source{words: w}})
	}
	if found < 300 {
		t.Errorf("%d found", found)
	}
}
