package handout

import "strings"

// A tool that truncates the middle or the end of a long text leaves halves of lines. They are
// recognised by the digests of beginnings and ends, see sipKey.parts, except for the last few
// letters of each half.

// half is a part of a line that may be the beginning or the end of one that was handed out.
type half struct {
	span
	tail bool
}

// halvesOf calls a function with the possible halves of a line: before and after a truncation
// mark, or all of it where the text is cut off.
func (c *cutting) halvesOf(ps []piece, i int, visit func(half)) {
	p := &ps[i]
	if p.blank {
		return
	}
	text := c.text[p.start:p.end]
	first, last := len(text), 0
	for _, sign := range [...]string{"…", "..."} {
		if at := strings.Index(text, sign); at >= 0 {
			first = min(first, at)
			last = max(last, strings.LastIndex(text, sign)+len(sign))
		}
	}
	if last > 0 {
		visit(half{span{p.start, p.start + first}, false})
		visit(half{span{p.start + last, p.end}, true})
		return
	}
	if j := next(ps, i, 1); j < 0 || ps[j].ellipsis {
		visit(half{p.span, false})
	}
	if j := next(ps, i, -1); j < 0 || ps[j].ellipsis {
		visit(half{p.span, true})
	}
}

// next returns the next non-empty line in a direction, or -1.
func next(ps []piece, i, step int) int {
	for i += step; i >= 0 && i < len(ps); i += step {
		if !ps[i].blank {
			return i
		}
	}
	return -1
}

// wantParts requests the digests of all halves of a chain.
func (c *cutting) wantParts(ch *chain) {
	for i := range ch.pieces {
		c.halvesOf(ch.pieces, i, func(h half) {
			c.parts(h, func(digest uint64) { c.want[digest] = false }, func() bool { return false })
		})
		if strings.Contains(c.text[ch.pieces[i].start:ch.pieces[i].end], denial) {
			at := ch.pieces[i].start + strings.Index(c.text[ch.pieces[i].start:ch.pieces[i].end], denial)
			c.spans(span{at, ch.pieces[i].end}, func(_ int, digest uint64) { c.want[digest], c.want[digest|formBit] = false, false })
		}
	}
}

// parts calls a function with the digests of a half, for each possible prefix of a tool, until
// one reading is enough.
func (c *cutting) parts(h half, visit func(uint64), enough func() bool) {
	text := c.text[h.start:h.end]
	if h.tail {
		c.letters = appendLetters(c.letters[:0], text)
		c.marks.tails.parts(c.letters, true, visit)
		enough()
		return
	}
	for range maxStripped + 1 {
		text = skipLead(text)
		c.letters = appendLetters(c.letters[:0], text)
		c.marks.heads.parts(c.letters, false, visit)
		if enough() {
			return
		}
		n := prefixLen(text)
		if n == 0 {
			return
		}
		text = text[n:]
	}
}

// halves cuts halves of lines next to lines that were handed out.
func (c *cutting) halves(ps []piece) {
	for i := range ps {
		if ps[i].state != foreign {
			continue
		}
		c.halvesOf(ps, i, func(h half) {
			if ps[i].state == taken || !c.besideOurs(ps, i, h) {
				return
			}
			known, all, ours := 0, true, false
			c.parts(h, func(digest uint64) {
				if c.want[digest] {
					known++
				} else {
					all = false
				}
			}, func() bool {
				ours = known > 0 && all
				known, all = 0, true
				return ours
			})
			switch {
			case !ours || c.overlaps(h.span):
			case h.span == ps[i].span:
				ps[i].state = taken
			default:
				c.remove(h.span)
				c.cut++
				ps[i].state = kept
			}
		})
	}
}

// besideOurs reports whether a half is next to a line that was handed out, or is the beginning
// of a block. In a strict text that line must be cut, and a truncation mark is required: a user
// may write half a sentence.
func (c *cutting) besideOurs(ps []piece, i int, h half) bool {
	if ps[i].header && !h.tail {
		return true
	}
	before, behind := next(ps, i, -1), next(ps, i, 1)
	beside, cutOff := before, behind
	if h.tail {
		beside, cutOff = behind, before
	}
	if beside < 0 || ps[beside].state == foreign {
		return false
	}
	if c.whose == Loose {
		return true
	}
	ours := ps[beside].state >= kept || isEnding(skipLead(c.text[ps[beside].start:ps[beside].end]))
	return ours && (ps[i].ellipsis || cutOff >= 0 && ps[cutOff].ellipsis)
}
