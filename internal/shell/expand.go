package shell

import (
	"maps"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// text returns a word as one text.
func (r *reader) text(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	e := expansion{r: r}
	e.parts(w.Parts, true)
	e.end()
	return strings.Join(e.out, " ")
}

// fields returns the words that a word becomes.
func (r *reader) fields(w *syntax.Word) []string {
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && strings.IndexByte(lit.Value, '\\') < 0 {
			if strings.IndexByte(lit.Value, '{') < 0 {
				return []string{lit.Value}
			}
			return braces(lit.Value, 0)
		}
	}
	e := expansion{r: r}
	e.parts(w.Parts, false)
	e.end()
	return e.out
}

// braces returns what {a,b} in a word stands for.
func braces(w string, depth int) []string {
	open := strings.IndexByte(w, '{')
	if open < 0 || depth > 4 {
		return []string{w}
	}
	end := strings.IndexByte(w[open:], '}')
	if end < 0 || !strings.Contains(w[open:open+end], ",") {
		return []string{w}
	}
	var out []string
	for part := range strings.SplitSeq(w[open+1:open+end], ",") {
		out = append(out, braces(w[:open]+part+w[open+end+1:], depth+1)...)
		if len(out) > maxWords {
			break
		}
	}
	return out
}

// expansion makes fields of the parts of a word.
type expansion struct {
	r     *reader
	out   []string
	buf   []byte
	began bool // the field at hand exists, though it may be empty
}

func (e *expansion) end() {
	if e.began && len(e.out) < maxWords {
		e.out = append(e.out, string(e.buf))
	}
	e.buf, e.began = e.buf[:0], false
}

func (e *expansion) add(text string) {
	if len(e.buf)+len(text) <= maxText {
		e.buf = append(e.buf, text...)
	}
	e.began = true
}

// split adds a value that no quotes hold together.
func (e *expansion) split(text string) {
	for text != "" {
		i := strings.IndexAny(text, " \t\n")
		if i < 0 {
			e.add(text)
			return
		}
		if i > 0 {
			e.add(text[:i])
		}
		e.end()
		text = text[i+1:]
	}
}

// values adds the values of a variable: of a list in quotes each is a field.
func (e *expansion) values(list []string, quoted bool) {
	for i, v := range list {
		if i > 0 {
			e.end()
		}
		if quoted {
			e.add(v)
		} else {
			e.split(v)
		}
	}
}

func (e *expansion) parts(parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			e.literal(p.Value, quoted)
		case *syntax.SglQuoted:
			if p.Dollar {
				e.add(ansi(p.Value))
			} else {
				e.add(p.Value)
			}
		case *syntax.DblQuoted:
			if !e.r.noArgs(p.Parts) {
				e.began = true
				e.parts(p.Parts, true)
			}
		case *syntax.ParamExp:
			e.param(p, quoted)
		case *syntax.CmdSubst:
			text := e.r.substitute(p.Stmts)
			if text == "" {
				text = "$()"
			}
			if quoted {
				e.add(text)
			} else {
				e.split(text)
			}
		case *syntax.ProcSubst:
			e.r.piped = e.r.substitute(p.Stmts)
			e.add("/dev/fd/63")
		case *syntax.ArithmExp:
			e.add("$(())")
		case *syntax.ExtGlob:
			e.add(p.Op.String() + p.Pattern.Value + ")")
		default:
			e.add("$")
		}
	}
}

// noArgs reports whether parts are "$@" with no parameters, which is no word.
func (r *reader) noArgs(parts []syntax.WordPart) bool {
	if len(parts) != 1 || !r.hasArgs || len(r.args) > 0 {
		return false
	}
	p, ok := parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && p.Param.Value == "@"
}

// literal adds text without the backslashes that escape its characters.
func (e *expansion) literal(v string, quoted bool) {
	if strings.IndexByte(v, '\\') < 0 {
		e.add(v)
		return
	}
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i+1 == len(v) {
			b.WriteByte(v[i])
			continue
		}
		switch next := v[i+1]; {
		case next == '\n':
			i++
		case quoted && strings.IndexByte("$`\"\\", next) < 0:
			b.WriteByte('\\')
		default:
			b.WriteByte(next)
			i++
		}
	}
	e.add(b.String())
}

