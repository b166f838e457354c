// Package block composes a block of context about a topic: one line of markdown for each memory.
//
// It guarantees that a block has at most its budget of tokens, at four characters per token,
// and states its true size; that each memory is whole, on one line, or left out; and that no
// text has an effect as markdown or hides a character. The same request, time and entries give
// the same block, in any order of the entries. The caller supplies relevance and decides what
// may be seen.
package block

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/salience"
)

// Ordering says which entries come first in a block.
type Ordering string

// The orderings.
const (
	ByRelevance           Ordering = "relevance"
	ByRecency             Ordering = "recency"
	ByRelevanceAndRecency Ordering = "relevance+recency"
)

// Orderings lists the orderings.
func Orderings() []Ordering { return []Ordering{ByRelevance, ByRecency, ByRelevanceAndRecency} }

// Limits of a request.
const (
	MaxTopic   = 32 << 10 // bytes
	Candidates = 50       // entries that a caller supplies, at most
)

// Budgets of a block, in tokens. A budget outside the limits is clamped to them.
const (
	DefaultBudget = 2000
	MaxBudget     = 100_000
)

// Request is the request for a block.
type Request struct {
	Topic    string
	Budget   hmx.Opt[int] // DefaultBudget unless set
	Ordering Ordering     // empty means relevance and recency
}

// Normalize returns the request with defaults filled in and the budget within its limits. It
// refuses an unknown ordering and an invalid topic.
func (r Request) Normalize() (Request, error) {
	switch {
	case strings.TrimSpace(r.Topic) == "":
		return r, fault.New(fault.InvalidArgument, "topic: it is empty").WithFix("give the topic, in a few words")
	case len(r.Topic) > MaxTopic:
		return r, fault.Newf(fault.InvalidArgument, "topic: it has %d bytes", len(r.Topic)).WithFix(fmt.Sprintf("give %d at most", MaxTopic))
	}
	r.Topic = strings.ToValidUTF8(r.Topic, "\uFFFD")
	if r.Ordering == "" {
		r.Ordering = ByRelevanceAndRecency
	}
	if !slices.Contains(Orderings(), r.Ordering) {
		return r, fault.Newf(fault.InvalidArgument, "ordering: %s is not one", quote.Name(string(r.Ordering))).
			WithFix(fmt.Sprintf("use %s, %s or %s", ByRelevance, ByRecency, ByRelevanceAndRecency))
	}
	r.Budget = hmx.Some(min(max(r.Budget.Or(DefaultBudget), 1), MaxBudget))
	return r, nil
}

// Entry is a memory that is a candidate for a block.
type Entry struct {
	ID        string
	Name      string
	Text      string
	Quoted    bool // it is the output of a tool or an external text
	Relevance float64
	Time      int64
}

// Weights of the score by relevance and recency.
const (
	blendRelevance = 0.7
	blendRecency   = 0.3
)

// Compose returns a markdown block of as many entries as fit into the budget. A token is counted
// as four characters. An entry that is too large for the remaining room is skipped, never cut.
// The request is normalised.
func Compose(r Request, now int64, entries []Entry) string {
	f := frameOf(r.Topic)
	budget := r.Budget.Value
	var lines []string
	runes, smallest := 0, 0
	for _, e := range r.sorted(now, entries) {
		line := lineOf(&e)
		if line == "" {
			continue
		}
		n := utf8.RuneCountInString(line) + 1 // and the line end before it
		if alone := f.tokens(1, n+1); smallest == 0 || alone < smallest {
			smallest = alone
		}
		if f.tokens(len(lines)+1, runes+n+1) > budget {
			continue
		}
		runes += n
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		return f.header(len(lines), runes+1) + "\n\n" + strings.Join(lines, "\n")
	}
	if smallest > 0 {
		note := "\n\n_no memory fits: the smallest needs " + strconv.Itoa(smallest) + " tokens_"
		if f.tokens(0, len(note)) <= budget {
			return f.header(0, len(note)) + note
		}
	}
	const none = "_no context_"
	switch {
	case f.tokens(0, 0) <= budget:
		return f.header(0, 0)
	case quarter(len(none)) <= budget:
		return none
	}
	return ""
}

