// Package programs is the one table of what programs do: their subcommands, the flags that have
// values, which program runs another one, and what a program does to what.
//
// Several readers ask it. internal/shell follows a command line to the commands that run in the
// end. internal/trace makes the shape of a step, internal/kind the verb of a frame, and
// internal/guide compares what a command does with what a rule forbids. internal/statement asks
// which words of a sentence name a program.
//
// What goes into shapes and frames is on record in boards, by the Version of the reader. The table
// of programs, what is in sub.go, and each list that says that shapes or frames use it therefore
// change only with that Version. Every other list may grow at any time.
//
// It knows names and nothing else: whether a program is installed, and what a script does that
// has no telling name, is not known here.
package programs

import (
	"slices"
	"strings"
	"sync"
)

// Verb is what a program does, as frames tell it: one of the verbs of internal/memory.
type Verb string

// The verbs of programs.
const (
	Find      Verb = "find"
	Acquire   Verb = "acquire"
	Build     Verb = "build"
	Modify    Verb = "modify"
	Deliver   Verb = "deliver"
	Analyze   Verb = "analyze"
	Negotiate Verb = "negotiate"
	Schedule  Verb = "schedule"
	Monitor   Verb = "monitor"
)

// VerbWords is a verb and the words that say it, between blanks.
type VerbWords struct {
	Verb  Verb
	Words string
}

// Program is what is known of a program, or of a group of its subcommands whose name then has
// two words.
type Program struct {
	Name string
	// Verb is what it does without a subcommand that is listed.
	Verb Verb
	// Subs are its subcommands by verb, and Flags what a flag makes of it.
	Subs, Flags []VerbWords
	// Target says that the word after it names a target, which says by its own words what it
	// does.
	Target bool
	// valued are flags that are followed by a value.
	valued string
}

// Simple returns the programs whose name says all, by verb.
func Simple() []VerbWords { return simple }

// All returns the programs whose subcommands or flags say what they do.
func All() []Program { return table }

// Of returns what is known of a program, or of a group of its subcommands; nil if nothing is.
func Of(name string) *Program { return index()[name] }

var index = sync.OnceValue(func() map[string]*Program {
	x := map[string]*Program{}
	for _, row := range simple {
		for name := range strings.FieldsSeq(row.Words) {
			x[name] = &Program{Name: name, Verb: row.Verb}
		}
	}
	for i := range table {
		x[table[i].Name] = &table[i]
	}
	return x
})

// HasSubs reports whether the word after the program belongs to its name.
func (p *Program) HasSubs() bool { return p.Target || len(p.Subs) > 0 }

// TakesValue reports whether the word after a flag belongs to it.
func (p *Program) TakesValue(flag string) bool { return listed(p.valued, flag) }

// Sub returns what a subcommand does.
func (p *Program) Sub(word string) (Verb, bool) { return verbOf(p.Subs, word) }

// Flag returns what a flag makes of the program: -i of sed, which may have a suffix, or
// --fix=yes.
func (p *Program) Flag(flag string) (Verb, bool) {
	if len(p.Flags) == 0 || len(flag) < 2 || flag[0] != '-' {
		return "", false
	}
	flag, _, _ = strings.Cut(flag, "=")
	if v, ok := verbOf(p.Flags, flag); ok || flag[1] == '-' {
		return v, ok
	}
	return verbOf(p.Flags, flag[:2])
}

func verbOf(table []VerbWords, word string) (Verb, bool) {
	for i := range table {
		if listed(table[i].Words, word) {
			return table[i].Verb, true
		}
	}
	return "", false
}

// Lookers returns programs, and programs with a subcommand, that analyze and yet do not say
// whether the work is any good: their success is no verdict.
func Lookers() []string { return lookers[:] }

// OnlyLooks reports whether a program, or one with its subcommand, is one of them.
func OnlyLooks(phrase string) bool { return slices.Contains(lookers[:], phrase) }

var lookers = [...]string{
	"diff", "cmp", "wc", "sort", "uniq", "md5sum", "sha256sum", "gdb", "lldb", "dlv", "strace", "ltrace", "perf", "hyperfine", "time", "du", "df", "nm", "objdump", "ldd",
	"otool", "bc", "test", "git diff", "git bisect", "go tool", "go bug", "gh pr diff", "gh pr review", "npm outdated", "helm template", "helm diff", "kubectl diff",
	"kubectl auth", "terraform plan", "tofu plan", "lukasa bench", "lukasa prove",
}

// Set is a set of words.
type Set map[string]bool

// words returns the set of the words of a list, made when it is first asked for: most processes
// ask for few.
func words(list string) func() Set {
	return sync.OnceValue(func() Set {
		s := Set{}
		for w := range strings.FieldsSeq(list) {
			s[w] = true
		}
		return s
	})
}

// phrases is words for a list of phrases between commas.
func phrases(list string) func() Set {
	return sync.OnceValue(func() Set {
		s := Set{}
		for phrase := range strings.SplitSeq(list, ", ") {
			s[phrase] = true
		}
		return s
	})
}

// listed reports whether a word is one of those in a list.
func listed(list, word string) bool {
	for list != "" {
		var item string
		if item, list, _ = strings.Cut(list, " "); item == word {
			return true
		}
	}
	return false
}
