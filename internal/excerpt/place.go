package excerpt

import (
	"context"
	"slices"
	"strings"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// Place is the section of a record in a pack, and its name there. The zero value means that it
// belongs into no pack.
type Place struct {
	Section hmx.Section
	Source  hmx.SourceType
}

// EventPlace returns the place of an event.
func EventPlace(c roster.Class) Place {
	section := hmx.Section(retrieval.EventSections()[c])
	if section == "" {
		section = hmx.SectionEvidence // an unknown type
	}
	return Place{section, hmx.SourceEpisode}
}

// EventType returns the type of events of a class, or "" for one that HMX does not know.
func EventType(c roster.Class) string { return eventTypes()[c] }

// eventTypes returns the types of events that HMX knows, by class.
var eventTypes = sync.OnceValue(func() map[roster.Class]string {
	names := make(map[roster.Class]string)
	for _, t := range hmx.EventTypes() {
		names[roster.ClassOf(string(t))] = string(t)
	}
	return names
})

// PlaceOf returns the section of a versioned record. Agents rely on rules, goals and core
// entries, so a record with less than the trust of a user is a fact at most, and the output of
// tools and external sources is evidence.
func (p *Reading) PlaceOf(ctx context.Context, h *catalog.Head, body memory.Body) (Place, error) {
	trusted := h.Trust >= record.User
	said := func(section hmx.Section) (Place, error) { // of a memory
		if h.Trust < record.Agent {
			section = hmx.SectionEvidence
		}
		return Place{section, hmx.SourceMemory}, nil
	}
	switch h.Kind {
	case record.Memory:
		switch memory.Type(h.Class) {
		case memory.TypeIdentity:
			if trusted {
				return Place{hmx.SectionCore, hmx.SourcePolicy}, nil
			}
		case memory.TypeConstraint:
			if trusted {
				return Place{hmx.SectionConstraints, hmx.SourcePolicy}, nil
			}
		case memory.TypeGoal:
			if trusted && h.Status == string(memory.GoalActive) {
				return Place{hmx.SectionGoals, hmx.SourceMemory}, nil
			}
		case memory.TypePattern:
			return said(hmx.SectionProcedures)
		case memory.TypeEvent:
			return said(hmx.SectionEvidence)
		}
		return said(hmx.SectionFacts)
	case record.Policy:
		switch {
		case !trusted:
		case h.Class == string(memory.PolicyInstruction):
			return Place{hmx.SectionCore, hmx.SourcePolicy}, nil
		case h.Class == string(memory.PolicyConstraint):
			return Place{hmx.SectionConstraints, hmx.SourcePolicy}, nil
		}
	case record.Entity:
		return p.entityPlace(h, body), nil
	case record.Relation:
		return Place{hmx.SectionGraphRelations, hmx.SourceRelation}, nil
	case record.Conflict:
		return Place{hmx.SectionConflicts, hmx.SourceConflict}, nil
	case record.Artifact:
		return p.artifactPlace(ctx, h, body)
	}
	return Place{}, nil
}

// entityPlace returns the place of an entity.
func (p *Reading) entityPlace(h *catalog.Head, body memory.Body) Place {
	agent := p.View.Agent
	self := agent != "" && (h.ID == agent || slices.ContainsFunc(h.Names, func(name string) bool { return strings.EqualFold(name, agent) }))
	described := false
	if e, ok := body.(*memory.Entity); ok {
		described = e.Description != ""
	}
	switch {
	case self && h.Trust >= record.User:
		return Place{hmx.SectionCore, hmx.SourceEntity}
	case h.Trust >= record.Agent && (self || described):
		return Place{hmx.SectionFacts, hmx.SourceEntity}
	}
	return Place{hmx.SectionGraphRelations, hmx.SourceEntity}
}

// artifactPlace returns where an artifact belongs.
func (p *Reading) artifactPlace(ctx context.Context, h *catalog.Head, body memory.Body) (Place, error) {
	section := hmx.SectionProcedures
	switch hmx.ArtifactType(h.Class) {
	case hmx.TypeStrategyTemplate:
		section = hmx.SectionWorkflow
		if a, ok := body.(*memory.Artifact); ok && h.Trust >= record.User {
			if s, ok := a.HMX.StrategyTemplate(); ok && s.Goal != "" {
				wanted, err := p.isGoal(ctx, s.Goal)
				if err != nil {
					return Place{}, err
				}
				if wanted {
					section = hmx.SectionGoals
				}
			}
		}
	case hmx.TypeDecisionPolicy:
		if h.Trust >= record.User {
			section = hmx.SectionConstraints
		}
	}
	return Place{section, hmx.SourceArtifact}, nil
}

// WhyOver returns why a document is not valid at the time of the reading, or "" if it is.
func (p *Reading) WhyOver(h *catalog.Head) string {
	switch {
	case h.Expires <= p.Now:
		return "its time to live is over"
	case p.Now >= h.ValidUntil:
		return "it is no longer valid"
	case p.Now < h.ValidFrom:
		return "it is not valid yet"
	}
	switch h.Kind {
	case record.Artifact:
		if h.Status != string(hmx.StatusActive) {
			return "it is " + h.Status
		}
	case record.Conflict:
		if h.Status != string(memory.ConflictOpen) {
			return "it is " + h.Status
		}
	case record.Policy:
		if h.Status != "active" {
			return "it is " + h.Status
		}
	}
	return ""
}
