package trace

import (
	"iter"
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace/jsonpage"
	"lukasa.dev/internal/trace/provenance"
)

// LongPause is the pause after which a user's message begins a new task.
const LongPause = 4 * time.Hour

// Event is an event with what the journal knows of it.
type Event struct {
	*hmx.Event
	Position uint64
	Trust    record.Trust
}

// Read returns the trace of a session from all its events in order. It fails only with
// an error of the sequence, which it returns unchanged. No string of the trace shares
// memory with an event.
func Read(events iter.Seq2[Event, error]) (*Trace, error) {
	var r Reader
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		r.Add(e)
	}
	return r.Trace(), nil
}

// Reader reads one session event by event. The zero value is ready. It is not safe for
// concurrent use.
type Reader struct {
	shared *Strings // texts are taken from here
	own    Strings

	session, agent string
	events         int
	tasks          []building
	abroad         []Verdict
	prev           Ref   // the last event that belongs to a task; its id is not a copy
	clock          int64 // the time of the last event

	serial  uint32 // steps so far
	places  map[uint64]place
	byCall  map[uint64]place  // of calls, by their call_id
	heard   map[uint32]string // signatures of results without a known outcome, by step
	calls   []call
	origins provenance.Values
	lexicon lexicon
	// said has the words of the user, and told those of the agent, since the last step.
	said, told []int32

	// What follows is for one event at a time.
	content, metadata, inner jsonpage.Page
	words                    []int32
	shape                    []byte
	args                     []Arg
	argAt                    []canon.Node
	fold8                    [48]byte
}

// NewReader returns a reader whose traces share their texts with all others that are
// made with the same strings.
func NewReader(s *Strings) *Reader { return &Reader{shared: s} }

// building is a task that is being read.
type building struct {
	Task
	serials []uint32 // those of the steps
	run     int      // length of the run that ends with the last step but one
	over    ending
	greeted bool // the goal is a greeting only
	passing bool // the outcome is void once a further step is taken
	several bool // environments
	placed  bool // the project is known by its id
}

// ending is a sign that a task is over.
type ending uint8

const (
	goesOn ending = iota
	mayEnd        // unless a step follows
	ended
)

// place is where an event went: the task, and the step if it is part of one.
type place struct {
	task   int32
	serial uint32
}

// maxPlaces is how many events are remembered by their ids; of more, the latest are.
const maxPlaces = 1 << 18

// Add reads the next event of the session.
func (r *Reader) Add(e Event) {
	ev := e.Event
	if ev == nil {
		return
	}
	if r.events == 0 {
		r.start(ev)
	}
	r.events++
	r.origins.Left = provenance.MaxScanned
	r.content.OpenObject(string(ev.Content))
	ref := Ref{ID: ev.EventID, Position: e.Position, Time: ev.Timestamp.Time().UnixMilli()}
	at := r.serial
	switch ev.EventType {
	case hmx.TypeMessage:
		r.message(e, ref)
	case hmx.TypeToolCall:
		r.toolCall(e, ref)
	case hmx.TypeToolResult:
		r.toolResult(e, ref)
	case hmx.TypeCommandExec, hmx.TypeTestRun, hmx.TypeFileEdit, hmx.TypeBrowserAction, hmx.TypeAPIResult:
		r.deed(e, ref)
	case hmx.TypeDecision:
		r.decision(e, ref)
	case hmx.TypeError:
		r.failure(e, ref)
	case hmx.TypeStateChange:
		r.stateChange(e, ref)
	case hmx.TypeFeedback:
		r.feedback(ref)
		r.clock = ref.Time
		return
	default:
		r.task(e, ref)
		r.world()
	}
	r.stand(ev)
	r.belong(ev)
	r.prev, r.clock = ref, ref.Time
	if r.serial != at {
		r.keep(ev.EventID, place{int32(len(r.tasks) - 1), r.serial})
	} else if _, ok := r.places[provenance.KeyOf(ev.EventID)]; !ok {
		r.keep(ev.EventID, place{int32(len(r.tasks) - 1), 0})
	}
}

