package cli

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/pack"
)

// provenText says what was proven.
func provenText(p *lukasa.PackProof) string {
	name, _, _ := strings.Cut(p.Checkpoint, "\n")
	if name == "" {
		return "nothing: in that state there was no record yet"
	}
	return fmt.Sprintf("%s by %s of the journal, against a checkpoint of %s", entries(int64(len(p.Entries))), counted(p.Records, "record"), oneLine(name))
}

// remadeText says whether a pack was made again, and if not what is not known therefore.
func remadeText(p *lukasa.PackProof) string {
	if p.Remade == lukasa.RemadeYes {
		return "made again, it is the same: nothing is missing in it"
	}
	return "not made again, so that it was not checked whether anything is missing in it: " + oneLine(p.Unchecked)
}

// entries counts entries.
func entries(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return thousands(int(n)) + " entries"
}

// extraMember reads one of the members that the protocol does not know; the zero
// value if it is not there.
func extraMember[T any](e hmx.Extra, name string) (v T) {
	if json.Unmarshal([]byte(e[name]), &v) != nil {
		var none T
		return none
	}
	return v
}

// metadataMember is extraMember for the metadata of a pack.
func metadataMember[T any](p *hmx.Pack, name string) (v T) {
	var all hmx.Extra
	if json.Unmarshal([]byte(p.Metadata), &all) != nil {
		return v
	}
	return extraMember[T](all, name)
}

// packLine returns the first line of a text that has something on it, harmless and no
// longer than the screen has room.
func packLine(text string, most int) string {
	for line := range strings.Lines(pack.Visible(text)) {
		if strings.TrimSpace(line) != "" {
			more := preview(line, most)
			if rest := strings.TrimSpace(text); strings.Contains(rest, "\n") && !strings.HasSuffix(more, "…") {
				more += " …"
			}
			return more
		}
	}
	return ""
}

// showPack prints a pack for a person: what it is for, what each section takes and
// has, what comes next, what binds, and what was left out.
func (s *shell) showPack(packed *lukasa.Packed, proof *lukasa.PackProof) {
	p := packed.Pack
	b := &p.TokenBudget
	fmt.Fprintln(s.stdout, s.paint.bold(packLine(p.QueryContext, s.measure())))
	who := "tenant " + p.TenantID.Or("")
	if agent := p.AgentID.Or(""); agent != "" {
		who += ", agent " + agent
	}
	counter := metadataMember[string](p, "counter")
	s.aside(0, string(p.AssemblyMetadata.AssemblyStrategy), fmt.Sprintf("%s of %s (%s)", thousands(int(b.Used)), counted(int(b.TotalBudget), "token"), counter),
		who, "as of "+moment(p.CreatedAt.Time()), metadataMember[string](p, "note"))
	for _, section := range hmx.Sections() {
		s.showSection(p, section)
	}
	if len(p.Entries) == 0 {
		s.showNoEntries(p)
	}
	if p.WorkflowHints.Set {
		s.showHints(&p.WorkflowHints.Value)
	}
	s.showConstraints(p.DecisionConstraints)
	s.showDrops(p)
	fmt.Fprintln(s.stdout)
	s.detail("root", fmt.Sprintf("%s over %s", hex.EncodeToString(packed.Root.Hash[:]), counted(int(packed.Root.Size), "record")))
	s.detail("pack", p.PackID)
	s.detail("digest", packed.Digest)
	if proof != nil {
		s.detail("proven", provenText(proof))
		s.detail("remade", remadeText(proof))
	}
}

// showSection prints what a section takes of the whole budget, and its entries.
func (s *shell) showSection(p *hmx.Pack, section hmx.Section) {
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
	drawn := s.paint.green(s.bar(int(budget.Used), int(max(p.TokenBudget.TotalBudget, 1)), width))
	fmt.Fprintf(s.stdout, "\n%s %s %s  %s\n", s.paint.bold(fmt.Sprintf("%-15s", section)), drawn,
		fmt.Sprintf("%7s tokens", thousands(int(budget.Used))), s.paint.dim(entries(int64(len(list)))))
	for _, e := range list {
		s.showPackEntry(e, p.CreatedAt.Time())
	}
}

// showPackEntry prints the first line of an entry, and below what is known of it.
func (s *shell) showPackEntry(e *hmx.Entry, now time.Time) {
	fmt.Fprintf(s.stdout, "  %s\n", packLine(e.Content, s.measure()-2))
	when := ""
	if at, err := time.Parse(time.RFC3339Nano, extraMember[string](e.Extra, "at")); err == nil {
		when = dated(at, now)
	}
	by := extraMember[string](e.Extra, "by")
	if by != "" {
		by = "by " + preview(by, 40)
	}
	cut := ""
	if extraMember[bool](e.Extra, "truncated") {
		cut = "cut"
	}
	name := extraMember[string](e.Extra, "uri")
	if name == "" {
		name = e.SourceID
	}
	trust := extraMember[string](e.Extra, "trust")
	if trust != "" {
		trust = "trust " + trust
	}
	s.aside(4, fmt.Sprintf("#%d", e.Rank), fmt.Sprintf("score %.2f", e.RelevanceScore), counted(int(e.TokenEstimate), "token"), cut,
		string(e.SourceType), by, trust, when, name)
}

