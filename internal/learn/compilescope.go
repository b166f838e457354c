package learn

import (
	"slices"

	"lukasa.dev/internal/trace"
)

// PlacedTags returns the tags of whoever does a task: what they say, and, if they do not
// say it, the environment that the task's events are from.
func PlacedTags(tags []string, task *trace.Task) []string {
	if task.Where == "" || trace.EnvironmentIn(tags) != "" {
		return tags
	}
	return append(slices.Clone(tags), "env:"+task.Where)
}
