package times

import "time"

// cued reports whether the word before a token indicates a time.
func (p *timeParser) cued(i int) bool {
	if p.cue {
		return true
	}
	switch t := p.token(i - 1); t.word {
	case wordIn, wordOn, wordOf, wordSince, wordUntil, wordBefore, wordAfter, wordBy, wordFrom, wordThrough, wordBetween,
		wordDuring, wordAround, wordThird, wordLast, wordThis, wordNext, wordPast:
		return t.kind == tokenWord
	}
	return false
}

// ends reports whether a sentence or clause ends before a token.
func (p *timeParser) ends(i int) bool {
	t := p.token(i)
	return t.kind == tokenEnd || t.kind == tokenMark && !t.isDash()
}

// certain reports whether a word for a month is hardly ever anything else.
func certain(t timeToken) bool {
	if t.word != wordMonth {
		return false
	}
	switch time.Month(t.value) {
	case time.March, time.April, time.May, time.June, time.August:
		return false
	}
	return true
}

// ordinary reports whether a word for a month is an ordinary word unless it is capitalised.
func ordinary(t timeToken) bool {
	return !t.capital && (t.word == wordMonthShort || t.value == int(time.May) || t.value == int(time.March))
}

// month reads a month, and a day after it: May, May 2023, May 7th, 2023.
func (p *timeParser) month(i int, t timeToken) (timeSpan, int) {
	j := i + 1
	if p.token(j).is(wordThe) {
		j++
	}
	if d := p.token(j); p.isDay(d) && d.left == jointFree && (j == i+1 || d.suffix == suffixOrdinal) && !p.counts(j+1) {
		year, next := p.yearAfter(j + 1)
		if next > 0 || !ordinary(t) || p.cued(i) || d.suffix == suffixOrdinal {
			return p.dayOfMonth(year, t.value, d.value, next, j+1, true)
		}
	}
	j = i + 1
	if t.right == jointDash && p.token(j).isDash() { // May-2023
		j++
	}
	if year, next := p.yearAfter(j); next > 0 {
		return monthSpan(year, t.value), next
	}
	switch {
	case t.left != jointFree && !p.cue || t.right != jointFree && !p.dashed(i, t.word):
		return timeSpan{}, 0
	case certain(t):
	case ordinary(t):
		if !p.cued(i) || !p.ends(i+1) && !p.cue || p.cue && !p.ends(i+1) && t.value == int(time.May) {
			return timeSpan{}, 0
		}
	case p.cued(i), p.dashed(i, t.word), p.token(i-1).is(wordThe) && t.capital && !t.owner:
	default:
		return timeSpan{}, 0
	}
	s := monthSpan(p.now.Year(), t.value)
	s.dated, s.back = false, unitYear
	s.name = !certain(t)
	return p.nearNow(s), i + 1
}

// dashed reports whether a dash and another word of a kind follow: Mon-Fri.
func (p *timeParser) dashed(i int, w timeWord) bool {
	return p.token(i+1).isDash() && p.token(i+2).is(w)
}

// nearNow moves a span of this year to the latest that has begun, or to the next
// that has not ended.
func (p *timeParser) nearNow(s timeSpan) timeSpan {
	switch {
	case p.future && !s.until.After(p.now):
		return s.moved(1)
	case !p.future && s.from.After(p.now):
		return s.moved(-1)
	}
	return s
}

// isDay reports whether a number can be the day of a month.
func (p *timeParser) isDay(t timeToken) bool {
	return t.kind == tokenNumber && t.digits <= 2 && t.value >= 1 && t.value <= 31 && t.right != jointBound &&
		(t.suffix == suffixNone || t.suffix == suffixOrdinal)
}

// counts reports whether a token makes the number before it an amount.
func (p *timeParser) counts(i int) bool {
	t := p.token(i)
	return t.is(wordUnit) || t.is(wordCount) || t.is(wordClock)
}

