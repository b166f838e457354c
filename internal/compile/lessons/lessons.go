// Package lessons finds the commands of sessions that failed, and the steps that fixed them.
//
// A lesson is made of what sessions did alone: a function of the failures and a filter, the same
// on every machine. Its texts come from tools, and are to be quoted.
package lessons

import (
	"cmp"
	"slices"
	"strings"

	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/trace"
	"lukasa.dev/internal/trace/shapes"
)

// The limits of lessons.
const (
	DefaultLessons = 8
	MaxLessons     = 200

	// MaxFailures is how many failures are counted, the newest.
	MaxFailures = 2048

	fixWithin      = 24 // acts after a failure that are searched for a fix
	maxBetween     = 4  // steps that led to a fix
	lessonHalfLife = 30 * 24 * 3600 * 1000
)

// Lesson is a command that failed, and its fix.
type Lesson struct {
	// Step is the command, such as "go test", and Shape how it was run when it last failed this
	// way.
	Step, Shape string
	// Error is the signature of its output. It is text from a tool, to be quoted.
	Error string
	// Fixed is the shape of the command that succeeded afterwards, and Between the shapes and
	// names of the steps before it, if the same command then succeeded. They are empty if no
	// fix is known.
	Fixed   string
	Between []string
	// Count is the number of such failures, Sessions the number of their sessions, and Mended
	// the number of failures with a fix.
	Count, Sessions, Mended int
	// Project is where it failed, according to the events.
	Project string
	// Failed is the last call that failed, and Repaired the one that succeeded after it; its ID
	// is empty if there is none.
	Failed, Repaired trace.Ref
}

// LessonFilter selects lessons. The zero value works.
type LessonFilter struct {
	// Projects are the ids of the wanted project, any of which matches. None means all
	// projects. A working directory within one of them matches as well.
	Projects []string
	// Limit is the maximum number of lessons. Zero means DefaultLessons.
	Limit int
}

// Failure is one failure of a command in a session, with its fix there.
type Failure struct {
	Session, Project   string
	Step, Shape, Error string
	Times              int // consecutive
	Fixed              string
	Between            []string
	Failed, Repaired   trace.Ref
}

// Failures returns the commands that failed in a session, in order. shown reports whether the
// event at a position is visible to the caller; nil means all.
//
// A single failure counts. A failure without details does not, nor does a command that only
// displays something, nor a call that was denied or interrupted. A fix is the next success of
// the same command in the session; otherwise another command of the same program, or the same
// words with another program.
func Failures(t *trace.Trace, shown func(position uint64) bool) []Failure {
	var m failureMiner
	for i := range t.Tasks {
		task := &t.Tasks[i]
		for step := range policy.Acts(task) {
			if isShown(step, shown) {
				m.acts, m.homes = append(m.acts, step), append(m.homes, task.Project)
			}
		}
	}
	var out []Failure
	for i, a := range m.acts {
		if a.State == trace.Broken && (a.Command || a.Tool == trace.ToolTest) && !shapes.Looks(a.Tool) && trace.Telltale(a.Error) {
			out = append(out, m.failure(t.Session, i))
		}
	}
	return out
}

// Newest returns the newest failures in the order of the journal, at most MaxFailures.
func Newest(list []Failure) []Failure {
	list = slices.Clone(list)
	if len(list) > MaxFailures {
		slices.SortFunc(list, func(a, b Failure) int {
			return cmp.Or(cmp.Compare(b.Failed.Time, a.Failed.Time), cmp.Compare(b.Failed.Position, a.Failed.Position))
		})
		list = list[:MaxFailures]
	}
	slices.SortFunc(list, func(a, b Failure) int { return cmp.Compare(a.Failed.Position, b.Failed.Position) })
	return list
}

// Lessons returns the commands that failed and their fixes, by project, step and error: those
// that show how to run the command come first, then the most frequent and the newest. It counts
// the newest MaxFailures failures. The same failures give the same lessons, in any order.
func Lessons(failures []Failure, f LessonFilter) []Lesson {
	m := lessonMiner{known: make(map[lessonKey]*learning)}
	for _, one := range Newest(failures) {
		if f.asks(one.Project) {
			m.add(&one)
		}
	}
	return m.lessons(f.Limit)
}

