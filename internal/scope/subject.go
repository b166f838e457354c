package scope

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Subject is what a scope sees of a record or an event.
type Subject struct {
	Kind    record.Kind
	ID      string
	Type    string // see [TypeOf]
	Session string // of an event or a feedback
	Section string // see [SectionOf]
	Tags    []string
	Frames  []string // verb:kind=ref, with normalised references
	Pinned  bool     // every agent receives it at its start
}

// TypeOf returns the type by which selectors name a record: a memory's type, a policy's kind,
// event for events of both sorts, and for everything else the name of its kind. Types that
// callers invent, such as an entity's, do not count.
func TypeOf(k record.Kind, class string) string {
	switch k {
	case record.Memory, record.Policy:
		return class
	}
	return k.String()
}

// Types lists the types that selectors may name.
func Types() []string {
	var all []string
	for _, t := range memory.Types() {
		all = append(all, string(t))
	}
	all = append(all, string(memory.PolicyInstruction), string(memory.PolicyRetention)) // constraint is there already
	for _, k := range []record.Kind{record.Edge, record.Entity, record.Relation, record.Conflict, record.Artifact, record.Feedback, record.Fingerprint} {
		all = append(all, k.String())
	}
	return all
}

// SectionOf returns the section of a record, by its kind and, for memories and policies, its
// type. Events are episodes here; a pack may place them by their content.
func SectionOf(k record.Kind, class string) hmx.Section {
	switch k {
	case record.Memory:
		switch memory.Type(class) {
		case memory.TypeIdentity:
			return hmx.SectionCore
		case memory.TypeGoal:
			return hmx.SectionGoals
		case memory.TypeConstraint:
			return hmx.SectionConstraints
		case memory.TypePattern:
			return hmx.SectionProcedures
		case memory.TypeEvent:
			return hmx.SectionEpisodes
		}
		return hmx.SectionFacts
	case record.Policy:
		if memory.PolicyKind(class) == memory.PolicyConstraint {
			return hmx.SectionConstraints
		}
		return hmx.SectionCore
	case record.Event:
		return hmx.SectionEpisodes
	case record.Edge, record.Entity, record.Relation:
		return hmx.SectionGraphRelations
	case record.Conflict:
		return hmx.SectionConflicts
	case record.Artifact:
		return hmx.SectionProcedures
	}
	return hmx.SectionEvidence
}
