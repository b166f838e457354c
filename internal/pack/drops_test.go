package pack

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/testsize"
)

// TestEntryLimit: of more than 500 entries the worst are dropped and listed as such.
func TestEntryLimit(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: MaxBudget})
	for i := range 620 {
		b.add(Candidate{Section: []hmx.Section{hmx.SectionFacts, hmx.SectionEpisodes}[i%2], Relevance: 1 - float64(i)/1000}, fmt.Sprintf("item%04d", i))
	}
	res := b.compose()
	if len(res.Pack.Entries) != hmx.MaxPackEntries || len(res.Pack.DroppedEntries) != hmx.MaxDroppedEntries || res.Pack.TokenBudget.DroppedCount != 120 {
		t.Errorf("%d entries, %d of %d drops", len(res.Pack.Entries), len(res.Pack.DroppedEntries), res.Pack.TokenBudget.DroppedCount)
	}
	for _, v := range res.Verdicts {
		if (v.Rank <= 500) != (v.Reason == "") || v.Rank > 500 && v.Reason != hmx.DropBudget {
			t.Fatalf("rank %d: %s", v.Rank, v.Reason)
		}
	}
}

// TestByteLimit: a pack with too many bytes of JSON loses its worst entries.
func TestByteLimit(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Budget: MaxBudget, Counter: "estimate"})
	for i := range 200 {
		b.add(Candidate{Relevance: 1 - float64(i)/400}, fmt.Sprintf("item%04d ", i)+strings.Repeat(fmt.Sprintf(`\"%d`, i), 700))
	}
	res := b.compose()
	data, err := res.Pack.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := len(res.Pack.Entries)
	if len(data) > hmx.MaxPackBytes || len(data) < hmx.MaxPackBytes*9/10 || n < 10 {
		t.Errorf("%d bytes, %d entries", len(data), n)
	}
	for _, v := range res.Verdicts {
		if (v.Rank <= n) != (v.Reason == "") {
			t.Fatalf("rank %d of %d: %q", v.Rank, n, v.Reason)
		}
	}
}

// TestEntriesThatStay: if there are too many entries or bytes, pinned entries and the best of
// each section stay.
func TestEntriesThatStay(t *testing.T) {
	for name, text := range map[string]string{"entries": "", "bytes": strings.Repeat("\x02\"", 600)} {
		b := newBoard(t, Request{Query: "q", Budget: MaxBudget, Counter: "estimate"})
		for i := range 620 {
			b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 1, Salience: 1}, fmt.Sprintf("item%04d ", i)+text)
		}
		for i, section := range hmx.Sections() {
			if section.Priority() >= 3 && section != hmx.SectionEpisodes {
				b.add(Candidate{Section: section, Relevance: 0.2}, fmt.Sprintf("little%04d", i))
			}
		}
		for i := range 30 {
			section := []hmx.Section{hmx.SectionCore, hmx.SectionConstraints, hmx.SectionGoals}[i%3]
			b.add(Candidate{Section: section, Pinned: true, Time: now - 999*day}, fmt.Sprintf("pinned%04d", i))
		}
		res := b.compose()
		data, err := res.Pack.AppendJSON(nil)
		if err != nil || len(data) > hmx.MaxPackBytes {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		worst, best := 0, len(res.Verdicts)
		for _, v := range res.Verdicts {
			if (v.Candidate.Pinned || v.Candidate.Section != hmx.SectionEpisodes) && v.Reason != "" {
				t.Errorf("%s: rank %d of %s is dropped: %s", name, v.Rank, v.Candidate.Section, v.Reason)
			}
			if v.Candidate.Section == hmx.SectionEpisodes && v.Reason == "" {
				worst = max(worst, v.Rank)
			} else if v.Reason != "" {
				best = min(best, v.Rank)
			}
		}
		if worst > best {
			t.Errorf("%s: the one of rank %d stays, the one of rank %d does not", name, worst, best)
		}
	}
	// If even these are too many, pinned entries go before the best of each section.
	b := newBoard(t, Request{Query: "q", Budget: MaxBudget})
	for i := range 600 {
		b.add(Candidate{Section: hmx.SectionConstraints, Pinned: true}, fmt.Sprintf("rule%04d", i))
	}
	b.add(Candidate{Section: hmx.SectionEvidence, Relevance: 0.2}, "seen")
	if res := b.compose(); len(res.Pack.Entries) != hmx.MaxPackEntries || res.Pack.Entries[499].Section != hmx.SectionEvidence {
		t.Errorf("%d entries, the last of %s", len(res.Pack.Entries), res.Pack.Entries[len(res.Pack.Entries)-1].Section)
	}
}

