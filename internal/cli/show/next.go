package show

import (
	"fmt"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
)

// Next prints what may come next.
func Next(s *term.Screen, a *answer.Next) {
	if len(a.Suggestions) == 0 {
		fmt.Fprintln(s.Stdout, "nothing is suggested")
		if a.Artifacts == 0 {
			s.Detail("why", "there are no active artifacts; `lukasa compile` makes them of what happened")
		}
		return
	}
	for _, x := range a.Suggestions {
		fmt.Fprintf(s.Stdout, "%3.0f%%  %s\n", 100*x.Probability, s.Paint.Bold(term.OneLine(x.Tool)))
		fmt.Fprintf(s.Stdout, "      %s\n", term.OneLine(x.Reason))
	}
	s.Detail("behind", term.Counted(a.Steps, "step")+" of the task, by "+term.Counted(a.Artifacts, "active artifact"))
}
