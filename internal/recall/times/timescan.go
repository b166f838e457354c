package times

import (
	"time"
	"unicode"
	"unicode/utf8"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota // after the last
	tokenWord                    // letters, digits and underscores
	tokenNumber                  // digits, perhaps with a suffix
	tokenDate                    // a date in digits
	tokenClock                   // 10:30; value: minutes
	tokenMark                    // any other character
)

// suffix is what follows a number.
type suffix uint8

const (
	suffixNone    suffix = iota
	suffixOrdinal        // 7th
	suffixPlural         // 1990s, or 90 seconds
	suffixUnit           // 24h
	suffixClock          // 3pm
)

// joint says what is adjacent to a token.
type joint uint8

const (
	jointFree  joint = iota
	jointDash        // a hyphen with something after it
	jointBound       // part of something longer: a path, a price, a version
)

// maxNumber is the most digits of a number.
const maxNumber = 9

// timeToken is a word, a number or a mark of a query.
type timeToken struct {
	start, end  int
	value       int // of the word or number
	mark        rune
	hours       uint8 // to add to a number with suffixClock
	kind        tokenKind
	word        timeWord
	digits      uint8
	suffix      suffix
	unit        timeUnit // of a number with suffixUnit
	left, right joint
	capital     bool // begins with a capital letter
	gerund      bool // ends in ing
	plural      bool // ends in s
	owner       bool // 's follows
}

// is reports whether a token is a word with a meaning.
func (t timeToken) is(w timeWord) bool { return t.kind == tokenWord && t.word == w }

// isDash reports whether a token is a hyphen or a dash.
func (t timeToken) isDash() bool { return t.kind == tokenMark && isDash(t.mark) }

// plain reports whether a token is a separate number without a suffix.
func (t timeToken) plain() bool {
	return t.kind == tokenNumber && t.suffix == suffixNone && t.left == jointFree && t.right == jointFree
}

func isDash(r rune) bool { return r == '-' || r == '–' || r == '—' }

// timeWindow is how many tokens are buffered. A reference is shorter, including the words that
// are read to find its end.
const timeWindow = 64

// timeScanner splits a query into tokens and buffers a window of them.
type timeScanner struct {
	text   string
	at     int // start of the rest
	keep   int // number of the first token that may be needed again
	base   int // number of the first buffered token
	n      int // number of buffered tokens
	tokens [timeWindow]timeToken
}

// token returns a token by its number. Tokens outside of the query are of kind tokenEnd.
func (s *timeScanner) token(i int) timeToken {
	for i >= s.base+s.n {
		if s.n == timeWindow {
			drop := s.keep - s.base
			if drop < 1 { // references are shorter
				drop = timeWindow / 2
			}
			s.n = copy(s.tokens[:], s.tokens[drop:])
			s.base += drop
		}
		s.tokens[s.n] = timeToken{}
		s.scan(&s.tokens[s.n])
		s.n++
	}
	if i < s.base {
		return timeToken{}
	}
	return s.tokens[i-s.base]
}

// scan reads the next token.
func (s *timeScanner) scan(t *timeToken) {
	text := s.text
	for s.at < len(text) {
		c := text[s.at]
		if c < utf8.RuneSelf {
			switch {
			case letterByte(c) || c == '_':
				s.scanWord(t)
				return
			case digitByte(c):
				s.scanNumber(t)
				return
			case c > ' ':
				*t = timeToken{start: s.at, end: s.at + 1, kind: tokenMark, mark: rune(c)}
				s.at++
				return
			}
			s.at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[s.at:])
		switch {
		case WordRune(r):
			s.scanWord(t)
			return
		case !unicode.IsSpace(r):
			*t = timeToken{start: s.at, end: s.at + size, kind: tokenMark, mark: r}
			s.at += size
			return
		}
		s.at += size
	}
	*t = timeToken{start: len(text), end: len(text)}
}

