// Package handout marks what Lukasa hands out into a prompt, and finds it again.
//
// An agent's prompts, tool results and transcripts come back to Lukasa. What it said
// itself must not be taken for something new, or a memory would confirm itself for ever.
// So each line that is handed out begins with [Mark]:
//
//	§L Memory (Lukasa). Recalled, not said by the user.
//	§L - Releases are cut every second Tuesday.
//	§L End.
//
// # What is guaranteed
//
//   - [Cut] takes out every line that begins with the mark, and nothing else: a block as a
//     whole, the half of one, one line, a block that was quoted with > or in a list, a block
//     inside of a block, and one that stands in a string of JSON with its line breaks escaped.
//   - What was handed out is always found: [Wrap] puts the mark before every line.
//   - Cutting twice is cutting once, and a text without marks is returned as it is.
//
// # What is not
//
// Half of a line without its beginning, and what a model says in other words, are not found.
package handout

import "strings"

// Mark is how each line begins that is handed out.
const Mark = "§L"

// Wrap returns a text as it is handed out: under a title, every line with the mark. Empty
// lines are left away. An empty text stays empty.
func Wrap(title, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); line == "" {
			continue
		}
		if b.Len() == 0 {
			b.WriteString(Mark + " " + oneLine(title) + "\n")
		}
		b.WriteString(Mark + " " + breaks.Replace(line) + "\n")
	}
	if b.Len() == 0 {
		return ""
	}
	b.WriteString(Mark + " End.")
	return b.String()
}

// breaks are what others may take for the end of a line.
var breaks = strings.NewReplacer("\r", " ", "\v", " ", "\f", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ")

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Cut returns a text without what was handed out, and how many lines that were.
func Cut(text string) (rest string, lines int) {
	if !strings.Contains(text, Mark) {
		return text, 0
	}
	var b strings.Builder
	left := false // lines were cut since the last that was kept
	for line := range strings.Lines(text) {
		kept, n := cutLine(line)
		lines += n
		if n > 0 && strings.TrimSpace(kept) == "" {
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

// cutLine takes what was handed out from a line: all of it, or pieces of a text in which
// line breaks are written as \n.
func cutLine(line string) (string, int) {
	if marked(line) {
		return "", 1
	}
	const escaped = `\n`
	if !strings.Contains(line, Mark) || !strings.Contains(line, escaped+Mark) && !strings.Contains(line, `"`+Mark) {
		return line, 0
	}
	var kept []string
	n := 0
	for i, piece := range strings.Split(line, escaped) {
		body, end := piece, ""
		if q := strings.Index(piece, `"`+Mark); q >= 0 {
			// The string begins with it: what is before stays, up to the quote.
			kept, body = append(kept, piece[:q+1]), piece[q+1:]
		} else if i == 0 || !marked(piece) {
			kept = append(kept, piece)
			continue
		}
		if q := strings.IndexAny(body, `"\`); q >= 0 {
			end = body[q:] // where the string ends, what follows is somebody else's
		}
		n++
		if end != "" {
			kept = append(kept, end)
		}
	}
	return joinPieces(kept), n
}

// joinPieces puts pieces of a string together again. A quote needs no line break before or
// after it.
func joinPieces(pieces []string) string {
	var b strings.Builder
	for i, p := range pieces {
		if i > 0 && !strings.HasSuffix(pieces[i-1], `"`) && !strings.HasPrefix(p, `"`) && !strings.HasPrefix(p, `\"`) {
			b.WriteString(`\n`)
		}
		b.WriteString(p)
	}
	return b.String()
}

// marked reports whether a line begins with the mark, behind what quotes and lists begin with.
func marked(line string) bool {
	line = strings.TrimLeft(line, " \t>|*+#`-•│┃\u00a0\ufeff")
	rest, ok := strings.CutPrefix(line, Mark)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n") || strings.HasPrefix(rest, "\u00a0"))
}
