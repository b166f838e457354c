package frame

import (
	"time"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

// Card is what a reader needs of a live memory, a live policy or an event to
// rank, filter and show it without reading the record. The strings of a card
// are parts of one text.
type Card struct {
	Kind  record.Kind
	Thing index.Digest // of its id; see [ThingOf]
	ID    string
	Key   string // of a memory or policy, if it has one
	Class string // a memory's type, a policy's kind, or an event's event_type
	// Status is the field that changes over its life: a goal's status, a
	// constraint's strength, whether a policy is active, an outcome.
	Status   string
	Version  uint32 // the newest; 0 for an event
	Position uint64 // of the record that holds the text
	// Created and Updated are the times of the first and of the newest content.
	// Of an event both are its timestamp, but not after it was recorded.
	Created, Updated int64
	Trust            record.Trust
	Actor            string // who wrote the text
	Private          bool   // to the actor, and to operators
	Pinned           bool   // every agent reads it
	Scoped           bool   // a memory that is valid only in its validity scope

	Agent, Session      string // of an event
	Sequence, Timestamp int64  // of an event

	Agents []string // audience of a policy; empty means everyone
	Tags   []string
	Frames []string // verb:kind=ref, as given

	ValidFrom, ValidUntil int64 // math.MinInt64 and math.MaxInt64 if unlimited
	Expires               int64 // math.MaxInt64 for never

	Importance                float64
	Short, Medium             string
	ShortTokens, MediumTokens int

	// Uses, Wins and Losses are how often feedback cited it, and how often with
	// success and failure. They are zero until [Cursor.Count] sets them.
	Uses, Wins, Losses uint64
	Outcome            memory.Outcome // of an event and of a memory of type event; else empty

	gone bool // it is not live; only kind, version and age are left
}

// class returns the class that a card is filed under.
func (c *Card) class() Class {
	switch {
	case c.Kind == record.Event:
		return Events
	case c.Kind == record.Memory && c.Class == string(memory.TypeEvent):
		return EventMemories
	}
	return Memories
}

// Factors returns the salience factors of a card at a time, in nanoseconds,
// without a similarity.
func (c *Card) Factors(now int64) salience.Factors {
	return salience.Factors{
		Recency:    salience.Recency(age(now, c.Updated)),
		Access:     salience.Access(c.Uses),
		Citations:  salience.Citations(c.Wins, c.Losses),
		Importance: c.Importance,
	}
}

// age returns the time from then to now, without overflow.
func age(now, then int64) time.Duration {
	if now <= then {
		return 0
	}
	if d := now - then; d > 0 {
		return time.Duration(d)
	}
	return 1<<63 - 1
}

// Rank is the order of pinned records.
type Rank byte

// The ranks, in their order.
const (
	RankIdentity   Rank = iota // who the agent is
	RankConstraint             // what it must not or has to do
	RankGoal                   // its goals
)

// Ranks returns the ranks in their order.
func Ranks() []Rank { return []Rank{RankIdentity, RankConstraint, RankGoal} }

// Rank returns the rank of a card if it is pinned.
func (c *Card) Rank() Rank {
	switch {
	case c.Kind == record.Policy:
		return RankConstraint
	case c.Class == string(memory.TypeIdentity):
		return RankIdentity
	case c.Class == string(memory.TypeConstraint):
		return RankConstraint
	}
	return RankGoal
}
