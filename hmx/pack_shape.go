package hmx

import "lukasa.dev/hmx/internal/shape"

func names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// whole describes an object whose normative fields are all required; other members are kept.
func whole(rule string, fields ...shape.Field) *shape.Shape {
	for i := range fields {
		if fields[i].Rule == "" {
			fields[i].Rule = rule
		}
		fields[i].Missing = rule
	}
	return &shape.Shape{Type: shape.Record, Fields: fields}
}

// bySection is the table of HMX-C section 3.1: the source types of each section.
func bySection() []shape.Switch {
	var cases []shape.Case
	for _, s := range Sections() {
		cases = append(cases, shape.Case{When: string(s), Rule: "HMX-C/3.1", Shape: oneOf(names(s.SourceTypes())...)})
	}
	return []shape.Switch{{On: "section", Target: "source_type", Cases: cases}}
}

var (
	sectionName    = oneOf(names(Sections())...)
	sourceTypeName = oneOf(names(SourceTypes())...)
)

var entryShape = func() *shape.Shape {
	s := whole("HMX-C/3",
		shape.Field{Name: "section", Rule: "HMX-C/3.1", Shape: sectionName},
		shape.Field{Name: "content", Shape: anyText},
		shape.Field{Name: "source_id", Shape: nonEmpty},
		shape.Field{Name: "source_type", Rule: "HMX-C/3.2", Shape: sourceTypeName},
		shape.Field{Name: "relevance_score", Shape: anyNumber},
		shape.Field{Name: "token_estimate", Shape: count},
		shape.Field{Name: "rank", Shape: count},
		shape.Field{Name: "provenance", Shape: whole("HMX-C/3",
			shape.Field{Name: "origin", Shape: anyText},
			shape.Field{Name: "confidence", Shape: fraction},
			shape.Field{Name: "evidence_count", Shape: count})})
	s.Switches = bySection()
	return s
}()

var droppedShape = func() *shape.Shape {
	s := whole("HMX-C/8",
		shape.Field{Name: "source_id", Shape: nonEmpty},
		shape.Field{Name: "source_type", Rule: "HMX-C/3.2", Shape: sourceTypeName},
		shape.Field{Name: "section", Rule: "HMX-C/3.1", Shape: sectionName},
		shape.Field{Name: "relevance_score", Shape: anyNumber},
		shape.Field{Name: "token_estimate", Shape: count},
		shape.Field{Name: "drop_reason", Shape: oneOf(names(DropReasons())...)},
		shape.Field{Name: "rank", Shape: count})
	s.Switches = bySection()
	return s
}()

