package typed

import "strings"

// A message is often more than the user typed: programs put context before it and piped input
// after it, and users paste mails, chats, diffs and documents. Such text can state rules that
// the user never gave.

// wrappers are names of markup that programs put around text that is not the user's. Unlike
// other markup they also count in the middle of a line.
var wrappers = set("stdin environment_context system-reminder system_reminder hook_context hook_prompt session_context user_instructions instructions skills_instructions",
	"turn_aborted subagent_notification task-notification untrusted_context command-name command-message command-args local-command-stdout local-command-caveat bash-input bash-stdout bash-stderr",
	"file_content file document documents context tool_result tool_use function_results output attachment attachments untrusted pasted-content transcript")

// wrapper returns the name of the wrapper that a line opens after its beginning, and where.
// Only a wrapper that is still open at the end of the line, or the end of one, counts.
func wrapper(line string) (name string, at int) {
	for from := 0; ; {
		n := strings.IndexByte(line[from:], '<')
		if n < 0 {
			return "", 0
		}
		at = from + n
		if tag := opened(line[at:]); tag != "" && wrappers()[strings.ToLower(tag)] {
			return tag, at
		}
		from = at + 1
	}
}

// opens are prefixes of lines from which on nothing is the user's: what programs write before
// instructions, summaries and stop reasons for a model.
var opens = []string{
	"--- content from referenced files", "--- begin", "# agents.md instructions", "# claude.md", "# gemini.md", "stop hook feedback:", "operation stopped by hook", "caveat: the messages below",
	"base directory for this skill:", "this session is being continued from", "another language model started", "contents of /", "codebase and user instructions are shown below",
	"from:", "subject:", "sent:", "-----original", "---------- forwarded", "begin forwarded", "diff --git ",
}

// closers are prefixes of lines that end what [opens] began.
var closers = []string{"--- end of content", "--- end"}

// hasPrefixOf reports whether a line has one of some prefixes, in any case.
func hasPrefixOf(line string, prefixes []string) bool {
	for _, p := range prefixes {
		if len(line) >= len(p) && strings.EqualFold(line[:len(p)], p) {
			return true
		}
	}
	return false
}

// stamped reports whether a line is the head of a chat message: a name and a time of day, or
// the role of a speaker.
func stamped(line string) bool {
	if who, _, ok := strings.Cut(line, ":"); ok && Speakers()[strings.ToLower(strings.Trim(who, "*[]# "))] {
		return true
	}
	if len(line) > 60 || line == "" || !letter(line[0]) {
		return false
	}
	low := strings.TrimRight(strings.ToLower(line), " )]:")
	for _, half := range []string{"am", "pm"} {
		if cut, ok := strings.CutSuffix(low, half); ok {
			low = strings.TrimRight(cut, " ")
			break
		}
	}
	at := strings.LastIndexAny(low, " ([\t") + 1
	if at < 2 {
		return false
	}
	hour, minute, ok := strings.Cut(low[at:], ":")
	if !ok || len(hour) > 2 || len(hour) == 0 || len(minute) != 2 {
		return false
	}
	for _, part := range []string{hour, minute} {
		for i := range len(part) {
			if !digit(part[i]) {
				return false
			}
		}
	}
	names := len(strings.Fields(strings.Trim(low[:at], " ([")))
	return names <= 4 && line[0] <= 'Z' || names == 1
}

// salutes reports whether a line is the salutation of a letter, and whether it addresses a
// group.
func salutes(line string) (letter, group bool) {
	if len(line) > 60 || !strings.HasSuffix(line, ",") && !strings.HasSuffix(line, ":") {
		return false, false
	}
	words := strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return r == ' ' || r == ',' || r == ':' })
	if len(words) < 2 || len(words) > 5 {
		return false, false
	}
	switch words[0] {
	case "hi", "hello", "dear", "hey":
	default:
		return false, false
	}
	for _, w := range words[1:] {
		switch w {
		case "all", "team", "everyone", "everybody", "folks", "colleagues", "customers", "sir", "madam", "both":
			return true, true
		}
	}
	return true, false
}

// signs reports whether a line ends a letter.
func signs(line string) bool {
	low := strings.TrimRight(strings.ToLower(line), ",.!")
	switch low {
	case "best", "best regards", "kind regards", "regards", "cheers", "sincerely", "yours", "yours sincerely", "thanks", "thank you", "many thanks", "best wishes", "warm regards", "all the best":
		return true
	}
	return false
}

// headings returns where the first Markdown heading with text below it is, outside of fenced
// code, or -1. From there on a text is a document. A single heading that itself states a rule
// is the user's emphasis.
func headings(text string) int {
	first, n, before := -1, 0, 0
	fence := ""
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := strings.TrimRight(text[at:end], "\r\n")
		switch {
		case fence != "":
			if strings.HasPrefix(strings.TrimSpace(line), fence) {
				fence = ""
			}
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fence = line[:3]
		case heading(line):
			if n++; first < 0 {
				first = at
			}
		case at > 0 && len(line) > 3 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "") && before < at-1:
			if n += 2; first < 0 {
				first = before // it is underlined
			}
		}
		before, at = at, end
	}
	if n == 0 || n == 1 && (insists(text[first:]) || !strings.Contains(strings.TrimSpace(text[first:]), "\n")) {
		return -1
	}
	return first
}

