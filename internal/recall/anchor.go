package recall

import "time"

// anchorGrain is how precisely the time of an event dates what it mentions: it may have been
// mentioned days later.
const anchorGrain = 7 * 24 * time.Hour

// at turns a reference to an event into one to the time of that event.
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