// start begins a session.
func (r *Reader) start(ev *hmx.Event) {
	if r.shared == nil {
		r.shared = &r.own
	}
	r.session, r.agent = strings.Clone(ev.SessionID), r.intern([]byte(ev.AgentID))
	if r.places == nil {
		r.places, r.byCall = map[uint64]place{}, map[uint64]place{}
	}
	r.origins.Inner = &r.inner
	r.origins.Reset()
}

// keep remembers where an event went.
func (r *Reader) keep(id string, p place) {
	if len(r.places) >= maxPlaces {
		clear(r.places)
	}
	r.places[provenance.KeyOf(id)] = p
}

// keepCall remembers where a call went.
func (r *Reader) keepCall(id uint64, p place) {
	if len(r.byCall) >= maxPlaces {
		clear(r.byCall)
		clear(r.heard)
	}
	r.byCall[id] = p
}

// intern returns a copy of a text, the same for the same bytes.
func (r *Reader) intern(b []byte) string { return r.shared.take(b) }

// own returns a reference that shares no memory with the event.
func own(ref Ref) Ref {
	ref.ID = strings.Clone(ref.ID)
	return ref
}

// task returns the task that an event belongs to, and begins the first.
func (r *Reader) task(e Event, ref Ref) *building {
	if len(r.tasks) == 0 {
		r.begin(e, ref)
	}
	return &r.tasks[len(r.tasks)-1]
}

// begin begins a task with an event.
func (r *Reader) begin(e Event, ref Ref) *building {
	if n := len(r.tasks); n > 0 {
		r.close(&r.tasks[n-1].Task)
	}
	r.said, r.told = r.said[:0], r.told[:0]
	r.tasks = append(r.tasks, building{Task: Task{From: own(ref), Trust: e.Trust}})
	return &r.tasks[len(r.tasks)-1]
}

// close writes what is known at the end of the last task.
func (r *Reader) close(t *Task) {
	t.To = own(r.prev)
	t.Said, t.Asked = r.talk()
	t.Open, t.Left = r.origins.Open()
}

// talk returns the words since the last step as a list of its own, and how many of
// them are the user's.
func (r *Reader) talk() ([]string, uint8) {
	if len(r.said)+len(r.told) == 0 {
		return nil, 0
	}
	list := make([]string, 0, len(r.said)+len(r.told))
	for _, n := range r.said {
		list = append(list, r.lexicon.words[n])
	}
	for _, n := range r.told {
		list = append(list, r.lexicon.words[n])
	}
	return list, uint8(len(r.said))
}

// Trace returns the trace of the events so far. Later calls of Add do not change it.
func (r *Reader) Trace() *Trace {
	t := &Trace{Session: r.session, Agent: r.agent, Events: r.events, Abroad: slices.Clone(r.abroad)}
	if len(r.tasks) == 0 {
		return t
	}
	t.Tasks = make([]Task, len(r.tasks))
	for i := range r.tasks {
		b := &r.tasks[i]
		task := b.Task
		task.Steps = slices.Clone(b.Steps)
		task.Choices = slices.Clone(b.Choices)
		if i == len(r.tasks)-1 {
			r.close(&task)
		}
		task.collapse(b.run)
		task.conclude()
		t.Tasks[i] = task
	}
	return t
}

// Reset makes the reader ready for another session, and reuses its memory.
func (r *Reader) Reset() {
	r.session, r.agent, r.events = "", "", 0
	r.tasks, r.abroad = nil, nil
	r.prev, r.clock, r.serial = Ref{}, 0, 0
	if len(r.places) > 1<<12 {
		r.places, r.byCall = nil, nil
	}
	clear(r.places)
	clear(r.byCall)
	clear(r.heard)
	r.calls = r.calls[:0]
	r.said, r.told = r.said[:0], r.told[:0]
	r.content.Let()
	r.metadata.Let()
	r.inner.Let()
}

// world remembers the values of an event that is no act.
func (r *Reader) world() {
	p := &r.content
	if !p.Ok {
		return
	}
	first, end := p.Doc.Children(0)
	for c := first; c < end; c = p.Doc.After(c) {
		if p.Doc.Kind(c) == canon.String {
			r.origins.Seen(p.At(c), false, provenance.FromWorld, r.serial, 0)
		}
	}
}
