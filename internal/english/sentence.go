package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is where one stands.
type Sentence struct {
	From, To int
	quote    bool // a quotation is open where it begins
	code     bool // so is a piece of code
	Question bool
	Colon    bool // it ends with a colon at the end of a line
}

// wrapped is the length of the shortest line that continues in the next one.
const wrapped = 40

// Sentences calls yield with the sentences of a piece of prose, until it returns
// false, and reports whether it never did. A sentence ends with its mark, with a
// semicolon, and with the line unless the next one continues in lower case.
func Sentences(text string, from, to int, yield func(Sentence) bool) bool {
	s := Sentence{From: unmark(text, from, to)}
	quote, code := false, false
	line := from
	for at := s.From; at < to; at++ {
		b := text[at]
		end := false
		switch {
		case b == '"' || strings.HasPrefix(text[at:to], "“") || strings.HasPrefix(text[at:to], "”"):
			quote = b == '"' && !quote || strings.HasPrefix(text[at:to], "“")
		case b == '`':
			code = !code && strings.IndexByte(text[at+1:to], '`') >= 0
		case b == '\n':
			end = !goesOn(text, line, at, to)
			line = at + 1
		case b == '!' || b == '?' || b == ';':
			end = closes(text, at, to)
		case b == '.':
			end = closes(text, at, to) && !abbreviates(text[s.From:at]) && !argues(text, at, to)
		}
		if !end {
			continue
		}
		stop := at
		if b != '\n' {
			for stop < to && strings.IndexByte("!?.;)*_'\"", text[stop]) >= 0 {
				if text[stop] == '"' {
					quote = !quote
				}
				stop++
			}
			stop += len(closing(text[stop:to], &quote))
		}
		if !finish(text, s, stop, yield) {
			return false
		}
		at = max(stop-1, at)
		next := unmark(text, at+1, to)
		s = Sentence{From: next, quote: quote, code: code}
		line = max(line, next)
		at = max(at, next-1)
	}
	return finish(text, s, to, yield)
}

// finish gives a sentence to yield, without the space around it.
func finish(text string, s Sentence, to int, yield func(Sentence) bool) bool {
	s.To = s.From + len(strings.TrimRightFunc(text[s.From:max(to, s.From)], unicode.IsSpace))
	if s.To == s.From {
		return true
	}
	tail := strings.TrimRight(text[s.From:s.To], "!.\"'”’)*_ ")
	s.Question = strings.HasSuffix(tail, "?")
	s.Colon = strings.HasSuffix(tail, ":")
	return yield(s)
}

// closing returns the closing quote at the beginning of a text.
func closing(text string, quote *bool) string {
	if strings.HasPrefix(text, "”") {
		*quote = false
		return "”"
	}
	return ""
}

// closes reports whether the mark at a place is followed by what follows the end
// of a sentence.
func closes(text string, at, to int) bool {
	for at++; at < to; at++ {
		switch text[at] {
		case '!', '?', '.', ')', '*', '_', '"', '\'':
			continue
		case ' ', '\n', '\t', '\r':
			return true
		}
		return strings.HasPrefix(text[at:to], "”")
	}
	return true
}

// argues reports whether a stop is an argument of a command: "git add . is banned".
func argues(text string, at, to int) bool {
	if at == 0 || text[at-1] != ' ' || at+2 >= to || text[at+1] != ' ' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[at+2 : to])
	return unicode.IsLower(r)
}

// abbreviates reports whether a stop behind a text ends no sentence.
func abbreviates(text string) bool {
	last := text[strings.LastIndexAny(text, " \n\t(")+1:]
	if len(last) == 1 && 'A' <= last[0] && last[0] <= 'Z' && last != "I" {
		return true
	}
	return len(last) <= 5 && abbreviations()[strings.ToLower(last)]
}

// goesOn reports whether the line from line to end continues in the next one.
func goesOn(text string, line, end, to int) bool {
	if end+1 >= to || end-line < wrapped {
		return false
	}
	switch r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[line:end], " \r\t")); r {
	case '.', '!', '?', ';', ':':
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[end+1 : to])
	return unicode.IsLower(r)
}

// unmark returns where the text begins, after spaces, bullets, numbers and boxes of a
// list, and marks of headings.
func unmark(text string, at, to int) int {
	for at < to {
		rest := text[at:to]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r):
			at += size
		case strings.HasPrefix(rest, "[ ] ") || strings.HasPrefix(rest, "[x] "):
			at += 4
		case strings.ContainsRune("-*•–·#", r) && (len(rest) == size || rest[size] == ' ' || rest[size] == byte('#') && r == '#'):
			at += size
		case numbered(rest) > 0:
			at += numbered(rest)
		default:
			return at
		}
	}
	return at
}

// numbered returns how many bytes the number of a list takes.
func numbered(rest string) int {
	n := 0
	if len(rest) > 3 && rest[0] == '(' && letter(rest[1]) && rest[2] == ')' && rest[3] == ' ' {
		return 3
	}
	for n < len(rest) && n < 3 && Digit(rest[n]) {
		n++
	}
	if len(rest) > 2 && letter(rest[0]) && (rest[1] == ')' || rest[1] == '.' && 'A' <= rest[0] && rest[0] <= 'H') {
		n = 1
	}
	if n == 0 || n+1 >= len(rest) || rest[n] != '.' && rest[n] != ')' || rest[n+1] != ' ' {
		return 0
	}
	return n + 1
}

// Clean reports whether a text can be kept as it is: UTF-8 without characters
// that control a terminal or turn the direction of what is read.
func Clean(text string) bool {
	for i, r := range text {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d':
			return false
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return false
			}
		}
	}
	return true
}

// Listed reports whether a text begins with an item of a list.
func Listed(text string) bool {
	text = strings.TrimLeft(text, ": \t\r\n")
	return unmark(text, 0, min(len(text), 8)) > 0
}

// FileName reports whether a word is the name of a file.
func FileName(low string) bool {
	at := strings.LastIndexByte(low, '.')
	if at < 1 || at == len(low)-1 || len(low)-at > 6 {
		return false
	}
	for i := at + 1; i < len(low); i++ {
		if !letter(low[i]) {
			return false
		}
	}
	return extensions()[low[at+1:]]
}

func letter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

func Digit(b byte) bool { return '0' <= b && b <= '9' }
