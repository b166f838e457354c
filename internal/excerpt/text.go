package excerpt

import (
	"fmt"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/record"
)

func URIOf(tenant string, h *catalog.Head) memory.URI {
	return memory.URI{Tenant: tenant, Kind: h.Kind, ID: h.ID, Version: uint64(h.Version)}
}

// QuoteEvent fills in the text of an event.
func QuoteEvent(ev *hmx.Event, tenant string, s *pack.Source) {
	q := kind.Quote(ev)
	s.ID, s.URI, s.Type, s.Label = ev.EventID, memory.URI{Tenant: tenant, Kind: record.Event, ID: ev.EventID}, string(ev.EventType), q.Label
	switch {
	case q.Title == "":
		s.Text = q.Text
	case q.Text == "":
		s.Text = q.Title
	default:
		s.Text = q.Title + ": " + q.Text
	}
	if strings.TrimSpace(s.Text) == "" {
		s.Text, s.Label = s.Label, ""
	}
}

// Quote fills in the text of a record, and its sources.
func (p *Reading) Quote(x Item, s *pack.Source) (err error) {
	if x.Head == nil || x.Body == nil {
		return pack.ErrGone
	}
	s.ID, s.URI, s.Type = x.Head.ID, URIOf(p.Tenant.Name, x.Head), x.Head.Class
	if s.Text, err = p.Text(x); err != nil {
		return err
	}
	if s.Text == "" {
		return pack.ErrGone // its text consists of others that are hidden
	}
	return p.prove(x.Body, s)
}

// Text returns the text of a record.
func (p *Reading) Text(x Item) (string, error) {
	switch b := x.Body.(type) {
	case *memory.Memory:
		return b.Render(memory.FormFull), nil
	case *memory.Policy:
		return b.Text, nil
	case *memory.Entity:
		return entityText(b), nil
	case *memory.Relation:
		from, err := p.nameOf(b.From)
		if err != nil {
			return "", err
		}
		to, err := p.nameOf(b.To)
		return from + " " + b.Predicate + " " + to, err
	case *memory.Conflict:
		if b.Summary != "" {
			return b.Summary, nil
		}
		return p.sidesOf(b)
	case *memory.Artifact:
		return artifactText(&b.HMX), nil
	}
	return "", pack.ErrGone
}

// sidesOf returns the names of the visible sides of a conflict; "" if none is.
func (p *Reading) sidesOf(c *memory.Conflict) (string, error) {
	var names []string
	for _, u := range c.Between {
		_, ok, err := p.sourceAt(u)
		if err != nil {
			return "", err
		}
		if ok {
			names = append(names, u.Kind.String()+" "+u.ID)
		}
	}
	return strings.Join(names, " and "), nil
}

// entityText describes an entity.
func entityText(e *memory.Entity) string {
	in := e.Type
	if len(e.Aliases) > 0 {
		if in != "" {
			in += "; "
		}
		in += strings.Join(e.Aliases, ", ")
	}
	text := e.Name
	if in != "" {
		text += " (" + in + ")"
	}
	if e.Description != "" {
		text += ": " + e.Description
	}
	return text
}

// nameOf returns the name of an entity, or its id if it is hidden.
func (p *Reading) nameOf(id string) (string, error) {
	h, ok, err := catalog.HeadOf(p.Reader, p.Tenant.Number, record.Entity, catalog.ThingOf(p.Tenant.Name, record.Entity, id))
	if err != nil || !ok || h.State != catalog.Live || len(h.Names) == 0 {
		return id, err
	}
	if shown, err := p.Shows(h); err != nil || !shown {
		return id, err
	}
	return h.Names[0], nil
}

// artifactText returns the text of an artifact, with its steps and the number of its
// sources.
func artifactText(a *hmx.Artifact) string {
	lines := []string{a.Title}
	say := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				lines = append(lines, name+v)
			}
		}
	}
	step := func(i int, text string) { say(strconv.Itoa(i+1)+". ", text) }
	list := func(name string, values []string) {
		if len(values) > 0 {
			say(name, strings.Join(values, ", "))
		}
	}
	say("", a.Summary)
	if c, ok := a.TaskSchema(); ok {
		for i, s := range c.Steps {
			step(i, s.Description)
		}
		list("tools: ", c.ToolsUsed)
	} else if c, ok := a.FailurePlaybook(); ok {
		say("failure: ", c.FailurePattern)
		for i, s := range c.RecoverySteps {
			step(i, s)
		}
		say("prevention: ", c.PreventionStrategies...)
	} else if c, ok := a.DecisionPolicy(); ok {
		say("condition: ", c.Condition)
		say("recommendation: ", c.Recommendation)
	} else if c, ok := a.CausalPattern(); ok {
		say("cause: ", c.Cause)
		say("effect: ", c.Effect)
	} else if c, ok := a.StrategyTemplate(); ok {
		say("goal: ", c.Goal)
		for i, ph := range c.Phases {
			step(i, strings.Trim(ph.Name+": "+ph.Description, ": "))
		}
	}
	evidence := fmt.Sprintf("evidence: %d events", len(a.SourceEvents))
	if len(a.SourceEvents) == 1 {
		evidence = "evidence: 1 event"
	}
	return strings.Join(append(lines, evidence), "\n")
}
