package engine

import (
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/trace"
)

// held returns the conditions of a scope that may be taken to hold for whoever is where
// tags say. Only an environment can be told apart; what else must hold, in words, nobody
// here knows.
func held(scope hmx.ValidityScope, tags []string) []string {
	return compile.Held(scope.Conditions, trace.EnvironmentIn(tags))
}

// placedTags returns the tags of whoever does a task: what they say, and, if they do not
// say it, the environment that the task's events are from.
func placedTags(tags []string, task *trace.Task) []string {
	if task.Where == "" || trace.EnvironmentIn(tags) != "" {
		return tags
	}
	return append(slices.Clone(tags), "env:"+task.Where)
}
