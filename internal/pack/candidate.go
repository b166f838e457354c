package pack

import (
	"errors"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Candidate is an event or a thing that may become an entry: what is known of it
// before its text is read.
type Candidate struct {
	Kind     record.Kind
	Position uint64 // of the record that holds its text; no two have the same
	// Thing is the id of a thing. That of an event is known when it is loaded.
	Thing   string
	Section hmx.Section
	Source  hmx.SourceType // one that the section draws on
	Class   string         // an event's, a memory's or an artifact's type; may be empty
	Session string         // what tells sessions apart; empty for none
	Time    int64          // when it happened, or was last written; nanoseconds since 1970
	Trust   record.Trust

	// Relevance is its part of the score of the best hit, from 0 to 1; 0 if it is
	// there for another reason. Confidence and Salience are from 0 to 1.
	Relevance  float64
	Confidence float64
	Salience   float64
	// Pinned says that it is told whatever is asked.
	Pinned bool
	// Known is about how many tokens its text has, 0 if nobody knows.
	Known int
	// Deprecated says why it no longer holds; empty if it does.
	Deprecated string
	// SameAs is one more than the index of the candidate that it repeats; 0 for
	// none.
	SameAs int
	// Index is the caller's own; it is not looked at.
	Index int
}

// Source is what is read of a candidate that is about to be kept or listed.
type Source struct {
	ID   string // source_id: of an event its event_id
	URI  memory.URI
	Type string
	// Label is who says it, or what: a speaker, a role, a tool. Empty for none.
	Label string
	// Text is its own words, whole and as they were recorded.
	Text string
	// Tokens is what Text counts by the counter of the request, 0 if that has not
	// been counted.
	Tokens int
	// Origin is where it comes from, in the words of retrieval_sources.
	Origin string
	// Evidence is how many records stand behind it, those that were found alone.
	Evidence int64
	// Unproven says why what stands behind it does not verify; empty if it does.
	Unproven string

	words *words // of Text, once it is prepared
	whole lines  // of all of Text, once they are written
}

// lines are how an item stands in the text of a pack.
type lines struct {
	section hmx.Section // that they are written for
	text    string
	tokens  int // by the counter of the request
}

// Load reads a candidate. It is called once for each at most, by one goroutine. An
// error that is [ErrGone] leaves the candidate out, as if it had not been found.
type Load func(c *Candidate, s *Source) error

// ErrGone is what a Load returns for something that went away meanwhile.
var ErrGone = errors.New("pack: it is not there any more")

// Conflict says that candidates contradict each other.
type Conflict struct {
	ID      string
	Between []int // indexes of candidates, two or more
	// Winner is one more than the index of the one that holds; 0 if nobody decided.
	Winner int
	// Trust is how far whoever wrote it last is trusted.
	Trust record.Trust
}
