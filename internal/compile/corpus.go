package compile

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
	"lukasa.dev/internal/trace/shapes"
)

// exact is the number of observations up to which all of them are counted.
const exact = 8

// counted returns how many of n observations are counted: all up to exact, beyond that the
// largest number with three significant binary digits, so that evidence makes four versions
// each time it doubles.
func counted(n int) int {
	if n <= exact {
		return n
	}
	shift := bits.Len(uint(n)) - 3
	return n >> shift << shift
}

// corpus is the tasks of a tenant, oldest first, with their acts.
type corpus struct {
	tools   []string // by name
	numbers map[string]int32
	taken   []int    // acts with each tool
	command []bool   // per tool: it is a command line
	looks   []bool   // per tool: it only reads or lists files
	edits   []bool   // per tool: its name says that it writes files
	words   []string // of goals, in order of first occurrence
	tasks   []work
	order   []moment // the acts of all tasks, in the order of the journal
	groups  []group  // the result of procedures
	grouped sync.Once
}

// work is a task with its acts.
type work struct {
	*trace.Task
	session int32 // the number of its session
	acts    []act
	goal    []int32 // distinct words of its goal, by number
}

// act is a step that counts. Its rank is its place among those of all tasks, and grows within a
// task. error is the number of its error, 0 if there is none, and state that of the step. The
// fields read most often are here, next to each other.
type act struct {
	*trace.Step
	tool  int32
	rank  int32
	error int32
	state trace.State
}

// call describes a step in words: to run a command, in its shape if known, or to call a tool.
func (c *corpus) call(tool int32, shape string) string {
	switch {
	case !c.command[tool]:
		return "Call " + c.tools[tool]
	case shape != "":
		return "Run " + shape
	}
	return "Run " + c.tools[tool]
}

// until returns the acts up to a rank.
func (w *work) until(rank int32) []act {
	return w.acts[:sort.Search(len(w.acts), func(i int) bool { return w.acts[i].rank > rank })]
}

// moment identifies an act.
type moment struct {
	at        uint64 // place in the journal
	task, act int32
}

// Ref returns the event of a step.
func Ref(s *trace.Step) *trace.Ref {
	if s.Call.ID == "" {
		return &s.Result
	}
	return &s.Call
}

// newCorpus sorts traces.
func newCorpus(traces []*trace.Trace) *corpus {
	c := &corpus{numbers: make(map[string]int32)}
	traces = slices.Clone(traces)
	slices.SortStableFunc(traces, func(a, b *trace.Trace) int {
		return cmp.Or(cmp.Compare(first(a), first(b)), strings.Compare(a.Session, b.Session))
	})
	acts := 0
	sessions := sessionNumbers(traces)
	for i, t := range traces {
		for j := range t.Tasks {
			w := work{Task: &t.Tasks[j], session: sessions[i]}
			for step := range policy.Acts(w.Task) {
				acts++
				if _, known := c.numbers[step.Tool]; !known {
					c.numbers[step.Tool] = 0
					c.tools = append(c.tools, step.Tool)
				}
			}
			c.tasks = append(c.tasks, w)
		}
	}
	slices.Sort(c.tools)
	for i, name := range c.tools {
		c.numbers[name] = int32(i)
	}
	slices.SortStableFunc(c.tasks, func(a, b work) int { return cmp.Compare(a.From.Position, b.From.Position) })
	c.rank(acts)
	c.listGoals()
	return c
}

// sessionNumbers numbers the sessions of traces. Parts of one session share a number.
func sessionNumbers(traces []*trace.Trace) []int32 {
	list := make([]int32, len(traces))
	parted := make(map[string]int32) // sessions with several parts
	for _, t := range traces {
		if t.Part > 0 {
			parted[t.Session] = -1
		}
	}
	for i, t := range traces {
		list[i] = int32(i)
		if n, ok := parted[t.Session]; ok && n < 0 {
			parted[t.Session] = int32(i)
		} else if ok {
			list[i] = n
		}
	}
	return list
}

func first(t *trace.Trace) uint64 {
	if len(t.Tasks) == 0 {
		return 0
	}
	return t.Tasks[0].From.Position
}

