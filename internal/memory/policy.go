package memory

import (
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// PolicyKind is the purpose of a policy.
type PolicyKind string

// The kinds of policies.
const (
	PolicyInstruction PolicyKind = "instruction" // tells agents how to act
	PolicyConstraint  PolicyKind = "constraint"  // tells agents what they must not do
	PolicyRetention   PolicyKind = "retention"   // says how long records are kept
)

// PolicyKinds lists the kinds of policies.
func PolicyKinds() []PolicyKind {
	return []PolicyKind{PolicyInstruction, PolicyConstraint, PolicyRetention}
}

// RetentionAction is what happens to a record at its maximum age.
type RetentionAction string

// The actions of retention.
const (
	RetainTombstone RetentionAction = "tombstone" // it is forgotten; its history stays
	RetainErase     RetentionAction = "erase"     // its payload is erased
)

// RetentionActions lists the actions.
func RetentionActions() []RetentionAction {
	return []RetentionAction{RetainTombstone, RetainErase}
}

// MaxSelectors is the maximum number of items of each list of a scope.
const MaxSelectors = 64

// MaxPriority is the greatest absolute priority of a policy.
const MaxPriority = 1000

// Scope says what a policy applies to. All lists must match; an empty list matches everything.
type Scope struct {
	Agents    []string // ids of the agents that wrote it, or that receive it
	Types     []Type   // of memories
	Tags      []string // one of which must match
	KeyPrefix string   // of keys, in whole segments: release covers release/cadence
}

func (s Scope) isZero() bool {
	return len(s.Agents) == 0 && len(s.Types) == 0 && len(s.Tags) == 0 && s.KeyPrefix == ""
}

func (s *Scope) fields(c *document.Codec) {
	document.Words(c, "agents", &s.Agents)
	document.Words(c, "types", &s.Types)
	document.Words(c, "tags", &s.Tags)
	document.Word(c, "key_prefix", &s.KeyPrefix)
}

// Retention says how long records are kept.
type Retention struct {
	Kinds         []record.Kind
	MaxAgeSeconds int64
	Action        RetentionAction // default tombstone, or erase if events are among the kinds
}

func (r Retention) isZero() bool {
	return len(r.Kinds) == 0 && r.MaxAgeSeconds == 0 && r.Action == ""
}

func (r *Retention) fields(c *document.Codec) {
	kindsField(c, "kinds", &r.Kinds)
	c.Integer("max_age_seconds", &r.MaxAgeSeconds)
	document.Word(c, "action", &r.Action)
}

// Policy is a decision of the operator of the board.
type Policy struct {
	ID         string
	Key        string     // optional, unique among the tenant's policies
	PolicyKind PolicyKind // kind in JSON
	Text       string     // what agents receive; optional for retention
	Strength   Strength   // default firm
	Scope      Scope
	Retention  Retention     // only of a retention policy
	Priority   int64         // -1000 to 1000, higher first
	Active     hmx.Opt[bool] // default true
	Metadata   hmx.Raw
}

// Kind returns record.Policy.
func (p *Policy) Kind() record.Kind { return record.Policy }

// Identity returns id and key.
func (p *Policy) Identity() (id, key string) { return p.ID, p.Key }

// SetID sets the id.
func (p *Policy) SetID(id string) { p.ID = id }

func (p *Policy) fields(c *document.Codec) {
	document.Word(c, "id", &p.ID)
	document.Word(c, "key", &p.Key)
	document.Word(c, "kind", &p.PolicyKind)
	document.Word(c, "text", &p.Text)
	document.Word(c, "strength", &p.Strength)
	c.Object("scope", !p.Scope.isZero(), p.Scope.fields)
	c.Object("retention", !p.Retention.isZero(), p.Retention.fields)
	c.Integer("priority", &p.Priority)
	c.Flag("active", &p.Active)
	c.Raw("metadata", &p.Metadata)
}

// Normalize sets defaults and orders the lists of the scope.
func (p *Policy) Normalize() {
	p.defaults()
	p.order()
}

func (p *Policy) defaults() {
	fallback(&p.Strength, StrengthFirm)
	fallback(&p.Active, hmx.Some(true))
	if p.PolicyKind == PolicyRetention {
		// An event has no history that could stay, so it can only be erased.
		action := RetainTombstone
		if slices.Contains(p.Retention.Kinds, record.Event) {
			action = RetainErase
		}
		fallback(&p.Retention.Action, action)
	}
	p.Metadata = document.Compact(p.Metadata)
}

func (p *Policy) order() {
	p.Scope.Agents, p.Scope.Types, p.Scope.Tags = sortWords(p.Scope.Agents), sortWords(p.Scope.Types), sortWords(p.Scope.Tags)
	p.Retention.Kinds = slices.Compact(slices.Sorted(slices.Values(p.Retention.Kinds)))
	emptyToNil(&p.Retention.Kinds)
}

// Validate applies every rule.
func (p *Policy) Validate() error { return validate(p) }

func (p *Policy) rules(f *faults) {
	f.optID("id", p.ID)
	if p.Key != "" {
		f.key("key", p.Key)
	}
	document.OneOf(&f.Problems, "kind", p.PolicyKind, "a kind of policy", PolicyKinds(), nil)
	document.OneOf(&f.Problems, "strength", p.Strength, "a strength", Strengths(), nil)
	p.Scope.rules(f)
	if p.PolicyKind == PolicyRetention {
		f.Prose("text", p.Text, MaxText)
		p.Retention.rules(f)
		p.Scope.retains(f, p.Retention.Kinds)
	} else {
		f.text("text", p.Text)
		if !p.Retention.isZero() {
			f.Add("retention", "is given, but the policy is not of kind retention", "set kind to retention, or leave it out")
		}
	}
	if p.Priority < -MaxPriority || p.Priority > MaxPriority {
		f.Add("priority", fmt.Sprintf("is %d, but must be from %d to %d", p.Priority, -MaxPriority, MaxPriority), "give a number in that range, or leave it out")
	}
	f.raw("metadata", p.Metadata)
}

func (s Scope) rules(f *faults) {
	if f.Length("scope.agents", len(s.Agents), 0, MaxSelectors) {
		for i, a := range s.Agents {
			f.Name(document.Indexed("scope.agents", i), a, MaxID)
		}
	}
	if f.Length("scope.types", len(s.Types), 0, MaxSelectors) {
		for i, t := range s.Types {
			document.OneOf(&f.Problems, document.Indexed("scope.types", i), t, "a type of memory", Types(), nil)
		}
	}
	if f.Length("scope.tags", len(s.Tags), 0, MaxSelectors) {
		for i, t := range s.Tags {
			f.Trimmed(document.Indexed("scope.tags", i), t, MaxTag)
		}
	}
	if s.KeyPrefix != "" {
		f.key("scope.key_prefix", s.KeyPrefix)
	}
}

// retained lists the kinds of records that can be forgotten or erased.
func retained() []record.Kind { return append([]record.Kind{record.Event}, BodyKinds()...) }

// aging lists the kinds of records with a limited lifetime. An embedding and a refinement live
// as long as their target.
func aging() []record.Kind {
	return slices.DeleteFunc(retained(), func(k record.Kind) bool { return k == record.Embedding || k == record.Refinement })
}

func (r Retention) rules(f *faults) {
	if f.Length("retention.kinds", len(r.Kinds), 1, len(aging())) {
		for i, k := range r.Kinds {
			if !slices.Contains(aging(), k) {
				f.Add(document.Indexed("retention.kinds", i), "is "+k.String()+", which is kept for ever", "use one of "+kindNames(aging()))
			}
		}
	}
	if r.MaxAgeSeconds < 1 || r.MaxAgeSeconds > MaxTTL {
		f.Add("retention.max_age_seconds", fmt.Sprintf("is %d, but must be from 1 to %d seconds", r.MaxAgeSeconds, int64(MaxTTL)), "give a number in that range")
	}
	document.OneOf(&f.Problems, "retention.action", r.Action, "an action", RetentionActions(), nil)
	if r.Action == RetainTombstone && slices.Contains(r.Kinds, record.Event) {
		f.Add("retention.action", "is tombstone, but an event can only be erased", "use erase, or keep events by a policy of their own")
	}
}

// retains adds the selectors of a scope that records of the given kinds do not have, since such
// a policy would narrow nothing.
func (s Scope) retains(f *faults, kinds []record.Kind) {
	lack := func(field, what string, have ...record.Kind) {
		for _, k := range kinds {
			if slices.Contains(aging(), k) && !slices.Contains(have, k) {
				f.Add(field, "is given, but "+what+", and retention.kinds has "+k.String(), "leave it out, or retain "+kindNames(have)+" only")
			}
		}
	}
	if len(s.Types) > 0 {
		lack("scope.types", "only a memory has a type", record.Memory)
	}
	if len(s.Tags) > 0 {
		lack("scope.tags", "not every kind has tags", record.Event, record.Memory, record.Entity, record.Policy, record.Artifact)
	}
	if s.KeyPrefix != "" {
		lack("scope.key_prefix", "only a memory and a policy have a key", record.Memory, record.Policy)
	}
}

// CoversKey reports whether the scope covers records with a key.
func (s Scope) CoversKey(key string) bool {
	rest, ok := strings.CutPrefix(key, s.KeyPrefix)
	return s.KeyPrefix == "" || ok && (rest == "" || rest[0] == '/')
}

// CoversAgent reports whether the scope covers records from an agent.
func (s Scope) CoversAgent(agent string) bool {
	return len(s.Agents) == 0 || slices.Contains(s.Agents, agent)
}

// CoversTags reports whether the scope covers records with the given tags.
func (s Scope) CoversTags(tags []string) bool {
	return len(s.Tags) == 0 || slices.ContainsFunc(tags, func(t string) bool { return slices.Contains(s.Tags, t) })
}

// CoversType reports whether the scope covers memories of a type.
func (s Scope) CoversType(t Type) bool {
	return len(s.Types) == 0 || slices.Contains(s.Types, t)
}

// Facets returns what indexes see. Priority is left to the code that applies policies.
func (p *Policy) Facets() Facets {
	x := facets()
	x.Class = string(p.PolicyKind)
	x.State = "inactive"
	if p.Active.Or(true) {
		x.State = "active"
		x.Pin = p.Strength == StrengthHard && p.PolicyKind != PolicyRetention
	}
	x.Tags = p.Scope.Tags
	return x
}

// Forms returns the short and the medium form of the text, with the strength in front, as for a
// constraint.
func (p *Policy) Forms(c tokens.Counter) Forms { return MakeForms(p.Text, p.strength(), c) }

// Full returns the whole text for agents.
func (p *Policy) Full() string { return lead(p.strength()) + p.Text }

func (p *Policy) strength() Data { return &Constraint{Strength: p.Strength} }

// AppendJSON appends the policy as compact JSON.
func (p *Policy) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "policy", p) }
