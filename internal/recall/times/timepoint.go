package times

import "time"

// timeSpan is a parsed time: a day, a month, the last three hours.
type timeSpan struct {
	from, until time.Time
	unit        timeUnit // its precision
	back        timeUnit // the unit by which it may be moved if it is incomplete: unitYear, unitWeek
	dated       bool     // it is complete
	soft        bool     // it is vague
	name        bool     // its word is also a first name
	ofMonth     bool     // it is a day with its month before it
	ranged      bool     // it already has two ends
}

// moved returns the span some years or weeks later.
func (s timeSpan) moved(n int) timeSpan {
	if s.back != unitYear {
		s.from, s.until = s.from.AddDate(0, 0, 7*n), s.until.AddDate(0, 0, 7*n)
		return s
	}
	s.from, s.until = shiftMonths(s.from, 12*n), shiftMonths(s.until, 12*n)
	if s.unit == unitDay {
		s.until = s.from.AddDate(0, 0, 1)
	}
	return s
}

// turns returns how often a span must be moved to cover a distance.
func (s timeSpan) turns(d time.Duration) int {
	const week = 7 * 24 * time.Hour
	if s.back == unitYear {
		return 1
	}
	return int((d + week - 1) / week)
}

// maxTimeDepth is how deep times may be nested: early in the week of the day before yesterday.
const maxTimeDepth = 3

// point reads one time.
func (p *timeParser) point(i int) (timeSpan, int) { return p.pointAt(i, 0) }

func (p *timeParser) pointAt(i, depth int) (timeSpan, int) {
	if depth > maxTimeDepth {
		return timeSpan{}, 0
	}
	t := p.token(i)
	the := t.is(wordThe)
	if the {
		i++
		t = p.token(i)
	}
	switch t.kind {
	case tokenDate:
		d := numericDate(p.words.text, t.start)
		return p.dayTail(timeSpan{from: d.from, until: d.until, unit: d.unit, dated: true, soft: d.soft}, i+1)
	case tokenNumber:
		return p.number(i, t, depth, the)
	case tokenWord:
		return p.word(i, t, depth, the)
	}
	return timeSpan{}, 0
}

// word reads a time that begins with a word.
func (p *timeParser) word(i int, t timeToken, depth int, the bool) (timeSpan, int) {
	switch t.word {
	case wordMonth, wordMonthShort:
		return p.month(i, t)
	case wordWeekday, wordWeekdayShort:
		return p.weekday(i, t)
	case wordUnit:
		return p.unit(i, t, depth)
	case wordNumber, wordA, wordFew, wordCouple, wordSeveral:
		return p.away(i, depth)
	case wordOrdinal:
		return p.ordinal(i, t.value, depth)
	case wordSeason:
		return p.season(i, t, the)
	case wordQuarter:
		return p.quarter(t.value, i+1)
	case wordHalfYear:
		if year, next := p.yearAfter(i + 1); next > 0 {
			return halfYear(year, t.value), next
		}
	case wordPart:
		if p.token(i + 1).is(wordOf) {
			if s, next := p.deeper(i+2, depth); next > 0 && s.unit == unitDay {
				s.from, s.until = partOfDay(s.from, dayPart(t.value))
				return s, next
			}
		}
	case wordDay:
		return p.dayTail(p.daysFrom(t.value), i+1)
	case wordTonight:
		s := p.daysFrom(0)
		s.from, s.until = partOfDay(s.from, partNight)
		return s, i + 1
	case wordThird:
		if p.token(i + 1).isDash() {
			i++
		}
		if s, next := p.deeper(i+1, depth); next > 0 && s.unit >= unitDay {
			s.from, s.until = thirdOf(s.from, s.until, t.value)
			return s, next
		}
	case wordThirdOf:
		return p.thirdOf(i, t.value, depth)
	case wordWeekend:
		before := p.token(i - 1)
		if the || before.is(wordOn) || before.is(wordOver) || p.cue {
			s := p.weekendOf(0)
			if s.from.After(p.now) != p.future {
				s = p.weekendOf(-1)
			}
			return s, i + 1
		}
	case wordLast, wordPast, wordThis, wordNext:
		return p.relative(i, t, depth, the)
	case wordEarlier, wordLater:
		return p.earlier(i, t.word, depth)
	case wordRecently:
		return timeSpan{from: p.today.AddDate(0, 0, -recentDays), until: p.now, unit: unitDay, dated: true, soft: true}, i + 1
	case wordOther:
		if next := p.token(i + 1); the && next.is(wordUnit) && timeUnit(next.value) == unitDay {
			return timeSpan{from: p.today.AddDate(0, 0, -7), until: p.today, unit: unitDay, dated: true, soft: true}, i + 2
		}
	}
	return timeSpan{}, 0
}

