package show

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
)

// Check prints a verdict: the level, the reasons, and what to do instead. Texts of tools are
// in quotes.
func Check(s *term.Screen, planned *lukasa.Action, a *answer.Check) {
	what := planned.Command
	if what == "" {
		what = planned.Tool
		if planned.Arguments != "" {
			what += " " + planned.Arguments
		}
	}
	fmt.Fprintf(s.Stdout, "%s  %s\n", levelWord(s, a.Level), s.Paint.Bold(term.Preview(what, 100)))
	s.Detail("shape", a.Shape)
	stopped := a.Level == lukasa.ActionStop.String()
	if !stopped { // what went well before is no argument against a rule
		s.Detail("before", beforeLine(a))
	}
	if d := a.Last; d != nil && !(stopped && d.Went) {
		how := "it succeeded"
		if !d.Went {
			how = "it failed"
		}
		s.Detail("last", d.Time+", "+how)
	}
	for i, r := range a.Reasons {
		if i == 0 {
			fmt.Fprintln(s.Stdout, "\nwhat is known")
		}
		fmt.Fprintf(s.Stdout, "  %s %s\n", levelWord(s, fmt.Sprintf("%-8s", r.Level)), term.OneLine(r.Text))
		showRule(s, &r)
		showBasis(s, r.Quote, r.Source)
	}
	for i, x := range a.Instead {
		if i == 0 {
			fmt.Fprintln(s.Stdout, "\ninstead, or before it")
		}
		fmt.Fprintf(s.Stdout, "  %-8s %s\n", "", term.OneLine(x.Text))
		showBasis(s, "", x.Source)
	}
	if len(a.Reasons)+len(a.Instead) > 0 {
		fmt.Fprintln(s.Stdout)
	}
	past := term.Counted(a.Behind.Past, "past action")
	if a.Behind.More {
		past = "the newest " + past
	}
	s.Detail("behind", past+", "+term.Counted(a.Behind.Rules, "rule")+", "+term.Counted(a.Behind.Artifacts, "active artifact"))
}

// showRule prints who stated the rule of a reason, where it holds and how to lift it.
func showRule(s *term.Screen, r *answer.CheckReason) {
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
		fmt.Fprintf(s.Stdout, "  %-8s %s\n", "", term.OneLine(line))
	}
	if r.Refusal != "" {
		fmt.Fprintf(s.Stdout, "  %-8s to lift it: %s\n", "", strconv.Quote(term.Preview(r.Rule.Lift, 160)))
	}
}

// showBasis prints the source of a line.
func showBasis(s *term.Screen, quote, source string) {
	if quote != "" {
		fmt.Fprintf(s.Stdout, "  %-8s %s\n", "", strconv.Quote(term.Preview(quote, 160)))
	}
	if source != "" {
		fmt.Fprintf(s.Stdout, "  %-8s %s\n", "", s.Paint.Dim(term.OneLine(source)))
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
	line := fmt.Sprintf("%s taken %s, %s succeeded", kin, term.Counted(a.Tried, "time"), term.Thousands(a.Went))
	if a.Judged > 0 {
		line += fmt.Sprintf("; %s of %s were in tasks that succeeded", term.Thousands(a.Succeeded), term.Thousands(a.Judged))
	}
	return line
}

// levelWord colours the name of a level, which may have blanks behind it.
func levelWord(s *term.Screen, word string) string {
	switch word[:2] {
	case "ok":
		return s.Paint.Green(word)
	case "st":
		return s.Paint.Red(word)
	}
	return s.Paint.Yellow(word)
}
