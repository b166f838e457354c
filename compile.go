package lukasa

import (
	"context"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/guide"
)

// From what happened to what to do. docs/compile.md describes it.
type (
	// CompileOptions says how events become artifacts. The zero value works.
	CompileOptions = engine.CompileOptions
	// CompileReport says what a compile did, or would do.
	CompileReport = engine.CompileReport
	// CompileChange is one thing that a compile did.
	CompileChange = engine.CompileChange
	// CompileOp is what a compile does with something.
	CompileOp = engine.CompileOp
	// LearnReport says what Learn did.
	LearnReport = engine.LearnReport
	// CompileAfter says when a board compiles by itself.
	CompileAfter = engine.CompileAfter
	// NextOptions says whose next step is asked for.
	NextOptions = engine.NextOptions
	// NextSteps is what may come next, the likeliest first.
	NextSteps = engine.NextSteps
	// Suggestion is a tool that may come next, with how probable it is and why.
	Suggestion = guide.Suggestion
)

// What a compile does.
const (
	CompileCreate    = engine.CompileCreate
	CompileUpdate    = engine.CompileUpdate
	CompileSupersede = engine.CompileSupersede
	CompileActivate  = engine.CompileActivate
	CompileDeprecate = engine.CompileDeprecate
	CompileForget    = engine.CompileForget
	CompileSettle    = engine.CompileSettle
)

// How many next steps are suggested, unless said, and at most.
const (
	DefaultNextSteps = engine.DefaultNextSteps
	MaxNextSteps     = engine.MaxNextSteps
)

// Compile makes artifacts of what the sessions of the tenant did, memories of what
// users plainly stated, and conflicts of what contradicts itself. A second call without
// new events writes nothing. No scope may do it.
func (t *Tenant) Compile(ctx context.Context, o CompileOptions) (*CompileReport, error) {
	return t.engine.Compile(ctx, t.writer, t.name, o)
}

// Learn makes memories of what users plainly state in events that were appended just now,
// so that it binds from the next call on: the memories that a Compile would make. It reads
// what is new, not all sessions, and waits for no compile. Without ids all that is new
// counts. No scope may do it.
func (t *Tenant) Learn(ctx context.Context, eventIDs ...string) (*LearnReport, error) {
	return t.engine.Learn(ctx, t.writer, t.name, eventIDs...)
}

// ProjectCondition returns the condition of what holds in a project, for a view or a
// validity scope.
func ProjectCondition(id string) string { return engine.ProjectCondition(id) }

// NextStep returns the tools that a session may call next, by what it did so far and by
// the active artifacts, with how probable each is and why. It writes nothing.
func (t *Tenant) NextStep(ctx context.Context, o NextOptions) (*NextSteps, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.NextStep(ctx, o)
}

// StatedRule is a rule that a user stated, as the files of a directory have it.
type StatedRule = engine.StatedRule

// RulesOnDisk returns the rules that users of a tenant stated and that held when something was
// last learned, without opening the directory: for a caller that must not wait for the process
// that has it.
func RulesOnDisk(dir, tenant string) []StatedRule {
	return engine.RulesOnDisk(disk.OS(), dir, tenant)
}
