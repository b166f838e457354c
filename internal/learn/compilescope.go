package learn

import (
	"slices"

	"lukasa.dev/internal/trace"
)

// PlacedTags returns the tags that apply to a task: those of its agent and, if they do
// not include one, the environment of the task's events.
func PlacedTags(tags []string, task *trace.Task) []string {
	if task.Where == "" || trace.EnvironmentIn(tags) != "" {
		return tags
	}
	return append(slices.Clone(tags), "env:"+task.Where)
}
