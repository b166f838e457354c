package trace

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace/jsonpage"
	"lukasa.dev/internal/trace/provenance"
	"lukasa.dev/internal/trace/shapes"
)

// call is a call of a tool that a result may belong to.
type call struct {
	id, event uint64 // hashes of call_id, 0 if it has none, and of the event's id
	tool      string // as the call names it
	task      int32
	serial    uint32 // 0 if it is a call of Lukasa itself, which is no step
	answered  bool
	command   bool // it runs a command line
}

// maxCalls is how many calls wait for results; of more, the latest do.
const maxCalls = 64

// step adds a step to the task of an event, with the shape and the arguments that
// were read.
func (r *Reader) step(e Event, ref Ref, tool string) *Step {
	t := r.task(e, ref)
	if t.passing {
		t.Outcome, t.By, t.Judge, t.passing = Unknown, ByNothing, Ref{}, false
	}
	if t.over == mayEnd {
		t.over = goesOn
	}
	t.settle()
	t.thin()
	r.serial++
	s := Step{Call: own(ref), Tool: tool, Shape: r.intern(r.shape), Times: 1, Trust: e.Trust}
	s.Said, s.Asked = r.talk()
	s.Open, s.Left = r.origins.Open()
	r.said, r.told = r.said[:0], r.told[:0]
	t.Steps = append(t.Steps, s)
	t.serials = append(t.serials, r.serial)
	return &t.Steps[len(t.Steps)-1]
}

// settle counts the run of the last step, and drops the step before it if the run is
// longer than MaxRun.
func (t *building) settle() {
	n := len(t.Steps)
	if n < 2 || !same(&t.Steps[n-2], &t.Steps[n-1]) {
		t.run = 1
		return
	}
	if t.run++; t.run > MaxRun {
		t.run = MaxRun
		t.Task.drop(n - 2)
		t.serials = slices.Delete(t.serials, n-2, n-1)
	}
}

// collapse is settle for the end of a copy, where run is the length of the run that ends
// with the last step but one.
func (t *Task) collapse(run int) {
	if n := len(t.Steps); n >= 2 && run >= MaxRun && same(&t.Steps[n-2], &t.Steps[n-1]) {
		t.drop(n - 2)
	}
}

// drop removes the step at i, and counts it in the next one.
func (t *Task) drop(i int) {
	t.Steps[i+1].Times += t.Steps[i].Times
	t.Steps = slices.Delete(t.Steps, i, i+1)
	t.shiftChoices(i, 1)
}

// shiftChoices corrects the steps of choices after n steps at i are removed.
func (t *Task) shiftChoices(i, n int) {
	for k := range t.Choices {
		switch c := &t.Choices[k]; {
		case c.Step >= i+n:
			c.Step -= n
		case c.Step >= i:
			c.Step = -1
		}
	}
}

// same reports whether b repeats a, without a message in between.
func same(a, b *Step) bool {
	return a.State != Unanswered && a.State == b.State && len(b.Said) == 0 && a.Tool == b.Tool && a.Shape == b.Shape && a.Error == b.Error
}

// thin drops steps in the middle of a task that has too many.
func (t *building) thin() {
	const third = (MaxSteps + 1) / 3
	if len(t.Steps) < MaxSteps {
		return
	}
	for _, s := range t.Steps[third : 2*third] {
		t.Dropped += int(s.Times)
	}
	t.Steps = slices.Delete(t.Steps, third, 2*third)
	t.serials = slices.Delete(t.serials, third, 2*third)
	t.shiftChoices(third, third)
}

// stepAt returns the step of a place, or nil if it is none or was dropped.
func (r *Reader) stepAt(p place) *Step {
	if p.serial == 0 || int(p.task) >= len(r.tasks) {
		return nil
	}
	t := &r.tasks[p.task]
	i, ok := slices.BinarySearch(t.serials, p.serial)
	if !ok {
		return nil
	}
	return &t.Steps[i]
}

// toolCall reads a call of a tool.
func (r *Reader) toolCall(e Event, ref Ref) {
	does := r.callOf(e.Event)
	c := call{event: provenance.KeyOf(e.EventID), id: r.callID(), tool: does.tool, command: does.command}
	if does.own {
		r.task(e, ref)
	} else {
		s := r.step(e, ref, does.step)
		s.Command = does.command
		r.traceArgs(does.args, s)
		c.serial = r.serial
	}
	c.task = int32(len(r.tasks) - 1)
	if len(r.calls) == maxCalls {
		r.calls = slices.Delete(r.calls, 0, 1)
	}
	r.calls = append(r.calls, c)
	if c.id != 0 {
		r.keepCall(c.id, place{c.task, c.serial})
	}
}

