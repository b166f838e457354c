package trace

import (
	"cmp"
	"slices"

	"lukasa.dev/internal/programs"
)

// Deed is an act of a session, with its outcome and that of its task.
type Deed struct {
	Position uint64 // of the act's event
	Told     uint64 // of the last event with its outcome; the act's own if there is none
	Time     int64  // of the act's event, in milliseconds since 1970
	Tool     string
	Shape    string
	Error    string // signature, if it failed
	State    State
	Known    bool
	Command  bool // it ran a command line
	Task     Outcome

	said string // signature of the text of a result without a known outcome
}

// Replay returns the outcome of each act of a session, or of a part of it, from glances
// alone. For a whole session it agrees with a [Reader], with two differences: it returns
// each act, however often it is repeated, and leaves none out if there are many. The zero
// value is ready. It is not safe for concurrent use.
type Replay struct {
	deeds  []Deed
	tasks  []replayed
	calls  []call
	places map[uint64]place
	byCall map[uint64]place
	spoke  bool  // a message came since the last act
	clock  int64 // the time of the last event
}

// replayed is a task of a replay.
type replayed struct {
	steps   []int // its acts
	outcome Outcome
	by      Evidence
	over    ending
	passing bool
}

// Reset makes the replay ready for another session.
func (p *Replay) Reset() {
	p.deeds, p.tasks, p.calls = p.deeds[:0], p.tasks[:0], p.calls[:0]
	clear(p.places)
	clear(p.byCall)
	p.spoke, p.clock = false, 0
}

// Add takes the next event of the session: its position, its time in milliseconds, and
// the glance at it.
func (p *Replay) Add(position uint64, time int64, g *Glance) {
	if g.Sort == GlanceFeedback || g.Sort == GlanceMended {
		p.feedback(g)
		p.clock = time
		return
	}
	if len(p.tasks) == 0 {
		p.begin()
	}
	before := len(p.deeds)
	switch g.Sort {
	case GlanceUser:
		p.user(time, g)
	case GlanceAgent:
		p.spoke = p.spoke || g.Spoke
	case GlanceCall, GlanceOwn:
		c := call{id: g.Call, event: g.Event, tool: g.Tool, command: g.Command}
		if g.Sort == GlanceCall {
			p.step(position, time, g)
			c.serial = uint32(len(p.deeds))
		}
		p.call(c)
	case GlanceResult:
		p.result(position, time, g)
	case GlanceDeed, GlanceDecision:
		if g.Next && len(p.last().steps) > 0 && len(p.tasks) < MaxTasks {
			p.begin()
		}
		d := p.step(position, time, g)
		d.State, d.Known, d.Error = g.State, g.Known, g.Error
	case GlanceError:
		d := p.failed(g)
		if g.State != Broken {
			if d != nil {
				d.State, d.Known, d.Error = g.State, false, ""
			}
			break
		}
		if d == nil {
			d = p.step(position, time, g)
		}
		if d.State, d.Known, d.Told = Broken, true, position; g.Error != "" {
			d.Error = g.Error
		}
	case GlanceBegun:
		if t := p.last(); (len(t.steps) > 0 || t.over == ended) && len(p.tasks) < MaxTasks {
			p.begin()
		}
	case GlanceDone:
		p.mark(Succeeded)
	case GlanceUndone:
		p.mark(Failed)
	}
	p.clock = time
	here := place{task: int32(len(p.tasks) - 1)}
	if len(p.deeds) > before {
		here.serial = uint32(len(p.deeds))
	} else if _, ok := p.places[g.Event]; ok {
		return
	}
	p.keep(g.Event, here)
}

func (p *Replay) last() *replayed { return &p.tasks[len(p.tasks)-1] }

func (p *Replay) begin() {
	p.tasks = append(p.tasks, replayed{})
	p.spoke = false
}

func (p *Replay) keep(event uint64, at place) {
	if p.places == nil {
		p.places = make(map[uint64]place)
	}
	p.places[event] = at
}

// call remembers a call that a result may belong to.
func (p *Replay) call(c call) {
	c.task = int32(len(p.tasks) - 1)
	if len(p.calls) == maxCalls {
		p.calls = slices.Delete(p.calls, 0, 1)
	}
	p.calls = append(p.calls, c)
	if c.id == 0 {
		return
	}
	if p.byCall == nil {
		p.byCall = make(map[uint64]place)
	}
	p.byCall[c.id] = place{c.task, c.serial}
}

// step adds an act to the last task.
func (p *Replay) step(position uint64, time int64, g *Glance) *Deed {
	t := p.last()
	if t.passing {
		t.outcome, t.by, t.passing = Unknown, ByNothing, false
	}
	if t.over == mayEnd {
		t.over = goesOn
	}
	p.spoke = false
	t.steps = append(t.steps, len(p.deeds))
	p.deeds = append(p.deeds, Deed{Position: position, Told: position, Time: time, Tool: g.Tool, Shape: g.Shape, Command: g.Command})
	return &p.deeds[len(p.deeds)-1]
}

// user takes a message of the user.
func (p *Replay) user(time int64, g *Glance) {
	t := p.last()
	if !g.Leaves && p.over(t, time, g) {
		p.begin()
		t = p.last()
	}
	if len(t.steps) > 0 {
		if g.Outcome != Unknown && t.by <= BySaying {
			t.outcome, t.by, t.passing = g.Outcome, BySaying, true
		}
		if g.Leaves && t.over == goesOn {
			t.over = mayEnd
		}
	}
	p.spoke = p.spoke || g.Spoke
}

