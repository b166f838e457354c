// Package shell reads a command line and returns the simple commands that it would run.
//
// The line is parsed as bash and walked as a shell would walk it: lists, pipes, subshells,
// substitutions, functions, loops, aliases and variables that the line itself sets, text that
// it hands to eval or to another shell, and programs that run another program (sudo, env,
// xargs, find -exec, ssh and their kind). Of git it knows global options, aliases, and which
// branch a checkout leaves behind. It follows the directory that commands run in, knows how
// shells of Windows are given a line, and finds the commands that programs of other languages
// run as texts in the line.
//
// # What is guaranteed
//
//   - A function of the line and the options. Nothing is run, and no file, variable or
//     process outside the line is looked at, but for what [Options.At] knows of directories.
//   - Text that a command only prints, searches or stores is no command.
//   - At most [MaxCommands] commands. Work is bounded by the length of the line, of which the
//     middle is left out if it is longer than [MaxLine], and by a fixed number of steps for
//     loops and nested lines.
//
// # What is not
//
// Both arms of a condition count as run. A value that only the running shell knows stays as it
// is written, such as $BRANCH. What a script, a Makefile or a program in a file does is not looked
// at.
package shell

import (
	"errors"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of what is read.
const (
	MaxLine     = 288 << 10 // bytes of a line
	MaxCommands = 2048      // commands of a line

	maxNesting = 128  // parentheses and the like that are open at once
	maxDepth   = 12   // lines within lines, calls of functions, aliases of aliases
	maxSteps   = 4096 // statements that are walked
	maxWords   = 256  // words of a command
	maxText    = MaxLine
	maxValue   = 8 << 10 // bytes of a variable
	maxRounds  = 8       // values of a loop
)

// ErrSyntax says that a line is no bash, or nests too deep.
var ErrSyntax = errors.New("shell: the line cannot be parsed")

// Options is what is known of the place where a line would run.
type Options struct {
	// Branch is the git branch that is checked out, empty if it is not known.
	Branch string
	// Aliases are the aliases of git, by name.
	Aliases map[string]string
	// Dir is the working directory, Root the project that it belongs to and Home the user's
	// own directory; all may be empty. Paths are absolute and have slashes.
	Dir, Root, Home string
	// In is the directory that the line begins in, if it is another one. It may be relative.
	In string
	// At returns what is known of another directory, and reports false of one that cannot be
	// read. Without it every command is taken to run in the working directory.
	At func(dir string) (Place, bool)
}

// Command is one simple command.
type Command struct {
	// Words are the program and its arguments, without quotes. Of git, global options are
	// left out and aliases are replaced.
	Words []string
	// Before are the programs that run it, such as sudo, with their flags.
	Before []string
	// Env are the assignments that hold for it, as NAME=VALUE.
	Env []string
	// From are the programs of the pipe that it reads from, the nearest last.
	From []string
	// Input is the text that it reads, as far as the line has it.
	Input string
	// Writes are the files that its output goes to.
	Writes []string
	// Branch is the git branch that is checked out when it runs, empty if it is not known.
	Branch string
	// Dir is the directory that it works in, empty if that is not known, and Root the project
	// of that directory.
	Dir, Root string
}

// Read returns the commands of a line. On ErrSyntax it returns those of the statements before
// the one that could not be parsed.
func Read(line string, o Options) ([]Command, error) {
	r := reader{own: &Place{o.Root, o.Branch, o.Aliases}, ownKey: o.Root + "\x00" + o.Branch, begins: o.Dir, home: o.Home, at: o.At}
	if r.dir.now = o.Dir; o.In != "" {
		r.dir.now = r.join(o.Dir, o.In)
	}
	err := r.line(shortened(line))
	return r.out, err
}

// shortened returns a line without its middle, if it is too long: in a real command line that is
// the text of a here-document.
func shortened(line string) string {
	if len(line) <= MaxLine {
		return line
	}
	return line[:MaxLine*3/4] + "\n" + line[len(line)-MaxLine/4+1:]
}

// parsers keeps parsers, since a new one costs more than a short line.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// value is what a variable holds.
type value struct {
	list     []string
	exported bool
}

func (v *value) String() string { return strings.Join(v.list, " ") }

// reader walks one line.
type reader struct {
	out     []Command
	vars    map[string]value
	args    []string // positional parameters
	hasArgs bool
	aliases map[string]string // of the shell
	funcs   map[string]*syntax.Stmt
	depth   int
	steps   int
	input   string   // what the statement at hand reads
	from    []string // the pipe that it reads from
	// substituted are the programs of the last substitution, whose output became a word.
	substituted []string
	// piped is the text that the last process substitution prints.
	piped string

	dir          dirs
	begins, home string
	at           func(string) (Place, bool)
	own          *Place // of the directory that the line begins in
	ownKey       string
	seen, places map[string]*Place // by directory, and by root and branch
}

// full reports whether no more is read.
func (r *reader) full() bool { return len(r.out) >= MaxCommands || r.steps > maxSteps }

// line parses a text and walks it.
func (r *reader) line(text string) error {
	if r.depth >= maxDepth || r.full() {
		return nil
	}
	if nests(text) > maxNesting || len(text) > maxValue && keywords(text) > maxNesting {
		return ErrSyntax
	}
	list, failed := parse(text)
	r.depth++
	r.stmts(list)
	r.depth--
	return failed
}

// parse returns the statements of a text up to the first that cannot be parsed. A parser that
// panics is a fault in it, and must not stop the caller's work.
func parse(text string) (list []*syntax.Stmt, err error) {
	defer func() {
		if recover() != nil {
			err = ErrSyntax
		}
	}()
	p := parsers.Get().(*syntax.Parser)
	for stmt, failed := range p.StmtsSeq(strings.NewReader(text)) { // it may go on behind an error
		if failed != nil {
			err = ErrSyntax
		}
		if err == nil {
			list = append(list, stmt)
		}
	}
	parsers.Put(p)
	return list, err
}

// inner reads a text that a command of the line runs. One that cannot be parsed is kept as a
// command of its own words.
func (r *reader) inner(text string) {
	if r.line(text) != nil && !r.full() {
		if words := strings.Fields(text); len(words) > 0 {
			r.emit(words[:min(len(words), maxWords)], nil, nil, nil)
		}
	}
}

// nests returns how deep a text nests at most. It does not know quotes, so it may return too
// much.
func nests(text string) int {
	depth, most := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			depth++
			most = max(most, depth)
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
	return most
}

// keywords returns how many words in a row begin a statement within a statement: the parser goes
// deeper with each of them.
func keywords(text string) int {
	run, most := 0, 0
	for w := range strings.FieldsSeq(text) {
		switch w {
		case "if", "while", "until", "!", "time", "then", "do":
			run++
			most = max(most, run)
		default:
			run = 0
		}
	}
	return most
}