// invocation is what a call invokes.
type invocation struct {
	tool    string // as the call names it
	step    string
	args    *jsonpage.Page
	command bool // it runs a command line
	own     bool // it calls Lukasa itself
}

// callOf returns what a call invokes, and reads its shape.
func (r *Reader) callOf(ev *hmx.Event) invocation {
	p := &r.content
	tool := r.toolName(r.nameOfTool(ev))
	args, at := p, p.Member(0, "arguments", "args", "input", "parameters")
	if at != canon.None && p.Doc.Kind(at) == canon.String && r.inner.OpenInner(p.At(at)) {
		args, at = &r.inner, 0
	}
	if at == canon.None {
		at = 0
		args = &jsonpage.Page{}
	}
	r.shapeOf(args, at)
	c := invocation{tool: tool, step: tool, args: args, own: ownName(tool)}
	if runs(tool) && r.commandIn(args, at) {
		c.command, c.step = true, r.stepName()
		c.own = c.own || ownName(c.step)
	}
	return c
}

// stepName returns the step of the command line whose shape was read.
func (r *Reader) stepName() string {
	if name := shapes.StepOf(string(r.shape)); name != "" {
		return r.intern([]byte(name))
	}
	return ToolCommand
}

// nameOfTool returns the name of the tool that an event is about.
func (r *Reader) nameOfTool(ev *hmx.Event) string {
	if name := r.content.Str(0, "tool_name", "tool"); name != "" {
		return name
	}
	name, _ := strings.CutPrefix(ev.Source.Value, "tool:")
	if name == ev.Source.Value {
		return ""
	}
	return name
}

// runs reports whether a tool runs command lines, by the words of its name.
func runs(tool string) bool {
	var buf [2 * shapes.MaxName]byte
	for w := range bytes.FieldsSeq(shapes.SpaceWords(buf[:0], tool)) {
		if runners()[string(w)] {
			return true
		}
	}
	return false
}

// ownName reports whether the name of a tool, or of a program, is one of Lukasa's own.
func ownName(name string) bool {
	if !strings.Contains(name, "ukasa") {
		return false
	}
	for w := range strings.FieldsFuncSeq(name, func(c rune) bool { return c < 'a' || c > 'z' }) {
		if w == "lukasa" {
			return true
		}
	}
	return false
}

// commandIn makes the shape that of the command line among the arguments, and reports
// whether there is one.
func (r *Reader) commandIn(p *jsonpage.Page, n canon.Node) bool {
	at := commandAt(p, n)
	if at == canon.None {
		return false
	}
	shape := shapes.CommandShape(nil, commandText(p, at))
	if len(shape) > 0 {
		r.shape = append(r.shape[:0], shape...)
	}
	return len(shape) > 0
}

// commandAt returns the command line among arguments, or None.
func commandAt(p *jsonpage.Page, n canon.Node) canon.Node {
	at := p.Member(n, "command", "cmd", "script", "command_line", "commandLine")
	if action := p.Member(n, "action"); at == canon.None && action != canon.None {
		at = p.Member(action, "command", "cmd")
	}
	return at
}

// commandText returns the command at n: a line, or words that are one.
func commandText(p *jsonpage.Page, n canon.Node) string {
	switch p.Doc.Kind(n) {
	case canon.String:
		return p.At(n)
	case canon.Array:
		var b []byte
		first, end := p.Doc.Children(n)
		for c := first; c < end && len(b) < shapes.MaxShaped; c = p.Doc.After(c) {
			if p.Doc.Kind(c) != canon.String {
				continue
			}
			if len(b) > 0 {
				b = append(b, ' ')
			}
			w := p.At(c)
			b = append(b, '\'')
			b = append(b, strings.ReplaceAll(w[:min(len(w), shapes.MaxShaped)], "'", `'\''`)...)
			b = append(b, '\'')
		}
		return string(b)
	}
	return ""
}

// traceArgs returns the arguments with the origins of their values, and marks the values
// as used.
func (r *Reader) traceArgs(p *jsonpage.Page, s *Step) {
	if len(r.args) == 0 {
		return
	}
	s.Args = make([]Arg, len(r.args))
	for i, a := range r.args {
		s.Args[i] = r.traced(a, provenance.ArgumentOf(p, r.argAt[i]))
	}
	tool := r.origins.ToolNumber(s.Tool)
	for _, at := range r.argAt {
		r.useAll(p, at, tool)
	}
}

