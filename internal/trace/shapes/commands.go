package shapes

import "lukasa.dev/internal/programs"

// The bounds of what Commands reads.
const (
	MaxLine     = 64 << 10 // bytes of a line
	MaxCommands = 64       // commands of a line
)

// Command is one command of a line, without quotes and redirections.
type Command struct {
	// Words are those of the command as they are written, the program first; of more
	// than 48 the first.
	Words []string
	// Before are what stands before the program: sudo and its like with their flags,
	// and assignments.
	Before []string
	// Program is the name of the program without its path.
	Program string
	// Sub are the words behind the program that say what it does, as in a shape.
	Sub []string
	// Piped says that it reads what the command before it writes.
	Piped bool
}

// Commands takes a command line apart, as shapes do. A line that a shell is given with
// -c is taken apart in place of the shell. What is expanded or substituted only when the
// line runs is not known here.
func Commands(line string) []Command { return appendCommands(nil, line, 0) }

func appendCommands(list []Command, line string, depth int) []Command {
	lex := lexer{rest: line[:min(len(line), MaxLine)]}
	for len(list) < MaxCommands && lex.more() {
		all, joint := lex.command()
		words := unwrapped(all)
		if len(words) == 0 {
			continue
		}
		name := ProgramOf(words[0])
		if inner, ok := ShellText(words[1:]); ok && programs.Shells()[name] && depth < 2 {
			list = appendCommands(list, inner, depth+1)
			continue
		}
		c := Command{Program: name, Piped: joint == '|'}
		c.Before = append(c.Before, all[:len(all)-len(words)]...)
		c.Words = append(c.Words, words...)
		c.Sub = subWords(name, c.Words[1:])
		list = append(list, c)
	}
	return list
}

// subWords returns the words that say what a program does.
func subWords(name string, rest []string) []string {
	n, deep, phrase := 0, programs.Depth(name), name
	for deep > 0 && n < len(rest) && plainWord(rest[n]) {
		phrase += " " + rest[n]
		n, deep = n+1, deep-1
		if deep == 0 && programs.Depth(phrase) > 1 {
			deep = 1
		}
	}
	return rest[:n:n]
}

// CommandOf returns a command whose words are known already, the program first. There must be
// one word at least.
func CommandOf(words, before []string, piped bool) Command {
	name := ProgramOf(words[0])
	return Command{Words: words, Before: before, Program: name, Sub: subWords(name, words[1:]), Piped: piped}
}
