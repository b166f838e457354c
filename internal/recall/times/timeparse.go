package times

import (
	"strings"
	"time"
)

// maxAnchorWords is the most words of an event.
const maxAnchorWords = 12

// recentDays is how far back "recently" reaches.
const recentDays = 14

// timeParser finds time references in the words of a query. Its methods take the number of the
// first token and return the one after what they read, 0 if they read nothing.
type timeParser struct {
	words  timeScanner
	now    time.Time
	today  time.Time // its beginning
	future bool      // the time has not ended yet: by Friday
	cue    bool      // the words before indicate a time
	found  []TimeRef
}

func (p *timeParser) token(i int) timeToken { return p.words.token(i) }

func (p *timeParser) parse() {
	for i := 0; len(p.found) < MaxTimeRefs && p.token(i).kind != tokenEnd; {
		p.words.keep = i - 2
		if next := p.reference(i); next > 0 {
			i = next
		} else {
			i++
		}
	}
}

// reference reads a reference that begins with a token.
func (p *timeParser) reference(i int) int {
	t := p.token(i)
	switch t.kind {
	case tokenMark, tokenClock:
		return 0
	case tokenWord:
		switch t.word {
		case wordNone, wordIn, wordOn, wordAt, wordAround, wordOf, wordAnd, wordTo, wordMine, wordPronoun, wordVerb, wordWas,
			wordDo, wordAsking, wordBreak, wordThing, wordCount:
			return 0
		case wordSince:
			return p.bounded(i, Since)
		case wordUntil:
			return p.bounded(i, Until)
		case wordBefore:
			return p.bounded(i, Before)
		case wordAfter:
			return p.bounded(i, After)
		case wordBy:
			return p.by(i)
		case wordBetween:
			return p.between(i)
		case wordFrom:
			return p.from(i)
		case wordDuring:
			if next := p.plain(i + 1); next > 0 {
				return next
			}
			return p.anchor(i, During)
		case wordWhen:
			if before := p.token(i - 1); before.is(wordAsking) || before.is(wordOf) || before.is(wordSince) {
				return 0 // tell me when…
			}
			return p.anchor(i, During)
		case wordOlder, wordNewer, wordMore, wordLess, wordOver:
			return p.compared(i, t.word)
		}
	}
	return p.plain(i)
}

// cuedPoint reads a time after a word that indicates one.
func (p *timeParser) cuedPoint(i int) (timeSpan, int) {
	before := p.cue
	p.cue = true
	s, next := p.point(i)
	p.cue = before
	return s, next
}

// plain reads a time without a word before it, or two joined by "to".
func (p *timeParser) plain(i int) int {
	s, next := p.point(i)
	if next == 0 {
		return 0
	}
	if r, end := p.tail(s, next); end > 0 && r.unit == s.unit {
		s, next = p.combine(s, r), end
	}
	s.soft = s.soft || p.token(i-1).is(wordAround)
	return p.add(TimeRef{Kind: TimeRange, From: s.from, Until: s.until, Soft: s.soft}, s.unit, i, next)
}

// tail reads the second end of a range after the first: to May, – 5.
func (p *timeParser) tail(s timeSpan, i int) (timeSpan, int) {
	t := p.token(i)
	if s.ranged || !t.isDash() && !t.is(wordTo) && !t.is(wordThrough) && !t.is(wordUntil) {
		return timeSpan{}, 0
	}
	return p.second(s, i+1)
}

// second reads the second end of a range, which may be only a day of the same month.
func (p *timeParser) second(s timeSpan, i int) (timeSpan, int) {
	t := p.token(i)
	if t.is(wordNow) {
		return timeSpan{from: s.from, until: p.now, unit: s.unit, dated: true}, i + 1
	}
	if r, next := p.cuedPoint(i); next > 0 {
		return r, next
	}
	if s.ofMonth && t.kind == tokenNumber && (t.suffix == suffixNone || t.suffix == suffixOrdinal) && t.digits <= 2 && t.right == jointFree {
		year, next := p.yearAfter(i + 1)
		if next == 0 {
			year, next = s.from.Year(), i+1
		}
		if day, ok := dayOf(year, int(s.from.Month()), t.value); ok {
			return timeSpan{from: day, until: day.AddDate(0, 0, 1), unit: unitDay, dated: s.dated || next > i+1, back: unitYear}, next
		}
	}
	return timeSpan{}, 0
}

