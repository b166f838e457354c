package handout

import (
	"slices"
	"sort"
	"strings"
)

// Seen looks up which digests were handed out, and sets those to true.
type Seen func(want map[uint64]bool)

// Whose is how much a text may have in common with what was handed out.
type Whose bool

// The values of Whose.
const (
	// Loose is for texts of models and tools: a line that was handed out is cut.
	Loose Whose = false
	// Strict is for texts of a user, and for actions of an agent, which may repeat a memory. A
	// single line is cut only in the form in which it was handed out, with its list sign or
	// label; or in a block, or among three such lines in a row.
	Strict Whose = true
)

// minRun is how many consecutive lines are recognised in a strict text whatever their form.
const minRun = 3

// Limits of the search, so that hostile text costs no more than its length.
const (
	maxHeaders   = 32       // headers whose tags are verified in a text
	maxEnds      = 16       // ends tried for a block
	maxBlock     = 64 << 10 // bytes of letters of a block
	maxWordsBack = 4        // words before the name in a title
	maxStripped  = 3        // parts before each line of a block
	maxSpans     = 24       // ends tried for a denial
	maxReadings  = 8        // of one line
)

// Cut returns a text without what was handed out, and how many lines were cut. seen may be nil:
// then only whole blocks are recognised. It is called at most once, and not at all for a text
// that is too short for a line.
func (m *Marks) Cut(text string, whose Whose, seen Seen) (rest string, lines int) {
	text, lines = CutLegacy(text)
	if len(text) < minAlone {
		return text, lines
	}
	c := &cutting{marks: m, text: text, whose: whose, want: map[uint64]bool{}}
	c.split()
	if seen != nil && c.worth {
		seen(c.want)
	} else {
		clear(c.want)
	}
	for i := range c.chains {
		c.decide(&c.chains[i])
	}
	if c.cut == 0 {
		return text, lines
	}
	return c.rest(), lines + c.cut
}

// cutting is the state of Cut.
type cutting struct {
	marks   *Marks
	text    string
	whose   Whose
	want    map[uint64]bool // the digests, and whether they were handed out
	worth   bool            // a line is long enough to be recognised
	headers int
	letters []byte
	// chains are the lines of the text, and after them those of strings in its lines.
	chains []chain
	cut    int
	gone   []span // the parts of the text to remove
}

// chain is consecutive lines.
type chain struct {
	pieces []piece
	inside bool // of a string
}

// span is a part of the text.
type span struct{ start, end int }

// piece is a line of the text or of a string in it, without its end.
type piece struct {
	span
	readings []reading
	header   bool // it has the tag of a block
	ellipsis bool // a tool has truncated it
	blank    bool
	state    state
}

// state is what is known about a line.
type state uint8

const (
	foreign state = iota
	near          // short, and handed out; cut next to others that are cut
	alike         // handed out, in any form; cut in a loose text and in a run
	formed        // handed out, in this form
	kept          // a part of it is cut, by a block
	taken         // cut as a whole
)

// reading is a line without a prefix that a tool may have added.
type reading struct {
	start  int // in the text
	digest uint64
	short  bool
	form   bool
}

// split finds the lines of the text and of strings in it, and their digests.
func (c *cutting) split() {
	top := chain{}
	for at := 0; at < len(c.text); {
		n := lineLen(c.text[at:])
		line := strings.TrimRight(c.text[at:at+n], lineEnds)
		top.pieces = append(top.pieces, c.piece(span{at, at + len(line)}))
		at += n
	}
	c.chains = append(c.chains, top)
	for _, p := range top.pieces {
		c.strings(p.span)
	}
	for i := range c.chains {
		c.wantParts(&c.chains[i])
	}
}

