package hmx

import "slices"

// ValidityScope says when an artifact applies (HMX-A section 6). All fields are
// optional; an empty scope applies everywhere within its tenant.
type ValidityScope struct {
	TenantIDs  []string       `json:"tenant_ids,omitzero"`
	AgentIDs   []string       `json:"agent_ids,omitzero"`
	Tags       []string       `json:"tags,omitzero"`
	TimeRange  Opt[TimeRange] `json:"time_range,omitzero"`
	Conditions []string       `json:"conditions,omitzero"`
	Extra      Extra          `json:"-"`
}

// TimeRange is a span of time, open where an end is absent.
type TimeRange struct {
	Start Opt[Time] `json:"start,omitzero"`
	End   Opt[Time] `json:"end,omitzero"`
	Extra Extra     `json:"-"`
}

// Situation is what a ValidityScope is judged against.
type Situation struct {
	TenantID   string
	AgentID    string
	Tags       []string // of the task at hand
	Now        Time
	Conditions []string // that are known to hold, word for word
}

// ScopeVerdict is the outcome of judging a scope.
type ScopeVerdict struct {
	Applies bool
	Failed  []string // the scope's fields that do not hold, by JSON name
	Unmet   []string // the conditions not known to hold
}

// Judge says whether the scope holds in s. A field with entries holds if: the
// tenant or agent is among them; one of the tags is; Now lies in the range, both
// ends included; all conditions are known to hold. A field that is absent or empty
// holds always.
func (v ValidityScope) Judge(s Situation) ScopeVerdict {
	var out ScopeVerdict
	fail := func(field string) { out.Failed = append(out.Failed, field) }
	if len(v.TenantIDs) > 0 && !slices.Contains(v.TenantIDs, s.TenantID) {
		fail("tenant_ids")
	}
	if len(v.AgentIDs) > 0 && !slices.Contains(v.AgentIDs, s.AgentID) {
		fail("agent_ids")
	}
	if len(v.Tags) > 0 && !slices.ContainsFunc(v.Tags, func(t string) bool { return slices.Contains(s.Tags, t) }) {
		fail("tags")
	}
	if r := v.TimeRange.Value; r.Start.Set && s.Now.Compare(r.Start.Value) < 0 || r.End.Set && s.Now.Compare(r.End.Value) > 0 {
		fail("time_range")
	}
	for _, c := range v.Conditions {
		if !slices.Contains(s.Conditions, c) {
			out.Unmet = append(out.Unmet, c)
		}
	}
	if out.Unmet != nil {
		fail("conditions")
	}
	out.Applies = out.Failed == nil
	return out
}
