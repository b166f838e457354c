package answer

import (
	"time"

	"lukasa.dev"
)

// Check is what is known about an action before it is taken.
type Check struct {
	Level       string         `json:"level"`
	Tool        string         `json:"tool"`
	Shape       string         `json:"shape"`
	Same        bool           `json:"same"`
	Tried       int            `json:"tried"`
	Went        int            `json:"went"`
	SuccessRate *float64       `json:"success_rate"`
	Judged      int            `json:"judged"`
	Succeeded   int            `json:"succeeded"`
	Last        *CheckLast     `json:"last"`
	Reasons     []CheckReason  `json:"reasons"`
	Instead     []CheckInstead `json:"instead"`
	Behind      CheckBasis     `json:"behind"`
}

// CheckBasis is the basis of a verdict.
type CheckBasis struct {
	Past      int  `json:"past"`
	More      bool `json:"more"`
	Rules     int  `json:"rules"`
	Artifacts int  `json:"artifacts"`
}

// CheckLast is the last occurrence of an action.
type CheckLast struct {
	Time  string `json:"time"`
	Went  bool   `json:"went"`
	Error string `json:"error,omitempty"`
	Event string `json:"event,omitempty"`
}

// CheckReason is one reason for a verdict.
type CheckReason struct {
	Level  string `json:"level"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"`
	Quote  string `json:"quote,omitempty"`
	// Rule is its rule, and Refusal the answer if the action is refused.
	Rule    *CheckRule `json:"rule,omitempty"`
	Refusal string     `json:"refusal,omitempty"`
}

// CheckRule is a rule about an action.
type CheckRule struct {
	Text     string `json:"text"`
	Strength string `json:"strength"`
	StatedBy string `json:"stated_by,omitempty"`
	StatedAt string `json:"stated_at,omitempty"`
	Scope    string `json:"scope,omitempty"`
	Lift     string `json:"lift"`
}

// CheckInstead is an alternative.
type CheckInstead struct {
	Text   string `json:"text"`
	Tool   string `json:"tool,omitempty"`
	Source string `json:"source,omitempty"`
}

// CheckOf converts a checked action.
func CheckOf(v *lukasa.CheckedAction) *Check {
	a := &Check{
		Level: v.Level.String(), Tool: v.Tool, Shape: v.Shape, Same: v.Same, Tried: v.Tried, Went: v.Went, Judged: v.Judged, Succeeded: v.Succeeded,
		Reasons: []CheckReason{}, Instead: []CheckInstead{}, Behind: CheckBasis{v.Past, v.More, v.Rules, v.Artifacts},
	}
	if rate := v.SuccessRate(); rate.Set {
		a.SuccessRate = &rate.Value
	}
	if d := v.Last; d != nil {
		a.Last = &CheckLast{Time: Instant(time.UnixMilli(d.Time)), Went: d.Went(), Error: d.Error, Event: d.Event}
	}
	for _, r := range v.Reasons {
		x := CheckReason{Level: r.Level.String(), Text: r.Text, Source: r.Source, Quote: r.Quote, Rule: checkRuleOf(r.Rule)}
		if r.Level >= lukasa.ActionWarn {
			x.Refusal = r.Refusal()
		}
		a.Reasons = append(a.Reasons, x)
	}
	for _, x := range v.Instead {
		a.Instead = append(a.Instead, CheckInstead(x))
	}
	return a
}

// checkRuleOf converts the facts about a rule.
func checkRuleOf(f *lukasa.RuleFacts) *CheckRule {
	if f == nil {
		return nil
	}
	r := &CheckRule{Text: f.Text, Strength: string(f.Strength), StatedBy: f.By, Scope: f.Scope, Lift: f.Lift()}
	if f.Said != 0 {
		r.StatedAt = Instant(time.UnixMilli(f.Said))
	}
	return r
}
