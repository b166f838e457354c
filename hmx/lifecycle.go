package hmx

import (
	"fmt"
	"slices"
	"strings"
)

// Status is the state of an artifact in its lifecycle (HMX-A section 5).
type Status string

// The five states.
const (
	StatusDraft      Status = "draft"      // freshly extracted, not retrievable
	StatusActive     Status = "active"     // validated and retrievable
	StatusSuperseded Status = "superseded" // replaced by a newer version
	StatusDeprecated Status = "deprecated" // its evidence was contradicted or decayed
	StatusArchived   Status = "archived"   // archived by an operator
)

// Statuses lists the states in the order of the document.
func Statuses() []Status {
	return []Status{StatusDraft, StatusActive, StatusSuperseded, StatusDeprecated, StatusArchived}
}

func statusNames() []string { return names(Statuses()) }

// transitions is the diagram of HMX-A section 5. States without a row are final.
var transitions = map[Status][]Status{
	StatusDraft:  {StatusActive, StatusDeprecated},
	StatusActive: {StatusSuperseded, StatusDeprecated, StatusArchived},
}

// TransitionError is a change of state that the diagram does not allow.
type TransitionError struct {
	From, To Status
	Allowed  []Status // the successors of From; empty if it is final or no state
}

func (e *TransitionError) Error() string {
	switch {
	case !slices.Contains(Statuses(), e.From):
		return fmt.Sprintf("%q is not a status: allowed are %s (HMX-A/5)", e.From, strings.Join(statusNames(), ", "))
	case len(e.Allowed) == 0:
		return fmt.Sprintf("an artifact that is %s cannot become %s: %s is final (HMX-A/5)", e.From, e.To, e.From)
	}
	return fmt.Sprintf("an artifact that is %s cannot become %s: allowed are %s (HMX-A/5)", e.From, e.To, strings.Join(names(e.Allowed), ", "))
}

// Transition returns a *TransitionError unless an artifact may go from s to another state.
// Staying is not a transition.
func (s Status) Transition(to Status) error {
	allowed := transitions[s]
	if slices.Contains(allowed, to) {
		return nil
	}
	return &TransitionError{s, to, slices.Clone(allowed)}
}

// Retrievable reports whether agents receive an artifact in this state.
func (s Status) Retrievable() bool { return s == StatusActive }

// RetrievableOnRequest reports whether an artifact in this state is returned if a request names
// the state.
func (s Status) RetrievableOnRequest() bool {
	return s == StatusActive || s == StatusSuperseded || s == StatusArchived
}
