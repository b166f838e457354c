package cli

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
)

func artifactsShowCommand(s *shell) *cobra.Command {
	var flags boardFlags
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
		Args: oneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.visit(c, &flags, reading(), func(ctx context.Context, v *visit) error {
			t, id, err := v.ofKind(ctx, args[0], lukasa.ArtifactKind, false)
			if err != nil {
				return err
			}
			d, err := t.Artifact(ctx, id, lukasa.View{})
			if err != nil {
				return err
			}
			if s.json {
				return s.writeJSON(answer.ArtifactOf(d))
			}
			s.showArtifact(d)
			return nil
		})
	}
	flags.addTenant(c)
	flags.addScope(c)
	return c
}

// showArtifact prints an artifact for a person: what it says, then what it rests on.
func (s *shell) showArtifact(d *lukasa.ArtifactDetail) {
	a := d.Artifact
	if x := d.Refined; x != nil {
		fmt.Fprintf(s.stdout, "%s (by %s)\n", s.paint.bold(oneLine(x.Title)), oneLine(x.Model))
		s.paragraph(x.Summary, 2)
		fmt.Fprintln(s.stdout)
	}
	fmt.Fprintf(s.stdout, "%s\n", s.paint.bold(oneLine(a.Title)))
	s.paragraph(a.Summary, 2)
	s.showContent(a)
	fmt.Fprintf(s.stdout, "\n%s\n", s.paint.bold(d.URI.String()))
	s.detail("type", string(a.ArtifactType)+", version "+fmt.Sprint(a.Version))
	s.showStatus(d)
	s.detail("evidence", evidenceText(d))
	s.detail("confidence", fmt.Sprintf("%.3f", a.Confidence))
	s.detail("trust", d.Trust.String())
	hash := a.ContentHash + ", verified"
	if !d.HashVerified {
		hash = s.paint.red("not that of the content: " + a.ContentHash)
	}
	s.detail("hash", hash)
	s.detail("observed", observedText(a))
	s.detail("made", madeText(d))
	s.detail("supersedes", a.Supersedes.Or(""))
	s.detail("next", a.SupersededBy.Or(""))
	s.detail("tags", strings.Join(a.Tags, ", "))
	for _, u := range d.Conflicts {
		s.detail("conflict", u.String())
	}
}

// showStatus prints what became of an artifact last, and why.
func (s *shell) showStatus(d *lukasa.ArtifactDetail) {
	text := string(d.Artifact.Status)
	if n := len(d.Changes); n > 0 {
		last := d.Changes[n-1]
		text += " since " + moment(last.Time) + ", by " + last.Actor
		if last.Reason != "" {
			text += ": " + last.Reason
		}
	}
	s.detail("status", text)
	if d.Artifact.Status == hmx.StatusDraft {
		s.detail("waits", "for more evidence, or for `lukasa artifacts approve` or `deprecate`")
	}
}

// evidenceText says what an artifact was made of, and whether that is there.
func evidenceText(d *lukasa.ArtifactDetail) string {
	text := counted(d.Events, "event")
	if d.Memories == 1 {
		text += " and 1 memory"
	} else if d.Memories > 1 {
		text += " and " + thousands(d.Memories) + " memories"
	}
	switch {
	case d.Events+d.Memories == 0:
		return "none"
	case d.MissingCount == 0:
		return text + ", all on record"
	}
	return fmt.Sprintf("%s, %s of them not on record, such as %s", text, thousands(d.MissingCount), d.Missing[0])
}

