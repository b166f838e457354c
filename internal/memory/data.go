package memory

import (
	"lukasa.dev/hmx"
)

// Type says what sort of thing a memory holds.
type Type string

// The nine types.
const (
	TypeIdentity   Type = "identity"   // who the agent is
	TypeFact       Type = "fact"       // what is so
	TypePreference Type = "preference" // what someone likes or dislikes
	TypeBelief     Type = "belief"     // what is held to be so, on evidence
	TypeEvent      Type = "event"      // what happened, and how it went
	TypeGoal       Type = "goal"       // what is to be reached
	TypeConstraint Type = "constraint" // what must or must not be done
	TypeCapability Type = "capability" // what can be done, and how well
	TypePattern    Type = "pattern"    // what to do when something comes up again
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
	oneOf(&f, "type", Type(name), "a type of memory", Types(), nil)
	return Type(name), f.err("memory")
}

// Data is what a memory of one type says beside its text: one of *[Identity],
// *[Fact], *[Preference], *[Belief], *[Event], *[Goal], *[Constraint],
// *[Capability] and *[Pattern]. All fields are optional.
type Data interface {
	// Type is the type of memory that has this data.
	Type() Type
	// State is the one word of the data by which memories are listed: a goal's
	// status, a constraint's strength, an event's outcome, a preference's
	// polarity; else empty.
	State() string

	document
	defaults()
	rules(*faults)
	// qualifier is what a reader of the text alone would be misled without.
	qualifier() string
}

// NewData returns the data of a memory of type t as it is when nothing was
// said, or nil if there is no such type.
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

// maxField is the longest text of a field of data, in bytes.
const maxField = 4 << 10

// maxList is how many items a list within data may have.
const maxList = 64

// Strength says how binding a constraint, a preference or a policy is.
type Strength string

// The three strengths. Hard constraints are shown to every agent that starts.
const (
	StrengthHard Strength = "hard" // never to be broken
	StrengthFirm Strength = "firm" // to be kept unless there is good reason
	StrengthSoft Strength = "soft" // a wish
)

// Strengths lists the strengths, strongest first.
func Strengths() []Strength { return []Strength{StrengthHard, StrengthFirm, StrengthSoft} }

// GoalStatus says where a goal stands.
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

// Outcome says how something went.
type Outcome string

// The outcomes. Feedback knows all but the last.
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

// Polarity says which way a preference goes.
type Polarity string

// The polarities.
const (
	PolarityLike    Polarity = "like"
	PolarityDislike Polarity = "dislike"
	PolarityNeutral Polarity = "neutral"
)

// Polarities lists the polarities.
func Polarities() []Polarity { return []Polarity{PolarityLike, PolarityDislike, PolarityNeutral} }

// Stance says how far a belief is held.
type Stance string

// The stances.
const (
	StanceHeld     Stance = "held"
	StanceDoubted  Stance = "doubted"
	StanceRejected Stance = "rejected"
)

// Stances lists the stances.
func Stances() []Stance { return []Stance{StanceHeld, StanceDoubted, StanceRejected} }

// Level says how well something can be done.
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

// Preference is what someone likes or dislikes. Polarity is like and Strength
// firm unless said.
type Preference struct {
	Subject  string // what it is about
	Polarity Polarity
	Strength Strength
}

// Belief is what is held to be so. Stance is held unless said.
type Belief struct {
	Evidence []string // in words; what it was derived from belongs into Sources
	Stance   Stance
}

// Event is something that happened. Outcome is unknown unless said.
type Event struct {
	Verb       Verb // what was done; may be none
	Outcome    Outcome
	OccurredAt hmx.Time
}

// Goal is something to be reached. Status is active unless said.
type Goal struct {
	Status  GoalStatus
	Due     hmx.Time
	Success string // how one will know that it is reached
}

// Constraint is a rule. Strength is firm unless said.
type Constraint struct {
	Strength Strength
	Rule     string // in a form that a program can read, if there is one
}

// Capability is something that can be done. Level is good unless said.
type Capability struct {
	Name   string
	Level  Level
	Limits []string
}

// Pattern is what to do when something comes up again.
type Pattern struct {
	Trigger string
	Action  string
	Support int64 // how often it was seen to hold
}
