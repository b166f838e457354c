package times

import "time"

// firstTime and lastTime are the bounds of references.
func firstTime() time.Time { return time.Time{} }
func lastTime() time.Time  { return time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC) }

func startOfDay(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// startOfWeek returns the Monday of a week.
func startOfWeek(t time.Time) time.Time {
	return startOfDay(t).AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

// unitAround returns the unit of the calendar that contains a time.
func unitAround(u timeUnit, t time.Time) (from, until time.Time) {
	y, m, _ := t.Date()
	switch u {
	case unitSecond:
		from = t.Truncate(time.Second)
	case unitMinute:
		from = t.Truncate(time.Minute)
	case unitHour:
		from = t.Truncate(time.Hour)
	case unitDay:
		from = startOfDay(t)
	case unitWeek, unitFortnight:
		from = startOfWeek(t)
		return from, from.AddDate(0, 0, 7)
	case unitMonth:
		from = time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
	case unitQuarter:
		from = time.Date(y, m-(m-1)%3, 1, 0, 0, 0, 0, time.UTC)
	case unitYear:
		from = time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)
	case unitDecade:
		from = time.Date(y-y%10, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return from, shiftUnits(from, u, 1)
}

// shiftUnits returns the time a number of units later, or earlier if it is negative. The end of
// a month stays within the month it reaches.
func shiftUnits(t time.Time, u timeUnit, n int) time.Time {
	switch u {
	case unitSecond:
		return shiftSeconds(t, n, 1)
	case unitMinute:
		return shiftSeconds(t, n, 60)
	case unitHour:
		return shiftSeconds(t, n, 3600)
	case unitDay:
		return t.AddDate(0, 0, n)
	case unitWeek:
		return t.AddDate(0, 0, 7*n)
	case unitFortnight:
		return t.AddDate(0, 0, 14*n)
	case unitMonth:
		return shiftMonths(t, n)
	case unitQuarter:
		return shiftMonths(t, 3*n)
	case unitYear:
		return shiftMonths(t, 12*n)
	}
	return shiftMonths(t, 120*n)
}

func shiftSeconds(t time.Time, n int, seconds int64) time.Time {
	return time.Unix(t.Unix()+int64(n)*seconds, int64(t.Nanosecond())).UTC()
}

func shiftMonths(t time.Time, n int) time.Time {
	y, m, d := t.Date()
	first := time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	d = min(d, first.AddDate(0, 1, -1).Day())
	return first.AddDate(0, 0, d-1).Add(t.Sub(startOfDay(t)))
}

// lengthOf returns the approximate length of a unit.
func lengthOf(u timeUnit) time.Duration {
	const day = 24 * time.Hour
	switch u {
	case unitSecond:
		return time.Second
	case unitMinute:
		return time.Minute
	case unitHour:
		return time.Hour
	case unitDay:
		return day
	case unitWeek:
		return 7 * day
	case unitFortnight:
		return 14 * day
	case unitMonth:
		return 30 * day
	case unitQuarter:
		return 91 * day
	case unitYear:
		return 365 * day
	}
	return 3650 * day
}

// partOfDay returns a part of a day. A night ends on the next morning.
func partOfDay(day time.Time, p dayPart) (from, until time.Time) {
	at := func(hour int) time.Time { return day.Add(time.Duration(hour) * time.Hour) }
	switch p {
	case partMorning:
		return at(5), at(12)
	case partAfternoon:
		return at(12), at(18)
	case partEvening:
		return at(18), at(24)
	}
	return at(18), at(30)
}

// thirdOf returns the first, the second or the last third of a span: ten days of a
// month, months of a year, days of a week.
func thirdOf(from, until time.Time, which int) (time.Time, time.Time) {
	one, two := from, until
	switch days := int(until.Sub(from).Hours() / 24); {
	case days >= 89:
		months := 4
		if days < 364 {
			months = days / 88
		} else if days > 366 {
			months = days / 91
		}
		one, two = shiftMonths(from, months), shiftMonths(from, 2*months)
	case days >= 28:
		one, two = from.AddDate(0, 0, 10), from.AddDate(0, 0, 20)
	case days >= 7:
		one, two = from.AddDate(0, 0, 2), from.AddDate(0, 0, 4)
	default:
		third := until.Sub(from) / 3
		one, two = from.Add(third), until.Add(-third)
	}
	switch which {
	case 0:
		return from, one
	case 1:
		return one, two
	}
	return two, until
}
