package memory

import (
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// Limits of names, in bytes.
const (
	MaxTenant = record.MaxTenant
	MaxActor  = record.MaxActor
	MaxID     = 1024
	MaxKey    = 512
	MaxTag    = 128
	MaxRef    = 1024
	MaxName   = 512 // of an entity, a predicate, a subject
)

// CheckTenant checks the name of a tenant: 1 to 255 bytes of UTF-8 without control or
// bidirectional control characters, and without white space around it. Slashes are allowed.
func CheckTenant(name string) error {
	var f faults
	f.tenant("tenant", name)
	return f.Err("name")
}

// CheckID checks an id (of an event, a session, an agent, a trace, a record) that the request
// calls field: 1 to 1,024 bytes of UTF-8 without control or bidirectional control characters.
func CheckID(field, id string) error {
	var f faults
	f.Name(field, id, MaxID)
	return f.Err("name")
}

// CheckEventIDs checks the ids of an event, which the protocol does not limit. An optional id
// that is empty counts as absent.
func CheckEventIDs(ev *hmx.Event) error {
	var f faults
	for _, id := range [...]struct{ field, value string }{{"event_id", ev.EventID}, {"session_id", ev.SessionID}, {"agent_id", ev.AgentID}} {
		f.Name(id.field, id.value, MaxID)
	}
	for _, id := range [...]struct {
		field string
		value hmx.Opt[string]
	}{{"trace_id", ev.TraceID}, {"correlation_id", ev.CorrelationID}, {"parent_event_id", ev.ParentEventID}} {
		if id.value.Value != "" {
			f.Name(id.field, id.value.Value, MaxID)
		}
	}
	return f.Err("name")
}

// CheckActor checks the name of a writer, by the rules of ids.
func CheckActor(name string) error {
	var f faults
	f.Name("actor", name, MaxActor)
	return f.Err("name")
}

// CheckKey checks the key of a memory or policy: 1 to 512 bytes of UTF-8 without control or
// bidirectional control characters, without white space around it, and without empty segments
// between slashes.
func CheckKey(key string) error {
	var f faults
	f.key("key", key)
	return f.Err("name")
}

func (f *faults) tenant(field, s string) bool { return f.Trimmed(field, s, MaxTenant) }

func (f *faults) key(field, s string) bool {
	if !f.Trimmed(field, s, MaxKey) {
		return false
	}
	if s[0] == '/' || s[len(s)-1] == '/' || strings.Contains(s, "//") {
		f.Add(field, "is "+document.Show(s)+" with an empty segment", "write segments between single slashes, such as release/cadence")
		return false
	}
	return true
}