// dayOfMonth returns a day. If next is 0, there is no year, and the day is the latest that has
// begun.
func (p *timeParser) dayOfMonth(year, month, day, next, end int, ofMonth bool) (timeSpan, int) {
	s := timeSpan{unit: unitDay, back: unitYear, ofMonth: ofMonth}
	if next > 0 {
		from, ok := dayOf(year, month, day)
		if !ok {
			return timeSpan{}, 0
		}
		s.from, s.until, s.dated = from, from.AddDate(0, 0, 1), true
		return p.dayTail(s, next)
	}
	// The 29th of February may be up to eight years away.
	step, year := -1, p.now.Year()
	if p.future {
		step = 1
	}
	for range 9 {
		if from, ok := dayOf(year, month, day); ok {
			s.from, s.until = from, from.AddDate(0, 0, 1)
			if p.future && s.until.After(p.now) || !p.future && !s.from.After(p.now) {
				return p.dayTail(s, end)
			}
		}
		year += step
	}
	return timeSpan{}, 0
}

// yearAfter reads a year after a month or the like: 2023, of 2023, '23, last year.
func (p *timeParser) yearAfter(i int) (year, next int) {
	t := p.token(i)
	if t.kind == tokenMark && t.mark == ',' || t.is(wordOf) {
		i++
		t = p.token(i)
	}
	switch {
	case t.kind == tokenNumber && t.suffix == suffixNone && t.digits == 4 && t.right != jointBound && t.value >= 1000 && t.value < 3000:
		if p.counts(i + 1) {
			return 0, 0
		}
		return t.value, i + 1
	case t.kind == tokenMark && (t.mark == '\'' || t.mark == '’'):
		n := p.token(i + 1)
		if n.kind == tokenNumber && n.suffix == suffixNone && n.digits == 2 && n.start == t.end && n.right == jointFree {
			century := p.now.Year() - p.now.Year()%100
			if n.value > p.now.Year()%100+10 {
				century -= 100
			}
			return century + n.value, i + 2
		}
	case t.is(wordLast), t.is(wordThis), t.is(wordNext):
		if u := p.token(i + 1); u.is(wordUnit) && timeUnit(u.value) == unitYear {
			year = p.now.Year()
			switch t.word {
			case wordLast:
				year--
			case wordNext:
				year++
			}
			return year, i + 2
		}
	}
	return 0, 0
}

// number reads a time that begins with a number.
func (p *timeParser) number(i int, t timeToken, depth int, the bool) (timeSpan, int) {
	if t.left == jointBound || t.left == jointDash && !p.cue {
		return timeSpan{}, 0
	}
	if p.isDay(t) {
		if s, next := p.daysOfMonth(i, t); next > 0 {
			return s, next
		}
		if s, next := p.dayAndMonth(i, t); next > 0 {
			return s, next
		}
		if t.suffix == suffixOrdinal && the {
			if s, next := p.dayAlone(i, t); next > 0 {
				return s, next
			}
		}
	}
	if t.suffix == suffixOrdinal {
		return p.ordinal(i, t.value, depth)
	}
	if s, next := p.away(i, depth); next > 0 {
		return s, next
	}
	switch {
	case t.suffix == suffixPlural && t.right == jointFree && t.value%10 == 0:
		year := t.value
		switch {
		case t.digits == 2 && the && year >= 30:
			year += 1900
		case t.digits == 2 && the:
			year += 2000
		case t.digits != 4 || year < 1000 || year >= 3000:
			return timeSpan{}, 0
		}
		from := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		return timeSpan{from: from, until: from.AddDate(10, 0, 0), unit: unitDecade, dated: true}, i + 1
	case t.suffix == suffixNone && t.digits == 4:
		return p.year(i, t)
	}
	return timeSpan{}, 0
}

// daysOfMonth reads days before their month: 3-5 June, 3 to 5 June 2023.
func (p *timeParser) daysOfMonth(i int, t timeToken) (timeSpan, int) {
	and := p.token(i + 1)
	if !and.isDash() && !and.is(wordTo) && !and.is(wordThrough) && !(and.is(wordAnd) && p.token(i-1).is(wordBetween)) {
		return timeSpan{}, 0
	}
	last := p.token(i + 2)
	if !p.isDay(last) {
		return timeSpan{}, 0
	}
	s, next := p.dayAndMonth(i+2, last)
	if next == 0 || s.unit != unitDay {
		return timeSpan{}, 0
	}
	from, ok := dayOf(s.from.Year(), int(s.from.Month()), t.value)
	if !ok || from.After(s.from) {
		return timeSpan{}, 0
	}
	s.from, s.ranged = from, true
	return s, next
}

