package memory

import (
	"strings"

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
