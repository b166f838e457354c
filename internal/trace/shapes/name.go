package shapes

import (
	"strings"

	"lukasa.dev/internal/programs"
)

// How much of a step a command is. Of a line, the last command of the highest rank is the
// step: what stands before it prepares it.
const (
	rankShell = iota + 1 // it is about the shell
	rankLook             // it only shows something
	rankAct              // it does something
)

// StepOf returns the step that a command line is, by its shape: the program that the line
// is about and the words that say what it does, such as "git push". It is empty if the
// program has no name.
//
// Of commands in a row the last one counts that does more than show something, else the
// last one that is not about the shell; of a pipe the command that begins it.
func StepOf(shape string) string {
	step, most := "", 0
	for command := range strings.SplitSeq(shape, " && ") {
		command, _, _ = strings.Cut(command, " | ")
		name := commandName(command)
		if name == "" {
			continue
		}
		if rank := rankOf(name); rank >= most {
			step, most = name, rank
		}
	}
	return step
}

// commandName returns the program of a command and the words that say what it does.
func commandName(command string) string {
	end := 0
	for end < len(command) {
		next := strings.IndexByte(command[end+1:], ' ')
		word := command[end:]
		if next >= 0 {
			word = command[end : end+1+next]
		}
		bare := strings.TrimPrefix(word, " ")
		if bare == "" || bare[0] == '<' || bare[0] == '-' && bare != "-m" {
			break
		}
		if bare == "-m" && (!programs.Modular()[command[:end]] || strings.HasPrefix(command[end:], " -m <")) {
			break
		}
		end += len(word)
	}
	return Clip(command[:end], MaxName)
}

// rankOf returns how much of a step a command is, by its name.
func rankOf(name string) int {
	first, _, _ := strings.Cut(name, " ")
	switch {
	case programs.ShapeAside()[first]:
		return rankShell
	case programs.ShapeLooks()[first], programs.ShapeLooksSub()[name]:
		return rankLook
	}
	return rankAct
}

// Looks reports whether a step only reads files or lists them: a command that shows
// something, or a tool whose name says no more than that.
func Looks(step string) bool {
	if rankOf(step) < rankAct {
		return true
	}
	found := false
	var buf [MaxName]byte
	for w := range strings.FieldsSeq(string(SpaceWords(buf[:0], step))) {
		switch {
		case reading()[w]:
			found = true
		case !readable()[w]:
			return false
		}
	}
	return found
}

// Edits reports whether a step changes files, by the name of its tool.
func Edits(step string) bool {
	var buf [MaxName]byte
	words := strings.Fields(string(SpaceWords(buf[:0], step)))
	if len(words) == 0 || len(words) > 4 {
		return false
	}
	found := false
	for _, w := range words {
		switch {
		case editing()[w]:
			found = true
		case !readable()[w] && !reading()[w] && w != "in" && w != "multi" && w != "str" && w != "string" && w != "create" && w != "apply":
			return false
		}
	}
	return found
}

// editing are the words for changing files in names of tools.
var editing = List("edit write patch replace multiedit editor")

// reading are the words for reading and listing in names of tools, and readable those for
// what is read.
var (
	reading  = List("read view open ls list glob grep search find cat show tree head tail")
	readable = List("file files dir directory directories folder folders text content contents many lines tool code codebase path paths notebook all workspace project symbol symbols definition definitions references")
)

// SpaceWords appends the words of a name in lower case with blanks between them.
func SpaceWords(dst []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		switch {
		case Classes[c] == ClassUpper:
			if i > 0 && Classes[name[i-1]] == ClassLower {
				dst = append(dst, ' ')
			}
			dst = append(dst, c|0x20)
		case Classes[c] == ClassLower:
			dst = append(dst, c)
		default:
			dst = append(dst, ' ')
		}
	}
	return dst
}