// traced returns an argument with the origin of its value.
func (r *Reader) traced(a Arg, v string) Arg {
	if len(v) > shapes.MaxSlotText || v == "" || a.Slot == shapes.SlotNull || a.Slot == shapes.SlotBool {
		return a
	}
	seen := r.origins.Known(provenance.TrimValue(v))
	if seen == nil {
		return a
	}
	a.From = seen.From
	if seen.From == provenance.FromResult || seen.From == provenance.FromCall {
		a.Back = uint8(min(r.serial-seen.Step, 255))
	}
	if seen.From == provenance.FromResult {
		a.Tool = r.origins.Tools[seen.Tool]
	}
	return a
}

// useAll marks the strings of an argument as used.
func (r *Reader) useAll(p *jsonpage.Page, n canon.Node, tool uint16) {
	const most = 64 // strings of one argument
	end := p.Doc.After(n)
	for c, used := n, 0; c < end && used < most; c++ {
		switch p.Doc.Kind(c) {
		case canon.String:
			if _, size := p.Doc.Measure(c); size <= shapes.MaxSlotText {
				r.origins.Use(provenance.TrimValue(p.At(c)), r.serial, tool)
				used++
			}
		case canon.Number:
			if start, stop := p.Doc.Span(c); stop-start >= 4 && stop-start <= provenance.MaxValue {
				r.origins.Use(p.Text[start:stop], r.serial, tool)
				used++
			}
		}
	}
}

// toolResult reads the result of a tool, or what a later source adds to one.
func (r *Reader) toolResult(e Event, ref Ref) {
	p := &r.content
	later := r.adds(e.Event)
	at, found := r.answers(e.Event, later)
	s := r.stepAt(at)
	switch {
	case s != nil:
		r.keep(e.EventID, at)
	case found, later, ownName(r.nameOfTool(e.Event)):
		r.task(e, ref) // the step was dropped, or it is none
		return
	default:
		r.shape = r.shape[:0]
		s = r.step(e, ref, r.toolName(r.nameOfTool(e.Event)))
		s.Call = Ref{}
		at.serial = r.serial
	}
	if s.Result.ID == "" || !later {
		s.Result = own(ref)
	}
	s.Cost = max(s.Cost, duration(p))
	went := r.resultWent(e.Event)
	switch {
	case later && (s.Known || s.State == Denied):
		if s.State == Broken && went.state == Broken && !Telltale(s.Error) {
			r.breaks(s, r.resultError(went.result), e.Trust)
		}
		return // it only adds to an unknown outcome
	case went.state == OK && !went.known && s.State != Unanswered:
		return // it adds nothing
	}
	if went.result != canon.None {
		s.Got = r.form(p, went.result, 0)
		r.origins.Walk(p, went.result, at.serial, r.origins.ToolNumber(s.Tool))
	} else if went.known && !later {
		s.Got = GotNothing
	}
	s.State, s.Known, s.Trust = went.state, went.known, min(s.Trust, e.Trust)
	before := s.Error
	s.Error = ""
	switch {
	case went.state == Broken:
		r.breaks(s, r.resultError(went.result), e.Trust)
		if !Telltale(s.Error) {
			s.Error = cmp.Or(r.heard[at.serial], before, s.Error)
		}
	case s.Command && r.undecided(e.Event, &went):
		r.hear(at.serial, r.signature(r.resultError(went.result)))
	}
}

// undecided reports whether a result is that of a command without a known outcome.
func (r *Reader) undecided(ev *hmx.Event, went *resulted) bool {
	if went.state != OK || went.known || went.result == canon.None {
		return false
	}
	name := r.nameOfTool(ev)
	return name == "" || runs(name)
}

// hear remembers the text of the result of a step, in case a later event reports that the
// step failed.
func (r *Reader) hear(serial uint32, signature string) {
	if len(r.heard) >= maxPlaces {
		clear(r.heard)
	}
	if r.heard == nil {
		r.heard = make(map[uint32]string)
	}
	r.heard[serial] = signature
}

// adds reports whether an event adds what a later source knows to an earlier result.
func (r *Reader) adds(ev *hmx.Event) bool {
	if slices.Contains(ev.Tags, TagOutcome) {
		return true
	}
	later, _ := r.content.Truth(0, TagOutcome)
	return later
}

// TagOutcome is the tag of a result that a later source adds to a call, and the member of
// its content that says so.
const TagOutcome = "outcome"

// resulted is the outcome of a call, from its result.
type resulted struct {
	result canon.Node // what the tool gave
	state  State
	known  bool // the event states the outcome
}

