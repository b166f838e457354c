package programs

import (
	"strings"
	"testing"
)

// TestTables holds what the readers take for granted: each row can be found.
func TestTables(t *testing.T) {
	t.Parallel()
	for phrase := range Carriers() {
		if name, _, _ := strings.Cut(phrase, " "); Depth(phrase) != 2 || Depth(name) == 0 {
			t.Errorf("%s runs another command, and the words behind %s are not read that far", phrase, name)
		}
	}
	for phrase := range depths() {
		if name, _, ok := strings.Cut(phrase, " "); ok && Depth(name) == 0 {
			t.Errorf("%s is never read: %s has no subcommands", phrase, name)
		}
	}
	Phrases(func(phrase string) {
		if d, _ := Does(phrase); len(d.Verbs) == 0 {
			t.Errorf("%s does nothing", phrase)
		}
		if strings.Join(strings.Fields(phrase), " ") != phrase {
			t.Errorf("%q is not found by its words", phrase)
		}
	})
	InFamilies(func(name string) {
		if Family(name) == 0 {
			t.Errorf("%s is in no family", name)
		}
	})
	for _, w := range FrameWrappers() {
		if w.Name == "" || w.TakesValue("") {
			t.Errorf("%+v has no name, or takes every word for a flag", w)
		}
	}
}

func TestFlagsOfPrograms(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		program, flag string
		verb          Verb
		ok            bool
	}{
		{"sed", "-i", Modify, true}, {"sed", "-i.bak", Modify, true}, {"sed", "-n", "", false}, {"eslint", "--fix=yes", Modify, true}, {"eslint", "--fixed", "", false}, {"ls", "-i", "", false},
	} {
		if verb, ok := Of(x.program).Flag(x.flag); verb != x.verb || ok != x.ok {
			t.Errorf("%s %s is %q, %v, want %q, %v", x.program, x.flag, verb, ok, x.verb, x.ok)
		}
	}
	if v, ok := Of("gh pr").Sub("merge"); v != Deliver || !ok || Of("nothing") != nil {
		t.Errorf("gh pr merge is %q, %v", v, ok)
	}
	for name, want := range map[string]string{"python3": "-c", "python3.12": "-c", "awk": "*"} {
		if got, ok := Inline(name); got != want || !ok {
			t.Errorf("%s is given its program behind %q, %v, want %q", name, got, ok, want)
		}
	}
}
