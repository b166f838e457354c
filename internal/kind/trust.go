package kind

import (
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

// Trust returns the tier of an event: that of its type, or of its role if it is
// a message, and never above the ceiling, which is the tier of whoever sent it.
// A type or a role that is not in the tables is external: nothing is known of
// where it comes from.
func Trust(ev *hmx.Event, ceiling record.Trust) record.Trust {
	return min(tier(ev), ceiling)
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
