// Package times finds the times that a question in English speaks of: dates, spans, "last
// Tuesday", "since March", and events that stand for a time, such as "before we moved".
//
// [ParseTime] is a pure function of the text and the current time. It reads no other language,
// and what it does not understand is no time.
package times

import (
	"strings"
	"time"
)

// MaxTimeRefs is the most time references in one query. Later ones are ignored.
const MaxTimeRefs = 8

// TimeKind says which fields of a [TimeRef] are set.
type TimeKind uint8

// The kinds of time references.
const (
	TimeRange  TimeKind = iota + 1 // From and Until
	TimeBefore                     // Until alone
	TimeAfter                      // From alone
	TimeAnchor                     // Anchor and Direction: the time of an event that has to be looked up
)

// String returns the name of a kind.
func (k TimeKind) String() string {
	switch k {
	case TimeRange:
		return "range"
	case TimeBefore:
		return "before"
	case TimeAfter:
		return "after"
	case TimeAnchor:
		return "anchor"
	}
	return ""
}

// Direction is the position of the time relative to an event.
type Direction uint8

// The directions of anchors.
const (
	Before Direction = iota + 1 // before the migration
	After                       // after the release
	Since                       // since we moved to Postgres: includes the event
	Until                       // until the release: includes the event
	During                      // during the outage, when the server crashed
)

// String returns the word for a direction.
func (d Direction) String() string {
	switch d {
	case Before:
		return "before"
	case After:
		return "after"
	case Since:
		return "since"
	case Until:
		return "until"
	case During:
		return "during"
	}
	return ""
}

// TimeRef is a time reference in a query.
//
// From is inclusive and Until exclusive, both in UTC and within the years 1 to 9999. The ends
// that a query names are included, as people mean it: "between March and May" ends with the
// last of May, "until 2022" with that year, and "since April" begins with the first of April.
// "before" and "after" exclude what they name: "after May 7" begins on May 8.
type TimeRef struct {
	Kind      TimeKind
	From      time.Time
	Until     time.Time
	Anchor    string    // the words for the event, if it is an anchor
	Direction Direction // if it is an anchor

	// Strict is set if the query states a limit: since, until, before, after, between or from
	// and to, with unambiguous dates. Such a reference may be used as a filter. Any other is a
	// preference.
	Strict bool
	// Soft is set if the words are vague: recently, around May, a few days ago.
	Soft bool

	Grain      time.Duration // length of the named day, month, year…
	Text       string        // the words
	Start, End int           // byte range of Text in the query
}

// String returns a reference for people and packs: an ISO 8601 interval with two dots for an
// open end, or the direction and the event.
func (t TimeRef) String() string {
	switch t.Kind {
	case TimeRange:
		return t.From.Format(time.RFC3339) + "/" + t.Until.Format(time.RFC3339)
	case TimeBefore:
		return "../" + t.Until.Format(time.RFC3339)
	case TimeAfter:
		return t.From.Format(time.RFC3339) + "/.."
	case TimeAnchor:
		return t.Direction.String() + " " + strings.ToValidUTF8(t.Anchor, "\uFFFD")
	}
	return ""
}

// nearest is the least width that [Near] uses: people who name a minute do not mean it that
// exactly.
const nearest = 30 * time.Minute

// Near rates how well a time fits a reference: 1 inside, and outside 1/(1+d)², where d is the
// distance in lengths of the named unit. A day off "yesterday" gives a quarter, and so does a
// year off "in 2023". An anchor has no time of its own, so Near returns 0.
func Near(t TimeRef, at time.Time) float64 {
	var away time.Duration
	switch {
	case t.Kind == TimeAnchor || t.Kind == 0:
		return 0
	case t.Kind != TimeBefore && at.Before(t.From):
		away = t.From.Sub(at)
	case t.Kind != TimeAfter && !at.Before(t.Until):
		away = at.Sub(t.Until)
	default:
		return 1
	}
	width := t.Grain
	if t.Kind == TimeRange {
		width = t.Until.Sub(t.From)
	}
	r := 1 + float64(away)/float64(max(width, nearest))
	return 1 / float64(r*r)
}

// ParseTime finds the time references in a query, in the order of its words, at most
// [MaxTimeRefs]. It ignores what it does not understand. It reads English only.
//
// It understands
//
//   - dates: 2023-05-07, 2023/05/07, 2023-05-07T10:30Z, 7.5.2023, 7 May 2023,
//     May 7th, 2023, the 7th of May, on the 7th;
//   - months, quarters, seasons, years and decades: in May 2023, late May, Q3
//     2024, third quarter of 2024, summer 2023, in 2023, the 1990s, first week of
//     June, end of last year, the week of May 7;
//   - weekdays: last Tuesday, on Tuesday, this Monday, Tuesday last week;
//   - relative to now: yesterday, the day before yesterday, last week, this month,
//     past 3 days, two weeks ago, in the last hour, this morning, earlier this
//     year, recently, the other day;
//   - ranges: between March and May 2023, from 3 to 5 June, June 3-5, since
//     April, until 2022, before 2023, after May 7, by Friday, older than a week;
//   - events: before the migration, after the release, since we moved to
//     Postgres, during the outage, when the server crashed.
//
// Ambiguous expressions are read like this:
//
//   - Days, weeks and the like are those of UTC, and a week begins on Monday.
//   - A time without a year or a week is the latest that has begun, since memory
//     looks back: in November, "December" is that of last year. After "by" it is
//     the next that has not ended.
//   - "last Tuesday" and "next Tuesday" are the nearest that are not today; "this
//     Tuesday" is that of this week. "last May" is the latest that is over.
//   - "last week" is the week before this one; "the last week" and "past week"
//     are the seven days up to now. Months, quarters and years likewise.
//   - "two weeks ago" is the whole week, "3 days ago" the whole day.
//   - Early, mid and late are thirds. Seasons are those of the north, of whole
//     months, and a winter has the year in which it begins.
//   - A morning is 5 to 12, an afternoon 12 to 18, an evening 18 to 24 and a night
//     18 to 6 o'clock.
//   - In 05/07/2023 either number may be the month: it stands for everything from
//     the one day to the other, softly. 25/12/2023 and 12/25/2023 are plain, and
//     with dots the day comes first.
//   - Words that are more often something else (may, march, sun, sat, spring,
//     fall, April who is a person) need a word beside them that speaks of time.
//
// It runs in time linear in the length of the query, and allocates only its result.
func ParseTime(query string, now time.Time) []TimeRef {
	p := timeParser{words: timeScanner{text: query}, now: now.UTC()}
	if y := p.now.Year(); y < 1 || y > 9999 {
		return nil
	}
	p.today = startOfDay(p.now)
	p.parse()
	return p.found
}
