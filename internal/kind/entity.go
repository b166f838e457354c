package kind

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
)

// Entity is somebody or something that an event speaks of.
type Entity struct {
	Type string // one of [EntityTypes]
	Name string // as it is written
}

// The types of entities.
const (
	EntityPerson     = "person"     // who spoke, or whom the event names as its user
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
	// maxEntityTags is how many tags of an event are entities.
	maxEntityTags = 8
)

// Entities returns who and what an event speaks of, the most telling first and none
// twice: who spoke, what the members of its type name, its tags, and then what is
// found in title and text in their order.
//
// A name is found by how it is written. A word in capitals at the beginning of a
// sentence is a name only if more words in capitals follow, if it begins two
// sentences, or if it has an 's. The names of members, and the project and the
// repository in the metadata, which all events share, are no entities. Names are
// looked for in the first 16 KiB of text.
func Entities(ev *hmx.Event) []Entity {
	s := search(ev)
	defer s.release()
	return s.entities(s.content())
}

// ReadContentEntities is [ReadContent] and [Entities] at once, at little more than
// the cost of one.
func ReadContentEntities(ev *hmx.Event) (Content, []Entity) {
	s := search(ev)
	defer s.release()
	c := s.content()
	return c, s.entities(c)
}

// TextEntities returns who and what a text of no event speaks of, such as a query,
// by the rules of [Entities]. A word in capitals that begins a sentence counts,
// unless it is one that often does.
func TextEntities(text string) []Entity {
	s := searchers.Get().(*searcher)
	defer s.release()
	f := &s.found
	f.spoken, f.lenient = true, true
	if len(text) > maxScan {
		text = text[:maxScan]
	}
	f.scan(text, true)
	return f.taken()
}

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
		if c <= ' ' || c >= utf8.RuneSelf && spaceLike(c) {
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

// entities returns the entities of the event whose content was just written: its
// people, which that found already, and what else it names.
func (s *searcher) entities(c Content) []Entity {
	r, f := s.r, &s.found
	f.spoken, f.lenient = r.bit&(onMessage|onFeedback) != 0, false
	if r.bit&(onTools|onFileEdit|onTestRun|onCommandExec|onBrowserAction|onAPIResult|onError) != 0 {
		s.things()
	}
	for i, tag := range r.ev.Tags {
		if i == maxEntityTags {
			break
		}
		f.add(EntityTag, CleanRef(memory.ObjProject, strings.TrimLeft(tag, "#")))
	}
	f.scan(c.Title, true)
	left := maxScan
	for _, sp := range s.spans {
		if f.n == MaxEntities || left <= 0 {
			break
		}
		text := c.Text[sp.start:sp.end]
		if len(text) > left {
			text = text[:left]
		}
		left -= len(text)
		f.scan(text, sp.prose)
	}
	return f.taken()
}

// people adds who spoke and whom the event names, and tells who says the text.
func (s *searcher) people(c *Content) {
	r, f := s.r, &s.found
	speaker := ""
	if r.metadata.ok {
		if speaker = CleanRef(memory.ObjPerson, r.metadataWord("speaker")); speaker != "" {
			f.person(speaker)
		}
	}
	if speaker == "" && r.bit == onMessage {
		f.person(leadingSpeaker(c.Text))
	}
	if n := r.metadata.at[fPerson]; n != 0 {
		f.person(CleanRef(memory.ObjPerson, r.metadata.strAt(n)))
	}
	for _, e := range f.list[:f.n] {
		if e.Type == EntityPerson {
			if rest, ok := strings.CutPrefix(c.Text, e.Name); ok && strings.HasPrefix(rest, ": ") {
				c.Speaker = e.Name
			}
			return
		}
	}
}

// things adds what the members of the event name, by the rules that make frames of
// them.
func (s *searcher) things() {
	r, f := s.r, &s.found
	r.judge()
	r.collect()
	if r.bit&onTools != 0 {
		f.add(EntityTool, CleanRef(memory.ObjTool, r.toolName()))
	}
	for _, fr := range r.frames.list[:r.frames.n] {
		switch fr.Kind {
		case memory.ObjFile:
			f.add(EntityFile, fr.Ref)
		case memory.ObjTool:
			if fr.Ref == r.command.program || fr.Ref == r.command.phrase {
				f.add(EntityCommand, fr.Ref)
			} else {
				f.add(EntityTool, fr.Ref)
			}
		case memory.ObjURL:
			f.address(fr.Ref)
		case memory.ObjPerson:
			f.person(fr.Ref)
		case memory.ObjAsset:
			f.add(EntityIdentifier, fr.Ref)
		}
	}
	if r.args == nil {
		return
	}
	if n := r.argsAt[fPerson]; n != 0 {
		f.person(CleanRef(memory.ObjPerson, r.args.strAt(n)))
	}
	if n := r.argsAt[fAsset]; n != 0 {
		f.add(EntityIdentifier, CleanRef(memory.ObjAsset, r.args.strAt(n)))
	}
}

// leadingSpeaker returns the name that a text begins with if a colon follows it, as
// transcripts are written.
func leadingSpeaker(text string) string {
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

// found collects the entities of one event.
type found struct {
	list [MaxEntities]Entity
	n    int
	// weak are words that begin a sentence and may be names.
	weak  [16]string
	weaks int
	// spoken says that people wrote it, with handles and hashtags. Lenient says that
	// a word which begins a sentence is a name if it can be.
	spoken, lenient bool
}

func (f *found) forget() {
	clear(f.list[:f.n])
	clear(f.weak[:f.weaks])
	f.n, f.weaks = 0, 0
}

// taken returns the entities as a slice of their own.
func (f *found) taken() []Entity {
	if f.n == 0 {
		return nil
	}
	return append([]Entity(nil), f.list[:f.n]...)
}

// add notes an entity, unless there is no room, it is no name, or one of the same
// name is there, whatever its type.
func (f *found) add(typ, name string) {
	if f.n == MaxEntities || len(name) < 2 || len(name) > MaxEntityName || !printable(name) {
		return
	}
	for i := range f.list[:f.n] {
		if sameName(f.list[i].Name, name) {
			return
		}
	}
	f.list[f.n] = Entity{typ, name}
	f.n++
}

// person notes somebody. A name with digits or underscores, such as a number of a
// user, is an identifier wherever it stands.
func (f *found) person(name string) {
	if strings.ContainsAny(name, "_0123456789@/") {
		f.add(EntityIdentifier, name)
		return
	}
	f.add(EntityPerson, name)
}

// address notes an address and its host.
func (f *found) address(ref string) {
	f.add(EntityURL, ref)
	if host := hostOf(ref); host != ref {
		f.add(EntityURL, host)
	}
}

// sameName reports whether two names are one but for the case of ASCII letters and
// blanks, which is nearly always what [NormalName] says.
func sameName(a, b string) bool {
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
