package show

import (
	"fmt"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/cli/term"
)

// weakest is the part of the best score below which a hit tells a person nothing.
const weakest = 0.1

// Telling returns how many of the first hits are worth a look.
func Telling(hits []lukasa.SearchHit) int {
	n := 0
	for n < len(hits) && hits[n].Score >= weakest*hits[0].Score {
		n++
	}
	return n
}

// Searched prints what answers a question for a person: the first hits, and how
// many there are besides.
func Searched(s *term.Screen, f *lukasa.Searched, shown int, now time.Time, explain bool) {
	if explain {
		showQuestion(s, f)
	}
	for i := range f.Hits[:shown] {
		h := &f.Hits[i]
		showHit(s, &lukasa.Hit{URI: h.URI, Thing: h.Thing, Event: h.Event, Score: h.Score, Text: h.Text, Tokens: h.Tokens}, now)
		if !h.DuplicateOf.IsZero() {
			s.Aside(2, "says nearly the same as "+h.DuplicateOf.String())
		}
		if explain {
			showReasons(s, h)
		}
	}
	if len(f.Hits) > 0 {
		fmt.Fprintln(s.Stdout)
	}
	more := ""
	if weak := len(f.Hits) - shown; weak > 0 {
		more = fmt.Sprintf("; %s more hardly match, --limit or --json shows them", term.Thousands(weak))
		if weak == 1 {
			more = "; 1 more hardly matches, --limit or --json shows it"
		}
	}
	switch {
	case len(f.Hits) == 0 && f.Trimmed > 0:
		fmt.Fprintf(s.Stdout, "nothing fits into %s\n", term.Counted(f.BudgetTokens, "token"))
	case len(f.Hits) == 0:
		fmt.Fprintln(s.Stdout, s.Paint.Dim("nothing found"))
	case f.Trimmed > 0:
		fmt.Fprintf(s.Stdout, "%s%s; %s would not fit into %s\n", term.Counted(shown, "hit"), more, term.Thousands(f.Trimmed), term.Counted(f.BudgetTokens, "token"))
	default:
		fmt.Fprintf(s.Stdout, "%s, the best of %s%s\n", term.Counted(shown, "hit"), term.Counted(f.Candidates, "candidate"), more)
	}
}

// showQuestion prints what was made of a question.
func showQuestion(s *term.Screen, f *lukasa.Searched) {
	c := f.Class.Classification()
	parts := []string{"read as " + c.Intent}
	if len(c.Keywords) > 0 {
		parts = append(parts, "words: "+strings.Join(c.Keywords, ", "))
	}
	if len(c.Entities) > 0 {
		parts = append(parts, "names: "+strings.Join(c.Entities, ", "))
	}
	if c.TimeRef != nil {
		parts = append(parts, "time: "+*c.TimeRef)
	}
	s.Aside(0, parts...)
	fmt.Fprintln(s.Stdout)
}

// showReasons prints what a score is made of, a line for each part that counts.
func showReasons(s *term.Screen, h *lukasa.SearchHit) {
	for _, p := range h.Parts {
		if p.Score == 0 {
			continue
		}
		s.Aside(4, fmt.Sprintf("%+.3f  %-9s %s", p.Score, p.Name, reason(p)))
	}
}

// reason says in words what a part means.
func reason(p lukasa.Part) string {
	says := map[string]string{
		"words":    "has the question's words, it or what stands beside it: %.2f of the best",
		"meaning":  "means what is asked: %.2f of the best",
		"context":  "stands where this is talked about: %.2f of the best",
		"speaker":  "is said by whom the question names",
		"question": "is itself a question",
		"date":     "fits the time that is asked for: %.2f",
		"when":     "says when, and when is asked",
		"length":   "is %.2f long, in logarithms of pieces",
		"phrase":   "has what the question quotes",
		"recency":  "is recent: %.2f",
		"salience": "matters: %.2f",
		"trust":    "can be believed: %.2f",
		"graph":    "is about what the question names, or close to it: %.2f of the best",
	}
	text, ok := says[p.Name]
	if !ok {
		return fmt.Sprintf("%.2f", p.Value)
	}
	if strings.Contains(text, "%") {
		return fmt.Sprintf(text, p.Value)
	}
	return text
}
