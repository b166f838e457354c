// Package kind says what the engine makes of an event by its type.
//
// It guarantees one row for every standard type, a tier for every other, and
// that no event is trusted more than whoever sent it. It does not look at what
// an event's text says: a tier is decided by where the text comes from.
package kind

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
)

// row is what a type of event is trusted with.
type row struct {
	event hmx.EventType
	trust record.Trust
	why   string
}

// rows is the table, in the order of HMX-E. A message is looked up by its role
// as well.
var rows = [...]row{
	{hmx.TypeMessage, record.External, "nobody knows who spoke, unless the role says"},
	{hmx.TypeToolCall, record.Agent, "the agent chose tool and arguments"},
	{hmx.TypeToolResult, record.Tool, "what a tool printed"},
	{hmx.TypeFileEdit, record.Tool, "what stands in a file, whoever wrote it there"},
	{hmx.TypeTestRun, record.Tool, "what a test runner printed"},
	{hmx.TypeCommandExec, record.Tool, "what a command printed"},
	{hmx.TypeBrowserAction, record.External, "what a web page shows"},
	{hmx.TypeAPIResult, record.Tool, "what an interface that the agent was given answered"},
	{hmx.TypeDecision, record.Agent, "what the agent concluded"},
	{hmx.TypeError, record.Tool, "what a program said when it failed"},
	{hmx.TypeObservation, record.External, "what was seen without asking, from anywhere"},
	{hmx.TypeStateChange, record.Agent, "what the agent says about itself"},
	{hmx.TypeFeedback, record.User, "what the user thought of it"},
}

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
	for _, r := range rows {
		if r.event == ev.EventType {
			return r.trust
		}
	}
	return record.External
}
