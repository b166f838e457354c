package packer

import (
	"math"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/record"
)

// An event has the time at which it happened, a thing that at which it was written here.
// Of a history that was imported every event may be older than every thing, so that to
// the time of the newest record all of them are equally old. Where what is new counts,
// the age of an event is therefore that against the newest event.

// newestEvent returns what the ages of events are measured against where what is new
// counts: the time of the newest event that is shown and not from the future. There is
// none where the caller says what time it is.
func (p *Assembly) newestEvent() (newest hmx.Opt[int64], err error) {
	if !p.View.Now.IsZero() {
		return newest, nil
	}
	var shown roster.Mask
	if p.Shown != nil {
		shown = p.Shown.Mask
	} else if newest, future, err := p.newestOfAgents(); err != nil || !future {
		return newest, err
	}
	at, ok, err := p.Rows.Newest(record.Event, p.Now, shown)
	if err != nil || !ok {
		return newest, err
	}
	return hmx.Some(at), nil
}

// newestOfAgents returns the time of the newest event of all agents, which costs less
// than a look at each event; or that it is from the future.
func (p *Assembly) newestOfAgents() (newest hmx.Opt[int64], future bool, err error) {
	err = timeline.Agents(p.Reader, p.Tenant.Number, nil, func(_ []byte, s *timeline.Summary) bool {
		if at := s.Last.Timestamp; s.Events > 0 && (!newest.Set || at > newest.Value) {
			newest = hmx.Some(at)
		}
		return true
	})
	return newest, newest.Set && newest.Value > p.Now, err
}

// measureLag finds out how far the newest event is behind now, and opens the rows for it.
func (p *Assembly) measureLag() (err error) {
	if p.Rows, err = p.From.Roster(board.State{Reader: p.Reader, Tenant: p.Tenant}); err != nil {
		return err
	}
	newest, err := p.newestEvent()
	if newest.Set {
		p.lag = between(newest.Value, p.Now)
	}
	return err
}

// after returns a time that many nanoseconds later, or the last one that there is.
func after(at, span int64) int64 {
	if at > math.MaxInt64-span {
		return math.MaxInt64
	}
	return at + span
}

// between returns how many nanoseconds lie between two times of which the first is not
// the later one, or the most that there are.
func between(from, until int64) int64 {
	if d := until - from; d >= 0 {
		return d
	}
	return math.MaxInt64
}
