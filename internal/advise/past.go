package advise

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/deeds"
	"lukasa.dev/internal/trace"
)

// Limits of what is read.
const (
	pastSeen      = 200     // executions of the same action, and as many of similar ones, the newest
	pastPassed    = 1 << 17 // executions that are hidden
	eventsBefore  = 32      // events of a session before an execution
	eventsBehind  = 128     // and after it, which show its outcome
	sessionEvents = 2048    // of the caller's session, the latest
)

// checking is one running check.
type checking struct {
	b     *Adviser
	s     board.State
	shown func(position uint64) bool // nil shows every event
}

// look finds out which events are shown.
func (c *checking) look(ctx context.Context) error {
	if access.Of(c.s.View) == nil {
		return nil
	}
	seen, err := c.b.retrieval.Visible(ctx, c.s)
	if err == nil {
		c.shown = seen.Has
	}
	return err
}

// past returns the newest doings of the same and of the like of an act. They come out of
// the index: how each went is replayed from the events of its session around it.
func (c *checking) past(ctx context.Context, tool, shape string, out *CheckedAction) ([]guide.Doing, error) {
	places, err := c.newest(tool, shape, out)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	w, err := deeds.NewWalker(c.s.Reader, c.s.Tenant.Number, c.shown)
	if err != nil {
		return nil, err
	}
	var list []guide.Doing
	var replay trace.Replay
	for len(places) > 0 && err == nil {
		if err = ctx.Err(); err != nil {
			break
		}
		var n int
		if n, err = replayAround(w, &replay, places); err != nil {
			break
		}
		for _, d := range replay.Deeds() {
			if slices.ContainsFunc(places[:n], func(p deeds.Place) bool { return p.Position == d.Position }) {
				list = append(list, doingOf(&d))
			}
		}
		places = places[n:]
	}
	return list, fault.First(err, w.Close())
}

// newest returns the places of the newest executions, by session and in its order.
func (c *checking) newest(tool, shape string, out *CheckedAction) ([]deeds.Place, error) {
	var places []deeds.Place
	seen := make(map[uint64]bool)
	for _, kin := range deeds.KinOf(tool, shape) {
		found, passed := 0, 0
		err := deeds.Newest(c.s.Reader, c.s.Tenant.Number, kin, func(p deeds.Place) bool {
			if c.shown != nil && !c.shown(p.Position) {
				passed++
				return passed < pastPassed
			}
			if found++; found > pastSeen {
				out.More = true
				return false
			}
			if !seen[p.Position] {
				seen[p.Position] = true
				places = append(places, p)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	out.Past = len(places)
	slices.SortFunc(places, func(a, b deeds.Place) int { return a.Compare(&b) })
	return places, nil
}

// replayAround replays the session of the first place, starting a few events before it,
// until enough events follow the last place that it reached. It returns how many places it
// covered.
func replayAround(w *deeds.Walker, replay *trace.Replay, places []deeds.Place) (met int, err error) {
	replay.Reset()
	left := 0
	err = w.On(w.Back(places[0], eventsBefore), func(at deeds.Place, g *trace.Glance) bool {
		replay.Add(at.Position, milliseconds(at.Timestamp), g)
		if met < len(places) && at == places[met] {
			met++
			left = eventsBehind
			return true
		}
		left--
		return met == 0 || left > 0
	})
	return max(met, 1), err
}

// session returns what a session did, nil if none is named. A session without visible
// events is unknown.
func (c *checking) session(name string) ([]guide.Doing, error) {
	if name == "" {
		return nil, nil
	}
	w, err := deeds.NewWalker(c.s.Reader, c.s.Tenant.Number, c.shown)
	if err != nil {
		return nil, err
	}
	end := deeds.Place{Session: index.DigestOf(name), Sequence: math.MaxInt64, Timestamp: math.MaxInt64, Position: math.MaxUint64}
	from := w.Back(end, sessionEvents)
	if from == end {
		err = fault.Newf(fault.NotFound, "session: no event of %q is on record", name).WithFix("name one that `lukasa events` shows, or leave it out")
		return nil, fault.First(w.Close(), err)
	}
	var replay trace.Replay
	err = w.On(from, func(at deeds.Place, g *trace.Glance) bool {
		replay.Add(at.Position, milliseconds(at.Timestamp), g)
		return true
	})
	list := make([]guide.Doing, 0)
	for _, d := range replay.Deeds() {
		list = append(list, doingOf(&d))
	}
	return list, fault.First(err, w.Close())
}

// milliseconds returns a time in whole milliseconds.
func milliseconds(nanos int64) int64 {
	ms := nanos / 1_000_000
	if nanos%1_000_000 < 0 {
		ms--
	}
	return ms
}

// doingOf converts a deed for a check.
func doingOf(d *trace.Deed) guide.Doing {
	return guide.Doing{Tool: d.Tool, Shape: d.Shape, State: d.State, Error: d.Error, Time: d.Time, Event: markEvent(d.Told), Task: d.Task}
}

// markEvent returns a placeholder for the event at a position. The id is read later, for
// the few events that an answer names. No id begins like a placeholder.
func markEvent(position uint64) string {
	digits := strconv.FormatUint(position, 10)
	return "\x00" + strings.Repeat("0", 20-len(digits)) + digits
}

// eventMark returns the position of a placeholder.
func eventMark(mark string) (uint64, bool) {
	digits, ok := strings.CutPrefix(mark, "\x00")
	if !ok {
		return 0, false
	}
	position, err := strconv.ParseUint(digits, 10, 64)
	return position, err == nil
}
