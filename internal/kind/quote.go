package kind

import (
	"strings"

	"lukasa.dev/hmx"
)

// Quoted is the text of an event, for quotations.
type Quoted struct {
	// Label is who or what says it: a speaker, a role, a tool, or else the type of the
	// event. It is as the event has it.
	Label string
	// Title is what it is about: a tool, a file, a command, a question. It may be empty.
	Title string
	Text  string
}

// Quote returns what [ReadContent] does, with every character as it was recorded, including
// invisible ones, and without the speaker before the text.
func Quote(ev *hmx.Event) Quoted {
	s := search(ev)
	defer s.release()
	s.quote = true
	said := s.content()
	q := Quoted{Label: s.label(), Title: said.Title, Text: said.Text}
	if !s.whole {
		q.Title = "" // it stands at the beginning of the text
	}
	return q
}

// label returns the source of the text: a speaker, a role, a tool or the type.
func (s *searcher) label() string {
	r := s.r
	if r.metadata.ok {
		if speaker := r.metadataWord("speaker"); speaker != "" {
			return speaker
		}
	}
	if r.bit == onMessage {
		if role := r.content.str(fRole); role != "" {
			return role
		}
	}
	if r.bit&onTools != 0 {
		if tool := r.toolName(); tool != "" {
			return tool
		}
	}
	return strings.ReplaceAll(string(r.ev.EventType), "_", " ")
}
