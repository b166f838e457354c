package access

import (
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/trace"
)

// This file decides where a record applies, for every read that acts on records: packs,
// context, checks and next steps.

// judge decides whether a validity scope applies to the view, in a tenant, with the tags
// of the request and at a time. What the request does not state counts as inside: without
// an agent every agent_ids applies, and a condition NAME: VALUE fails only if the request
// states other values of that NAME.
func (v View) judge(s *hmx.ValidityScope, tenant string, tags []string, now int64) hmx.ScopeVerdict {
	agent := v.Agent
	if len(s.AgentIDs) > 0 && (agent == "" || Addressed(s.AgentIDs, agent)) {
		agent = s.AgentIDs[0]
	}
	return s.Judge(hmx.Situation{TenantID: tenant, AgentID: agent, Tags: tags, Now: hmx.TimeOf(time.Unix(0, now).UTC()), Conditions: v.held(s.Conditions, tags)})
}

// Applies reports whether a validity scope applies.
func Applies(v View, s *hmx.ValidityScope, tenant string, tags []string, now int64) bool {
	return v.judge(s, tenant, tags, now).Applies
}

// scopeOf returns the validity scope of a body, or nil if it has none.
func scopeOf(body memory.Body) *hmx.ValidityScope {
	switch b := body.(type) {
	case *memory.Memory:
		return &b.ValidityScope
	case *memory.Artifact:
		return &b.HMX.ValidityScope.Value
	}
	return nil
}

// AppliesBody reports whether a body applies to the view, apart from the time: its head
// says whether it has expired.
func AppliesBody(v View, body memory.Body, tenant string, tags []string, now int64) bool {
	s := scopeOf(body)
	if s == nil {
		return true
	}
	if _, thing := body.(*memory.Artifact); thing {
		// The head has the time, so that a reader learns that it has expired.
		timeless := *s
		timeless.TimeRange = hmx.Opt[hmx.TimeRange]{}
		s = &timeless
	}
	return Applies(v, s, tenant, tags, now)
}

// held returns the conditions that count as fulfilled.
func (v View) held(conditions, tags []string) []string {
	if len(conditions) == 0 {
		return nil
	}
	stated := v.Conditions
	if where := trace.EnvironmentIn(tags); where != "" {
		stated = append(slices.Clone(stated), compile.Environment(where))
	}
	if len(stated) == 0 {
		return conditions
	}
	return slices.DeleteFunc(slices.Clone(conditions), func(c string) bool {
		name, value, ok := conditionParts(c)
		if !ok {
			return false
		}
		known, met := false, false
		for _, s := range stated {
			if n, is, ok := conditionParts(s); ok && n == name {
				known, met = true, met || is == value
			}
		}
		return known && !met
	})
}

// conditionParts splits a condition NAME: VALUE. Names ignore case.
func conditionParts(c string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(c, ":")
	name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
	return name, value, ok && name != "" && value != ""
}

// checkConditions validates the conditions that a request states.
func (v View) checkConditions() error {
	if len(v.Conditions) == 0 {
		return nil
	}
	err := memory.CheckConditions("conditions", v.Conditions)
	return fault.Wrap(fault.InvalidArgument, err)
}

// ScopeText describes a validity scope.
func ScopeText(body memory.Body) string {
	s := scopeOf(body)
	if s == nil {
		return ""
	}
	text, err := s.MarshalJSON()
	if err != nil {
		return ""
	}
	return string(text)
}

// Addressed reports whether an agent is one of those named, or below one of them: what is
// for coder is for coder/tests as well.
func Addressed(agents []string, agent string) bool {
	return slices.ContainsFunc(agents, func(name string) bool {
		rest, ok := strings.CutPrefix(agent, name)
		return ok && (rest == "" || rest[0] == '/')
	})
}