// scanWord reads a word.
func (s *timeScanner) scanWord(t *timeToken) {
	text := s.text
	t.kind, t.start = tokenWord, s.at
	t.left = jointBefore(text, s.at, 0)
	var lower [longestTimeWord]byte
	n, at := 0, s.at
	first, _ := utf8.DecodeRuneInString(text[at:])
	t.capital = unicode.IsUpper(first)
	for at < len(text) {
		c, size := text[at], 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(text[at:]); !WordRune(r) {
				break
			}
			n = longestTimeWord + 1
		} else if !letterByte(c) && !digitByte(c) && c != '_' {
			break
		}
		if n < longestTimeWord {
			lower[n] = LowerByte(c)
		}
		n++
		at += size
	}
	t.end = at
	if size := Apostrophe(text[at:]); size > 0 && at+size < len(text) && letterByte(text[at+size]) {
		end := at + size
		for end < len(text) && letterByte(text[end]) {
			end++
		}
		switch {
		case end == at+size+1 && LowerByte(text[end-1]) == 's':
			t.owner = true
		case n+1+end-at-size <= longestTimeWord:
			lower[n] = '\''
			n++
			for _, c := range []byte(text[at+size : end]) {
				lower[n] = LowerByte(c)
				n++
			}
			t.end = end
		default:
			n, t.end = longestTimeWord+1, end
		}
		at = end
	}
	s.at = at
	last := text[t.end-1]
	t.plural = last == 's' && !t.owner
	t.gerund = t.end-t.start > 4 && text[t.end-3:t.end] == "ing"
	t.right = jointAfter(text, at)
	if n > longestTimeWord || t.left == jointBound || t.right == jointBound {
		return
	}
	t.word, t.value = meaningOf(lower[:n])
	if t.left == jointDash || t.right == jointDash {
		switch t.word {
		case wordMonth, wordMonthShort, wordWeekday, wordWeekdayShort, wordThird, wordQuarter:
		default:
			t.word, t.value = wordNone, 0
		}
	}
}

// scanNumber reads a number, a numeric date, or a word that begins with a digit.
func (s *timeScanner) scanNumber(t *timeToken) {
	text := s.text
	t.kind, t.start = tokenNumber, s.at
	at := s.at
	for at < len(text) && digitByte(text[at]) {
		if t.value < 1e8 {
			t.value = t.value*10 + int(text[at]-'0')
		}
		at++
	}
	digits := at - s.at
	t.digits = uint8(min(digits, maxNumber+1))
	t.left = jointBefore(text, s.at, digits)
	if digits <= 4 && t.left == jointFree {
		if d := numericDate(text, s.at); d.end > 0 {
			t.kind, t.end = tokenDate, d.end
			s.at = d.end
			return
		}
	}
	if m, end := digitsAt(text, min(at+1, len(text))); digits <= 2 && at+3 == end && text[at] == ':' && t.value < 24 && m < 60 &&
		t.left != jointBound && jointAfter(text, end) == jointFree {
		t.kind, t.value, t.end = tokenClock, t.value*60+m, end
		s.at = end
		return
	}
	from := at
	for at < len(text) {
		c, size := text[at], 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(text[at:]); !WordRune(r) {
				break
			}
		} else if !letterByte(c) && !digitByte(c) && c != '_' {
			break
		}
		at += size
	}
	t.end, s.at = at, at
	t.right = jointAfter(text, at)
	if from < at {
		t.endsWith(text[from:at])
	}
	if digits > maxNumber || t.left == jointBound || t.right == jointBound {
		t.kind, t.value = tokenWord, 0
	}
}

// endsWith sets the suffix of a number, or makes it a word.
func (t *timeToken) endsWith(s string) {
	var lower [4]byte
	if len(s) > len(lower) {
		t.kind = tokenWord
		return
	}
	for i := range len(s) {
		lower[i] = LowerByte(s[i])
	}
	t.suffix = suffixUnit
	switch string(lower[:len(s)]) {
	case "st", "nd", "rd", "th":
		t.suffix = suffixOrdinal
	case "s":
		t.suffix, t.unit = suffixPlural, unitSecond
	case "am":
		t.suffix = suffixClock
	case "pm":
		t.suffix, t.hours = suffixClock, 12
	case "sec", "secs":
		t.unit = unitSecond
	case "m", "min", "mins":
		t.unit = unitMinute
	case "h", "hr", "hrs":
		t.unit = unitHour
	case "d", "day", "days":
		t.unit = unitDay
	case "w", "wk", "wks":
		t.unit = unitWeek
	case "mo", "mos":
		t.unit = unitMonth
	case "y", "yr", "yrs":
		t.unit = unitYear
	default:
		t.kind, t.suffix = tokenWord, suffixNone
	}
}

