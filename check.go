package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/guide"
)

// Checks before an action. docs/check.md describes them.
type (
	// CheckOptions is the planned action and its agent.
	CheckOptions = engine.CheckOptions
	// Action is a planned action: a tool with its arguments, or a command line.
	Action = guide.Action
	// CheckedAction is what is known about an action before it is taken.
	CheckedAction = engine.CheckedAction
	// ActionLevel is the severity of a verdict on an action.
	ActionLevel = guide.Level
	// ActionReason is one reason of a verdict.
	ActionReason = guide.Reason
	// ActionPlace is what is known about the directory of an action.
	ActionPlace = guide.Place
	// RuleFacts is what is known about the rule of a reason.
	RuleFacts = guide.RuleFacts
	// ActionAdvice is an alternative to an action.
	ActionAdvice = guide.Advice
	// Doing is an earlier action.
	Doing = guide.Doing
)

// The levels of a verdict.
const (
	ActionOK      = guide.OK
	ActionCaution = guide.Caution
	ActionWarn    = guide.Warn
	ActionStop    = guide.Stop
)

// CheckAction returns the outcomes of earlier actions like this one, the rules and artifacts
// against it, and alternatives. It blocks nothing and writes nothing.
func (t *Tenant) CheckAction(ctx context.Context, o CheckOptions) (*CheckedAction, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.CheckAction(ctx, o)
}