// strings finds the lines of strings in a line, which begin at a quote or at a line break
// written as \n. Strings within strings are deeper. Outer strings come first.
func (c *cutting) strings(line span) {
	text := c.text[line.start:line.end]
	var signs []sign
	depths := 0 // one bit each
	for s, ok := nextSign(text, 0); ok; s, ok = nextSign(text, s.end) {
		signs = append(signs, s)
		depths |= s.depth
	}
	for depth := 1; depth <= depths; depth <<= 1 {
		if depths&depth == 0 {
			continue
		}
		var current chain
		open, from := depth == 1, 0
		for i := 0; i <= len(signs); i++ {
			s := sign{start: len(text), end: len(text)}
			if i < len(signs) {
				if s = signs[i]; s.depth > depth {
					continue
				}
			}
			if open {
				current.pieces = append(current.pieces, c.piece(span{line.start + from, line.start + s.start}))
			}
			if !open || !s.isBreak || s.depth != depth {
				if current.inside = true; len(current.pieces) > 0 {
					c.chains = append(c.chains, current)
				}
				current = chain{}
			}
			open, from = s.depth == depth, s.end
		}
	}
}

// piece reads a line.
func (c *cutting) piece(at span) piece {
	p := piece{span: at}
	text := c.text[at.start:at.end]
	p.blank = strings.TrimSpace(text) == ""
	p.header = strings.Contains(text, opening)
	p.ellipsis = strings.Contains(text, "…") || strings.Contains(text, "...") || strings.Contains(text, "truncated")
	for rest, part := text, 0; part < maxReadings; part++ {
		said := skipLead(rest)
		lead := rest[:len(rest)-len(said)]
		c.read(&p, said, at.end-len(said), hasForm(lead, said))
		if i := strings.LastIndexByte(said, '<'); i > 0 { // a tag after it
			c.read(&p, said[:i], at.end-len(said), hasForm(lead, said))
		}
		n := prefixLen(said)
		if n == 0 {
			break
		}
		rest = said[n:]
	}
	return p
}

// prefixLen returns the length of a tool's prefix of a line, or 0.
func prefixLen(line string) int {
	n := numberLen(line)
	if n == 0 {
		n = enclosedLen(line)
	}
	if n == 0 {
		n = filePrefixLen(line)
	}
	return n
}

