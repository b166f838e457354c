package pack

import (
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// Line is one text of a listing, and whose it is.
type Line struct {
	Name  string // by which it can be asked for
	Label string // who or what says it
	Text  string
	Note  string // what is said of it besides, in a line of its own; empty for nothing
}

// String returns the line as it stands in a listing, with its end. It is one line whatever
// the text is, so that no text can pass for a line of ours.
func (l Line) String() string {
	var b strings.Builder
	b.WriteString("-")
	for _, part := range []string{oneLine(Visible(without(l.Name, ":`"))), labelText(l.Label)} {
		if part != "" {
			b.WriteString(" " + part)
		}
	}
	b.WriteString(": " + oneLine(Visible(l.Text)) + "\n")
	if note := oneLine(Visible(l.Note)); note != "" {
		b.WriteString("  " + note + "\n")
	}
	return b.String()
}

// Plain returns a text as an item that stands by itself: what users and operators said of who
// the agent is, what it must not do and what it is after.
func Plain(label, text string) string {
	return itemText(&Item{Section: hmx.SectionConstraints, Label: label, Text: oneLine(text), Trust: record.Operator})
}

// listing is what the fences of listings are made of besides their seed, where those of packs
// have a section.
const listing = "Listing"

// Listing returns lines as text between fences that nothing inside can close, as the
// quotes of a pack are. Noted says first what quotes are.
func Listing(seed string, lines []Line, noted bool) string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.String()
	}
	return quote(seed, texts, noted)
}

// QuoteText returns one text of several lines between fences, with its hidden characters
// written out.
func QuoteText(seed, text string, noted bool) string {
	return quote(seed, []string{strings.TrimRight(Visible(text), "\n") + "\n"}, noted)
}

func quote(seed string, texts []string, noted bool) string {
	open, shut := fence(seed, listing, texts)
	if noted {
		open = quoteNote + open
	}
	return open + strings.Join(texts, "") + shut
}

// Excerpt returns a text in one line of at most the given number of tokens: the part that has the words
// of a question, with a marker where something is missing. It is empty if there is no room
// for more than a marker.
func Excerpt(c tokens.Counter, text string, most int, words []string) string {
	if len(text) > 2*spanBytes {
		text = text[:wordEnd(text, 2*spanBytes)] + " " + truncated
	}
	out, _ := span(c, oneLine(Visible(text)), most, words)
	return strings.TrimSpace(out)
}

// Cut returns the beginning of a text, at most the given number of tokens, with a marker where
// something is missing.
func Cut(c tokens.Counter, text string, most int) string {
	out, _ := span(c, Visible(text), most, nil)
	return strings.TrimSpace(out)
}
