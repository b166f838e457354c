package shell

import (
	"strings"
	"sync"

	"lukasa.dev/internal/programs"
)

const (
	maxCalls    = 64 // calls in a program that are looked at
	maxLiterals = 64 // texts of a call
)

// coded reads what the program of another language runs that an interpreter is given.
func (r *reader) coded(name string, words []string) {
	flags, ok := programs.Inline(name)
	if !ok {
		return
	}
	for i, w := range words {
		switch {
		case flags == "*" && len(w) > 0 && w[0] != '-':
			r.code(w)
			return
		case flags != "*" && i+1 < len(words) && w != "" && containsField(flags, w):
			r.code(words[i+1])
			return
		case w == "-":
		case len(w) > 0 && w[0] != '-':
			return // a script
		}
	}
	if text := r.input; text != "" {
		r.input = ""
		r.code(text)
		r.input = text
	}
}

func containsField(list, word string) bool {
	for f := range strings.FieldsSeq(list) {
		if f == word {
			return true
		}
	}
	return false
}

// code reads the commands that a program runs.
func (r *reader) code(text string) {
	if r.depth >= maxDepth {
		return
	}
	for _, line := range Calls(text) {
		if r.full() {
			return
		}
		r.inner(line)
	}
}

// runners are the names of functions by which programs of many languages run commands.
var runners = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("system popen run call check_call check_output Popen exec execSync execFile execFileSync spawn spawnSync execvp execlp execl execv execve execvpe spawnlp spawnvp getoutput getstatusoutput " +
		"shell_exec passthru proc_open Command command exec_command execCommand run_command runCommand create_subprocess_exec create_subprocess_shell execa execaCommand $ sh shell bash capture2 capture2e capture3 popen3 output doShellScript os_execute execute qx") {
		m[w] = true
	}
	return m
})

// Calls returns the command lines that a program of another language runs, as far as they stand
// in it as texts: of os.system("git push") and of subprocess.run(["git", "push"]). It knows no
// language; it looks for calls of functions that run commands, and for the texts among their
// arguments. Of a call that is given only names, the texts are those before it. Text that a
// program only prints is no command.
func Calls(code string) []string {
	code = code[:min(len(code), MaxLine)]
	var lines []string
	var before [][]string // lists of texts outside of calls
	for i := 0; i < len(code) && len(lines) < maxCalls; {
		c := code[i]
		switch {
		case c == '#' && (i == 0 || code[i-1] == '\n' || code[i-1] == ' '), strings.HasPrefix(code[i:], "//"):
			i = skipLine(code, i)
		case c == '`':
			text, end := literal(code, i)
			lines = append(lines, text)
			i = end
		case c == '"' || c == '\'':
			list, end := texts(code, i)
			if before = append(before, list); len(before) > maxLiterals {
				before = before[1:]
			}
			i = end
		case identifier(c):
			end := i
			for end < len(code) && identifier(code[end]) {
				end++
			}
			name := code[i:end]
			i = end
			if !runners()[name] {
				continue
			}
			list, next, called := arguments(code, end)
			if !called {
				continue
			}
			i = next
			if len(list) > 0 {
				lines = append(lines, lineFrom(list))
				continue
			}
			for _, b := range before {
				lines = append(lines, lineFrom(b))
			}
			before = nil
		default:
			i++
		}
	}
	return lines[:min(len(lines), maxCalls)]
}

func identifier(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$'
}

func skipLine(code string, i int) int {
	if n := strings.IndexByte(code[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(code)
}

// lineFrom returns the line that texts make: one alone is a line, several are words.
func lineFrom(list []string) string {
	if len(list) == 1 || strings.ContainsAny(list[0], " \t") {
		return list[0]
	}
	if len(list) > 1 && list[0] == list[1] {
		list = list[1:] // a program is given its own name, as exec does
	}
	return quoted(list)
}

// arguments returns the texts among the arguments of a call, and where it ends. A call has
// parentheses, or a text behind its name.
func arguments(code string, i int) (list []string, end int, called bool) {
	for i < len(code) && (code[i] == ' ' || code[i] == '!') {
		i++
	}
	if i == len(code) {
		return nil, i, false
	}
	switch code[i] {
	case '"', '\'', '`':
		list, end = texts(code, i)
		return list, end, true
	case '(', '{':
	default:
		return nil, i, false
	}
	depth := 0
	for i < len(code) {
		switch c := code[i]; c {
		case '(', '[', '{':
			depth++
			i++
		case ')', ']', '}':
			depth--
			if i++; depth <= 0 {
				return list, i, true
			}
		case '"', '\'', '`':
			text, next := literal(code, i)
			if i = next; len(list) < maxLiterals && !keyed(code, next) {
				list = append(list, text)
			}
		default:
			i++
		}
	}
	return list, i, true
}

// keyed reports whether a text is the key of a member: a colon follows it.
func keyed(code string, i int) bool {
	rest := strings.TrimLeft(code[i:min(len(code), i+8)], " ")
	return strings.HasPrefix(rest, ":")
}

// texts returns the texts that follow one another, with commas between them, and where they end.
func texts(code string, i int) (list []string, end int) {
	for i < len(code) && (code[i] == '"' || code[i] == '\'' || code[i] == '`') {
		text, next := literal(code, i)
		if len(list) < maxLiterals {
			list = append(list, text)
		}
		end = next
		i = next
		for i < len(code) && (code[i] == ' ' || code[i] == ',' || code[i] == '\n' || code[i] == '\t') {
			i++
		}
		if i == next {
			break // nothing is between them
		}
	}
	return list, end
}

// literal returns the text that begins with a quote, and where it ends.
func literal(code string, i int) (text string, end int) {
	quote := code[i : i+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(code[i:], triple) {
		quote = triple
	}
	start := i + len(quote)
	for i = start; i < len(code); i++ {
		if code[i] == '\\' {
			i++
			continue
		}
		if strings.HasPrefix(code[i:], quote) {
			return unescaped(code[start:i]), i + len(quote)
		}
	}
	return unescaped(code[start:]), len(code)
}

func unescaped(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	return ansi(text)
}
