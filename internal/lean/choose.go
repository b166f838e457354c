package lean

import (
	"slices"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/concern"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
)

// Wider is the factor by which more hits are considered than wanted, since some of them are
// left out.
const Wider = 4

// longest is how many bytes of a text are compared with a query.
const longest = 16 << 10

// onDay is the minimum fit of a hit's time to that in a query for the hit to be relevant,
// whatever its text.
const onDay = 0.5

// leastScore is the minimum score of a hit, relative to the best.
const leastScore = 0.5

// said is the text of a hit and its speaker.
type said struct {
	label, text string
	// about is the text with its names.
	about string
}

// read reads a hit.
func read(h *lukasa.SearchHit) said {
	if h.Event != nil {
		s := readEvent(h.Event.Event)
		s.about = s.label + ": " + s.text
		return s
	}
	s := said{label: h.URI.Kind.String(), text: h.Text, about: h.Text}
	if h.Thing == nil {
		return s
	}
	f := h.Thing.Body.Facets()
	_, key := h.Thing.Body.Identity()
	s.about = spelled(key) + " " + strings.Join(f.Tags, " ") + " " + s.text
	if m, ok := h.Thing.Body.(*memory.Memory); ok {
		s.label, s.text = string(m.Type), m.Render(memory.FormFull)
	}
	return s
}

// spelled returns a key as words.
func spelled(key string) string {
	return strings.NewReplacer("/", " ", "_", " ", "-", " ").Replace(key)
}

// readEvent reads an event, as packs do.
func readEvent(ev *hmx.Event) said {
	q := kind.Quote(ev)
	s := said{label: q.Label, text: q.Text}
	switch {
	case q.Title == "":
	case q.Text == "":
		s.text = q.Title
	default:
		s.text = q.Title + ": " + q.Text
	}
	if rest, ok := strings.CutPrefix(s.text, s.label+":"); ok && strings.TrimSpace(rest) != "" {
		s.text = strings.TrimSpace(rest) // the speaker is named
	}
	return s
}

// Choose returns the hits of a search that are useful to a model, in their order. It leaves out
// calls of Lukasa's own tools, duplicates of another hit or of the query itself, texts without
// content, and texts that do not concern the query.
func Choose(query string, hits []lukasa.SearchHit) []lukasa.SearchHit {
	q := concern.Query(query)
	seen := map[string]bool{folded(query): true}
	var left []lukasa.SearchHit
	found, best := false, 0.0
	for i := range hits {
		h := &hits[i]
		if !h.DuplicateOf.IsZero() || h.Event != nil && echo.OwnEvent(h.Event.Event) {
			continue
		}
		s := read(h)
		same := folded(s.text)
		if seen[same] || h.Event != nil && !concern.Informative(s.text) {
			continue
		}
		seen[same] = true
		near := q.Closeness(s.about[:min(len(s.about), longest)])
		if dated(h) {
			near = max(near, concern.Found)
		}
		if near >= concern.Beside {
			found, best = found || near >= gate(h.Event != nil), max(best, h.Score)
			left = append(left, *h)
		}
	}
	if !found {
		return nil
	}
	return slices.DeleteFunc(left, func(h lukasa.SearchHit) bool { return h.Score < leastScore*best })
}

// gate is the minimum closeness of one hit to a query for anything to be returned: an event
// needs more than a memory, which was kept on purpose.
func gate(event bool) float64 {
	if event {
		return concern.Found
	}
	return concern.Enough
}

// dated reports whether a query names the time of a hit.
func dated(h *lukasa.SearchHit) bool {
	for _, p := range h.Parts {
		if p.Name == "date" && p.Value >= onDay {
			return true
		}
	}
	return false
}
