// Package policy defines the state of an agent before a step, and the content of compiled
// decision policies: which tool followed in which state, and what had been said when a tool was
// called.
//
// It guarantees that learning and prediction see the same moment of a task, that encoded
// content decodes to the same value, that content never exceeds its limit, and that invalid
// content from elsewhere is refused. Nothing depends on the order of a map.
//
// It neither counts nor predicts.
package policy

import (
	"iter"

	"lukasa.dev/internal/trace"
)

// How many words of the last messages of the user and the agent are used. A trace has those of
// the last message first.
const (
	UserWords  = 8
	AgentWords = 24
)

// Spoke is who has said something since the previous step.
type Spoke uint8

// The speakers. User also if both have spoken.
const (
	Nobody Spoke = iota
	Agent
	User
)

// String returns the name in content.
func (s Spoke) String() string {
	switch s {
	case Agent:
		return "agent"
	case User:
		return "user"
	}
	return "nobody"
}

// State is what policies distinguish.
type State struct {
	// After is the tool of the previous step, and Before that of the one before it. They are
	// empty if there is none.
	After, Before string
	Spoke         Spoke
	// Failed says that the previous step failed.
	Failed bool
	// Listed says that the previous step used a value from a list in a result, and that values
	// of the list are left.
	Listed bool
}

// Moment is the situation of a task before a step.
type Moment struct {
	State
	// Error is the signature of the error of the previous step.
	Error string
	// User and Agent are the words that each has said since. They belong to the trace.
	User, Agent []string
}

// Acts returns the acts of a task with their moments. Decisions in words, errors without an act
// and denied calls are no acts.
func Acts(task *trace.Task) iter.Seq2[*trace.Step, Moment] {
	return func(yield func(*trace.Step, Moment) bool) {
		var last, before *trace.Step
		for i := range task.Steps {
			step := &task.Steps[i]
			if !act(step) {
				continue
			}
			if !yield(step, moment(last, before, step.Said, step.Asked, step.Left)) {
				return
			}
			last, before = step, last
		}
	}
}

// Now returns the moment at the end of a task: that before the next step.
func Now(task *trace.Task) Moment {
	var last, before *trace.Step
	for i := range task.Steps {
		if step := &task.Steps[i]; act(step) {
			last, before = step, last
		}
	}
	return moment(last, before, task.Said, task.Asked, task.Left)
}

func act(step *trace.Step) bool {
	return step.Tool != trace.ToolDecision && step.Tool != trace.ToolError && step.State != trace.Denied
}

func moment(last, before *trace.Step, said []string, asked, left uint8) Moment {
	user := said[:min(int(asked), len(said))]
	agent := said[len(user):]
	m := Moment{User: user[:min(len(user), UserWords)], Agent: agent[:min(len(agent), AgentWords)]}
	switch {
	case len(user) > 0:
		m.Spoke = User
	case len(agent) > 0:
		m.Spoke = Agent
	}
	if last != nil {
		m.After, m.Failed, m.Error = last.Tool, last.State == trace.Broken, last.Error
		m.Listed = left > 0
	}
	if before != nil {
		m.Before = before.Tool
	}
	return m
}
