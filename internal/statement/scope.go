package statement

import "slices"

// unscoped returns the words of a sentence without those by which it is said for all
// projects, and whether there were some.
func unscoped(words []word) ([]word, bool) {
	from, to, ok := allProjects().find(words)
	if !ok {
		from, to, ok = anywhere(words)
	}
	if !ok || words[from].quoted {
		return words, false
	}
	rest := slices.Clone(words[:from])
	if to < len(words) {
		rest = append(rest, words[to:]...)
	}
	if n := from - 1; n >= 0 && rest[n].stop == 0 && from > 1 {
		rest[n].stop = words[to-1].stop
	}
	return rest, true
}

// anywhere finds "everywhere" and "globally" where they speak of the whole sentence: at
// its beginning, between marks, or behind "always and". "Install it globally" and "use
// tabs everywhere" tell how or where something is done.
func anywhere(words []word) (from, to int, ok bool) {
	for i, w := range words {
		if w.low != "everywhere" && w.low != "globally" || w.quoted {
			continue
		}
		switch {
		case i == 0 && (w.stop != 0 || len(words) > 1 && (words[1].low == "always" || words[1].low == "never")):
			return 0, 1, true
		case i > 0 && words[i-1].stop != 0:
			return i, i + 1, true
		case i == 2 && words[1].low == "and" && (words[0].low == "always" || words[0].low == "never"):
			return 1, 3, true
		}
	}
	return 0, 0, false
}

// widens reports whether a sentence says of what was stated before that it holds in all
// projects, and notes it there.
func (r *reader) widens(words []word) bool {
	if len(r.found) == 0 || len(words) < 3 {
		return false
	}
	many := false
	switch words[0].low {
	case "these", "those", "they":
		many = true
	case "this", "that", "it", "same", "the":
	default:
		return false
	}
	c := clause{words}
	_, everywhere := unscoped(words)
	if !c.has(holds()) || !everywhere && !c.has(wide()) {
		return false
	}
	for i := len(r.found) - 1; i >= 0; i-- {
		r.found[i].Everywhere = true
		if !many {
			break
		}
	}
	return true
}

var (
	// allProjects are phrases by which something is said for all projects.
	allProjects = phrases("in all my projects/repos/repositories/codebases|in all projects/repos/repositories/codebases|in all of my projects/repos/repositories|in all our projects/repos/repositories|" +
		"in every project/repo/repository/codebase|in every one of my projects/repos/repositories|in every single project/repo/repository|in each project/repo/repository|in each of my projects/repos/repositories|" +
		"in any project/repo/repository|in any of my projects/repos/repositories|across all projects/repos/repositories|across all my projects/repos/repositories|across all of my projects/repos/repositories|across my projects/repos/repositories|" +
		"across projects/repos|for all my projects/repos/repositories|for all projects/repos/repositories|for every project/repo/repository|for all of my projects/repos/repositories|to all my projects/repos/repositories|to all projects/repos/repositories|" +
		"to every project/repo/repository|no matter which project/repo/repository|no matter what project/repo/repository|no matter the project/repo/repository|no matter in which project/repo/repository|whatever the project/repo/repository|" +
		"regardless of project/repo|regardless of the project/repo/repository|regardless of which project/repo/repository|whichever project/repo|in whichever project/repo|wherever you work|wherever we work|not just in this project/repo/repository|not only in this project/repo/repository")

	// holds are phrases by which a rule is said to hold.
	holds = phrases("applies|apply|goes for|go for|holds|hold|counts|is valid|is true|is global|are global|is meant")

	// wide are words for all projects where a rule is said to hold.
	wide = phrases("everywhere|globally|is global|are global")
)
