package memory

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
)

// Type is the type of a memory.
type Type string

// The nine types.
const (
	TypeIdentity   Type = "identity"   // who the agent is
	TypeFact       Type = "fact"       // what is so
	TypePreference Type = "preference" // what a person likes or dislikes
	TypeBelief     Type = "belief"     // what is assumed, on evidence
	TypeEvent      Type = "event"      // what happened, and its outcome
	TypeGoal       Type = "goal"       // what to achieve
	TypeConstraint Type = "constraint" // what must or must not be done
	TypeCapability Type = "capability" // what can be done, and how well
	TypePattern    Type = "pattern"    // what to do in a recurring situation
)

// Types lists the types.
func Types() []Type {
	return []Type{
		TypeIdentity, TypeFact, TypePreference, TypeBelief, TypeEvent,
		TypeGoal, TypeConstraint, TypeCapability, TypePattern,
	}
}

// ParseType returns the type called name.
func ParseType(name string) (Type, error) {
	var f faults
	document.OneOf(&f.Problems, "type", Type(name), "a type of memory", Types(), nil)
	return Type(name), f.Err("memory")
}

// Data is the structured part of a memory of one type: one of *[Identity], *[Fact],
// *[Preference], *[Belief], *[Event], *[Goal], *[Constraint], *[Capability] and *[Pattern]. All
// fields are optional.
type Data interface {
	// Type is the type of memory that has this data.
	Type() Type
	// State is the word of the data by which memories are listed: a goal's status, a
	// constraint's strength, an event's outcome, a preference's polarity; otherwise empty.
	State() string

	listed
	defaults()
	rules(*faults)
	// qualifier is what a reader of the text alone must know to understand it correctly.
	qualifier() string
}

// NewData returns the default data of a memory of type t, or nil if there is no such type.
func NewData(t Type) Data {
	var d Data
	switch t {
	case TypeIdentity:
		d = new(Identity)
	case TypeFact:
		d = new(Fact)
	case TypePreference:
		d = new(Preference)
	case TypeBelief:
		d = new(Belief)
	case TypeEvent:
		d = new(Event)
	case TypeGoal:
		d = new(Goal)
	case TypeConstraint:
		d = new(Constraint)
	case TypeCapability:
		d = new(Capability)
	case TypePattern:
		d = new(Pattern)
	default:
		return nil
	}
	d.defaults()
	return d
}

// maxField is the maximum length of a text field of data, in bytes.
const maxField = 4 << 10

// maxList is the maximum number of items of a list within data.
const maxList = 64

// Strength is how binding a constraint, a preference or a policy is.
type Strength string

// The three strengths. Every agent receives hard constraints at its start.
const (
	StrengthHard Strength = "hard" // must never be broken
	StrengthFirm Strength = "firm" // to be kept unless there is a good reason
	StrengthSoft Strength = "soft" // a wish
)

// Strengths lists the strengths, strongest first.
func Strengths() []Strength { return []Strength{StrengthHard, StrengthFirm, StrengthSoft} }

// GoalStatus is the state of a goal.
type GoalStatus string

// The states of a goal.
const (
	GoalActive    GoalStatus = "active"
	GoalPaused    GoalStatus = "paused"
	GoalAchieved  GoalStatus = "achieved"
	GoalAbandoned GoalStatus = "abandoned"
)

// GoalStatuses lists the states of a goal.
func GoalStatuses() []GoalStatus {
	return []GoalStatus{GoalActive, GoalPaused, GoalAchieved, GoalAbandoned}
}

// Outcome is how something ended.
type Outcome string

// The outcomes. Feedback may have all but the last.
const (
	OutcomeSuccess Outcome = "success"
	OutcomeFailure Outcome = "failure"
	OutcomePartial Outcome = "partial"
	OutcomeUnknown Outcome = "unknown"
)

// Outcomes lists the outcomes.
func Outcomes() []Outcome {
	return []Outcome{OutcomeSuccess, OutcomeFailure, OutcomePartial, OutcomeUnknown}
}

// Polarity is the direction of a preference.
type Polarity string

// The polarities.
const (
	PolarityLike    Polarity = "like"
	PolarityDislike Polarity = "dislike"
	PolarityNeutral Polarity = "neutral"
)

// Polarities lists the polarities.
func Polarities() []Polarity { return []Polarity{PolarityLike, PolarityDislike, PolarityNeutral} }

// Stance is how firmly a belief is held.
type Stance string

// The stances.
const (
	StanceHeld     Stance = "held"
	StanceDoubted  Stance = "doubted"
	StanceRejected Stance = "rejected"
)

// Stances lists the stances.
func Stances() []Stance { return []Stance{StanceHeld, StanceDoubted, StanceRejected} }

// Level is how well something can be done.
type Level string

// The levels.
const (
	LevelNone   Level = "none"
	LevelBasic  Level = "basic"
	LevelGood   Level = "good"
	LevelExpert Level = "expert"
)

// Levels lists the levels, lowest first.
func Levels() []Level { return []Level{LevelNone, LevelBasic, LevelGood, LevelExpert} }

// Identity is who an agent is.
type Identity struct {
	Name string
	Role string
}

// Fact is a statement in three parts.
type Fact struct {
	Subject   string
	Predicate string
	Object    string
}

// Preference is what a person likes or dislikes. Polarity defaults to like and Strength to
// firm.
type Preference struct {
	Subject  string // its topic
	Polarity Polarity
	Strength Strength
}

// Belief is what is assumed. Stance defaults to held.
type Belief struct {
	Evidence []string // as text; records it was derived from belong into Sources
	Stance   Stance
}

// Event is something that happened. Outcome defaults to unknown.
type Event struct {
	Verb       Verb // what was done; may be empty
	Outcome    Outcome
	OccurredAt hmx.Time
}

// Goal is something to achieve. Status defaults to active.
type Goal struct {
	Status  GoalStatus
	Due     hmx.Time
	Success string // the criterion of success
}

// Constraint is a rule. Strength defaults to firm.
type Constraint struct {
	Strength Strength
	Rule     string // machine-readable form, if there is one
}

// Capability is something that can be done. Level defaults to good.
type Capability struct {
	Name   string
	Level  Level
	Limits []string
}

// Pattern is what to do in a recurring situation.
type Pattern struct {
	Trigger string
	Action  string
	Support int64 // how often it was observed to hold
}
