package answer

import (
	"lukasa.dev"
)

// Selectors are the selectors of a block of a scope.
type Selectors struct {
	All      bool     `json:"all,omitempty"`
	Pinned   bool     `json:"pinned,omitempty"`
	Types    []string `json:"types,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	IDs      []string `json:"ids,omitempty"`
	Frames   []string `json:"frames,omitempty"`
	Sections []string `json:"sections,omitempty"`
	Sessions []string `json:"sessions,omitempty"`
}

// Grant is a block of a scope.
type Grant struct {
	By           string           `json:"by,omitempty"`
	To           string           `json:"to,omitempty"`
	Mode         lukasa.ScopeMode `json:"mode,omitempty"`
	Include      *Selectors       `json:"include,omitempty"`
	Exclude      *Selectors       `json:"exclude,omitempty"`
	BudgetTokens int              `json:"budget_tokens,omitempty"`
	NotBefore    string           `json:"not_before,omitempty"`
	ExpiresAt    string           `json:"expires_at,omitempty"`
	Trust        string           `json:"trust,omitempty"`
}

// Scope is what a scope claims.
type Scope struct {
	Token      string  `json:"token,omitempty"` // only of a new one
	Out        string  `json:"out,omitempty"`
	ID         string  `json:"id"`
	Tenant     string  `json:"tenant"`
	Grants     []Grant `json:"grants"`
	Effective  Grant   `json:"effective"`
	Sealed     bool    `json:"sealed"`
	Verified   *bool   `json:"verified,omitempty"`   // set if it was verified
	Unverified string  `json:"unverified,omitempty"` // why it was not verified
	Problem    string  `json:"problem,omitempty"`    // why it is not valid
}

// ScopeOf returns what a token claims. The last block that sets a field determines it, since no
// block allows more than those before it; the token shows what every block shows.
func ScopeOf(grants []lukasa.Grant, sealed bool) *Scope {
	a := &Scope{Sealed: sealed, Grants: make([]Grant, len(grants))}
	for i := range grants {
		g := &grants[i]
		if i == 0 {
			a.ID, a.Tenant, a.Effective.By = g.ID, g.Tenant, g.By
		}
		b := grantOf(g)
		a.Grants[i] = b
		e := &a.Effective
		for _, word := range []struct{ to, from *string }{{&e.To, &b.To}, {&e.NotBefore, &b.NotBefore}, {&e.ExpiresAt, &b.ExpiresAt}, {&e.Trust, &b.Trust}} {
			if *word.from != "" {
				*word.to = *word.from
			}
		}
		if b.Mode != "" {
			e.Mode = b.Mode
		}
		if b.BudgetTokens > 0 {
			e.BudgetTokens = b.BudgetTokens
		}
	}
	return a
}

func grantOf(g *lukasa.Grant) Grant {
	b := Grant{
		By: g.By, To: g.To, Mode: g.Mode, Include: selectorsOf(g.Include), Exclude: selectorsOf(g.Exclude),
		BudgetTokens: g.BudgetTokens, NotBefore: Instant(g.NotBefore), ExpiresAt: Instant(g.Expires),
	}
	if g.Trust != 0 {
		b.Trust = g.Trust.String()
	}
	return b
}

// selectorsOf converts selectors, and returns nil for those that select nothing.
func selectorsOf(x lukasa.Selectors) *Selectors {
	a := Selectors(x)
	listed := len(a.Types) + len(a.Tags) + len(a.IDs) + len(a.Frames) + len(a.Sections) + len(a.Sessions)
	if !a.All && !a.Pinned && listed == 0 {
		return nil
	}
	return &a
}
