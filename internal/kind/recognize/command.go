package recognize

import (
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// Command is what the words of a command line say about it.
type Command struct {
	Program string // its name without a path
	Phrase  string // program and subcommand, such as git push; empty if there is none
	Verb    memory.Verb
	// Files and url are what it names. Written is a file that its output goes to.
	Files   [2]string
	URL     string
	Written string
	// Checks says that it, or another command of the same line, says whether the
	// work is any good.
	Checks bool
}

// MaxCommand is how many bytes of a command are looked at.
const MaxCommand = 2048

// MaxWords is how many words of one simple command are looked at.
const MaxWords = 24

// ReadCommand reads a line of shell: of several commands the first that is not
// about the shell itself, without assignments, sudo and the like before it.
func ReadCommand(text string) Command { return readShell(text, 0) }

func readShell(text string, depth int) Command {
	if len(text) > MaxCommand {
		text = text[:MaxCommand]
	}
	lex := lexer{rest: text}
	var told Command
	found, checks := false, false // the command to return; a command that checks
	for !lex.done && !(found && checks) {
		var words [MaxWords]string
		n, written := lex.simple(&words)
		c := ReadWords(words[:n], depth)
		if c.Program == "" {
			continue
		}
		checks = checks || c.Checks
		if about := programs.FrameAside()[c.Program]; !found && (!about || told.Program == "") {
			told, found = c, !about
			told.Written = written
		}
	}
	told.Checks = checks
	return told
}

// ReadWords reads one command that is in words already.
func ReadWords(words []string, depth int) Command {
	words = unwrap(words)
	if len(words) == 0 {
		return Command{}
	}
	name := programName(words[0])
	words = words[1:]
	if name == "" {
		return Command{}
	}
	if depth < 3 && programs.FrameShells()[name] {
		if inner, ok := shellText(words); ok {
			return readShell(inner, depth+1)
		}
	}
	c := Command{Program: name}
	c.judge(words)
	c.Checks = c.Verb == memory.VerbAnalyze && !programs.OnlyLooks(c.Program) && !programs.OnlyLooks(c.Phrase)
	for _, w := range words {
		c.name(w)
	}
	return c
}

// judge finds program and subcommand in the table, and with them the verb.
func (c *Command) judge(words []string) {
	p := programs.Of(c.Program)
	if p == nil {
		c.Verb = memory.VerbBuild
		if verb, ok := wordVerb(c.Program); ok {
			c.Verb = verb
		}
		return
	}
	c.Verb = memory.Verb(p.Verb)
	for i := 0; i < len(words) && p.HasSubs(); i++ {
		w := words[i]
		if strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+") {
			if p.TakesValue(w) {
				i++
			}
			continue
		}
		if !plainWord(w) {
			break
		}
		c.Phrase = p.Name + " " + w
		if inner := programs.Of(c.Phrase); inner != nil {
			p, c.Verb = inner, memory.Verb(inner.Verb)
			continue
		}
		if verb, ok := p.Sub(w); ok {
			c.Verb = memory.Verb(verb)
		} else if verb, ok := wordVerb(w); ok && p.Target {
			c.Verb = verb
		}
		break
	}
	if len(p.Flags) == 0 {
		return
	}
	for _, w := range words {
		if verb, ok := p.Flag(w); ok {
			c.Verb = memory.Verb(verb)
		}
	}
}

// name notes w if it names a file or an address.
func (c *Command) name(w string) {
	switch {
	case strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://"):
		if c.URL == "" {
			c.URL = w
		}
	case sourceFile(w):
		for i := range c.Files {
			if c.Files[i] == "" || c.Files[i] == w {
				c.Files[i] = w
				break
			}
		}
	}
}

// unwrap removes what stands before a command: assignments, and programs that
// run another one.
func unwrap(words []string) []string {
	for len(words) > 0 {
		w := words[0]
		if assignment(w) {
			words = words[1:]
			continue
		}
		skip := runnerWords(words)
		if skip == 0 || skip >= len(words) {
			return words
		}
		words = words[skip:]
	}
	return words
}

// runnerWords returns how many of the words make up a program that runs the rest,
// and 0 if the first is none. A runner that is alone is a command of its own.
func runnerWords(words []string) int {
	name := programName(words[0])
	for _, r := range programs.FrameWrappers() {
		if r.Name != name {
			continue
		}
		skip := 1
		if r.Sub != "" {
			if len(words) < 3 || words[1] != r.Sub {
				continue
			}
			skip = 2
		}
		for skip < len(words) {
			w := words[skip]
			switch {
			case strings.HasPrefix(w, "-") && r.TakesValue(w):
				skip += 2
			case strings.HasPrefix(w, "-"), r.Number && w[0]-'0' < 10:
				skip++
			default:
				return skip
			}
		}
		return 0
	}
	return 0
}

