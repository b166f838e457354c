package trace

// CommandOf returns a command whose words are known already, the program first. There must be
// one word at least.
func CommandOf(words, before []string, piped bool) Command {
	name := program(words[0])
	return Command{Words: words, Before: before, Program: name, Sub: subWords(name, words[1:]), Piped: piped}
}
