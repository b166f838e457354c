package cli

import (
	"fmt"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/scope"
)

// selectorsAnswer is what a block picks, as --json prints it.
type selectorsAnswer struct {
	All      bool     `json:"all,omitempty"`
	Pinned   bool     `json:"pinned,omitempty"`
	Types    []string `json:"types,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	IDs      []string `json:"ids,omitempty"`
	Frames   []string `json:"frames,omitempty"`
	Sections []string `json:"sections,omitempty"`
	Sessions []string `json:"sessions,omitempty"`
}

// grantAnswer is a block of a scope, as --json prints it.
type grantAnswer struct {
	By           string           `json:"by,omitempty"`
	To           string           `json:"to,omitempty"`
	Mode         scope.Mode       `json:"mode,omitempty"`
	Include      *selectorsAnswer `json:"include,omitempty"`
	Exclude      *selectorsAnswer `json:"exclude,omitempty"`
	BudgetTokens int              `json:"budget_tokens,omitempty"`
	NotBefore    string           `json:"not_before,omitempty"`
	ExpiresAt    string           `json:"expires_at,omitempty"`
	Trust        string           `json:"trust,omitempty"`
}

// scopeAnswer is a scope, as --json prints it.
type scopeAnswer struct {
	Token      string        `json:"token,omitempty"` // of mint and narrow alone
	Out        string        `json:"out,omitempty"`
	ID         string        `json:"id"`
	Tenant     string        `json:"tenant"`
	Grants     []grantAnswer `json:"grants"`
	Effective  grantAnswer   `json:"effective"`
	Sealed     bool          `json:"sealed"`
	Verified   *bool         `json:"verified,omitempty"`   // of inspect alone
	Unverified string        `json:"unverified,omitempty"` // why nobody was asked
	Problem    string        `json:"problem,omitempty"`    // why it is not good
}

// answerScope says what a token claims. What it comes to is what its last blocks
// say of each matter, since no block says more than those before it; what it
// shows is what every block shows.
func answerScope(grants []lukasa.Grant, sealed bool) scopeAnswer {
	a := scopeAnswer{Sealed: sealed, Grants: make([]grantAnswer, len(grants))}
	for i := range grants {
		g := &grants[i]
		if i == 0 {
			a.ID, a.Tenant, a.Effective.By = g.ID, g.Tenant, g.By
		}
		b := answerGrant(g)
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

func answerGrant(g *lukasa.Grant) grantAnswer {
	b := grantAnswer{
		By: g.By, To: g.To, Mode: g.Mode, Include: answerSelectors(g.Include), Exclude: answerSelectors(g.Exclude),
		BudgetTokens: g.BudgetTokens, NotBefore: instant(g.NotBefore), ExpiresAt: instant(g.Expires),
	}
	if g.Trust != 0 {
		b.Trust = g.Trust.String()
	}
	return b
}

func answerSelectors(x lukasa.Selectors) *selectorsAnswer {
	a := selectorsAnswer(x)
	if !a.All && !a.Pinned && len(a.picks()) == 0 {
		return nil
	}
	return &a
}

// picks says what the lists name, one phrase a list.
func (a *selectorsAnswer) picks() []string {
	var phrases []string
	for _, l := range []struct {
		name  string
		items []string
	}{
		{"type", a.Types}, {"tag", a.Tags}, {"id", a.IDs}, {"frame", a.Frames}, {"section", a.Sections}, {"session", a.Sessions},
	} {
		if len(l.items) > 0 {
			phrases = append(phrases, l.name+" "+strings.Join(l.items, " or "))
		}
	}
	return phrases
}

// sees says what is picked.
func (a *selectorsAnswer) sees() string {
	if a.All {
		return "everything"
	}
	listed := strings.Join(a.picks(), ", and ")
	switch {
	case !a.Pinned:
		return listed
	case listed == "":
		return "what is pinned"
	}
	return listed + "; and what is pinned"
}

// showScope prints a scope for a person, block by block and as a whole.
func (s *shell) showScope(a *scopeAnswer) {
	fmt.Fprintln(s.stdout, s.paint.bold(oneLine("scope "+a.ID+" of tenant "+a.Tenant)))
	for i := range a.Grants {
		g := &a.Grants[i]
		head := fmt.Sprintf("block %d, by %s", i+1, g.By)
		if g.To != "" {
			head += " to " + g.To
		}
		fmt.Fprintf(s.stdout, "\n%s\n", s.paint.bold(oneLine(head)))
		s.showGrant(g)
	}
	fmt.Fprintf(s.stdout, "\n%s\n", s.paint.bold("together"))
	s.showEffective(a)
	switch {
	case a.Verified != nil && *a.Verified:
		fmt.Fprintf(s.stdout, "\n%s: it is this board's, whole, and not over\n", s.paint.green("verified"))
	case a.Problem != "":
		fmt.Fprintf(s.stdout, "\n%s: %s\n", s.paint.red("not good"), oneLine(strings.TrimPrefix(a.Problem, "scope token: ")))
	default:
		fmt.Fprintf(s.stdout, "\n%s, all of this is a mere claim: %s\n", s.paint.yellow("not verified"), oneLine(a.Unverified))
	}
}

// showEffective prints what a scope comes to: it sees what every block lets it
// see.
func (s *shell) showEffective(a *scopeAnswer) {
	s.detail("agent", a.Effective.To)
	s.detail("may", string(a.Effective.Mode))
	label := "sees"
	for i := range a.Grants {
		if a.Grants[i].Include != nil {
			s.detail(label, a.Grants[i].Include.sees())
			label = "and only"
		}
	}
	for i := range a.Grants {
		if a.Grants[i].Exclude != nil {
			s.detail("but not", strings.Join(a.Grants[i].Exclude.picks(), ", or "))
		}
	}
	s.showBounds(&a.Effective)
	if a.Sealed {
		s.detail("sealed", "it cannot be narrowed further")
	}
}

// showGrant prints what a block says.
func (s *shell) showGrant(g *grantAnswer) {
	s.detail("may", string(g.Mode))
	if g.Include != nil {
		s.detail("sees", g.Include.sees())
	}
	if g.Exclude != nil {
		s.detail("but not", strings.Join(g.Exclude.picks(), ", or "))
	}
	s.showBounds(g)
}

// showBounds prints how much, how long and how far.
func (s *shell) showBounds(g *grantAnswer) {
	if g.BudgetTokens > 0 {
		s.detail("budget", counted(g.BudgetTokens, "token"))
	}
	s.detail("from", g.NotBefore)
	s.detail("until", g.ExpiresAt)
	if g.Trust != "" {
		s.detail("trust", g.Trust+" at most")
	}
}
