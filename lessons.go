package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
)

// Lessons from failures.
type (
	// LessonOptions selects lessons.
	LessonOptions = engine.LessonOptions
	// Lesson is a command that failed, and its fix.
	Lesson = engine.Lesson
)

// Lessons returns the commands that failed in sessions and their fixes, by project: the most
// frequent and the newest first. Error is text from a tool, and Command text from an agent:
// quote them. It writes nothing.
func (t *Tenant) Lessons(ctx context.Context, o LessonOptions) ([]Lesson, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Lessons(ctx, o)
}
