package bundle

import (
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// Tier is a part of a bundle.
type Tier string

// The tiers.
const (
	// TierPinned is the agent's identity, hard constraints and goals.
	TierPinned Tier = "pinned"
	// TierFrameRelevant is what matters for this action on this object.
	TierFrameRelevant Tier = "frame_relevant"
	// TierOutcomes is the outcomes of earlier such actions.
	TierOutcomes Tier = "outcomes"
)

// Tiers lists the tiers in the order of a bundle.
func Tiers() []Tier { return []Tier{TierPinned, TierFrameRelevant, TierOutcomes} }

// Defaults and limits.
const (
	DefaultBudgetTokens = 3000 // where no budget is given
	MaxBudgetTokens     = 4000 // higher budgets are lowered to this
	DefaultOutcomeLimit = 3    // where no limit is given
	MaxOutcomeLimit     = 64   // higher limits are lowered to this
	MaxReachableURIs    = 64
)

// Options configures a bundle. The zero value works.
type Options struct {
	BudgetTokens int         // zero means DefaultBudgetTokens
	OutcomeLimit int         // zero means DefaultOutcomeLimit
	IncludeTiers []Tier      // none means all
	Form         memory.Form // empty means medium
}

// Normalize returns the options with defaults filled in and values above their limit lowered to
// it. It refuses invalid values. It is idempotent.
func (o Options) Normalize() (Options, error) {
	switch {
	case o.BudgetTokens < 0:
		return o, fault.Newf(fault.InvalidArgument, "budget_tokens: %d is less than nothing", o.BudgetTokens).
			WithFix(fmt.Sprintf("give 1 to %d tokens, or 0 for the default %d", MaxBudgetTokens, DefaultBudgetTokens))
	case o.OutcomeLimit < 0:
		return o, fault.Newf(fault.InvalidArgument, "outcome_limit: %d is less than nothing", o.OutcomeLimit).
			WithFix(fmt.Sprintf("give 1 to %d, or 0 for the default %d; include_tiers leaves outcomes out", MaxOutcomeLimit, DefaultOutcomeLimit))
	}
	for i, tier := range o.IncludeTiers {
		if !slices.Contains(Tiers(), tier) {
			return o, fault.Newf(fault.InvalidArgument, "include_tiers[%d]: %s is not a tier", i, shown(string(tier))).
				WithFix("use " + tierNames())
		}
	}
	if o.Form == "" {
		o.Form = memory.FormMedium
	}
	if _, err := memory.ParseForm(string(o.Form)); err != nil {
		return o, err
	}
	if o.BudgetTokens == 0 {
		o.BudgetTokens = DefaultBudgetTokens
	}
	if o.OutcomeLimit == 0 {
		o.OutcomeLimit = DefaultOutcomeLimit
	}
	o.BudgetTokens, o.OutcomeLimit = min(o.BudgetTokens, MaxBudgetTokens), min(o.OutcomeLimit, MaxOutcomeLimit)
	return o, nil
}

// Includes reports whether a tier is wanted.
func (o Options) Includes(t Tier) bool {
	return len(o.IncludeTiers) == 0 || slices.Contains(o.IncludeTiers, t)
}

// Capped returns normalised options with a budget of at most the given number of tokens; 0
// means no limit.
func (o Options) Capped(tokens int) Options {
	if tokens > 0 {
		o.BudgetTokens = min(o.BudgetTokens, tokens)
	}
	return o
}

// ParseTier returns the tier called name.
func ParseTier(name string) (Tier, error) {
	if !slices.Contains(Tiers(), Tier(name)) {
		return "", fault.Newf(fault.InvalidArgument, "tier: %s is not a tier", shown(name)).WithFix("use " + tierNames())
	}
	return Tier(name), nil
}

func tierNames() string {
	names := make([]string, len(Tiers()))
	for i, t := range Tiers() {
		names[i] = string(t)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// shown quotes a name for an error, short and with hidden characters written out.
func shown(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%+q… (%d bytes)", s[:most], len(s))
	}
	return fmt.Sprintf("%+q", s)
}
