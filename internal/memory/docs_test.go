package memory

import (
	"errors"
	"os"
	"strings"
	"testing"

	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// TestDocumented compares docs/formats/memory.md with the code: it names every field and every
// value of a closed list.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats/memory.md")
	if err != nil {
		t.Fatal(err)
	}
	need := func(what, name string) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/formats/memory.md does not mention %s `%s`", what, name)
		}
	}
	docs := []listed{
		new(Scope), new(Retention), new(Frame), new(Forms), new(Tombstone), new(Redaction), new(RedactionTarget),
		new(Expiry), new(ExpiryTarget), new(Transition),
	}
	for _, kind := range BodyKinds() {
		if b := newBody(kind); b != nil {
			docs = append(docs, b)
		}
	}
	for _, typ := range Types() {
		need("type", string(typ))
		docs = append(docs, NewData(typ))
	}
	for _, doc := range docs {
		for _, name := range fieldNames(doc) {
			need("field", name)
		}
	}
	for _, k := range record.Kinds() {
		need("kind", k.String())
	}
	for _, trust := range record.Trusts() {
		need("trust tier", trust.String())
	}
	all(need, "verb", Verbs())
	all(need, "object kind", ObjectKinds())
	all(need, "visibility", Visibilities())
	all(need, "strength", Strengths())
	all(need, "goal status", GoalStatuses())
	all(need, "outcome", Outcomes())
	all(need, "polarity", Polarities())
	all(need, "stance", Stances())
	all(need, "level", Levels())
	all(need, "edge kind", EdgeKinds())
	all(need, "conflict status", ConflictStatuses())
	all(need, "policy kind", PolicyKinds())
	all(need, "retention action", RetentionActions())
	all(need, "expiry cause", ExpiryCauses())
	all(need, "op of a violation", ViolationOps())
	all(need, "rule of a violation", ViolationRules())
}

func all[T ~string](need func(what, name string), what string, names []T) {
	for _, n := range names {
		need(what, string(n))
	}
}

// fieldNames returns the names that doc reads: the advice on an unknown one lists them.
func fieldNames(doc listed) []string {
	var p document.Problems
	document.Decode(&p, []byte(`{"?":0}`), doc.fields)
	if e, ok := errors.AsType[*document.InvalidError](p.Err("")); ok {
		for _, x := range e.Problems {
			if names, ok := strings.CutPrefix(x.Fix, "remove it, or use one of "); ok {
				return strings.Split(names, ", ")
			}
		}
	}
	return nil
}
