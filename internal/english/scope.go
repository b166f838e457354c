package english

import (
	"slices"
	"strings"
)

// WithoutScope returns the words of a sentence without those that extend it to all projects,
// and whether there were some.
func WithoutScope(words []Word) ([]Word, bool) {
	from, to, ok := scopeIn(words)
	if !ok {
		return words, false
	}
	rest := slices.Clone(words[:from])
	if to < len(words) {
		rest = append(rest, words[to:]...)
	}
	if n := from - 1; n >= 0 && rest[n].Stop == 0 && from > 1 {
		rest[n].Stop = words[to-1].Stop
	}
	return rest, true
}

// scopeIn finds the words that extend a sentence to all projects.
func scopeIn(words []Word) (from, to int, ok bool) {
	if from, to, ok = allProjects().Find(words); !ok {
		from, to, ok = anywhere(words)
	}
	return from, to, ok && !words[from].Quoted
}

// WithoutPlace returns the words of a sentence without those at its beginning that limit it to the
// current project, which is the default, and whether there were some.
func WithoutPlace(words []Word) ([]Word, bool) {
	if from, to, ok := ThisProject().Find(words); ok && from == 0 && to < len(words) {
		return words[to:], true
	}
	return words, false
}

// Unscoped returns a text without the words by which its sentences are said for all projects
// or for the project at hand: "In all my projects, never force-push." is "never force-push."
// What is left says what a rule forbids or asks for.
func Unscoped(text string) string {
	var b strings.Builder
	kept := 0
	Sentences(text, 0, len(text), func(s Sentence) bool {
		words := Split(text, s)
		from, to, ok := scopeIn(words)
		if !ok {
			if from, to, ok = ThisProject().Find(words); !ok || from != 0 || to == len(words) {
				return true
			}
		}
		begin, end := words[from].From, words[to-1].To
		if to < len(words) {
			end = words[to].From // with the mark behind it
		} else if from > 0 {
			begin = words[from-1].To // with the mark before it
		}
		b.WriteString(text[kept:begin])
		kept = end
		return true
	})
	b.WriteString(text[kept:])
	return b.String()
}

// anywhere finds "everywhere" and "globally" where they modify the whole sentence: at
// its beginning, between marks, or behind "always and". In "install it globally" and "use
// tabs everywhere" they say how or where something is done.
func anywhere(words []Word) (from, to int, ok bool) {
	for i, w := range words {
		if w.Low != "everywhere" && w.Low != "globally" || w.Quoted {
			continue
		}
		switch {
		case i == 0 && (w.Stop != 0 || len(words) > 1 && (words[1].Low == "always" || words[1].Low == "never")):
			return 0, 1, true
		case i > 0 && words[i-1].Stop != 0:
			return i, i + 1, true
		case i == 2 && words[1].Low == "and" && (words[0].Low == "always" || words[0].Low == "never"):
			return 1, 3, true
		}
	}
	return 0, 0, false
}

var (
	// allProjects are phrases that extend a statement to all projects.
	allProjects = Phrases("in all my projects/repos/repositories/codebases|in all projects/repos/repositories/codebases|in all of my projects/repos/repositories|in all our projects/repos/repositories|" +
		"in every project/repo/repository/codebase|in every one of my projects/repos/repositories|in every single project/repo/repository|in each project/repo/repository|in each of my projects/repos/repositories|" +
		"in any project/repo/repository|in any of my projects/repos/repositories|across all projects/repos/repositories|across all my projects/repos/repositories|across all of my projects/repos/repositories|across my projects/repos/repositories|" +
		"across projects/repos|for all my projects/repos/repositories|for all projects/repos/repositories|for every project/repo/repository|for all of my projects/repos/repositories|to all my projects/repos/repositories|to all projects/repos/repositories|" +
		"to every project/repo/repository|no matter which project/repo/repository|no matter what project/repo/repository|no matter the project/repo/repository|no matter in which project/repo/repository|whatever the project/repo/repository|" +
		"regardless of project/repo|regardless of the project/repo/repository|regardless of which project/repo/repository|whichever project/repo|in whichever project/repo|wherever you work|wherever we work|not just in this project/repo/repository|not only in this project/repo/repository")

	// ThisProject are phrases that limit a statement to the current project.
	ThisProject = Phrases("in our team/company/organisation/organization|in my team|here|in this project/repo/repository/codebase|for this project/repo/repository/codebase|in our repo/repository/codebase/project|in my repo/repository/codebase/project")

	// Holds are phrases that state that a rule holds.
	Holds = Phrases("applies|apply|goes for|go for|holds|hold|counts|is valid|is true|is global|are global|is meant")

	// Wide are words for all projects, in the scope of a rule.
	Wide = Phrases("everywhere|globally|is global|are global")
)
