package learn

import (
	"context"
	"slices"
	"strings"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/compile/lessons"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/trace"
)

// lessonEvents is how many events of sessions that no compile has read are read for
// lessons, those of the newest sessions: an agent waits for them at its start.
const lessonEvents = 2000

// LessonOptions selects lessons.
type LessonOptions struct {
	Tenant string
	// Projects are the ids of the project; none means all projects.
	Projects []string
	// Limit is the maximum number of lessons. Zero means lessons.DefaultLessons;
	// lessons.MaxLessons is the maximum.
	Limit int
	View  board.View
}

// Lesson is a command that failed, and its fix.
type Lesson struct {
	lessons.Lesson
	// Command is the command line that failed last, as the agent wrote it, and FixedCommand
	// the one that worked after it. They are cut at trace.MaxCommand bytes, and empty if
	// there is none.
	Command, FixedCommand string
}

// Lessons returns the commands that failed in the sessions of a tenant and their fixes,
// most frequent and newest first (see [lessons.Lessons]). It uses only what the view shows,
// and writes nothing. Uncompiled sessions count too: the newest of them, up to 2,000
// events.
func (b *Learner) Lessons(ctx context.Context, o LessonOptions) ([]Lesson, error) {
	if o.Limit < 0 || o.Limit > lessons.MaxLessons {
		return nil, fault.Newf(fault.InvalidArgument, "limit: is %d, but must be from 1 to %d", o.Limit, lessons.MaxLessons).WithFix("leave it out for the default")
	}
	var out []Lesson
	err := b.core.ReadAs(ctx, o.Tenant, o.View, func(s board.State) error {
		failures, err := b.failures(ctx, s)
		if err != nil {
			return err
		}
		for _, l := range lessons.Lessons(failures, lessons.LessonFilter{Projects: o.Projects, Limit: o.Limit}) {
			one := Lesson{Lesson: l}
			whole, err := b.quoteLesson(s, &one)
			if err != nil {
				return err
			}
			if whole {
				out = append(out, one)
			}
		}
		return nil
	})
	return out, err
}

// quoteLesson reads the command lines of a lesson, and reports whether its events exist.
func (b *Learner) quoteLesson(s board.State, l *Lesson) (whole bool, err error) {
	for _, q := range []struct {
		ref  *trace.Ref
		text *string
	}{{&l.Failed, &l.Command}, {&l.Repaired, &l.FixedCommand}} {
		if q.ref.ID == "" {
			continue
		}
		ev, err := b.core.EventAt(s, q.ref.Position)
		switch code := fault.CodeOf(err); {
		case code == fault.NotFound || code == fault.Damaged || code == fault.Erased:
			return false, nil
		case err != nil:
			return false, err
		}
		*q.text = trace.CommandLine(ev.Event)
	}
	return true, nil
}

// failures returns the commands that failed, as far as the view shows them: as the last
// compile kept them, and as the newest sessions since then have them.
func (b *Learner) failures(ctx context.Context, s board.State) ([]lessons.Failure, error) {
	seen, err := b.retrieval.Visible(ctx, s)
	if err != nil {
		return nil, err
	}
	if seen != nil {
		return b.tracedFailures(ctx, s, seen.Has)
	}
	kept, err := b.keptFailures(s)
	if err != nil {
		return nil, err
	}
	if kept == nil {
		return b.tracedFailures(ctx, s, nil)
	}
	list, err := b.sessions.Since(s, kept.size)
	if err != nil {
		return nil, err
	}
	if list, err = b.newestFresh(s, list); err != nil {
		return nil, err
	}
	if err := b.sessions.TraceActs(ctx, s, list); err != nil {
		return nil, err
	}
	fresh := make(map[string]bool, len(list))
	var out []lessons.Failure
	for i := range list {
		fresh[list[i].ID] = true
		for _, part := range list[i].Parts {
			out = append(out, lessons.Failures(part, nil)...)
		}
	}
	for _, f := range kept.list {
		if !fresh[f.Session] {
			out = append(out, f)
		}
	}
	return out, nil
}

// tracedFailures returns the commands that failed, by the traces of all sessions. Shown
// reports whether the event at a position is visible; nil shows all.
func (b *Learner) tracedFailures(ctx context.Context, s board.State, shown func(uint64) bool) ([]lessons.Failure, error) {
	old, err := b.sessions.KeptTraces(s)
	if err != nil {
		return nil, err
	}
	list, err := b.sessions.ToTrace(s, old)
	if err != nil {
		return nil, err
	}
	if list, err = b.newestFresh(s, list); err != nil {
		return nil, err
	}
	if err := b.sessions.TraceActs(ctx, s, list); err != nil {
		return nil, err
	}
	fresh := make(map[string]bool, len(list))
	var out []lessons.Failure
	add := func(parts []*trace.Trace) {
		for _, part := range parts {
			out = append(out, lessons.Failures(part, shown)...)
		}
	}
	for i := range list {
		fresh[list[i].ID] = true
		add(list[i].Parts)
	}
	for session, parts := range old.Traces {
		if !fresh[session] {
			add(parts)
		}
	}
	return out, nil
}

// newestFresh returns the sessions whose last events are the newest, as far as there are
// not too many events to read in them. A session that is too long by itself is left out.
func (b *Learner) newestFresh(st board.State, list []sessions.Fresh) ([]sessions.Fresh, error) {
	left := uint64(0)
	for i := range list {
		left += list[i].Left(b.sessions.Part())
	}
	if left <= lessonEvents {
		return list, nil
	}
	last := make(map[string]int64, len(list))
	err := timeline.Sessions(st.Reader, st.Tenant.Number, nil, func(_ []byte, s *timeline.Summary) bool {
		last[s.ID] = s.Last.Timestamp
		return true
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b sessions.Fresh) int {
		if last[a.ID] != last[b.ID] {
			if last[a.ID] > last[b.ID] {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	left = lessonEvents
	return slices.DeleteFunc(list, func(s sessions.Fresh) bool {
		n := s.Left(b.sessions.Part())
		if n > left {
			return true
		}
		left -= n
		return false
	}), nil
}
