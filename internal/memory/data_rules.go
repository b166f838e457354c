package memory

import (
	"fmt"
	"strings"

	"lukasa.dev/internal/document"
)

// Type returns identity.
func (*Identity) Type() Type { return TypeIdentity }

// Type returns fact.
func (*Fact) Type() Type { return TypeFact }

// Type returns preference.
func (*Preference) Type() Type { return TypePreference }

// Type returns belief.
func (*Belief) Type() Type { return TypeBelief }

// Type returns event.
func (*Event) Type() Type { return TypeEvent }

// Type returns goal.
func (*Goal) Type() Type { return TypeGoal }

// Type returns constraint.
func (*Constraint) Type() Type { return TypeConstraint }

// Type returns capability.
func (*Capability) Type() Type { return TypeCapability }

// Type returns pattern.
func (*Pattern) Type() Type { return TypePattern }

// State is empty.
func (*Identity) State() string { return "" }

// State is empty.
func (*Fact) State() string { return "" }

// State is the polarity.
func (d *Preference) State() string { return string(d.Polarity) }

// State is the stance.
func (d *Belief) State() string { return string(d.Stance) }

// State is the outcome.
func (d *Event) State() string { return string(d.Outcome) }

// State is the status.
func (d *Goal) State() string { return string(d.Status) }

// State is the strength.
func (d *Constraint) State() string { return string(d.Strength) }

// State is the level.
func (d *Capability) State() string { return string(d.Level) }

// State is empty.
func (*Pattern) State() string { return "" }

func (d *Identity) fields(c *document.Codec) {
	document.Word(c, "name", &d.Name)
	document.Word(c, "role", &d.Role)
}

func (d *Fact) fields(c *document.Codec) {
	document.Word(c, "subject", &d.Subject)
	document.Word(c, "predicate", &d.Predicate)
	document.Word(c, "object", &d.Object)
}

func (d *Preference) fields(c *document.Codec) {
	document.Word(c, "subject", &d.Subject)
	document.Word(c, "polarity", &d.Polarity)
	document.Word(c, "strength", &d.Strength)
}

func (d *Belief) fields(c *document.Codec) {
	document.Words(c, "evidence", &d.Evidence)
	document.Word(c, "stance", &d.Stance)
}

func (d *Event) fields(c *document.Codec) {
	document.Word(c, "verb", &d.Verb)
	document.Word(c, "outcome", &d.Outcome)
	c.Time("occurred_at", &d.OccurredAt)
}

func (d *Goal) fields(c *document.Codec) {
	document.Word(c, "status", &d.Status)
	c.Time("due", &d.Due)
	document.Word(c, "success", &d.Success)
}

func (d *Constraint) fields(c *document.Codec) {
	document.Word(c, "strength", &d.Strength)
	document.Word(c, "rule", &d.Rule)
}

func (d *Capability) fields(c *document.Codec) {
	document.Word(c, "name", &d.Name)
	document.Word(c, "level", &d.Level)
	document.Words(c, "limits", &d.Limits)
}

func (d *Pattern) fields(c *document.Codec) {
	document.Word(c, "trigger", &d.Trigger)
	document.Word(c, "action", &d.Action)
	c.Integer("support", &d.Support)
}

func (d *Identity) defaults() {}

func (d *Fact) defaults() {}

func (d *Preference) defaults() {
	fallback(&d.Polarity, PolarityLike)
	fallback(&d.Strength, StrengthFirm)
}

func (d *Belief) defaults() {
	fallback(&d.Stance, StanceHeld)
	emptyToNil(&d.Evidence)
}

func (d *Event) defaults() { fallback(&d.Outcome, OutcomeUnknown) }

func (d *Goal) defaults() { fallback(&d.Status, GoalActive) }

func (d *Constraint) defaults() { fallback(&d.Strength, StrengthFirm) }

func (d *Capability) defaults() {
	fallback(&d.Level, LevelGood)
	emptyToNil(&d.Limits)
}

func (d *Pattern) defaults() {}

// fallback sets a zero value to its default.
func fallback[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// emptyToNil makes an empty list nil.
func emptyToNil[T any](v *[]T) {
	if len(*v) == 0 {
		*v = nil
	}
}

func (d *Identity) rules(f *faults) {
	f.Prose("data.name", d.Name, maxField)
	f.Prose("data.role", d.Role, maxField)
}

func (d *Fact) rules(f *faults) {
	f.Prose("data.subject", d.Subject, maxField)
	f.Prose("data.predicate", d.Predicate, maxField)
	f.Prose("data.object", d.Object, maxField)
}

func (d *Preference) rules(f *faults) {
	f.Prose("data.subject", d.Subject, maxField)
	document.OneOf(&f.Problems, "data.polarity", d.Polarity, "a polarity", Polarities(), nil)
	document.OneOf(&f.Problems, "data.strength", d.Strength, "a strength", Strengths(), nil)
}

func (d *Belief) rules(f *faults) {
	proseList(f, "data.evidence", d.Evidence)
	document.OneOf(&f.Problems, "data.stance", d.Stance, "a stance", Stances(), nil)
}

func (d *Event) rules(f *faults) {
	if d.Verb != "" {
		f.verb("data.verb", d.Verb)
	}
	document.OneOf(&f.Problems, "data.outcome", d.Outcome, "an outcome", Outcomes(), nil)
}

func (d *Goal) rules(f *faults) {
	document.OneOf(&f.Problems, "data.status", d.Status, "a status of a goal", GoalStatuses(), nil)
	f.Prose("data.success", d.Success, maxField)
}

func (d *Constraint) rules(f *faults) {
	document.OneOf(&f.Problems, "data.strength", d.Strength, "a strength", Strengths(), nil)
	f.Prose("data.rule", d.Rule, maxField)
}

func (d *Capability) rules(f *faults) {
	f.Prose("data.name", d.Name, maxField)
	document.OneOf(&f.Problems, "data.level", d.Level, "a level", Levels(), nil)
	proseList(f, "data.limits", d.Limits)
}

func (d *Pattern) rules(f *faults) {
	f.Prose("data.trigger", d.Trigger, maxField)
	f.Prose("data.action", d.Action, maxField)
	if d.Support < 0 {
		f.Add("data.support", fmt.Sprintf("is %d, but counts from 0", d.Support), "give how often the pattern was seen, or leave it out")
	}
}

// proseList adds what is wrong with a list of texts within data.
func proseList(f *faults, field string, list []string) {
	if f.Length(field, len(list), 0, maxList) {
		for i, s := range list {
			f.Prose(document.Indexed(field, i), s, maxField)
		}
	}
}

func (d *Identity) qualifier() string   { return "" }
func (d *Fact) qualifier() string       { return "" }
func (d *Capability) qualifier() string { return unless(d.Level, LevelGood) }
func (d *Pattern) qualifier() string    { return "" }
func (d *Constraint) qualifier() string { return string(d.Strength) }
func (d *Belief) qualifier() string     { return unless(d.Stance, StanceHeld) }
func (d *Event) qualifier() string      { return unless(d.Outcome, OutcomeUnknown) }
func (d *Preference) qualifier() string { return unless(d.Polarity, PolarityLike) }

func (d *Goal) qualifier() string {
	var parts []string
	if s := unless(d.Status, GoalActive); s != "" {
		parts = append(parts, s)
	}
	if !d.Due.IsZero() {
		parts = append(parts, "due "+d.Due.Time().Format("2006-01-02"))
	}
	return strings.Join(parts, ", ")
}

// unless returns v unless it is the expected value.
func unless[T ~string](v, expected T) string {
	if v == expected {
		return ""
	}
	return string(v)
}
