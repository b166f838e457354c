package show

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/quote"
)

// ProvenText returns what was proven, in words.
func ProvenText(p *lukasa.PackProof) string {
	name, _, _ := strings.Cut(p.Checkpoint, "\n")
	if name == "" {
		return "nothing: in that state there was no record yet"
	}
	return fmt.Sprintf("%s by %s of the journal, against a checkpoint of %s", Entries(int64(len(p.Entries))), term.Counted(p.Records, "record"), term.OneLine(name))
}

// RemadeText returns whether a pack was made again, and if not, what is unknown.
func RemadeText(p *lukasa.PackProof) string {
	if p.Remade == lukasa.RemadeYes {
		return "made again, it is the same: nothing is missing in it"
	}
	return "not made again, so that it was not checked whether anything is missing in it: " + term.OneLine(p.Unchecked)
}

// Entries counts entries.
func Entries(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return term.Thousands(int(n)) + " entries"
}

// ExtraMember reads a member that is not part of the protocol; without one it returns the
// zero value.
func ExtraMember[T any](e hmx.Extra, name string) (v T) {
	if json.Unmarshal([]byte(e[name]), &v) != nil {
		var none T
		return none
	}
	return v
}

// metadataMember is ExtraMember for the metadata of a pack.
func metadataMember[T any](p *hmx.Pack, name string) (v T) {
	var all hmx.Extra
	if json.Unmarshal([]byte(p.Metadata), &all) != nil {
		return v
	}
	return ExtraMember[T](all, name)
}

// PackLine returns the first line of a text that is not blank, without control characters and
// cut to the width of the screen.
func PackLine(text string, most int) string {
	for line := range strings.Lines(quote.Visible(text)) {
		if strings.TrimSpace(line) != "" {
			more := term.Preview(line, most)
			if rest := strings.TrimSpace(text); strings.Contains(rest, "\n") && !strings.HasSuffix(more, "…") {
				more += " …"
			}
			return more
		}
	}
	return ""
}

// Pack prints a pack as text: its question, the size and entries of each section, the next
// steps, the rules, and what was left out.
func Pack(s *term.Screen, packed *lukasa.Packed, proof *lukasa.PackProof) {
	p := packed.Pack
	b := &p.TokenBudget
	fmt.Fprintln(s.Stdout, s.Paint.Bold(PackLine(p.QueryContext, s.Measure())))
	who := "tenant " + p.TenantID.Or("")
	if agent := p.AgentID.Or(""); agent != "" {
		who += ", agent " + agent
	}
	counter := metadataMember[string](p, "counter")
	s.Aside(0, string(p.AssemblyMetadata.AssemblyStrategy), fmt.Sprintf("%s of %s (%s)", term.Thousands(int(b.Used)), term.Counted(int(b.TotalBudget), "token"), counter),
		who, "as of "+term.Moment(p.CreatedAt.Time()), metadataMember[string](p, "note"))
	for _, section := range hmx.Sections() {
		showSection(s, p, section)
	}
	if len(p.Entries) == 0 {
		showNoEntries(s, p)
	}
	if p.WorkflowHints.Set {
		showHints(s, &p.WorkflowHints.Value)
	}
	showConstraints(s, p.DecisionConstraints)
	showDrops(s, p)
	fmt.Fprintln(s.Stdout)
	s.Detail("root", fmt.Sprintf("%s over %s", hex.EncodeToString(packed.Root.Hash[:]), term.Counted(int(packed.Root.Size), "record")))
	s.Detail("pack", p.PackID)
	s.Detail("digest", packed.Digest)
	if proof != nil {
		s.Detail("proven", ProvenText(proof))
		s.Detail("remade", RemadeText(proof))
	}
}