// resultWent returns the outcome of a call, from its result.
func (r *Reader) resultWent(ev *hmx.Event) resulted {
	p := &r.content
	out := resulted{result: p.Member(0, "result", "output", "content"), state: OK}
	if denied, ok := p.Truth(0, "denied"); ok && denied {
		out.state = Denied
		return out
	}
	if r.interrupted(out.result) {
		out.state = Unanswered
		return out
	}
	broken, known := r.went(ev)
	if !known {
		broken = out.result != canon.None && r.looksBroken(p, out.result)
	}
	if out.known = known || broken; broken {
		out.state = Broken
	}
	if broken || !known {
		if state, ok := passedBy(r.resultHead(out.result)); ok {
			out.state, out.known = state, false
		}
	}
	return out
}

// resultHead returns the beginning of the text of a result.
func (r *Reader) resultHead(result canon.Node) string {
	if result == canon.None {
		return r.resultError(result)
	}
	if r.content.Doc.Kind(result) == canon.String {
		return r.content.At(result)
	}
	return r.errorText(&r.content, result, 0)
}

// interrupted reports whether a result says that its call was interrupted.
func (r *Reader) interrupted(result canon.Node) bool {
	cut, ok := r.content.Truth(0, "interrupted")
	if !ok && result != canon.None {
		cut, _ = r.content.Truth(result, "interrupted")
	}
	return cut
}

// signature returns the signature of a text.
func (r *Reader) signature(text string) string {
	r.shape = shapes.AppendSignature(r.shape[:0], text)
	return r.intern(r.shape)
}

// resultError returns the error text of a result.
func (r *Reader) resultError(result canon.Node) string {
	if result != canon.None {
		if text := r.errorText(&r.content, result, 0); text != "" {
			return text
		}
	}
	return r.errorText(&r.content, 0, 0)
}

// answers returns the place of the call that a result belongs to, and whether there is
// one. What a later source adds belongs only to a call that it names.
func (r *Reader) answers(ev *hmx.Event, later bool) (at place, found bool) {
	id, tool := r.callID(), r.nameOfTool(ev)
	if id != 0 {
		for i := len(r.calls) - 1; i >= 0; i-- {
			if r.calls[i].id == id {
				return r.answer(i), true
			}
		}
		if at, ok := r.byCall[id]; ok {
			return at, true
		}
	}
	for _, named := range [...]hmx.Opt[string]{ev.ParentEventID, ev.CorrelationID} {
		if named.Value == "" {
			continue
		}
		key := provenance.KeyOf(named.Value)
		for i := len(r.calls) - 1; i >= 0; i-- {
			if c := &r.calls[i]; c.event == key && (id == 0 || c.id == 0) {
				return r.answer(i), true
			}
		}
		if at, ok := r.places[key]; ok && later && at.serial > 0 {
			return at, true
		}
	}
	if later {
		return place{}, false
	}
	command := tool != "" && runs(tool)
	for i := range r.calls {
		if c := &r.calls[i]; !c.answered && (id == 0 || c.id == 0) && (tool == "" || c.tool == tool || command && c.command || c.tool == ToolUnnamed) {
			return r.answer(i), true
		}
	}
	return place{}, false
}

func (r *Reader) answer(i int) place {
	c := &r.calls[i]
	c.answered = true
	return place{c.task, c.serial}
}

// breaks marks a step as failed with the signature of a text.
func (r *Reader) breaks(s *Step, text string, trust record.Trust) {
	s.State, s.Known = Broken, true
	r.shape = shapes.AppendSignature(r.shape[:0], text)
	if len(r.shape) > 0 {
		s.Error = r.intern(r.shape)
	}
	s.Trust = min(s.Trust, trust)
}

// duration returns how long something took, in whole milliseconds.
func duration(p *jsonpage.Page) int64 {
	at := p.Member(0, "duration_ms")
	if at == canon.None || p.Doc.Kind(at) != canon.Number {
		return 0
	}
	const most = 1 << 53
	if ms := p.Doc.Float(at); ms > 0 && ms < most {
		return int64(ms)
	}
	return 0
}

