package trace

import (
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/programs"
	"lukasa.dev/internal/trace/provenance"
	"lukasa.dev/internal/trace/shapes"
)

// message reads a message.
func (r *Reader) message(e Event, ref Ref) {
	text := r.content.Str(0, "text", "content")
	switch r.content.Str(0, "role") {
	case "user":
		r.userSays(e, ref, text)
	case "assistant", "agent":
		r.task(e, ref)
		r.agentSays(text)
	default:
		r.task(e, ref)
		r.origins.Seen(text, true, provenance.FromSystem, r.serial, 0)
	}
}

// agentSays keeps the words of the agent.
func (r *Reader) agentSays(text string) {
	r.spoken(&r.told, text, MaxSaid)
	r.origins.Seen(text, true, provenance.FromAgent, r.serial, 0)
}

// userSays reads a message of the user: it may begin a task, name its goal, judge it
// or end it.
func (r *Reader) userSays(e Event, ref Ref, text string) {
	leaves := closes(text)
	t := r.task(e, ref)
	if !leaves && r.over(t, ref, text) {
		t = r.begin(e, ref)
	}
	from := provenance.FromUser
	if len(t.Steps) == 0 && (t.GoalRef.ID == "" || t.greeted) && text != "" {
		r.aim(t, e, ref, text)
		from = provenance.FromGoal
	} else if len(t.Steps) > 0 {
		if o := verdict(text); o != Unknown && t.By <= BySaying {
			t.Outcome, t.By, t.Judge, t.passing = o, BySaying, own(ref), true
		}
		if leaves && t.over == goesOn {
			t.over = mayEnd
		}
	}
	r.spoken(&r.said, text, MaxSaid)
	r.origins.Seen(text, true, from, r.serial, 0)
}

// over reports whether a message of the user that is not a goodbye begins a new task.
func (r *Reader) over(t *building, ref Ref, text string) bool {
	if len(r.tasks) >= MaxTasks {
		return false
	}
	switch {
	case t.over == ended:
		return true
	case len(t.Steps) == 0:
		return false
	case t.over == mayEnd:
		return len(r.fold(r.newList(), text, 2)) == 2
	}
	return ref.Time-r.clock >= LongPause.Milliseconds()
}

// aim makes a text the goal of a task.
func (r *Reader) aim(t *building, e Event, ref Ref, text string) {
	list := r.fold(r.newList(), text, MaxWords)
	r.words = list
	t.greeted = len(list) < 2
	if t.GoalRef.ID != "" && len(list) <= len(t.Words) {
		return // it adds nothing to the goal
	}
	t.Goal = shapes.Clip(text, MaxGoal)
	t.Words = nil
	if len(list) > 0 {
		t.Words = r.texts(list)
		slices.Sort(t.Words)
	}
	t.GoalRef, t.Trust = own(ref), e.Trust
}

// decision reads a choice in words. One about what to do next may begin a task.
func (r *Reader) decision(e Event, ref Ref) {
	p := &r.content
	question, chosen := p.Str(0, "question"), p.Str(0, "chosen_option")
	if t := r.task(e, ref); len(t.Steps) > 0 && aboutNext(question) && len(r.tasks) < MaxTasks {
		r.aim(r.begin(e, ref), e, ref, chosen)
	}
	r.shape, r.args, r.argAt = r.shape[:0], r.args[:0], r.argAt[:0]
	n := shapes.Normaliser{Out: r.shape}
	n.Line(shapes.Clip(question, MaxOption))
	r.shape = shapes.Lower(r.shape[:0], n.Out)
	s := r.step(e, ref, ToolDecision)
	s.Result, s.State = s.Call, OK
	t := &r.tasks[len(r.tasks)-1]
	if len(t.Choices) == MaxChoices {
		return
	}
	c := Choice{
		Ref: s.Call, Step: len(t.Steps) - 1,
		Question: shapes.Clip(question, MaxOption), Chosen: shapes.Clip(chosen, MaxOption), Reason: shapes.Clip(p.Str(0, "reasoning"), MaxOption),
	}
	if list := p.Member(0, "alternatives"); list != canon.None && p.Doc.Kind(list) == canon.Array {
		first, end := p.Doc.Children(list)
		for o := first; o < end && len(c.Others) < MaxOptions; o = p.Doc.After(o) {
			if p.Doc.Kind(o) == canon.String {
				c.Others = append(c.Others, shapes.Clip(p.At(o), MaxOption))
			}
		}
	}
	t.Choices = append(t.Choices, c)
}

// aboutNext reports whether a question asks for the next task.
func aboutNext(question string) bool {
	if len(question) > 2*MaxOption {
		return false
	}
	next, task := false, false
	for w := (wordScanner{text: question}); w.next(); {
		switch string(w.word()) {
		case "next", "new":
			next = true
		case "task", "goal", "objective":
			task = true
		}
	}
	return next && task
}

// failure reads an error: it belongs to a step, or is one.
func (r *Reader) failure(e Event, ref Ref) {
	text := r.failureText()
	s := r.failed(e.Event)
	if state, ok := passedBy(text); ok || ownName(r.content.Str(0, "tool_name", "tool")) {
		if r.task(e, ref); s != nil && ok {
			s.State, s.Known, s.Error = state, false, ""
		}
		return
	}
	if s == nil {
		r.shape = r.shape[:0]
		s = r.step(e, ref, ToolError)
		s.Result = s.Call
	}
	r.breaks(s, text, e.Trust)
	r.world()
}

// failureText returns the text of an error.
func (r *Reader) failureText() string {
	p := &r.content
	text := shapes.TellingLine(p.Str(0, "message"))
	if text == "" {
		text = shapes.TellingLine(p.Str(0, "stack"))
	}
	if kind := p.Str(0, "error_type"); kind != "" && len(kind) <= shapes.MaxName && !strings.Contains(text, kind) {
		text = strings.TrimSuffix(kind+": "+text, ": ")
	}
	return text
}