// sorted returns the entries, the best first.
func (r *Request) sorted(now int64, entries []Entry) []Entry {
	type scored struct {
		Entry
		score float64
	}
	list := make([]scored, len(entries))
	for i, e := range entries {
		if !(e.Relevance >= 0) { // NaN counts as 0
			e.Relevance = 0
		}
		e.Relevance = min(e.Relevance, 1)
		list[i] = scored{e, e.Relevance}
		switch recency := salience.Recency(age(now, e.Time)); r.Ordering {
		case ByRecency:
			list[i].score = recency
		case ByRelevanceAndRecency:
			list[i].score = float64(blendRelevance*e.Relevance) + float64(blendRecency*recency)
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		relevance, newer := cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(b.Time, a.Time)
		if r.Ordering == ByRecency { // very old and future entries keep their order
			relevance, newer = newer, relevance
		}
		return cmp.Or(cmp.Compare(b.score, a.score), relevance, newer, cmp.Compare(a.ID, b.ID), cmp.Compare(a.Text, b.Text))
	})
	out := make([]Entry, len(list))
	for i := range list {
		out[i] = list[i].Entry
	}
	return out
}

// age returns how long before now a time is, 0 if it is not before now.
func age(now, at int64) time.Duration {
	switch d := now - at; {
	case at >= now:
		return 0
	case d < 0: // overflow
		return math.MaxInt64
	default:
		return time.Duration(d)
	}
}

// Limits of names in a block, in characters.
const (
	topicRunes = 120
	nameRunes  = 120
)

// frame is the header of a block without its numbers.
type frame struct {
	before string
	runes  int // length of before
}

func frameOf(topic string) frame {
	before := "## Context for '" + string(quote.AppendInline(nil, shortened(quote.OneLine(topic), topicRunes))) + "' ("
	return frame{before, utf8.RuneCountInString(before)}
}

// count returns the header up to the number of tokens, with the number of memories.
func (f *frame) count(memories int) string {
	if memories == 1 {
		return "1 memory, ~"
	}
	return strconv.Itoa(memories) + " memories, ~"
}

const frameEnd = " tokens)"

// tokens returns how many tokens a block has with the given number of memories and of
// characters behind the header. The header includes this number, so it is the value that is
// true once it is written there.
func (f *frame) tokens(memories, behind int) int {
	runes := f.runes + len(f.count(memories)) + len(frameEnd) + behind
	for digits := 1; ; digits++ {
		if n := quarter(runes + digits); len(strconv.Itoa(n)) <= digits {
			return n
		}
	}
}

// header returns the header of a block with the given number of characters behind it.
func (f *frame) header(memories, behind int) string {
	return f.before + f.count(memories) + strconv.Itoa(f.tokens(memories, behind)) + frameEnd
}

// quarter returns how many tokens the given number of characters has.
func quarter(runes int) int { return (runes + 3) / 4 }

// lineOf returns the line of an entry, or nothing if its text is empty.
func lineOf(e *Entry) string {
	text := quote.OneLine(e.Text)
	if text == "" {
		return ""
	}
	name := quote.OneLine(strings.Map(func(r rune) rune {
		if r == '*' || r == '`' {
			return -1
		}
		return r
	}, e.Name))
	if name == "" {
		name = "memory"
	}
	b := append([]byte("- **"), quote.AppendInline(nil, shortened(name, nameRunes))...)
	b = append(b, "**: "...)
	if !e.Quoted {
		return string(quote.AppendInline(b, text))
	}
	b = quote.AppendInline(append(b, '"'), strings.Map(func(r rune) rune {
		if quoteLike(r) {
			return '\''
		}
		return r
	}, text))
	return string(append(b, '"'))
}

// quoteLike reports whether r looks like a double quote.
func quoteLike(r rune) bool {
	return r == '"' || r >= 0x201C && r <= 0x201F || r == 0x2033 || r == 0xFF02
}

// shortened returns at most the first most characters of s, with an ellipsis if it was cut.
func shortened(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return quote.FirstRunes(s, most-1) + "…"
}
