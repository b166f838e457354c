package lukasa

import (
	"context"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/guide"
)

// Compiling events into artifacts and memories. docs/compile.md describes it.
type (
	// CompileOptions configures a compile. The zero value works.
	CompileOptions = engine.CompileOptions
	// CompileReport is what a compile did, or would do.
	CompileReport = engine.CompileReport
	// CompileChange is one change of a compile.
	CompileChange = engine.CompileChange
	// CompileOp is the kind of a change.
	CompileOp = engine.CompileOp
	// LearnReport is the result of Learn.
	LearnReport = engine.LearnReport
	// CompileAfter says when a board compiles by itself.
	CompileAfter = engine.CompileAfter
	// NextOptions names the session whose next step is wanted.
	NextOptions = engine.NextOptions
	// NextSteps is the possible next steps, the likeliest first.
	NextSteps = engine.NextSteps
	// Suggestion is a possible next tool, with its probability and the reason.
	Suggestion = guide.Suggestion
)

// The kinds of changes.
const (
	CompileCreate    = engine.CompileCreate
	CompileUpdate    = engine.CompileUpdate
	CompileSupersede = engine.CompileSupersede
	CompileActivate  = engine.CompileActivate
	CompileDeprecate = engine.CompileDeprecate
	CompileForget    = engine.CompileForget
	CompileSettle    = engine.CompileSettle
)

// The default and the maximum number of suggested next steps.
const (
	DefaultNextSteps = engine.DefaultNextSteps
	MaxNextSteps     = engine.MaxNextSteps
)

// Compile makes artifacts from the sessions of the tenant, memories from the plain statements
// of users, and conflicts from contradictions. A second call without new events writes nothing.
// No scope permits it.
func (t *Tenant) Compile(ctx context.Context, o CompileOptions) (*CompileReport, error) {
	return t.engine.Compile(ctx, t.writer, t.name, o)
}

// Learn makes memories from the plain statements of users in events that were just appended, so
// that they bind from the next call on: the same memories that Compile would make. It reads
// only new events, not all sessions, and waits for no compile. Without ids, all new events
// count. No scope permits it.
func (t *Tenant) Learn(ctx context.Context, eventIDs ...string) (*LearnReport, error) {
	return t.engine.Learn(ctx, t.writer, t.name, eventIDs...)
}

// ProjectCondition returns the condition for a project, for a view or a validity scope.
func ProjectCondition(id string) string { return engine.ProjectCondition(id) }

// NextStep returns the tools that a session may call next, by its earlier steps and the active
// artifacts, with the probability of each and the reason. It writes nothing.
func (t *Tenant) NextStep(ctx context.Context, o NextOptions) (*NextSteps, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.NextStep(ctx, o)
}

// StatedRule is a rule that a user stated, as in the files of a directory.
type StatedRule = engine.StatedRule

// RulesOnDisk returns the rules that users of a tenant stated and that held when the board last
// learned, without opening the directory: for a caller that must not wait for the process that
// holds it.
func RulesOnDisk(dir, tenant string) []StatedRule {
	return engine.RulesOnDisk(disk.OS(), dir, tenant)
}
