package answer

import (
	"lukasa.dev"
	"lukasa.dev/internal/fault"
)

// Rejected is an event that was not recorded.
type Rejected struct {
	File   string     `json:"file,omitempty"` // of a command that reads files
	Index  int        `json:"index"`          // in what was sent, from 0
	Line   int        `json:"line,omitempty"` // in a stream of lines, from 1
	Code   fault.Code `json:"code"`
	Detail string     `json:"detail"`
}

// Intake is the result for events.
type Intake struct {
	Accepted   int        `json:"accepted"`
	Duplicates int        `json:"duplicates"`
	Late       int        `json:"late"`
	Rejected   []Rejected `json:"rejected"`
	Omitted    int        `json:"omitted"` // rejected, but not listed
	Warnings   int        `json:"warnings"`
	Scrubbed   int        `json:"scrubbed,omitempty"` // secrets removed from what was accepted
	Own        int        `json:"own,omitempty"`      // text that Lukasa had handed out, which is not recorded
	Position   *uint64    `json:"position,omitempty"` // of the newest record, if one tenant was written to
	Root       string     `json:"root,omitempty"`
	Tenants    []State    `json:"tenants"`
}

// NewIntake returns the answer for no events.
func NewIntake() *Intake { return &Intake{Rejected: []Rejected{}, Tenants: []State{}} }

// Into sets the tenants that were written to, in their order.
func (in *Intake) Into(roots ...lukasa.Root) {
	for _, r := range roots {
		in.Tenants = append(in.Tenants, StateOf(r))
	}
	if len(in.Tenants) == 1 && in.Tenants[0].Size > 0 {
		last := in.Tenants[0].Size - 1
		in.Position, in.Root = &last, in.Tenants[0].Root
	}
}
