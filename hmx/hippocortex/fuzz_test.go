package hippocortex

import (
	"errors"
	"slices"
	"testing"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
)

// fuzz checks the promises of one mapping. An input is either arbitrary data, or a valid
// document with a member grafted into one of its objects: mutated bytes alone are hardly ever a
// document, and would only test refusals.
func fuzz(f *testing.F, form Form, bare string) {
	stems := [][]byte{[]byte(bare)}
	all := documents(f)
	for _, name := range slices.Sorted(keys(all)) {
		if formOf(name) != form.Counterpart() {
			continue
		}
		older, _, err := Convert(form.Counterpart(), form, all[name], nil)
		if err != nil {
			f.Fatal(err)
		}
		stems = append(stems, all[name], older)
	}
	for i, s := range stems {
		for place, name := range awkward {
			f.Add(s, uint8(i), uint8(place), name, []byte(scalars[place%len(scalars)]))
		}
	}
	for _, s := range []string{"", "{}", "[]", `{"id":1}`, `{"metadata":{"hmx":{"shadowed":{}}}}`} {
		f.Add([]byte(s), uint8(0), uint8(0), "hmx", []byte(`{"hmx":[{}]}`))
	}
	f.Fuzz(func(t *testing.T, data []byte, stem, place uint8, name string, value []byte) {
		check(t, form, data)
		if grafted, ok := graft(stems[int(stem)%len(stems)], int(place), name, value); ok {
			check(t, form, grafted)
		}
	})
}

// graft adds a member to one of the objects of data.
func graft(data []byte, place int, name string, value []byte) ([]byte, bool) {
	var d canon.Doc
	if d.Parse(value) != nil || !utf8.ValidString(name) {
		return nil, false
	}
	d.Parse(data)
	var objects []canon.Node
	for n := d.Root(); n < d.After(d.Root()); n++ {
		if d.Kind(n) == canon.Object {
			objects = append(objects, n)
		}
	}
	into := objects[place%len(objects)]
	start, _ := d.Span(into)
	member := append(append(quoted(name), ':'), value...)
	if d.First(into) != canon.None {
		member = append(member, ',')
	}
	return slices.Concat(data[:start+1], member, data[start+1:]), true
}

// check tries data as either form: what is decoded can be encoded and decoded again, and a
// refusal has problems that lie within the text.
func check(t *testing.T, form Form, data []byte) {
	t.Helper()
	DetectForm(data)
	hmxForm := form.Counterpart()
	if _, err := hmx.Check(hmxForm.Kind(), data); err == nil {
		if _, _, err := Convert(hmxForm, form, data, nil); err == nil {
			roundTrip(t, hmxForm, data)
		} else {
			checkProblems(t, err)
		}
	}
	converted, _, err := Convert(form, hmxForm, data, generous())
	if err != nil {
		for _, p := range checkProblems(t, err) {
			if p.Offset < 0 || p.Offset > len(data) {
				t.Fatalf("%v lies outside", p)
			}
		}
		return
	}
	keepsMembers(t, data, roundTrip(t, hmxForm, converted))
}

func checkProblems(t *testing.T, err error) []hmx.Problem {
	t.Helper()
	var invalid *hmx.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
		t.Fatalf("refused without a problem: %v", err)
	}
	return invalid.Problems
}

func FuzzEpisodeTrace(f *testing.F)     { fuzz(f, FormEpisodeTrace, bareTrace) }
func FuzzCompiledArtifact(f *testing.F) { fuzz(f, FormCompiledArtifact, bareArtifact) }
func FuzzContextPack(f *testing.F)      { fuzz(f, FormContextPack, barePack) }