// showSection prints the share of a section in the budget, and its entries.
func showSection(s *term.Screen, p *hmx.Pack, section hmx.Section) {
	budget, there := p.TokenBudget.SectionBudgets[section]
	var list []*hmx.Entry
	for i := range p.Entries {
		if p.Entries[i].Section == section {
			list = append(list, &p.Entries[i])
		}
	}
	if !there && len(list) == 0 {
		return
	}
	const width = 10
	drawn := s.Paint.Green(s.Bar(int(budget.Used), int(max(p.TokenBudget.TotalBudget, 1)), width))
	fmt.Fprintf(s.Stdout, "\n%s %s %s  %s\n", s.Paint.Bold(fmt.Sprintf("%-15s", section)), drawn,
		fmt.Sprintf("%7s tokens", term.Thousands(int(budget.Used))), s.Paint.Dim(Entries(int64(len(list)))))
	for _, e := range list {
		showPackEntry(s, e, p.CreatedAt.Time())
	}
}

// showPackEntry prints the first line of an entry, and its attributes below.
func showPackEntry(s *term.Screen, e *hmx.Entry, now time.Time) {
	fmt.Fprintf(s.Stdout, "  %s\n", PackLine(e.Content, s.Measure()-2))
	when := ""
	if at, err := time.Parse(time.RFC3339Nano, ExtraMember[string](e.Extra, "at")); err == nil {
		when = term.Dated(at, now)
	}
	by := ExtraMember[string](e.Extra, "by")
	if by != "" {
		by = "by " + term.Preview(by, 40)
	}
	cut := ""
	if ExtraMember[bool](e.Extra, "truncated") {
		cut = "cut"
	}
	name := ExtraMember[string](e.Extra, "uri")
	if name == "" {
		name = e.SourceID
	}
	trust := ExtraMember[string](e.Extra, "trust")
	if trust != "" {
		trust = "trust " + trust
	}
	s.Aside(4, fmt.Sprintf("#%d", e.Rank), fmt.Sprintf("score %.2f", e.RelevanceScore), term.Counted(int(e.TokenEstimate), "token"), cut,
		string(e.SourceType), by, trust, when, name)
}

// showNoEntries prints why a pack is empty.
func showNoEntries(s *term.Screen, p *hmx.Pack) {
	fmt.Fprintln(s.Stdout)
	switch {
	case p.AssemblyMetadata.CandidateCount == 0:
		fmt.Fprintln(s.Stdout, "Nothing is known that has to do with it.")
	default:
		s.Paragraph(fmt.Sprintf("Nothing of %s is in it; below is why.", term.Counted(int(p.AssemblyMetadata.CandidateCount), "candidate")), 0)
	}
}

// showHints prints the state of the session and the next steps.
func showHints(s *term.Screen, h *hmx.WorkflowHints) {
	at := ""
	if h.ActiveTaskSchema.Set {
		at = h.ActiveTaskSchema.Value
		if h.CurrentStep.Set && h.TotalSteps.Set {
			at += fmt.Sprintf(", %d of %s done", h.CurrentStep.Value, term.Counted(int(h.TotalSteps.Value), "step"))
		}
	}
	fmt.Fprintf(s.Stdout, "\n%s  %s\n", s.Paint.Bold("NEXT STEPS"), s.Paint.Dim(term.OneLine(at)))
	for i := range h.SuggestedNextSteps {
		n := &h.SuggestedNextSteps[i]
		fmt.Fprintf(s.Stdout, "  %s\n", PackLine(n.Description, s.Measure()-2))
		parts := []string{}
		if step := ExtraMember[int64](n.Extra, "step"); step > 0 {
			parts = append(parts, fmt.Sprintf("step %d", step))
		}
		if len(n.Tools) > 0 {
			parts = append(parts, "with "+strings.Join(n.Tools, ", "))
		}
		if n.Confidence.Set {
			parts = append(parts, fmt.Sprintf("confidence %.2f", n.Confidence.Value))
		}
		if seen := ExtraMember[int64](n.Extra, "observed_count"); seen > 0 {
			parts = append(parts, fmt.Sprintf("worked in %.0f%% of %s", 100*ExtraMember[float64](n.Extra, "success_rate"), term.Counted(int(seen), "case")))
		}
		s.Aside(4, parts...)
	}
	for _, blocker := range h.Blockers {
		fmt.Fprintf(s.Stdout, "  %s %s\n", s.Paint.Yellow("blocked"), PackLine(blocker, s.Measure()-10))
	}
}

