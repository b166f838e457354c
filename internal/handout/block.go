package handout

import "strings"

// block verifies the block that begins at a line, and cuts it.
func (c *cutting) block(ps []piece, first int) {
	text := c.text[ps[first].start:ps[first].end]
	at := strings.Index(text, opening)
	behind := text[at+len(opening):]
	if len(behind) < tagDigits || strings.Trim(behind[:tagDigits], "0123456789") != "" {
		return
	}
	if c.headers++; c.headers > maxHeaders {
		return
	}
	given, behind := behind[:tagDigits], behind[tagDigits:]
	for stripped := range maxStripped + 1 {
		var body []byte
		ends := 0
		for last := first + 1; last < len(ps) && ends < maxEnds && len(body) < maxBlock; last++ {
			said, ok := behindParts(c.text[ps[last].start:ps[last].end], stripped)
			if !ok {
				break
			}
			if isEnding(said) {
				ends++
				if from, ok := c.verified(text[:at], behind, body, given); ok {
					c.takeBlock(ps, first, last, from)
					return
				}
			}
			body = appendLetters(body, said)
		}
	}
}

// behindParts returns a line without a number of prefixes from a tool. An empty line has none
// of them.
func behindParts(line string, parts int) (string, bool) {
	line = skipLead(line)
	for range parts {
		if line == "" {
			break
		}
		n := prefixLen(line)
		if n == 0 {
			return "", false
		}
		line = skipLead(line[n:])
	}
	return line, true
}

// isEnding reports whether a line ends a block.
func isEnding(line string) bool {
	rest, ok := strings.CutPrefix(line, ending)
	if i := strings.IndexByte(rest, '<'); i >= 0 {
		rest = rest[:i]
	}
	return ok && len(appendLetters(nil, rest)) == 0
}

// verified reports whether a tag is that of a block, and where its title begins in the text
// before the name.
func (c *cutting) verified(before, behind string, body []byte, given string) (from int, ok bool) {
	try := func(from int) bool {
		title := appendLetters(nil, before[from:])
		title = appendLetters(appendLetters(title, signature), behind)
		return c.marks.tag(title, body) == given
	}
	rest := before
	for range maxStripped + 1 {
		if rest = skipLead(rest); try(len(before) - len(rest)) {
			return 0, true // a tool's prefix is cut as well
		}
		n := prefixLen(rest)
		if n == 0 {
			break
		}
		rest = rest[n:]
	}
	from = len(before)
	for range maxWordsBack {
		from = len(strings.TrimRight(before[:from], " "))
		from = strings.LastIndexAny(before[:from], " >\"") + 1
		if try(from) {
			return from, true
		}
		if from == 0 {
			break
		}
	}
	return 0, false
}

// takeBlock cuts a block. Of its first line only the text from a position on belongs to it.
func (c *cutting) takeBlock(ps []piece, first, last, from int) {
	for i := first; i <= last; i++ {
		ps[i].state = taken
	}
	if from > 0 && strings.TrimSpace(c.text[ps[first].start:ps[first].start+from]) != "" {
		c.remove(span{ps[first].start + from, ps[first].end})
		c.cut++
		ps[first].state = kept
	}
}

// denials cuts denials, which agents put between words of their own.
func (c *cutting) denials(ps []piece) {
	for i := range ps {
		if ps[i].state == taken || ps[i].state == kept {
			continue
		}
		at := strings.Index(c.text[ps[i].start:ps[i].end], denial)
		if at < 0 {
			continue
		}
		from, to, most := ps[i].start+at, 0, 0
		c.spans(span{from, ps[i].end}, func(end int, digest uint64) {
			if (c.want[digest] || c.want[digest|formBit]) && len(c.letters) > most {
				to, most = end, len(c.letters)
			}
		})
		if to > 0 && !c.overlaps(span{from, to}) {
			c.remove(span{from, to})
			c.cut++
		}
	}
}

// spans calls a function with each possible end of a denial, and its digest.
func (c *cutting) spans(s span, visit func(end int, digest uint64)) {
	tried := 0
	for at := s.start; at < s.end && tried < maxSpans; tried++ {
		end := s.end
		if n := strings.IndexAny(c.text[at:s.end], ".!?<)\""); n >= 0 {
			end = at + n
		}
		if at = end + 1; end < s.end && c.text[end] != '<' && c.text[end] != '"' {
			end++
		}
		if c.letters = appendLetters(c.letters[:0], c.text[s.start:end]); len(c.letters) >= minAlone {
			visit(end, c.marks.line(c.letters))
		}
	}
}
