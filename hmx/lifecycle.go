package hmx

import (
	"fmt"
	"slices"
	"strings"
)

// Status is where an artifact stands in its life (HMX-A section 5).
type Status string

// The five states.
const (
	StatusDraft      Status = "draft"      // freshly extracted, not retrievable
	StatusActive     Status = "active"     // validated and retrievable
	StatusSuperseded Status = "superseded" // replaced by a newer version
	StatusDeprecated Status = "deprecated" // its evidence was contradicted or decayed
	StatusArchived   Status = "archived"   // put away by an operator
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

// TransitionError is a change of state that the diagram does not have.
type TransitionError struct {
	From, To Status
	Allowed  []Status // where From may go; empty if it is final or not a state at all
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

// Transition reports whether an artifact may go from s to another state, with a
// *TransitionError if not. Staying is not a transition.
func (s Status) Transition(to Status) error {
	allowed := transitions[s]
	if slices.Contains(allowed, to) {
		return nil
	}
	return &TransitionError{s, to, slices.Clone(allowed)}
}

// Retrievable reports whether an artifact in this state is given to an agent.
func (s Status) Retrievable() bool { return s == StatusActive }

// RetrievableOnRequest reports whether an artifact in this state is given to
// whoever asks for this state by name.
func (s Status) RetrievableOnRequest() bool {
	return s == StatusActive || s == StatusSuperseded || s == StatusArchived
}
