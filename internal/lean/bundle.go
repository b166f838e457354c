package lean

import (
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/concern"
	"lukasa.dev/internal/quote"
)

// entryShare limits one entry of a bundle to this fraction of the budget: 1/entryShare.
const entryShare = 4

// Bundle formats the bundle of a task: rules and goals unquoted, then what matters for the task
// and earlier outcomes, as quotes.
func Bundle(b *lukasa.Bundle, budget int) string {
	seen := map[string]bool{}
	var parts []part
	for _, tier := range []struct {
		heading string
		entries []*lukasa.BundleEntry
		pinned  bool
	}{
		{"Rules and goals", b.Pinned, true},
		{"For this task", b.FrameRelevant, false},
		{"How it went before, newest first", b.Outcomes, false},
	} {
		for _, e := range tier.entries {
			if same := folded(e.Text); seen[same] || !tier.pinned && !concern.Informative(e.Text) {
				continue
			} else {
				seen[same] = true
			}
			parts = append(parts, part{tier.heading, entryLine(e, budget/entryShare), tier.pinned && e.Trust >= lukasa.User})
		}
	}
	if len(parts) == 0 {
		return within("Nothing is known for this task.", budget)
	}
	for n := len(parts); n > 0; n-- {
		if text := join(parts[:n], b.Tenant, budget >= noted); fits(text, budget) {
			return text
		}
	}
	return within("What is known for this task does not fit: raise budget_tokens.", budget)
}

// part is an entry under its heading.
type part struct {
	heading string
	line    quote.Line
	plain   bool
}

// entryLine returns an entry as a line of at most the given number of tokens of text.
func entryLine(e *lukasa.BundleEntry, most int) quote.Line {
	l := quote.Line{Label: e.Type, Text: quote.Excerpt(counter(), e.Text, max(most, leastText), nil)}
	if plainKey().MatchString(e.Key) {
		l.Name = e.Key
	}
	if e.Status != "" {
		l.Label = e.Status + " " + e.Type
	}
	return l
}

// join writes parts under their headings, unfenced ones first.
func join(parts []part, seed string, note bool) string {
	var b strings.Builder
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n].heading == parts[0].heading {
			n++
		}
		b.WriteString("## " + parts[0].heading + "\n")
		var quoted []quote.Line
		for _, p := range parts[:n] {
			if p.plain {
				b.WriteString(quote.Plain(p.line.Label, p.line.Text))
			} else {
				quoted = append(quoted, p.line)
			}
		}
		if len(quoted) > 0 {
			b.WriteString(quote.Listing(seed, quoted, note))
			note = false
		}
		parts = parts[n:]
	}
	return strings.TrimRight(b.String(), "\n")
}
