package compile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/trace"
	"lukasa.dev/internal/trace/provenance"
	"lukasa.dev/internal/trace/shapes"
)

// The limits of task schemas.
const (
	minTasks      = 3   // tasks of a schema
	maxSchemas    = 300 // the largest groups
	maxSchemaStep = 40  // steps, the most frequent
	maxTimes      = 8   // calls of one tool that are separate steps
	maxNext       = 3   // tools named as coming next
	maxGiven      = 12  // preconditions
	maxGoalWords  = 6
	titleTools    = 4 // tools named in a title
)

// schemas returns the recurring procedures.
//
// Tasks are similar by their tools and by the words of their goals; all tasks of a group are
// compared with its first (see [procedures]). A step is a tool and the ordinal of its call in
// the task, where consecutive repetitions count once. It is in the schema if at least two tasks
// and a quarter of them have it, and optional if less than three quarters do. Steps are sorted
// by their mean place in the tasks that have them.
//
// Preconditions are the arguments that mostly came from the user; postconditions are that the
// last required steps succeeded.
func schemas(c *corpus) ([]finding, error) {
	var out []finding
	times := newTakings(len(c.tools))
	for _, g := range c.procedures() {
		f, ok, err := newSchema(c, &g, times).finding()
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, f)
		}
	}
	return out, nil
}

// spot is a step of a schema before it is sorted: a tool and the ordinal of its call.
type spot struct{ tool, nth int32 }

// seenSpot is the counts of a step.
type seenSpot struct {
	spot
	tasks  int
	place  int64 // sum of places in the tasks, in thousandths of their length
	taken  int
	worked int
	next   map[int32]int // -1 means the end
	shapes map[string]*int
	args   map[string]*given
	// shape and order are the shape and the arguments of the previous call; those of the next
	// one are mostly the same.
	shape string
	many  *int
	order []*given
}

// given is where the values of an argument came from.
type given struct {
	name       string
	seen, user int
}

type schema struct {
	c       *corpus
	group   *group
	members []int32 // the counted ones
	spots   map[spot]*seenSpot
	all     tally
	counted tally
	sources evidence
	acts    []int    // of each counted task
	times   *takings // of the current task
}

// takings is how often each tool was called since begin.
type takings struct {
	seen marks
	n    []int32
}

func newTakings(tools int) *takings { return &takings{newMarks(tools), make([]int32, tools)} }

// take counts a tool, and returns its number of calls.
func (t *takings) take(tool int32) int32 {
	if t.seen.first(tool) {
		t.n[tool] = 0
	}
	t.n[tool]++
	return t.n[tool]
}

func newSchema(c *corpus, g *group, t *takings) *schema {
	s := &schema{c: c, group: g, members: g.members[:counted(len(g.members))], spots: make(map[spot]*seenSpot), times: t}
	for i, n := range g.members {
		w := &c.tasks[n]
		s.all.add(w.Outcome)
		s.sources.newest = max(s.sources.newest, w.To.Time)
		if i < len(s.members) {
			s.counted.add(w.Outcome)
			s.count(w)
		}
	}
	s.sources.list = c.eventsOf(s.members)
	return s
}

// eventsOf lists the events of tasks: goals, acts, and judgements.
func (c *corpus) eventsOf(tasks []int32) func(*evidence) {
	return func(e *evidence) {
		for _, n := range tasks {
			w := &c.tasks[n]
			e.refer(&w.GoalRef)
			e.refer(&w.Judge)
			for i := range w.acts {
				e.refer(Ref(w.acts[i].Step))
			}
		}
	}
}

// count counts the steps of a task.
func (s *schema) count(w *work) {
	s.sources.from(w.Task)
	s.sources.lower(w.Trust)
	s.sources.see(&w.GoalRef)
	s.sources.see(&w.Judge)
	s.acts = append(s.acts, len(w.acts))
	s.times.seen.begin()
	var last *seenSpot
	for i := range w.acts {
		a := &w.acts[i]
		s.sources.take(a.Step)
		if i == 0 || w.acts[i-1].tool != a.tool {
			n := s.times.take(a.tool)
			last = s.at(spot{a.tool, min(n, maxTimes)})
			if n <= maxTimes {
				last.tasks++
				last.place += int64(i) * 1000 / int64(len(w.acts))
			}
		}
		last.take(a)
		if i+1 == len(w.acts) {
			last.next[-1]++
		} else if w.acts[i+1].tool != a.tool {
			last.next[w.acts[i+1].tool]++
		}
	}
}

func (s *schema) at(k spot) *seenSpot {
	if s.spots[k] == nil {
		s.spots[k] = &seenSpot{spot: k, next: make(map[int32]int), shapes: make(map[string]*int), args: make(map[string]*given)}
	}
	return s.spots[k]
}