// filePrefixLen returns the length of the file name that a line begins with, with the line
// number and the separators, or 0: "path/file.md:12:", "file.md-12-", "path/file.md:".
func filePrefixLen(line string) int {
	run := line[:min(len(line), mostPath)]
	if i := strings.IndexAny(run, " \t\"'<>{}()&"+lineEnds); i >= 0 {
		run = run[:i]
	}
	for i := 1; i < len(run); i++ {
		if run[i] != ':' && run[i] != '-' {
			continue
		}
		if n := digits(run[i+1:]); n > 0 && i+1+n < len(run) && run[i+1+n] == run[i] {
			return i + n + 2
		}
	}
	i := strings.IndexByte(run, ':')
	if i == 1 { // a drive
		if j := strings.IndexByte(run[2:], ':'); j >= 0 {
			i = 2 + j
		}
	}
	if i < 2 || !strings.ContainsAny(run[:i], `./\`) || strings.HasPrefix(line[i+1:], " ") && !strings.HasPrefix(line[i+1:], "  ") {
		return 0
	}
	return i + 1
}

// read adds a reading of a line.
func (c *cutting) read(p *piece, said string, start int, form bool) {
	if c.letters = appendLetters(c.letters[:0], said); len(c.letters) == 0 {
		return
	}
	r := reading{start: start, digest: c.marks.line(c.letters), short: len(c.letters) < minAlone, form: form}
	p.readings = append(p.readings, r)
	c.want[r.digest], c.want[r.digest|formBit] = false, false
	c.worth = c.worth || !r.short
}

// decide determines what is cut from a chain.
func (c *cutting) decide(ch *chain) {
	ps := ch.pieces
	for i := range ps {
		if c.overlaps(ps[i].span) {
			if ch.inside {
				return // an outer line is cut, or a part of this one
			}
			continue
		}
		if ps[i].header && ps[i].state != taken {
			c.block(ps, i)
		}
	}
	for i := range ps {
		if ps[i].state == foreign {
			ps[i].state = c.judge(&ps[i])
		}
	}
	c.runs(ps)
	for i := range ps {
		if s := ps[i].state; s == formed || s == alike && c.whose == Loose {
			ps[i].state = taken
		}
	}
	c.spread(ps)
	c.halves(ps)
	c.spread(ps)
	c.denials(ps)
	c.take(ch)
}

// overlaps reports whether a part of a span is already removed.
func (c *cutting) overlaps(s span) bool {
	i := sort.Search(len(c.gone), func(i int) bool { return c.gone[i].end > s.start })
	return i < len(c.gone) && c.gone[i].start < s.end
}

// remove removes a span. The removed spans are kept sorted.
func (c *cutting) remove(s span) {
	i := sort.Search(len(c.gone), func(i int) bool { return c.gone[i].start >= s.start })
	c.gone = slices.Insert(c.gone, i, s)
}

// judge returns the state of a line by itself.
func (c *cutting) judge(p *piece) state {
	best := foreign
	if len(p.readings) == 0 && strings.HasPrefix(skipSpace(c.text[p.start:p.end]), fence) {
		return near
	}
	for _, r := range p.readings {
		plain, form := c.want[r.digest], c.want[r.digest|formBit]
		switch {
		case !plain && !form:
		case r.short:
			if c.whose == Loose || form && r.form {
				best = max(best, near)
			}
		case form && r.form:
			best = max(best, formed)
		default:
			best = max(best, alike)
		}
	}
	return best
}

// fence is the prefix of the line that ends a quotation in a pack. It has no letters, and
// people use shorter ones.
const fence = "````"

func skipSpace(s string) string { return strings.TrimLeft(s, " \t>") }

// runs marks lines of any form as cut if there are several in a row.
func (c *cutting) runs(ps []piece) {
	for i := 0; i < len(ps); {
		n, j := 0, i
		for ; j < len(ps) && (ps[j].blank || ps[j].state == alike || ps[j].state == formed || ps[j].state == near); j++ {
			if ps[j].state == alike || ps[j].state == formed {
				n++
			}
		}
		for k := i; k < j && n >= minRun; k++ {
			if ps[k].state == alike {
				ps[k].state = formed
			}
		}
		i = j + 1
	}
}

// spread cuts short lines next to those that are cut, and lines of signs between them.
func (c *cutting) spread(ps []piece) {
	for i := range ps {
		if ps[i].state != foreign || ps[i].blank || len(ps[i].readings) > 0 {
			continue
		}
		if a, b := next(ps, i, -1), next(ps, i, 1); a >= 0 && b >= 0 && ps[a].state == taken && ps[b].state == taken {
			ps[i].state = taken
		}
	}
	beside := false
	step := func(p *piece) {
		switch {
		case p.state == taken || p.state == kept:
			beside = true
		case beside && p.state == near:
			p.state = taken
		case !p.blank:
			beside = false
		}
	}
	for i := range ps {
		step(&ps[i])
	}
	beside = false
	for i := len(ps) - 1; i >= 0; i-- {
		step(&ps[i])
	}
}

// take removes what is cut from a chain, with its line breaks.
func (c *cutting) take(ch *chain) {
	ps := ch.pieces
	for i := 0; i < len(ps); i++ {
		if ps[i].state != taken {
			continue
		}
		j := i
		for ; j+1 < len(ps) && ps[j+1].state == taken; j++ {
		}
		c.cut += j - i + 1
		g := span{ps[i].start, ps[j].end}
		switch {
		case !ch.inside:
		case j+1 < len(ps):
			g.end = ps[j+1].start
		case i > 0:
			g.start = ps[i-1].end
		}
		c.remove(g)
		i = j
	}
}

// rest returns the text without what is removed. Empty lines around that are removed as well.
func (c *cutting) rest() string {
	var b strings.Builder
	left, gone := false, c.gone // left: lines were cut since the last one that was kept
	for at := 0; at < len(c.text); {
		n := lineLen(c.text[at:])
		line := span{at, at + n}
		at += n
		kept, touched := "", false
		from := line.start
		for _, g := range gone {
			if g.start >= line.end {
				break
			}
			if g.end > from {
				kept += c.text[from:max(from, g.start)]
				from, touched = min(g.end, line.end), true
			}
		}
		for len(gone) > 0 && gone[0].end <= line.end {
			gone = gone[1:]
		}
		kept += c.text[from:line.end]
		empty := strings.TrimSpace(kept) == ""
		if touched && empty {
			left = true
			continue
		}
		if left && empty && (b.Len() == 0 || strings.HasSuffix(b.String(), "\n\n")) {
			continue
		}
		left = false
		b.WriteString(kept)
	}
	return strings.Trim(b.String(), "\r\n")
}
