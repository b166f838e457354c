package trace

import (
	"strings"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/programs"
	"lukasa.dev/internal/trace/jsonpage"
	"lukasa.dev/internal/trace/provenance"
	"lukasa.dev/internal/trace/shapes"
)

// Glance is what [Replay] needs of one event to return the outcomes of acts. It is derived
// from that event alone, and small enough to be kept for every event. Its only texts are
// the name of a tool, a shape and a signature.
type Glance struct {
	Sort GlanceSort
	// State and Known are the outcome of an act with its own outcome, or of the call that a
	// result answers.
	State State
	Known bool
	// Outcome is what a user's words or a feedback say about the task.
	Outcome Outcome
	// Spoke says that a message has words, and Spoke2 that it has two or more.
	Spoke, Spoke2 bool
	// Leaves says that a user's message is only thanks or a goodbye.
	Leaves bool
	// Next says that a decision is about the next task.
	Next bool
	// Named says that a result names its tool as calls do.
	Named bool
	// Command says that an act runs a command line, or that a result names a tool that
	// does. Tool is then the step, and of a result the tool.
	Command bool
	// Later says that a result adds to an earlier one.
	Later bool

	Tool, Shape, Error string

	// The hashes of the event's own id, of the call that it is or answers, of the events
	// that it names as parent, as correlation and as what feedback is about; 0 for none.
	Event, Call, Parent, Correlation, Target uint64
}

// GlanceSort is what an event is for a replay.
type GlanceSort uint8

// The sorts. The numbers are in indexes.
const (
	GlanceOther    GlanceSort = iota // it counts for the time only
	GlanceUser                       // a message of the user
	GlanceAgent                      // a message of the agent
	GlanceCall                       // a call of a tool
	GlanceResult                     // the result of one
	GlanceDeed                       // an act with its own outcome
	GlanceDecision                   // a choice in words
	GlanceError                      // an error
	GlanceBegun                      // a task or a goal begins
	GlanceDone                       // one is done
	GlanceUndone                     // one has failed
	GlanceFeedback                   // a verdict
	GlanceMended                     // a correction
	GlanceOwn                        // a call of Lukasa itself
)

// Act reports whether the event is an act by itself: a call, or a deed.
func (g *Glance) Act() bool { return g.Sort == GlanceCall || g.Sort == GlanceDeed }

// glancers are readers that are used for one event at a time.
var glancers = sync.Pool{New: func() any { return new(Reader) }}

// maxGlanced is how many texts a reader for glances keeps.
const maxGlanced = 1 << 10

// GlanceAt reads one event. It never fails, and no string of the glance shares memory with
// the event.
func GlanceAt(ev *hmx.Event) *Glance {
	r := glancers.Get().(*Reader)
	defer glancers.Put(r)
	if r.shared = &r.own; len(r.own.known) > maxGlanced {
		r.own = Strings{}
	}
	g := &Glance{Event: provenance.KeyOf(ev.EventID)}
	r.content.OpenObject(string(ev.Content))
	switch ev.EventType {
	case hmx.TypeMessage:
		r.glanceMessage(g)
	case hmx.TypeToolCall:
		does := r.callOf(ev)
		g.Sort, g.Call = GlanceCall, r.callID()
		if does.own {
			g.Sort = GlanceOwn
			break
		}
		g.Tool, g.Command, g.Shape = does.step, does.command, r.intern(r.shape)
	case hmx.TypeToolResult:
		r.glanceResult(g, ev)
	case hmx.TypeCommandExec, hmx.TypeTestRun, hmx.TypeFileEdit, hmx.TypeBrowserAction, hmx.TypeAPIResult:
		tool := r.deedOf(ev.EventType)
		if ownName(tool) {
			break
		}
		g.Sort, g.Tool, g.Shape = GlanceDeed, tool, r.intern(r.shape)
		g.Command = ev.EventType == hmx.TypeCommandExec && g.Shape != ""
		state, known, text := r.deedWent(ev)
		if g.State, g.Known = state, known; state == Broken {
			r.glanceBroken(g, text)
		}
	case hmx.TypeDecision:
		g.Sort, g.Tool, g.State, g.Next = GlanceDecision, ToolDecision, OK, aboutNext(r.content.Str(0, "question"))
	case hmx.TypeError:
		g.Sort, g.Tool = GlanceError, ToolError
		text := r.failureText()
		g.named(ev)
		if state, ok := passedBy(text); ok {
			g.State, g.Known = state, false
			break
		}
		if ownName(r.content.Str(0, "tool_name", "tool")) {
			g.Sort = GlanceOther
			break
		}
		r.glanceBroken(g, text)
	case hmx.TypeStateChange:
		g.Sort = r.marker()
	case hmx.TypeFeedback:
		r.glanceFeedback(g)
	}
	r.content.Let()
	r.metadata.Let()
	r.inner.Let()
	return g
}

