package pack

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// Input is everything that a pack is made of.
type Input struct {
	Request Request // normalised
	State   State
	Now     int64 // nanoseconds since 1970: the reference of ages
	// Newest is the reference of the ages of events if that is not Now: the time of the newest
	// event in a history that was recorded long after it happened.
	Newest hmx.Opt[int64]
	Class  hmx.QueryClassification
	// Candidates may come in any order. Compose may change them.
	Candidates []Candidate
	Conflicts  []Conflict
	Task       Task
	Rules      []Rule
	Load       Load
	Counter    tokens.Counter // the one that the request names
}

// Result is a pack with the decisions behind it.
type Result struct {
	Pack *hmx.Pack
	Text string // the pack as markdown
	// Verdicts has one verdict for each existing candidate, in the order of their ranks.
	Verdicts []Verdict
}

// Parts are the parts of a score, each from 0 to 1.
type Parts struct {
	Relevance, Recency, Provenance, Salience float64
}

// Verdict is the decision about a candidate.
type Verdict struct {
	Candidate *Candidate
	// Source is what was read of it, nil if reading was not necessary.
	Source *Source
	Rank   int
	Score  float64
	Parts  Parts
	Tokens int // of its lines; an estimate if they were not counted
	// Reason is why it was dropped, empty if it is in the pack. Of is the rank of the candidate
	// that it repeats or contradicts, 0 for none. Detail explains the reason.
	Reason hmx.DropReason
	Of     int
	Detail string
	// Pass says which part of the budget paid for it: 0 the minimum of its section, 1 the share
	// of its section, 2 the remainder.
	Pass      int
	Truncated bool
}

// Item is an entry on its way into the text.
type Item struct {
	Section hmx.Section
	ID      string
	Label   string // who says it; cleaned when it is written
	Text    string // the entry's content, as it was recorded
	Time    int64
	Trust   record.Trust
}

// Fenced reports whether the item stands between fences: every item does, except what users and
// operators say about the agent's identity, limits and goals.
func (it *Item) Fenced() bool {
	switch it.Section {
	case hmx.SectionCore, hmx.SectionConstraints, hmx.SectionGoals:
		return it.Trust < record.User
	}
	return true
}

// Task is what is known about the session's current task.
type Task struct {
	Schemas []Schema
	Deeds   []Deed // the last of the session, oldest first
	// Next are the possible next tools, the likeliest first. If there are any, the pack
	// suggests them and not the steps of a schema.
	Next []Next
}

// Next is a possible next tool.
type Next struct {
	Tool       string
	Reason     string
	ArtifactID string // the artifact it is derived from
	Chance     float64
}

// Schema is an active artifact that describes how a task is done.
type Schema struct {
	ArtifactID  string
	Title       string
	Steps       []Step // in order
	Confidence  float64
	SuccessRate hmx.Opt[float64]
	Observed    hmx.Opt[int64]
	Relevance   float64 // as for a candidate
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

// Rule is a policy, a constraint or a compiled decision policy that applies to the query and
// the caller.
type Rule struct {
	ID         string
	Source     hmx.SourceType
	Condition  string
	Constraint string
	Confidence float64
	Strength   memory.Strength
	Trust      record.Trust
}
