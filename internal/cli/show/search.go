package show

import (
	"fmt"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
)

// weakest is the part of the best score below which a hit tells a person nothing.
const weakest = 0.1

// telling returns how many of the first hits are worth a look.
func telling(hits []answer.SearchHit) int {
	n := 0
	for n < len(hits) && hits[n].Score >= weakest*hits[0].Score {
		n++
	}
	return n
}

// Searched prints what answers a question for a person: all hits, or the first that are worth a look
// and how many there are besides.
func Searched(s *term.Screen, f *answer.Searched, all bool, now time.Time, explain bool) error {
	if explain {
		showQuestion(s, &f.Classification)
	}
	shown := len(f.Hits)
	if !all {
		shown = telling(f.Hits)
	}
	for i := range f.Hits[:shown] {
		h := &f.Hits[i]
		if err := showHit(s, &answer.Hit{URI: h.URI, Kind: h.Kind, Thing: h.Thing, Event: h.Event, Score: h.Score, Text: h.Text, Tokens: h.Tokens}, now); err != nil {
			return err
		}
		if h.DuplicateOf != nil {
			s.Aside(2, "says nearly the same as "+h.DuplicateOf.String())
		}
		for _, p := range h.Reasons { // what the score is made of, a line for each part that counts
			if p.Score != 0 {
				s.Aside(4, fmt.Sprintf("%+.3f  %-9s %s", p.Score, p.Name, reason(p)))
			}
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
	return nil
}

// showQuestion prints what was made of a question.
func showQuestion(s *term.Screen, c *hmx.QueryClassification) {
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

// reason says in words what a part means.
func reason(p answer.Reason) string {
	says := map[string]string{
		"words":    "it or its neighbours have the question's words: %.2f of the best",
		"meaning":  "means what is asked: %.2f of the best",
		"context":  "its neighbours are about this: %.2f of the best",
		"speaker":  "the question names its speaker",
		"question": "is itself a question",
		"date":     "fits the time that is asked for: %.2f",
		"when":     "says when, and when is asked",
		"length":   "is %.2f long, in logarithms of pieces",
		"phrase":   "has what the question quotes",
		"recency":  "is recent: %.2f",
		"salience": "matters: %.2f",
		"trust":    "can be believed: %.2f",
		"graph":    "names entities of the question, or close ones: %.2f of the best",
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