// dayAndMonth reads 7 May, 7th of May 2023, 7-May-2023.
func (p *timeParser) dayAndMonth(i int, t timeToken) (timeSpan, int) {
	j := i + 1
	if between := p.token(j); between.is(wordOf) || between.isDash() && t.right == jointDash {
		j++
	}
	m := p.token(j)
	if !m.is(wordMonth) && !m.is(wordMonthShort) {
		return timeSpan{}, 0
	}
	after := j + 1
	if m.right == jointDash && p.token(after).isDash() {
		after++
	}
	year, next := p.yearAfter(after)
	if next == 0 && ordinary(m) && !(p.cued(i) || t.suffix == suffixOrdinal && p.token(i+1).is(wordOf)) {
		return timeSpan{}, 0
	}
	return p.dayOfMonth(year, m.value, t.value, next, j+1, false)
}

// dayAlone reads the 7th, of this month or the previous one.
func (p *timeParser) dayAlone(i int, t timeToken) (timeSpan, int) {
	month, next := 0, i+1
	if p.token(next).is(wordOf) {
		w, u := p.token(next+1), p.token(next+2)
		if !u.is(wordUnit) || timeUnit(u.value) != unitMonth {
			return timeSpan{}, 0
		}
		switch w.word {
		case wordLast:
			month = -1
		case wordNext:
			month = 1
		case wordThis, wordThe:
		default:
			return timeSpan{}, 0
		}
		next += 3
	} else {
		if !p.ends(next) || !p.cue && !p.token(i-2).is(wordOn) {
			return timeSpan{}, 0
		}
		if t.value > p.now.Day() && !p.future {
			month = -1
		}
		if t.value < p.now.Day() && p.future {
			month = 1
		}
	}
	first, _ := unitAround(unitMonth, p.now)
	first = shiftMonths(first, month)
	day, ok := dayOf(first.Year(), int(first.Month()), t.value)
	if !ok {
		return timeSpan{}, 0
	}
	return p.dayTail(timeSpan{from: day, until: day.AddDate(0, 0, 1), unit: unitDay, dated: true}, next)
}

// year reads a year by itself. Numbers that count or name something are no years.
func (p *timeParser) year(i int, t timeToken) (timeSpan, int) {
	next := p.token(i + 1)
	if next.is(wordQuarter) {
		return quarterOf(t.value, next.value), i + 2
	}
	if t.right == jointDash {
		if q := p.token(i + 2); q.is(wordQuarter) {
			return quarterOf(t.value, q.value), i + 3
		}
		end := p.token(i + 2)
		if end.kind != tokenNumber || end.digits != 4 || end.suffix != suffixNone || end.right != jointFree || end.value <= t.value ||
			t.value < 1900 || end.value >= 2100 {
			return timeSpan{}, 0
		}
	}
	if t.value < 1000 || t.value >= 3000 || p.counts(i+1) || p.token(i-1).is(wordThing) {
		return timeSpan{}, 0
	}
	word := next.kind == tokenWord && next.word == wordNone || next.kind == tokenNumber
	cued := p.cued(i) && !p.token(i-1).is(wordOf) || p.cue
	switch {
	case cued && (t.value >= 1900 && t.value < 2100 && !(word && next.plural) || !word):
	case t.value >= 1990 && t.value <= p.now.Year()+1 && !(word && (next.plural || next.kind == tokenNumber)):
	default:
		return timeSpan{}, 0
	}
	return yearSpan(t.value), i + 1
}

// weekday reads a day of the week with its qualifiers: Tuesday last week, Tuesday morning,
// Tuesday, May 7.
func (p *timeParser) weekday(i int, t timeToken) (timeSpan, int) {
	if p.token(i-1).is(wordEvery) || t.right == jointDash && !p.token(i+2).is(t.word) || t.left == jointDash && !p.cue {
		return timeSpan{}, 0
	}
	j := i + 1
	if c := p.token(j); c.kind == tokenMark && (c.mark == ',' || c.mark == '.') {
		j++
	}
	if d := p.token(j); d.kind == tokenDate || d.kind == tokenNumber || d.is(wordMonth) || d.is(wordMonthShort) ||
		d.is(wordThe) && p.token(j+1).kind == tokenNumber {
		if s, next := p.deeper(j, maxTimeDepth-1); next > 0 && s.unit <= unitDay && p.token(next-1).word != wordAgo {
			return s, next
		}
	}
	if t.word == wordWeekdayShort && !p.surely(i, t) {
		return timeSpan{}, 0
	}
	s := p.onWeekday(time.Weekday(t.value))
	j = i + 1
	if p.token(j).is(wordOf) {
		j++
	}
	if w, u := p.token(j), p.token(j+1); (w.is(wordLast) || w.is(wordThis) || w.is(wordNext)) && u.is(wordUnit) && timeUnit(u.value) == unitWeek {
		day := startOfWeek(p.today).AddDate(0, 0, (t.value+6)%7)
		switch w.word {
		case wordLast:
			day = day.AddDate(0, 0, -7)
		case wordNext:
			day = day.AddDate(0, 0, 7)
		}
		s.from, s.until, s.dated = day, day.AddDate(0, 0, 1), true
		return p.dayTail(s, j+2)
	}
	return p.dayTail(s, i+1)
}

