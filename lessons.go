package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
)

// Lessons of what failed.
type (
	// LessonOptions says which lessons are wanted.
	LessonOptions = engine.LessonOptions
	// Lesson is a command that failed, and how that was mended.
	Lesson = engine.Lesson
)

// Lessons returns the commands that failed in sessions and how that was mended, by project:
// the most frequent and the newest first. Error is a text of a tool, and Command one of an
// agent: quote them. It writes nothing.
func (t *Tenant) Lessons(ctx context.Context, o LessonOptions) ([]Lesson, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Lessons(ctx, o)
}
