// Package policy says in which state an agent was when it took a step, and what
// compiled decision policies hold of that: which tool followed in which state, and
// what had been said when a tool was taken.
//
// It guarantees that whoever learns and whoever predicts see the same moment of a
// task, that what is written as the content of an artifact reads back as it was, that
// content never grows past its limit, and that content from elsewhere which breaks the
// rules is told apart from content that keeps them. Nothing here depends on the order
// of a map.
//
// It neither counts nor predicts.
package policy

import (
	"iter"

	"lukasa.dev/internal/trace"
)

// How many words of what the user and the agent said last are looked at. A trace has
// those of the last message first.
const (
	UserWords  = 8
	AgentWords = 24
)

// Spoke says who has said something since the step before.
type Spoke uint8

// Who has spoken. User is also when both have.
const (
	Nobody Spoke = iota
	Agent
	User
)

// String returns the name that content has.
func (s Spoke) String() string {
	switch s {
	case Agent:
		return "agent"
	case User:
		return "user"
	}
	return "nobody"
}

// State is what policies tell apart.
type State struct {
	// After is the tool of the step before, and Before that of the one before it. They
	// are empty where there is none.
	After, Before string
	Spoke         Spoke
	// Failed says that the step before went wrong.
	Failed bool
	// Listed says that the step before took a value from a list that a result gave,
	// and that values of the list are left.
	Listed bool
}

// Moment is where a task stands when a step is taken.
type Moment struct {
	State
	// Error is the signature of what went wrong in the step before.
	Error string
	// User and Agent are words that each has said since. They are the trace's.
	User, Agent []string
}

// Acts returns the steps of a task that are acts, with their moments. Decisions in
// words, errors that belong to no act and calls that were denied are none.
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

// Now returns the moment at the end of a task: that of the step that would come next.
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
