package pack

import (
	"errors"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Candidate is an event or a versioned record that may become an entry, with what is known
// before its text is read.
type Candidate struct {
	Kind     record.Kind
	Position uint64 // of the record that holds its text; unique among candidates
	// Thing is the id of a versioned record. The id of an event is known when it is loaded.
	Thing   string
	Section hmx.Section
	Source  hmx.SourceType // one that the section draws on
	Class   string         // an event's, a memory's or an artifact's type; may be empty
	Session string         // identifies the session; empty for none
	Time    int64          // when it happened, or was last written; nanoseconds since 1970
	Trust   record.Trust

	// Relevance is its score relative to the best hit, from 0 to 1; 0 if it is a candidate for
	// another reason. Confidence and Salience are from 0 to 1.
	Relevance  float64
	Confidence float64
	Salience   float64
	// Pinned says that it is a candidate whatever the query is.
	Pinned bool
	// Known is the approximate number of tokens of its text, 0 if unknown.
	Known int
	// Deprecated says why it no longer holds; empty if it does.
	Deprecated string
	// SameAs is one more than the index of the candidate that it repeats; 0 for
	// none.
	SameAs int
	// Index is for the caller's use; Compose ignores it.
	Index int
}

// Source is what Load reads of a candidate that is about to be kept or listed.
type Source struct {
	ID   string // source_id; for an event its event_id
	URI  memory.URI
	Type string
	// Label names who or what says it: a speaker, a role, a tool. Empty for none.
	Label string
	// Text is its whole text, as it was recorded.
	Text string
	// Tokens is the count of Text by the counter of the request, 0 if it was not counted.
	Tokens int
	// Origin is where it comes from, as in retrieval_sources.
	Origin string
	// Evidence is the number of records that support it, counting only those that were found.
	Evidence int64
	// Unproven says why its evidence does not verify; empty if it does.
	Unproven string

	words *words // of Text, once prepared
	whole lines  // of the whole Text, once written
}

// lines are the lines of an item in the text of a pack.
type lines struct {
	section hmx.Section // the section they are written for
	text    string
	tokens  int // by the counter of the request
}

// Load reads a candidate. Compose calls it at most once for each, from one goroutine. [ErrGone]
// leaves the candidate out, as if it had not been found.
type Load func(c *Candidate, s *Source) error

// ErrGone is what Load returns for a candidate that was removed meanwhile.
var ErrGone = errors.New("pack: it is not there any more")

// Conflict says that candidates contradict each other.
type Conflict struct {
	ID      string
	Between []int // indexes of candidates, two or more
	// Winner is one more than the index of the candidate that holds; 0 if undecided.
	Winner int
	// Trust is the trust of its last writer.
	Trust record.Trust
}
