package pack

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// Input is all that a pack is made of.
type Input struct {
	Request Request // normalised
	State   State
	Now     int64 // nanoseconds since 1970: what things are old against
	// Newest is what events are old against where that is not Now: the time of the newest
	// one, in a history that was recorded long after it happened.
	Newest hmx.Opt[int64]
	Class  hmx.QueryClassification
	// Candidates are composed in whatever order they come, and are Compose's to
	// change.
	Candidates []Candidate
	Conflicts  []Conflict
	Task       Task
	Rules      []Rule
	Load       Load
	Counter    tokens.Counter // the one that the request names
}

// Result is a pack, and how it came to be.
type Result struct {
	Pack *hmx.Pack
	Text string // the pack as markdown
	// Verdicts has one for each candidate that was there, in the order of their
	// ranks.
	Verdicts []Verdict
}

// Parts are what a score is made of, each from 0 to 1.
type Parts struct {
	Relevance, Recency, Provenance, Salience float64
}

// Verdict is what became of a candidate.
type Verdict struct {
	Candidate *Candidate
	// Source is what was read of it, nil if that was not necessary.
	Source *Source
	Rank   int
	Score  float64
	Parts  Parts
	Tokens int // of its lines; of what was not counted a guess
	// Reason is why it was dropped, empty if it is in the pack. Of is the rank of
	// the one that it repeats or contradicts, 0 for none. Detail says more, in words.
	Reason hmx.DropReason
	Of     int
	Detail string
	// Pass is by which part of the budget it got in: 0 as the least that its section
	// has, 1 by its section's share, 2 by what was left.
	Pass      int
	Truncated bool
}

// Item is an entry on its way into the text.
type Item struct {
	Section hmx.Section
	ID      string
	Label   string // who says it; cleaned where it is written
	Text    string // the entry's content, as it was recorded
	Time    int64
	Trust   record.Trust
}

// Fenced reports whether the item stands between fences: all but what users and
// operators said of who the agent is, what it must not do and what it is after.
func (it *Item) Fenced() bool {
	switch it.Section {
	case hmx.SectionCore, hmx.SectionConstraints, hmx.SectionGoals:
		return it.Trust < record.User
	}
	return true
}

// Task is what is known about what the session is doing.
type Task struct {
	Schemas []Schema
	Deeds   []Deed // the last of the session, oldest first
	// Next are the tools that may come next, the likeliest first. If there are any, they
	// are what is suggested, and not the steps of a schema.
	Next []Next
}

// Next is a tool that may come next.
type Next struct {
	Tool       string
	Reason     string
	ArtifactID string // what stands behind it
	Chance     float64
}

// Schema is an active artifact that tells how a task is done.
type Schema struct {
	ArtifactID  string
	Title       string
	Steps       []Step // in order
	Confidence  float64
	SuccessRate hmx.Opt[float64]
	Observed    hmx.Opt[int64]
	Relevance   float64 // as that of a candidate
}

// Step is one step of a schema.
type Step struct {
	Description string
	Tools       []string
	Optional    bool
}

// Deed is an event of the session.
type Deed struct {
	Tool    string // or program; empty for none
	Outcome memory.Outcome
	Text    string // what happened, in one line
}

// Rule is a policy, a constraint or a compiled decision policy that holds for the
// question and for whoever asks.
type Rule struct {
	ID         string
	Source     hmx.SourceType
	Condition  string
	Constraint string
	Confidence float64
	Strength   memory.Strength
	Trust      record.Trust
}