// failed returns the step that an error belongs to.
func (r *Reader) failed(ev *hmx.Event) *Step {
	for _, named := range [...]hmx.Opt[string]{ev.CorrelationID, ev.ParentEventID} {
		if named.Value == "" {
			continue
		}
		if at, ok := r.places[provenance.KeyOf(named.Value)]; ok {
			if s := r.stepAt(at); s != nil {
				return s
			}
		}
	}
	if len(r.tasks) == 0 || len(r.said)+len(r.told) > 0 {
		return nil
	}
	t := &r.tasks[len(r.tasks)-1]
	if len(t.Steps) == 0 {
		return nil
	}
	if s := &t.Steps[len(t.Steps)-1]; s.State != Denied && (s.State != OK || !s.Known && s.Tool != ToolDecision) {
		return s
	}
	return nil
}

// The words of changes of state that begin and end tasks.
var (
	markers = shapes.List("task goal objective job ticket issue request workflow story todo mission")
	begun   = shapes.List("started start begin begun opened open active new running working progress assigned planned")
	done    = shapes.List("done complete completed finished resolved closed succeeded success successful solved merged shipped delivered fixed")
	undone  = shapes.List("failed failure aborted abandoned cancelled canceled rejected blocked error stuck")
)

// maxState is the length of the longest state that is compared with these words.
const maxState = 64

// stateChange reads a change of state. Of a task or a goal it may begin a task, or
// end one.
func (r *Reader) stateChange(e Event, ref Ref) {
	t := r.task(e, ref)
	r.world()
	switch r.marker() {
	case GlanceUndone:
		r.mark(t, ref, Failed)
	case GlanceDone:
		r.mark(t, ref, Succeeded)
	case GlanceBegun:
		if (len(t.Steps) > 0 || t.over == ended) && len(r.tasks) < MaxTasks {
			t = r.begin(e, ref)
		}
		if reason := r.content.Str(0, "reason"); reason != "" && t.GoalRef.ID == "" {
			r.aim(t, e, ref, reason)
		}
	}
}

// marker returns whether a change of state begins or ends a task or a goal.
func (r *Reader) marker() GlanceSort {
	to := r.content.Str(0, "to")
	switch {
	case !hasWord(r.content.Str(0, "subject"), markers()) || len(to) > maxState:
	case hasWord(to, undone()):
		return GlanceUndone
	case hasWord(to, done()):
		return GlanceDone
	case hasWord(to, begun()):
		return GlanceBegun
	}
	return GlanceOther
}

// mark ends a task with the outcome of its marker.
func (r *Reader) mark(t *building, ref Ref, o Outcome) {
	t.over = ended
	if t.By <= ByMarker {
		t.Outcome, t.By, t.Judge, t.passing = o, ByMarker, own(ref), false
	}
}

// hasWord reports whether one of the words of a text is in a set.
func hasWord(text string, set map[string]bool) bool {
	if len(text) > 4*maxState {
		return false
	}
	var buf [4 * 64]byte
	low := shapes.Lower(buf[:0], text)
	start := 0
	for i := 0; i <= len(low); i++ {
		if i == len(low) || shapes.Classes[low[i]] != shapes.ClassLower {
			if set[string(low[start:i])] {
				return true
			}
			start = i + 1
		}
	}
	return false
}

// feedback reads a verdict on a task.
func (r *Reader) feedback(ref Ref) {
	p := &r.content
	o, correction := r.signal()
	if o == Unknown {
		return
	}
	target := p.Str(0, "target_event_id")
	at := len(r.tasks) - 1
	if target != "" {
		at = -1
		if where, ok := r.places[provenance.KeyOf(target)]; ok {
			at = int(where.task)
		}
	}
	if at < 0 {
		if len(r.abroad) < MaxAbroad && len(target) <= maxTarget {
			r.abroad = append(r.abroad, Verdict{Target: strings.Clone(target), Outcome: o, Judge: own(ref)})
		}
		return
	}
	t := &r.tasks[at]
	t.Outcome, t.By, t.Judge = o, ByFeedback, own(ref)
	t.passing = correction
	if !correction {
		t.over = ended
	}
	r.keep(ref.ID, place{int32(at), 0})
}

// signal returns the outcome of a feedback, and whether it is a correction.
func (r *Reader) signal() (o Outcome, correction bool) {
	switch r.content.Str(0, "signal") {
	case "positive":
		return Succeeded, false
	case "negative":
		return Failed, false
	case "correction":
		return Failed, true
	}
	return Unknown, false
}

// maxTarget is the length of the longest target of a [Verdict].
const maxTarget = 1024

// conclude judges a task by its steps, unless stronger evidence judged it.
func (t *Task) conclude() {
	if t.By > ByTests {
		return
	}
	for i := len(t.Steps) - 1; i >= 0; i-- {
		s := &t.Steps[i]
		if !s.Known {
			continue
		}
		if t.By == ByNothing {
			t.judge(s, ByLastStep)
			if t.Outcome == Failed {
				return
			}
		}
		if s.Tool == ToolTest || s.Command && programs.RunsTests(s.Tool) {
			t.judge(s, ByTests)
			return
		}
	}
}

// judge takes the outcome of a step as that of the task.
func (t *Task) judge(s *Step, by Evidence) {
	t.Outcome, t.By, t.Judge = Succeeded, by, s.Result
	if s.State == Broken {
		t.Outcome = Failed
	}
	if t.Judge.ID == "" {
		t.Judge = s.Call
	}
}
