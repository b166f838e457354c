// Package kind derives facets from an event: its trust, a summary of one line, the frames
// in which it matters, its outcome.
//
// It guarantees one row for every standard type and one for all others; that no
// event is trusted more than its sender; that text of an event stays within quotes
// that it cannot close, without characters that control a terminal, reorder or hide
// text; that frames are valid, clean and few; and that the same event always reads the
// same, in time bounded by its size. Types, tools and programs are in tables, which
// docs/formats/frames.md shows.
//
// It does not judge what a text says: the origin of a text decides its tier of trust,
// and the place of a name in the event decides its frame. The package keeps no state and
// sees one event at a time, so the arguments of a tool are known from the call and not
// from the result.
package kind

import (
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
)

// Version is the number of what Read makes of events. It is raised whenever the
// same event may read differently, so that indexes made from facets are rebuilt.
const Version = 1

// Facets is what the engine sees of an event. Indexes read facets and know no
// type of event.
type Facets struct {
	// Text says in one line what happened, at most [MaxText] bytes: words of the
	// engine, and in quotes what the event says.
	Text string
	// Frames are the situations in which the event matters, at most [MaxFrames], the
	// most specific first, without duplicates. Their references are clean, see
	// [CleanRef], and may share memory with the event.
	Frames []memory.Frame
	// Outcome is the outcome that the event states.
	Outcome memory.Outcome
	// Importance is what the event declares as its salience, or else what its
	// type usually has; 0 to 1.
	Importance float64
	// Section is its section of a pack: episodes, or evidence for the output of tools
	// and external sources.
	Section hmx.Section
	// Tells says that the event reports an outcome.
	Tells bool
	// Checks says that the event ran a check of the work: tests, or a command that
	// checks.
	Checks bool
	// Call is the id that a tool's call and its result share, and Target the event
	// that feedback is about; empty where the event names none. Both may be parts
	// of the event's own text.
	Call, Target string
}

// Read returns the facets of an event. It never fails: of content that is not JSON, or
// has other kinds of values than its type, it reads what it can. The work is bounded by
// the size of the event, and the search for names in text by constants.
func Read(ev *hmx.Event) Facets {
	r := borrow(ev)
	defer r.giveBack()
	return r.read()
}

// read makes the facets of the event.
func (r *reader) read() Facets {
	r.judge()
	r.collect()
	r.line.max = MaxText
	r.tell()
	return Facets{
		Text:       string(r.line.buf),
		Frames:     r.frames.taken(),
		Outcome:    r.outcome,
		Importance: r.importance(),
		Section:    r.row.section,
		Tells:      r.tells(),
		Checks:     r.bit == onTestRun || r.command.Checks,
		Call:       r.call(),
		Target:     r.target(),
	}
}

// call returns the id that a call and its result share.
func (r *reader) call() string {
	if r.bit&onTools == 0 {
		return ""
	}
	return r.content.str(fCall)
}

// target returns the event that feedback is about.
func (r *reader) target() string {
	if r.bit != onFeedback {
		return ""
	}
	return r.content.str(fTarget)
}

// judge determines the act and its outcome, once.
func (r *reader) judge() {
	if r.judged {
		return
	}
	r.judged = true
	r.outcome = r.howItWent()
	switch r.row.choose {
	case byTool:
		r.judgeTool()
	case byProgram:
		r.readCommand(&r.content, r.content.at[fCommand])
	case byAction:
		if verb, ok := recognize.VerbsOfActions().Get([]byte(recognize.LowerASCII(shorten(r.content.str(fAction))))); ok {
			r.verb = verb
		}
	case byMethod:
		if verb, ok := recognize.VerbsOfMethods()[strings.ToUpper(shorten(r.content.str(fMethod)))]; ok {
			r.verb = verb
		}
	case byType:
		if r.bit == onTestRun {
			verb := r.verb
			r.readCommand(&r.content, r.content.at[fCommand])
			r.verb = verb // this run of the program tested
		}
	}
}

// shorten returns s, or "" if it is longer than any word of a table.
func shorten(s string) string {
	if len(s) > recognize.MaxWord {
		return ""
	}
	return s
}

// judgeTool finds the verb of a tool: that of the command for a tool that runs commands;
// for any other that of its argument command, such as view, or of its name, or else of
// the action among its arguments.
func (r *reader) judgeTool() {
	r.tool = recognize.ReadTool(r.toolName())
	r.verb = r.tool.Verb
	if r.args == nil {
		r.shell = r.tool.Shell
		return
	}
	command := r.argsAt[fCommand]
	if r.tool.Shell && command != 0 {
		r.shell = true
		r.readCommand(r.args, command)
		return
	}
	if said := r.actionFacts(command); said.Known {
		r.verb, r.tool.Makes = said.Verb, said.Makes
	} else if said := r.actionFacts(r.argsAt[fAction]); said.Known && (!r.tool.Known || r.tool.Noun) {
		r.verb, r.tool.Makes = said.Verb, said.Makes
	}
}

