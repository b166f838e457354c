// Package typed separates what a user typed in a message from what was pasted into it or added
// around it: code, quotations, tables, logs, markup, letters, chats, tickets and documents.
//
// It is a function of the message alone. Work is linear in its length. In case of doubt a line
// counts as pasted.
package typed

import (
	"strings"
	"sync"
)

// Prose calls yield with the ranges of lines that a person seems to have written as running
// text, in order, until it returns false. It leaves out fenced and indented code, quoted lines,
// tables, logs, markup, and everything below the head of a forwarded mail.
func Prose(text string, yield func(from, to int) bool) {
	var p pasted
	if at := headings(text); at >= 0 {
		text = text[:at]
	}
	if at := ticket(text); at >= 0 {
		text = text[:at]
	}
	p.letter = signed(text)
	typed := yield
	yield = func(from, to int) bool {
		return wrappedByEditor(text[from:to]) || printedOut(text, from, to) || typed(from, to)
	}
	from := -1
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := text[at:end]
		stop := end // end of the typed part of the line
		skip := p.skips(line)
		if !skip {
			if tag, n := wrapper(line); tag != "" && n > 0 {
				stop = at + n
				if !strings.Contains(line[n:], "</"+tag) {
					p.tag = tag
				}
			}
		}
		switch {
		case skip || blank(line):
			if from >= 0 && !yield(from, at) {
				return
			}
			from = -1
		case from < 0:
			from = at
		}
		if stop < end && from >= 0 {
			if !yield(from, stop) {
				return
			}
			from = -1
		}
		at = end
	}
	if from >= 0 {
		yield(from, len(text))
	}
}

// pasted is the context of a line that was not typed.
type pasted struct {
	fence   string // what opened the code
	comment bool   // within a comment of a program, up to its end
	tag     string // the open markup
	foreign bool   // within text from a program, up to its end or that of the message
	letter  bool   // within a letter, up to its signature
	begun   bool   // there was a line before
	printed bool   // within the output of a command or a chat, up to an empty line
}

// skips reports whether a line is no prose.
func (p *pasted) skips(line string) bool {
	trimmed := strings.TrimSpace(line)
	begun := p.begun
	p.begun = begun || trimmed != ""
	if p.foreign {
		p.foreign = !hasPrefixOf(trimmed, closers)
		return true
	}
	if p.letter {
		p.letter = !signs(trimmed)
		p.printed = !p.letter // the name below
		return true
	}
	if p.fence != "" {
		if strings.HasPrefix(trimmed, p.fence) {
			p.fence = ""
		}
		return true
	}
	if p.tag != "" {
		if strings.Contains(line, "</"+p.tag) {
			p.tag = ""
		}
		return true
	}
	if p.comment || strings.HasPrefix(trimmed, "/*") || strings.HasPrefix(trimmed, "<!--") {
		p.comment = !strings.Contains(trimmed, "*/") && !strings.Contains(trimmed, "-->")
		return true
	}
	if prompted(trimmed) || stamped(trimmed) || trimmed != "" && letter(trimmed[0]) && hasPrefixOf(trimmed, reports) {
		p.printed = true
	}
	if p.printed = p.printed && trimmed != ""; p.printed {
		return true
	}
	for _, fence := range []string{"```", "~~~"} {
		if strings.HasPrefix(trimmed, fence) {
			if !strings.Contains(trimmed[len(fence):], fence) {
				p.fence = fence
			}
			return true
		}
	}
	if tag := opened(trimmed); tag != "" {
		if !strings.Contains(trimmed, "</"+tag) {
			p.tag = tag
		}
		return true
	}
	if p.foreign = forwards(trimmed); p.foreign {
		return true
	}
	if letter, group := salutes(trimmed); letter && (group || begun) {
		p.letter = true
		return true
	}
	return indented(line) || machine(trimmed)
}

// prompted reports whether a line is a command typed at a prompt.
func prompted(line string) bool {
	for _, mark := range []string{"$ ", "% ", ">>> ", "PS C:", "C:\\>", "root@", "user@", "❯ ", "➜ ", "⏺ ", "⎿", "@@ ", "+++ "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// opened returns the name of the tag that a line begins with.
func opened(line string) string {
	if len(line) < 3 || line[0] != '<' {
		return ""
	}
	end := 1
	for end < len(line) && (letter(line[end]) || end > 1 && (digit(line[end]) || line[end] == '_' || line[end] == '-')) {
		end++
	}
	if end == 1 || end == len(line) || !strings.ContainsRune("> \t", rune(line[end])) || strings.HasSuffix(line, "/>") {
		return ""
	}
	return line[1:end]
}

// forwards reports whether nothing from a line on is the user's: it is the head of another
// person's mail, or of text from a program.
func forwards(line string) bool {
	if hasPrefixOf(line, opens) {
		return true
	}
	return len(line) < 200 && hasPrefixOf(line, []string{"on "}) && strings.HasSuffix(strings.ToLower(line), "wrote:")
}

func indented(line string) bool {
	return strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
}

// machine reports whether a line looks like the output or input of a program.
func machine(line string) bool {
	if line == "" {
		return false
	}
	for _, mark := range []string{">", "|", "$ ", "+", "@@", "//", "/*", "#!", "#include", "<!", "</", "{", "}", "--- ", "-- ", "% ", "&gt;", "at ", "===", "│", "┃", "└", "├", "╭", "╰", "─", "✓", "✔", "✗", "✘", "⨯", "»"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	switch line[len(line)-1] {
	case '{', '}', '\\':
		return true
	}
	if line[0] == '[' && !strings.HasPrefix(line, "[ ] ") && !strings.HasPrefix(line, "[x] ") {
		return true
	}
	if dated(line) {
		return true
	}
	for _, level := range []string{"ERROR", "WARN", "INFO", "DEBUG", "TRACE", "FATAL"} {
		if rest, ok := strings.CutPrefix(line, level); ok && (rest == "" || !letter(rest[0])) {
			return true
		}
	}
	return false
}

// reports are prefixes of lines that tools print.
var reports = []string{"npm err!", "npm warn", "remote: ", "fatal: ", "error: ", "hint: ", "stderr: ", "stdout: ", "traceback ", "panic: ", "caused by: "}

// dated reports whether a line begins with a date or a time of day in digits.
func dated(line string) bool {
	n := 0
	for n < len(line) && digit(line[n]) {
		n++
	}
	if n == 0 || n+1 >= len(line) || !digit(line[n+1]) {
		return false
	}
	return line[n] == ':' || n == 4 && (line[n] == '-' || line[n] == '/')
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func letter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

func digit(b byte) bool { return '0' <= b && b <= '9' }

// Agents returns the names of coding agents, specific and generic.
var Agents = set("claude codex gemini opencode copilot cursor chatgpt gpt assistant assistants agent agents bot bots ai ais llm llms model models sub-agent sub-agents subagent subagents")

// Speakers returns the speakers in the record of a conversation with a model.
var Speakers = set("system user assistant human ai bot model developer")

// set returns the set of the words of lists, built on first use.
func set(lists ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		x := map[string]bool{}
		for _, list := range lists {
			for w := range strings.FieldsSeq(list) {
				x[w] = true
			}
		}
		return x
	})
}
