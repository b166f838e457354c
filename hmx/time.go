package hmx

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"
)

// Time is a point in time as HMX writes it: an RFC 3339 date-time with a zone. Its original
// text is kept and written back; comparisons are by instant, to the nanosecond (further digits
// are kept only in the text).
//
// It follows RFC 3339 exactly, where [time.Parse] differs: t and z may be lower case, a leap
// second is allowed where one can occur (23:59:60 UTC), a zone offset has hours to 23 and
// minutes to 59. A leap second counts as the last nanosecond before it, so that order is
// preserved.
type Time struct {
	text string
	sec  int64 // Unix seconds
	nsec int32
}

// TimeOf returns t in UTC with milliseconds, as the documents write it; finer digits are kept
// if there are any.
func TimeOf(t time.Time) Time {
	t = t.UTC()
	layout := "2006-01-02T15:04:05.000Z"
	if t.Nanosecond()%1e6 != 0 {
		layout = "2006-01-02T15:04:05.999999999Z"
	}
	return Time{t.Format(layout), t.Unix(), int32(t.Nanosecond())}
}

// ParseTime reads an RFC 3339 date-time.
func ParseTime(s string) (Time, error) {
	sec, nsec, ok := parseRFC3339(s)
	if !ok {
		return Time{}, fmt.Errorf("%q is not an RFC 3339 date-time such as 2026-03-14T03:00:00.000Z", s)
	}
	return Time{s, sec, nsec}, nil
}

// String returns the text as it was read or made.
func (t Time) String() string { return t.text }

// Time returns the instant in UTC.
func (t Time) Time() time.Time { return time.Unix(t.sec, int64(t.nsec)).UTC() }

// IsZero reports whether t was never set.
func (t Time) IsZero() bool { return t.text == "" }

// Compare returns -1, 0 or +1 as t is before, at or after u.
func (t Time) Compare(u Time) int {
	return cmp.Or(cmp.Compare(t.sec, u.sec), cmp.Compare(t.nsec, u.nsec))
}

// MarshalJSON writes the text.
func (t Time) MarshalJSON() ([]byte, error) { return encode(nil, t) }

// UnmarshalJSON reads a JSON string as ParseTime does.
func (t *Time) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	parsed, err := ParseTime(s)
	if err == nil {
		*t = parsed
	}
	return err
}

// parseRFC3339 parses s; it is generic over string and bytes so that the hot path does not
// copy.
func parseRFC3339[T string | []byte](s T) (sec int64, nsec int32, ok bool) {
	if len(s) < len("2006-01-02T15:04:05Z") ||
		s[4] != '-' || s[7] != '-' || s[10]|0x20 != 't' || s[13] != ':' || s[16] != ':' {
		return 0, 0, false
	}
	year := two(s, 0)*100 + two(s, 2)
	month, day := two(s, 5), two(s, 8)
	hour, minute, second := two(s, 11), two(s, 14), two(s, 17)
	if two(s, 0) < 0 || two(s, 2) < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return 0, 0, false
	}
	i := 19
	if s[i] == '.' {
		start := i + 1
		scale := int32(100_000_000)
		for i = start; i < len(s) && s[i]-'0' < 10; i++ {
			nsec += int32(s[i]-'0') * scale
			scale /= 10
		}
		if i == start {
			return 0, 0, false
		}
	}
	offset, ok := zone(s, i)
	if !ok {
		return 0, 0, false
	}
	sec = (daysSinceEpoch(year, month, day)*24+int64(hour))*3600 + int64(minute)*60 + int64(second) - offset
	if second == 60 {
		// sec is now the first second of the next minute, which must be 00:00 UTC.
		if mod(sec, 86400) != 0 {
			return 0, 0, false
		}
		return sec - 1, 999_999_999, true
	}
	return sec, nsec, true
}

// zone reads the zone that must end s at i, in seconds east of UTC.
func zone[T string | []byte](s T, i int) (int64, bool) {
	switch {
	case i == len(s)-1 && s[i]|0x20 == 'z':
		return 0, true
	case i != len(s)-6 || s[i+3] != ':' || s[i] != '+' && s[i] != '-':
		return 0, false
	}
	hour, minute := two(s, i+1), two(s, i+4)
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return 0, false
	}
	offset := int64(hour*3600 + minute*60)
	if s[i] == '-' {
		offset = -offset
	}
	return offset, true
}

// two reads two digits at i, or returns a negative number.
func two[T string | []byte](s T, i int) int {
	a, b := s[i]-'0', s[i+1]-'0'
	if a > 9 || b > 9 {
		return -1000
	}
	return int(a)*10 + int(b)
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSinceEpoch counts the days from 1970-01-01 in the proleptic Gregorian
// calendar. Years start in March here, so that the leap day comes last.
func daysSinceEpoch(year, month, day int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	if year < 0 {
		era = (year - 399) / 400
	}
	yearOfEra := year - era*400
	dayOfYear := (153*(month-3)+2)/5 + day - 1
	dayOfEra := yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear
	return int64(era)*146097 + int64(dayOfEra) - 719468
}

func mod(a, b int64) int64 { return (a%b + b) % b }
