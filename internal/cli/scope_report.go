package cli

import (
	"fmt"
	"strings"

	"lukasa.dev/internal/answer"
)

// picks says what the lists name, one phrase a list.
func picks(a *answer.Selectors) []string {
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
func sees(a *answer.Selectors) string {
	if a.All {
		return "everything"
	}
	listed := strings.Join(picks(a), ", and ")
	switch {
	case !a.Pinned:
		return listed
	case listed == "":
		return "what is pinned"
	}
	return listed + "; and what is pinned"
}

// showScope prints a scope for a person, block by block and as a whole.
func (s *shell) showScope(a *answer.Scope) {
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
func (s *shell) showEffective(a *answer.Scope) {
	s.detail("agent", a.Effective.To)
	s.detail("may", string(a.Effective.Mode))
	label := "sees"
	for i := range a.Grants {
		if a.Grants[i].Include != nil {
			s.detail(label, sees(a.Grants[i].Include))
			label = "and only"
		}
	}
	for i := range a.Grants {
		if a.Grants[i].Exclude != nil {
			s.detail("but not", strings.Join(picks(a.Grants[i].Exclude), ", or "))
		}
	}
	s.showBounds(&a.Effective)
	if a.Sealed {
		s.detail("sealed", "it cannot be narrowed further")
	}
}

// showGrant prints what a block says.
func (s *shell) showGrant(g *answer.Grant) {
	s.detail("may", string(g.Mode))
	if g.Include != nil {
		s.detail("sees", sees(g.Include))
	}
	if g.Exclude != nil {
		s.detail("but not", strings.Join(picks(g.Exclude), ", or "))
	}
	s.showBounds(g)
}

// showBounds prints how much, how long and how far.
func (s *shell) showBounds(g *answer.Grant) {
	if g.BudgetTokens > 0 {
		s.detail("budget", counted(g.BudgetTokens, "token"))
	}
	s.detail("from", g.NotBefore)
	s.detail("until", g.ExpiresAt)
	if g.Trust != "" {
		s.detail("trust", g.Trust+" at most")
	}
}