// showNoEntries says why a pack is empty.
func (s *shell) showNoEntries(p *hmx.Pack) {
	fmt.Fprintln(s.stdout)
	switch {
	case p.AssemblyMetadata.CandidateCount == 0:
		fmt.Fprintln(s.stdout, "Nothing is known that has to do with it.")
	default:
		s.paragraph(fmt.Sprintf("Nothing of %s is in it; below is why.", counted(int(p.AssemblyMetadata.CandidateCount), "candidate")), 0)
	}
}

// showHints prints where the session is and what comes next.
func (s *shell) showHints(h *hmx.WorkflowHints) {
	at := ""
	if h.ActiveTaskSchema.Set {
		at = h.ActiveTaskSchema.Value
		if h.CurrentStep.Set && h.TotalSteps.Set {
			at += fmt.Sprintf(", %d of %s done", h.CurrentStep.Value, counted(int(h.TotalSteps.Value), "step"))
		}
	}
	fmt.Fprintf(s.stdout, "\n%s  %s\n", s.paint.bold("NEXT STEPS"), s.paint.dim(oneLine(at)))
	for i := range h.SuggestedNextSteps {
		n := &h.SuggestedNextSteps[i]
		fmt.Fprintf(s.stdout, "  %s\n", packLine(n.Description, s.measure()-2))
		parts := []string{}
		if step := extraMember[int64](n.Extra, "step"); step > 0 {
			parts = append(parts, fmt.Sprintf("step %d", step))
		}
		if len(n.Tools) > 0 {
			parts = append(parts, "with "+strings.Join(n.Tools, ", "))
		}
		if n.Confidence.Set {
			parts = append(parts, fmt.Sprintf("confidence %.2f", n.Confidence.Value))
		}
		if seen := extraMember[int64](n.Extra, "observed_count"); seen > 0 {
			parts = append(parts, fmt.Sprintf("worked in %.0f%% of %s", 100*extraMember[float64](n.Extra, "success_rate"), counted(int(seen), "case")))
		}
		s.aside(4, parts...)
	}
	for _, blocker := range h.Blockers {
		fmt.Fprintf(s.stdout, "  %s %s\n", s.paint.yellow("blocked"), packLine(blocker, s.measure()-10))
	}
}

// showConstraints prints what binds, the hard rules first.
func (s *shell) showConstraints(list []hmx.DecisionConstraint) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(s.stdout, "\n%s  %s\n", s.paint.bold("RULES"), s.paint.dim("that hold for this"))
	for i := range list {
		c := &list[i]
		strength := extraMember[string](c.Extra, "strength")
		if strength == "" {
			strength = "soft"
		}
		mark := fmt.Sprintf("%-4s", oneLine(strength))
		if !c.OverrideAllowed {
			mark = s.paint.red(mark)
		}
		text := packLine(c.Constraint, s.measure()-7)
		if c.Condition != "" && c.Condition != "always" {
			text += s.paint.dim(" (" + packLine(c.Condition, 60) + ")")
		}
		fmt.Fprintf(s.stdout, "  %s %s\n", mark, text)
	}
}

// dropWords say what a reason means.
var dropWords = map[hmx.DropReason]string{
	hmx.DropBudget:     "no room was left",
	hmx.DropRelevance:  "hardly matches",
	hmx.DropDuplicate:  "says nearly the same as a better one",
	hmx.DropDeprecated: "no longer holds",
	hmx.DropConflict:   "contradicts one that is more certain",
	hmx.DropProvenance: "what it came from does not verify",
}

// showDrops prints what was left out, by reason and the best first.
func (s *shell) showDrops(p *hmx.Pack) {
	if p.TokenBudget.DroppedCount == 0 {
		return
	}
	const most = 5 // of each reason
	what := fmt.Sprintf("%s of %s", thousands(int(p.TokenBudget.DroppedCount)), counted(int(p.AssemblyMetadata.CandidateCount), "candidate"))
	if n := len(p.DroppedEntries); int64(n) < p.TokenBudget.DroppedCount {
		what += fmt.Sprintf("; below are the best %s, by reason", thousands(n))
	}
	fmt.Fprintf(s.stdout, "\n%s  %s\n", s.paint.bold("LEFT OUT"), s.paint.dim(what))
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
		fmt.Fprintf(s.stdout, "  %s %s\n", s.paint.yellow(fmt.Sprintf("%-17s %d", reason, n)), s.paint.dim(dropWords[reason]))
		shown := 0
		for i := range p.DroppedEntries {
			d := &p.DroppedEntries[i]
			if d.DropReason != reason {
				continue
			}
			if shown++; shown > most {
				break
			}
			name := extraMember[string](d.Extra, "uri")
			if name == "" {
				name = d.SourceID
			}
			of := extraMember[string](d.Extra, "of")
			if of != "" {
				of = "of " + of
			}
			s.aside(4, fmt.Sprintf("#%d", d.Rank), fmt.Sprintf("score %.2f", d.RelevanceScore), counted(int(d.TokenEstimate), "token"), string(d.Section), name, of)
		}
		if n > most {
			s.aside(4, fmt.Sprintf("and %s more, which --json lists", thousands(n-most)))
		}
	}
	advice := "`lukasa explain ID QUERY` tells more of one"
	for _, reason := range []struct {
		is   hmx.DropReason
		says string
	}{{hmx.DropBudget, "a higher --budget takes in more"}, {hmx.DropRelevance, "a lower --min-relevance takes in more"}} {
		if slices.ContainsFunc(p.DroppedEntries, func(d hmx.DroppedEntry) bool { return d.DropReason == reason.is }) {
			advice += "; " + reason.says
			break
		}
	}
	fmt.Fprintln(s.stdout, "  "+s.paint.dim(advice))
}
