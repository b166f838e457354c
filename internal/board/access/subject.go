package access

import (
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// Subject returns what a scope sees of a versioned record.
func Subject(h *catalog.Head) scope.Subject {
	s := thingSubject(h.Kind, h.ID, h.Class, h.Session, h.Tags, cleanFrames(h.Frames))
	s.Pinned = h.Pin && h.Trust >= record.User
	return s
}

// BodySubject returns what a scope sees of a version. It is never pinned:
// pinning depends on the trust of a record, and gives no right to write.
func BodySubject(body memory.Body) scope.Subject {
	id, _ := body.Identity()
	x := body.Facets()
	return thingSubject(body.Kind(), id, x.Class, x.Session, x.Tags, frameTexts(x.Frames))
}

// CardSubject returns what a scope sees of a card.
func CardSubject(c *frame.Card) scope.Subject {
	if c.Kind != record.Event {
		s := thingSubject(c.Kind, c.ID, c.Class, c.Session, c.Tags, cleanFrames(c.Frames))
		s.Pinned = c.Pinned
		return s
	}
	section := kind.Read(&hmx.Event{EventType: hmx.EventType(c.Class)}).Section
	return scope.Subject{
		Kind: record.Event, ID: c.ID, Type: record.Event.String(), Session: c.Session, Section: string(section),
		Tags: c.Tags, Frames: cleanFrames(c.Frames),
	}
}

// EventSubject returns what a scope sees of an event that is not recorded
// yet.
func EventSubject(ev *hmx.Event) scope.Subject {
	x := kind.Read(ev)
	return scope.Subject{
		Kind: record.Event, ID: ev.EventID, Type: record.Event.String(), Session: ev.SessionID, Section: string(x.Section),
		Tags: ev.Tags, Frames: frameTexts(x.Frames),
	}
}

func thingSubject(k record.Kind, id, class, session string, tags, frames []string) scope.Subject {
	return scope.Subject{
		Kind: k, ID: id, Type: scope.TypeOf(k, class), Session: session, Section: string(scope.SectionOf(k, class)),
		Tags: tags, Frames: frames,
	}
}

// frameTexts returns frames as a scope sees them.
func frameTexts(frames []memory.Frame) []string {
	if len(frames) == 0 {
		return nil
	}
	texts := make([]string, 0, len(frames))
	for _, f := range frames {
		if f.Ref = kind.CleanRef(f.Kind, f.Ref); f.Ref != "" {
			texts = append(texts, f.String())
		}
	}
	return texts
}

// cleanFrames is frameTexts for frames that are texts already.
func cleanFrames(frames []string) []string {
	if len(frames) == 0 {
		return nil
	}
	texts := make([]string, 0, len(frames))
	for _, text := range frames {
		head, ref, _ := strings.Cut(text, "=")
		_, object, _ := strings.Cut(head, ":")
		if ref = kind.CleanRef(memory.ObjectKind(object), ref); ref != "" {
			texts = append(texts, head+"="+ref)
		}
	}
	return texts
}