// named notes which events an event names.
func (g *Glance) named(ev *hmx.Event) {
	if id := ev.ParentEventID.Value; id != "" {
		g.Parent = provenance.KeyOf(id)
	}
	if id := ev.CorrelationID.Value; id != "" {
		g.Correlation = provenance.KeyOf(id)
	}
}

func (r *Reader) glanceMessage(g *Glance) {
	switch r.content.Str(0, "role") {
	case "user":
		g.Sort = GlanceUser
	case "assistant", "agent":
		g.Sort = GlanceAgent
	default:
		return
	}
	text := r.content.Str(0, "text", "content")
	if len(text) <= 2*spokenEnds {
		g.Spoke = fewWords(text, 1) == 1
	} else {
		g.Spoke = fewWords(text[:spokenEnds], 1)+fewWords(text[len(text)-spokenEnds:], 1) > 0
	}
	if g.Sort == GlanceUser {
		g.Leaves, g.Outcome = closes(text), verdict(text)
		g.Spoke2 = fewWords(text, 2) == 2
	}
}

func (r *Reader) glanceResult(g *Glance, ev *hmx.Event) {
	g.Sort, g.Call = GlanceResult, r.callID()
	name := r.nameOfTool(ev)
	g.Tool = r.toolName(name)
	g.Named = name == "" || name == g.Tool
	if name == "" {
		g.Tool = ""
	}
	g.Command, g.Later = name != "" && runs(name), r.adds(ev)
	g.named(ev)
	went := r.resultWent(ev)
	g.State, g.Known = went.state, went.known
	switch {
	case went.state == Broken:
		r.glanceBroken(g, r.resultError(went.result))
	case r.undecided(ev, &went):
		g.Error = r.signature(r.resultError(went.result)) // in case a later event reports a failure
	}
}

// glanceBroken sets the error of a failed act.
func (r *Reader) glanceBroken(g *Glance, text string) {
	g.State, g.Known = Broken, true
	r.shape = shapes.AppendSignature(r.shape[:0], text)
	g.Error = r.intern(r.shape)
}

func (r *Reader) glanceFeedback(g *Glance) {
	o, correction := r.signal()
	if o == Unknown {
		return
	}
	if g.Sort, g.Outcome = GlanceFeedback, o; correction {
		g.Sort = GlanceMended
	}
	if target := r.content.Str(0, "target_event_id"); target != "" {
		g.Target = provenance.KeyOf(target)
	}
}

// callID returns the hash of the call that an event is or answers, 0 if it names none.
func (r *Reader) callID() uint64 {
	if id := r.content.Str(0, "call_id"); id != "" {
		return provenance.KeyOf(id)
	}
	return 0
}

// MaxCommand is the most bytes of a command line that CommandLine returns.
const MaxCommand = 300

// CommandLine returns the command line that an event runs, as it was written, in one line
// and cut at a word; empty if it runs none.
func CommandLine(ev *hmx.Event) string {
	r := glancers.Get().(*Reader)
	defer glancers.Put(r)
	r.shared = &r.own
	r.content.OpenObject(string(ev.Content))
	defer func() {
		r.content.Let()
		r.inner.Let()
	}()
	p, at := &r.content, r.content.Member(0, "arguments", "args", "input", "parameters")
	switch {
	case ev.EventType == hmx.TypeCommandExec || ev.EventType == hmx.TypeTestRun:
		at = 0
	case ev.EventType != hmx.TypeToolCall || at == canon.None:
		return ""
	case p.Doc.Kind(at) == canon.String:
		if !r.inner.OpenInner(p.At(at)) {
			return ""
		}
		p, at = &r.inner, 0
	}
	if at = commandAt(p, at); at == canon.None {
		return ""
	}
	if p.Doc.Kind(at) == canon.Array {
		return shapes.Clip(wordsOf(p, at), MaxCommand)
	}
	return shapes.Clip(commandText(p, at), MaxCommand)
}

// wordsOf returns the words of a list with spaces between them; for a shell with a line as its
// argument, the line.
func wordsOf(p *jsonpage.Page, n canon.Node) string {
	var words []string
	first, end := p.Doc.Children(n)
	for c := first; c < end && len(words) < shapes.MaxLexed; c = p.Doc.After(c) {
		if p.Doc.Kind(c) == canon.String {
			words = append(words, p.At(c))
		}
	}
	if len(words) > 0 && programs.Shells()[shapes.ProgramOf(words[0])] {
		if line, ok := shapes.ShellText(words[1:]); ok {
			return line
		}
	}
	return strings.Join(words, " ")
}
