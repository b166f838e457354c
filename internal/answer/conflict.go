package answer

import "lukasa.dev"

// Conflict is a conflict and its sides.
type Conflict struct {
	Thing
	Sides []Side `json:"sides"`
}

// Side is one of the records of a conflict.
type Side struct {
	URI   lukasa.URI    `json:"uri"`
	State lukasa.State  `json:"state,omitempty"`
	Trust *lukasa.Trust `json:"trust,omitempty"`
	Text  string        `json:"text,omitempty"`
}

// ConflictOf converts a conflict.
func ConflictOf(x *lukasa.StoredConflict) (Conflict, error) {
	thing, err := ThingOf(x.Thing)
	a := Conflict{Thing: thing, Sides: []Side{}}
	for _, side := range x.Sides {
		out := Side{URI: side.URI, State: side.State, Text: side.Text}
		if side.State != "" {
			out.Trust = &side.Trust
		}
		a.Sides = append(a.Sides, out)
	}
	return a, err
}

// Conflicts are conflicts, newest first.
type Conflicts struct {
	Conflicts []Conflict `json:"conflicts"`
	Next      *string    `json:"next"`
}

// ConflictsOf converts a page of conflicts.
func ConflictsOf(page *lukasa.ConflictPage) (*Conflicts, error) {
	out := &Conflicts{Conflicts: make([]Conflict, len(page.Conflicts)), Next: NextPage(page.Next)}
	for i, x := range page.Conflicts {
		var err error
		if out.Conflicts[i], err = ConflictOf(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}
