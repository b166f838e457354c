package pack

import (
	"math"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/tokens"
)

// labelBytes is the most bytes of a label in a pack.
const labelBytes = 256

// form returns the form of the item in the text of a pack.
func (it *Item) form() quote.Form {
	switch {
	case !it.Fenced():
		return quote.Prose
	case dated(it.Section):
		return quote.Spoken
	}
	return quote.Fenced
}

// lines returns the lines of the item in the text of a pack.
func (it *Item) lines() string { return quote.Item(it.Label, it.Text, it.form()) }

// cost returns how many tokens the lines of the item have.
func (it *Item) cost(c tokens.Counter) int { return c.Count(it.lines()) }

// headingText returns the heading of a section.
func headingText(s hmx.Section) string {
	name := string(s)
	if s == hmx.SectionGraphRelations {
		name = "relations"
	}
	return "## " + strings.ToUpper(name[:1]) + name[1:] + "\n"
}

// firstDay is before every day; it is the time of items without one.
const firstDay = math.MinInt64

// dayText returns the lines before an item whose day differs from that of the item before. prev
// is the time of that item, or [firstDay].
func dayText(prev, at int64) string {
	if at == firstDay {
		return ""
	}
	day, last := time.Unix(0, at).UTC(), time.Unix(0, prev).UTC()
	text := ""
	if prev == firstDay || day.Year() != last.Year() {
		text = strconv.Itoa(day.Year()) + ":\n"
	}
	if text != "" || day.YearDay() != last.YearDay() {
		text += strconv.Itoa(day.Day()) + " " + day.Month().String() + ":\n"
	}
	return text
}

// dated reports whether a section groups its items by day.
func dated(s hmx.Section) bool { return s == hmx.SectionEpisodes || s == hmx.SectionEvidence }