// take counts an act.
func (s *seenSpot) take(a *act) {
	s.taken++
	if a.state == trace.OK {
		s.worked++
	}
	if len(s.shapes) < maxContrast {
		if s.many == nil || s.shape != a.Shape {
			s.shape, s.many = a.Shape, s.shapes[a.Shape]
		}
		if s.many == nil {
			s.many = new(int)
			s.shapes[a.Shape] = s.many
		}
		*s.many++
	}
	for i := range a.Args {
		if a.Command {
			break // its arguments are in its shape
		}
		g := s.given(i, a.Args[i].Name)
		if g == nil {
			continue
		}
		g.seen++
		if from := a.Args[i].From; from == provenance.FromGoal || from == provenance.FromUser {
			g.user++
		}
	}
}

// given returns the counts of an argument, nil if there are too many.
func (s *seenSpot) given(i int, name string) *given {
	if i < len(s.order) && s.order[i].name == name {
		return s.order[i]
	}
	g := s.args[name]
	if g == nil {
		if len(s.args) == maxContrast {
			return nil
		}
		g = &given{name: name}
		s.args[name] = g
	}
	if i <= len(s.order) {
		s.order = append(s.order[:i], g)
	}
	return g
}

// aligned returns the steps that a quarter of the tasks have, in order.
func (s *schema) aligned() []*seenSpot {
	var steps []*seenSpot
	for _, p := range s.spots {
		if p.tasks >= 2 && 4*p.tasks >= len(s.members) {
			steps = append(steps, p)
		}
	}
	byName := func(a, b *seenSpot) int { return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.nth, b.nth)) }
	slices.SortFunc(steps, func(a, b *seenSpot) int { return cmp.Or(cmp.Compare(b.tasks, a.tasks), byName(a, b)) })
	steps = steps[:min(len(steps), maxSchemaStep)]
	slices.SortFunc(steps, func(a, b *seenSpot) int {
		return cmp.Or(cmp.Compare(a.place*int64(b.tasks), b.place*int64(a.tasks)), byName(a, b))
	})
	// The first call of a tool comes before the second, whatever the mean places are.
	places := make(map[int32][]int)
	for i, p := range steps {
		places[p.tool] = append(places[p.tool], i)
	}
	sorted := slices.Clone(steps)
	for _, at := range places {
		same := make([]*seenSpot, 0, len(at))
		for _, i := range at {
			same = append(same, steps[i])
		}
		slices.SortFunc(same, byName)
		for j, i := range at {
			sorted[i] = same[j]
		}
	}
	return sorted
}

// required reports whether at least three quarters of the tasks have a step.
func (s *schema) required(p *seenSpot) bool { return 4*p.tasks >= 3*len(s.members) }

// procedure reports whether steps are a procedure: at least two tools in most tasks, of which
// one does more than read or list files.
func (s *schema) procedure(steps []*seenSpot) bool {
	acts, tools := false, []int32(nil)
	for _, p := range steps {
		if s.required(p) && !slices.Contains(tools, p.tool) {
			tools = append(tools, p.tool)
			acts = acts || !s.c.looks[p.tool]
		}
	}
	return acts && len(tools) >= minActs
}

// finding makes the finding of the schema. ok is false if its steps are no procedure.
func (s *schema) finding() (f finding, ok bool, err error) {
	steps := s.aligned()
	if !s.procedure(steps) {
		return finding{}, false, nil
	}
	content := hmx.TaskSchema{EstimatedComplexity: complexity(s.acts)}
	var tools, needed []string
	consistent := 0
	for i, p := range steps {
		step, err := s.step(p, i+1)
		if err != nil {
			return finding{}, false, err
		}
		content.Steps = append(content.Steps, step)
		name := s.c.tools[p.tool]
		if !slices.Contains(tools, name) {
			tools = append(tools, name)
		}
		if s.required(p) {
			consistent += p.tasks
			if !slices.Contains(needed, name) {
				needed = append(needed, name)
			}
		}
	}
	content.ToolsUsed = tools
	content.Preconditions = s.preconditions(steps)
	content.Postconditions = s.postconditions(steps)
	words := s.c.speaking(s.members, maxGoalWords)
	content.Extra, err = members(map[string]any{
		"count": s.counted.all, "judged": s.counted.judged, "succeeded": s.counted.succeeded, "goal_words": words,
	})
	f = finding{
		about: "tools " + digest(s.c.names(s.group.tools)), title: title(words, actsFirst(needed)), content: content, sources: s.sources, all: s.all,
		summary: fmt.Sprintf("%d steps, %d of them in most tasks: %s; %s", len(steps), len(needed), strings.Join(needed, ", "), s.counted.String()),
		tags:    append(slices.Clone(needed), words...),
	}
	taken := 0
	for _, p := range s.spots {
		taken += p.tasks
	}
	f.consistency = share(consistent, taken)
	f.against = against(s.all)
	return f, true, err
}