// deeper reads a nested time.
func (p *timeParser) deeper(i, depth int) (timeSpan, int) {
	before := p.cue
	p.cue = true
	s, next := p.pointAt(i, depth+1)
	p.cue = before
	if s.ranged {
		return timeSpan{}, 0
	}
	return s, next
}

// daysFrom returns a day by its distance from today.
func (p *timeParser) daysFrom(n int) timeSpan {
	return timeSpan{from: p.today.AddDate(0, 0, n), until: p.today.AddDate(0, 0, n+1), unit: unitDay, dated: true}
}

// dayTail reads what narrows a day: morning, in the afternoon, at 3pm.
func (p *timeParser) dayTail(s timeSpan, i int) (timeSpan, int) {
	if s.unit != unitDay || s.soft {
		return s, i
	}
	j := i
	t := p.token(j)
	if t.is(wordIn) || t.is(wordAt) || t.is(wordAround) || t.kind == tokenMark && t.mark == ',' {
		j++
	}
	if p.token(j).is(wordThe) {
		j++
	}
	switch t = p.token(j); {
	case t.is(wordPart):
		s.from, s.until = partOfDay(s.from, dayPart(t.value))
		return s, j + 1
	case t.kind == tokenClock:
		hours, minutes := t.value/60, t.value%60
		if c := p.token(j + 1); c.is(wordClock) && hours >= 1 && hours <= 12 {
			hours = hours%12 + c.value
			j++
		}
		s.from = s.from.Add(time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute)
		s.until, s.unit = s.from.Add(time.Minute), unitMinute
		return s, j + 1
	case t.kind == tokenNumber && t.value >= 1 && t.value <= 12:
		more := int(t.hours)
		if c := p.token(j + 1); t.plain() && c.is(wordClock) {
			more = c.value
			j++
		} else if t.suffix != suffixClock {
			return s, i
		}
		s.from = s.from.Add(time.Duration(t.value%12+more) * time.Hour)
		s.until, s.unit = s.from.Add(time.Hour), unitHour
		return s, j + 1
	}
	return s, i
}

// thirdOf reads the beginning, middle or end of a time, or of this week, month, year.
func (p *timeParser) thirdOf(i, which, depth int) (timeSpan, int) {
	if !p.token(i + 1).is(wordOf) {
		return timeSpan{}, 0
	}
	s, next := p.deeper(i+2, depth)
	if next == 0 {
		j := i + 2
		if p.token(j).is(wordThe) {
			j++
		}
		t := p.token(j)
		if !t.is(wordUnit) || timeUnit(t.value) < unitWeek { // at the end of the day
			return timeSpan{}, 0
		}
		s = timeSpan{unit: timeUnit(t.value), dated: true}
		s.from, s.until = unitAround(s.unit, p.now)
		next = j + 1
	}
	if s.unit < unitDay {
		return timeSpan{}, 0
	}
	s.from, s.until = thirdOf(s.from, s.until, which)
	return s, next
}

