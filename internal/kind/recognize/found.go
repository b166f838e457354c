// Package recognize finds what names in events stand for: files and addresses, the program and the
// verb of a command, the verb of a tool, and people and other entities in text.
//
// It uses only forms and closed lists. Frames and indexes store its results, so a change of them
// raises the Version or the ContentVersion of internal/kind.
package recognize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Entity is a person or an object that an event names.
type Entity struct {
	Type string // one of [EntityTypes]
	Name string // as it is written
}

// The types of entities.
const (
	EntityPerson     = "person"     // the speaker, or the user that the event names
	EntityFile       = "file"       // a path
	EntityTool       = "tool"       // a tool of an agent
	EntityCommand    = "command"    // a program, and a program with its subcommand
	EntityURL        = "url"        // an address, and the host in it
	EntityVersion    = "version"    // v1.2.3
	EntityIdentifier = "identifier" // a ticket, a booking, a function, a commit
	EntityName       = "name"       // what is written as a name is
	EntityTag        = "tag"        // a tag of the event, or a hashtag
)

// EntityTypes lists the types.
func EntityTypes() []string {
	return []string{EntityPerson, EntityFile, EntityTool, EntityCommand, EntityURL, EntityVersion, EntityIdentifier, EntityName, EntityTag}
}

const (
	// MaxEntities is how many entities one event gives at most.
	MaxEntities = 24
	// MaxEntityName is the most bytes of a name. A longer one is none.
	MaxEntityName = 256
	// MaxEntityTags is how many tags of an event are entities.
	MaxEntityTags = 8
)

// NormalName returns the form of a name by which entities of a type are one: in
// small letters, with single blanks, a tag without the # that it begins with.
func NormalName(typ, name string) string {
	for i := range len(name) {
		if c := name[i]; c-'A' < 26 || c <= ' ' || c >= utf8.RuneSelf || c == '#' {
			return string(AppendNormalName(make([]byte, 0, len(name)), typ, name))
		}
	}
	return name
}

// AppendNormalName appends [NormalName] to dst.
func AppendNormalName(dst []byte, typ, name string) []byte {
	began, blank := len(dst), false
	for i := 0; i < len(name); {
		c, size := rune(name[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(name[i:])
		}
		i += size
		if c <= ' ' || c >= utf8.RuneSelf && SpaceLike(c) {
			blank = true
			continue
		}
		if c == '#' && len(dst) == began && typ == EntityTag {
			continue
		}
		if blank && len(dst) > began {
			dst = append(dst, ' ')
		}
		blank = false
		switch {
		case c < utf8.RuneSelf:
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			dst = append(dst, byte(c))
		case cased(c):
			dst = utf8.AppendRune(dst, unicode.ToLower(c))
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	return dst
}

// cased reports whether c, which is not ASCII, is of the Latin, Greek or Cyrillic
// script. What is capital and small in these does not change between versions of
// Unicode.
func cased(c rune) bool { return c < 0x530 || c >= 0x1E00 && c < 0x1F00 }

// LeadingSpeaker returns the name that a text begins with if a colon follows it, as
// transcripts are written.
func LeadingSpeaker(text string) string {
	const most = 40
	end := strings.IndexByte(text[:min(len(text), most)], ':')
	if end <= 1 || end+1 < len(text) && text[end+1] != ' ' && text[end+1] != '\n' {
		return ""
	}
	name := text[:end]
	words := 0
	for word := range strings.SplitSeq(name, " ") {
		if words++; words > 3 || !capitalWord(word) || kindOfWord(word) != plainNoun {
			return ""
		}
	}
	return name
}

// capitalWord reports whether w begins with a capital and is made of letters,
// hyphens, apostrophes and stops.
func capitalWord(w string) bool {
	if !beginsCapital(w) {
		return false
	}
	for i := 0; i < len(w); {
		c, size := rune(w[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(w[i:])
		}
		if !letter(c) && c != '-' && c != '\'' && c != '.' {
			return false
		}
		i += size
	}
	return true
}

// Found collects the entities of one event.
type Found struct {
	List [MaxEntities]Entity
	N    int
	// weak are words that begin a sentence and may be names.
	weak  [16]string
	weaks int
	// Spoken says that people wrote it, with handles and hashtags. Lenient says that
	// a word which begins a sentence is a name if it can be.
	Spoken, Lenient bool
}

func (f *Found) Forget() {
	clear(f.List[:f.N])
	clear(f.weak[:f.weaks])
	f.N, f.weaks = 0, 0
}

// Taken returns the entities as a slice of their own.
func (f *Found) Taken() []Entity {
	if f.N == 0 {
		return nil
	}
	return append([]Entity(nil), f.List[:f.N]...)
}

// Add notes an entity, unless there is no room, it is no name, or one of the same
// name is there, whatever its type.
func (f *Found) Add(typ, name string) {
	if f.N == MaxEntities || len(name) < 2 || len(name) > MaxEntityName || !Printable(name) {
		return
	}
	for i := range f.List[:f.N] {
		if SameName(f.List[i].Name, name) {
			return
		}
	}
	f.List[f.N] = Entity{typ, name}
	f.N++
}

// Person adds a person. A name with digits or underscores, such as the number of a
// user, is an identifier wherever it stands.
func (f *Found) Person(name string) {
	if strings.ContainsAny(name, "_0123456789@/") {
		f.Add(EntityIdentifier, name)
		return
	}
	f.Add(EntityPerson, name)
}

// Address notes an address and its host.
func (f *Found) Address(ref string) {
	f.Add(EntityURL, ref)
	if host := HostOf(ref); host != ref {
		f.Add(EntityURL, host)
	}
}

// SameName reports whether two names are one but for the case of ASCII letters and
// blanks, which is nearly always what [NormalName] says.
func SameName(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		c, d := a[i], b[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		if d-'A' < 26 {
			d |= 0x20
		}
		if c != d {
			return false
		}
	}
	return true
}
