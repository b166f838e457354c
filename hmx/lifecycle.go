package hmx

import (
	"fmt"
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

func statusNames() []string {
	var names []string
	for _, s := range Statuses() {
		names = append(names, string(s))
	}
	return names
}

// transitions is the diagram of HMX-A section 5. States without a row are final.
var transitions = map[Status][]Status{
	StatusDraft:  {StatusActive, StatusDeprecated},
	StatusActive: {StatusSuperseded, StatusDeprecated, StatusArchived},
}

// Transition reports whether an artifact may go from s to another state; the error
// says where it may go. Staying is not a transition.
func (s Status) Transition(to Status) error {
	allowed := transitions[s]
	for _, a := range allowed {
		if a == to {
			return nil
		}
	}
	if len(allowed) == 0 {
		return fmt.Errorf("an artifact that is %s cannot become %s: %s is final (HMX-A/5)", s, to, s)
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	return fmt.Errorf("an artifact that is %s cannot become %s: allowed are %s (HMX-A/5)", s, to, strings.Join(names, ", "))
}

// Retrievable reports whether an artifact in this state may be given to an agent;
// explicit is true if the caller asked for this state by name.
func (s Status) Retrievable(explicit bool) bool {
	switch s {
	case StatusActive:
		return true
	case StatusSuperseded, StatusArchived:
		return explicit
	}
	return false
}
