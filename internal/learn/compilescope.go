package learn

import (
	"slices"

	"lukasa.dev/internal/trace"
)

// PlacedTags returns the tags that apply to a task: the given ones and, if they name
// no environment, that of the task's events.
func PlacedTags(tags []string, task *trace.Task) []string {
	if task.Where == "" || trace.EnvironmentIn(tags) != "" {
		return tags
	}
	return append(slices.Clone(tags), "env:"+task.Where)
}
