package kind

import (
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
)

// speaker is what a role in a message is trusted with.
type speaker struct {
	role  string
	trust record.Trust
}

// speakers is the table of roles: the three of HMX-E, and two that others write.
var speakers = [...]speaker{
	{"user", record.User},
	{"assistant", record.Agent},
	{"system", record.Operator},
	{"developer", record.Operator},
	{"tool", record.Tool},
}

// origin is what is at most believed of what an event's source names.
type origin struct {
	name  string
	trust record.Trust
}

// origins is the table of sources: a name alone, or before a colon as in "tool:gh". A
// source that is not here, such as the name of a program, does not limit the trust.
var origins = [...]origin{
	{"agent", record.Agent},
	{"assistant", record.Agent},
	{"tool", record.Tool},
	{"browser", record.External},
	{"external", record.External},
	{"http", record.External},
	{"https", record.External},
	{"internet", record.External},
	{"web", record.External},
	{"webhook", record.External},
}

// Trust returns the tier of an event: that of its type, or of its role if it is
// a message, and never above that of its source, nor above the ceiling, which is
// the tier of its sender. A type or a role that is not in the tables is external,
// because its origin is unknown.
func Trust(ev *hmx.Event, ceiling record.Trust) record.Trust {
	return min(tier(ev), sourced(ev), ceiling)
}

// sourced returns what is at most believed of what comes from the event's source.
func sourced(ev *hmx.Event) record.Trust {
	name, _, _ := strings.Cut(ev.Source.Value, ":")
	name = strings.TrimSpace(name)
	for _, o := range origins {
		if strings.EqualFold(o.name, name) {
			return o.trust
		}
	}
	return record.Operator
}

func tier(ev *hmx.Event) record.Trust {
	if ev.EventType == hmx.TypeMessage {
		if m, ok := ev.Message(); ok {
			for _, s := range speakers {
				if s.role == m.Role {
					return s.trust
				}
			}
		}
	}
	r, _ := rowOf(ev.EventType)
	return r.trust
}