// TestBlanks: a text with few tokens and many bytes does not displace others, and is cut with a
// marker.
func TestBlanks(t *testing.T) {
	testsize.OneGoroutine(t)
	for name, filler := range map[string]string{"blanks": " ", "lines": "\n", "dashes": "-", "hidden": "\x01"} {
		b := newBoard(t, Request{Query: "q", Budget: 8000})
		for i := range 40 {
			b.add(Candidate{Section: hmx.SectionEpisodes, Relevance: 1, Salience: 1}, fmt.Sprintf("item%04d", i)+strings.Repeat(filler, 30_000)+"end")
		}
		for i := range 20 {
			b.add(Candidate{Section: []hmx.Section{hmx.SectionCore, hmx.SectionGoals, hmx.SectionProcedures, hmx.SectionFacts}[i%4], Relevance: 0.5},
				fmt.Sprintf("item%04d alpha%04d", i, i))
		}
		res := b.compose()
		for _, v := range res.Verdicts {
			if v.Candidate.Section != hmx.SectionEpisodes && v.Reason != "" {
				t.Errorf("%s: rank %d of %s is dropped for %s", name, v.Rank, v.Candidate.Section, v.Reason)
			}
		}
		for _, e := range res.Pack.Entries {
			if n := quote.JSONBytes(e.Content); !quote.Fits(e.Content, 8000/SpanShare) || n > 1000 && !strings.Contains(e.Content, quote.Truncated) {
				t.Errorf("%s: %d bytes of %s", name, n, e.SourceID)
			}
		}
	}
}

// TestLongIDs: drops with very long ids are listed in part or not at all before entries are
// removed for them.
func TestLongIDs(t *testing.T) {
	for length, want := range map[int]int{8: 100, 1000: 20, 20_000: 0} {
		b := newBoard(t, Request{Query: "q", Budget: 60})
		for i := range 150 {
			b.add(Candidate{Relevance: 1 - float64(i)/400}, fmt.Sprintf("item%04d alpha%04d beta%04d", i, i, i))
			s := b.sources[uint64(1000+i)]
			s.ID = fmt.Sprintf("%d-%s", i, strings.Repeat("x", length))
			s.URI.ID = s.ID
			if i == 0 {
				s = Source{ID: "id", URI: memory.URI{Tenant: "acme", Kind: 2, ID: "id"}, Text: s.Text}
			}
			b.sources[uint64(1000+i)] = s
		}
		res := b.compose()
		if len(res.Pack.DroppedEntries) != want || len(res.Pack.Entries) == 0 {
			t.Errorf("ids of %d bytes: %d drops are listed, %d entries", length, len(res.Pack.DroppedEntries), len(res.Pack.Entries))
		}
	}
}

