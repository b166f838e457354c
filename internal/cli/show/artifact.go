package show

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
)

// Artifact prints an artifact as text: its content, then its evidence.
func Artifact(s *term.Screen, d *answer.Artifact) {
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
	s.Detail("evidence", evidenceText(&d.Evidence))
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

// showStatus prints the last change of the status of an artifact, and the reason.
func showStatus(s *term.Screen, d *answer.Artifact) {
	text := string(d.Artifact.Status)
	if n := len(d.Changes); n > 0 {
		last := d.Changes[n-1]
		text += " since " + moment(last.Time) + ", by " + last.Actor
		if last.Reason != "" {
			text += ": " + last.Reason
		}
	}
	s.Detail("status", text)
	if d.Artifact.Status == hmx.StatusDraft {
		s.Detail("waits", "for more evidence, or for `lukasa artifacts approve` or `deprecate`")
	}
}

// evidenceText returns the sources of an artifact, and whether they still exist.
func evidenceText(d *answer.Evidence) string {
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

// observedText returns how often it was observed, with the outcomes.
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

// madeText returns the writer of an artifact, its time and its origin.
func madeText(d *answer.Artifact) string {
	text := moment(d.RecordedAt) + " by " + d.Actor
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
func showContent(s *term.Screen, a *hmx.Artifact) {
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
func heading(s *term.Screen, name string) { fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Dim(name)) }

// listing prints a part that is a list.
func listing(s *term.Screen, name, mark string, list []string) {
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
func item(s *term.Screen, mark, text string) {
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
func showSchema(s *term.Screen, c *hmx.TaskSchema) {
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

// ending returns the number of tasks, and the outcomes of those that were judged.
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

// showPlaybook prints the symptoms of an error and the steps to recover.
func showPlaybook(s *term.Screen, c *hmx.FailurePlaybook) {
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

// choiceRow is an option, how often it was chosen, and the outcomes.
type choiceRow struct {
	Tool      string `json:"tool"`
	Count     int64  `json:"count"`
	Judged    int64  `json:"judged"`
	Succeeded int64  `json:"succeeded"`
}

// showPolicy prints how often each option was chosen, with the outcomes.
func showPolicy(s *term.Screen, c *hmx.DecisionPolicy) {
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

// showPattern prints a cause, its effect, and the evidence against the pattern.
func showPattern(s *term.Screen, c *hmx.CausalPattern) {
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
func showStrategy(s *term.Screen, c *hmx.StrategyTemplate) {
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

// Chain prints versions as a tree: below each the ones that supersede it.
func Chain(s *term.Screen, a *answer.Chain) {
	known, below := make(map[string]bool), make(map[string][]*answer.Chained)
	for i := range a.Versions {
		known[a.Versions[i].ID] = true
	}
	var roots []*answer.Chained
	for i := range a.Versions {
		if x := &a.Versions[i]; known[x.Supersedes] {
			below[x.Supersedes] = append(below[x.Supersedes], x)
		} else {
			roots = append(roots, x)
		}
	}
	printed := make(map[string]bool)
	var print func(x *answer.Chained, depth int)
	print = func(x *answer.Chained, depth int) {
		if printed[x.ID] {
			return
		}
		printed[x.ID] = true
		showVersion(s, x, depth, x.ID == a.URI.ID)
		for _, next := range below[x.ID] {
			print(next, depth+1)
		}
	}
	for _, x := range roots {
		print(x, 0)
	}
}

// showVersion prints one version of a tree.
func showVersion(s *term.Screen, a *answer.Chained, depth int, asked bool) {
	lead, indent := "", min(depth, 20)*3
	if depth > 0 {
		lead = strings.Repeat(" ", indent-3) + "└─ "
	}
	id, status := term.OneLine(a.ID), string(a.Status)
	if asked {
		id = s.Paint.Bold(id)
	}
	if a.Status == hmx.StatusActive {
		status = s.Paint.Green(status)
	}
	fmt.Fprintf(s.Stdout, "%sv%d %s %s, confidence %.3f, %s\n", lead, a.Version, id, status, a.Confidence, term.Counted(a.Events, "event"))
	if depth == 0 {
		fmt.Fprintf(s.Stdout, "   %s\n", term.Preview(a.Title, s.Measure()-3))
	}
	for i, c := range a.Changes {
		text := string(c.Status)
		if i == 0 {
			text = "written as " + text
		}
		if c.SupersededBy != "" {
			text += " by " + c.SupersededBy + ","
		}
		text += " " + moment(c.Time) + " by " + c.Actor
		if c.Reason != "" {
			text += ": " + c.Reason
		}
		s.Aside(indent+3, text)
	}
	if a.Supersedes != "" && depth == 0 {
		s.Aside(indent+3, "it supersedes "+a.Supersedes+", which is not shown")
	}
}

// Diff prints a difference as text.
func Diff(s *term.Screen, d *answer.Diff) {
	fmt.Fprintf(s.Stdout, "from v%d %s\n", d.From.Version, term.OneLine(d.From.ID))
	fmt.Fprintf(s.Stdout, "to   v%d %s\n", d.To.Version, s.Paint.Bold(term.OneLine(d.To.ID)))
	if len(d.Changes) == 0 {
		fmt.Fprintln(s.Stdout, s.Paint.Dim("they say the same"))
	}
	for _, x := range d.Changes {
		path := term.Preview(x.Path, 80)
		switch x.Op {
		case lukasa.DiffAdd:
			fmt.Fprintf(s.Stdout, "%s %s: %s\n", s.Paint.Green("+"), path, value(x.To))
		case lukasa.DiffRemove:
			fmt.Fprintf(s.Stdout, "%s %s: %s\n", s.Paint.Red("-"), path, value(x.From))
		case lukasa.DiffOrder:
			fmt.Fprintf(s.Stdout, "%s %s: %s\n", s.Paint.Yellow("↕"), path, value(x.To))
		default:
			fmt.Fprintf(s.Stdout, "%s %s: %s → %s\n", s.Paint.Yellow("~"), path, value(x.From), value(x.To))
		}
	}
	if d.EventsAdded+d.EventsRemoved > 0 {
		s.Detail("evidence", fmt.Sprintf("%s more, %s fewer", term.Counted(d.EventsAdded, "event"), term.Thousands(d.EventsRemoved)))
	}
}

// value returns a value of a difference as text: a string as it is, anything else as JSON.
func value(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return term.Preview(text, 100)
	}
	return term.Preview(string(raw), 100)
}

// Artifacts prints a list of artifacts. If there are none, the advice depends on whether the request
// was for all of them.
func Artifacts(s *term.Screen, a *answer.Artifacts, all bool) {
	rows := make([][]string, len(a.Artifacts))
	for i, x := range a.Artifacts {
		rows[i] = []string{
			x.ArtifactID, string(x.ArtifactType), string(x.Status), fmt.Sprint(x.Version), fmt.Sprintf("%.3f", x.Confidence),
			term.Counted(len(x.SourceEvents), "event"), term.Preview(x.Title, 60),
		}
	}
	s.Table("ID", "TYPE", "STATUS", "VERSION", "CONFIDENCE", "EVIDENCE", "TITLE").Rows(rows)
	more(s, a.Next, len(rows), "artifacts")
	if len(rows) == 0 && a.Next == nil && !all {
		s.Detail("perhaps", "--all lists those that are not in use, and `lukasa compile` makes new ones of what happened")
	}
}

// more prints how to continue a list, or that it is empty.
func more(s *term.Screen, next *string, rows int, name string) {
	if next != nil {
		fmt.Fprintf(s.Stdout, "… and more: --after %s\n", *next)
	} else if rows == 0 {
		fmt.Fprintln(s.Stdout, s.Paint.Dim("no "+name))
	}
}

// Decided prints the result of a decision about an artifact.
func Decided(s *term.Screen, done string, a *answer.Decided) {
	u := a.URI
	fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green(done), s.Paint.Bold(u.Head().String()))
	s.Detail("status", string(a.To)+", was "+string(a.From))
	if a.Superseded != nil {
		s.Detail("superseded", a.Superseded.String())
	}
	s.Detail("position", fmt.Sprint(a.Position))
	s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
}

// Fingerprint returns the row of a fingerprint in a list.
func Fingerprint(a *answer.Fingerprint) []string {
	guides := "every agent"
	switch {
	case a.Trust < lukasa.Agent:
		guides = "none"
	case a.Trust < lukasa.User || a.Visibility == lukasa.VisiblePrivate:
		guides = a.Actor
	}
	return []string{a.URI.String(), a.Actor, a.Trust.String(), guides, moment(a.UpdatedAt), term.Thousands(int(a.Tasks)), fmt.Sprint(a.Tools), fmt.Sprint(a.Artifacts)}
}
