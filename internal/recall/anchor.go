package recall

import (
	"time"

	"lukasa.dev/internal/recall/times"
)

// anchorGrain is how precisely the time of an event dates what it mentions: it may have been
// mentioned days later.
const anchorGrain = 7 * 24 * time.Hour

// anchored turns a reference to an event into one to the time of that event.
func anchored(t times.TimeRef, when time.Time) times.TimeRef {
	out := times.TimeRef{Soft: true, Grain: anchorGrain, Text: t.Text, Start: t.Start, End: t.End}
	switch t.Direction {
	case times.Before, times.Until:
		out.Kind, out.Until = times.TimeBefore, when
	case times.After, times.Since:
		out.Kind, out.From = times.TimeAfter, when
	default:
		out.Kind, out.From, out.Until = times.TimeRange, when.Add(-anchorGrain/2), when.Add(anchorGrain/2)
	}
	return out
}
