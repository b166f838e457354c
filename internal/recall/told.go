package recall

import "time"

const (
	day = 24 * time.Hour
	// fewDays is how long a time is at most that was named as a day or two.
	fewDays = 3 * day
	// tellingWeek is within which of a day something is told of half as likely.
	tellingWeek = 7 * day
	// toldLater is how well what is told within as long again behind a month fits it.
	toldLater = 0.4
	// manyMonths is how long a time is at least that says little: things of a year are
	// told of in the next.
	manyMonths = 300 * day
	// longTime is how well what is in such a time fits it.
	longTime = 0.3
	// vague is what a vague reference counts.
	vague = 0.5
)

// told says how well the time of a document fits a reference, from 0 to 1. Things are
// told of after they happened, so it is not asked whether the document is of that time
// but whether it may be about it.
func told(t TimeRef, at time.Time) float64 {
	fit := Near(t, at)
	if t.Kind == TimeRange {
		fit = toldOf(t, at)
	}
	if t.Soft {
		fit *= vague
	}
	return fit
}

// toldOf is told of a time with a beginning and an end.
func toldOf(t TimeRef, at time.Time) float64 {
	length := t.Until.Sub(t.From)
	inside := !at.Before(t.From) && at.Before(t.Until)
	if length <= fewDays {
		if inside {
			return 1
		}
		away := t.From.Sub(at)
		if away < 0 {
			away = at.Sub(t.Until)
		}
		weeks := float64(away) / float64(tellingWeek)
		return 1 / (1 + float64(weeks*weeks))
	}
	switch {
	case inside && length >= manyMonths:
		return longTime
	case inside:
		return 1
	case length < manyMonths && !at.Before(t.Until) && at.Sub(t.Until) < length:
		return toldLater
	}
	return 0
}
