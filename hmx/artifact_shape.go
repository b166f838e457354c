package hmx

import (
	"math"

	"lukasa.dev/hmx/internal/shape"
)

var (
	fromOne    = &shape.Shape{Type: shape.Integer, Bounded: true, Min: 1, Max: math.MaxInt64}
	fromTwo    = &shape.Shape{Type: shape.Integer, Bounded: true, Min: 2, Max: math.MaxInt64}
	complexity = oneOf("low", "medium", "high")
)

// artifactShape is HMX-A sections 2 to 8 and 12, as far as a schema can express them.
var artifactShape = (&shape.Shape{
	Type: shape.Record, Closed: true, Unknown: "HMX-A/9",
	MaxBytes: MaxArtifactBytes, BytesRule: "HMX-A/12",
	Fields: []shape.Field{
		{Name: "hmx_version", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: hmxVersion},
		{Name: "artifact_id", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: id("Globally unique; UUIDv7 recommended")},
		{Name: "artifact_type", Rule: "HMX-A/3", Missing: "HMX-A/2.1", Shape: &shape.Shape{Type: shape.Text, Format: artifactTypeFormat}},
		{Name: "title", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: id("Human-readable title")},
		{Name: "summary", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: text("What this artifact captures")},
		{Name: "content", Rule: "HMX-A/4", Missing: "HMX-A/2.1", Shape: &shape.Shape{
			Type: shape.Record, MaxBytes: MaxArtifactContentBytes, BytesRule: "HMX-A/12", Doc: "Compiled knowledge; its fields depend on artifact_type"}},
		{Name: "confidence", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: fraction},
		{Name: "status", Rule: "HMX-A/5", Missing: "HMX-A/2.1", Shape: oneOf(statusNames()...)},
		{Name: "source_events", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: &shape.Shape{
			Type: shape.List, Items: anyText, MaxItems: MaxSourceEvents, BytesRule: "HMX-A/12", Doc: "Ids of the events it was compiled from"}},
		{Name: "source_memory_ids", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: texts},
		{Name: "version", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: fromOne},
		{Name: "created_at", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: dateTime},
		{Name: "content_hash", Rule: "HMX-A/8", Missing: "HMX-A/2.1", Shape: &shape.Shape{Type: shape.Text, Format: hashFormat}},
		{Name: "metadata", Rule: "HMX-A/2.1", Missing: "HMX-A/2.1", Shape: anyObject},
		{Name: "tenant_id", Rule: "HMX-A/2.2", Shape: anyText},
		{Name: "agent_id", Rule: "HMX-A/2.2", Shape: anyText},
		{Name: "superseded_by", Rule: "HMX-A/2.2", Shape: anyText},
		{Name: "supersedes", Rule: "HMX-A/2.2", Shape: anyText},
		{Name: "validity_scope", Rule: "HMX-A/6", Shape: open("HMX-A/6",
			shape.Field{Name: "tenant_ids", Shape: texts},
			shape.Field{Name: "agent_ids", Shape: texts},
			shape.Field{Name: "tags", Shape: texts},
			shape.Field{Name: "time_range", Shape: open("HMX-A/6",
				shape.Field{Name: "start", Shape: dateTime},
				shape.Field{Name: "end", Shape: dateTime})},
			shape.Field{Name: "conditions", Shape: texts})},
		{Name: "tags", Rule: "HMX-A/2.2", Shape: tags("HMX-A/12")},
		{Name: "observed_count", Rule: "HMX-A/2.2", Shape: count},
		{Name: "success_rate", Rule: "HMX-A/2.2", Shape: fraction},
		{Name: "updated_at", Rule: "HMX-A/2.2", Shape: dateTime},
	},
	Implies: []shape.Implication{
		{If: "superseded_by", Then: "status", Rule: "HMX-A/7.3", Shape: oneOf(string(StatusSuperseded))},
		{If: "supersedes", Then: "version", Rule: "HMX-A/2.1", Shape: fromTwo},
	},
	Switches: []shape.Switch{{On: "artifact_type", Target: "content", Cases: []shape.Case{
		{When: string(TypeTaskSchema), Rule: "HMX-A/4.1", Shape: open("HMX-A/4.1",
			shape.Field{Name: "steps", Shape: listOf(open("HMX-A/4.1",
				shape.Field{Name: "order", Shape: count},
				shape.Field{Name: "description", Shape: anyText},
				shape.Field{Name: "tools_used", Shape: texts},
				shape.Field{Name: "optional", Shape: anyBool}))},
			shape.Field{Name: "preconditions", Shape: texts},
			shape.Field{Name: "postconditions", Shape: texts},
			shape.Field{Name: "tools_used", Shape: texts},
			shape.Field{Name: "estimated_complexity", Shape: complexity})},
		{When: string(TypeFailurePlaybook), Rule: "HMX-A/4.2", Shape: open("HMX-A/4.2",
			shape.Field{Name: "failure_pattern", Shape: anyText},
			shape.Field{Name: "trigger_conditions", Shape: texts},
			shape.Field{Name: "symptoms", Shape: texts},
			shape.Field{Name: "recovery_steps", Shape: texts},
			shape.Field{Name: "prevention_strategies", Shape: texts},
			shape.Field{Name: "severity", Shape: oneOf("low", "medium", "high", "critical")})},
		{When: string(TypeDecisionPolicy), Rule: "HMX-A/4.3", Shape: open("HMX-A/4.3",
			shape.Field{Name: "condition", Shape: anyText},
			shape.Field{Name: "recommendation", Shape: anyText},
			shape.Field{Name: "alternatives", Shape: listOf(open("HMX-A/4.3",
				shape.Field{Name: "description", Shape: anyText},
				shape.Field{Name: "outcome", Shape: anyText},
				shape.Field{Name: "chosen_count", Shape: count},
				shape.Field{Name: "success_rate", Shape: fraction}))},
			shape.Field{Name: "outcomes", Shape: listOf(open("HMX-A/4.3",
				shape.Field{Name: "decision", Shape: anyText},
				shape.Field{Name: "outcome", Shape: anyText},
				shape.Field{Name: "positive", Shape: anyBool},
				shape.Field{Name: "source_memory_id", Shape: anyText}))},
			shape.Field{Name: "scope", Shape: texts})},
		{When: string(TypeCausalPattern), Rule: "HMX-A/4.4", Shape: open("HMX-A/4.4",
			shape.Field{Name: "cause", Shape: anyText},
			shape.Field{Name: "effect", Shape: anyText},
			shape.Field{Name: "direction", Shape: oneOf("forward", "bidirectional")},
			shape.Field{Name: "strength", Shape: fraction},
			shape.Field{Name: "conditions", Shape: texts},
			shape.Field{Name: "counterexamples", Shape: texts})},
		{When: string(TypeStrategyTemplate), Rule: "HMX-A/4.5", Shape: open("HMX-A/4.5",
			shape.Field{Name: "goal", Shape: anyText},
			shape.Field{Name: "phases", Shape: listOf(open("HMX-A/4.5",
				shape.Field{Name: "order", Shape: count},
				shape.Field{Name: "name", Shape: anyText},
				shape.Field{Name: "description", Shape: anyText},
				shape.Field{Name: "tools_used", Shape: texts},
				shape.Field{Name: "success_criteria", Shape: texts}))},
			shape.Field{Name: "applicability_conditions", Shape: texts},
			shape.Field{Name: "estimated_complexity", Shape: complexity})},
	}}},
}).Compile()