// TestHugeRequest: a query that leaves no room is refused, one that leaves some is not.
func TestHugeRequest(t *testing.T) {
	b := newBoard(t, Request{Query: "q" + strings.Repeat("\x01", MaxQuery-1)})
	b.add(Candidate{}, "A fact.")
	for i := range 30 {
		b.in.Rules = append(b.in.Rules, Rule{ID: fmt.Sprint(i), Constraint: strings.Repeat("\x02", 5000), Strength: memory.StrengthHard})
	}
	if res := b.compose(); len(res.Pack.Entries) != 1 || len(res.Pack.DecisionConstraints) == 0 {
		t.Errorf("%d entries, %d constraints", len(res.Pack.Entries), len(res.Pack.DecisionConstraints))
	}
	b.in.Request.Tags = []string{strings.Repeat("x", 100_000)}
	if _, err := Compose(b.input()); fault.CodeOf(err) != fault.InvalidArgument || fault.From(err).Advice() == "" {
		t.Errorf("%v", err)
	}
}

// TestDigestCovers: the digest changes with every field except the assembly time.
func TestDigestCovers(t *testing.T) {
	b := newBoard(t, Request{Query: "q", Agent: "coder", Session: "s", Tags: []string{"a"}, Strategy: hmx.StrategyFingerprintGuided, Priors: `{"sources":{"a":1}}`, Budget: 500})
	b.add(Candidate{}, "The vault holds the key.")
	b.add(Candidate{Deprecated: "expired"}, "The drawer holds the key.")
	b.in.Task = Task{Schemas: []Schema{{ArtifactID: "a", Steps: []Step{{Description: "Push", Tools: []string{"git"}}}, Relevance: 1, Confidence: 0.5}},
		Deeds: []Deed{{Tool: "go", Outcome: memory.OutcomeFailure, Text: "build failed"}}}
	b.in.Rules = []Rule{{ID: "r", Condition: "always", Constraint: "Never push.", Confidence: 1}}
	when := "yesterday"
	b.in.Class.TimeRef, b.in.Class.Entities = &when, []string{"vault"}
	res := b.compose()
	digest := digestOf(t, res.Pack)
	flips := 0
	var walk func(path string, v reflect.Value)
	flip := func(path string, change func(), back func()) {
		flips++
		change()
		other, err := Digest(res.Pack)
		if back(); err == nil && (other == digest) != (path == ".AssemblyMetadata.AssemblyDurationMS") {
			t.Errorf("%s is not in the digest", path)
		}
	}
	walk = func(path string, v reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		set := func(x any) { flip(path, func() { v.Set(reflect.ValueOf(x).Convert(v.Type())) }, func() { v.Set(old) }) }
		switch v.Kind() {
		case reflect.String:
			if v.Type() == reflect.TypeFor[hmx.Raw]() {
				set(`{"changed":1}`)
			} else {
				set("changed")
			}
		case reflect.Bool:
			set(!v.Bool())
		case reflect.Int64:
			set(v.Int() + 1)
		case reflect.Float64:
			set(v.Float()/2 + 0.1)
		case reflect.Pointer:
			walk(path, v.Elem())
		case reflect.Slice:
			flip(path, func() { v.Set(v.Slice(0, 0)) }, func() { v.Set(old) })
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				was := v.MapIndex(key)
				flip(path+"."+key.String(), func() { v.SetMapIndex(key, reflect.Value{}) }, func() { v.SetMapIndex(key, was) })
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[hmx.Time]() {
				other, err := hmx.ParseTime("2001-01-01T00:00:00Z")
				if err != nil {
					t.Fatal(err)
				}
				set(other)
				return
			}
			for i := range v.NumField() {
				if name := v.Type().Field(i).Name; v.Field(i).CanSet() && !(strings.HasPrefix(v.Type().Name(), "Opt[") && name == "Set") {
					walk(strings.TrimSuffix(path+"."+name, ".Value"), v.Field(i))
				}
			}
		}
	}
	walk("", reflect.ValueOf(res.Pack).Elem())
	if flips < 80 {
		t.Errorf("%d fields", flips)
	}
	if data, err := json.Marshal(res.Pack); err != nil || digestOf(t, res.Pack) != digest {
		t.Errorf("%v %s", err, data)
	}
}
