package kind

import (
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/tokens"
)

// Reading is the facets of an event with the forms of its text, counted.
type Reading struct {
	Facets
	Medium       string // nearly always the whole text
	MediumTokens int
	Short        string
	ShortTokens  int

	content  Content
	entities []recognize.Entity
	read     bool // content and entities are
}

// Content returns what [ReadContentEntities] does of the event, if that was read along
// with the rest.
func (r *Reading) Content() (c Content, entities []recognize.Entity, ok bool) {
	if r == nil {
		return Content{}, nil, false
	}
	return r.content, r.entities, r.read
}

// ReadForms returns the reading of an event, and what it says along with it. One that
// gives no frames is found by its frames nowhere, and its text is not counted.
func ReadForms(ev *hmx.Event, c tokens.Counter) *Reading {
	s := search(ev)
	defer s.release()
	r := &Reading{Facets: s.r.read(), read: true}
	r.content = s.content()
	r.entities = s.entities(r.content)
	if len(r.Frames) > 0 {
		r.forms(c)
	}
	return r
}

// Forms returns the reading of an event with its forms, frames or not.
func Forms(ev *hmx.Event, c tokens.Counter) *Reading {
	r := &Reading{Facets: Read(ev)}
	r.forms(c)
	return r
}

func (r *Reading) forms(c tokens.Counter) {
	r.Medium, r.MediumTokens = abridge(c, r.Text, c.Count(r.Text), memory.MediumTokens)
	r.Short, r.ShortTokens = abridge(c, r.Medium, r.MediumTokens, memory.ShortTokens)
}

// Closed returns the beginning of a text that [Read] made with the mark behind it
// that is open at its end, a quote or a backtick. What an event said stays between
// its marks where a text is cut.
func Closed(text string) string {
	var open byte
	for i := range len(text) {
		switch c := text[i]; {
		case c != '"' && c != '`':
		case open == 0:
			open = c
		case open == c:
			open = 0
		}
	}
	if open != 0 {
		return text + string(open)
	}
	return text
}

// cutMarker stands where a form ends before its text does.
const cutMarker = "…"

// abridge returns as much of a text that counts n tokens as fits a limit, and its
// count. Every event comes by here, so the cut is guessed from the mean length of a token
// rather than searched for: nearly always one more count tells that the first
// guess fits.
func abridge(c tokens.Counter, text string, n, limit int) (string, int) {
	if n <= limit {
		return text, n
	}
	for size := len(text) * (limit - 2) / n; ; size = size * 3 / 4 {
		for size > 0 && !utf8.RuneStart(text[size]) {
			size--
		}
		head := text[:size]
		if i := strings.LastIndexByte(head, ' '); i > size/2 {
			head = head[:i]
		}
		short := Closed(head + cutMarker)
		if count := c.Count(short); count <= limit {
			return short, count
		}
	}
}

// Medium returns the medium form of an event, and how many tokens it has. It is the one
// of [Forms], without the cost of the other.
func Medium(ev *hmx.Event, c tokens.Counter) (text string, count int) {
	text = Read(ev).Text
	return abridge(c, text, c.Count(text), memory.MediumTokens)
}
