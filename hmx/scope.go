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

// Situation is what a ValidityScope is evaluated against.
type Situation struct {
	TenantID   string
	AgentID    string
	Tags       []string // of the current task
	Now        Time
	Conditions []string // known to hold, verbatim
}

// ScopeVerdict is the result of evaluating a scope.
type ScopeVerdict struct {
	Applies bool
	Failed  []string // the scope's fields that do not hold, by JSON name
	Unmet   []string // the conditions not known to hold
}

// Judge reports whether the scope holds in s. A field with entries holds if: the tenant or
// agent is among them; one of the tags is; Now is in the range, both ends included; all
// conditions are known to hold. An absent or empty field always holds.
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
