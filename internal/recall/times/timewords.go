package times

import "time"

// timeWord is the role of a word in the parser of times.
type timeWord uint8

const (
	wordNone         timeWord = iota
	wordMonth                 // value: 1 to 12
	wordMonthShort            // likewise
	wordWeekday               // value: a time.Weekday
	wordWeekdayShort          // likewise
	wordUnit                  // value: a timeUnit
	wordNumber                // value: the number
	wordOrdinal               // value: the number
	wordSeason                // value: the first month
	wordPart                  // of a day; value: a dayPart
	wordDay                   // yesterday, today, tomorrow; value: days from today
	wordThird                 // early, mid, late; value: 0, 1, 2
	wordThirdOf               // beginning, middle, end; likewise
	wordQuarter               // Q3; value: 1 to 4
	wordHalfYear              // H1; value: 1 or 2
	wordClock                 // am, pm; value: hours to add
	wordHalf
	wordWeekend
	wordLast // value: 1 for the previous unit of the calendar
	wordPast
	wordThis
	wordNext
	wordTonight
	wordThe
	wordA
	wordFew
	wordCouple
	wordSeveral
	wordOf
	wordIn
	wordOn
	wordAt
	wordAnd
	wordTo
	wordFrom
	wordBetween
	wordSince
	wordUntil
	wordThrough
	wordBefore
	wordAfter
	wordBy
	wordDuring
	wordWhen
	wordAround
	wordAgo
	wordEarlier
	wordLater
	wordRecently
	wordOther
	wordOlder
	wordNewer
	wordMore
	wordLess
	wordOver
	wordThan
	wordOnwards
	wordEvery
	wordMine    // my, our, that…: a noun follows
	wordPronoun // we, it…: a clause follows
	wordVerb    // a verb that introduces a question or a reason
	wordWas     // a verb that introduces a question
	wordDo      // likewise, and ends the words of an event
	wordNow
	wordLooking // look after, named after
	wordAsking  // tell me when, know when
	wordBreak   // ends the words of an event
	wordThing   // port, version…: the number after it is no year
	wordCount   // ms, bytes…: the number before it is no year
)

// timeUnit is a unit of the calendar.
type timeUnit uint8

const (
	unitSecond timeUnit = iota
	unitMinute
	unitHour
	unitDay
	unitWeek
	unitFortnight
	unitMonth
	unitQuarter
	unitYear
	unitDecade
)

// dayPart is a part of a day.
type dayPart uint8

const (
	partMorning dayPart = iota
	partAfternoon
	partEvening
	partNight
)

// longestTimeWord is the length of the longest word that meaningOf knows.
const longestTimeWord = 12

// meaningOf returns the role of a lower-case word, and its value.
func meaningOf(w []byte) (timeWord, int) {
	switch string(w) {
	case "january":
		return wordMonth, 1
	case "february":
		return wordMonth, 2
	case "march":
		return wordMonth, 3
	case "april":
		return wordMonth, 4
	case "may":
		return wordMonth, 5
	case "june":
		return wordMonth, 6
	case "july":
		return wordMonth, 7
	case "august":
		return wordMonth, 8
	case "september":
		return wordMonth, 9
	case "october":
		return wordMonth, 10
	case "november":
		return wordMonth, 11
	case "december":
		return wordMonth, 12
	case "jan":
		return wordMonthShort, 1
	case "feb":
		return wordMonthShort, 2
	case "mar":
		return wordMonthShort, 3
	case "apr":
		return wordMonthShort, 4
	case "jun":
		return wordMonthShort, 6
	case "jul":
		return wordMonthShort, 7
	case "aug":
		return wordMonthShort, 8
	case "sep", "sept":
		return wordMonthShort, 9
	case "oct":
		return wordMonthShort, 10
	case "nov":
		return wordMonthShort, 11
	case "dec":
		return wordMonthShort, 12
	case "monday":
		return wordWeekday, int(time.Monday)
	case "tuesday":
		return wordWeekday, int(time.Tuesday)
	case "wednesday":
		return wordWeekday, int(time.Wednesday)
	case "thursday":
		return wordWeekday, int(time.Thursday)
	case "friday":
		return wordWeekday, int(time.Friday)
	case "saturday":
		return wordWeekday, int(time.Saturday)
	case "sunday":
		return wordWeekday, int(time.Sunday)
	case "mon":
		return wordWeekdayShort, int(time.Monday)
	case "tue", "tues":
		return wordWeekdayShort, int(time.Tuesday)
	case "wed":
		return wordWeekdayShort, int(time.Wednesday)
	case "thu", "thur", "thurs":
		return wordWeekdayShort, int(time.Thursday)
	case "fri":
		return wordWeekdayShort, int(time.Friday)
	case "sat":
		return wordWeekdayShort, int(time.Saturday)
	case "sun":
		return wordWeekdayShort, int(time.Sunday)
	case "second", "seconds", "secs", "sec":
		return wordUnit, int(unitSecond)
	case "minute", "minutes", "min", "mins":
		return wordUnit, int(unitMinute)
	case "hour", "hours", "hr", "hrs":
		return wordUnit, int(unitHour)
	case "day", "days":
		return wordUnit, int(unitDay)
	case "week", "weeks", "wk", "wks":
		return wordUnit, int(unitWeek)
	case "fortnight", "fortnights":
		return wordUnit, int(unitFortnight)
	case "month", "months":
		return wordUnit, int(unitMonth)
	case "quarter", "quarters":
		return wordUnit, int(unitQuarter)
	case "year", "years", "yr", "yrs":
		return wordUnit, int(unitYear)
	case "decade", "decades":
		return wordUnit, int(unitDecade)
	case "one":
		return wordNumber, 1
	case "two":
		return wordNumber, 2
	case "three":
		return wordNumber, 3
	case "four":
		return wordNumber, 4
	case "five":
		return wordNumber, 5
	case "six":
		return wordNumber, 6
	case "seven":
		return wordNumber, 7
	case "eight":
		return wordNumber, 8
	case "nine":
		return wordNumber, 9
	case "ten":
		return wordNumber, 10
	case "eleven":
		return wordNumber, 11
	case "twelve":
		return wordNumber, 12
	case "fifteen":
		return wordNumber, 15
	case "twenty":
		return wordNumber, 20
	case "thirty":
		return wordNumber, 30
	case "first":
		return wordOrdinal, 1
	case "third":
		return wordOrdinal, 3
	case "fourth":
		return wordOrdinal, 4
	case "spring":
		return wordSeason, 3
	case "summer":
		return wordSeason, 6
	case "autumn", "fall":
		return wordSeason, 9
	case "winter":
		return wordSeason, 12
	case "morning":
		return wordPart, int(partMorning)
	case "afternoon":
		return wordPart, int(partAfternoon)
	case "evening":
		return wordPart, int(partEvening)
	case "night":
		return wordPart, int(partNight)
	case "yesterday":
		return wordDay, -1
	case "today":
		return wordDay, 0
	case "tomorrow":
		return wordDay, 1
	case "tonight":
		return wordTonight, 0
	case "early":
		return wordThird, 0
	case "mid":
		return wordThird, 1
	case "late":
		return wordThird, 2
	case "beginning", "start":
		return wordThirdOf, 0
	case "middle":
		return wordThirdOf, 1
	case "end":
		return wordThirdOf, 2
	case "q1", "q2", "q3", "q4":
		return wordQuarter, int(w[1] - '0')
	case "h1", "h2":
		return wordHalfYear, int(w[1] - '0')
	case "am":
		return wordClock, 0
	case "pm":
		return wordClock, 12
	case "half":
		return wordHalf, 0
	case "weekend":
		return wordWeekend, 0
	case "last":
		return wordLast, 0
	case "previous", "prior":
		return wordLast, 1
	case "past":
		return wordPast, 0
	case "this", "current":
		return wordThis, 0
	case "next":
		return wordNext, 0
	}
	return functionWord(w), 0
}