// asks reports whether a project is wanted.
func (f *LessonFilter) asks(project string) bool {
	if len(f.Projects) == 0 {
		return true
	}
	return slices.ContainsFunc(f.Projects, func(id string) bool {
		rest, ok := strings.CutPrefix(project, id)
		return id != "" && ok && (rest == "" || rest[0] == '/' || rest[0] == '\\')
	})
}

type lessonKey struct{ project, step, error string }

// learning is a lesson under construction.
type learning struct {
	Lesson
	sessions map[string]bool
}

type lessonMiner struct {
	known map[lessonKey]*learning
	list  []*learning
}

// failureMiner has the acts of a session and their projects.
type failureMiner struct {
	acts  []*trace.Step
	homes []string
}

// isShown reports whether the events of a step are visible.
func isShown(s *trace.Step, shown func(uint64) bool) bool {
	if shown == nil {
		return true
	}
	return (s.Call.ID == "" || shown(s.Call.Position)) && (s.Result.ID == "" || shown(s.Result.Position))
}

// failure returns the failure of an act, with its fix among the acts after it.
func (m *failureMiner) failure(session string, i int) Failure {
	a := m.acts[i]
	f := Failure{
		Session: session, Project: m.homes[i], Step: a.Tool, Shape: a.Shape, Error: a.Error, Times: int(max(a.Times, 1)), Failed: *compile.Ref(a),
	}
	fix := m.fix(i)
	if fix < 0 {
		return f
	}
	f.Fixed, f.Repaired = m.acts[fix].Shape, *compile.Ref(m.acts[fix])
	for _, b := range m.acts[i+1 : fix] {
		if b.State != trace.OK || shapes.Looks(b.Tool) {
			continue
		}
		name := b.Tool
		if b.Command {
			name = b.Shape
		}
		if len(f.Between) < maxBetween && !slices.Contains(f.Between, name) {
			f.Between = append(f.Between, name)
		}
	}
	return f
}

// add counts a failure.
func (m *lessonMiner) add(f *Failure) {
	k := lessonKey{f.Project, f.Step, f.Error}
	l := m.known[k]
	if l == nil {
		l = &learning{Lesson: Lesson{Step: f.Step, Error: f.Error, Project: f.Project}, sessions: make(map[string]bool)}
		m.known[k] = l
		m.list = append(m.list, l)
	}
	l.Count += f.Times
	if !l.sessions[f.Session] {
		l.sessions[f.Session] = true
		l.Sessions++
	}
	newer := l.Failed.ID == "" || f.Failed.Time >= l.Failed.Time
	if newer {
		l.Failed, l.Shape = f.Failed, f.Shape
	}
	if f.Repaired.ID == "" {
		return
	}
	if l.Mended++; newer || l.Fixed == "" {
		l.Fixed, l.Repaired, l.Between = f.Fixed, f.Repaired, f.Between
	}
}

// fix returns the act that fixed a failure, or -1.
func (m *failureMiner) fix(i int) int {
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

// kindred reports whether a command is another attempt at what a failed command was for: it
// runs the same program, or another one with the same words.
func kindred(failed, next *trace.Step) bool {
	if shapes.Looks(next.Tool) {
		return false
	}
	program, rest, _ := strings.Cut(failed.Shape, " ")
	other, others, _ := strings.Cut(next.Shape, " ")
	return program == other || rest != "" && rest == others
}

// lessons returns the lessons, sorted.
func (m *lessonMiner) lessons(limit int) []Lesson {
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
	limit = min(cmp.Or(limit, DefaultLessons), MaxLessons, len(m.list))
	out := make([]Lesson, 0, limit)
	for _, l := range m.list[:limit] {
		out = append(out, l.Lesson)
	}
	return out
}

// worth ranks a lesson: highest if the command has to be run differently, then if another
// command has to be run first.
func (l *Lesson) worth() int {
	switch {
	case l.Fixed != "" && l.Fixed != l.Shape:
		return 4
	case slices.ContainsFunc(l.Between, func(step string) bool { return step != trace.ToolEdit }):
		return 2
	}
	return 1
}