// jointBefore returns what precedes a token with the given number of digits, 0 for a word.
func jointBefore(text string, at, digits int) joint {
	if at == 0 {
		return jointFree
	}
	switch c := text[at-1]; c {
	case '-':
		if at > 1 && WordByte(text[at-2]) {
			return jointDash
		}
		return jointBound
	case '/', '\\', '@', '=', '~', '$', '#', '+', '%', '&', '_':
		return jointBound
	case '.', ':':
		if digits > 0 || at > 1 && WordByte(text[at-2]) {
			return jointBound
		}
	case ',':
		if digits == 3 && at > 1 && digitByte(text[at-2]) {
			return jointBound
		}
	default:
		if c < utf8.RuneSelf {
			return jointFree
		}
		switch r, size := utf8.DecodeLastRuneInString(text[:at]); {
		case isDash(r):
			if before := at - size - 1; before >= 0 && WordByte(text[before]) {
				return jointDash
			}
		case unicode.IsSymbol(r) && r != utf8.RuneError:
			return jointBound
		}
	}
	return jointFree
}

// jointAfter returns what follows a token.
func jointAfter(text string, at int) joint {
	if at == len(text) {
		return jointFree
	}
	next := byte(' ')
	if at+1 < len(text) {
		next = text[at+1]
	}
	switch c := text[at]; c {
	case '-':
		if WordByte(next) {
			return jointDash
		}
	case '/', '\\', '@', '=', '%', '(', '+', '#', '[':
		return jointBound
	case '.', ':':
		if WordByte(next) {
			return jointBound
		}
	case ',':
		if at+3 < len(text) && digitByte(text[at-1]) && digitByte(next) && digitByte(text[at+2]) && digitByte(text[at+3]) &&
			(at+4 == len(text) || !digitByte(text[at+4])) {
			return jointBound
		}
	default:
		if c < utf8.RuneSelf {
			return jointFree
		}
		switch r, size := utf8.DecodeRuneInString(text[at:]); {
		case isDash(r):
			if at+size < len(text) && WordByte(text[at+size]) {
				return jointDash
			}
		case unicode.IsSymbol(r) && r != utf8.RuneError:
			return jointBound
		}
	}
	return jointFree
}

// Apostrophe returns the length of the apostrophe that s begins with, 0 for none.
func Apostrophe(s string) int {
	if s == "" {
		return 0
	}
	if s[0] == '\'' {
		return 1
	}
	if len(s) > 2 && s[:3] == "’" {
		return 3
	}
	return 0
}

func letterByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func digitByte(c byte) bool { return c >= '0' && c <= '9' }

// WordByte reports whether a byte is part of a word, or of a character that may be.
func WordByte(c byte) bool { return letterByte(c) || digitByte(c) || c == '_' || c >= utf8.RuneSelf }

// WordRune reports whether a character beyond ASCII is part of a word.
func WordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func LowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// digitDate is a numeric date.
type digitDate struct {
	from, until time.Time
	unit        timeUnit
	end         int  // after it, 0 if there is none
	soft        bool // day and month may be swapped
}

