package guide

import (
	"slices"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/guide/act"
	"lukasa.dev/internal/programs"
	"lukasa.dev/internal/ruletext"
	"lukasa.dev/internal/trace"
)

// finding is how a clause applies to an action.
type finding uint8

const (
	apart    finding = iota // it does not apply
	perhaps                 // it applies under an unknown condition
	missing                 // a required step was not seen
	excepted                // it applies unless an unknown exception does
	against                 // it forbids the action
)

// meets reports whether an act has one of the words of a group, and whether as the means
// rather than the object.
func meets(a *act.Act, g *ruletext.Group) (met, means bool) {
	for i := range g.Words {
		w := &g.Words[i]
		switch {
		case g.Program:
			if a.Program == w.Low {
				return true, true
			}
		case g.Branch && (!a.Versioned || a.Aimed):
			if slices.ContainsFunc(a.Targets, func(b string) bool { return english.Exact(b) == english.Exact(w.Low) }) {
				met = true
			}
		case w.Code && a.Adds(w.Raw):
			return true, true
		case w.Keyword:
			if a.Keywords[w.Low] {
				return true, true
			}
		case w.Flag:
			if a.HasFlag(w.Low) {
				return true, true
			}
		case w.Path:
			if name, dir := strings.CutSuffix(w.Low, "/"); a.HasPath(w.Low) || dir && a.Exact[english.Exact(name)] {
				return true, true
			}
			fallthrough
		default:
			if (a.Verbs[w.Folded] || a.Names[w.Folded]) && (a.Program == "" || !act.ProgramNames()[w.Low] || a.Runs[w.Low]) {
				return true, true
			}
			if w.Caps && a.Bases[english.Exact(w.Low)] {
				return true, true
			}
			if a.Nouns[w.Folded] || a.Exact[english.Exact(w.Low)] && !(g.Into && a.From[english.Exact(w.Low)]) || g.Place && (a.Where[w.Folded] || a.Where[english.Exact(w.Low)]) || a.HasNumber(w.Low) {
				met = true
			} else if parts := strings.Split(w.Low, "-"); len(parts) > 1 && a.HasAll(parts) {
				return true, true
			}
		}
	}
	return met, false
}

// speaks returns how a clause applies to an act, regardless of earlier steps.
func speaks(c *ruletext.Clause, a *act.Act) finding {
	if c.Only != "" {
		if f := programs.Family(c.Only); programs.Family(a.Program) == f && a.Program != c.Only {
			return missing
		}
		return apart
	}
	if len(c.Groups) == 0 {
		return apart
	}
	acts := false // a group matches the means
	first := true
	maybe := false
	for i := range c.Groups {
		g := &c.Groups[i]
		met, means := meets(a, g)
		if !met && a.Every && g.Place && branchName(g) {
			met = true
		}
		if !met && len(a.Staged) > 0 && slices.ContainsFunc(g.Words, func(w ruletext.Word) bool { return a.Staged[w.Folded] }) && namesValue(c, a) {
			met, means = true, true
		}
		if !met && g.Optional {
			continue
		}
		if !met && a.Branch && g.Place && branchName(g) {
			maybe, first = true, false
			continue
		}
		if !met || c.Use && first && !means && !english.Environments()[g.Words[0].Folded] {
			return apart
		}
		first = false
		acts = acts || means
	}
	if !acts {
		return apart
	}
	if c.Limited {
		switch over, known := a.Above(c.Limit); {
		case !known:
			maybe = true
		case !over:
			return apart
		}
	}
	if len(c.Lacks) > 0 {
		sql := c.Lacks[0].Words[0].Low == "where" || c.Lacks[0].Words[0].Low == "limit"
		if met, _ := meets(a, &c.Lacks[0]); met || sql && !a.Names["sql"] {
			return apart
		}
	}
	how := against
	if c.Except != nil {
		switch judgeException(c.Except, c, a) {
		case within:
			return apart
		case unknowable:
			how = excepted
		}
	}
	if maybe || c.Unless != "" {
		return perhaps
	}
	return how
}

// names reports whether a clause names a path or a value of the act.
func namesValue(c *ruletext.Clause, a *act.Act) bool {
	return slices.ContainsFunc(c.Groups, func(g ruletext.Group) bool {
		return slices.ContainsFunc(g.Words, func(w ruletext.Word) bool { return w.Path && a.HasPath(w.Low) || a.Exact[english.Exact(w.Low)] })
	})
}

// branchName reports whether a group may name a branch.
func branchName(g *ruletext.Group) bool {
	for _, w := range g.Words {
		switch w.Low {
		case "main", "master", "trunk", "develop", "production", "release":
			return true
		}
	}
	return false
}

// doneBefore looks for the step that a clause requires among earlier steps. It returns the last
// such step or nil, and whether a file was edited after it, if the step reads files.
func doneBefore(c *ruletext.Clause, session []seenAct) (step *Doing, stale bool) {
	edited := false
	for i := len(session) - 1; i >= 0; i-- {
		if !session[i].doing.ran() {
			continue
		}
		edited = edited || session[i].doing.Tool == trace.ToolEdit
		for _, a := range session[i].acts {
			all := true
			for k := range c.Needs {
				met, _ := meets(a, &c.Needs[k])
				all = all && met
			}
			if all {
				return session[i].doing, edited && looksAtFiles(c)
			}
		}
	}
	return nil, false
}

// looksAtFiles reports whether the result of the required step depends on the current files.
func looksAtFiles(c *ruletext.Clause) bool {
	return slices.ContainsFunc(c.Needs, func(g ruletext.Group) bool {
		return slices.ContainsFunc(g.Words, func(w ruletext.Word) bool { return examining()[w.Folded] })
	})
}

// examining are the steps that read the files of a project.
var examining = english.FoldedList("test lint linter format formatter build typecheck compile vet diff check verify validate scan")

// seenAct is a step with its acts.
type seenAct struct {
	doing *Doing
	acts  []*act.Act
}

// seenActs derives the acts of steps from their tools and shapes.
func seenActs(session []Doing) []seenAct {
	const most = 512 // steps, the latest
	session = session[max(0, len(session)-most):]
	list := make([]seenAct, 0, len(session))
	for i := range session {
		d := &session[i]
		var acts []*act.Act
		switch {
		case d.Tool == trace.ToolTest:
			a := act.New("")
			act.AddAll(a.Verbs, english.Folded("test"))
			acts = append(acts, a)
			acts = append(acts, act.OfLine(unslotted(d.Shape), &Place{})...)
		case isLine(d):
			acts = act.OfLine(unslotted(d.Shape), &Place{})
		default:
			acts = act.Of(&Action{Tool: d.Tool})
		}
		list = append(list, seenAct{d, acts})
	}
	return list
}

// isLine reports whether the shape of a step is that of a command line: those of calls
// begin with a name and a value.
func isLine(d *Doing) bool {
	first, _, _ := strings.Cut(d.Shape, " ")
	return first != "" && !strings.Contains(first, "=") && d.Tool != trace.ToolRequest
}

// unslotted returns a shape without its slots, which a shell would take for files.
func unslotted(shape string) string {
	var b strings.Builder
	for f := range strings.FieldsSeq(shape) {
		if i := strings.IndexByte(f, '<'); i >= 0 {
			f = strings.TrimSuffix(f[:i], "=")
		}
		if f != "" {
			b.WriteString(f)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