// rank lists the acts of all tasks in order.
func (c *corpus) rank(acts int) {
	c.taken, c.command, c.looks, c.edits = make([]int, len(c.tools)), make([]bool, len(c.tools)), make([]bool, len(c.tools)), make([]bool, len(c.tools))
	for i, name := range c.tools {
		c.looks[i], c.edits[i] = shapes.Looks(name), shapes.Edits(name)
	}
	all := make([]act, 0, acts)
	c.order = make([]moment, 0, acts)
	errors := make(map[string]int32)
	for i := range c.tasks {
		begin, at := len(all), uint64(0)
		for step := range policy.Acts(c.tasks[i].Task) {
			tool := c.numbers[step.Tool]
			c.taken[tool]++
			c.command[tool] = c.command[tool] || step.Command
			at = max(at, Ref(step).Position)
			c.order = append(c.order, moment{at, int32(i), int32(len(all) - begin)})
			one := act{Step: step, tool: tool, state: step.State}
			if step.State == trace.Broken && step.Error != "" {
				n, known := errors[step.Error]
				if !known {
					n = int32(len(errors) + 1)
					errors[step.Error] = n
				}
				one.error = n
			}
			all = append(all, one)
		}
		c.tasks[i].acts = all[begin:len(all):len(all)]
	}
	slices.SortFunc(c.order, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.task, b.task), cmp.Compare(a.act, b.act))
	})
	for i, m := range c.order {
		c.tasks[m.task].acts[m.act].rank = int32(i)
	}
}

// evidence is the events that support a finding. There are many, and most findings repeat what
// is known, so most miners list them only on demand.
type evidence struct {
	refs   []source
	list   func(*evidence) // lists the events; nil if they are in refs
	trust  record.Trust
	newest int64 // time of the newest
	where  string
	mixed  bool // it is from several environments, or from tasks without one
}

// source is an event that supports a finding, with its place in the journal, by which sources
// are sorted.
type source struct {
	at  uint64
	ref *trace.Ref
}

func (e *evidence) add(step *trace.Step) {
	e.lower(step.Trust)
	e.refer(Ref(step))
}

// take adds a step whose events are listed later.
func (e *evidence) take(step *trace.Step) {
	e.lower(step.Trust)
	e.see(Ref(step))
}

// takeBoth adds a step whose call and result are listed later.
func (e *evidence) takeBoth(step *trace.Step) {
	e.lower(step.Trust)
	e.see(&step.Call)
	e.see(&step.Result)
}

// see adds the time of an event that is listed later.
func (e *evidence) see(r *trace.Ref) {
	if r.ID != "" {
		e.newest = max(e.newest, r.Time)
	}
}

// both adds the call of a step and its result.
func (e *evidence) both(step *trace.Step) {
	e.lower(step.Trust)
	e.refer(&step.Call)
	if step.Result.ID != step.Call.ID {
		e.refer(&step.Result)
	}
}

// from adds the environment of a task.
func (e *evidence) from(t *trace.Task) {
	switch {
	case t.Where == "" || e.where != "" && e.where != t.Where:
		e.mixed = true
	default:
		e.where = t.Where
	}
}

// environment returns the environment if all evidence is from the same one, or nothing.
func (e *evidence) environment() string {
	if e.mixed {
		return ""
	}
	return e.where
}

// lower lowers the trust to that of a source.
func (e *evidence) lower(trust record.Trust) {
	if e.trust == 0 || trust < e.trust {
		e.trust = trust
	}
}

// refer adds an event.
func (e *evidence) refer(r *trace.Ref) {
	if r.ID == "" {
		return
	}
	e.see(r)
	e.refs = append(e.refs, source{r.Position, r})
	if len(e.refs) >= 2*hmx.MaxSourceEvents {
		e.refs = newest(e.refs)
	}
}

// inOrder returns the distinct events in the order of the journal; of more than HMX-A allows,
// the newest.
func (e *evidence) inOrder() []source {
	if e.list == nil {
		e.refs = newest(e.refs)
		return e.refs
	}
	var listed evidence
	e.list(&listed)
	return newest(listed.refs)
}

func newest(refs []source) []source {
	slices.SortFunc(refs, func(a, b source) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return strings.Compare(a.ref.ID, b.ref.ID)
	})
	refs = slices.CompactFunc(refs, func(a, b source) bool { return a.ref == b.ref || a.ref.ID == b.ref.ID })
	if n := len(refs) - hmx.MaxSourceEvents; n > 0 {
		refs = slices.Delete(refs, 0, n)
	}
	return refs
}

// tally is how many tasks were judged, and how many of them succeeded.
type tally struct{ all, judged, succeeded int }

func (t *tally) add(o trace.Outcome) {
	t.all++
	switch o {
	case trace.Succeeded:
		t.judged++
		t.succeeded++
	case trace.Failed:
		t.judged++
	}
}

// clip returns a text of at most n bytes, cut at a word boundary if possible.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	cut := text[:n-len("…")]
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return strings.ToValidUTF8(cut, "") + "…"
}