// earlier reads earlier today, earlier this week, later this month.
func (p *timeParser) earlier(i int, w timeWord, depth int) (timeSpan, int) {
	if t := p.token(i + 1); !t.is(wordThis) && !t.is(wordDay) {
		return timeSpan{}, 0
	}
	s, next := p.deeper(i+1, depth)
	if next == 0 || s.unit < unitDay || !s.from.Before(p.now) || !p.now.Before(s.until) {
		return timeSpan{}, 0
	}
	if w == wordEarlier {
		s.until = p.now
	} else {
		s.from = p.now
	}
	return s, next
}

// maxAmount is the most units of a distance.
const maxAmount = 1e6

// amountOf is a number of units.
type amountOf struct {
	n    int
	unit timeUnit
	soft bool
}

// amount reads a number of units: 3 days, 24h, a week, a couple of months.
func (p *timeParser) amount(i int) (amountOf, int) {
	t := p.token(i)
	a := amountOf{n: t.value}
	switch {
	case t.kind == tokenNumber && t.left == jointFree && t.right == jointFree && (t.suffix == suffixUnit || t.suffix == suffixPlural):
		a.unit = t.unit
		if a.n > maxAmount {
			return amountOf{}, 0
		}
		return a, i + 1
	case t.plain(), t.is(wordNumber):
	case t.is(wordA):
		a.n = 1
		switch next := p.token(i + 1); {
		case next.is(wordFew):
			a.n, a.soft = 3, true
			i++
		case next.is(wordCouple):
			a.n, a.soft = 2, true
			i++
		}
	case t.is(wordFew):
		a.n, a.soft = 3, true
	case t.is(wordCouple):
		a.n, a.soft = 2, true
	case t.is(wordSeveral):
		a.n, a.soft = 5, true
	default:
		return amountOf{}, 0
	}
	i++
	if p.token(i).is(wordOf) && a.soft && a.n == 2 {
		i++
	}
	u := p.token(i)
	if !u.is(wordUnit) || u.owner {
		return amountOf{}, 0
	}
	a.unit = timeUnit(u.value)
	if a.n > maxAmount {
		return amountOf{}, 0
	}
	return a, i + 1
}

// away reads a time by its distance: 3 days ago, two weeks before May 7, a week from now.
func (p *timeParser) away(i, depth int) (timeSpan, int) {
	a, next := p.amount(i)
	if next == 0 {
		return timeSpan{}, 0
	}
	s := timeSpan{unit: a.unit, dated: true, soft: a.soft}
	switch t := p.token(next); {
	case t.is(wordAgo):
		s.from, s.until = unitAround(a.unit, shiftUnits(p.now, a.unit, -a.n))
		if a.soft {
			s.from, s.until = shiftUnits(s.from, a.unit, -a.n/2), shiftUnits(s.until, a.unit, a.n/2)
		}
		return s, next + 1
	case t.is(wordFrom) && p.token(next+1).is(wordNow):
		s.from, s.until = unitAround(a.unit, shiftUnits(p.now, a.unit, a.n))
		return s, next + 2
	case t.is(wordBefore), t.is(wordAfter):
		n := a.n
		if t.word == wordBefore {
			n = -n
		}
		if of, end := p.deeper(next+1, depth); end > 0 {
			s.soft = s.soft || of.soft
			s.from, s.until = unitAround(a.unit, shiftUnits(of.from, a.unit, n))
			return s, end
		}
	}
	return timeSpan{}, 0
}

