package memory

import (
	"fmt"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
)

// MaxCondition is the longest condition of a validity scope, in bytes.
const MaxCondition = 1024

// scopeFields are the fields of a validity scope.
func scopeFields(v *hmx.ValidityScope, c *document.Codec) {
	document.Words(c, "tenant_ids", &v.TenantIDs)
	document.Words(c, "agent_ids", &v.AgentIDs)
	document.Words(c, "tags", &v.Tags)
	r := &v.TimeRange.Value
	v.TimeRange.Set = c.Object("time_range", v.TimeRange.Set, func(c *document.Codec) {
		optTime(c, "start", &r.Start)
		optTime(c, "end", &r.End)
	})
	document.Words(c, "conditions", &v.Conditions)
}

// optTime is a point in time that may be absent.
func optTime(c *document.Codec, name string, v *hmx.Opt[hmx.Time]) {
	c.Time(name, &v.Value)
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
		if f.Length(at, len(l.list), 0, MaxSelectors) {
			for i, s := range l.list {
				f.Trimmed(document.Indexed(at, i), s, l.most)
			}
		}
	}
	r := &v.TimeRange.Value
	if r.Start.Set && r.End.Set && r.Start.Value.Compare(r.End.Value) > 0 {
		f.Add(field+".time_range.end", "is "+document.Show(r.End.Value.String())+", which is before the start "+document.Show(r.Start.Value.String()), "give a later time, or leave one of them out")
	}
	if n := len(v.Extra) + len(r.Extra); n > 0 {
		f.Add(field, fmt.Sprintf("has %d further members", n), "use tenant_ids, agent_ids, tags, time_range and conditions only")
	}
}

// CheckConditions refuses conditions that no validity scope may have. field names them in the
// error.
func CheckConditions(field string, list []string) error {
	var f faults
	if f.Length(field, len(list), 0, MaxSelectors) {
		for i, s := range list {
			f.Trimmed(document.Indexed(field, i), s, MaxCondition)
		}
	}
	return f.Err("conditions")
}
