package kind

import (
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
)

// Entities returns the entities that an event names, the most specific first and none
// twice: the speaker, what the members of its type name, its tags, and then the names
// in title and text in their order.
//
// A name is recognised by its spelling. A capitalized word at the beginning of a
// sentence is a name only if more capitalized words follow, if it begins two
// sentences, or if it has an 's. The names of members, and the project and the
// repository in the metadata, which all events share, are no entities. Only the first
// 16 KiB of text are searched for names.
func Entities(ev *hmx.Event) []recognize.Entity {
	s := search(ev)
	defer s.release()
	return s.entities(s.content())
}

// ReadContentEntities is [ReadContent] and [Entities] at once, at little more than
// the cost of one.
func ReadContentEntities(ev *hmx.Event) (Content, []recognize.Entity) {
	s := search(ev)
	defer s.release()
	c := s.content()
	return c, s.entities(c)
}

// TextEntities returns the entities that a text outside of events names, such as a query,
// by the rules of [Entities]. A capitalized word that begins a sentence counts, unless it
// is a frequent first word.
func TextEntities(text string) []recognize.Entity {
	s := searchers.Get().(*searcher)
	defer s.release()
	f := &s.found
	f.Spoken, f.Lenient = true, true
	if len(text) > recognize.MaxScan {
		text = text[:recognize.MaxScan]
	}
	f.Scan(text, true)
	return f.Taken()
}

// entities returns the entities of the event whose content was just written: its
// people, which that found already, and what else it names.
func (s *searcher) entities(c Content) []recognize.Entity {
	r, f := s.r, &s.found
	f.Spoken, f.Lenient = r.bit&(onMessage|onFeedback) != 0, false
	if r.bit&(onTools|onFileEdit|onTestRun|onCommandExec|onBrowserAction|onAPIResult|onError) != 0 {
		s.things()
	}
	for i, tag := range r.ev.Tags {
		if i == recognize.MaxEntityTags {
			break
		}
		f.Add(recognize.EntityTag, recognize.CleanRef(memory.ObjProject, strings.TrimLeft(tag, "#")))
	}
	f.Scan(c.Title, true)
	left := recognize.MaxScan
	for _, sp := range s.spans {
		if f.N == recognize.MaxEntities || left <= 0 {
			break
		}
		text := c.Text[sp.start:sp.end]
		if len(text) > left {
			text = text[:left]
		}
		left -= len(text)
		f.Scan(text, sp.prose)
	}
	return f.Taken()
}

// people adds the speaker and the persons that the event names, and sets the speaker of
// the content.
func (s *searcher) people(c *Content) {
	r, f := s.r, &s.found
	speaker := ""
	if r.metadata.ok {
		if speaker = recognize.CleanRef(memory.ObjPerson, r.metadataWord("speaker")); speaker != "" {
			f.Person(speaker)
		}
	}
	if speaker == "" && r.bit == onMessage {
		f.Person(recognize.LeadingSpeaker(c.Text))
	}
	if n := r.metadata.at[fPerson]; n != 0 {
		f.Person(recognize.CleanRef(memory.ObjPerson, r.metadata.strAt(n)))
	}
	for _, e := range f.List[:f.N] {
		if e.Type == recognize.EntityPerson {
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
		f.Add(recognize.EntityTool, recognize.CleanRef(memory.ObjTool, r.toolName()))
	}
	for _, fr := range r.frames.list[:r.frames.n] {
		switch fr.Kind {
		case memory.ObjFile:
			f.Add(recognize.EntityFile, fr.Ref)
		case memory.ObjTool:
			if fr.Ref == r.command.Program || fr.Ref == r.command.Phrase {
				f.Add(recognize.EntityCommand, fr.Ref)
			} else {
				f.Add(recognize.EntityTool, fr.Ref)
			}
		case memory.ObjURL:
			f.Address(fr.Ref)
		case memory.ObjPerson:
			f.Person(fr.Ref)
		case memory.ObjAsset:
			f.Add(recognize.EntityIdentifier, fr.Ref)
		}
	}
	if r.args == nil {
		return
	}
	if n := r.argsAt[fPerson]; n != 0 {
		f.Person(recognize.CleanRef(memory.ObjPerson, r.args.strAt(n)))
	}
	if n := r.argsAt[fAsset]; n != 0 {
		f.Add(recognize.EntityIdentifier, recognize.CleanRef(memory.ObjAsset, r.args.strAt(n)))
	}
}

// Entity is a person or an object that a text names.
type Entity = recognize.Entity

// The types of entities that others ask for by name.
const (
	EntityPerson = recognize.EntityPerson
	EntityName   = recognize.EntityName
	EntityTag    = recognize.EntityTag
)

// EntityTypes returns the types of entities.
func EntityTypes() []string { return recognize.EntityTypes() }

// NormalName returns a name as names are compared.
func NormalName(typ, name string) string { return recognize.NormalName(typ, name) }

// AppendNormalName appends a name as names are compared.
func AppendNormalName(dst []byte, typ, name string) []byte {
	return recognize.AppendNormalName(dst, typ, name)
}

// CleanRef returns a reference as frames have it.
func CleanRef(kind memory.ObjectKind, ref string) string { return recognize.CleanRef(kind, ref) }
