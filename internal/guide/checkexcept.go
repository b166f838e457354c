package guide

import (
	"path"
	"slices"
	"strings"
)

// exception is what a rule does not speak of.
type exception struct {
	// text is as it is written.
	text  string
	words []word
	// branch says that the words name branches, and target that it is about those that
	// something is done to, whichever is checked out.
	branch, target bool
}

// lifted is how an exception stands to an act.
type lifted uint8

const (
	unknowable lifted = iota // an action does not show it
	within                   // the act is within the exception
	beyond                   // it is not
)

// exceptionOf reads what stands behind "except", "unless", "but" or "outside".
func exceptionOf(s []token) *exception {
	if len(s) == 0 {
		return nil
	}
	e := &exception{text: words(s)}
	on := false
	for _, t := range s {
		switch t.low {
		case "on", "from", "in":
			on = true
		case "to", "into", "onto", "fine", "ok", "okay", "allowed", "permitted", "may", "can":
			e.target = true
		}
		switch w := wordOf(t); {
		case w.folded == folded("branch"):
			e.branch = true
		case fillers()[t.low] && t.low != "." || prepositions()[t.low] || kinds()[w.folded] || exceptionWords()[t.low] || tails[t.low] != 0:
		case len(e.words) < maxGroups:
			e.words = append(e.words, w)
		}
	}
	e.target = e.target && !on
	return e
}

// exceptionWords are words of an exception that say nothing about what it is.
var exceptionWords = rawWords("except exception exceptions unless but outside than other for may can could fine ok okay allowed permitted exempt excluded not never already working currently checked or if case cases when while good")

// isException reports whether a sentence, or what stands behind a comma, only limits what was
// said before it.
func isException(s []token) bool {
	for len(s) > 0 && (s[0].low == "and" || s[0].low == "the" || s[0].low == "only") {
		s = s[1:]
	}
	if len(s) < 2 {
		return false
	}
	switch s[0].low {
	case "except", "unless", "exception", "exceptions", "exempt":
		return true
	case "but", "however", "though":
		if prepositions()[s[1].low] || s[1].low == "not" || s[1].low == "except" || s[1].low == "unless" {
			return true
		}
	}
	but := s[0].low == "but" || s[0].low == "however"
	allows := false
	for i, t := range s {
		switch t.low {
		case "fine", "ok", "okay", "allowed", "permitted", "exempt":
			allows = true
		case "may", "can":
			allows = allows || but
		case "not", "never", "don't":
			if i > 0 {
				return false
			}
		}
	}
	return allows
}

// judge says how an exception of a clause stands to an act.
func (e *exception) judge(c *clause, a *act) lifted {
	var rest []word
	for _, w := range e.words {
		if !c.says(w) {
			rest = append(rest, w)
		}
	}
	if len(rest) == 0 {
		return unknowable
	}
	if slices.ContainsFunc(rest, func(w word) bool { return asked()[w.folded] || times()[w.folded] || manners()[w.folded] }) {
		return unknowable
	}
	if e.branch || slices.ContainsFunc(rest, func(w word) bool { return branchName(&group{words: []word{w}}) && !environments()[w.folded] }) {
		return e.judgeBranch(a, rest)
	}
	if slices.ContainsFunc(rest, func(w word) bool { return w.path }) {
		return judgePaths(a, rest)
	}
	if slices.ContainsFunc(rest, func(w word) bool { return environments()[w.folded] || tryouts()[w.folded] }) {
		return judgeEnvironment(a, rest)
	}
	all, known := true, true
	for i := range rest {
		w := rest[i]
		met, _ := a.meets(&group{words: []word{w}, place: true})
		all = all && (met || a.onNamed(w.folded))
		known = known && (w.flag || ruleNames()[w.low] && a.program != "")
	}
	switch {
	case all:
		return within
	case known || len(a.paths) > 0 && c.outside:
		return beyond
	}
	return unknowable
}

// tryouts are names of where something runs that is not production.
var tryouts = foldedWords("staging stage dev development test testing local localhost sandbox qa preview ci")

// says reports whether a clause has a word already.
func (c *clause) says(w word) bool {
	return slices.ContainsFunc(c.groups, func(g group) bool {
		return slices.ContainsFunc(g.words, func(x word) bool { return x.folded == w.folded })
	})
}

// judgeBranch compares branches: the one that is checked out, and those that the act is done
// to.
func (e *exception) judgeBranch(a *act, rest []word) lifted {
	if a.at == "" && len(a.targets) == 0 {
		return unknowable
	}
	if e.target && len(a.targets) > 0 {
		for _, b := range a.targets {
			if !slices.ContainsFunc(rest, func(w word) bool { return branchIs(b, w) }) {
				return beyond
			}
		}
		return within
	}
	for _, w := range rest {
		if branchIs(a.at, w) || slices.ContainsFunc(a.targets, func(b string) bool { return branchIs(b, w) }) {
			return within
		}
	}
	if a.at == "" {
		return unknowable
	}
	return beyond
}

// branchIs reports whether a branch is one that a word names: release of release/1.2, and
// hotfix/* of hotfix/login.
func branchIs(branch string, w word) bool {
	low := strings.ToLower(branch)
	if low == "" {
		return false
	}
	if low == w.low {
		return true
	}
	if ok, err := path.Match(w.low, low); err == nil && ok {
		return true
	}
	return slices.ContainsFunc(nameWords(low), func(part string) bool { return folded(part) == w.folded })
}

// onNamed reports whether the branch that is checked out has a word in its name.
func (a *act) onNamed(folded string) bool {
	return a.at != "" && branchIs(a.at, word{low: folded, folded: folded})
}

// judgePaths compares the paths of an act with those that an exception names: all of them must
// lie in one.
func judgePaths(a *act, rest []word) lifted {
	if len(a.paths) == 0 {
		return unknowable
	}
	sure := true
	for _, p := range a.paths {
		low := strings.ToLower(p)
		in := slices.ContainsFunc(rest, func(w word) bool { return w.path && pathIn(w.low, low) })
		if in {
			continue
		}
		for _, w := range rest {
			if rooted := strings.HasPrefix(w.low, "/") || strings.HasPrefix(w.low, "~"); w.path && rooted && !strings.HasPrefix(low, "/") && !strings.HasPrefix(low, "~") {
				sure = false // it depends on the working directory
			}
		}
		if sure {
			return beyond
		}
	}
	if sure {
		return within
	}
	return unknowable
}

// judgeEnvironment compares where an act runs.
func judgeEnvironment(a *act, rest []word) lifted {
	for _, w := range rest {
		if a.nouns[w.folded] || a.names[w.folded] || a.exact[exactly(w.low)] || a.where[w.folded] {
			return within
		}
	}
	for w := range environments() {
		if a.nouns[w] || a.names[w] {
			return beyond
		}
	}
	return unknowable
}
