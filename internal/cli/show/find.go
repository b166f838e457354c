package show

import (
	"fmt"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/cli/term"
)

// Found prints what was found for a person.
func Found(s *term.Screen, f *lukasa.Found, now time.Time) {
	for i := range f.Hits {
		showHit(s, &f.Hits[i], now)
	}
	if len(f.Hits) > 0 {
		fmt.Fprintln(s.Stdout)
	}
	switch more := f.Matched + f.Reached - len(f.Hits); {
	case f.Matched == 0:
		fmt.Fprintln(s.Stdout, s.Paint.Dim("nothing found, among "+term.Thousands(f.Scanned)+" looked at"))
	case f.Trimmed > 0:
		fmt.Fprintf(s.Stdout, "%d of %d, by %s; %s would not fit into %s\n", len(f.Hits), f.Matched+f.Reached, f.Order, term.Thousands(f.Trimmed), term.Counted(f.BudgetTokens, "token"))
	case more > 0:
		fmt.Fprintf(s.Stdout, "%d of %d, by %s; --limit shows more\n", len(f.Hits), f.Matched+f.Reached, f.Order)
	default:
		fmt.Fprintf(s.Stdout, "%d found, by %s\n", len(f.Hits), f.Order)
	}
}

// showHit prints one hit: what it says, and below what is known of it and how it
// was come by.
func showHit(s *term.Screen, h *lukasa.Hit, now time.Time) {
	s.Paragraph(h.Text, 0)
	name := h.URI.String()
	class, trust, when := "", "", time.Time{}
	switch {
	case h.Thing != nil:
		class, trust, when = h.Thing.Body.Facets().Class, h.Thing.Trust.String(), h.Thing.Updated
		if class == "" || h.URI.Kind != lukasa.MemoryKind {
			class = strings.TrimSpace(h.URI.Kind.String() + " " + class)
		}
		if _, key := h.Thing.Body.Identity(); key != "" && h.URI.Kind == lukasa.MemoryKind {
			name = key
		}
		if h.Thing.Status != "" {
			class += " " + h.Thing.Status
		}
	case h.Event != nil:
		class, trust, when = string(h.Event.Event.EventType), h.Event.Trust.String(), h.Event.Event.Timestamp.Time()
	}
	s.Aside(2, "score "+Score(float32(h.Score)), term.Counted(h.Tokens, "token"), "trust "+trust, class, term.Dated(when, now), name)
	if h.Hops > 0 {
		way := make([]string, 0, len(h.Path))
		for _, u := range h.Path[:max(len(h.Path)-1, 0)] {
			way = append(way, u.String())
		}
		s.Aside(2, term.Counted(h.Hops, "hop")+" from "+strings.Join(way, " > "))
	}
}
