package recall

import "time"

// anchorGrain is how exactly the time of an event tells when something was: it may have
// been told days later.
const anchorGrain = 7 * 24 * time.Hour

// at returns a reference to an event as one to the time when that happened.
func (t TimeRef) at(when time.Time) TimeRef {
	out := TimeRef{Soft: true, Grain: anchorGrain, Text: t.Text, Start: t.Start, End: t.End}
	switch t.Direction {
	case Before, Until:
		out.Kind, out.Until = TimeBefore, when
	case After, Since:
		out.Kind, out.From = TimeAfter, when
	default:
		out.Kind, out.From, out.Until = TimeRange, when.Add(-anchorGrain/2), when.Add(anchorGrain/2)
	}
	return out
}
