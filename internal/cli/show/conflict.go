package show

import (
	"encoding/json"
	"fmt"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// Conflicts prints a list of conflicts.
func Conflicts(s *term.Screen, a *answer.Conflicts) error {
	rows := make([][]string, len(a.Conflicts))
	for i := range a.Conflicts {
		x := &a.Conflicts[i]
		body, err := conflictOf(x)
		if err != nil {
			return err
		}
		rows[i] = []string{x.URI.ID, x.Status, term.Counted(len(x.Sides), "side"), x.Trust.String(), moment(x.UpdatedAt), term.Preview(body.Summary, 80)}
	}
	s.Table("ID", "STATUS", "BETWEEN", "TRUST", "UPDATED", "SUMMARY").Rows(rows)
	more(s, a.Next, len(rows), "conflicts")
	return s.Stdout.Failed()
}

// conflictOf reads the body of a conflict.
func conflictOf(x *answer.Conflict) (*lukasa.Conflict, error) {
	body, err := lukasa.DecodeBody(lukasa.ConflictKind, x.Body)
	if err != nil {
		return nil, err
	}
	c, ok := body.(*lukasa.Conflict)
	if !ok {
		return nil, fault.New(fault.Internal, "a conflict was decoded into something else")
	}
	return c, nil
}

// Conflict prints a conflict for a person.
func Conflict(s *term.Screen, x *answer.Conflict) error {
	body, err := conflictOf(x)
	if err != nil {
		return err
	}
	keep, why := suggested(body)
	s.Paragraph(body.Summary, 0)
	for i, side := range x.Sides {
		text := side.Text
		if side.State == "" {
			text = "(it is erased, or not shown)"
		}
		fmt.Fprintln(s.Stdout)
		item(s, fmt.Sprintf("%d.", i+1), text)
		note := []string{side.URI.String()}
		if side.State != "" {
			note = append(note, "trust "+side.Trust.String())
		}
		if side.State != "" && side.State != lukasa.Live {
			note = append(note, string(side.State))
		}
		if side.URI == body.Winner {
			note = append(note, "this one holds")
		}
		if side.URI.String() == keep {
			note = append(note, "suggested to keep, since "+why)
		}
		s.Aside(5, note...)
	}
	fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Bold(x.URI.Head().String()))
	s.Detail("status", x.Status)
	s.Detail("resolution", body.Resolution)
	if x.State != lukasa.Live {
		s.Detail("state", StateOf(&x.Thing))
	}
	s.Detail("version", fmt.Sprintf("%d, written %s by %s with trust %s", x.Version, moment(x.UpdatedAt), term.OneLine(x.Actor), x.Trust))
	return nil
}

// suggested returns which one a compile suggests to keep, and why; nothing if it was
// settled.
func suggested(c *lukasa.Conflict) (keep, why string) {
	var meta struct {
		Suggestion struct{ Keep, Why string } `json:"suggestion"`
	}
	if c.Status != memory.ConflictOpen || json.Unmarshal([]byte(c.Metadata), &meta) != nil {
		return "", ""
	}
	return meta.Suggestion.Keep, meta.Suggestion.Why
}
