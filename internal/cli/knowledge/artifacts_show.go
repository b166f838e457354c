package knowledge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
)

func artifactsShowCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	c := &cobra.Command{
		Use:   "show ID|URI",
		Short: "Show an artifact, and what stands behind it",
		Long: `Show what an artifact says: a procedure as a checklist, a playbook as symptoms, recovery and
prevention, a policy as what was chosen how often and how that went, a causal pattern
with the events that speak against it, a strategy as its phases.

Below stands what it rests on: how many events it was made of and whether they are all
on record, how sure it is, how far it is trusted, whether its content has the hash that
it states, who made it, what became of it and why, and what contradicts it. A title that a
language model wrote (lukasa refine) stands above the artifact's own, with the model.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts show $(lukasa artifacts list --type decision_policy --ids --limit 1)
  lukasa artifacts show $(lukasa artifacts list --ids --limit 1) --json`,
		Args: ask.OneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.Visit(c, &flags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
			t, id, err := ofKind(ctx, v, args[0], lukasa.ArtifactKind, false)
			if err != nil {
				return err
			}
			d, err := t.Artifact(ctx, id, lukasa.View{})
			if err != nil {
				return err
			}
			if s.JSON {
				return s.WriteJSON(answer.ArtifactOf(d))
			}
			ShowArtifact(s, d)
			return nil
		})
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	return c
}

// ShowArtifact prints an artifact for a person: what it says, then what it rests on.
func ShowArtifact(s *ask.Shell, d *lukasa.ArtifactDetail) {
	a := d.Artifact
	if x := d.Refined; x != nil {
		fmt.Fprintf(s.Stdout, "%s (by %s)\n", s.Paint.Bold(term.OneLine(x.Title)), term.OneLine(x.Model))
		s.Paragraph(x.Summary, 2)
		fmt.Fprintln(s.Stdout)
	}
	fmt.Fprintf(s.Stdout, "%s\n", s.Paint.Bold(term.OneLine(a.Title)))
	s.Paragraph(a.Summary, 2)
	showContent(s, a)
	fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Bold(d.URI.String()))
	s.Detail("type", string(a.ArtifactType)+", version "+fmt.Sprint(a.Version))
	showStatus(s, d)
	s.Detail("evidence", evidenceText(d))
	s.Detail("confidence", fmt.Sprintf("%.3f", a.Confidence))
	s.Detail("trust", d.Trust.String())
	hash := a.ContentHash + ", verified"
	if !d.HashVerified {
		hash = s.Paint.Red("not that of the content: " + a.ContentHash)
	}
	s.Detail("hash", hash)
	s.Detail("observed", observedText(a))
	s.Detail("made", madeText(d))
	s.Detail("supersedes", a.Supersedes.Or(""))
	s.Detail("next", a.SupersededBy.Or(""))
	s.Detail("tags", strings.Join(a.Tags, ", "))
	for _, u := range d.Conflicts {
		s.Detail("conflict", u.String())
	}
}

// showStatus prints what became of an artifact last, and why.
func showStatus(s *ask.Shell, d *lukasa.ArtifactDetail) {
	text := string(d.Artifact.Status)
	if n := len(d.Changes); n > 0 {
		last := d.Changes[n-1]
		text += " since " + term.Moment(last.Time) + ", by " + last.Actor
		if last.Reason != "" {
			text += ": " + last.Reason
		}
	}
	s.Detail("status", text)
	if d.Artifact.Status == hmx.StatusDraft {
		s.Detail("waits", "for more evidence, or for `lukasa artifacts approve` or `deprecate`")
	}
}

// evidenceText says what an artifact was made of, and whether that is there.
func evidenceText(d *lukasa.ArtifactDetail) string {
	text := term.Counted(d.Events, "event")
	if d.Memories == 1 {
		text += " and 1 memory"
	} else if d.Memories > 1 {
		text += " and " + term.Thousands(d.Memories) + " memories"
	}
	switch {
	case d.Events+d.Memories == 0:
		return "none"
	case d.MissingCount == 0:
		return text + ", all on record"
	}
	return fmt.Sprintf("%s, %s of them not on record, such as %s", text, term.Thousands(d.MissingCount), d.Missing[0])
}

// observedText says how often it was seen, and how that went.
func observedText(a *hmx.Artifact) string {
	if !a.ObservedCount.Set {
		return ""
	}
	text := term.Counted(int(a.ObservedCount.Value), "time")
	if n, ok := number(hmx.Extra{"m": memberOf(a.Metadata, "counted")}, "m"); ok && int64(n) != a.ObservedCount.Value {
		text += ", of which content counts " + term.Thousands(n)
	}
	if a.SuccessRate.Set {
		text += fmt.Sprintf("; %.0f%% of the tasks that were judged succeeded", 100*a.SuccessRate.Value)
	}
	return text
}