// shellText returns the command that a shell is given with -c or its like.
func shellText(words []string) (string, bool) {
	for i := 0; i+1 < len(words); i++ {
		w := words[i]
		switch {
		case w == "/c", w == "/C", strings.EqualFold(w, "-Command"):
			return strings.Join(words[i+1:], " "), true
		case len(w) > 1 && w[0] == '-' && w[1] != '-' && w[len(w)-1] == 'c':
			return words[i+1], true
		case w == "" || w[0] != '-':
			return "", false
		}
	}
	return "", false
}

// assignment reports whether w is NAME=value.
func assignment(w string) bool {
	for i := range len(w) {
		switch c := w[i]; {
		case c == '=':
			return i > 0
		case c == '_', c|0x20 >= 'a' && c|0x20 <= 'z', i > 0 && c-'0' < 10:
		default:
			return false
		}
	}
	return false
}

// programName returns the name of the program that the word w runs, without its
// path and what a platform adds to it, and "" if it is not one.
func programName(w string) string {
	if i := strings.LastIndexAny(w, `/\`); i >= 0 {
		w = w[i+1:]
	}
	w = strings.TrimSuffix(w, ".exe")
	if short := strings.TrimRight(w, "0123456789."); short == "python" || short == "pip" {
		w = short
	}
	if len(w) == 0 || len(w) > 64 {
		return ""
	}
	letter := false
	for i := range len(w) {
		switch c := w[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letter = true
		case c-'0' < 10, c == '_', c == '-', c == '.', c == '+', c == '@':
		default:
			return ""
		}
	}
	if !letter {
		return ""
	}
	return w
}

// plainWord reports whether w can be a subcommand or a target.
func plainWord(w string) bool {
	for i := range len(w) {
		switch c := w[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c-'0' < 10 || c == '-' || c == '_' || c == ':'):
		default:
			return false
		}
	}
	return w != "" && len(w) <= 40
}

// lexer takes a line of shell apart, as far as finding commands needs. It knows
// quotes, operators and redirections, and neither expands nor nests anything.
type lexer struct {
	rest string
	done bool
}

// simple reads the words of one simple command, and the file that its output is
// written to.
func (x *lexer) simple(words *[MaxWords]string) (n int, written string) {
	into := false // the next word is where output goes
	for {
		x.rest = strings.TrimLeft(x.rest, " \t\r")
		if x.rest == "" {
			x.done = true
			return n, written
		}
		switch c := x.rest[0]; c {
		case '\n', ';', '|', '&', '(', ')':
			if c == '&' && strings.HasPrefix(x.rest, "&>") {
				x.rest = x.rest[1:]
				continue
			}
			x.rest = x.rest[1:]
			return n, written
		case '#':
			_, x.rest, _ = strings.Cut(x.rest, "\n")
			return n, written
		case '<':
			if strings.HasPrefix(x.rest, "<<") && !strings.HasPrefix(x.rest, "<<<") {
				x.hereDocument()
				into = false
				continue
			}
			x.rest = strings.TrimLeft(x.rest, "<")
			x.word()
			continue
		case '>':
			x.rest = strings.TrimLeft(x.rest, ">|")
			into = !strings.HasPrefix(x.rest, "&")
			x.rest = strings.TrimPrefix(x.rest, "&")
			if into {
				continue
			}
			x.word()
			continue
		case '\\':
			if strings.HasPrefix(x.rest, "\\\n") {
				x.rest = x.rest[2:]
				continue
			}
		}
		w := x.word()
		switch {
		case into:
			if written == "" && sourceFile(w) {
				written = w
			}
			into = false
		case len(w) == 1 && w[0]-'0' < 10 && strings.HasPrefix(x.rest, ">"):
			// The number of a stream, such as 2>.
		case n < MaxWords && w != "":
			words[n] = w
			n++
		}
	}
}

// hereDocument drops the document that begins after this line, and keeps the rest
// of the line. What follows the document is not looked for.
func (x *lexer) hereDocument() {
	x.rest = strings.TrimLeft(x.rest, "<-")
	x.rest = strings.TrimLeft(x.rest, " ")
	x.word()
	x.rest, _, _ = strings.Cut(x.rest, "\n")
}

// word reads one word, without the quotes around it.
func (x *lexer) word() string {
	i := 0
scan:
	for i < len(x.rest) {
		switch c := x.rest[i]; c {
		case ' ', '\t', '\r', '\n', ';', '|', '&', '(', ')', '<', '>':
			break scan
		case '\'', '"':
			i++
			for i < len(x.rest) && x.rest[i] != c {
				if c == '"' && x.rest[i] == '\\' {
					i++
				}
				i++
			}
			i++
		case '\\':
			i += 2
		default:
			i++
		}
	}
	i = min(i, len(x.rest))
	w := x.rest[:i]
	x.rest = x.rest[i:]
	if len(w) >= 2 && (w[0] == '"' || w[0] == '\'') && w[len(w)-1] == w[0] {
		w = w[1 : len(w)-1]
	}
	return w
}
