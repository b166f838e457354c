package handout

import "strings"

// Mark is the prefix of each line that earlier versions handed out. Four characters followed
// that were computed from the line, without a key: a forger could make one line of their own be
// left out, and no more. Old transcripts have such lines, so they are still cut.
const Mark = "§L"

// CutLegacy returns a text without the lines that earlier versions handed out, each of which
// begins with [Mark] and its own four characters, and the number of these lines.
func CutLegacy(text string) (rest string, lines int) {
	if !mayMark(text) {
		return text, 0
	}
	var b strings.Builder
	left := false // lines were cut since the last one that was kept
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

// lineEnds are the line ends of various programs.
const lineEnds = "\n\r\v\f\u0085\u2028\u2029"

// lineLen returns the length of the first line of a text, with its end.
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

// mostLayers is how often a line is checked again: what is left after a cut may itself have
// been handed out.
const mostLayers = 16

// legacyLine removes what was handed out from a line: all of it, or lines of the strings in it.
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

// cutOnce is one pass of legacyLine.
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

// cutStrings removes from a line what was handed out in strings, whose lines begin at a quote
// or at a line break written as \n; inside says that the line begins with one of them. What
// follows the end of a string is foreign text.
func cutStrings(line string, inside bool) (string, int) {
	end := len(strings.TrimRight(line, lineEnds))
	out := make([]byte, 0, len(line))
	n, i, depth, gap := 0, 0, 1, 0 // gap is the length of the line break at the end of out
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
				// It was the last line of its string: no line break is needed before it.
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

// sign is a quote, or a line break written as \n.
type sign struct {
	start, end int
	isBreak    bool
	// depth is 1 in a string, and doubles in each nested string, where each backslash is
	// written twice.
	depth int
}

// nextSign returns the first sign of a line at or after a position.
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
