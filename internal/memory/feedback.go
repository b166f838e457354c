package memory

import (
	"fmt"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// MaxCited is how many records one feedback may cite.
const MaxCited = 256

// FeedbackOutcomes lists the outcomes of feedback.
func FeedbackOutcomes() []Outcome {
	return []Outcome{OutcomeSuccess, OutcomeFailure, OutcomePartial}
}

// Feedback says how a task ended, and which records of the board it used.
type Feedback struct {
	ID        string
	AgentID   string
	SessionID string // optional
	Outcome   Outcome
	Cited     []URI
	Score     hmx.Opt[float64] // -1 to 1: a finer grade of the outcome, which it must not contradict
	Profile   hmx.Opt[Profile] // set by the engine, whatever the caller gives
	Note      string
	Metadata  hmx.Raw
}

// Profile is the state of the cited records when the feedback came in: how fresh they were, how
// often used, how useful they had been, and their importance. Each is the mean of a salience
// factor, from 0 to 1. It is part of the record, so that learning from it depends on nothing
// else.
type Profile struct{ Recency, Access, Citations, Importance float64 }

func (p *Profile) fields(c *document.Codec) {
	p.each(func(name string, v *float64) {
		number := hmx.Opt[float64]{Value: *v, Set: c.Writing()}
		c.Number(name, &number)
		c.Require(name, "give all four factors, or no profile")
		*v = number.Value
	})
}

// each calls visit with every factor.
func (p *Profile) each(visit func(name string, v *float64)) {
	visit("recency", &p.Recency)
	visit("access", &p.Access)
	visit("citations", &p.Citations)
	visit("importance", &p.Importance)
}

// Kind returns record.Feedback.
func (b *Feedback) Kind() record.Kind { return record.Feedback }

// Identity returns the id; feedback has no key.
func (b *Feedback) Identity() (id, key string) { return b.ID, "" }

// SetID sets the id.
func (b *Feedback) SetID(id string) { b.ID = id }

func (b *Feedback) fields(c *document.Codec) {
	document.Word(c, "id", &b.ID)
	document.Word(c, "agent_id", &b.AgentID)
	document.Word(c, "session_id", &b.SessionID)
	document.Word(c, "outcome", &b.Outcome)
	urisField(c, "cited", &b.Cited)
	c.Number("score", &b.Score)
	b.Profile.Set = c.Object("profile", b.Profile.Set, b.Profile.Value.fields)
	document.Word(c, "note", &b.Note)
	c.Raw("metadata", &b.Metadata)
}

// Normalize sorts the citations.
func (b *Feedback) Normalize() {
	b.defaults()
	b.order()
}

func (b *Feedback) defaults() { b.Metadata = document.Compact(b.Metadata) }

func (b *Feedback) order() { b.Cited = sortURIs(b.Cited) }

// Validate applies every rule.
func (b *Feedback) Validate() error { return validate(b) }

func (b *Feedback) rules(f *faults) {
	f.optID("id", b.ID)
	f.Name("agent_id", b.AgentID, MaxID)
	f.optID("session_id", b.SessionID)
	document.OneOf(&f.Problems, "outcome", b.Outcome, "an outcome", FeedbackOutcomes(), nil)
	f.uris("cited", b.Cited, 0, MaxCited)
	if b.Score.Set && !(b.Score.Value >= -1 && b.Score.Value <= 1) {
		f.Add("score", fmt.Sprintf("is %v, but must be a number from -1 to 1", b.Score.Value), "give a number in that range, or leave it out")
	} else if b.Outcome == OutcomeFailure && b.Score.Value > 0 {
		f.Add("score", fmt.Sprintf("is %v, but the outcome is failure", b.Score.Value), "give a score of 0 or less, leave it out, or say partial or success")
	} else if b.Outcome == OutcomeSuccess && b.Score.Value < 0 {
		f.Add("score", fmt.Sprintf("is %v, but the outcome is success", b.Score.Value), "give a score of 0 or more, leave it out, or say partial or failure")
	}
	if b.Profile.Set {
		b.Profile.Value.each(func(name string, v *float64) { f.Ratio("profile."+name, hmx.Some(*v)) })
	}
	f.Prose("note", b.Note, MaxText)
	f.raw("metadata", b.Metadata)
}

// Facets returns what indexes see.
func (b *Feedback) Facets() Facets {
	x := facets()
	x.State = string(b.Outcome)
	x.Agent, x.Session = b.AgentID, b.SessionID
	x.link("cited", b.Cited...)
	return x
}

// AppendJSON appends the feedback as compact JSON.
func (b *Feedback) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "feedback", b) }
