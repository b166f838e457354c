package excerpt

import (
	"encoding/json"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/record"
)

// MemoryRule returns the rule of a constraint.
func MemoryRule(h *catalog.Head, m *memory.Memory) pack.Rule {
	condition := learn.Always
	if len(m.Frames) > 0 {
		texts := make([]string, len(m.Frames))
		for i, f := range m.Frames {
			texts[i] = f.String()
		}
		condition = strings.Join(texts, "; ")
	}
	return pack.Rule{
		ID: m.ID, Source: hmx.SourcePolicy, Condition: condition, Constraint: m.Text, Confidence: h.Confidence,
		Strength: memory.Strength(h.Status), Trust: h.Trust,
	}
}

// PolicyRule returns the rule of a policy.
func PolicyRule(h *catalog.Head, b *memory.Policy) pack.Rule {
	return pack.Rule{
		ID: h.ID, Source: hmx.SourcePolicy, Condition: learn.ConditionOf(&b.Scope), Constraint: b.Text, Confidence: h.Confidence,
		Strength: b.Strength, Trust: h.Trust,
	}
}

// DecisionRule returns the rule of a compiled decision policy.
func DecisionRule(h *catalog.Head, a *hmx.Artifact, d hmx.DecisionPolicy) pack.Rule {
	condition, strength := d.Condition, memory.StrengthSoft
	if condition == "" {
		condition = learn.Always
	}
	if h.Trust >= record.User && fixed(a.Metadata) {
		strength = memory.StrengthHard
	}
	return pack.Rule{
		ID: h.ID, Source: hmx.SourceArtifact, Condition: condition, Constraint: d.Recommendation, Confidence: h.Confidence,
		Strength: strength, Trust: h.Trust,
	}
}

// ArtifactApplies reports whether an artifact's own scope applies to the caller.
func (p *Reading) ArtifactApplies(a *hmx.Artifact) bool {
	return access.Applies(p.View, &a.ValidityScope.Value, p.Tenant.Name, p.Tags, p.Now)
}

// Applies reports whether a record applies to the caller, apart from the time.
func (p *Reading) Applies(body memory.Body) bool {
	return access.AppliesBody(p.View, body, p.Tenant.Name, p.Tags, p.Now)
}

// fixed reports whether metadata says that a rule may not be overridden.
func fixed(metadata hmx.Raw) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal([]byte(metadata), &m) == nil && string(m["override_allowed"]) == "false"
}
