package pack

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

// Budgets of a block, in tokens. A budget outside the limits is clamped to them.
const (
	DefaultBlockBudget = 2000
	MaxBlockBudget     = 100_000
	BlockCandidates    = 50 // candidates of a block
)

// BlockRequest is the request for a block.
type BlockRequest struct {
	Topic    string
	Budget   hmx.Opt[int] // DefaultBlockBudget unless set
	Ordering Ordering     // empty means relevance and recency
}

// Normalize returns the request with defaults filled in and the budget within its limits. It
// refuses an unknown ordering and an invalid topic.
func (r BlockRequest) Normalize() (BlockRequest, error) {
	switch {
	case strings.TrimSpace(r.Topic) == "":
		return r, fault.New(fault.InvalidArgument, "topic: it is empty").WithFix("give the topic, in a few words")
	case len(r.Topic) > MaxQuery:
		return r, fault.Newf(fault.InvalidArgument, "topic: it has %d bytes", len(r.Topic)).WithFix(fmt.Sprintf("give %d at most", MaxQuery))
	}
	r.Topic = strings.ToValidUTF8(r.Topic, "\uFFFD")
	if r.Ordering == "" {
		r.Ordering = ByRelevanceAndRecency
	}
	if !slices.Contains(Orderings(), r.Ordering) {
		return r, unknown("ordering", string(r.Ordering), texts(Orderings()))
	}
	r.Budget = hmx.Some(min(max(r.Budget.Or(DefaultBlockBudget), 1), MaxBlockBudget))
	return r, nil
}

// BlockEntry is a memory that is a candidate for a block.
type BlockEntry struct {
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

// Block returns a markdown block of as many entries as fit into the budget. A token is counted
// as four characters. An entry that is too large for the remaining room is skipped, never cut.
// The request is normalised.
func Block(r BlockRequest, now int64, entries []BlockEntry) string {
	f := frameOf(r.Topic)
	budget := r.Budget.Value
	var lines []string
	runes, smallest := 0, 0
	for _, e := range r.sorted(now, entries) {
		line := blockLine(&e)
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
func (r *BlockRequest) sorted(now int64, entries []BlockEntry) []BlockEntry {
	type scored struct {
		BlockEntry
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
	out := make([]BlockEntry, len(list))
	for i := range list {
		out[i] = list[i].BlockEntry
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

// blockFrame is the header of a block without its numbers.
type blockFrame struct {
	before string
	runes  int // length of before
}

func frameOf(topic string) blockFrame {
	before := "## Context for '" + string(appendInline(nil, shortened(oneLine(Visible(topic)), topicRunes))) + "' ("
	return blockFrame{before, utf8.RuneCountInString(before)}
}

// count returns the header up to the number of tokens, with the number of memories.
func (f *blockFrame) count(memories int) string {
	if memories == 1 {
		return "1 memory, ~"
	}
	return strconv.Itoa(memories) + " memories, ~"
}

const frameEnd = " tokens)"

// tokens returns how many tokens a block has with the given number of memories and of
// characters behind the header. The header includes this number, so it is the value that is
// true once it is written there.
func (f *blockFrame) tokens(memories, behind int) int {
	runes := f.runes + len(f.count(memories)) + len(frameEnd) + behind
	for digits := 1; ; digits++ {
		if n := quarter(runes + digits); len(strconv.Itoa(n)) <= digits {
			return n
		}
	}
}

// header returns the header of a block with the given number of characters behind it.
func (f *blockFrame) header(memories, behind int) string {
	return f.before + f.count(memories) + strconv.Itoa(f.tokens(memories, behind)) + frameEnd
}

// quarter returns how many tokens the given number of characters has.
func quarter(runes int) int { return (runes + 3) / 4 }

// blockLine returns the line of an entry, or nothing if its text is empty.
func blockLine(e *BlockEntry) string {
	text := oneLine(Visible(e.Text))
	if text == "" {
		return ""
	}
	name := oneLine(Visible(without(e.Name, "*`")))
	if name == "" {
		name = "memory"
	}
	b := append([]byte("- **"), appendInline(nil, shortened(name, nameRunes))...)
	b = append(b, "**: "...)
	if !e.Quoted {
		return string(appendInline(b, text))
	}
	b = appendInline(append(b, '"'), strings.Map(func(r rune) rune {
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
	return firstRunes(s, most-1) + "…"
}