// observedText says how often it was seen, and how that went.
func observedText(a *hmx.Artifact) string {
	if !a.ObservedCount.Set {
		return ""
	}
	text := counted(int(a.ObservedCount.Value), "time")
	if n, ok := number(hmx.Extra{"m": memberOf(a.Metadata, "counted")}, "m"); ok && int64(n) != a.ObservedCount.Value {
		text += ", of which content counts " + thousands(n)
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
	text := moment(d.Recorded) + " by " + d.Actor
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
func (s *shell) showContent(a *hmx.Artifact) {
	if c, ok := a.TaskSchema(); ok {
		s.showSchema(&c)
	} else if c, ok := a.FailurePlaybook(); ok {
		s.showPlaybook(&c)
	} else if c, ok := a.DecisionPolicy(); ok {
		s.showPolicy(&c)
	} else if c, ok := a.CausalPattern(); ok {
		s.showPattern(&c)
	} else if c, ok := a.StrategyTemplate(); ok {
		s.showStrategy(&c)
	} else {
		fmt.Fprintf(s.stdout, "\n%s\n", indented([]byte(a.Content)))
	}
}

// heading prints the name of a part, if there is one.
func (s *shell) heading(name string) { fmt.Fprintf(s.stdout, "\n%s\n", s.paint.dim(name)) }

// listing prints a part that is a list.
func (s *shell) listing(name, mark string, list []string) {
	if len(list) == 0 {
		return
	}
	s.heading(name)
	for i, text := range list {
		bullet := mark
		if mark == "1" {
			bullet = fmt.Sprintf("%d.", i+1)
		}
		s.item(bullet, text)
	}
}

// item prints a text behind a mark, wrapped.
func (s *shell) item(mark, text string) {
	indent := 2 + len(mark) + 1
	for i, line := range wrapped(strings.Join(strings.Fields(text), " "), s.measure()-indent) {
		if i == 0 {
			fmt.Fprintf(s.stdout, "  %s %s\n", mark, line)
			continue
		}
		fmt.Fprintf(s.stdout, "%s%s\n", strings.Repeat(" ", indent), line)
	}
}

// showSchema prints a procedure as a checklist.
func (s *shell) showSchema(c *hmx.TaskSchema) {
	s.listing("before", "-", c.Preconditions)
	s.heading("steps")
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
		s.item(fmt.Sprintf("%s %d.", mark, i+1), step.Description)
		s.aside(9, strings.Join(note, ", "))
	}
	s.listing("done when", "-", c.Postconditions)
	s.heading("in short")
	s.detail("tools", strings.Join(c.ToolsUsed, ", "))
	s.detail("complexity", c.EstimatedComplexity)
	s.detail("tasks", ending(c.Extra, all, counts))
}

// ending says how many tasks there were and how those ended that were judged.
func ending(of hmx.Extra, all int, counts bool) string {
	if !counts {
		return ""
	}
	text := thousands(all)
	judged, ok := number(of, "judged")
	if succeeded, any := number(of, "succeeded"); ok && any && judged > 0 {
		text += fmt.Sprintf("; %d of %d that were judged succeeded", succeeded, judged)
	}
	return text
}

// showPlaybook prints what an error looks like and what to do about it.
func (s *shell) showPlaybook(c *hmx.FailurePlaybook) {
	if len(c.Symptoms) == 0 && c.FailurePattern != "" {
		c.Symptoms = []string{c.FailurePattern}
	}
	s.listing("symptoms", "-", c.Symptoms)
	s.listing("happens", "-", c.TriggerConditions)
	s.listing("recovery", "1", c.RecoverySteps)
	s.listing("prevention", "-", c.PreventionStrategies)
	s.heading("in short")
	s.detail("severity", c.Severity)
	count, ok := number(c.Extra, "count")
	if recovered, any := number(c.Extra, "recovered"); ok && any {
		s.detail("came", fmt.Sprintf("%s; %d of them were recovered from", counted(count, "time"), recovered))
	}
	tasks, ok := number(c.Extra, "tasks")
	s.detail("tasks", ending(c.Extra, tasks, ok))
}

// choiceRow is what was chosen, how often and how that went.
type choiceRow struct {
	Tool      string `json:"tool"`
	Count     int64  `json:"count"`
	Judged    int64  `json:"judged"`
	Succeeded int64  `json:"succeeded"`
}

// showPolicy prints what was chosen how often, and how that went.
func (s *shell) showPolicy(c *hmx.DecisionPolicy) {
	s.heading("in this case")
	s.item("-", c.Condition)
	s.heading("recommended")
	s.item("-", c.Recommendation)
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
				went = fmt.Sprintf("%d of %d (%s)", x.Succeeded, x.Judged, share(uint64(x.Succeeded), uint64(x.Judged)))
			}
			rows = append(rows, []string{x.Tool, fmt.Sprint(x.Count), share(uint64(x.Count), uint64(max(total, 1))), went})
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
		s.heading("what was chosen")
		s.table("CHOICE", "TIMES", "SHARE", "SUCCEEDED").rows(rows)
	}
	for _, x := range c.Outcomes {
		s.item("-", x.Decision+": "+x.Outcome)
	}
	if len(c.Scope) > 0 {
		s.heading("in short")
		s.detail("scope", strings.Join(c.Scope, ", "))
	}
}

// showPattern prints what comes before what, and what speaks against it.
func (s *shell) showPattern(c *hmx.CausalPattern) {
	arrow := " → "
	if c.Direction == "bidirectional" {
		arrow = " ↔ "
	}
	s.heading("pattern")
	s.item("-", c.Cause+arrow+c.Effect)
	s.listing("where", "-", c.Conditions)
	var n struct {
		Both    int `json:"both"`
		Cause   int `json:"cause_only"`
		Effect  int `json:"effect_only"`
		Neither int `json:"neither"`
	}
	if json.Unmarshal([]byte(c.Extra["counts"]), &n) == nil && n.Both > 0 {
		s.heading("tasks")
		s.table("", "WITH THE EFFECT", "WITHOUT").rows([][]string{
			{"with the cause", fmt.Sprint(n.Both), fmt.Sprint(n.Cause)}, {"without", fmt.Sprint(n.Effect), fmt.Sprint(n.Neither)},
		})
	}
	s.listing("counterexamples", "-", c.Counterexamples)
	s.heading("in short")
	if c.Strength.Set {
		s.detail("strength", fmt.Sprintf("%.3f", c.Strength.Value))
	}
	if len(c.Counterexamples) == 0 {
		s.detail("against", "no counterexample")
	}
}

// showStrategy prints a strategy as its phases.
func (s *shell) showStrategy(c *hmx.StrategyTemplate) {
	s.heading("goal")
	s.item("-", c.Goal)
	s.listing("when", "-", c.ApplicabilityConditions)
	s.heading("phases")
	phases := slices.Clone(c.Phases)
	slices.SortStableFunc(phases, func(a, b hmx.StrategyPhase) int { return int(a.Order.Or(0) - b.Order.Or(0)) })
	for i, p := range phases {
		text := p.Name
		if p.Description != "" {
			text = strings.TrimPrefix(text+": "+p.Description, ": ")
		}
		s.item(fmt.Sprintf("%d.", i+1), text)
		if len(p.SuccessCriteria) > 0 {
			s.aside(5, "done when "+strings.Join(p.SuccessCriteria, ", "))
		}
	}
	s.heading("in short")
	s.detail("complexity", c.EstimatedComplexity)
	count, ok := number(c.Extra, "count")
	if of, any := number(c.Extra, "of"); ok && any {
		s.detail("tasks", fmt.Sprintf("%d of %d went this way", count, of))
	}
}