// ansi returns the value of a text in $'…'.
func ansi(v string) string {
	if strings.IndexByte(v, '\\') < 0 {
		return v
	}
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i+1 == len(v) {
			b.WriteByte(v[i])
			continue
		}
		i++
		switch v[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'x':
			n := i + 1
			for n < len(v) && n < i+3 && strings.IndexByte("0123456789abcdefABCDEF", v[n]) >= 0 {
				n++
			}
			if code, err := strconv.ParseUint(v[i+1:n], 16, 8); err == nil {
				b.WriteByte(byte(code))
			}
			i = n - 1
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n := i
			for n < len(v) && n < i+3 && v[n] >= '0' && v[n] <= '7' {
				n++
			}
			if code, err := strconv.ParseUint(v[i:n], 8, 8); err == nil {
				b.WriteByte(byte(code))
			}
			i = n - 1
		default:
			b.WriteByte(v[i])
		}
	}
	return b.String()
}

// param adds the value of a parameter, or how it is written if the line does not have it.
func (e *expansion) param(p *syntax.ParamExp, quoted bool) {
	if p.Param == nil || p.Length || p.Excl || p.Names != 0 {
		e.add("$")
		return
	}
	name := p.Param.Value
	list, known := e.r.lookup(name)
	if p.Exp != nil && p.Exp.Word != nil {
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if known && len(list) > 0 && list[0] != "" {
				break
			}
			e.parts(p.Exp.Word.Parts, quoted)
			return
		case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			cut := e.r.text(p.Exp.Word)
			for i := range list {
				list[i] = trimmed(list[i], cut, p.Exp.Op)
			}
		}
	}
	if p.Index != nil {
		if w, ok := p.Index.(*syntax.Word); ok && known {
			if n, err := strconv.Atoi(w.Lit()); err == nil && n >= 0 && n < len(list) {
				list = list[n : n+1]
			}
		}
	} else if name != "@" && name != "*" && len(list) > 1 {
		list = list[:1]
	}
	if !known {
		e.add("$" + name)
		return
	}
	e.values(list, quoted)
}

// trimmed returns a value without a prefix or suffix that may have one * at its open end.
func trimmed(v, cut string, op syntax.ParExpOperator) string {
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		if rest, ok := strings.CutPrefix(cut, "*"); ok && rest != "" {
			i := strings.Index(v, rest)
			if op == syntax.RemLargePrefix {
				i = strings.LastIndex(v, rest)
			}
			if i >= 0 {
				return v[i+len(rest):]
			}
			return v
		}
		return strings.TrimPrefix(v, cut)
	}
	return strings.TrimSuffix(v, cut)
}

// lookup returns a copy of the values of a parameter.
func (r *reader) lookup(name string) (list []string, known bool) {
	switch {
	case name == "@" || name == "*":
		return append(list, r.args...), r.hasArgs
	case name == "#" || name == "?" || name == "$" || name == "!" || name == "-" || name == "0":
		return nil, false
	case name[0] >= '1' && name[0] <= '9':
		n, err := strconv.Atoi(name)
		if err != nil || !r.hasArgs {
			return nil, false
		}
		if n > len(r.args) {
			return nil, true
		}
		return append(list, r.args[n-1]), true
	}
	v, known := r.vars[name]
	return append(list, v.list...), known
}

// substitute walks the commands of a substitution and returns what they print, as far as the
// line has it.
func (r *reader) substitute(list []*syntax.Stmt) string {
	if r.depth >= maxDepth {
		return ""
	}
	r.depth++
	first, vars, input, from, dir := len(r.out), maps.Clone(r.vars), r.input, r.from, r.dir
	r.input, r.from = "", nil
	r.stmts(list)
	r.vars, r.input, r.from, r.dir = vars, input, from, dir
	r.depth--
	r.substituted = r.substituted[:0]
	for i := first; i < len(r.out); i++ {
		if len(r.out[i].Words) > 0 {
			r.substituted = append(r.substituted, base(r.out[i].Words[0]))
		}
	}
	return strings.TrimRight(printed(r.out[first:]), "\n")
}
