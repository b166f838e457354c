package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (r *reader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

// stmt walks a statement with what its redirections say.
func (r *reader) stmt(s *syntax.Stmt) {
	if r.steps++; s == nil || r.full() {
		return
	}
	input, first := r.input, len(r.out)
	var writes []string
	for _, d := range s.Redirs {
		switch d.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if d.Hdoc != nil {
				r.input = r.text(d.Hdoc)
			}
		case syntax.WordHdoc:
			r.input = r.text(d.Word)
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut, syntax.AppClob, syntax.RdrAllClob, syntax.AppAllClob:
			if file := r.text(d.Word); file != "" && !strings.HasPrefix(file, "/dev/") {
				writes = append(writes, file)
			}
		default:
			r.text(d.Word)
		}
	}
	r.command(s.Cmd)
	r.input = input
	if len(writes) == 0 {
		return
	}
	if first == len(r.out) && !r.full() {
		r.out = append(r.out, r.placed(Command{}))
	}
	if last := len(r.out) - 1; last >= first {
		r.out[last].Writes = append(r.out[last].Writes, writes...)
	}
}

// command walks what a statement runs.
func (r *reader) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.BinaryCmd:
		r.binary(c)
	case *syntax.Subshell:
		vars, dir := maps.Clone(r.vars), r.dir
		r.stmts(c.Stmts)
		r.vars, r.dir = vars, dir
	case *syntax.Block:
		r.stmts(c.Stmts)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.stmts(c.Cond)
			r.stmts(c.Then)
		}
	case *syntax.WhileClause:
		r.stmts(c.Cond)
		r.stmts(c.Do)
	case *syntax.ForClause:
		r.loop(c)
	case *syntax.CaseClause:
		r.text(c.Word)
		for _, item := range c.Items {
			r.stmts(item.Stmts)
		}
	case *syntax.FuncDecl:
		if c.Name != nil {
			if r.funcs == nil {
				r.funcs = make(map[string]*syntax.Stmt)
			}
			r.funcs[c.Name.Value] = c.Body
		}
	case *syntax.DeclClause:
		for _, a := range c.Args {
			r.assign(a, c.Variant.Value == "export")
		}
	case *syntax.TimeClause:
		r.stmt(c.Stmt)
	case *syntax.CoprocClause:
		r.stmt(c.Stmt)
	case nil:
	default: // tests and arithmetic may hold substitutions
		syntax.Walk(c, func(n syntax.Node) bool {
			if w, ok := n.(*syntax.Word); ok {
				r.text(w)
				return false
			}
			return true
		})
	}
}

// binary walks two statements. Behind a pipe the second reads what the first prints.
func (r *reader) binary(c *syntax.BinaryCmd) {
	if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
		r.stmt(c.X)
		r.stmt(c.Y)
		return
	}
	first, input, from, dir := len(r.out), r.input, r.from, r.dir
	r.stmt(c.X)
	r.dir = dir
	r.input = ""
	if c.Op == syntax.Pipe {
		r.input = printed(r.out[first:])
	}
	r.from = slices.Clone(from)
	for i := first; i < len(r.out); i++ {
		if x := &r.out[i]; len(x.Words) > 0 && len(r.from) < maxWords {
			r.from = append(r.from, base(x.Words[0]))
		}
	}
	r.stmt(c.Y)
	r.input, r.from, r.dir = input, from, dir
}

// printed returns what commands print, if they only print text that the line has.
func printed(list []Command) string {
	var b strings.Builder
	for i := range list {
		c := &list[i]
		if len(c.Words) == 0 || len(c.Writes) > 0 {
			continue
		}
		if len(c.From) > 0 {
			b.Reset() // it reads what those before it print
		}
		words := c.Words[1:]
		switch base(c.Words[0]) {
		case "echo", "printf":
			for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
				words = words[1:]
			}
			b.WriteString(unescape(strings.Join(words, " ")))
			b.WriteByte('\n')
		case "cat", "tee", "sort", "head", "tail":
			if len(words) == 0 || words[0] == "-" {
				b.WriteString(c.Input)
			}
		case "git":
			if name, ok := c.branchName(); ok {
				b.WriteString(name)
			}
		case "which":
			if len(words) > 0 {
				b.WriteString(words[0])
			}
		}
		if b.Len() > maxText {
			return ""
		}
	}
	return b.String()
}

// unescape replaces the escapes of echo and printf that end a line or a word.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(text)
}

// loop walks the body once for each value that is known.
func (r *reader) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || iter.Name == nil {
		r.stmts(c.Do)
		return
	}
	var values []string
	for _, w := range iter.Items {
		values = append(values, r.fields(w)...)
	}
	if len(iter.Items) == 0 {
		values = r.args
	}
	if len(values) == 0 {
		values = []string{"$" + iter.Name.Value}
	}
	for _, v := range values[:min(len(values), maxRounds)] {
		r.set(iter.Name.Value, value{list: []string{v}})
		r.stmts(c.Do)
	}
}

func (r *reader) set(name string, v value) {
	if r.vars == nil {
		r.vars = make(map[string]value)
	}
	v.exported = v.exported || r.vars[name].exported
	r.vars[name] = v
}

// assign sets a variable.
func (r *reader) assign(a *syntax.Assign, export bool) {
	if a.Name == nil || a.Index != nil {
		return
	}
	old := r.vars[a.Name.Value]
	v := value{exported: export}
	switch {
	case a.Naked:
		if old.list == nil {
			return
		}
		v.list = old.list
	case a.Array != nil:
		for _, e := range a.Array.Elems {
			if e.Value != nil && len(v.list) < maxWords {
				v.list = append(v.list, r.fields(e.Value)...)
			}
		}
	default:
		v.list = []string{r.text(a.Value)}
	}
	if a.Append && !a.Naked {
		if a.Array == nil {
			v.list = []string{old.String() + v.String()}
		} else {
			v.list = append(slices.Clone(old.list), v.list...)
		}
	}
	size := len(v.String())
	if r.steps += size / 64; size > maxValue {
		return
	}
	r.set(a.Name.Value, v)
}

// call walks a simple command.
func (r *reader) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a, false)
		}
		return
	}
	var words, env []string
	r.substituted = nil
	for _, w := range c.Args {
		if words = append(words, r.fields(w)...); len(words) > maxWords {
			words = words[:maxWords]
			break
		}
	}
	for _, a := range c.Assigns {
		if a.Name != nil && a.Value != nil {
			env = append(env, a.Name.Value+"="+r.text(a.Value))
		}
	}
	if len(words) > 0 {
		r.run(words, nil, env)
	}
}
