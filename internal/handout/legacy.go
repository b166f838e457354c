package handout

import "strings"

// Mark is how each line began that earlier versions handed out. Four characters followed that
// were made of what the line says, without a key: a forger could have one line of his own left
// out, and no more. Old transcripts have such lines, so they are still cut.
const Mark = "§L"

// CutLegacy returns a text without the lines that earlier versions handed out, each of which
// begins with [Mark] and its own four characters, and how many lines that were.
func CutLegacy(text string) (rest string, lines int) {
	if !mayMark(text) {
		return text, 0
	}
	var b strings.Builder
	left := false // lines were cut since the last that was kept
	for more := text; more != ""; {
		n := lineLen(more)
		kept, cut := legacyLine(more[:n])
		more, lines = more[n:], lines+cut
		if cut > 0 && strings.TrimSpace(kept) == "" {
			left = true
			continue
		}
		// Empty lines around a block belong to it.
		if left && strings.TrimSpace(kept) == "" && (b.Len() == 0 || strings.HasSuffix(b.String(), "\n\n")) {
			continue
		}
		left = false
		b.WriteString(kept)
	}
	if lines == 0 {
		return text, 0
	}
	return strings.Trim(b.String(), "\r\n"), lines
}

// lineEnds are what a line ends with, for one program or another.
const lineEnds = "\n\r\v\f\u0085\u2028\u2029"

// lineLen returns how long the first line of a text is, with its end.
func lineLen(text string) int {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			return i + 2
		case b == '\n' || b == '\r' || b == '\v' || b == '\f':
			return i + 1
		case b < 0x80:
		case strings.HasPrefix(text[i:], "\u0085"):
			return i + len("\u0085")
		case strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029"):
			return i + len("\u2028")
		}
	}
	return len(text)
}

// mostLayers is how often a line is looked at again: what is left of it when something was
// cut may be what was handed out.
const mostLayers = 16

// legacyLine takes what was handed out from a line: all of it, or lines of the strings in it.
func legacyLine(line string) (kept string, cut int) {
	for range mostLayers {
		kept, n := cutOnce(line)
		if cut += n; n == 0 {
			break
		}
		line = kept
	}
	return line, cut
}

// cutOnce is legacyLine for a line as it stands.
func cutOnce(line string) (string, int) {
	if !mayMark(line) {
		return line, 0
	}
	text, quoted := marked(line)
	if !quoted && text.verified() {
		return "", 1
	}
	return cutStrings(line, quoted)
}

// cutStrings takes out of a line what was handed out in strings, whose lines begin at a quote
// or at a break that is written as \n; inside says that the line begins with one of them.
// What follows the end of a string is foreign text.
func cutStrings(line string, inside bool) (string, int) {
	end := len(strings.TrimRight(line, lineEnds))
	out := make([]byte, 0, len(line))
	n, i, depth, gap := 0, 0, 1, 0 // gap is how long the break is that out ends with
	for begins := inside; ; begins = true {
		if begins {
			s, ok := nextSign(line[:end], i)
			for ok && s.depth > depth {
				s, ok = nextSign(line[:end], s.end)
			}
			upTo := end
			if ok {
				upTo = s.start
			}
			if text, _ := marked(line[i:upTo]); text.verified() {
				n++
				if ok && s.isBreak {
					i = s.end
					continue
				}
				// It was the last line of its string: no break is wanted before it.
				out, gap, i = out[:len(out)-gap], 0, upTo
			}
		}
		s, ok := nextSign(line[:end], i)
		if !ok {
			break
		}
		out = append(out, line[i:s.end]...)
		i, depth, gap = s.end, s.depth, 0
		if s.isBreak {
			gap = s.end - s.start
		}
	}
	return string(append(out, line[i:]...)), n
}

// sign is a quote, or a line break that is written as \n.
type sign struct {
	start, end int
	isBreak    bool
	// depth is 1 in a string, and twice as much in a string inside of one, where each
	// backslash is written twice.
	depth int
}

// nextSign returns the first sign of a line at or behind a place.
func nextSign(line string, i int) (sign, bool) {
	for i < len(line) {
		at := strings.IndexAny(line[i:], "\"\\")
		if at < 0 {
			break
		}
		i += at
		slashes := 0
		for i < len(line) && line[i] == '\\' {
			i, slashes = i+1, slashes+1
		}
		switch {
		case i == len(line):
		case line[i] == '"':
			depth := (slashes + 1) & -(slashes + 1)
			return sign{i - depth + 1, i + 1, false, depth}, true
		case line[i] == 'n':
			depth := slashes & -slashes
			return sign{i - depth, i + 1, true, depth}, true
		}
	}
	return sign{}, false
}
