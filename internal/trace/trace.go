package trace

import (
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace/provenance"
	"lukasa.dev/internal/trace/shapes"
)

// Version is the number of what Read makes of events. It is raised whenever the
// same events may read differently, so that caches of traces are rebuilt.
const Version = 4

// The bounds of a trace. Whatever the events are, no trace is larger.
const (
	MaxGoal  = 300 // bytes of a goal, cut at a word
	MaxWords = 24  // words of a goal
	MaxSaid  = 24  // words of the user before a step, and as many of the agent

	MaxRun     = 16   // steps of a run of the same step; the last stands for all that follow
	MaxSteps   = 3071 // steps of a task; of more, the first and the last are kept
	MaxTasks   = 512  // tasks of a session; the last has all that follows
	MaxChoices = 64   // choices of a task; of more, the first are kept
	MaxOptions = 8    // options of a choice that were not taken
	MaxOption  = 120  // bytes of a question, an option or a reason
	MaxProject = 512  // bytes of a project
	MaxAbroad  = 64   // verdicts on events that were not read; of more, the first are kept
)

// Trace is what one session did, or one part of it.
type Trace struct {
	Session string
	// Part is which part of the session it is, and End its last event. They are for callers
	// that read long sessions in parts; a [Reader] leaves them as they are.
	Part  int
	End   Mark
	Agent string // of the first event
	Tasks []Task
	// Events is how many were read.
	Events int
	// Abroad are the verdicts of feedback on events that were not read.
	Abroad []Verdict
}

// Mark is the place of an event in its session: by its sequence, its timestamp and its
// position, in this order.
type Mark struct {
	Sequence, Timestamp int64
	Position            uint64
}

// Task is one goal of a session, with the steps towards it.
type Task struct {
	// Goal is the user's own words that began it, or those of the marker that did;
	// it may be empty.
	Goal string
	// Words are the words of the goal, folded, without stop words, sorted, each once.
	Words []string
	// From and To are its first and its last event; feedback that came later is in
	// neither.
	From, To Ref
	// GoalRef is the event that the goal is from; its ID is empty if there is none.
	GoalRef Ref
	Steps   []Step
	// Choices are the decisions that were taken in words, in order.
	Choices []Choice
	Outcome Outcome
	// By says what the outcome is known from, and Judge is the event that says so.
	By    Evidence
	Judge Ref
	// Trust is that of the event the goal is from, or of the first if there is none.
	Trust record.Trust
	// Where is the environment that its events name, such as production; empty if none
	// does, or they name several.
	Where string
	// Project is the project that its events are from: the member project_id of their
	// metadata, else the working directory that the first names; empty if none does.
	Project string
	// Dropped is how many steps are missing in the middle of a task with more than
	// MaxSteps.
	Dropped int

	// Said to Left are the fields of that name in Step, for the step that would come
	// next.
	Said  []string
	Asked uint8
	Open  uint8
	Left  uint8
}

// Step is one act, with its result.
type Step struct {
	// Call is the event of the act, and Result that of its answer; an act with its own
	// outcome has the same event in both. An ID is empty if there is no such event.
	Call, Result Ref
	// Tool is the name of the step: for a command line that of [StepOf], else the tool's name,
	// or one of the names below for acts without a tool.
	Tool string
	// Shape says how it was called, without the values; see the package.
	Shape string
	// Error is the signature of the error; empty if there is none or it has no text.
	Error string
	// Said are folded words of what was said since the step before. The first Asked
	// of them are the user's, the rest the agent's, each part with the last message
	// first and no word twice.
	Said []string
	// Args are the arguments in the order of Shape.
	Args []Arg
	// Cost is how long it took in milliseconds, 0 if that is not known.
	Cost int64
	// Times is how many steps this one stands for: more than one only at the end of
	// a run of the same step. Call and Result are those of the last.
	Times uint32
	State State
	// Known says that the event states the outcome: by a flag, an exit code, a status.
	Known bool
	// Command says that a command line was run, whatever tool ran it.
	Command bool
	Got     Got
	Asked   uint8
	// Open is how many id-like values of earlier results no call had used before this
	// step, and Left how many of them are in the list that the step before took its
	// value from. Both count to MaxOpen.
	Open, Left uint8
	// Trust is the lowest of the events that Shape and Error are from.
	Trust record.Trust
}

// The names of acts that are not calls of a tool.
const (
	ToolCommand  = "command_exec" // a command line whose program has no name
	ToolEdit     = "file_edit"
	ToolTest     = "test_run"
	ToolBrowser  = "browser_action"
	ToolRequest  = "api_request"
	ToolDecision = "decision"
	ToolError    = "error" // an error that belongs to no act
	ToolUnnamed  = "tool"  // a tool without a name
)

// Arg is one argument of a step: what it is, and where its value was first seen.
type Arg struct {
	Name string
	// Tool is the tool whose result the value was first seen in, if From is FromResult.
	Tool string
	Slot shapes.Slot
	From provenance.Origin
	// Back is how many steps ago that result was, if From is FromResult or FromCall:
	// 1 is the step before; 255 is that or more.
	Back uint8
}

// Choice is a decision in words. Its texts are quotes, cut at a word.
type Choice struct {
	Ref                      Ref
	Step                     int // its place in the task's Steps, or -1 if it was dropped
	Question, Chosen, Reason string
	Others                   []string
}

// Verdict is what feedback says about an event that was not read: one of another session,
// or of an earlier part.
type Verdict struct {
	Target  string // id of that event; empty for the latest task before the part
	Outcome Outcome
	Judge   Ref
}

// Ref names an event.
type Ref struct {
	ID       string
	Position uint64 // in the tenant's journal
	Time     int64  // milliseconds since 1970 in UTC, as the event says
}

// When returns the time of the event.
func (r Ref) When() hmx.Time { return hmx.TimeOf(time.UnixMilli(r.Time)) }

// Outcome says how a task ended.
type Outcome uint8

// The outcomes. The numbers are in caches.
const (
	Unknown Outcome = iota
	Succeeded
	Failed
)

// State says how a step went.
type State uint8

// The states of a step. The numbers are in caches.
const (
	Unanswered State = iota // there is no result, or the call was interrupted
	OK                      // there is one, and it reports no failure
	Broken                  // it failed
	Denied                  // the user or a rule did not let it run
)

// Evidence is the source of an outcome, the weakest first. A weaker one never overrules a
// stronger one, and of two equal ones the later holds. The one exception: a last step that
// failed outweighs tests that passed before it.
type Evidence uint8

// The sources of outcomes. The numbers are in caches.
const (
	ByNothing  Evidence = iota
	ByLastStep          // the last step with a known outcome, or an error after it
	ByTests             // the last test run
	BySaying            // the user said so plainly
	ByMarker            // a change of state of the task
	ByFeedback          // a feedback event
)

// Got is the form of a result.
type Got uint8

// The forms of results. The numbers are in caches.
const (
	GotUnknown Got = iota // there is none, or its form is unknown
	GotNothing            // null, or an empty text, list or object
	GotText               // a text, a number or a boolean
	GotOne                // an object
	GotList               // a list with something in it
)
