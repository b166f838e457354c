package questions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/memory"
)

// coldStart is what a bundle was asked for.
type coldStart struct {
	verb    memory.Verb
	objects []string // kind=ref, as they were given
	agent   string
	now     time.Time
	tiers   []bundle.Tier // none is all
	// scoped says that it is held to a scope, and readOnly that this may not
	// write.
	scoped, readOnly bool
	// elsewhere is what other verbs have, if this one has nothing.
	elsewhere []filed
}

// task says what is to be done with what.
func (c *coldStart) task() string {
	return strings.TrimSpace(string(c.verb) + " " + strings.Join(c.objects, " "))
}

// unfiled reports whether a bundle shows that nothing is filed under its task.
func (c *coldStart) unfiled(b *bundle.Bundle) bool {
	return c.wants(bundle.TierFrameRelevant) && len(c.objects) > 0 && len(b.FrameRelevant)+len(b.Outcomes)+b.Trimmed == 0
}

// others says what other verbs have, or nothing.
func (c *coldStart) others() string {
	const looked = 64 // events of an object; older ones are not counted
	var list []string
	for i, f := range c.elsewhere {
		count := term.Thousands(f.things)
		if i == 0 {
			count = term.Counted(f.things, "record")
		}
		if f.things >= looked {
			count += " or more"
		}
		list = append(list, "under "+string(f.verb)+": "+count)
	}
	return strings.Join(list, "; ")
}

func (c *coldStart) wants(t bundle.Tier) bool {
	return (len(c.tiers) == 0 || slices.Contains(c.tiers, t)) && (c.verb != "" || t == bundle.TierPinned)
}

// showBundle prints a bundle for a person: for what it is, its tiers, how much
// of the budget it takes, and what was left out.
func showBundle(s *ask.Shell, b *bundle.Bundle, c *coldStart) {
	showTask(s, b, c)
	if len(b.Rendered) == 0 {
		showBeginning(s, b, c)
		return
	}
	for _, tier := range []struct {
		tier    bundle.Tier
		title   string
		about   string
		entries []*bundle.Entry
	}{
		{bundle.TierPinned, "PINNED", "who it is, what it must not do, what it is to reach", b.Pinned},
		{bundle.TierFrameRelevant, "FRAME RELEVANT", "what matters for this", b.FrameRelevant},
		{bundle.TierOutcomes, "OUTCOMES", "how it went before, newest first", b.Outcomes},
	} {
		if !c.wants(tier.tier) {
			continue
		}
		fmt.Fprintf(s.Stdout, "\n%s  %s\n", s.Paint.Bold(tier.title), s.Paint.Dim(tier.about))
		if len(tier.entries) == 0 {
			fmt.Fprintln(s.Stdout, s.Paint.Dim("  nothing"))
		}
		for _, e := range tier.entries {
			showEntry(s, e, c.now)
		}
	}
	fmt.Fprintln(s.Stdout)
	showBudget(s, b)
	showReachable(s, b)
	if others := c.others(); others != "" {
		fmt.Fprintf(s.Stdout, "\nNothing is filed under %s; %s\n", term.OneLine(c.task()), others)
	}
}

// showTask prints the agent and the task of the bundle.
func showTask(s *ask.Shell, b *bundle.Bundle, c *coldStart) {
	task := "what every agent receives"
	if c.verb != "" {
		task = c.task()
	}
	fmt.Fprintln(s.Stdout, s.Paint.Bold(term.OneLine(task)))
	who := "tenant " + b.Tenant
	if c.agent != "" {
		who += ", agent " + c.agent
	}
	when := ""
	if !c.now.IsZero() { // a tenant without a record has no time
		when = "as of " + term.Moment(c.now)
	}
	s.Aside(0, who, when)
}

// showEntry prints one entry: what it says, and below what is known of it.
func showEntry(s *ask.Shell, e *bundle.Entry, now time.Time) {
	s.Paragraph(e.Text, 2)
	name := e.URI.String()
	if e.Key != "" && e.Kind == lukasa.MemoryKind {
		name = e.Key
	}
	class := e.Type
	if e.Status != "" && e.Status != string(memory.OutcomeUnknown) {
		class += " " + e.Status
	}
	s.Aside(4, "score "+show.Score(e.Score), term.Counted(e.Tokens, "token"), "trust "+e.Trust.String(), class, term.Age(now.Sub(e.Updated)), name)
}

