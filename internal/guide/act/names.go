package act

import (
	"strings"
	"sync"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/programs"
)

// done returns what a program, or one with its subcommand, does, in the words of rules: the verbs,
// and what they are done to.
func done(phrase string) (verbs, objects english.FoldSet, ok bool) {
	d, ok := programs.Does(phrase)
	return english.Folded(d.Verbs...), english.Folded(d.Objects...), ok
}

// ProgramNames are names that in a rule mean the program: what is both that and a word for
// something else is none.
var ProgramNames = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	programs.Phrases(func(phrase string) {
		name, _, _ := strings.Cut(phrase, " ")
		m[name] = true
	})
	programs.InFamilies(func(name string) { m[name] = true })
	for name := range m {
		switch name {
		case "just", "task", "go", "http", "https", "service", "black", "dd":
			delete(m, name)
		}
		if english.Deeds()[english.Fold(name)] {
			delete(m, name)
		}
	}
	return m
})
