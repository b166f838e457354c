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

// Where a record holds is judged here, for every read that acts on records: packs,
// context, checks and next steps.

// judge says whether a validity scope holds for who looks, in a tenant, with the tags of
// the request and at a time. What the request does not say is not outside: without an
// agent every agent_ids holds, and a condition NAME: VALUE fails only if the request
// states conditions of that NAME and this one is not among them.
func (v View) judge(s *hmx.ValidityScope, tenant string, tags []string, now int64) hmx.ScopeVerdict {
	agent := v.Agent
	if len(s.AgentIDs) > 0 && (agent == "" || Addressed(s.AgentIDs, agent)) {
		agent = s.AgentIDs[0]
	}
	return s.Judge(hmx.Situation{TenantID: tenant, AgentID: agent, Tags: tags, Now: hmx.TimeOf(time.Unix(0, now).UTC()), Conditions: v.held(s.Conditions, tags)})
}

// Applies reports whether a validity scope holds.
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

// AppliesBody reports whether a body holds for who looks, apart from the time: whether it
// is over is known of its head.
func AppliesBody(v View, body memory.Body, tenant string, tags []string, now int64) bool {
	s := scopeOf(body)
	if s == nil {
		return true
	}
	if _, thing := body.(*memory.Artifact); thing {
		// Its head says so, so that a reader learns that it has expired.
		timeless := *s
		timeless.TimeRange = hmx.Opt[hmx.TimeRange]{}
		s = &timeless
	}
	return Applies(v, s, tenant, tags, now)
}

// held returns the conditions that may be taken to hold.
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

// conditionParts splits a condition NAME: VALUE. Names are the same in capital and small
// letters.
func conditionParts(c string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(c, ":")
	name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
	return name, value, ok && name != "" && value != ""
}

// checkConditions judges what a request states to hold.
func (v View) checkConditions() error {
	if len(v.Conditions) == 0 {
		return nil
	}
	err := memory.CheckConditions("conditions", v.Conditions)
	return fault.Wrap(fault.InvalidArgument, err)
}

// ScopeText is a validity scope in words.
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

// Addressed reports whether an agent is one of those named, or below one of them:
// what coder is told, coder/tests is told as well.
func Addressed(agents []string, agent string) bool {
	return slices.ContainsFunc(agents, func(name string) bool {
		rest, ok := strings.CutPrefix(agent, name)
		return ok && (rest == "" || rest[0] == '/')
	})
}
