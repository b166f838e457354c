package memory

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

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
	return f.err("name")
}

// CheckID checks an id (of an event, a session, an agent, a trace, a record) that the request
// calls field: 1 to 1,024 bytes of UTF-8 without control or bidirectional control characters.
func CheckID(field, id string) error {
	var f faults
	f.name(field, id, MaxID)
	return f.err("name")
}

// CheckActor checks the name of a writer, by the rules of ids.
func CheckActor(name string) error {
	var f faults
	f.name("actor", name, MaxActor)
	return f.err("name")
}

// CheckKey checks the key of a memory or policy: 1 to 512 bytes of UTF-8 without control or
// bidirectional control characters, without white space around it, and without empty segments
// between slashes.
func CheckKey(key string) error {
	var f faults
	f.key("key", key)
	return f.err("name")
}

// name adds what is wrong with a name of 1 to limit bytes.
func (f *faults) name(field, s string, limit int) bool {
	switch {
	case s == "":
		f.add(field, "is empty", fmt.Sprintf("give 1 to %d bytes of text", limit))
		return false
	case len(s) > limit:
		f.add(field, fmt.Sprintf("has %d bytes and begins with %s, but may have at most %d", len(s), show(s[:min(len(s), 60)]), limit), "shorten it")
		return false
	}
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				f.add(field, fmt.Sprintf("has the byte 0x%02X at offset %d, which is not UTF-8", s[i], i), "encode it as UTF-8")
				return false
			}
		case unicode.IsControl(r):
			f.add(field, fmt.Sprintf("has the control character U+%04X at byte %d", r, i), "leave it out")
			return false
		case bidiControl(r):
			f.add(field, fmt.Sprintf("has the bidirectional control character U+%04X at byte %d", r, i), "leave it out; it makes a name read as another one")
			return false
		}
	}
	return true
}

// trimmed adds what is wrong with a name of 1 to limit bytes without white space around it.
func (f *faults) trimmed(field, s string, limit int) bool {
	if !f.name(field, s, limit) {
		return false
	}
	if strings.TrimSpace(s) != s {
		f.add(field, "is "+show(s)+" with white space at its begin or end", "remove that white space")
		return false
	}
	return true
}

func (f *faults) tenant(field, s string) bool { return f.trimmed(field, s, MaxTenant) }

func (f *faults) key(field, s string) bool {
	if !f.trimmed(field, s, MaxKey) {
		return false
	}
	if s[0] == '/' || s[len(s)-1] == '/' || strings.Contains(s, "//") {
		f.add(field, "is "+show(s)+" with an empty segment", "write segments between single slashes, such as release/cadence")
		return false
	}
	return true
}

// prose adds what is wrong with running text of at most limit bytes. Line breaks and all other
// UTF-8 are allowed.
func (f *faults) prose(field, s string, limit int) bool {
	if len(s) > limit {
		f.add(field, fmt.Sprintf("has %d bytes, but may have at most %d", len(s), limit), "shorten it, or keep the bulk elsewhere and refer to it")
		return false
	}
	return f.utf8(field, s)
}

func (f *faults) utf8(field, s string) bool {
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			f.add(field, fmt.Sprintf("has the byte 0x%02X at offset %d, which is not UTF-8", s[i], i), "encode it as UTF-8")
			return false
		}
	}
	return true
}

// bidiControl reports whether r invisibly changes the direction of the text around it.
func bidiControl(r rune) bool {
	switch {
	case r == 0x061C, r == 0x200E, r == 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}
