package show

import (
	"fmt"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
)

// Found prints what was found for a person.
func Found(s *term.Screen, f *answer.Found, now time.Time) error {
	for i := range f.Hits {
		if err := showHit(s, &f.Hits[i], now); err != nil {
			return err
		}
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
	return nil
}

// showHit prints one hit: what it says, and below what is known of it and how it
// was come by.
func showHit(s *term.Screen, h *answer.Hit, now time.Time) error {
	s.Paragraph(h.Text, 0)
	name := h.URI.String()
	class, trust, when := "", "", time.Time{}
	switch {
	case h.Thing != nil:
		body, err := lukasa.DecodeBody(h.Kind, h.Thing.Body)
		if err != nil {
			return err
		}
		class, trust, when = body.Facets().Class, h.Thing.Trust.String(), instant(h.Thing.UpdatedAt)
		if class == "" || h.Kind != lukasa.MemoryKind {
			class = strings.TrimSpace(h.Kind.String() + " " + class)
		}
		if _, key := body.Identity(); key != "" && h.Kind == lukasa.MemoryKind {
			name = key
		}
		if h.Thing.Status != "" {
			class += " " + h.Thing.Status
		}
	case h.Event != nil:
		ev, _, err := hmx.DecodeEvent(h.Event.Event)
		if err != nil {
			return err
		}
		class, trust, when = string(ev.EventType), h.Event.Trust.String(), ev.Timestamp.Time()
	}
	s.Aside(2, "score "+Score(float32(h.Score)), term.Counted(h.Tokens, "token"), "trust "+trust, class, term.Dated(when, now), name)
	if h.Hops > 0 {
		way := make([]string, 0, len(h.Path))
		for _, u := range h.Path[:max(len(h.Path)-1, 0)] {
			way = append(way, u.String())
		}
		s.Aside(2, term.Counted(h.Hops, "hop")+" from "+strings.Join(way, " > "))
	}
	return nil
}

// At is the time that an answer goes by: the one that was given, or else that of its state.
func At(given any, state *answer.State) time.Time {
	if text, ok := given.(string); ok {
		return instant(text)
	}
	return instant(state.Time)
}
