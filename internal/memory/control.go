package memory

import (
	"fmt"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
)

// Limits of controls.
const (
	MaxTargets = 1 << 16 // of one redaction or expiry
	MaxReason  = 4 << 10 // bytes
	MinMACKey  = 16      // bytes
	MaxMACKey  = 64      // bytes
)

// maxControl is the maximum size of a control as JSON: what the limits above allow, with every
// byte of every id escaped.
const maxControl = 32 << 20

// Control is the content of a record that changes the meaning of other records: a *[Tombstone],
// *[Redaction], *[Expiry] or *[Transition].
type Control interface {
	// Kind is the kind of record that holds the control.
	Kind() record.Kind
	// Validate applies every rule and returns all problems at once.
	Validate() error
	// AppendJSON appends the control as compact JSON: equal controls, equal bytes.
	AppendJSON(dst []byte) ([]byte, error)

	listed
	rules(*faults)
}

// DecodeControl strictly decodes the control of a record of a kind.
func DecodeControl(kind record.Kind, data []byte) (Control, error) {
	var c Control
	switch kind {
	case record.Tombstone:
		c = new(Tombstone)
	case record.Redaction:
		c = new(Redaction)
	case record.Expiry:
		c = new(Expiry)
	case record.Transition:
		c = new(Transition)
	default:
		return nil, fault.Newf(fault.InvalidArgument, "kind %v is not a control: use one of tombstone, redaction, expiry, transition", kind)
	}
	if err := tooLarge(kind.String(), len(data), maxControl); err != nil {
		return nil, err
	}
	var f faults
	if decode(&f, data, c) {
		c.rules(&f)
	}
	if err := f.Err(kind.String()); err != nil {
		return nil, err
	}
	return c, nil
}

func validateControl(c Control) error {
	var f faults
	c.rules(&f)
	return f.Err(c.Kind().String())
}

// target adds what is wrong with the kind of a control's target.
func (f *faults) target(field string, k record.Kind) {
	switch {
	case k == 0:
		f.Add(field, "is missing", "use one of "+kindNames(retained()))
	case !slices.Contains(retained(), k):
		f.Add(field, "is "+k.String()+", which cannot be taken back", "use one of "+kindNames(retained()))
	}
}

// positionField is the position of a target. It is always written: 0 is the first record of a
// tenant, and must not be implied by omission.
func positionField(c *document.Codec, v *uint64) {
	c.Require("position", "give the position of the record")
	c.Count("position", v, true)
}

// positions are the positions that the targets of a control name.
type positions map[uint64]struct{}

// once adds a problem if another target names the same position.
func (p positions) once(f *faults, field string, position uint64) {
	if _, ok := p[position]; ok {
		f.Add(field, fmt.Sprintf("is %d, which an earlier target names too", position), "name each record once")
	}
	p[position] = struct{}{}
}

// Tombstone says that a record is forgotten, and why. Its history stays.
type Tombstone struct {
	Target  record.Kind // kind in JSON
	ID      string
	Version uint64 // the current one; none for an event
	Reason  string
}

// Kind returns record.Tombstone.
func (t *Tombstone) Kind() record.Kind { return record.Tombstone }

func (t *Tombstone) fields(c *document.Codec) {
	kindField(c, "kind", &t.Target)
	document.Word(c, "id", &t.ID)
	c.Count("version", &t.Version, false)
	document.Word(c, "reason", &t.Reason)
}

// Validate applies every rule.
func (t *Tombstone) Validate() error { return validateControl(t) }

func (t *Tombstone) rules(f *faults) {
	f.target("kind", t.Target)
	f.Name("id", t.ID, MaxID)
	switch {
	case t.Target == record.Event && t.Version > 0:
		f.Add("version", fmt.Sprintf("is %d, but an event has no versions", t.Version), "leave it out")
	case t.Target != record.Event && t.Version == 0:
		f.Add("version", "is missing", "give the version that is current, from 1")
	}
	f.Prose("reason", t.Reason, MaxReason)
}

// AppendJSON appends the tombstone as compact JSON.
func (t *Tombstone) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "tombstone", t) }

// Redaction says that the payloads of records are erased. It repeats nothing of them: ids are
// digests, and content is a keyed hash that only recognises the same content again.
type Redaction struct {
	Targets []RedactionTarget
	Key     []byte // of the keyed hashes; set if and only if there are any
}

// RedactionTarget is one record whose payload is erased.
type RedactionTarget struct {
	Kind     record.Kind
	Position uint64
	ID       record.Hash // digest of the id, see record.ID; all versions of a record share it
	Content  record.Hash // see [EventMAC]; zero if the content may come again
}

// Kind returns record.Redaction.
func (r *Redaction) Kind() record.Kind { return record.Redaction }

func (r *Redaction) fields(c *document.Codec) {
	document.Objects(c, "targets", &r.Targets, (*RedactionTarget).fields)
	c.Hex("key", &r.Key)
}

func (t *RedactionTarget) fields(c *document.Codec) {
	kindField(c, "kind", &t.Kind)
	positionField(c, &t.Position)
	hashField(c, "id", &t.ID)
	hashField(c, "content", &t.Content)
}