// surely reports whether a short word means a day of the week.
func (p *timeParser) surely(i int, t timeToken) bool {
	if !p.cued(i) && !p.dashed(i, wordWeekdayShort) {
		return false
	}
	next := p.token(i + 1)
	switch time.Weekday(t.value) {
	case time.Saturday, time.Sunday:
		return t.capital && !(next.kind == tokenWord && next.word == wordNone)
	case time.Monday, time.Wednesday:
		return t.capital
	}
	return true
}

// onWeekday returns the latest such day up to today, or the next one from today.
func (p *timeParser) onWeekday(w time.Weekday) timeSpan {
	days := -(int(p.today.Weekday()-w) + 7) % 7
	if p.future && days < 0 {
		days += 7
	}
	s := p.daysFrom(days)
	s.dated, s.back = false, unitWeek
	return s
}

// weekendOf returns the weekend of a week.
func (p *timeParser) weekendOf(weeks int) timeSpan {
	from := startOfWeek(p.today).AddDate(0, 0, 7*weeks+5)
	return timeSpan{from: from, until: from.AddDate(0, 0, 2), unit: unitDay, dated: true}
}

// season reads a season with a word that marks it as one.
func (p *timeParser) season(i int, t timeToken, the bool) (timeSpan, int) {
	if t.left != jointFree || t.right != jointFree {
		return timeSpan{}, 0
	}
	if year, next := p.yearAfter(i + 1); next > 0 {
		return seasonOf(year, t.value), next
	}
	ambiguous := t.value == 3 || t.value == 9 && p.words.text[t.start]|0x20 == 'f'
	before := i - 1
	if the {
		before--
	}
	in := p.cue || p.token(before).is(wordIn) || p.token(before).is(wordDuring) || p.token(before).is(wordThird) || p.token(before).is(wordOver)
	if !in || ambiguous && (!the || t.capital) || !p.ends(i+1) && p.token(i+1).word == wordNone {
		return timeSpan{}, 0
	}
	s := seasonOf(p.now.Year(), t.value)
	s.dated, s.back = false, unitYear
	return p.nearNow(s), i + 1
}

// quarter reads the year of a quarter. Without a year it is the latest quarter that has begun.
func (p *timeParser) quarter(n, i int) (timeSpan, int) {
	if year, next := p.yearAfter(i); next > 0 {
		return quarterOf(year, n), next
	}
	s := quarterOf(p.now.Year(), n)
	s.dated, s.back = false, unitYear
	return p.nearNow(s), i
}

func monthSpan(year, month int) timeSpan {
	from := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	return timeSpan{from: from, until: from.AddDate(0, 1, 0), unit: unitMonth, dated: true}
}

func yearSpan(year int) timeSpan {
	from := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	return timeSpan{from: from, until: from.AddDate(1, 0, 0), unit: unitYear, dated: true}
}

func quarterOf(year, n int) timeSpan {
	from := time.Date(year, time.Month(3*n-2), 1, 0, 0, 0, 0, time.UTC)
	return timeSpan{from: from, until: from.AddDate(0, 3, 0), unit: unitQuarter, dated: true}
}

func halfYear(year, n int) timeSpan {
	from := time.Date(year, time.Month(6*n-5), 1, 0, 0, 0, 0, time.UTC)
	return timeSpan{from: from, until: from.AddDate(0, 6, 0), unit: unitQuarter, dated: true}
}

// seasonOf returns the season that begins in a month of a year.
func seasonOf(year, month int) timeSpan {
	from := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	return timeSpan{from: from, until: from.AddDate(0, 3, 0), unit: unitQuarter, dated: true}
}
