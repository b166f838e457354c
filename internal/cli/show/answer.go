package show

import (
	"fmt"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
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
		s.Detail("scrubbed", term.Counted(found, "secret")+" removed before anything was recorded")
	}
}

// Thing prints a versioned record: its content, then its attributes.
func Thing(s *term.Screen, t *answer.Thing) error {
	body, err := lukasa.DecodeBody(t.Kind, t.Body)
	if err != nil {
		return err
	}
	m, isMemory := body.(*lukasa.Memory)
	if isMemory {
		fmt.Fprintf(s.Stdout, "%s\n\n", strings.TrimRight(term.Visible(m.Render(memory.FormFull)), "\n"))
	} else {
		fmt.Fprintf(s.Stdout, "%s\n\n", term.Indented(t.Body))
	}
	fmt.Fprintln(s.Stdout, s.Paint.Bold(t.URI.String()))
	facets := body.Facets()
	if _, key := body.Identity(); key != "" {
		s.Detail("key", key)
	}
	s.Detail("type", strings.TrimSpace(t.Kind.String()+" "+facets.Class))
	s.Detail("status", t.Status)
	if t.State != lukasa.Live {
		s.Detail("state", StateOf(t))
	} else if !t.Valid {
		s.Detail("state", "not valid at this time")
	}
	s.Detail("version", fmt.Sprintf("%d, written %s by %s with trust %s", t.Version, moment(t.UpdatedAt), term.OneLine(t.Actor), t.Trust))
	if t.Version > 1 {
		s.Detail("created", moment(t.CreatedAt))
	}
	s.Detail("expires", moment(t.ExpiresAt))
	s.Detail("position", fmt.Sprint(t.Position))
	s.Detail("tags", strings.Join(facets.Tags, ", "))
	for _, f := range facets.Frames {
		s.Detail("frame", f.String())
	}
	if isMemory {
		showWeights(s, m)
	}
	return nil
}

// moment writes a time of an answer for a person.
func moment(text string) string { return term.Moment(instant(text)) }

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

// StateOf returns when a record ended, and why.
func StateOf(t *answer.Thing) string {
	when := t.UpdatedAt
	if t.State == lukasa.Ended && t.ExpiresAt != "" {
		when = t.ExpiresAt
	}
	text := string(t.State) + " at " + moment(when)
	if t.Reason != "" {
		text += ": " + t.Reason
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
func Event(s *term.Screen, a *answer.Event) error {
	ev, _, err := hmx.DecodeEvent(a.Event)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "%s\n\n", term.Indented(a.Event))
	fmt.Fprintln(s.Stdout, s.Paint.Bold(a.URI.String()))
	s.Detail("type", "event "+string(ev.EventType))
	s.Detail("recorded", moment(a.RecordedAt)+" by "+a.Actor+" with trust "+a.Trust.String())
	s.Detail("position", fmt.Sprint(a.Position))
	return nil
}

// History prints versions, a line for each.
func History(s *term.Screen, a *answer.History) error {
	fmt.Fprintln(s.Stdout, s.Paint.Bold(a.URI.String()))
	rows := make([][]string, len(a.Versions))
	for i, ch := range a.Versions {
		text := ch.Reason
		if ch.Body != nil {
			body, err := lukasa.DecodeBody(a.URI.Kind, ch.Body)
			if err != nil {
				return err
			}
			text = Summary(body)
		}
		rows[i] = []string{
			fmt.Sprint(ch.Version), ch.Op, moment(ch.Time), term.Preview(ch.Actor, 24), ch.Trust.String(), fmt.Sprint(ch.Position), term.Preview(text, 72),
		}
	}
	s.Table("VERSION", "WHAT", "TIME", "BY", "TRUST", "POSITION", "TEXT").Rows(rows)
	if a.Next != nil {
		fmt.Fprintf(s.Stdout, "… and more: --after %s\n", *a.Next)
	}
	return nil
}

// Compiled prints what a compile did.
func Compiled(s *term.Screen, a *answer.Compiled) {
	verb := "compiled"
	if a.DryRun {
		verb = "would compile"
	}
	fmt.Fprintf(s.Stdout, "%s %s: %s, %s unchanged\n", s.Paint.Green(verb), term.Counted(a.Tasks, "task"), term.Counted(len(a.Changes), "change"), term.Thousands(a.Unchanged))
	Changes(s, a.Changes)
	s.Detail("read", term.Counted(a.Events, "event")+" of "+term.Counted(a.Sessions, "session")+" that had new ones")
	s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
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
			continue // shown with the one before
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