// Validate applies every rule.
func (r *Redaction) Validate() error { return validateControl(r) }

func (r *Redaction) rules(f *faults) {
	keyed := false
	if f.Length("targets", len(r.Targets), 1, MaxTargets) {
		seen := make(positions, len(r.Targets))
		for i, t := range r.Targets {
			field := document.Indexed("targets", i)
			f.target(field+".kind", t.Kind)
			seen.once(f, field+".position", t.Position)
			if t.ID == (record.Hash{}) {
				f.Add(field+".id", "is missing", "give the digest of the id of the record or event")
			}
			keyed = keyed || t.Content != record.Hash{}
		}
	}
	switch n := len(r.Key); {
	case keyed && (n < MinMACKey || n > MaxMACKey):
		f.Add("key", fmt.Sprintf("has %d bytes, but must have %d to %d where content is given", n, MinMACKey, MaxMACKey), "give the key that the content hashes were made with")
	case !keyed && n > 0:
		f.Add("key", "is given, but no target has a content hash", "leave it out")
	}
}

// AppendJSON appends the redaction as compact JSON.
func (r *Redaction) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "redaction", r) }

// ExpiryCause says why a record has expired.
type ExpiryCause string

// The causes.
const (
	CauseTTL       ExpiryCause = "ttl"
	CauseRetention ExpiryCause = "retention"
)

// ExpiryCauses lists the causes.
func ExpiryCauses() []ExpiryCause { return []ExpiryCause{CauseTTL, CauseRetention} }

// Expiry says that records have expired, by their own time or by a policy.
type Expiry struct {
	Targets []ExpiryTarget
	Cause   ExpiryCause
	Policy  string // id of the policy, if and only if the cause is retention
}

// ExpiryTarget is one expired record: an event, or the current version of a versioned record.
type ExpiryTarget struct {
	Kind     record.Kind
	Position uint64
}

// Kind returns record.Expiry.
func (e *Expiry) Kind() record.Kind { return record.Expiry }

func (e *Expiry) fields(c *document.Codec) {
	document.Objects(c, "targets", &e.Targets, (*ExpiryTarget).fields)
	document.Word(c, "cause", &e.Cause)
	document.Word(c, "policy", &e.Policy)
}

func (t *ExpiryTarget) fields(c *document.Codec) {
	kindField(c, "kind", &t.Kind)
	positionField(c, &t.Position)
}

// Validate applies every rule.
func (e *Expiry) Validate() error { return validateControl(e) }

func (e *Expiry) rules(f *faults) {
	if f.Length("targets", len(e.Targets), 1, MaxTargets) {
		seen := make(positions, len(e.Targets))
		for i, t := range e.Targets {
			field := document.Indexed("targets", i)
			f.target(field+".kind", t.Kind)
			seen.once(f, field+".position", t.Position)
		}
	}
	document.OneOf(&f.Problems, "cause", e.Cause, "a cause", ExpiryCauses(), nil)
	switch {
	case e.Cause == CauseRetention:
		f.Name("policy", e.Policy, MaxID)
	case e.Policy != "":
		f.Add("policy", "is given, but the cause is not retention", "leave it out")
	}
}

// AppendJSON appends the expiry as compact JSON.
func (e *Expiry) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "expiry", e) }

// Transition is a change of an artifact's status.
type Transition struct {
	ArtifactID   string
	From         hmx.Status
	To           hmx.Status
	SupersededBy string // id of the successor, if and only if To is superseded
	Reason       string
}

// Kind returns record.Transition.
func (t *Transition) Kind() record.Kind { return record.Transition }

func (t *Transition) fields(c *document.Codec) {
	document.Word(c, "artifact_id", &t.ArtifactID)
	document.Word(c, "from", &t.From)
	document.Word(c, "to", &t.To)
	document.Word(c, "superseded_by", &t.SupersededBy)
	document.Word(c, "reason", &t.Reason)
}

// Validate applies every rule.
func (t *Transition) Validate() error { return validateControl(t) }

func (t *Transition) rules(f *faults) {
	f.Name("artifact_id", t.ArtifactID, MaxID)
	document.OneOf(&f.Problems, "from", t.From, "a status", hmx.Statuses(), nil)
	document.OneOf(&f.Problems, "to", t.To, "a status", hmx.Statuses(), nil)
	if !f.Blamed("from") && !f.Blamed("to") {
		if err := t.From.Transition(t.To); err != nil {
			f.AddErr(err, "to", "is "+string(t.To)+", which cannot follow "+string(t.From), "choose a status that can")
		}
	}
	switch {
	case t.To != hmx.StatusSuperseded:
		if t.SupersededBy != "" {
			f.Add("superseded_by", "is given, but the status is not to be superseded", "leave it out")
		}
	case f.Name("superseded_by", t.SupersededBy, MaxID) && t.SupersededBy == t.ArtifactID:
		f.Add("superseded_by", "is the artifact itself", "name its successor")
	}
	f.Prose("reason", t.Reason, MaxReason)
}

// AppendJSON appends the transition as compact JSON.
func (t *Transition) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "transition", t) }
