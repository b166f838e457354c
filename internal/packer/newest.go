package packer

import (
	"math"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/record"
)

// An event has the time at which it happened, a versioned record the time at which it
// was written here. After an import every event may be older than every versioned
// record, so that relative to the newest record all are equally old. Where recency
// counts, the age of an event is therefore relative to the newest event.

// newestEvent returns the reference of the ages of events where recency counts: the time
// of the newest visible event that is not in the future. It is unset if the caller sets
// the time.
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

// newestOfAgents returns the time of the newest event of all agents, which is cheaper
// than reading each event; or that it is in the future.
func (p *Assembly) newestOfAgents() (newest hmx.Opt[int64], future bool, err error) {
	err = timeline.Agents(p.Reader, p.Tenant.Number, nil, func(_ []byte, s *timeline.Summary) bool {
		if at := s.Last.Timestamp; s.Events > 0 && (!newest.Set || at > newest.Value) {
			newest = hmx.Some(at)
		}
		return true
	})
	return newest, newest.Set && newest.Value > p.Now, err
}

// measureLag determines how far the newest event is behind now, and opens the rows for
// it.
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

// after returns a time span nanoseconds later, without overflow.
func after(at, span int64) int64 {
	if at > math.MaxInt64-span {
		return math.MaxInt64
	}
	return at + span
}

// between returns the nanoseconds from one time to a later one, without overflow.
func between(from, until int64) int64 {
	if d := until - from; d >= 0 {
		return d
	}
	return math.MaxInt64
}
