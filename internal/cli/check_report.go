package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
)

// showCheck prints a verdict: how much speaks against the action, what, and what to do
// instead. Texts of tools stand between quotes.
func (s *shell) showCheck(planned *lukasa.Action, a *answer.Check) {
	what := planned.Command
	if what == "" {
		what = planned.Tool
		if planned.Arguments != "" {
			what += " " + planned.Arguments
		}
	}
	fmt.Fprintf(s.stdout, "%s  %s\n", s.levelWord(a.Level), s.paint.bold(preview(what, 100)))
	s.detail("shape", a.Shape)
	stopped := a.Level == lukasa.ActionStop.String()
	if !stopped { // what went well before is no argument against a rule
		s.detail("before", beforeLine(a))
	}
	if d := a.Last; d != nil && !(stopped && d.Went) {
		how := "it succeeded"
		if !d.Went {
			how = "it failed"
		}
		s.detail("last", d.Time+", "+how)
	}
	for i, r := range a.Reasons {
		if i == 0 {
			fmt.Fprintln(s.stdout, "\nwhat is known")
		}
		fmt.Fprintf(s.stdout, "  %s %s\n", s.levelWord(fmt.Sprintf("%-8s", r.Level)), oneLine(r.Text))
		s.showRule(&r)
		s.showBasis(r.Quote, r.Source)
	}
	for i, x := range a.Instead {
		if i == 0 {
			fmt.Fprintln(s.stdout, "\ninstead, or before it")
		}
		fmt.Fprintf(s.stdout, "  %-8s %s\n", "", oneLine(x.Text))
		s.showBasis("", x.Source)
	}
	if len(a.Reasons)+len(a.Instead) > 0 {
		fmt.Fprintln(s.stdout)
	}
	past := counted(a.Behind.Past, "past action")
	if a.Behind.More {
		past = "the newest " + past
	}
	s.detail("behind", past+", "+counted(a.Behind.Rules, "rule")+", "+counted(a.Behind.Artifacts, "active artifact"))
}

// showRule prints who stated the rule that a reason rests on, where it holds and how it is
// lifted.
func (s *shell) showRule(r *answer.CheckReason) {
	if r.Rule == nil {
		return
	}
	line := ""
	if r.Rule.StatedBy != "" {
		line = "stated by " + r.Rule.StatedBy
	}
	if at, _, ok := strings.Cut(r.Rule.StatedAt, "T"); ok {
		line = strings.TrimSpace(cmp.Or(line, "stated") + " on " + at)
	}
	if r.Rule.Scope != "" {
		line = strings.TrimPrefix(line+", for "+r.Rule.Scope, ", ")
	}
	if line != "" {
		fmt.Fprintf(s.stdout, "  %-8s %s\n", "", oneLine(line))
	}
	if r.Refusal != "" {
		fmt.Fprintf(s.stdout, "  %-8s to lift it: %s\n", "", strconv.Quote(preview(r.Rule.Lift, 160)))
	}
}

// showBasis prints what a line rests on.
func (s *shell) showBasis(quote, source string) {
	if quote != "" {
		fmt.Fprintf(s.stdout, "  %-8s %s\n", "", strconv.Quote(preview(quote, 160)))
	}
	if source != "" {
		fmt.Fprintf(s.stdout, "  %-8s %s\n", "", s.paint.dim(oneLine(source)))
	}
}

// beforeLine says how it went before.
func beforeLine(a *answer.Check) string {
	if a.Tried == 0 {
		return "no result of this or a similar action is on record"
	}
	kin := "a similar action was"
	if a.Same {
		kin = "it was"
	}
	line := fmt.Sprintf("%s taken %s, %s succeeded", kin, counted(a.Tried, "time"), thousands(a.Went))
	if a.Judged > 0 {
		line += fmt.Sprintf("; %s of %s were in tasks that succeeded", thousands(a.Succeeded), thousands(a.Judged))
	}
	return line
}

// levelWord colours the name of a level, which may have blanks behind it.
func (s *shell) levelWord(word string) string {
	switch word[:2] {
	case "ok":
		return s.paint.green(word)
	case "st":
		return s.paint.red(word)
	}
	return s.paint.yellow(word)
}
