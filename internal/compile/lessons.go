package compile

import (
	"cmp"
	"slices"
	"strings"

	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/trace"
)

// The bounds of lessons.
const (
	DefaultLessons = 8
	MaxLessons     = 200

	maxLessonKeys  = 1 << 15 // distinct failures, the first ones
	fixWithin      = 24      // acts after a failure among which a fix is looked for
	maxBetween     = 4       // steps that led to a fix
	lessonHalfLife = 30 * 24 * 3600 * 1000
)

// Lesson is a command that failed, and how that was mended.
type Lesson struct {
	// Step is the command, such as "go test", and Shape how it was run the last time that it
	// failed so.
	Step, Shape string
	// Error is the signature of what it said. It is a text of a tool, to be quoted.
	Error string
	// Fixed is the shape of the command that worked afterwards, and Between the shapes and
	// names of the steps that were taken before it, if the same command worked then. They
	// are empty if no fix is known.
	Fixed   string
	Between []string
	// Count is the number of such failures, Sessions the number of sessions they are from, and
	// Mended the number that a fix followed.
	Count, Sessions, Mended int
	// Project is where it failed, as the events tell it.
	Project string
	// Failed is the call that failed last, and Repaired the one that worked after it; its ID
	// is empty if there is none.
	Failed, Repaired trace.Ref
}

// LessonFilter says which lessons are wanted. The zero value works.
type LessonFilter struct {
	// Projects are the ids of the project that is asked for: any of them. None asks for all
	// projects. A working directory within one of them counts, too.
	Projects []string
	// Limit is how many are wanted. Zero means DefaultLessons.
	Limit int
	// Shown reports whether the event at a position may be told of. Nil shows all.
	Shown func(position uint64) bool
}

// Lessons returns the commands that failed in sessions and how that was mended, by project,
// step and error: the most frequent and the newest first, and those that tell how to run
// the command before those that do not. The same traces give the same lessons, in whatever
// order they are.
//
// A failure counts from the first time on. One that only says that it failed is no lesson,
// nor is a command that only shows something, nor a call that was denied or interrupted. A
// fix is the next time in the session that the same command works; else another command of
// the same program, or the same words with another program.
func Lessons(traces []*trace.Trace, f LessonFilter) []Lesson {
	m := lessonMiner{filter: f, known: make(map[lessonKey]*learning)}
	for _, t := range newCorpusOrder(traces) {
		m.session(t)
	}
	return m.lessons()
}

// newCorpusOrder returns traces in the order of the journal.
func newCorpusOrder(traces []*trace.Trace) []*trace.Trace {
	traces = slices.Clone(traces)
	slices.SortStableFunc(traces, func(a, b *trace.Trace) int {
		return cmp.Or(cmp.Compare(first(a), first(b)), strings.Compare(a.Session, b.Session), cmp.Compare(a.Part, b.Part))
	})
	return traces
}

type lessonKey struct{ project, step, error string }

// learning is a lesson that is being counted.
type learning struct {
	Lesson
	session string // the last
}

type lessonMiner struct {
	filter LessonFilter
	known  map[lessonKey]*learning
	list   []*learning
	acts   []*trace.Step // of the session at hand
	homes  []string      // their projects
}

// session takes in what a session did.
func (m *lessonMiner) session(t *trace.Trace) {
	m.acts, m.homes = m.acts[:0], m.homes[:0]
	for i := range t.Tasks {
		task := &t.Tasks[i]
		for step := range policy.Acts(task) {
			if m.shown(step) {
				m.acts, m.homes = append(m.acts, step), append(m.homes, task.Project)
			}
		}
	}
	for i, a := range m.acts {
		if a.State == trace.Broken && (a.Command || a.Tool == trace.ToolTest) && !trace.Looks(a.Tool) && trace.Telltale(a.Error) && m.asked(m.homes[i]) {
			m.failed(t.Session, i)
		}
	}
}

// shown reports whether a step may be told of.
func (m *lessonMiner) shown(s *trace.Step) bool {
	if m.filter.Shown == nil {
		return true
	}
	return (s.Call.ID == "" || m.filter.Shown(s.Call.Position)) && (s.Result.ID == "" || m.filter.Shown(s.Result.Position))
}

