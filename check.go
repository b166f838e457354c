package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/guide"
)

// Check before acting. docs/check.md describes it.
type (
	// CheckOptions says which action is planned, and by whom.
	CheckOptions = engine.CheckOptions
	// Action is what is planned: a tool with its arguments, or a command line.
	Action = guide.Action
	// CheckedAction is what is known about an action before it is taken.
	CheckedAction = engine.CheckedAction
	// ActionLevel says how much speaks against an action.
	ActionLevel = guide.Level
	// ActionReason is one thing that speaks about an action.
	ActionReason = guide.Reason
	// ActionPlace is what is known of the directory where an action would be taken.
	ActionPlace = guide.Place
	// RuleFacts is what is known of a rule that a reason rests on.
	RuleFacts = guide.RuleFacts
	// ActionAdvice is something to do instead.
	ActionAdvice = guide.Advice
	// Doing is something that was done.
	Doing = guide.Doing
)

// How much speaks against an action.
const (
	ActionOK      = guide.OK
	ActionCaution = guide.Caution
	ActionWarn    = guide.Warn
	ActionStop    = guide.Stop
)

// CheckAction says what happened when an action or its like was taken before, which rules
// and artifacts speak against it, and what to do instead. It holds nobody back and writes
// nothing.
func (t *Tenant) CheckAction(ctx context.Context, o CheckOptions) (*CheckedAction, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.CheckAction(ctx, o)
}
