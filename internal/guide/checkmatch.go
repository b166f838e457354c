package guide

import (
	"path"
	"slices"
	"strings"

	"lukasa.dev/internal/programs"
	"lukasa.dev/internal/trace"
)

// finding is how a clause stands to an action.
type finding uint8

const (
	apart    finding = iota // it does not speak of it
	perhaps                 // it speaks of it under a circumstance that nothing tells
	missing                 // what must be done before was not seen
	excepted                // it speaks of it but for an exception that nothing tells
	against                 // it plainly speaks against it
)

// meets reports whether an act has one of the words of a group, and whether as what
// does it rather than what it is done to.
func (a *act) meets(g *group) (met, means bool) {
	for i := range g.words {
		w := &g.words[i]
		switch {
		case g.program:
			if a.program == w.low {
				return true, true
			}
		case g.branch && (!a.versioned || a.aimed):
			if slices.ContainsFunc(a.targets, func(b string) bool { return exactly(b) == exactly(w.low) }) {
				met = true
			}
		case w.code && a.adds(w.raw):
			return true, true
		case w.keyword:
			if a.keywords[w.low] {
				return true, true
			}
		case w.flag:
			if a.hasFlag(w.low) {
				return true, true
			}
		case w.path:
			if name, dir := strings.CutSuffix(w.low, "/"); a.hasPath(w.low) || dir && a.exact[exactly(name)] {
				return true, true
			}
			fallthrough
		default:
			if (a.verbs[w.folded] || a.names[w.folded]) && (a.program == "" || !ruleNames()[w.low] || a.runs[w.low]) {
				return true, true
			}
			if w.caps && a.bases[exactly(w.low)] {
				return true, true
			}
			if a.nouns[w.folded] || a.exact[exactly(w.low)] && !(g.into && a.from[exactly(w.low)]) || g.place && (a.where[w.folded] || a.where[exactly(w.low)]) || a.hasNumber(w.low) {
				met = true
			} else if parts := strings.Split(w.low, "-"); len(parts) > 1 && a.hasAll(parts) {
				return true, true
			}
		}
	}
	return met, false
}

func (a *act) hasAll(parts []string) bool {
	for _, p := range parts {
		if w := folded(p); !a.verbs[w] && !a.names[w] && !a.nouns[w] && !a.exact[exactly(p)] {
			return false
		}
	}
	return true
}

// hasFlag reports whether a flag is given: -rf is if -r and -f are, or what they are short for.
func (a *act) hasFlag(name string) bool {
	name, _, _ = strings.Cut(name, "=")
	if a.flags[name] {
		return true
	}
	if strings.HasPrefix(name, "--") {
		for letter, long := range longFlags {
			if long == name && a.flags["-"+string(letter)] && programs.LongFlags()[a.program] {
				return true
			}
		}
		return false
	}
	if len(name) < 2 {
		return false
	}
	for _, letter := range name[1:] {
		if !a.flags["-"+string(letter)] && !a.flags[longFlags[letter]] {
			return false
		}
	}
	return true
}

// longFlags are flags of one letter as most programs write them at length.
var longFlags = map[rune]string{'r': "--recursive", 'R': "--recursive", 'f': "--force", 'g': "--global", 'i': "--in-place", 'A': "--all", 'y': "--yes", 'n': "--no-verify"}

// hasPath reports whether a path of the act is what a rule names, or lies in it.
func (a *act) hasPath(pattern string) bool {
	for _, p := range a.paths {
		if pathIn(pattern, strings.ToLower(p)) {
			return true
		}
	}
	return false
}

// pathIn reports whether the parts of a pattern stand in a path, one after the other;
// at its beginning if the pattern has the root or the home.
func pathIn(pattern, name string) bool {
	if pattern == "/" || pattern == "~" {
		return name == pattern || name == pattern+"/"
	}
	rooted := strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~")
	if rooted && !strings.HasPrefix(name, pattern[:1]) {
		return false
	}
	want, have := parts(pattern), parts(name)
	for len(want) > 1 && (want[len(want)-1] == "*" || want[len(want)-1] == "**") {
		want = want[:len(want)-1]
	}
	for i := 0; i+len(want) <= len(have) && len(want) > 0; i++ {
		k := 0
		for k < len(want) && same(want[k], have[i+k]) {
			k++
		}
		if k == len(want) {
			return true
		}
		if rooted {
			return false
		}
	}
	return false
}

func parts(p string) []string {
	const most = 64
	var out []string
	for part := range strings.SplitSeq(p, "/") {
		if part != "" && part != "." && len(out) < most {
			out = append(out, part)
		}
	}
	return out
}