// showBudget prints how much of the budget is taken.
func showBudget(s *ask.Shell, b *bundle.Bundle) {
	const width = 30
	drawn := s.Bar(b.TotalTokens, b.Budget, width)
	if b.TotalTokens > b.Budget {
		drawn = s.Paint.Yellow(drawn)
	} else {
		drawn = s.Paint.Green(drawn)
	}
	fmt.Fprintf(s.Stdout, "%s  %s of %s %s", drawn, term.Thousands(b.TotalTokens), term.Counted(b.Budget, "token"), s.Paint.Dim("("+b.Counter+")"))
	if b.TotalTokens > b.Budget {
		fmt.Fprint(s.Stdout, ": one record is shown whatever its size")
	}
	fmt.Fprintln(s.Stdout)
}

// showReachable prints what was left out because of the budget, best first.
func showReachable(s *ask.Shell, b *bundle.Bundle) {
	if b.Trimmed == 0 {
		return
	}
	const most = 10
	listed := b.ReachableURIs[:min(len(b.ReachableURIs), most)]
	fmt.Fprintf(s.Stdout, "\n%s  %s\n", s.Paint.Bold("REACHABLE"), s.Paint.Dim(term.Counted(b.Trimmed, "record")+" left out because of the budget, best first"))
	for _, u := range listed {
		name := u.String()
		weight, ok := b.Scores[name]
		if !ok {
			weight = b.Scores[u.ID]
		}
		fmt.Fprintf(s.Stdout, "  %s  %s\n", s.Paint.Dim(show.Score(weight)), term.OneLine(name))
	}
	if more := len(b.ReachableURIs) - len(listed); more > 0 {
		fmt.Fprintf(s.Stdout, "  … and %d more with --json\n", more)
	}
	advice := "`lukasa resolve URI` shows one of them"
	if b.Budget < bundle.MaxBudgetTokens {
		advice += "; a higher --budget takes in more"
	}
	fmt.Fprintln(s.Stdout, "  "+s.Paint.Dim(advice))
}

// plainRef is a reference that a shell leaves alone.
var plainRef = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+=[A-Za-z0-9_./:@%+,-]+$`)

// showBeginning says why there is nothing to show, and what to do about it.
func showBeginning(s *ask.Shell, b *bundle.Bundle, c *coldStart) {
	fmt.Fprintln(s.Stdout)
	if b.Size > 0 {
		others := c.others()
		if others != "" {
			s.Paragraph(c.missing()+"; "+others+".", 0)
			return
		}
		s.Paragraph(c.missing()+".", 0)
	} else {
		fmt.Fprintln(s.Stdout, "There is nothing to show yet.")
	}
	if c.readOnly {
		fmt.Fprintln(s.Stdout, "The scope only reads; its issuer may see more.")
		return
	}
	fmt.Fprintln(s.Stdout, "What helps:")
	for _, way := range c.ways(b.Size == 0) {
		fmt.Fprintf(s.Stdout, "  %s\n      %s\n", way[0], s.Paint.Bold(way[1]))
	}
}

// missing says of what there is nothing.
func (c *coldStart) missing() string {
	var parts []string
	if c.wants(bundle.TierPinned) {
		parts = append(parts, "nothing is pinned")
	}
	switch {
	case len(c.objects) == 0:
	case c.wants(bundle.TierFrameRelevant):
		parts = append(parts, "nothing is filed under "+c.task())
	case c.wants(bundle.TierOutcomes):
		parts = append(parts, "no outcome is filed under "+c.task())
	}
	if len(parts) == 0 {
		parts = []string{"without --verb and --object there is only what is pinned"}
	}
	text := strings.Join(parts, ", and ")
	if c.scoped {
		return "In this scope " + text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// ways returns hints that fill a bundle, each with its command.
func (c *coldStart) ways(first bool) [][2]string {
	var ways [][2]string
	if !first && (c.verb == "" || len(c.objects) == 0) {
		ways = append(ways, [2]string{"say what is to be done, and with what", "lukasa context --verb modify --object file=PATH"})
	}
	if first || len(c.objects) > 0 {
		frame := "verb:kind=ref"
		if c.verb != "" && len(c.objects) > 0 && plainRef.MatchString(c.objects[0]) {
			frame = string(c.verb) + ":" + c.objects[0]
		}
		ways = append(ways,
			[2]string{"take in what agents saw and did", "lukasa ingest FILE"},
			[2]string{"say when something matters", "lukasa remember KEY TEXT --frame " + frame})
	}
	if c.wants(bundle.TierPinned) && !c.scoped { // what is written under a scope is seldom trusted enough
		ways = append(ways, [2]string{"lay down a rule for every agent", "lukasa remember KEY TEXT --type constraint --strength hard"})
	}
	return ways
}