// deedOf returns the name of an act with its own outcome, and reads its shape.
func (r *Reader) deedOf(typ hmx.EventType) string {
	p := &r.content
	r.shape, r.args, r.argAt = r.shape[:0], r.args[:0], r.argAt[:0]
	tool := ToolEdit
	switch typ {
	case hmx.TypeCommandExec:
		if tool = ToolCommand; r.commandIn(p, 0) {
			tool = r.stepName()
		}
	case hmx.TypeTestRun:
		tool = ToolTest
		if r.commandIn(p, 0); len(r.shape) == 0 {
			r.named(p, "framework")
		}
	case hmx.TypeFileEdit:
		r.named(p, "old_path", "operation", "path")
	case hmx.TypeBrowserAction:
		tool = ToolBrowser
		r.named(p, "action", "selector", "url", "value")
	case hmx.TypeAPIResult:
		tool = ToolRequest
		if method := p.Str(0, "method"); len(method) <= 10 && shapes.Printable(method) {
			r.shape = append(append(r.shape, strings.ToUpper(method)...), ' ')
		}
		r.shape = shapes.Route(r.shape, p.Str(0, "url"))
	}
	return tool
}

// deed reads an act with its own outcome.
func (r *Reader) deed(e Event, ref Ref) {
	p := &r.content
	tool := r.deedOf(e.EventType)
	if ownName(tool) {
		r.task(e, ref)
		return
	}
	s := r.step(e, ref, tool)
	s.Command = e.EventType == hmx.TypeCommandExec && len(r.shape) > 0
	s.Result = s.Call
	s.Cost = duration(p)
	r.traceArgs(p, s)
	r.outputs(e, s)
	state, known, text := r.deedWent(e.Event)
	if s.State, s.Known = state, known; state == Broken {
		r.breaks(s, text, e.Trust)
	}
}

// deedWent returns the outcome of an act with its own outcome, and if it failed the text
// of the error.
func (r *Reader) deedWent(ev *hmx.Event) (state State, known bool, text string) {
	if denied, ok := r.content.Truth(0, "denied"); ok && denied {
		return Denied, false, ""
	}
	if r.interrupted(canon.None) {
		return Unanswered, false, ""
	}
	broken, known := r.went(ev)
	if !broken {
		return OK, known, ""
	}
	text = r.deedError(ev)
	if state, ok := passedBy(text); ok {
		return state, false, ""
	}
	return Broken, true, text
}

// named makes the shape of the members of the content with these names, which are sorted.
func (r *Reader) named(p *jsonpage.Page, names ...string) {
	for _, name := range names {
		c := p.Member(0, name)
		if c == canon.None {
			continue
		}
		slot := r.slotAt(p, c, []byte(name))
		if name == "value" || name == "selector" {
			slot = shapes.SlotText // what was typed, or where
		}
		r.argAt = append(r.argAt, c)
		r.args = append(r.args, Arg{Name: name, Slot: slot})
		if len(r.shape) > 0 {
			r.shape = append(r.shape, ' ')
		}
		r.shape = append(append(r.shape, name...), '=')
		if slot == shapes.SlotWord {
			r.shape = append(r.shape, p.At(c)...)
		} else {
			r.shape = append(r.shape, slot.String()...)
		}
	}
}

// outputs remembers the values in the output of an act.
func (r *Reader) outputs(e Event, s *Step) {
	p := &r.content
	number := r.origins.ToolNumber(s.Tool)
	for _, name := range [...]string{"stdout", "stderr", "output", "response", "failures", "result", "text"} {
		if c := p.Member(0, name); c != canon.None {
			if s.Got == GotUnknown || s.Got == GotNothing {
				s.Got = r.form(p, c, 0)
			}
			r.origins.Walk(p, c, r.serial, number)
		}
	}
}

// deedError returns the error text of an act.
func (r *Reader) deedError(ev *hmx.Event) string {
	p := &r.content
	if c := p.Member(0, "failures"); ev.EventType == hmx.TypeTestRun && c != canon.None && !p.Empty(c) {
		if text := r.errorText(p, c, 0); text != "" {
			return text
		}
	}
	text := ""
	for _, name := range [...]string{"stderr", "error", "message", "stdout", "output", "response", "reason", "text"} {
		if c := p.Member(0, name); c != canon.None && !p.Empty(c) {
			if text = r.errorText(p, c, 0); strings.TrimSpace(text) != "" {
				break
			}
		}
	}
	if status, ok := p.Integer(0, "status_code"); ok && ev.EventType == hmx.TypeAPIResult {
		return strings.TrimSuffix("HTTP "+strconv.FormatInt(status, 10)+": "+shapes.TellingLine(text), ": ")
	}
	if strings.TrimSpace(text) != "" {
		return text
	}
	if code, ok := r.exitCode(ev); ok {
		return "exit code " + strconv.FormatInt(code, 10)
	}
	return ""
}

// runners are the words in the names of tools that run command lines.
var runners = shapes.List("bash shell sh zsh exec execute terminal command cmd run powershell console process")