// showConstraints prints the rules, hard ones first.
func showConstraints(s *term.Screen, list []hmx.DecisionConstraint) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(s.Stdout, "\n%s  %s\n", s.Paint.Bold("RULES"), s.Paint.Dim("that hold for this"))
	for i := range list {
		c := &list[i]
		strength := ExtraMember[string](c.Extra, "strength")
		if strength == "" {
			strength = "soft"
		}
		mark := fmt.Sprintf("%-4s", term.OneLine(strength))
		if !c.OverrideAllowed {
			mark = s.Paint.Red(mark)
		}
		text := PackLine(c.Constraint, s.Measure()-7)
		if c.Condition != "" && c.Condition != "always" {
			text += s.Paint.Dim(" (" + PackLine(c.Condition, 60) + ")")
		}
		fmt.Fprintf(s.Stdout, "  %s %s\n", mark, text)
	}
}

// dropWords explain the reasons.
var dropWords = map[hmx.DropReason]string{
	hmx.DropBudget:     "no room was left",
	hmx.DropRelevance:  "hardly matches",
	hmx.DropDuplicate:  "says nearly the same as a better one",
	hmx.DropDeprecated: "no longer holds",
	hmx.DropConflict:   "contradicts one that is more certain",
	hmx.DropProvenance: "what it came from does not verify",
}

// showDrops prints what was left out, by reason and the best first.
func showDrops(s *term.Screen, p *hmx.Pack) {
	if p.TokenBudget.DroppedCount == 0 {
		return
	}
	const most = 5 // of each reason
	what := fmt.Sprintf("%s of %s", term.Thousands(int(p.TokenBudget.DroppedCount)), term.Counted(int(p.AssemblyMetadata.CandidateCount), "candidate"))
	if n := len(p.DroppedEntries); int64(n) < p.TokenBudget.DroppedCount {
		what += fmt.Sprintf("; below are the best %s, by reason", term.Thousands(n))
	}
	fmt.Fprintf(s.Stdout, "\n%s  %s\n", s.Paint.Bold("LEFT OUT"), s.Paint.Dim(what))
	for _, reason := range hmx.DropReasons() {
		n := 0
		for i := range p.DroppedEntries {
			if p.DroppedEntries[i].DropReason == reason {
				n++
			}
		}
		if n == 0 {
			continue
		}
		fmt.Fprintf(s.Stdout, "  %s %s\n", s.Paint.Yellow(fmt.Sprintf("%-17s %d", reason, n)), s.Paint.Dim(dropWords[reason]))
		shown := 0
		for i := range p.DroppedEntries {
			d := &p.DroppedEntries[i]
			if d.DropReason != reason {
				continue
			}
			if shown++; shown > most {
				break
			}
			name := ExtraMember[string](d.Extra, "uri")
			if name == "" {
				name = d.SourceID
			}
			of := ExtraMember[string](d.Extra, "of")
			if of != "" {
				of = "of " + of
			}
			s.Aside(4, fmt.Sprintf("#%d", d.Rank), fmt.Sprintf("score %.2f", d.RelevanceScore), term.Counted(int(d.TokenEstimate), "token"), string(d.Section), name, of)
		}
		if n > most {
			s.Aside(4, fmt.Sprintf("and %s more, which --json lists", term.Thousands(n-most)))
		}
	}
	advice := "`lukasa explain ID QUERY` explains one"
	for _, reason := range []struct {
		is   hmx.DropReason
		says string
	}{{hmx.DropBudget, "a higher --budget takes in more"}, {hmx.DropRelevance, "a lower --min-relevance takes in more"}} {
		if slices.ContainsFunc(p.DroppedEntries, func(d hmx.DroppedEntry) bool { return d.DropReason == reason.is }) {
			advice += "; " + reason.says
			break
		}
	}
	fmt.Fprintln(s.Stdout, "  "+s.Paint.Dim(advice))
}
