package show

import (
	"fmt"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/memory"
)

// Wrote prints what was written. Lowered says that the writer is trusted more than what was written,
// for its sources are not.
func Wrote(s *term.Screen, verb string, a *answer.Write, lowered bool) {
	if a.Unchanged {
		verb = "unchanged"
	}
	fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green(verb), s.Paint.Bold(a.URI.String()))
	s.Detail("position", fmt.Sprint(a.Position))
	trust := a.Trust.String()
	if lowered {
		trust += ": lowered by a source that is not known here or is trusted less"
	}
	s.Detail("trust", trust)
	tellScrubbed(s, a.Scrubbed)
	s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
}

// tellScrubbed says how many secrets were taken out of what was written, if any were.
func tellScrubbed(s *term.Screen, found int) {
	if found > 0 {
		s.Detail("scrubbed", term.Counted(found, "secret")+" taken out before anything was recorded")
	}
}

// Thing prints a thing for a person: what it says, then what is known of it.
func Thing(s *term.Screen, t *lukasa.Thing) error {
	body, err := t.Body.AppendJSON(nil)
	if err != nil {
		return err
	}
	if m, ok := t.Body.(*lukasa.Memory); ok {
		fmt.Fprintf(s.Stdout, "%s\n\n", strings.TrimRight(term.Visible(m.Render(memory.FormFull)), "\n"))
	} else {
		fmt.Fprintf(s.Stdout, "%s\n\n", term.Indented(body))
	}
	fmt.Fprintln(s.Stdout, s.Paint.Bold(t.URI.String()))
	facets := t.Body.Facets()
	if _, key := t.Body.Identity(); key != "" {
		s.Detail("key", key)
	}
	s.Detail("type", strings.TrimSpace(t.URI.Kind.String()+" "+facets.Class))
	s.Detail("status", t.Status)
	if t.State != lukasa.Live {
		s.Detail("state", StateOf(t))
	} else if !t.Valid {
		s.Detail("state", "not valid at this time")
	}
	s.Detail("version", fmt.Sprintf("%d, written %s by %s with trust %s", t.Version, term.Moment(t.Updated), term.OneLine(t.Actor), t.Trust))
	if t.Version > 1 {
		s.Detail("created", term.Moment(t.Created))
	}
	s.Detail("expires", term.Moment(t.Expires))
	s.Detail("position", fmt.Sprint(t.Position))
	s.Detail("tags", strings.Join(facets.Tags, ", "))
	for _, f := range facets.Frames {
		s.Detail("frame", f.String())
	}
	if m, ok := t.Body.(*lukasa.Memory); ok {
		showWeights(s, m)
	}
	return nil
}

// showWeights prints what a memory says about itself, as far as it is not the
// default.
func showWeights(s *term.Screen, m *lukasa.Memory) {
	if v := m.Importance.Or(memory.DefaultImportance); v != memory.DefaultImportance {
		s.Detail("importance", fmt.Sprint(v))
	}
	if v := m.Confidence.Or(memory.DefaultConfidence); v != memory.DefaultConfidence {
		s.Detail("confidence", fmt.Sprint(v))
	}
	s.Detail("valid", term.Span(m.ValidFrom.String(), m.ValidUntil.String()))
	if m.Facets().Scoped {
		if scope, err := m.ValidityScope.MarshalJSON(); err == nil {
			s.Detail("holds", "where "+term.OneLine(string(scope)))
		}
	}
	if m.Visibility == memory.VisiblePrivate {
		s.Detail("visible", "to its writer and to operators")
	}
	for _, u := range m.Sources {
		s.Detail("source", u.String())
	}
}

// StateOf says when a thing went and why.
func StateOf(t *lukasa.Thing) string {
	text := string(t.State)
	when := t.Updated
	if t.State == lukasa.Ended && !t.Expires.IsZero() {
		when = t.Expires
	}
	text += " at " + term.Moment(when)
	if t.Note != "" {
		text += ": " + t.Note
	}
	return text
}

// Summary returns what a body says in a few words.
func Summary(body lukasa.Body) string {
	switch b := body.(type) {
	case *lukasa.Memory:
		return b.Text
	case *lukasa.Edge:
		return b.From.String() + " " + string(b.EdgeKind) + " " + b.To.String()
	case *lukasa.Entity:
		return b.Name
	case *lukasa.Relation:
		return b.From + " " + b.Predicate + " " + b.To
	case *lukasa.Conflict:
		return b.Summary
	case *lukasa.Policy:
		return b.Text
	case *lukasa.Artifact:
		return b.HMX.Title
	case *lukasa.Feedback:
		return strings.TrimSpace(b.AgentID + " " + string(b.Outcome) + " " + b.Note)
	case *memory.Fingerprint:
		return "fingerprint " + b.Hash()
	case *memory.Refinement:
		return b.Title
	case *memory.Embedding:
		return b.Target.String() + " by " + b.Model
	case *memory.Violation:
		return b.AgentID + " may not " + string(b.Op) + " " + b.Target + ": " + strings.ReplaceAll(string(b.Rule), "_", " ")
	}
	return ""
}

// Event prints an event for a person.
func Event(s *term.Screen, ev *lukasa.StoredEvent) error {
	a, err := answer.EventOf(ev)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "%s\n\n", term.Indented(a.Event))
	fmt.Fprintln(s.Stdout, s.Paint.Bold(a.URI.String()))
	s.Detail("type", "event "+string(ev.Event.EventType))
	s.Detail("recorded", term.Moment(ev.Recorded)+" by "+ev.Actor+" with trust "+ev.Trust.String())
	s.Detail("position", fmt.Sprint(ev.Position))
	return nil
}

// Changes prints what was changed, an artifact that became active at once in one
// line.
func Changes(s *term.Screen, list []answer.CompileChange) {
	const shown = 40
	lines := 0
	for i, x := range list {
		op := string(x.Op)
		switch {
		case i > 0 && x.Op == lukasa.CompileActivate && list[i-1].Op == lukasa.CompileCreate && list[i-1].URI == x.URI:
			continue // told with the one before
		case i+1 < len(list) && x.Op == lukasa.CompileCreate && list[i+1].Op == lukasa.CompileActivate && list[i+1].URI == x.URI:
			op = "active"
		case x.Op == lukasa.CompileCreate && x.URI.Kind.String() == "artifact":
			op = "draft"
		}
		if lines++; lines > shown {
			s.Detail("and", "more; --json has all of them")
			return
		}
		what := x.Class
		if what == "" {
			what = "conflict"
		}
		fmt.Fprintf(s.Stdout, "  %-10s %-17s %s\n", op, what, term.Preview(term.OneLine(x.Title), 80))
		fmt.Fprintf(s.Stdout, "  %s\n", s.Paint.Dim(fmt.Sprintf("%28s %s", "", x.URI)))
	}
}

// Score writes how much something matters, from 0 to 1.
func Score(v float32) string { return fmt.Sprintf("%.2f", v) }