// numericDate reads a numeric date: 2023-05-07, 2023-05, 2023-05-07T10:30:00Z, 25/12/2023,
// 7.5.2023.
func numericDate(text string, at int) digitDate {
	a, i := digitsAt(text, at)
	if i == len(text) || text[i] != '-' && text[i] != '/' && text[i] != '.' {
		return digitDate{}
	}
	sign, first := text[i], i-at
	b, j := digitsAt(text, i+1)
	if second := j - i - 1; second < 1 || second > 2 {
		return digitDate{}
	}
	if j+1 >= len(text) || text[j] != sign || !digitByte(text[j+1]) {
		if first == 4 && sign == '-' && j-i == 3 && b >= 1 && b <= 12 && a >= 1 && jointAfter(text, j) == jointFree && (j == len(text) || !WordByte(text[j])) {
			from := time.Date(a, time.Month(b), 1, 0, 0, 0, 0, time.UTC)
			return digitDate{from: from, until: from.AddDate(0, 1, 0), unit: unitMonth, end: j}
		}
		return digitDate{}
	}
	c, k := digitsAt(text, j+1)
	third := k - j - 1
	var d digitDate
	switch {
	case first == 4 && third <= 2:
		from, ok := dayOf(a, b, c)
		if !ok {
			return digitDate{}
		}
		if d = clockBehind(text, k, from); d.end > 0 {
			return d
		}
		d = digitDate{from: from, until: from.AddDate(0, 0, 1), unit: unitDay, end: k}
	case first <= 2 && third == 4:
		dayFirst, okDay := dayOf(c, b, a)
		monthFirst, okMonth := dayOf(c, a, b)
		if sign == '.' {
			okMonth = false
		}
		switch {
		case !okDay && !okMonth:
			return digitDate{}
		case !okDay:
			dayFirst = monthFirst
		case !okMonth:
			monthFirst = dayFirst
		}
		if monthFirst.Before(dayFirst) {
			dayFirst, monthFirst = monthFirst, dayFirst
		}
		d = digitDate{from: dayFirst, until: monthFirst.AddDate(0, 0, 1), unit: unitDay, end: k, soft: !dayFirst.Equal(monthFirst)}
	default:
		return digitDate{}
	}
	if jointAfter(text, k) != jointFree || k < len(text) && WordByte(text[k]) {
		return digitDate{}
	}
	return d
}

// clockBehind reads the time after a day: T10:30, T10:30:15.250Z, 10:30+02:00.
func clockBehind(text string, at int, day time.Time) digitDate {
	if at+5 >= len(text) || text[at]|0x20 != 't' && text[at] != ' ' || text[at+3] != ':' {
		return digitDate{}
	}
	h, i := digitsAt(text, at+1)
	m, j := digitsAt(text, at+4)
	if i != at+3 || j != at+6 || h > 23 || m > 59 {
		return digitDate{}
	}
	d := digitDate{from: day.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute), unit: unitMinute, end: j}
	if j+2 < len(text) && text[j] == ':' {
		if s, k := digitsAt(text, j+1); k == j+3 && s <= 59 {
			d.from, d.unit, d.end = d.from.Add(time.Duration(s)*time.Second), unitSecond, k
			if k+1 < len(text) && text[k] == '.' && digitByte(text[k+1]) {
				for d.end = k + 1; d.end < len(text) && digitByte(text[d.end]); d.end++ {
				}
			}
		}
	}
	if e := d.end; e < len(text) && text[e]|0x20 == 'z' {
		d.end++
	} else if e+5 < len(text) && (text[e] == '+' || text[e] == '-') && text[e+3] == ':' {
		zh, i := digitsAt(text, e+1)
		zm, j := digitsAt(text, e+4)
		if i == e+3 && j == e+6 && zh < 24 && zm < 60 {
			away := time.Duration(zh)*time.Hour + time.Duration(zm)*time.Minute
			if text[e] == '+' {
				away = -away
			}
			d.from, d.end = d.from.Add(away), j
		}
	}
	if d.end < len(text) && WordByte(text[d.end]) {
		return digitDate{}
	}
	_, d.until = unitAround(d.unit, d.from)
	return d
}

// digitsAt reads up to five digits and returns their end.
func digitsAt(text string, at int) (n, end int) {
	for end = at; end < len(text) && end < at+5 && digitByte(text[end]); end++ {
		n = n*10 + int(text[end]-'0')
	}
	return n, end
}

// dayOf returns the beginning of a day that exists in the calendar.
func dayOf(year, month, day int) (time.Time, bool) {
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == day
}