// actsFirst returns names of tools, first those that do more than read or list files, if there
// are more than a title names.
func actsFirst(tools []string) []string {
	out := slices.Clone(tools)
	if len(out) <= titleTools {
		return out
	}
	slices.SortStableFunc(out, func(a, b string) int {
		looksA, looksB := shapes.Looks(a), shapes.Looks(b)
		switch {
		case looksA == looksB:
			return 0
		case looksB:
			return -1
		}
		return 1
	})
	return out
}

// digest returns a short unique name of a list.
func digest(list []string) string {
	h := sha256.New()
	for _, s := range list {
		fmt.Fprintf(h, "%d %s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// against returns why tasks that failed too often are no advice, or nothing.
func against(t tally) string {
	if t.judged >= enoughJudged && 4*t.succeeded < t.judged {
		return fmt.Sprintf("%d of %d judged tasks failed that went this way", t.judged-t.succeeded, t.judged)
	}
	return ""
}

// String describes the outcomes of tasks.
func (t tally) String() string {
	if t.judged == 0 {
		return fmt.Sprintf("seen in %d tasks", t.all)
	}
	return fmt.Sprintf("seen in %d tasks; %d of %d judged ones succeeded", t.all, t.succeeded, t.judged)
}

// title makes a title of the words of goals, or else of tools.
func title(words, tools []string) string {
	by := strings.Join(tools[:min(len(tools), titleTools)], ", ")
	if len(words) == 0 {
		return by
	}
	return strings.Join(words, " ") + ": " + by
}

// following is what came next, in content.
type following struct {
	Tool  string `json:"tool"` // empty at the end of a task
	Count int    `json:"count"`
}

func (s *schema) step(p *seenSpot, order int) (hmx.TaskStep, error) {
	name := s.c.tools[p.tool]
	next := []following{}
	for tool, n := range p.next {
		f := following{Count: n}
		if tool >= 0 {
			f.Tool = s.c.tools[tool]
		}
		next = append(next, f)
	}
	slices.SortFunc(next, func(a, b following) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Tool, b.Tool))
	})
	extra, err := members(map[string]any{"tasks": p.tasks, "taken": p.taken, "worked": p.worked, "next": next[:min(len(next), maxNext)]})
	description := s.c.call(p.tool, "")
	shape, n := p.usualShape()
	if shape == "" || 2*n < p.taken {
		shape = ""
	}
	if s.c.command[p.tool] {
		description = s.c.call(p.tool, shape)
	}
	if p.nth > 1 {
		description += " again"
	}
	if s.c.command[p.tool] {
		// Its shape says everything.
	} else if shape != "" {
		description += " with " + shape
	} else if names := s.usual(p); len(names) > 0 {
		description += " with " + strings.Join(names, ", ")
	}
	return hmx.TaskStep{
		Order: hmx.Some(int64(order)), Description: description, ToolsUsed: []string{name}, Optional: hmx.Some(!s.required(p)), Extra: extra,
	}, err
}

// usualShape returns the most frequent shape, the first by name among equals.
func (s *seenSpot) usualShape() (shape string, n int) {
	counts := make(map[string]int, len(s.shapes))
	for text, n := range s.shapes {
		counts[text] = *n
	}
	return top(counts)
}

// usual returns the names of arguments that are mostly given.
func (s *schema) usual(p *seenSpot) []string {
	var names []string
	for name, g := range p.args {
		if 2*g.seen >= p.taken {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names[:min(len(names), maxGiven)]
}

// preconditions returns the arguments that mostly came from the user.
func (s *schema) preconditions(steps []*seenSpot) []string {
	var out []string
	named := make(map[string]bool)
	for _, p := range steps {
		var names []string
		for name, g := range p.args {
			if 2*g.seen >= p.taken && 3*g.user >= 2*g.seen {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			if len(out) < maxGiven && !named[name] {
				named[name] = true
				out = append(out, fmt.Sprintf("the user has given %s for %s", name, s.c.tools[p.tool]))
			}
		}
	}
	return out
}

// postconditions returns what holds at the end: the last required steps succeeded.
func (s *schema) postconditions(steps []*seenSpot) []string {
	for i := len(steps) - 1; i >= 0; i-- {
		p := steps[i]
		if s.required(p) && 2*p.worked > p.taken {
			return []string{s.c.tools[p.tool] + " has worked"}
		}
	}
	return nil
}

// complexity rates the length of tasks, by the median of their acts.
func complexity(acts []int) string {
	slices.Sort(acts)
	switch n := acts[len(acts)/2]; {
	case n <= 4:
		return "low"
	case n <= 12:
		return "medium"
	}
	return "high"
}
