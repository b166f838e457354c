package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// wrote answers a command that wrote a version of a thing.
func (v *visit) wrote(ctx context.Context, verb string, put *lukasa.PutResult) error {
	root, err := v.Root(context.WithoutCancel(ctx), put.URI.Tenant) // it is written, whatever comes
	if err != nil {
		return err
	}
	a := answer.WriteOf(put, root)
	s := v.shell
	if s.json {
		return s.writeJSON(a)
	}
	if a.Unchanged {
		verb = "unchanged"
	}
	fmt.Fprintf(s.stdout, "%s %s\n", s.paint.green(verb), s.paint.bold(a.URI.String()))
	s.detail("position", fmt.Sprint(a.Position))
	trust := a.Trust.String()
	if asked, ok := record.ParseTrust(v.flags.trust); ok && v.derived && v.scope == "" && a.Trust < asked {
		trust += ": lowered by a source that is not known here or is trusted less"
	}
	s.detail("trust", trust)
	s.tellScrubbed(a.Scrubbed)
	s.detail("root", a.Root+" over "+counted(int(a.Size), "record"))
	return nil
}

// tellScrubbed says how many secrets were taken out of what was written, if any were.
func (s *shell) tellScrubbed(found int) {
	if found > 0 {
		s.detail("scrubbed", counted(found, "secret")+" taken out before anything was recorded")
	}
}

// showThing prints a thing for a person: what it says, then what is known of it.
func (s *shell) showThing(t *lukasa.Thing) error {
	body, err := t.Body.AppendJSON(nil)
	if err != nil {
		return err
	}
	if m, ok := t.Body.(*lukasa.Memory); ok {
		fmt.Fprintf(s.stdout, "%s\n\n", strings.TrimRight(visible(m.Render(memory.FormFull)), "\n"))
	} else {
		fmt.Fprintf(s.stdout, "%s\n\n", indented(body))
	}
	fmt.Fprintln(s.stdout, s.paint.bold(t.URI.String()))
	facets := t.Body.Facets()
	if _, key := t.Body.Identity(); key != "" {
		s.detail("key", key)
	}
	s.detail("type", strings.TrimSpace(t.URI.Kind.String()+" "+facets.Class))
	s.detail("status", t.Status)
	if t.State != lukasa.Live {
		s.detail("state", stateOf(t))
	} else if !t.Valid {
		s.detail("state", "not valid at this time")
	}
	s.detail("version", fmt.Sprintf("%d, written %s by %s with trust %s", t.Version, moment(t.Updated), oneLine(t.Actor), t.Trust))
	if t.Version > 1 {
		s.detail("created", moment(t.Created))
	}
	s.detail("expires", moment(t.Expires))
	s.detail("position", fmt.Sprint(t.Position))
	s.detail("tags", strings.Join(facets.Tags, ", "))
	for _, f := range facets.Frames {
		s.detail("frame", f.String())
	}
	if m, ok := t.Body.(*lukasa.Memory); ok {
		s.showWeights(m)
	}
	return nil
}

// showWeights prints what a memory says about itself, as far as it is not the
// default.
func (s *shell) showWeights(m *lukasa.Memory) {
	if v := m.Importance.Or(memory.DefaultImportance); v != memory.DefaultImportance {
		s.detail("importance", fmt.Sprint(v))
	}
	if v := m.Confidence.Or(memory.DefaultConfidence); v != memory.DefaultConfidence {
		s.detail("confidence", fmt.Sprint(v))
	}
	s.detail("valid", span(m.ValidFrom.String(), m.ValidUntil.String()))
	if m.Facets().Scoped {
		if scope, err := m.ValidityScope.MarshalJSON(); err == nil {
			s.detail("holds", "where "+oneLine(string(scope)))
		}
	}
	if m.Visibility == memory.VisiblePrivate {
		s.detail("visible", "to its writer and to operators")
	}
	for _, u := range m.Sources {
		s.detail("source", u.String())
	}
}

// span writes from when until when.
func span(from, until string) string {
	switch {
	case from == "" && until == "":
		return ""
	case until == "":
		return "from " + from
	case from == "":
		return "until " + until
	}
	return "from " + from + " until " + until
}

// stateOf says when a thing went and why.
func stateOf(t *lukasa.Thing) string {
	text := string(t.State)
	when := t.Updated
	if t.State == lukasa.Ended && !t.Expires.IsZero() {
		when = t.Expires
	}
	text += " at " + moment(when)
	if t.Note != "" {
		text += ": " + t.Note
	}
	return text
}

// indented writes JSON over several lines, for a person.
func indented(text []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return visible(string(text))
	}
	return visible(b.String())
}

// summary returns what a body says in a few words.
func summary(body lukasa.Body) string {
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

// showEvent prints an event for a person.
func (s *shell) showEvent(ev *lukasa.StoredEvent) error {
	a, err := answer.EventOf(ev)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "%s\n\n", indented(a.Event))
	fmt.Fprintln(s.stdout, s.paint.bold(a.URI.String()))
	s.detail("type", "event "+string(ev.Event.EventType))
	s.detail("recorded", moment(ev.Recorded)+" by "+ev.Actor+" with trust "+ev.Trust.String())
	s.detail("position", fmt.Sprint(ev.Position))
	return nil
}