// functionWord returns the role of a word without a value.
func functionWord(w []byte) timeWord {
	switch string(w) {
	case "the":
		return wordThe
	case "a", "an":
		return wordA
	case "few":
		return wordFew
	case "couple":
		return wordCouple
	case "several":
		return wordSeveral
	case "of":
		return wordOf
	case "in":
		return wordIn
	case "on":
		return wordOn
	case "at":
		return wordAt
	case "and":
		return wordAnd
	case "to":
		return wordTo
	case "from":
		return wordFrom
	case "between":
		return wordBetween
	case "since":
		return wordSince
	case "until", "till":
		return wordUntil
	case "through", "thru":
		return wordThrough
	case "before":
		return wordBefore
	case "after":
		return wordAfter
	case "by":
		return wordBy
	case "during":
		return wordDuring
	case "when":
		return wordWhen
	case "around", "circa":
		return wordAround
	case "ago":
		return wordAgo
	case "earlier":
		return wordEarlier
	case "later":
		return wordLater
	case "recently", "lately":
		return wordRecently
	case "other":
		return wordOther
	case "older":
		return wordOlder
	case "newer", "younger":
		return wordNewer
	case "more":
		return wordMore
	case "less":
		return wordLess
	case "over":
		return wordOver
	case "than":
		return wordThan
	case "onwards", "onward":
		return wordOnwards
	case "every", "each":
		return wordEvery
	case "my", "our", "your", "his", "her", "their", "its", "that", "these", "those":
		return wordMine
	case "i", "we", "you", "he", "she", "it", "they":
		return wordPronoun
	case "do", "does", "did":
		return wordDo
	case "was", "were", "had", "would", "could", "should", "exactly":
		return wordWas
	case "is", "are", "will", "can", "has", "have", "don't", "doesn't", "isn't", "aren't", "can't", "cannot", "need",
		"needs", "want", "wants", "must":
		return wordVerb
	case "now":
		return wordNow
	case "look", "looks", "looked", "looking", "named", "takes", "took", "sought":
		return wordLooking
	case "me", "us", "tell", "know", "knows", "knew", "wonder", "wondering", "sure", "out", "check", "say", "says", "said",
		"see", "about", "ask", "asked", "asking", "forgot":
		return wordAsking
	case "but", "or", "because", "so", "if", "who", "what", "which", "where", "why", "how", "then", "please":
		return wordBreak
	case "port", "version", "issue", "line", "pr", "id", "ticket", "bug", "code", "status", "number", "no", "page", "row",
		"room", "error", "http", "pid", "size", "limit", "cve", "rfc", "release", "build", "commit", "chapter", "step":
		return wordThing
	case "ms", "kb", "mb", "gb", "tb", "px", "hz", "mhz", "ghz", "rpm", "km", "kg", "percent", "usd", "eur", "euro",
		"dollar", "times", "people", "byte", "bytes", "bits", "items", "rows", "records", "requests", "users", "errors":
		return wordCount
	}
	return wordNone
}
