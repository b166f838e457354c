package memory

import (
	"fmt"

	"lukasa.dev/hmx"
)

// MaxCondition is the longest condition of a validity scope, in bytes.
const MaxCondition = 1024

// scopeFields are the fields of a validity scope.
func scopeFields(v *hmx.ValidityScope, c *codec) {
	words(c, "tenant_ids", &v.TenantIDs)
	words(c, "agent_ids", &v.AgentIDs)
	words(c, "tags", &v.Tags)
	r := &v.TimeRange.Value
	v.TimeRange.Set = c.object("time_range", v.TimeRange.Set, func(c *codec) {
		optTime(c, "start", &r.Start)
		optTime(c, "end", &r.End)
	})
	words(c, "conditions", &v.Conditions)
}

// optTime is a point in time that may be absent.
func optTime(c *codec, name string, v *hmx.Opt[hmx.Time]) {
	c.time(name, &v.Value)
	v.Set = !v.Value.IsZero()
}

// scopeIsZero reports whether a scope narrows nothing.
func scopeIsZero(v *hmx.ValidityScope) bool {
	return len(v.TenantIDs) == 0 && len(v.AgentIDs) == 0 && len(v.Tags) == 0 && len(v.Conditions) == 0 && !v.TimeRange.Set && len(v.Extra) == 0
}

// orderScope returns a scope with its lists sorted and without duplicates, and without an
// unbounded time range.
func orderScope(v hmx.ValidityScope) hmx.ValidityScope {
	v.TenantIDs, v.AgentIDs, v.Tags, v.Conditions = sortWords(v.TenantIDs), sortWords(v.AgentIDs), sortWords(v.Tags), sortWords(v.Conditions)
	if r := &v.TimeRange; r.Set && !r.Value.Start.Set && !r.Value.End.Set && len(r.Value.Extra) == 0 {
		*r = hmx.Opt[hmx.TimeRange]{}
	}
	return v
}

// scope adds what is wrong with a validity scope.
func (f *faults) scope(field string, v *hmx.ValidityScope) {
	for _, l := range []struct {
		name string
		list []string
		most int
	}{{"tenant_ids", v.TenantIDs, MaxTenant}, {"agent_ids", v.AgentIDs, MaxID}, {"tags", v.Tags, MaxTag}, {"conditions", v.Conditions, MaxCondition}} {
		at := field + "." + l.name
		if f.length(at, len(l.list), 0, MaxSelectors) {
			for i, s := range l.list {
				f.trimmed(indexed(at, i), s, l.most)
			}
		}
	}
	r := &v.TimeRange.Value
	if r.Start.Set && r.End.Set && r.Start.Value.Compare(r.End.Value) > 0 {
		f.add(field+".time_range.end", "is "+show(r.End.Value.String())+", which is before the start "+show(r.Start.Value.String()), "give a later time, or leave one of them out")
	}
	if n := len(v.Extra) + len(r.Extra); n > 0 {
		f.add(field, fmt.Sprintf("has %d further members", n), "use tenant_ids, agent_ids, tags, time_range and conditions only")
	}
}

// CheckConditions refuses conditions that no validity scope may have. field names them in the
// error.
func CheckConditions(field string, list []string) error {
	var f faults
	if f.length(field, len(list), 0, MaxSelectors) {
		for i, s := range list {
			f.trimmed(indexed(field, i), s, MaxCondition)
		}
	}
	return f.err("conditions")
}