// over reports whether a message of the user that is not a goodbye begins a new task.
func (p *Replay) over(t *replayed, time int64, g *Glance) bool {
	switch {
	case len(p.tasks) >= MaxTasks:
		return false
	case t.over == ended:
		return true
	case len(t.steps) == 0:
		return false
	case t.over == mayEnd:
		return g.Spoke2
	}
	return time-p.clock >= LongPause.Milliseconds()
}

// result takes the result of a tool, or what a later source adds to one.
func (p *Replay) result(position uint64, time int64, g *Glance) {
	at, found := p.answers(g)
	var d *Deed
	switch {
	case at.serial > 0:
		d = &p.deeds[at.serial-1]
		p.keep(g.Event, at)
	case found, g.Later, ownName(g.Tool):
		return
	default:
		named := Glance{Tool: cmp.Or(g.Tool, ToolUnnamed)}
		d = p.step(position, time, &named)
	}
	switch {
	case g.Later && (d.Known || d.State == Denied):
		if d.State == Broken && g.State == Broken && g.Error != "" && !Telltale(d.Error) {
			d.Error = g.Error
		}
		return // it only adds to an unknown outcome
	case g.State == OK && !g.Known && d.State != Unanswered:
		return // it adds nothing
	}
	before := d.Error
	d.State, d.Known, d.Error, d.Told = g.State, g.Known, "", position
	switch {
	case g.State == Broken:
		if d.Error = g.Error; !Telltale(d.Error) {
			d.Error = cmp.Or(d.said, before, d.Error)
		}
	case g.State == OK && !g.Known && d.Command:
		d.said = g.Error
	}
}

// answers returns the place of the call that a result belongs to, and whether there is one.
func (p *Replay) answers(g *Glance) (place, bool) {
	if g.Call != 0 {
		for i := len(p.calls) - 1; i >= 0; i-- {
			if p.calls[i].id == g.Call {
				return p.answer(i), true
			}
		}
		if at, ok := p.byCall[g.Call]; ok {
			return at, true
		}
	}
	for _, named := range [...]uint64{g.Parent, g.Correlation} {
		for i := len(p.calls) - 1; i >= 0 && named != 0; i-- {
			if c := &p.calls[i]; c.event == named && (g.Call == 0 || c.id == 0) {
				return p.answer(i), true
			}
		}
		if at, ok := p.places[named]; ok && named != 0 && g.Later && at.serial > 0 {
			return at, true
		}
	}
	for i := range p.calls {
		c := &p.calls[i]
		if !g.Later && !c.answered && (g.Call == 0 || c.id == 0) && (g.Tool == "" || g.Named && c.tool == g.Tool || g.Command && c.command || c.tool == ToolUnnamed) {
			return p.answer(i), true
		}
	}
	return place{}, false
}

func (p *Replay) answer(i int) place {
	c := &p.calls[i]
	c.answered = true
	return place{c.task, c.serial}
}

// failed returns the act that an error belongs to.
func (p *Replay) failed(g *Glance) *Deed {
	for _, named := range [...]uint64{g.Correlation, g.Parent} {
		if at, ok := p.places[named]; ok && named != 0 && at.serial > 0 {
			return &p.deeds[at.serial-1]
		}
	}
	t := p.last()
	if p.spoke || len(t.steps) == 0 {
		return nil
	}
	if d := &p.deeds[t.steps[len(t.steps)-1]]; d.State != Denied && (d.State != OK || !d.Known && d.Tool != ToolDecision) {
		return d
	}
	return nil
}

// mark ends a task with the outcome of its marker.
func (p *Replay) mark(o Outcome) {
	t := p.last()
	t.over = ended
	if t.by <= ByMarker {
		t.outcome, t.by, t.passing = o, ByMarker, false
	}
}

// feedback takes a verdict on a task.
func (p *Replay) feedback(g *Glance) {
	at := len(p.tasks) - 1
	if g.Target != 0 {
		where, ok := p.places[g.Target]
		if !ok {
			return
		}
		at = int(where.task)
	}
	if at < 0 {
		return
	}
	t := &p.tasks[at]
	t.outcome, t.by, t.passing = g.Outcome, ByFeedback, g.Sort == GlanceMended
	if !t.passing {
		t.over = ended
	}
	p.keep(g.Event, place{int32(at), 0})
}

// Deeds returns the acts in order. They are valid until the replay is used again.
func (p *Replay) Deeds() []Deed {
	for i := range p.tasks {
		t := &p.tasks[i]
		o := t.conclude(p.deeds)
		for _, n := range t.steps {
			p.deeds[n].Task = o
		}
	}
	return p.deeds
}

// conclude returns how a task ended: by what a message or feedback said, else by its last
// tests, else by its last act with a known outcome.
func (t *replayed) conclude(deeds []Deed) Outcome {
	if t.by > ByTests {
		return t.outcome
	}
	o := Unknown
	for i := len(t.steps) - 1; i >= 0; i-- {
		d := &deeds[t.steps[i]]
		if !d.Known {
			continue
		}
		went := Succeeded
		if d.State == Broken {
			went = Failed
		}
		if o == Unknown {
			if o = went; o == Failed {
				return o
			}
		}
		if d.Tool == ToolTest || d.Command && programs.RunsTests(d.Tool) {
			return went
		}
	}
	return o
}
