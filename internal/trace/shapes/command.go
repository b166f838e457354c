package shapes

import (
	"strings"

	"lukasa.dev/internal/programs"
)

const (
	MaxShaped   = 2048 // bytes of a command line that are read
	maxCommands = 6    // commands of a line that are written
	MaxLexed    = 48   // words of one command that are read
)

// CommandShape appends the shape of a command line to dst. It is empty if there is
// no command in it.
func CommandShape(dst []byte, line string) []byte { return appendLine(dst, line, 0) }

func appendLine(dst []byte, line string, depth int) []byte {
	if len(line) > MaxShaped {
		line = line[:MaxShaped]
	}
	var (
		lex     = lexer{rest: line}
		began   = len(dst)
		aside   = -1 // where a command about the shell stands that is only written for want of another
		written int
	)
	for written < maxCommands && lex.more() {
		words, joint := lex.command()
		words = unwrapped(words)
		if len(words) == 0 {
			continue
		}
		piped := joint == '|' && written > 0 && aside < 0
		if programs.ShapeAside()[ProgramOf(words[0])] && (written > 0 || piped) {
			continue
		}
		if aside >= 0 {
			dst, aside, written = dst[:began], -1, 0
		}
		before := len(dst)
		if written > 0 {
			if piped {
				dst = append(dst, " | "...)
			} else {
				dst = append(dst, " && "...)
			}
		}
		at := len(dst)
		dst = appendCommand(dst, words, piped, depth)
		if len(dst) == at || len(dst)-began > MaxShape {
			dst = dst[:before]
			break
		}
		if programs.ShapeAside()[ProgramOf(words[0])] {
			aside = at
		}
		written++
	}
	return dst
}

// appendCommand appends the shape of one command; for one behind a pipe only its program.
func appendCommand(dst []byte, words []string, piped bool, depth int) []byte {
	name := ProgramOf(words[0])
	if programs.Shells()[name] && depth < 2 && !piped {
		if inner, ok := ShellText(words[1:]); ok {
			return appendLine(dst, inner, depth+1)
		}
	}
	if script := scriptName(words[0]); script != "" {
		name = script
	}
	rest := words[1:]
	if at, script := scriptBehind(name, rest); script != "" && !piped {
		// A shell that runs a script counts as that script.
		if rest = rest[at+1:]; programs.Shells()[name] {
			name = script
		} else {
			dst = append(append(dst, name...), ' ')
			name = script
		}
	}
	dst = append(dst, name...)
	if piped {
		return dst
	}
	sub, rest := does(name, rest)
	phrase := name
	for _, w := range sub {
		phrase += " " + w
		dst = append(append(dst, ' '), w...)
	}
	if programs.Carriers()[phrase] && depth < 4 {
		if inner := unwrapped(withoutGeneral(phrase, rest)); len(inner) > 0 && inner[0][0] != '-' {
			return appendCommand(append(dst, ' '), inner, false, depth+1)
		}
	}
	if programs.Modular()[name] && len(rest) > 1 && rest[0] == "-m" && moduleName(rest[1]) {
		dst = append(append(dst, " -m "...), rest[1]...)
		rest = rest[2:]
	}
	return appendWords(dst, phrase, rest)
}

// does returns the words that say what a program does, without the general flags before
// them, and what is behind them.
func does(name string, words []string) (sub, rest []string) {
	deep, phrase := programs.Depth(name), name
	rest = words
	for deep > 0 {
		next := withoutGeneral(phrase, rest)
		if len(next) == 0 || !plainWord(next[0]) {
			break
		}
		phrase += " " + next[0]
		sub, rest, deep = append(sub, next[0]), next[1:], deep-1
		if programs.Carriers()[phrase] {
			break
		}
		if deep == 0 && programs.Depth(phrase) > 1 {
			deep = 1
		}
	}
	return sub, rest
}

// withoutGeneral returns words without the flags that stand before what a program does.
func withoutGeneral(phrase string, words []string) []string {
	for len(words) > 0 && len(words[0]) > 1 && (words[0][0] == '-' || words[0][0] == '+') {
		n := 1
		if programs.General(phrase, words[0]) {
			n = 2
		}
		words = words[min(n, len(words)):]
	}
	return words
}

// scriptBehind returns the script that an interpreter is given, and where it stands.
func scriptBehind(name string, words []string) (at int, script string) {
	if !programs.Interpreters()[name] {
		return 0, ""
	}
	for at < len(words) && len(words[at]) > 1 && words[at][0] == '-' {
		switch words[at] {
		case "-c", "-e", "-m", "-p", "-r", "--eval", "--print":
			return 0, "" // the program stands in the line, or is a module
		}
		at++
	}
	if at == len(words) {
		return 0, ""
	}
	if name == "php" && words[at] == "artisan" {
		return at, "artisan"
	}
	return at, scriptName(words[at])
}

