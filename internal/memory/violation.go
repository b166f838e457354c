package memory

import (
	"crypto/sha256"
	"encoding/hex"

	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// MaxViolationTarget is the maximum length of a violation's target, in bytes.
const MaxViolationTarget = 512

// ViolationOp is the attempted operation.
type ViolationOp string

// The operations.
const (
	OpPut        ViolationOp = "put"
	OpForget     ViolationOp = "forget"
	OpRestore    ViolationOp = "restore"
	OpTransition ViolationOp = "transition"
	OpAppend     ViolationOp = "append" // events
	OpRedact     ViolationOp = "redact"
	OpExpire     ViolationOp = "expire"
	OpMint       ViolationOp = "mint"  // a scope
	OpEmbed      ViolationOp = "embed" // existing records, by an external model
	OpCompile    ViolationOp = "compile"
	OpRefine     ViolationOp = "refine" // titles of artifacts, by an external model
)

// ViolationOps lists the operations.
func ViolationOps() []ViolationOp {
	return []ViolationOp{OpPut, OpForget, OpRestore, OpTransition, OpAppend, OpRedact, OpExpire, OpMint, OpEmbed, OpCompile, OpRefine}
}

// ViolationRule is the rule that refused the operation.
type ViolationRule string

// The rules.
const (
	RuleReadOnly  ViolationRule = "read_only" // the scope is read-only
	RuleContent   ViolationRule = "content"   // the new content is out of scope
	RuleExisting  ViolationRule = "existing"  // the existing record is out of scope
	RuleCited     ViolationRule = "cited"     // a cited record is out of scope
	RuleTenant    ViolationRule = "tenant"    // it belongs to another tenant
	RuleAgent     ViolationRule = "agent"     // it is in another agent's name
	RuleOperation ViolationRule = "operation" // no scope permits the operation
)

// ViolationRules lists the rules.
func ViolationRules() []ViolationRule {
	return []ViolationRule{RuleReadOnly, RuleContent, RuleExisting, RuleCited, RuleTenant, RuleAgent, RuleOperation}
}

// Violation records that a caller with a scope tried to write what the scope does not allow.
// Only the engine writes it, and only the first of equal ones.
type Violation struct {
	ID      string // see [NewViolation]
	ScopeID string // of the token
	AgentID string // the agent it was granted to
	Op      ViolationOp
	Target  string // what was to be written, as the caller stated it: at most 512 harmless bytes
	Rule    ViolationRule
}

// NewViolation returns a violation whose id is derived from its fields. target may be any text;
// unsafe characters are replaced.
func NewViolation(scopeID, agentID string, op ViolationOp, target string, rule ViolationRule) *Violation {
	h := sha256.New()
	for _, part := range []string{"lukasa/violation/1", scopeID, agentID, string(op), target} {
		h.Write([]byte(part))
		h.Write([]byte{'\n'}) // none of the parts before the last contains one
	}
	return &Violation{
		ID: "violation-" + hex.EncodeToString(h.Sum(nil)[:16]), ScopeID: scopeID, AgentID: agentID,
		Op: op, Target: document.Harmless(target, MaxViolationTarget), Rule: rule,
	}
}

// Kind returns record.Violation.
func (v *Violation) Kind() record.Kind { return record.Violation }

// Identity returns the id; a violation has no key.
func (v *Violation) Identity() (id, key string) { return v.ID, "" }

// SetID sets the id.
func (v *Violation) SetID(id string) { v.ID = id }

func (v *Violation) fields(c *document.Codec) {
	document.Word(c, "id", &v.ID)
	document.Word(c, "scope_id", &v.ScopeID)
	document.Word(c, "agent_id", &v.AgentID)
	document.Word(c, "op", &v.Op)
	document.Word(c, "target", &v.Target)
	document.Word(c, "rule", &v.Rule)
}

// Normalize has nothing to do.
func (v *Violation) Normalize() {}

func (v *Violation) defaults() {}

func (v *Violation) order() {}

// Validate applies every rule.
func (v *Violation) Validate() error { return validate(v) }

func (v *Violation) rules(f *faults) {
	f.optID("id", v.ID)
	f.Name("scope_id", v.ScopeID, MaxID)
	f.Name("agent_id", v.AgentID, MaxID)
	document.OneOf(&f.Problems, "op", v.Op, "something that can be tried", ViolationOps(), nil)
	f.Name("target", v.Target, MaxViolationTarget)
	document.OneOf(&f.Problems, "rule", v.Rule, "something that can stand in the way", ViolationRules(), nil)
}

// Facets returns what indexes see. Its class is the scope, so that the violations of one scope
// can be listed and counted.
func (v *Violation) Facets() Facets {
	x := facets()
	x.Class, x.State, x.Agent = v.ScopeID, string(v.Op), v.AgentID
	return x
}

// AppendJSON appends the violation as compact JSON.
func (v *Violation) AppendJSON(dst []byte) ([]byte, error) { return encode(dst, "violation", v) }
