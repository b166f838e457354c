package coldstart

import (
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// If an event does not state its outcome, the outcome is looked for among the
// events that follow it in its session.
const (
	// followed is how many following events are read.
	followed = 16
	// passed is how many events out of scope are skipped on the way.
	passed = 256
	// verdicts is how many verdicts are quoted.
	verdicts = 3
	// arrow separates an event from its outcome.
	arrow = " -> "
)

// changing are the verbs that change the work, so that later tests, errors and
// feedback are about them. A lookup has only its answer.
var changing = []memory.Verb{
	memory.VerbAcquire, memory.VerbBuild, memory.VerbModify, memory.VerbDeliver, memory.VerbNegotiate, memory.VerbSchedule, memory.VerbDelegate,
}

// part is one part of the outcome of an event.
type part struct {
	text   string
	failed bool // it is a check that failed
}

// sequel is the outcome of an event.
type sequel struct {
	parts []part
	trust record.Trust // the lowest among them
	// outcome is that of the event's own result, and empty if there is none.
	outcome memory.Outcome
}

func (s *sequel) add(text string, failed bool, trust record.Trust) {
	if s.parts == nil {
		s.trust = trust
	}
	s.parts, s.trust = append(s.parts, part{text, failed}), min(s.trust, trust)
}

// follower is an event after the one in question, read when it is needed.
type follower struct {
	place  timeline.Place
	read   bool
	ev     *board.StoredEvent // nil if it is not visible, or expired
	facets kind.Facets
}

// aftermath is what is read for one event.
type aftermath struct {
	g *Gathering
	// events has the event itself first, then those that followed it.
	events [1 + followed]follower
	n      int
}

// whatFollowed returns the outcome of an event. Its own result comes first; if that
// failed, the event did nothing that others could judge. If it changed something,
// the verdicts in later events follow, up to the next attempt at the same. Without
// either, the first report is used.
func (g *Gathering) whatFollowed(c *frame.Card) (came sequel, err error) {
	a := aftermath{g: g}
	if err := a.collect(c); err != nil {
		return came, err
	}
	own, err := a.resultOf(0)
	if err != nil {
		return came, err
	}
	changes := slices.Contains(changing, g.frames[0].Verb)
	if own > 0 {
		came.outcome = a.events[own].facets.Outcome
		if came.outcome == memory.OutcomeFailure || !changes {
			a.tell(&came, own)
			return came, nil
		}
	}
	if !changes {
		return came, nil
	}
	end, err := a.nextTry(c)
	if err != nil {
		return came, err
	}
	judged, err := a.verdicts(own, end)
	switch {
	case err != nil:
		return came, err
	case len(judged) > 0:
		if own > 0 {
			f := &a.events[own]
			came.add(brief(f.facets.Outcome), false, f.ev.Trust)
		}
		for _, v := range judged {
			came.add(v.text, v.failed, v.trust)
		}
	case own > 0:
		a.tell(&came, own)
	default:
		err = a.report(&came, end)
	}
	return came, err
}

// brief returns the outcome of a call in short, for when later events say more.
func brief(o memory.Outcome) string {
	if o == memory.OutcomeSuccess {
		return "succeeded"
	}
	return "answered"
}

// tell adds the text of the event at i.
func (a *aftermath) tell(came *sequel, i int) {
	f := &a.events[i]
	came.add(f.facets.Text, f.facets.Outcome == memory.OutcomeFailure, f.ev.Trust)
}

// collect finds the event and those after it. Events out of scope do not count.
func (a *aftermath) collect(c *frame.Card) error {
	g := a.g
	hidden := 0
	var failed error
	behind := timeline.Place{Sequence: c.Sequence, Timestamp: c.Timestamp, Position: c.Position, Type: hmx.EventType(c.Class)}
	a.events[0].place, a.n = behind, 1
	err := timeline.Following(g.s.Reader, g.s.Tenant.Number, c.Session, behind, func(p timeline.Place) bool {
		f := follower{place: p}
		if g.s.View.Scope != "" {
			var ev *board.StoredEvent
			if ev, failed = g.eventAt(p); failed != nil {
				return false
			}
			if ev == nil {
				hidden++
				return hidden < passed
			}
			f.keep(g, ev)
		}
		a.events[a.n] = f
		a.n++
		return a.n < len(a.events)
	})
	return fault.First(failed, err)
}

// keep stores the event of a follower, unless it has expired.
func (f *follower) keep(g *Gathering, ev *board.StoredEvent) {
	f.read = true
	if ev == nil {
		return
	}
	if end, ok := index.EndOfLife(ev.Recorded.UnixNano(), ev.Event); ok && end <= g.now {
		return
	}
	f.ev, f.facets = ev, kind.Read(ev.Event)
}

// at returns the event at i if it has the type, exists and has not expired; else
// nil.
func (a *aftermath) at(i int, t hmx.EventType) (*follower, error) {
	f := &a.events[i]
	if f.place.Type != t {
		return nil, nil
	}
	if !f.read {
		ev, err := a.g.eventAt(f.place)
		if err != nil {
			return nil, err
		}
		f.keep(a.g, ev)
	}
	if f.ev == nil {
		return nil, nil
	}
	return f, nil
}

// resultOf returns the index of the result of the event at i, or 0 if there is
// none: the one with the same call_id; if one of the two has none, the one that
// names the event as its parent; if neither names anything, that of the same tool
// before its next call.
func (a *aftermath) resultOf(i int) (int, error) {
	if !slices.ContainsFunc(a.events[i+1:a.n], func(f follower) bool { return f.place.Type == hmx.TypeToolResult }) {
		return 0, nil
	}
	of, err := a.at(i, a.events[i].place.Type)
	if of == nil || err != nil {
		return 0, err
	}
	calls := of.place.Type == hmx.TypeToolCall
	again := false
	for j := i + 1; j < a.n; j++ {
		if calls && !again && of.facets.Call == "" {
			next, err := a.at(j, hmx.TypeToolCall)
			if err != nil {
				return 0, err
			}
			again = next != nil && toolOf(next.ev) == toolOf(of.ev)
		}
		result, err := a.at(j, hmx.TypeToolResult)
		if err != nil {
			return 0, err
		}
		if result == nil {
			continue
		}
		parent := result.ev.Event.ParentEventID.Value
		switch {
		case calls && of.facets.Call != "" && result.facets.Call != "":
			if of.facets.Call == result.facets.Call {
				return j, nil
			}
		case parent != "":
			if parent == of.ev.Event.EventID {
				return j, nil
			}
		case calls && !again && of.facets.Call == "" && result.facets.Call == "":
			if toolOf(result.ev) == toolOf(of.ev) {
				return j, nil
			}
		}
	}
	return 0, nil
}

// toolOf returns the tool of an event.
func toolOf(ev *board.StoredEvent) string {
	switch ev.Event.EventType {
	case hmx.TypeToolCall:
		call, _ := ev.Event.ToolCall()
		return call.ToolName
	case hmx.TypeToolResult:
		result, _ := ev.Event.ToolResult()
		return result.ToolName
	}
	return ""
}

// nextTry returns the index of the next attempt at the same, or the end. A failed
// call did nothing, and is skipped.
func (a *aftermath) nextTry(c *frame.Card) (int, error) {
	object := -1
	for _, t := range a.g.tries {
		if t.position == c.Position {
			object = t.object
			break
		}
	}
	for i := 1; i < a.n; i++ {
		if !slices.Contains(a.g.tries, try{object, a.events[i].place.Position}) {
			continue
		}
		if a.events[i].place.Type == hmx.TypeToolCall {
			result, err := a.resultOf(i)
			if err != nil {
				return 0, err
			}
			if result > 0 && a.events[result].facets.Outcome == memory.OutcomeFailure {
				continue
			}
		}
		return i, nil
	}
	return a.n - 1, nil
}

// verdict is a judgement of an event.
type verdict struct {
	part
	trust record.Trust
	// weak is a successful command: it says less than counted tests, an error or
	// feedback.
	weak bool
}

// verdicts returns the judgements of the event, in order: the first few among the
// following events up to the end. If there are more, weak ones are dropped first,
// and if none of the first is a failed check, the first failed check replaces the
// last of them.
func (a *aftermath) verdicts(own, end int) (list []verdict, err error) {
	var checks [1 + followed]int // index of a result → index of the call that ran the check
	strong, failed := 0, false
	for i := 1; i < a.n && !(failed && strong >= verdicts); i++ {
		v, ok, err := a.verdict(i, own, end, &checks)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		list = append(list, v)
		if failed = failed || v.failed; !v.weak {
			strong++
		}
	}
	for i := 0; i < len(list) && len(list) > verdicts; {
		if list[i].weak {
			list = slices.Delete(list, i, i+1)
		} else {
			i++
		}
	}
	if len(list) > verdicts {
		if i := slices.IndexFunc(list, func(v verdict) bool { return v.failed }); i >= verdicts {
			list[verdicts-1] = list[i]
		}
		list = list[:verdicts]
	}
	return list, nil
}

// verdict returns the judgement in the event at i, if it has one. A check that a
// tool started before the end judges at the index of its result.
func (a *aftermath) verdict(i, own, end int, checks *[1 + followed]int) (v verdict, ok bool, err error) {
	typ := a.events[i].place.Type
	switch typ {
	case hmx.TypeTestRun, hmx.TypeError, hmx.TypeFeedback, hmx.TypeCommandExec, hmx.TypeToolCall:
		if i > end {
			return v, false, nil
		}
	case hmx.TypeToolResult:
		if checks[i] == 0 {
			return v, false, nil
		}
	default:
		return v, false, nil
	}
	f, err := a.at(i, typ)
	if f == nil || err != nil {
		return v, false, err
	}
	failed := f.facets.Outcome == memory.OutcomeFailure
	switch typ {
	case hmx.TypeToolCall:
		if f.facets.Checks {
			result, err := a.resultOf(i)
			checks[result] = i
			return v, false, err
		}
		return v, false, nil
	case hmx.TypeToolResult:
		call := a.events[checks[i]].ev
		return verdict{part{kind.Ran(call.Event, f.ev.Event), failed}, min(f.ev.Trust, call.Trust), !failed}, true, nil
	case hmx.TypeFeedback:
		failed = false
		ok, err = a.concerns(f.facets.Target, i, own)
	case hmx.TypeCommandExec:
		ok = f.facets.Tells && f.facets.Checks
	case hmx.TypeError:
		ok, failed = f.facets.Tells, false
	default:
		ok = f.facets.Tells
	}
	return verdict{part{f.facets.Text, failed}, f.ev.Trust, typ == hmx.TypeCommandExec && !failed}, ok, err
}

// concerns reports whether feedback at i with this target is about the event: the
// target is the event, its result or its call, is empty, or is a message in
// between, in which the agent says what it has done.
func (a *aftermath) concerns(target string, i, own int) (bool, error) {
	if target == "" {
		return true, nil
	}
	told, err := a.at(0, a.events[0].place.Type)
	if told == nil || err != nil {
		return false, err // erased since the snapshot was taken
	}
	if ev := told.ev.Event; target == ev.EventID || own > 0 && target == a.events[own].ev.Event.EventID ||
		ev.EventType == hmx.TypeToolResult && target == ev.ParentEventID.Value {
		return true, nil
	}
	for k := 1; k < i; k++ {
		if said, err := a.at(k, hmx.TypeMessage); err != nil || said != nil && said.ev.Event.EventID == target {
			return err == nil, err
		}
	}
	return false, nil
}

// report adds the first event up to the end that states its own outcome.
func (a *aftermath) report(came *sequel, end int) error {
	for i := 1; i <= end; i++ {
		for _, t := range [...]hmx.EventType{hmx.TypeCommandExec, hmx.TypeAPIResult} {
			f, err := a.at(i, t)
			if err != nil {
				return err
			}
			if f != nil && f.facets.Tells {
				a.tell(came, i)
				return nil
			}
		}
	}
	return nil
}