// unit reads a time that begins with a unit: day before yesterday, week before
// last, week of May 7, month of May, year 2023, second half of 2023.
func (p *timeParser) unit(i int, t timeToken, depth int) (timeSpan, int) {
	u := timeUnit(t.value)
	if u == unitSecond {
		return p.ordinal(i, 2, depth)
	}
	next := p.token(i + 1)
	switch {
	case u == unitYear && next.plain() && next.digits == 4:
		if next.value >= 1 {
			return yearSpan(next.value), i + 2
		}
	case next.is(wordOf) && (u == unitWeek || u == unitMonth):
		s, end := p.deeper(i+2, depth)
		if end > 0 && (u == unitWeek && s.unit == unitDay || u == unitMonth && s.unit == unitMonth) {
			s.unit = u
			s.from, s.until = unitAround(u, s.from)
			return s, end
		}
	case (next.is(wordBefore) || next.is(wordAfter)) && u >= unitDay:
		n := 1
		if next.word == wordBefore {
			n = -1
		}
		if s, end := p.deeper(i+2, depth); end > 0 {
			s.unit = u
			s.from, s.until = unitAround(u, shiftUnits(s.from, u, n))
			return s, end
		}
		if w := p.token(i + 2); w.is(wordLast) && n < 0 || w.is(wordNext) && n > 0 {
			s := timeSpan{unit: u, dated: true}
			s.from, s.until = unitAround(u, shiftUnits(p.now, u, 2*n))
			return s, i + 3
		}
	}
	return timeSpan{}, 0
}

// ordinal reads third quarter of 2024, first week of May, second half of 2023.
func (p *timeParser) ordinal(i, n, depth int) (timeSpan, int) {
	t := p.token(i + 1)
	switch {
	case t.is(wordHalf) && (n == 1 || n == 2) && p.token(i+2).is(wordOf):
		s, next := p.deeper(i+3, depth)
		if next == 0 {
			return timeSpan{}, 0
		}
		if s.unit == unitYear {
			return halfYear(s.from.Year(), n), next
		}
		middle := s.from.Add(s.until.Sub(s.from) / 2)
		if s.unit == unitMonth {
			middle = s.from.AddDate(0, 0, 15)
		}
		if n == 1 {
			s.until = middle
		} else {
			s.from = middle
		}
		return s, next
	case t.is(wordUnit) && timeUnit(t.value) == unitQuarter && n <= 4:
		return p.quarter(n, i+2)
	case t.is(wordUnit) && p.token(i+2).is(wordOf):
		return p.nth(n, timeUnit(t.value), i+3, depth)
	}
	return timeSpan{}, 0
}

// nth reads the time that contains the n-th unit, or the last n units if n is negative.
func (p *timeParser) nth(n int, u timeUnit, i, depth int) (timeSpan, int) {
	s, next := p.deeper(i, depth)
	if next == 0 || u < unitDay || u >= s.unit {
		return timeSpan{}, 0
	}
	of := s
	if n > 0 {
		s.from = shiftUnits(s.from, u, n-1)
		s.until = shiftUnits(s.from, u, 1)
	} else {
		s.from = shiftUnits(s.until, u, n)
	}
	if s.from.Before(of.from) || s.until.After(of.until) {
		return timeSpan{}, 0
	}
	s.unit = u
	return s, next
}

// relative reads last, past, this and next with their unit.
func (p *timeParser) relative(i int, t timeToken, depth int, the bool) (timeSpan, int) {
	about := p.token(i + 1)
	if t.word != wordThis && !about.is(wordA) {
		if a, next := p.amount(i + 1); next > 0 {
			return p.rolling(t, a, next, depth)
		}
	}
	if about.kind != tokenWord {
		return timeSpan{}, 0
	}
	step := 0
	switch t.word {
	case wordLast, wordPast:
		step = -1
	case wordNext:
		step = 1
	}
	switch about.word {
	case wordUnit:
		return p.relativeUnit(i, t, step, depth, the)
	case wordWeekday, wordWeekdayShort:
		s := p.onWeekday(time.Weekday(about.value))
		switch today := s.from.Equal(p.today); {
		case step < 0 && today:
			s = s.moved(-1)
		case step > 0:
			s = s.moved(1)
		case step == 0:
			day := startOfWeek(p.today).AddDate(0, 0, (about.value+6)%7)
			s.from, s.until = day, day.AddDate(0, 0, 1)
		}
		s.dated = true
		return p.dayTail(s, i+2)
	case wordMonth, wordMonthShort:
		if step == 0 && about.value == 5 && !about.capital { // this may be
			return timeSpan{}, 0
		}
		from := time.Date(p.now.Year(), time.Month(about.value), 1, 0, 0, 0, 0, time.UTC)
		return p.stepped(timeSpan{from: from, until: from.AddDate(0, 1, 0), unit: unitMonth}, step), i + 2
	case wordSeason:
		return p.stepped(seasonOf(p.now.Year(), about.value), step), i + 2
	case wordQuarter:
		return p.stepped(quarterOf(p.now.Year(), about.value), step), i + 2
	case wordWeekend:
		return p.weekendOf(step), i + 2
	case wordPart:
		if step < 0 && dayPart(about.value) != partNight || step > 0 {
			return timeSpan{}, 0
		}
		s := p.daysFrom(step)
		s.from, s.until = partOfDay(s.from, dayPart(about.value))
		return s, i + 2
	}
	return timeSpan{}, 0
}