// actionFacts returns the facts of the argument n if it is the name of an action, as
// editors and browsers take it.
func (r *reader) actionFacts(n canon.Node) recognize.ToolFacts {
	if n == 0 {
		return recognize.ToolFacts{}
	}
	word := r.args.strAt(n)
	if len(word) > 2*recognize.MaxWord {
		return recognize.ToolFacts{}
	}
	return recognize.ReadTool(word)
}

// readCommand reads the command n, a line of shell or a list of words, and takes
// its verb.
func (r *reader) readCommand(p *page, n canon.Node) {
	if n == 0 {
		return
	}
	switch p.doc.Kind(n) {
	case canon.String:
		r.command = recognize.ReadCommand(r.text(p, n, recognize.MaxCommand))
	case canon.Array:
		var words [recognize.MaxWords]string
		count := 0
		first, end := p.doc.Children(n)
		for c := first; c < end && count < recognize.MaxWords; c = p.doc.After(c) {
			if p.doc.Kind(c) == canon.String {
				words[count] = r.text(p, c, recognize.MaxCommand)
				count++
			}
		}
		r.command = recognize.ReadWords(words[:count], 0)
	}
	if r.command.Program != "" {
		r.verb = r.command.Verb
	}
}

// toolName returns the name of the tool that an event is about.
func (r *reader) toolName() string {
	if name := r.content.str(fTool); name != "" {
		return name
	}
	return r.sourceTool()
}

// sourceTool returns the tool that a source of the form tool:name names.
func (r *reader) sourceTool() string {
	name, ok := strings.CutPrefix(r.ev.Source.Value, "tool:")
	if !ok || len(name) > memory.MaxRef {
		return ""
	}
	return name
}

// howItWent returns the outcome that the event states.
func (r *reader) howItWent() memory.Outcome {
	c := &r.content
	switch r.bit {
	case onError:
		return memory.OutcomeFailure
	case onFeedback:
		switch c.str(fSignal) {
		case "positive":
			return memory.OutcomeSuccess
		case "negative":
			return memory.OutcomeFailure
		case "correction":
			return memory.OutcomePartial
		}
		return memory.OutcomeUnknown
	case onMessage, onToolCall, onDecision, onObservation, onStateChange, onOther:
		return memory.OutcomeUnknown
	}
	if well, known := c.truth(fSuccess); known {
		return outcome(well)
	}
	if faulty, known := c.truth(fFault); known {
		return outcome(!faulty)
	}
	if code, known := r.exitCode(); known {
		return outcome(code == 0)
	}
	switch r.bit {
	case onTestRun:
		failed, told := c.integer(fFailed)
		passed, _ := c.integer(fPassed)
		if failed > 0 || told && passed > 0 {
			return outcome(failed <= 0)
		}
	case onAPIResult:
		if status, known := c.integer(fStatus); known {
			return outcome(status < 400)
		}
	case onToolResult:
		return r.resultOutcome()
	}
	return memory.OutcomeUnknown
}

// resultOutcome looks for a sign of success in the result of a tool.
func (r *reader) resultOutcome() memory.Outcome {
	if !r.content.is(fResult, canon.Object) {
		return memory.OutcomeUnknown
	}
	inner := slots{}
	r.content.find(&inner, r.content.at[fResult], contentNames())
	outer := r.content.at
	r.content.at = inner
	well, wellKnown := r.content.truth(fSuccess)
	faulty, faultKnown := r.content.truth(fFault)
	code, codeKnown := r.content.integer(fExit)
	r.content.at = outer
	switch {
	case wellKnown:
		return outcome(well)
	case faultKnown:
		return outcome(!faulty)
	case codeKnown:
		return outcome(code == 0)
	}
	return memory.OutcomeUnknown
}

func outcome(well bool) memory.Outcome {
	if well {
		return memory.OutcomeSuccess
	}
	return memory.OutcomeFailure
}

// exitCode returns the exit code of what was run.
func (r *reader) exitCode() (int64, bool) {
	if code, ok := r.content.integer(fExit); ok {
		return code, true
	}
	if r.bit&(onCommandExec|onTestRun|onTools) == 0 {
		return 0, false
	}
	return r.metadata.integer(fExit)
}

// importance returns the declared salience, or what the type usually has.
func (r *reader) importance() float64 {
	switch s := r.ev.Salience; {
	case s.Set && s.Value >= 0:
		return min(s.Value, 1)
	case s.Set:
		return 0
	case r.bit == onMessage && r.content.str(fRole) == "user":
		return userImportance
	}
	return r.row.importance
}

// tells reports whether the event states an outcome. A command does if it has ended.
func (r *reader) tells() bool {
	return r.row.tells && (r.bit != onCommandExec || r.outcome != memory.OutcomeUnknown)
}
