package handout

import "strings"

// ownName is in the names of Lukasa's own tools, and is its command.
const ownName = "lukasa"

// OwnTool reports whether a name is one that agents give to Lukasa's own tools:
// mcp__lukasa__recall, mcp_lukasa_recall, lukasa_recall, lukasa.recall.
func OwnTool(name string) bool {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "mcp"); ok {
		name = strings.TrimLeft(rest, "_:./-")
	}
	rest, ok := strings.CutPrefix(name, ownName)
	return ok && (rest == "" || strings.IndexByte("_.-/:", rest[0]) >= 0)
}

// OwnCommand reports whether a command line of a shell runs Lukasa's command, and beside it
// nothing but what shows its output or changes the directory.
func OwnCommand(command string) bool {
	if !strings.Contains(command, ownName) {
		return false
	}
	own := false
	for _, c := range shellCommands(command) {
		words := c.words
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:] // a variable
		}
		if len(words) == 0 {
			return false
		}
		switch words[0][strings.LastIndexByte(words[0], '/')+1:] {
		case ownName:
			own = true
		case "cd", "true":
		case "cat", "cut", "grep", "head", "jq", "less", "more", "nl", "sort", "tail", "tr", "uniq", "wc":
			if !c.piped || !own {
				return false
			}
		default:
			return false
		}
	}
	return own
}

// shellCommand is a command of a command line; piped says that it reads what the one before
// it writes.
type shellCommand struct {
	words []string
	piped bool
}

// shellCommands splits a command line into its commands, and those into words without their
// quotes. It returns nil for what is more than quotes, pipes and lists: that may be anything.
func shellCommands(line string) []shellCommand {
	var commands []shellCommand
	var current shellCommand
	var word []byte
	inWord := false
	endWord := func() {
		if inWord {
			current.words = append(current.words, string(word))
		}
		word, inWord = word[:0], false
	}
	line = strings.TrimSpace(line)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '\'', '"':
			end := quoteLen(line[i:])
			if end == 0 {
				return nil
			}
			word, inWord = append(word, line[i+1:i+end-1]...), true
			i += end - 1
		case ' ', '\t':
			endWord()
		case ';', '\n', '|', '&':
			double := i+1 < len(line) && line[i+1] == c
			endWord()
			if c == '&' && !double || len(current.words) == 0 {
				return nil
			}
			commands = append(commands, current)
			current = shellCommand{piped: c == '|' && !double}
			if double {
				i++
			}
		case '>':
			// Only to where the output goes anyway, or to nowhere.
			where := ""
			for _, w := range [...]string{"&1", "/dev/null", " /dev/null"} {
				if strings.HasPrefix(line[i+1:], w) {
					where = w
				}
			}
			if where == "" || len(word) > 0 && string(word) != "2" && string(word) != "1" {
				return nil
			}
			word, inWord = word[:0], false
			i += len(where)
		case '$', '`', '(', ')', '<', '\\', '!', '{', '}':
			return nil
		default:
			word, inWord = append(word, c), true
		}
	}
	if endWord(); len(current.words) > 0 {
		commands = append(commands, current)
	}
	return commands
}

// quoteLen returns how long the quoted text is that a line begins with, with its quotes, or 0
// if it does not end or runs a command.
func quoteLen(line string) int {
	quote := line[0]
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == quote:
			return i + 1
		case quote == '"' && line[i] == '\\':
			i++
		case quote == '"' && (line[i] == '`' || strings.HasPrefix(line[i:], "$(")):
			return 0
		}
	}
	return 0
}