// packShape is HMX-C sections 2 to 8 and 12, as far as a schema can express them.
var packShape = (&shape.Shape{
	Type: shape.Record, Closed: true, Unknown: "HMX-C/2",
	MaxBytes: MaxPackBytes, BytesRule: "HMX-C/12",
	Fields: []shape.Field{
		{Name: "hmx_version", Rule: "HMX-C/2.1", Missing: "HMX-C/2.1", Shape: hmxVersion},
		{Name: "pack_id", Rule: "HMX-C/2.1", Missing: "HMX-C/2.1", Shape: id("Globally unique")},
		{Name: "query_context", Rule: "HMX-C/2.1", Missing: "HMX-C/2.1", Shape: text("The query or situation that triggered assembly")},
		{Name: "entries", Rule: "HMX-C/3", Missing: "HMX-C/2.1", Shape: &shape.Shape{
			Type: shape.List, Items: entryShape, MaxItems: MaxPackEntries, BytesRule: "HMX-C/12", Doc: "Context entries, in order"}},
		{Name: "token_budget", Rule: "HMX-C/4", Missing: "HMX-C/2.1", Shape: whole("HMX-C/4",
			shape.Field{Name: "total_budget", Shape: count},
			shape.Field{Name: "used", Shape: count},
			shape.Field{Name: "remaining", Shape: count},
			shape.Field{Name: "truncated", Shape: anyBool},
			shape.Field{Name: "section_budgets", Shape: &shape.Shape{
				Type: shape.Record, Names: names(Sections()), Unknown: "HMX-C/4", Values: whole("HMX-C/4",
					shape.Field{Name: "budget", Shape: count},
					shape.Field{Name: "used", Shape: count})}},
			shape.Field{Name: "dropped_count", Shape: count})},
		{Name: "assembly_metadata", Rule: "HMX-C/5", Missing: "HMX-C/2.1", Shape: whole("HMX-C/5",
			shape.Field{Name: "assembly_strategy", Shape: oneOf(names(Strategies())...)},
			shape.Field{Name: "ranking_weights", Shape: &shape.Shape{Type: shape.Record, Values: notBelow0}},
			shape.Field{Name: "retrieval_sources", Shape: texts},
			shape.Field{Name: "candidate_count", Shape: count},
			shape.Field{Name: "included_count", Shape: count},
			shape.Field{Name: "assembly_duration_ms", Shape: notBelow0},
			shape.Field{Name: "query_classification", Shape: whole("HMX-C/5",
				shape.Field{Name: "intent", Shape: anyText},
				shape.Field{Name: "keywords", Shape: texts},
				shape.Field{Name: "entities", Shape: texts},
				shape.Field{Name: "time_ref", Shape: &shape.Shape{Type: shape.Text, Nullable: true}})})},
		{Name: "created_at", Rule: "HMX-C/2.1", Missing: "HMX-C/2.1", Shape: dateTime},
		{Name: "metadata", Rule: "HMX-C/2.1", Missing: "HMX-C/2.1", Shape: anyObject},
		{Name: "tenant_id", Rule: "HMX-C/2.2", Shape: anyText},
		{Name: "agent_id", Rule: "HMX-C/2.2", Shape: anyText},
		{Name: "session_id", Rule: "HMX-C/2.2", Shape: anyText},
		{Name: "workflow_hints", Rule: "HMX-C/6", Shape: open("HMX-C/6",
			shape.Field{Name: "suggested_next_steps", Shape: &shape.Shape{
				Type: shape.List, MaxItems: MaxNextSteps, BytesRule: "HMX-C/12", Items: nextStepShape}},
			shape.Field{Name: "active_task_schema", Shape: anyText},
			shape.Field{Name: "current_step", Shape: count},
			shape.Field{Name: "total_steps", Shape: count},
			shape.Field{Name: "blockers", Shape: texts})},
		{Name: "decision_constraints", Rule: "HMX-C/7", Shape: &shape.Shape{
			Type: shape.List, MaxItems: MaxDecisionConstraints, BytesRule: "HMX-C/12", Items: whole("HMX-C/7",
				shape.Field{Name: "artifact_id", Shape: anyText},
				shape.Field{Name: "condition", Shape: anyText},
				shape.Field{Name: "constraint", Shape: anyText},
				shape.Field{Name: "confidence", Shape: fraction},
				shape.Field{Name: "override_allowed", Shape: anyBool})}},
		{Name: "dropped_entries", Rule: "HMX-C/8", Shape: &shape.Shape{
			Type: shape.List, MaxItems: MaxDroppedEntries, BytesRule: "HMX-C/12", Items: droppedShape}},
		{Name: "fingerprint_priors", Rule: "HMX-C/2.2", Shape: anyObject},
		{Name: "tags", Rule: "HMX-C/2.2", Shape: tags("HMX-C/12")},
	},
}).Compile()

var nextStepShape = func() *shape.Shape {
	s := open("HMX-C/6",
		shape.Field{Name: "description", Shape: anyText},
		shape.Field{Name: "artifact_id", Shape: anyText},
		shape.Field{Name: "confidence", Shape: fraction},
		shape.Field{Name: "tools", Shape: texts})
	s.Fields[0].Missing = "HMX-C/6"
	return s
}()