// scriptName returns the name of a script without its path; empty if a word names none,
// or one that has no lasting name.
func scriptName(w string) string {
	for _, passing := range [...]string{"/tmp/", "/var/tmp/", "/private/", "/dev/"} {
		if strings.HasPrefix(w, passing) {
			return ""
		}
	}
	if i := strings.LastIndexAny(w, `/\`); i >= 0 {
		w = w[i+1:]
	}
	dot := strings.LastIndexByte(w, '.')
	if dot <= 0 || !programs.Scripts()[w[dot+1:]] {
		return ""
	}
	t := traitsOf(w)
	if len(w) > 2*MaxSlotWord || t.digits > 3 || t.lower+t.upper+t.digits+t.dots+t.dashes+t.unders != len(w) || t.lower+t.upper < 3 {
		return ""
	}
	return w
}

// moduleName reports whether a word is the name of a module.
func moduleName(w string) bool {
	t := traitsOf(w)
	return len(w) <= 2*MaxSlotWord && t.lower > 0 && Classes[w[0]] == ClassLower && t.lower+t.dashes+t.digits+t.unders+t.dots == len(w) && t.digits <= 2
}

// appendWords appends the flags by name and the kinds of other words, where equal ones in a
// row count as one.
func appendWords(dst []byte, phrase string, words []string) []byte {
	last, nth := "", 0
	roles := programs.WordRoles(phrase)
	for i, w := range words {
		if len(dst) > MaxShape-2*MaxSlotWord {
			break
		}
		if w == "--" {
			continue
		}
		var part string
		switch {
		case len(w) > 1 && w[0] == '-' && !numeric(w[1:]):
			part = flagShape(w)
		case i > 0 && programs.FlagRole(words[i-1]) != "":
			part = programs.FlagRole(words[i-1])
		case len(roles) > 0 && !numeric(w):
			part = roles[min(nth, len(roles)-1)]
			nth++
		default:
			part = SlotOf(w).String()
		}
		if part == last {
			continue
		}
		dst = append(append(dst, ' '), part...)
		last = part
	}
	return dst
}

// flagShape returns a flag by its name, with the kind of the value that is in it.
func flagShape(w string) string {
	name, value, has := strings.Cut(w, "=")
	if len(name) > MaxSlotWord+2 || !flagName(name) {
		return "<text>"
	}
	if has {
		return name + "=" + SlotOf(value).String()
	}
	if name[1] != '-' {
		// The value of a flag of one letter may stand right behind it.
		end := 1
		for end < len(name) && name[end]-'0' > 9 {
			end++
		}
		if end > 1 {
			return name[:end]
		}
	}
	return name
}

func flagName(v string) bool {
	t := traitsOf(v)
	return t.lower+t.upper+t.digits+t.dashes+t.unders == len(v) && t.lower+t.upper > 0
}

// numeric reports whether a word is a number.
func numeric(v string) bool {
	s := SlotOf(v)
	return s == SlotInt || s == SlotNumber
}

// plainWord reports whether a word may be a subcommand.
func plainWord(w string) bool {
	t := traitsOf(w)
	return len(w) <= MaxSlotWord && t.lower > 0 && Classes[w[0]] == ClassLower && t.lower+t.dashes+t.digits+t.colons+t.unders == len(w) && t.digits <= 2
}

// ProgramOf returns the name of a program without its path, or <text> for what cannot
// be one.
func ProgramOf(w string) string {
	if i := strings.LastIndexAny(w, `/\`); i >= 0 {
		w = w[i+1:]
	}
	w = strings.TrimSuffix(w, ".exe")
	t := traitsOf(w)
	if len(w) == 0 || len(w) > 2*MaxSlotWord || t.lower+t.upper+t.digits+t.dots+t.dashes+t.unders+t.pluses+t.hashes != len(w) && w != "[" && w != ":" {
		return "<text>"
	}
	if fileLike(w) && w != "." {
		return "<path>"
	}
	return w
}

// unwrapped removes the prefixes of a command: assignments, and programs that run another
// one.
func unwrapped(words []string) []string {
	for len(words) > 0 {
		w := words[0]
		if assigns(w) || w == "(" || w == "{" || w == "!" || w == "then" || w == "do" || w == "if" || w == "elif" || w == "while" || w == "until" || w == "else" {
			words = words[1:]
			continue
		}
		if !programs.ShapeWrappers()[ProgramOf(w)] {
			return words
		}
		i := 1
		for i < len(words) {
			a := words[i]
			switch {
			case a[0] == '-' && programs.ShapeValued()[a] && i+1 < len(words):
				i += 2
				continue
			case a[0] == '-', assigns(a), a[0]-'0' <= 9:
				i++
				continue
			}
			break
		}
		if i >= len(words) {
			return words
		}
		words = words[i:]
	}
	return words
}

// assigns reports whether a word is the assignment of a variable.
func assigns(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	if !ok || name == "" || len(name) > 2*MaxSlotWord {
		return false
	}
	t := traitsOf(name)
	return t.lower+t.upper+t.digits+t.unders == len(name) && name[0]-'0' > 9
}

// ShellText returns the command line that a shell is given with -c.
func ShellText(words []string) (string, bool) {
	for i := 0; i+1 < len(words); i++ {
		w := words[i]
		if len(w) > 1 && w[0] == '-' && w[1] != '-' && w[len(w)-1] == 'c' {
			return words[i+1], true
		}
	}
	return "", false
}

// lexer splits a line of shell: quotes, escapes, operators between commands. It knows no
// expansions.
type lexer struct {
	rest  string
	joint byte
	words [MaxLexed]string
	buf   []byte
}

// more reports whether anything is left.
func (l *lexer) more() bool {
	for l.rest != "" && l.rest[0] <= ' ' && l.rest[0] != '\n' {
		l.rest = l.rest[1:]
	}
	return l.rest != ""
}

// command returns the words of the next command, and the operator before it: a pipe or
// another one. It leaves out redirections, and all that follows the word of a here
// document.
func (l *lexer) command() (words []string, joint byte) {
	n, joint := 0, l.joint
	l.joint = ';'
	skip := false // the next word is where output goes
	for l.more() {
		switch c := l.rest[0]; c {
		case '\n', ';', '&', '|', '(', ')':
			ends := l.operator()
			if ends {
				return l.words[:n], joint
			}
			continue
		case '<', '>':
			if strings.HasPrefix(l.rest, "<<") && !strings.HasPrefix(l.rest, "<<<") {
				l.rest = ""
				return l.words[:n], joint
			}
			l.rest = strings.TrimLeft(l.rest, "<>")
			if strings.HasPrefix(l.rest, "&") {
				l.rest = strings.TrimLeft(l.rest[1:], "0123456789-")
				continue
			}
			skip = true
			continue
		case '#':
			if i := strings.IndexByte(l.rest, '\n'); i >= 0 {
				l.rest = l.rest[i:]
			} else {
				l.rest = ""
			}
			continue
		}
		w := l.word()
		if (l.rest != "" && (l.rest[0] == '>' || l.rest[0] == '<')) && len(w) == 1 && w[0]-'0' <= 9 {
			continue // the number of a stream
		}
		if skip {
			skip = false
			continue
		}
		if w != "" && n < MaxLexed {
			l.words[n] = w
			n++
		}
	}
	return l.words[:n], joint
}

// operator reads an operator, and reports whether it ends a command.
func (l *lexer) operator() bool {
	c := l.rest[0]
	n := 1
	if len(l.rest) > 1 && l.rest[1] == c && (c == '&' || c == '|' || c == ';') {
		n = 2
	} else if c == '&' && len(l.rest) > 1 && l.rest[1] == '>' {
		l.rest = l.rest[1:]
		return false
	}
	l.rest = l.rest[n:]
	if c == '|' && n == 1 {
		l.joint = '|'
		l.rest = strings.TrimPrefix(l.rest, "&")
	}
	return c != '(' && c != ')'
}

// word takes one word, without its quotes.
func (l *lexer) word() string {
	l.buf = l.buf[:0]
	i := 0
	for i < len(l.rest) {
		c := l.rest[i]
		switch {
		case c == '\'' || c == '"' || c == '`':
			i++
			for i < len(l.rest) && l.rest[i] != c {
				if l.rest[i] == '\\' && c != '\'' && i+1 < len(l.rest) {
					i++
				}
				l.buf = append(l.buf, l.rest[i])
				i++
			}
			i++
			continue
		case c == '$' && i+1 < len(l.rest) && l.rest[i+1] == '(':
			n := closingParen(l.rest[i+1:])
			l.buf = append(l.buf, l.rest[i:i+1+n]...)
			i += 1 + n
			continue
		case c == '\\' && i+1 < len(l.rest):
			if i++; l.rest[i] != '\n' {
				l.buf = append(l.buf, l.rest[i])
			}
			i++
			continue
		case c <= ' ' || strings.IndexByte(";&|()<>", c) >= 0:
			l.rest = l.rest[i:]
			return string(l.buf)
		}
		l.buf = append(l.buf, c)
		i++
	}
	l.rest = ""
	return string(l.buf)
}

// closingParen returns the length of what stands in parentheses at the beginning.
func closingParen(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