// asked reports whether a project is one that is asked for.
func (m *lessonMiner) asked(project string) bool {
	if len(m.filter.Projects) == 0 {
		return true
	}
	return slices.ContainsFunc(m.filter.Projects, func(id string) bool {
		rest, ok := strings.CutPrefix(project, id)
		return id != "" && ok && (rest == "" || rest[0] == '/' || rest[0] == '\\')
	})
}

// failed takes in a failure and what mended it.
func (m *lessonMiner) failed(session string, i int) {
	a := m.acts[i]
	k := lessonKey{m.homes[i], a.Tool, a.Error}
	l := m.known[k]
	if l == nil {
		if len(m.known) == maxLessonKeys {
			return
		}
		l = &learning{Lesson: Lesson{Step: a.Tool, Error: a.Error, Project: m.homes[i]}}
		m.known[k] = l
		m.list = append(m.list, l)
	}
	l.Count += int(max(a.Times, 1))
	if l.session != session {
		l.session = session
		l.Sessions++
	}
	newer := l.Failed.ID == "" || ref(a).Time >= l.Failed.Time
	if newer {
		l.Failed, l.Shape = *ref(a), a.Shape
	}
	fix := m.fix(i)
	if fix < 0 {
		return
	}
	if l.Mended++; !newer && l.Fixed != "" {
		return
	}
	l.Fixed, l.Repaired, l.Between = m.acts[fix].Shape, *ref(m.acts[fix]), nil
	for _, b := range m.acts[i+1 : fix] {
		if b.State != trace.OK || trace.Looks(b.Tool) {
			continue
		}
		name := b.Tool
		if b.Command {
			name = b.Shape
		}
		if len(l.Between) < maxBetween && !slices.Contains(l.Between, name) {
			l.Between = append(l.Between, name)
		}
	}
}

// fix returns the act that mended the failure of another, or -1.
func (m *lessonMiner) fix(i int) int {
	a := m.acts[i]
	end := min(len(m.acts), i+1+fixWithin)
	near := -1
	for j := i + 1; j < end; j++ {
		b := m.acts[j]
		if b.State != trace.OK || b.Command != a.Command {
			continue
		}
		if b.Tool == a.Tool {
			return j
		}
		if near < 0 && kindred(a, b) {
			near = j
		}
	}
	return near
}

// kindred reports whether a command is another try at what a command that failed was to
// do: it runs the same program, or another one with the same words.
func kindred(failed, next *trace.Step) bool {
	if trace.Looks(next.Tool) {
		return false
	}
	program, rest, _ := strings.Cut(failed.Shape, " ")
	other, others, _ := strings.Cut(next.Shape, " ")
	return program == other || rest != "" && rest == others
}

// lessons returns what was learned, in order.
func (m *lessonMiner) lessons() []Lesson {
	newest := int64(0)
	for _, l := range m.list {
		newest = max(newest, l.Failed.Time)
	}
	weight := func(l *learning) float64 {
		return float64(l.Count*l.worth()) / (1 + float64(newest-l.Failed.Time)/lessonHalfLife)
	}
	slices.SortFunc(m.list, func(a, b *learning) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(b.Failed.Time, a.Failed.Time), strings.Compare(a.Project, b.Project),
			strings.Compare(a.Step, b.Step), strings.Compare(a.Error, b.Error))
	})
	limit := min(cmp.Or(m.filter.Limit, DefaultLessons), MaxLessons, len(m.list))
	out := make([]Lesson, 0, limit)
	for _, l := range m.list[:limit] {
		out = append(out, l.Lesson)
	}
	return out
}

// worth returns how much a lesson tells: that a command has to be run otherwise most, then
// that another command has to be run first.
func (l *Lesson) worth() int {
	switch {
	case l.Fixed != "" && l.Fixed != l.Shape:
		return 4
	case slices.ContainsFunc(l.Between, func(step string) bool { return step != trace.ToolEdit }):
		return 2
	}
	return 1
}