// memberOf returns a member of a JSON object, or nothing.
func memberOf(object hmx.Raw, name string) hmx.Raw {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(object), &m) != nil {
		return ""
	}
	return hmx.Raw(m[name])
}

// madeText says who made an artifact, when and of what.
func madeText(d *lukasa.ArtifactDetail) string {
	text := term.Moment(d.Recorded) + " by " + d.Actor
	var key string
	if json.Unmarshal([]byte(memberOf(d.Artifact.Metadata, "key")), &key) == nil && key != "" {
		text += ", of " + key
	}
	return text
}

// number returns a whole number among the members that HMX-A has no name for.
func number(of hmx.Extra, name string) (int, bool) {
	var n int
	if raw := of[name]; raw == "" || json.Unmarshal([]byte(raw), &n) != nil {
		return 0, false
	}
	return n, true
}

// showContent prints what an artifact says, by its type.
func showContent(s *ask.Shell, a *hmx.Artifact) {
	if c, ok := a.TaskSchema(); ok {
		showSchema(s, &c)
	} else if c, ok := a.FailurePlaybook(); ok {
		showPlaybook(s, &c)
	} else if c, ok := a.DecisionPolicy(); ok {
		showPolicy(s, &c)
	} else if c, ok := a.CausalPattern(); ok {
		showPattern(s, &c)
	} else if c, ok := a.StrategyTemplate(); ok {
		showStrategy(s, &c)
	} else {
		fmt.Fprintf(s.Stdout, "\n%s\n", term.Indented([]byte(a.Content)))
	}
}

// heading prints the name of a part, if there is one.
func heading(s *ask.Shell, name string) { fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Dim(name)) }

// listing prints a part that is a list.
func listing(s *ask.Shell, name, mark string, list []string) {
	if len(list) == 0 {
		return
	}
	heading(s, name)
	for i, text := range list {
		bullet := mark
		if mark == "1" {
			bullet = fmt.Sprintf("%d.", i+1)
		}
		item(s, bullet, text)
	}
}

// item prints a text behind a mark, wrapped.
func item(s *ask.Shell, mark, text string) {
	indent := 2 + len(mark) + 1
	for i, line := range term.Wrapped(strings.Join(strings.Fields(text), " "), s.Measure()-indent) {
		if i == 0 {
			fmt.Fprintf(s.Stdout, "  %s %s\n", mark, line)
			continue
		}
		fmt.Fprintf(s.Stdout, "%s%s\n", strings.Repeat(" ", indent), line)
	}
}

// showSchema prints a procedure as a checklist.
func showSchema(s *ask.Shell, c *hmx.TaskSchema) {
	listing(s, "before", "-", c.Preconditions)
	heading(s, "steps")
	all, counts := number(c.Extra, "count")
	for i, step := range c.Steps {
		mark, note := "[ ]", []string{}
		if step.Optional.Or(false) {
			mark, note = "[?]", append(note, "optional")
		}
		if n, ok := number(step.Extra, "tasks"); ok && counts {
			note = append(note, fmt.Sprintf("in %d of %d tasks", n, all))
		}
		worked, ok := number(step.Extra, "worked")
		if taken, any := number(step.Extra, "taken"); ok && any {
			note = append(note, fmt.Sprintf("worked %d of %d times", worked, taken))
		}
		if tools := strings.Join(step.ToolsUsed, ", "); tools != "" && !strings.Contains(step.Description, tools) {
			note = append(note, "with "+tools)
		}
		item(s, fmt.Sprintf("%s %d.", mark, i+1), step.Description)
		s.Aside(9, strings.Join(note, ", "))
	}
	listing(s, "done when", "-", c.Postconditions)
	heading(s, "in short")
	s.Detail("tools", strings.Join(c.ToolsUsed, ", "))
	s.Detail("complexity", c.EstimatedComplexity)
	s.Detail("tasks", ending(c.Extra, all, counts))
}

// ending says how many tasks there were and how those ended that were judged.
func ending(of hmx.Extra, all int, counts bool) string {
	if !counts {
		return ""
	}
	text := term.Thousands(all)
	judged, ok := number(of, "judged")
	if succeeded, any := number(of, "succeeded"); ok && any && judged > 0 {
		text += fmt.Sprintf("; %d of %d that were judged succeeded", succeeded, judged)
	}
	return text
}

// showPlaybook prints what an error looks like and what to do about it.
func showPlaybook(s *ask.Shell, c *hmx.FailurePlaybook) {
	if len(c.Symptoms) == 0 && c.FailurePattern != "" {
		c.Symptoms = []string{c.FailurePattern}
	}
	listing(s, "symptoms", "-", c.Symptoms)
	listing(s, "happens", "-", c.TriggerConditions)
	listing(s, "recovery", "1", c.RecoverySteps)
	listing(s, "prevention", "-", c.PreventionStrategies)
	heading(s, "in short")
	s.Detail("severity", c.Severity)
	count, ok := number(c.Extra, "count")
	if recovered, any := number(c.Extra, "recovered"); ok && any {
		s.Detail("came", fmt.Sprintf("%s; %d of them were recovered from", term.Counted(count, "time"), recovered))
	}
	tasks, ok := number(c.Extra, "tasks")
	s.Detail("tasks", ending(c.Extra, tasks, ok))
}

