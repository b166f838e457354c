package recall

import (
	"time"

	"lukasa.dev/internal/recall/times"
)

const (
	day = 24 * time.Hour
	// fewDays is the longest reference that counts as a day or two.
	fewDays = 3 * day
	// tellingWeek is the distance from a day within which a mention is half as likely.
	tellingWeek = 7 * day
	// toldLater rates a mention after a month, within the same length again.
	toldLater = 0.4
	// manyMonths is the shortest reference that says little: what happens in a year is
	// mentioned in the next.
	manyMonths = 300 * day
	// longTime rates a mention within such a long reference.
	longTime = 0.3
	// vague is the factor of a vague reference.
	vague = 0.5
)

// told rates how well the time of a document fits a reference, from 0 to 1. Events are
// mentioned after they happened, so it rates whether the document may be about that time, not
// whether it is from that time.
func told(t times.TimeRef, at time.Time) float64 {
	fit := times.Near(t, at)
	if t.Kind == times.TimeRange {
		fit = toldOf(t, at)
	}
	if t.Soft {
		fit *= vague
	}
	return fit
}

// toldOf is the rating for a time with a beginning and an end.
func toldOf(t times.TimeRef, at time.Time) float64 {
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