func same(pattern, name string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == name
	}
	if len(pattern) > 64 || len(name) > 255 {
		return false
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

func (a *act) hasNumber(low string) bool {
	if low == "" || low[0] < '0' || low[0] > '9' {
		return false
	}
	for _, n := range a.numbers {
		if number(n) == low {
			return true
		}
	}
	return false
}

// speaks says how a clause stands to an act, before what was done is looked at.
func (c *clause) speaks(a *act) finding {
	if c.only != "" {
		if f := programs.Family(c.only); programs.Family(a.program) == f && a.program != c.only {
			return missing
		}
		return apart
	}
	if len(c.groups) == 0 {
		return apart
	}
	acts := false // something says what does it
	first := true
	maybe := false
	for i := range c.groups {
		g := &c.groups[i]
		met, means := a.meets(g)
		if !met && a.every && g.place && branchName(g) {
			met = true
		}
		if !met && len(a.staged) > 0 && slices.ContainsFunc(g.words, func(w word) bool { return a.staged[w.folded] }) && c.names(a) {
			met, means = true, true
		}
		if !met && g.optional {
			continue
		}
		if !met && a.branch && g.place && branchName(g) {
			maybe, first = true, false
			continue
		}
		if !met || c.use && first && !means && !environments()[g.words[0].folded] {
			return apart
		}
		first = false
		acts = acts || means
	}
	if !acts {
		return apart
	}
	if c.limited {
		switch over, known := a.above(c.limit); {
		case !known:
			maybe = true
		case !over:
			return apart
		}
	}
	if len(c.lacks) > 0 {
		sql := c.lacks[0].words[0].low == "where" || c.lacks[0].words[0].low == "limit"
		if met, _ := a.meets(&c.lacks[0]); met || sql && !a.names["sql"] {
			return apart
		}
	}
	how := against
	if c.except != nil {
		switch c.except.judge(c, a) {
		case within:
			return apart
		case unknowable:
			how = excepted
		}
	}
	if maybe || c.unless != "" {
		return perhaps
	}
	return how
}

// names reports whether a clause names a path or a value of the act.
func (c *clause) names(a *act) bool {
	return slices.ContainsFunc(c.groups, func(g group) bool {
		return slices.ContainsFunc(g.words, func(w word) bool { return w.path && a.hasPath(w.low) || a.exact[exactly(w.low)] })
	})
}

// branchName reports whether a group may name a branch.
func branchName(g *group) bool {
	for _, w := range g.words {
		switch w.low {
		case "main", "master", "trunk", "develop", "production", "release":
			return true
		}
	}
	return false
}

// above reports whether a number of the act is above a limit, and whether there is one.
func (a *act) above(limit float64) (over, known bool) {
	for _, n := range a.numbers {
		over = over || n > limit
	}
	return over, len(a.numbers) > 0
}

// doneBefore looks for what a clause asks for among what was done: the last step that
// is it, or nil, and whether a file was edited after it, if the step looks at files.
func (c *clause) doneBefore(session []seenAct) (step *Doing, stale bool) {
	edited := false
	for i := len(session) - 1; i >= 0; i-- {
		if !session[i].doing.ran() {
			continue
		}
		edited = edited || session[i].doing.Tool == trace.ToolEdit
		for _, a := range session[i].acts {
			all := true
			for k := range c.needs {
				met, _ := a.meets(&c.needs[k])
				all = all && met
			}
			if all {
				return session[i].doing, edited && c.looksAtFiles()
			}
		}
	}
	return nil, false
}

// looksAtFiles reports whether what a clause asks for says something about the files as they are
// then.
func (c *clause) looksAtFiles() bool {
	return slices.ContainsFunc(c.needs, func(g group) bool {
		return slices.ContainsFunc(g.words, func(w word) bool { return examining()[w.folded] })
	})
}

// examining are the steps that look at the files of a project.
var examining = foldedWords("test lint linter format formatter build typecheck compile vet diff check verify validate scan")

// seenAct is a step with what it did.
type seenAct struct {
	doing *Doing
	acts  []*act
}

// seenActs reads what was done from tools and shapes.
func seenActs(session []Doing) []seenAct {
	const most = 512 // steps, the latest
	session = session[max(0, len(session)-most):]
	list := make([]seenAct, 0, len(session))
	for i := range session {
		d := &session[i]
		var acts []*act
		switch {
		case d.Tool == trace.ToolTest:
			a := newAct("")
			addAll(a.verbs, setOf("test"))
			acts = append(acts, a)
			acts = append(acts, lineActs(unslotted(d.Shape), &Place{})...)
		case isLine(d):
			acts = lineActs(unslotted(d.Shape), &Place{})
		default:
			acts = actsOf(&Action{Tool: d.Tool})
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