// stepped returns the span of this year, or the latest that has ended, or the next that has not
// begun.
func (p *timeParser) stepped(s timeSpan, step int) timeSpan {
	s.back = unitYear
	switch {
	case step < 0 && s.until.After(p.now):
		s = s.moved(-1)
		if s.until.After(p.now) { // a winter that has not ended
			s = s.moved(-1)
		}
	case step > 0 && !s.from.After(p.now):
		s = s.moved(1)
	}
	s.dated = true
	return s
}

// rolling reads the last or next n units, from now or at the end of a time.
func (p *timeParser) rolling(t timeToken, a amountOf, next, depth int) (timeSpan, int) {
	if a.n < 1 {
		return timeSpan{}, 0
	}
	if t.word == wordLast && p.token(next).is(wordOf) {
		if s, end := p.nth(-a.n, a.unit, next+1, depth); end > 0 {
			return s, end
		}
	}
	s := timeSpan{unit: a.unit, dated: true, soft: a.soft, from: p.now, until: p.now}
	if t.word == wordNext {
		s.until = shiftUnits(p.now, a.unit, a.n)
	} else {
		s.from = shiftUnits(p.now, a.unit, -a.n)
	}
	return s, next
}

// relativeUnit reads last week, this month, the past year.
func (p *timeParser) relativeUnit(i int, t timeToken, step, depth int, the bool) (timeSpan, int) {
	about := p.token(i + 1)
	u := timeUnit(about.value)
	if t.word == wordLast && p.token(i+2).is(wordOf) {
		if s, next := p.nth(-1, u, i+3, depth); next > 0 {
			return s, next
		}
		if u == unitDay {
			return timeSpan{}, 0
		}
	}
	rolls := t.word == wordPast || the && t.word == wordLast && t.value == 0
	s := timeSpan{unit: u, dated: true}
	switch {
	case rolls, u == unitHour && step < 0, u == unitFortnight && step < 0:
		s.from, s.until = shiftUnits(p.now, u, -1), p.now
		return s, i + 2
	case u <= unitMinute || u == unitDay:
		return timeSpan{}, 0
	}
	from, _ := unitAround(u, p.now)
	s.from = shiftUnits(from, u, step)
	s.until = shiftUnits(s.from, u, 1)
	j := i + 2
	if c := p.token(j); c.is(wordOn) || c.is(wordIn) {
		j++
	}
	switch w := p.token(j); {
	case u == unitWeek && (w.is(wordWeekday) || w.is(wordWeekdayShort) && j > i+2):
		s.from = s.from.AddDate(0, 0, (w.value+6)%7)
		s.until, s.unit = s.from.AddDate(0, 0, 1), unitDay
		return p.dayTail(s, j+1)
	case u == unitYear && j > i+2 && w.is(wordMonth):
		s.from = s.from.AddDate(0, w.value-1, 0)
		s.until, s.unit = s.from.AddDate(0, 1, 0), unitMonth
		return s, j + 1
	}
	return s, i + 2
}