// combine joins the two ends of a range. An end without a year or a week is moved to fit the
// other.
func (p *timeParser) combine(a, b timeSpan) timeSpan {
	switch {
	case b.dated && !a.dated:
		if a.back == unitYear {
			a = a.moved(b.from.Year() - a.from.Year())
		}
		if a.from.After(b.from) {
			a = a.moved(-a.turns(a.from.Sub(b.from)))
		}
	case a.dated && !b.dated:
		if b.back == unitYear {
			b = b.moved(a.from.Year() - b.from.Year())
		}
		if !b.until.After(a.from) {
			b = b.moved(b.turns(a.from.Sub(b.until) + 1))
		}
	case !a.dated && !a.from.Before(b.until):
		a = a.moved(-a.turns(a.from.Sub(b.from)))
	}
	out := timeSpan{from: a.from, until: b.until, unit: b.unit, dated: a.dated && b.dated, soft: a.soft || b.soft, ranged: true}
	if b.from.Before(a.from) {
		out.from = b.from
	}
	if a.until.After(b.until) {
		out.until = a.until
	}
	return out
}

// bounded reads since, until, before and after with a time, or with an event.
func (p *timeParser) bounded(i int, d Direction) int {
	s, next := p.cuedPoint(i + 1)
	if next == 0 {
		return p.anchor(i, d)
	}
	if t := p.token(next); p.token(i+1).is(wordThe) && next == i+3 && t.kind == tokenWord && t.word == wordNone {
		if end := p.anchor(i, d); end > 0 { // after the 2023 migration
			return end
		}
	}
	if p.token(next - 1).owner { // before last week's release
		return p.add(TimeRef{Kind: TimeRange, From: s.from, Until: s.until, Soft: s.soft}, s.unit, i+1, next)
	}
	ref := TimeRef{Strict: !s.soft && !s.ranged, Soft: s.soft}
	switch d {
	case Since:
		if r, end := p.tail(s, next); end > 0 {
			return p.addRange(p.combine(s, r), i, end)
		}
		ref.Kind, ref.From = TimeAfter, s.from
	case After:
		ref.Kind, ref.From = TimeAfter, s.until
		ref.Strict = ref.Strict && !s.name
	case Until:
		ref.Kind, ref.Until = TimeBefore, s.until
	case Before:
		ref.Kind, ref.Until = TimeBefore, s.from
		ref.Strict = ref.Strict && !s.name
	}
	return p.add(ref, s.unit, i, next)
}

// by reads a deadline.
func (p *timeParser) by(i int) int {
	p.future = true
	s, next := p.cuedPoint(i + 1)
	p.future = false
	if next == 0 {
		return 0
	}
	return p.add(TimeRef{Kind: TimeBefore, Until: s.until, Soft: s.soft}, s.unit, i, next)
}

// between reads between … and ….
func (p *timeParser) between(i int) int {
	s, next := p.cuedPoint(i + 1)
	if next == 0 {
		return 0
	}
	if s.ranged {
		return p.addRange(s, i, next)
	}
	if t := p.token(next); !t.is(wordAnd) && !t.isDash() {
		return 0
	}
	r, end := p.second(s, next+1)
	if end == 0 {
		return 0
	}
	return p.addRange(p.combine(s, r), i, end)
}

// from reads from … to …, from … on, and from … alone, which means that time.
func (p *timeParser) from(i int) int {
	s, next := p.cuedPoint(i + 1)
	if next == 0 {
		return 0
	}
	if s.ranged {
		return p.addRange(s, i, next)
	}
	if r, end := p.tail(s, next); end > 0 {
		return p.addRange(p.combine(s, r), i, end)
	}
	switch t, behind := p.token(next), p.token(next+1); {
	case t.is(wordOnwards), t.is(wordOn) && (behind.kind == tokenEnd || behind.kind == tokenMark):
		return p.add(TimeRef{Kind: TimeAfter, From: s.from, Strict: !s.soft, Soft: s.soft}, s.unit, i, next+1)
	}
	return p.add(TimeRef{Kind: TimeRange, From: s.from, Until: s.until, Soft: s.soft}, s.unit, i+1, next)
}