// choiceRow is what was chosen, how often and how that went.
type choiceRow struct {
	Tool      string `json:"tool"`
	Count     int64  `json:"count"`
	Judged    int64  `json:"judged"`
	Succeeded int64  `json:"succeeded"`
}

// showPolicy prints what was chosen how often, and how that went.
func showPolicy(s *ask.Shell, c *hmx.DecisionPolicy) {
	heading(s, "in this case")
	item(s, "-", c.Condition)
	heading(s, "recommended")
	item(s, "-", c.Recommendation)
	var rows [][]string
	var chosen []choiceRow
	if json.Unmarshal([]byte(c.Extra["chosen"]), &chosen) == nil && len(chosen) > 0 {
		total := int64(0)
		for _, x := range chosen {
			total += x.Count
		}
		for _, x := range chosen {
			went := ""
			if x.Judged > 0 {
				went = fmt.Sprintf("%d of %d (%s)", x.Succeeded, x.Judged, term.Share(uint64(x.Succeeded), uint64(x.Judged)))
			}
			rows = append(rows, []string{x.Tool, fmt.Sprint(x.Count), term.Share(uint64(x.Count), uint64(max(total, 1))), went})
		}
	} else {
		for _, x := range c.Alternatives {
			row := []string{x.Description, "", "", ""}
			if x.ChosenCount.Set {
				row[1] = fmt.Sprint(x.ChosenCount.Value)
			}
			if x.SuccessRate.Set {
				row[3] = fmt.Sprintf("%.0f%%", 100*x.SuccessRate.Value)
			}
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		heading(s, "what was chosen")
		s.Table("CHOICE", "TIMES", "SHARE", "SUCCEEDED").Rows(rows)
	}
	for _, x := range c.Outcomes {
		item(s, "-", x.Decision+": "+x.Outcome)
	}
	if len(c.Scope) > 0 {
		heading(s, "in short")
		s.Detail("scope", strings.Join(c.Scope, ", "))
	}
}

// showPattern prints what comes before what, and what speaks against it.
func showPattern(s *ask.Shell, c *hmx.CausalPattern) {
	arrow := " → "
	if c.Direction == "bidirectional" {
		arrow = " ↔ "
	}
	heading(s, "pattern")
	item(s, "-", c.Cause+arrow+c.Effect)
	listing(s, "where", "-", c.Conditions)
	var n struct {
		Both    int `json:"both"`
		Cause   int `json:"cause_only"`
		Effect  int `json:"effect_only"`
		Neither int `json:"neither"`
	}
	if json.Unmarshal([]byte(c.Extra["counts"]), &n) == nil && n.Both > 0 {
		heading(s, "tasks")
		s.Table("", "WITH THE EFFECT", "WITHOUT").Rows([][]string{
			{"with the cause", fmt.Sprint(n.Both), fmt.Sprint(n.Cause)}, {"without", fmt.Sprint(n.Effect), fmt.Sprint(n.Neither)},
		})
	}
	listing(s, "counterexamples", "-", c.Counterexamples)
	heading(s, "in short")
	if c.Strength.Set {
		s.Detail("strength", fmt.Sprintf("%.3f", c.Strength.Value))
	}
	if len(c.Counterexamples) == 0 {
		s.Detail("against", "no counterexample")
	}
}

// showStrategy prints a strategy as its phases.
func showStrategy(s *ask.Shell, c *hmx.StrategyTemplate) {
	heading(s, "goal")
	item(s, "-", c.Goal)
	listing(s, "when", "-", c.ApplicabilityConditions)
	heading(s, "phases")
	phases := slices.Clone(c.Phases)
	slices.SortStableFunc(phases, func(a, b hmx.StrategyPhase) int { return int(a.Order.Or(0) - b.Order.Or(0)) })
	for i, p := range phases {
		text := p.Name
		if p.Description != "" {
			text = strings.TrimPrefix(text+": "+p.Description, ": ")
		}
		item(s, fmt.Sprintf("%d.", i+1), text)
		if len(p.SuccessCriteria) > 0 {
			s.Aside(5, "done when "+strings.Join(p.SuccessCriteria, ", "))
		}
	}
	heading(s, "in short")
	s.Detail("complexity", c.EstimatedComplexity)
	count, ok := number(c.Extra, "count")
	if of, any := number(c.Extra, "of"); ok && any {
		s.Detail("tasks", fmt.Sprintf("%d of %d went this way", count, of))
	}
}