// insists reports whether a heading states a rule.
func insists(line string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(line, "# "), " ")
	switch strings.ToLower(word) {
	case "never", "always", "don't", "dont", "do", "no", "please":
		return true
	}
	return false
}

// ticket returns where a pasted ticket begins, or -1: at the line with its number, or otherwise
// at the paragraph with the first of its fields.
func ticket(text string) int {
	head, paragraph := -1, 0
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := strings.TrimSpace(text[at:end])
		switch {
		case line == "":
			paragraph = end
		case field(line):
			if head >= 0 {
				return head
			}
			return paragraph
		case strings.Contains(line, " opened by ") && strings.Contains(line, "#"):
			return at
		case head < 0 && numberedTicket(line):
			head = at
		}
		at = end
	}
	return -1
}

// field reports whether a line is a field of a ticket.
func field(line string) bool {
	line = strings.TrimLeft(line, "*# ")
	return line != "" && letter(line[0]) && hasPrefixOf(line, fields)
}

// numberedTicket reports whether a line begins with a ticket number, such as SHOP-12.
func numberedTicket(line string) bool {
	n := 0
	for n < len(line) && 'A' <= line[n] && line[n] <= 'Z' {
		n++
	}
	return n > 1 && n < len(line)-1 && line[n] == '-' && digit(line[n+1])
}

// fields are prefixes of lines of tickets.
var fields = []string{
	"acceptance criteria", "description:", "priority:", "reporter:", "assignee:", "severity:", "story points", "steps to reproduce", "expected behavior", "expected behaviour", "expected result", "actual behavior",
	"actual behaviour", "actual result", "definition of done", "user story", "as a user", "as an admin", "given ", "epic:", "milestone:", "fix version", "issue type", "affects version",
}

// signed reports whether a text is a signed letter to a person: with a salutation that names no
// agent as its first line, and a farewell as one of its last.
func signed(text string) bool {
	text = strings.TrimSpace(text)
	first, rest, _ := strings.Cut(text, "\n")
	if letter, _ := salutes(strings.TrimSpace(first)); !letter {
		return false
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(first), func(r rune) bool { return r == ' ' || r == ',' || r == ':' }) {
		if Agents()[w] || w == "there" {
			return false
		}
	}
	for line := range strings.Lines(rest) {
		if signs(strings.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// Line lengths of a paragraph that an editor wrapped.
const (
	wrappedFrom = 55
	wrappedTo   = 120
)

// wrappedByEditor reports whether a paragraph has lines filled up to a width, or list items
// that continue below their beginning. Prompts have no such lines; documents have.
func wrappedByEditor(text string) bool {
	lines, broken := 0, false
	even := true
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		last := strings.TrimSpace(rest) == ""
		body := strings.TrimSpace(line)
		if lines++; body == "" {
			return false
		}
		if lines > 1 && strings.HasPrefix(line, "  ") && 'a' <= body[0] && body[0] <= 'z' {
			return true
		}
		if !last {
			even = even && len(line) >= wrappedFrom && len(line) <= wrappedTo
			broken = broken || !strings.ContainsRune(".!?:;", rune(body[len(body)-1]))
		}
		text = rest
	}
	return lines > 2 && even && broken
}

// printedOut reports whether the paragraph of a stretch of prose is the output of a program or
// a piece of configuration: it has lines of a stack trace, such as "at Card (card.jsx:22)", or
// of settings, such as "port = 8443".
func printedOut(text string, from, to int) bool {
	if i := strings.Index(text[to:], "\n\n"); i >= 0 {
		to += i
	} else {
		to = len(text)
	}
	for line := range strings.Lines(text[from:to]) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "at "); ok && strings.HasSuffix(rest, ")") && strings.ContainsRune(rest, '(') && strings.ContainsRune(rest, ':') || strings.HasPrefix(line, "File \"") && strings.Contains(line, "\", line ") {
			return true
		}
		if name, value, ok := strings.Cut(line, "="); ok && value != "" && !strings.ContainsAny(strings.TrimSpace(name), " \t`\"'") && name != "" && (strings.HasSuffix(name, " ") == strings.HasPrefix(value, " ")) && !strings.HasPrefix(value, "=") {
			return true
		}
	}
	return false
}

// heading reports whether a line is a heading: marks, a space, and a few words that are no
// whole sentence.
func heading(line string) bool {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n >= len(line)-1 || line[n] != ' ' {
		return false
	}
	rest := strings.TrimSpace(line[n:])
	return rest != "" && len(rest) < 80 && !strings.ContainsAny(rest[len(rest)-1:], ".!")
}

// Delimited reports whether the next line with text begins something with an end of its own:
// fenced or indented code, a quotation, markup, a letter, a chat. After that end the user's
// text continues.
func Delimited(rest string) bool {
	for line := range strings.Lines(rest) {
		trimmed := strings.TrimSpace(line)
		if strings.Trim(trimmed, ":.") == "" {
			continue
		}
		letter, _ := salutes(trimmed)
		return letter || stamped(trimmed) || indented(line) || strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") || strings.HasPrefix(trimmed, ">") || opened(trimmed) != ""
	}
	return false
}
