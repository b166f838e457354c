package guide

import (
	"path"
	"slices"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/guide/act"
	"lukasa.dev/internal/ruletext"
)

// lifted is how an exception stands to an act.
type lifted uint8

const (
	unknowable lifted = iota // an action does not show it
	within                   // the act is within the exception
	beyond                   // it is not
)

// judge says how an exception of a clause stands to an act.
func judgeException(e *ruletext.Exception, c *ruletext.Clause, a *act.Act) lifted {
	var rest []ruletext.Word
	for _, w := range e.Words {
		if !hasWord(c, w) {
			rest = append(rest, w)
		}
	}
	if len(rest) == 0 {
		return unknowable
	}
	if slices.ContainsFunc(rest, func(w ruletext.Word) bool {
		return english.Consents()[w.Folded] || english.Times()[w.Folded] || english.RuleManners()[w.Folded]
	}) {
		return unknowable
	}
	if e.Branch || slices.ContainsFunc(rest, func(w ruletext.Word) bool {
		return branchName(&ruletext.Group{Words: []ruletext.Word{w}}) && !english.Environments()[w.Folded]
	}) {
		return judgeBranch(e, a, rest)
	}
	if slices.ContainsFunc(rest, func(w ruletext.Word) bool { return w.Path }) {
		return judgePaths(a, rest)
	}
	if slices.ContainsFunc(rest, func(w ruletext.Word) bool { return english.Environments()[w.Folded] || tryouts()[w.Folded] }) {
		return judgeEnvironment(a, rest)
	}
	all, known := true, true
	for i := range rest {
		w := rest[i]
		met, _ := meets(a, &ruletext.Group{Words: []ruletext.Word{w}, Place: true})
		all = all && (met || onNamed(a, w.Folded))
		known = known && (w.Flag || act.ProgramNames()[w.Low] && a.Program != "")
	}
	switch {
	case all:
		return within
	case known || len(a.Paths) > 0 && c.Outside:
		return beyond
	}
	return unknowable
}

// tryouts are names of where something runs that is not production.
var tryouts = english.FoldedList("staging stage dev development test testing local localhost sandbox qa preview ci")

// says reports whether a clause has a word already.
func hasWord(c *ruletext.Clause, w ruletext.Word) bool {
	return slices.ContainsFunc(c.Groups, func(g ruletext.Group) bool {
		return slices.ContainsFunc(g.Words, func(x ruletext.Word) bool { return x.Folded == w.Folded })
	})
}

// judgeBranch compares branches: the one that is checked out, and those that the act is done
// to.
func judgeBranch(e *ruletext.Exception, a *act.Act, rest []ruletext.Word) lifted {
	if a.At == "" && len(a.Targets) == 0 {
		return unknowable
	}
	if e.Target && len(a.Targets) > 0 {
		for _, b := range a.Targets {
			if !slices.ContainsFunc(rest, func(w ruletext.Word) bool { return branchIs(b, w) }) {
				return beyond
			}
		}
		return within
	}
	for _, w := range rest {
		if branchIs(a.At, w) || slices.ContainsFunc(a.Targets, func(b string) bool { return branchIs(b, w) }) {
			return within
		}
	}
	if a.At == "" {
		return unknowable
	}
	return beyond
}

// branchIs reports whether a branch is one that a word names: release of release/1.2, and
// hotfix/* of hotfix/login.
func branchIs(branch string, w ruletext.Word) bool {
	low := strings.ToLower(branch)
	if low == "" {
		return false
	}
	if low == w.Low {
		return true
	}
	if ok, err := path.Match(w.Low, low); err == nil && ok {
		return true
	}
	return slices.ContainsFunc(act.NameWords(low), func(part string) bool { return english.Fold(part) == w.Folded })
}

// onNamed reports whether the branch that is checked out has a word in its name.
func onNamed(a *act.Act, folded string) bool {
	return a.At != "" && branchIs(a.At, ruletext.Word{Low: folded, Folded: folded})
}

// judgePaths compares the paths of an act with those that an exception names: all of them must
// lie in one.
func judgePaths(a *act.Act, rest []ruletext.Word) lifted {
	if len(a.Paths) == 0 {
		return unknowable
	}
	sure := true
	for _, p := range a.Paths {
		low := strings.ToLower(p)
		in := slices.ContainsFunc(rest, func(w ruletext.Word) bool { return w.Path && act.PathIn(w.Low, low) })
		if in {
			continue
		}
		for _, w := range rest {
			if rooted := strings.HasPrefix(w.Low, "/") || strings.HasPrefix(w.Low, "~"); w.Path && rooted && !strings.HasPrefix(low, "/") && !strings.HasPrefix(low, "~") {
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
func judgeEnvironment(a *act.Act, rest []ruletext.Word) lifted {
	for _, w := range rest {
		if a.Nouns[w.Folded] || a.Names[w.Folded] || a.Exact[english.Exact(w.Low)] || a.Where[w.Folded] {
			return within
		}
	}
	for w := range english.Environments() {
		if a.Nouns[w] || a.Names[w] {
			return beyond
		}
	}
	return unknowable
}
