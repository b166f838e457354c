package lean

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"lukasa.dev"
	"lukasa.dev/internal/quote"
)

// HitsOptions configures the formatting of hits.
type HitsOptions struct {
	Query  string
	Budget int
	// Seed is what fences are made from: it is the same for all answers of a tenant.
	Seed string
	// Explain adds to each hit its score with its parts, its time and its full name.
	Explain bool
	// Limit is the number of wanted hits.
	Limit int
}

// nothing is the answer to a query without relevant records.
const nothing = "Nothing in memory has to do with this."

// The maximum share of a budget for one text, and the minimum of tokens that it gets.
const (
	shareOf   = 6
	leastText = 16
)

// rowTokens is the maximum cost of a hit besides its text.
const rowTokens = 11

// Hits formats hits, the best first, until the budget is used. The hits are those of [Choose].
func Hits(hits []lukasa.SearchHit, o HitsOptions) string {
	if len(hits) == 0 {
		return within(nothing, o.Budget)
	}
	hits = hits[:min(len(hits), o.Limit)]
	list := &listing{o: o, words: words(o.Query), left: o.Budget - frameTokens}
	most := max(o.Budget/shareOf, leastText)
	for i := range hits {
		if !list.add(&hits[i], most) {
			break
		}
	}
	for n := len(list.lines); n > 0; n-- {
		text := list.text(n, len(hits)-n)
		if fits(text, o.Budget) {
			return text
		}
	}
	return within(fmt.Sprintf("%d found, none fits %d tokens: raise budget_tokens.", len(hits), o.Budget), o.Budget)
}

// frameTokens is the cost of the fences, the note before them and the line after them.
const frameTokens = 40

// listing is an answer under construction.
type listing struct {
	o     HitsOptions
	words []string
	lines []quote.Line
	left  int // tokens
}

// add adds a hit with at most the given number of tokens of text, and reports whether there was
// room.
func (l *listing) add(h *lukasa.SearchHit, most int) bool {
	s := read(h)
	room := min(most, l.left-rowTokens)
	if room < leastText && len(l.lines) > 0 {
		return false
	}
	excerpt := quote.Excerpt(counter(), s.text, room, l.words)
	if excerpt == "" {
		return len(l.lines) > 0
	}
	line := quote.Line{Name: nameOf(h), Label: s.label, Text: excerpt}
	size := counter().Count(line.String())
	if own := counter().Count(excerpt); size > own+rowTokens {
		line.Name, line.Label = position(h), shortLabel(s.label)
		if size = counter().Count(line.String()); size > own+rowTokens {
			line.Label = h.URI.Kind.String()
			size = counter().Count(line.String())
		}
	}
	if l.o.Explain {
		line.Note = reasons(h)
		size = counter().Count(line.String())
	}
	if size > l.left && len(l.lines) > 0 {
		return false
	}
	l.left -= size
	l.lines = append(l.lines, line)
	return true
}

// text returns the first lines, and says how many hits are missing.
func (l *listing) text(n, missing int) string {
	out := quote.Listing(l.o.Seed, l.lines[:n], l.o.Budget >= noted)
	if missing > 0 {
		out += strconv.Itoa(missing) + " more; raise budget_tokens or ask more narrowly."
	}
	return strings.TrimRight(out, "\n")
}

// plainKey matches a key that is as short as a position and needs no quoting in a line.
var plainKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./-]{0,47}$`) })

// nameOf returns the name by which a model can request a hit: its key, or else its position.
func nameOf(h *lukasa.SearchHit) string {
	if h.Thing != nil {
		if _, key := h.Thing.Body.Identity(); plainKey().MatchString(key) && h.URI.Kind == lukasa.MemoryKind {
			return key
		}
	}
	return position(h)
}

// position returns the position of a hit's record, as tools accept it.
func position(h *lukasa.SearchHit) string {
	switch {
	case h.Event != nil:
		return "#" + strconv.FormatUint(h.Event.Position, 10)
	case h.Thing != nil:
		return "#" + strconv.FormatUint(h.Thing.Position, 10)
	}
	return ""
}

// labelRunes is the maximum length of a label beside a short text.
const labelRunes = 12

// shortLabel returns the beginning of a label.
func shortLabel(label string) string {
	if runes := []rune(label); len(runes) > labelRunes {
		return string(runes[:labelRunes-1]) + "…"
	}
	return label
}

// reasons describes the score, the time and the full name of a hit.
func reasons(h *lukasa.SearchHit) string {
	var b strings.Builder
	fmt.Fprintf(&b, "score %.2f", h.Score)
	sep := ": "
	for _, p := range h.Parts {
		if p.Score >= 0.005 || p.Score <= -0.005 {
			fmt.Fprintf(&b, "%s%s %.2f", sep, p.Name, p.Score)
			sep = ", "
		}
	}
	switch {
	case h.Event != nil:
		fmt.Fprintf(&b, "; %s; session %s", h.Event.Event.Timestamp.Time().UTC().Format("2006-01-02 15:04"), h.Event.Event.SessionID)
	case h.Thing != nil:
		fmt.Fprintf(&b, "; %s; version %d", h.Thing.Updated.UTC().Format("2006-01-02 15:04"), h.Thing.Version)
	}
	fmt.Fprintf(&b, "; trust %s; %s", trust(h), h.URI.Head())
	return b.String()
}

// trust returns the trust of a hit.
func trust(h *lukasa.SearchHit) lukasa.Trust {
	if h.Event != nil {
		return h.Event.Trust
	}
	if h.Thing != nil {
		return h.Thing.Trust
	}
	return lukasa.External
}
