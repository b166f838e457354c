package show

import (
	"fmt"
	"strings"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
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

// Scope prints a scope for a person, block by block and as a whole.
func Scope(s *term.Screen, a *answer.Scope) {
	fmt.Fprintln(s.Stdout, s.Paint.Bold(term.OneLine("scope "+a.ID+" of tenant "+a.Tenant)))
	for i := range a.Grants {
		g := &a.Grants[i]
		head := fmt.Sprintf("block %d, by %s", i+1, g.By)
		if g.To != "" {
			head += " to " + g.To
		}
		fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Bold(term.OneLine(head)))
		showGrant(s, g)
	}
	fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Bold("together"))
	Effective(s, a)
	switch {
	case a.Verified != nil && *a.Verified:
		fmt.Fprintf(s.Stdout, "\n%s: it is this board's, whole, and not over\n", s.Paint.Green("verified"))
	case a.Problem != "":
		fmt.Fprintf(s.Stdout, "\n%s: %s\n", s.Paint.Red("not good"), term.OneLine(strings.TrimPrefix(a.Problem, "scope token: ")))
	default:
		fmt.Fprintf(s.Stdout, "\n%s, all of this is a mere claim: %s\n", s.Paint.Yellow("not verified"), term.OneLine(a.Unverified))
	}
}

// Effective prints what a scope comes to: it sees what every block lets it
// see.
func Effective(s *term.Screen, a *answer.Scope) {
	s.Detail("agent", a.Effective.To)
	s.Detail("may", string(a.Effective.Mode))
	label := "sees"
	for i := range a.Grants {
		if a.Grants[i].Include != nil {
			s.Detail(label, sees(a.Grants[i].Include))
			label = "and only"
		}
	}
	for i := range a.Grants {
		if a.Grants[i].Exclude != nil {
			s.Detail("but not", strings.Join(picks(a.Grants[i].Exclude), ", or "))
		}
	}
	showBounds(s, &a.Effective)
	if a.Sealed {
		s.Detail("sealed", "it cannot be narrowed further")
	}
}

// showGrant prints what a block says.
func showGrant(s *term.Screen, g *answer.Grant) {
	s.Detail("may", string(g.Mode))
	if g.Include != nil {
		s.Detail("sees", sees(g.Include))
	}
	if g.Exclude != nil {
		s.Detail("but not", strings.Join(picks(g.Exclude), ", or "))
	}
	showBounds(s, g)
}

// showBounds prints how much, how long and how far.
func showBounds(s *term.Screen, g *answer.Grant) {
	if g.BudgetTokens > 0 {
		s.Detail("budget", term.Counted(g.BudgetTokens, "token"))
	}
	s.Detail("from", g.NotBefore)
	s.Detail("until", g.ExpiresAt)
	if g.Trust != "" {
		s.Detail("trust", g.Trust+" at most")
	}
}