// compared reads older than, newer than, more than … ago, less than … ago.
func (p *timeParser) compared(i int, w timeWord) int {
	j := i + 1
	if p.token(j).is(wordThan) {
		j++
	} else if w != wordOver {
		return 0
	}
	a, next := p.amount(j)
	if w == wordOlder || w == wordNewer {
		ref := TimeRef{Kind: TimeAfter, Strict: !a.soft, Soft: a.soft}
		if next > 0 {
			ref.From = shiftUnits(p.now, a.unit, -a.n)
		} else {
			s, end := p.cuedPoint(j)
			if end == 0 {
				return 0
			}
			next, a.unit = end, s.unit
			ref.From, ref.Strict, ref.Soft = s.until, !s.soft, s.soft
			if w == wordOlder {
				ref.From = s.from
			}
		}
		if w == wordOlder {
			ref.Kind, ref.From, ref.Until = TimeBefore, time.Time{}, ref.From
		}
		return p.add(ref, a.unit, i, next)
	}
	if next == 0 || !p.token(next).is(wordAgo) {
		return 0
	}
	at := shiftUnits(p.now, a.unit, -a.n)
	strict := !a.soft && w != wordOver
	if w == wordLess {
		return p.add(TimeRef{Kind: TimeRange, From: at, Until: p.now, Strict: strict, Soft: a.soft}, a.unit, i, next+1)
	}
	return p.add(TimeRef{Kind: TimeBefore, Until: at, Strict: strict, Soft: a.soft}, a.unit, i, next+1)
}

// anchor reads an event that stands for a time.
func (p *timeParser) anchor(i int, d Direction) int {
	if d == After && p.token(i-1).is(wordLooking) {
		return 0
	}
	j := i + 1
	first := p.token(j)
	if first.kind != tokenWord || strings.IndexByte(p.words.text[first.start:min(first.end, first.start+longestTimeWord)], '\'') >= 0 {
		return 0
	}
	second := p.token(j + 1)
	least := 2
	switch first.word {
	case wordThe, wordMine, wordThis:
		if second.is(wordOther) {
			return 0
		}
	case wordPronoun:
		if first.owner || d == Since && (second.is(wordVerb) || second.is(wordClock)) {
			return 0
		}
	case wordNone:
		least = 1
		if !first.capital && (!first.gerund || d == During) {
			return 0
		}
	default:
		return 0
	}
	k := j
	for ; k < j+maxAnchorWords; k++ {
		if k > j && p.endsAnchor(k) {
			break
		}
	}
	if k-j < least {
		return 0
	}
	return p.add(TimeRef{Kind: TimeAnchor, Direction: d, Anchor: p.words.text[first.start:p.token(k-1).end]}, unitDay, i, k)
}

// endsAnchor reports whether the words of an event end before a token.
func (p *timeParser) endsAnchor(i int) bool {
	t := p.token(i)
	switch t.kind {
	case tokenEnd:
		return true
	case tokenMark:
		// A sign within a name does not end it: Node.js, payments-v2, "Apollo".
		return t.mark != '\'' && t.mark != '"' && p.token(i+1).start != t.end || t.mark == ',' || t.mark == '?' || t.mark == ';'
	case tokenDate:
		return true
	case tokenWord:
		switch t.word {
		case wordBreak, wordDo, wordAnd, wordSince, wordUntil, wordBefore, wordAfter, wordWhen, wordDuring, wordBetween:
			return true
		case wordIn, wordOn, wordAt, wordFrom:
			_, next := p.cuedPoint(i + 1)
			return next > 0
		case wordDay, wordTonight, wordLast, wordThis, wordNext, wordRecently:
			_, next := p.point(i)
			return next > 0
		}
	}
	return false
}

// addRange adds a range.
func (p *timeParser) addRange(s timeSpan, i, next int) int {
	return p.add(TimeRef{Kind: TimeRange, From: s.from, Until: s.until, Strict: !s.soft, Soft: s.soft}, s.unit, i, next)
}

// add adds a reference made of the tokens from i to next, and returns next, or 0 if nothing of
// it is within the supported years.
func (p *timeParser) add(ref TimeRef, u timeUnit, i, next int) int {
	first, last := firstTime(), lastTime()
	if ref.Kind == TimeRange || ref.Kind == TimeAfter {
		if ref.From.Before(first) {
			ref.From = first
		}
		if !ref.From.Before(last) {
			return 0
		}
	}
	if ref.Kind == TimeRange || ref.Kind == TimeBefore {
		if ref.Until.After(last) {
			ref.Until = last
		}
		if !first.Before(ref.Until) {
			return 0
		}
	}
	if ref.Kind == TimeRange && !ref.From.Before(ref.Until) {
		return 0
	}
	ref.Grain = lengthOf(u)
	ref.Start, ref.End = p.token(i).start, p.token(next-1).end
	ref.Text = p.words.text[ref.Start:ref.End]
	p.found = append(p.found, ref)
	return next
}
