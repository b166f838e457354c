package cli

import (
	"fmt"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/memory"
)

// factorsAnswer is what a score is made of, as --json prints it.
type factorsAnswer struct {
	Recency    float64  `json:"recency"`
	Access     float64  `json:"access"`
	Citations  float64  `json:"citations"`
	Importance float64  `json:"importance"`
	Similarity *float64 `json:"similarity,omitempty"` // of a search with a text
}

// hitAnswer is something that was found, as --json prints it.
type hitAnswer struct {
	URI     lukasa.URI    `json:"uri"`
	ID      string        `json:"id"`
	Kind    lukasa.Kind   `json:"kind"`
	Score   float64       `json:"score"`
	Factors factorsAnswer `json:"factors"`
	Text    string        `json:"text"`
	Tokens  int           `json:"tokens"`
	Hops    int           `json:"hops"`
	Path    []lukasa.URI  `json:"path,omitempty"`
	Thing   *thingAnswer  `json:"thing,omitempty"`
	Event   *eventAnswer  `json:"event,omitempty"`
}

// foundAnswer is the answer to a search, as --json prints it.
type foundAnswer struct {
	Hits         []hitAnswer      `json:"hits"`
	Scanned      int              `json:"scanned"`
	Matched      int              `json:"matched"`
	Reached      int              `json:"reached"`
	Trimmed      int              `json:"trimmed"`
	TotalTokens  int              `json:"total_tokens"`
	BudgetTokens int              `json:"budget_tokens,omitempty"`
	Form         memory.Form      `json:"form"`
	Order        lukasa.FindOrder `json:"order"`
	Counter      string           `json:"counter"`
	rootAnswer
}

func answerFound(f *lukasa.Found) (foundAnswer, error) {
	a := foundAnswer{
		Hits: make([]hitAnswer, len(f.Hits)), Scanned: f.Scanned, Matched: f.Matched, Reached: f.Reached, Trimmed: f.Trimmed,
		TotalTokens: f.TotalTokens, BudgetTokens: f.BudgetTokens, Form: f.Form, Order: f.Order, Counter: f.Counter, rootAnswer: answerRoot(f.Root),
	}
	for i := range f.Hits {
		h := &f.Hits[i]
		x := h.Factors
		one := hitAnswer{
			URI: h.URI, ID: h.URI.ID, Kind: h.URI.Kind, Score: h.Score, Text: h.Text, Tokens: h.Tokens, Hops: h.Hops, Path: h.Path,
			Factors: factorsAnswer{Recency: x.Recency, Access: x.Access, Citations: x.Citations, Importance: x.Importance},
		}
		if x.Similar {
			one.Factors.Similarity = &x.Similarity
		}
		if h.Thing != nil {
			thing, err := answerThing(h.Thing)
			if err != nil {
				return a, err
			}
			one.Thing = &thing
		}
		if h.Event != nil {
			event, err := answerEvent(h.Event)
			if err != nil {
				return a, err
			}
			one.Event = &event
		}
		a.Hits[i] = one
	}
	return a, nil
}

// showFound prints what was found for a person.
func (s *shell) showFound(f *lukasa.Found, now time.Time) {
	for i := range f.Hits {
		s.showHit(&f.Hits[i], now)
	}
	if len(f.Hits) > 0 {
		fmt.Fprintln(s.stdout)
	}
	switch more := f.Matched + f.Reached - len(f.Hits); {
	case f.Matched == 0:
		fmt.Fprintln(s.stdout, s.paint.dim("nothing found, among "+thousands(f.Scanned)+" looked at"))
	case f.Trimmed > 0:
		fmt.Fprintf(s.stdout, "%d of %d, by %s; %s would not fit into %s\n", len(f.Hits), f.Matched+f.Reached, f.Order, thousands(f.Trimmed), counted(f.BudgetTokens, "token"))
	case more > 0:
		fmt.Fprintf(s.stdout, "%d of %d, by %s; --limit shows more\n", len(f.Hits), f.Matched+f.Reached, f.Order)
	default:
		fmt.Fprintf(s.stdout, "%d found, by %s\n", len(f.Hits), f.Order)
	}
}

// showHit prints one hit: what it says, and below what is known of it and how it
// was come by.
func (s *shell) showHit(h *lukasa.Hit, now time.Time) {
	s.paragraph(h.Text, 0)
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
	s.aside(2, "score "+score(float32(h.Score)), counted(h.Tokens, "token"), "trust "+trust, class, dated(when, now), name)
	if h.Hops > 0 {
		way := make([]string, 0, len(h.Path))
		for _, u := range h.Path[:max(len(h.Path)-1, 0)] {
			way = append(way, u.String())
		}
		s.aside(2, counted(h.Hops, "hop")+" from "+strings.Join(way, " > "))
	}
}
