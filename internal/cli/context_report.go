package cli

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/memory"
)

// entryAnswer is an entry of a bundle, as --json prints it.
type entryAnswer struct {
	URI       lukasa.URI   `json:"uri"`
	ID        string       `json:"id"`
	Kind      lukasa.Kind  `json:"kind"`
	Type      string       `json:"type"`
	Key       string       `json:"key,omitempty"`
	Status    string       `json:"status,omitempty"`
	Version   uint32       `json:"version,omitempty"` // an event has none
	Trust     lukasa.Trust `json:"trust"`
	Actor     string       `json:"actor"`
	Agent     string       `json:"agent,omitempty"`
	Session   string       `json:"session,omitempty"`
	Tags      []string     `json:"tags,omitempty"`
	CreatedAt string       `json:"created_at"`
	UpdatedAt string       `json:"updated_at"`
	Text      string       `json:"text"`
}

// bundleAnswer is a bundle, as --json prints it.
type bundleAnswer struct {
	Pinned        []entryAnswer      `json:"pinned"`
	FrameRelevant []entryAnswer      `json:"frame_relevant"`
	Outcomes      []entryAnswer      `json:"outcomes"`
	Rendered      map[string]string  `json:"rendered"`
	Tokens        map[string]int     `json:"tokens"`
	Scores        map[string]float32 `json:"scores"`
	ReachableURIs []lukasa.URI       `json:"reachable_uris"`
	TotalTokens   int                `json:"total_tokens"`
	Trimmed       int                `json:"trimmed"`
	LatencyMS     int64              `json:"latency_ms"`
	Form          memory.Form        `json:"form"`
	BudgetTokens  int                `json:"budget_tokens"`
	Counter       string             `json:"counter"`
	Tenant        string             `json:"tenant"`
	Size          uint64             `json:"size"`
	Root          string             `json:"root"`
}

func answerBundle(b *bundle.Bundle) bundleAnswer {
	a := bundleAnswer{
		Pinned: answerEntries(b.Pinned), FrameRelevant: answerEntries(b.FrameRelevant), Outcomes: answerEntries(b.Outcomes),
		Rendered: map[string]string{}, Tokens: map[string]int{}, Scores: map[string]float32{}, ReachableURIs: []lukasa.URI{},
		TotalTokens: b.TotalTokens, Trimmed: b.Trimmed, LatencyMS: b.LatencyMS, Form: b.Form,
		BudgetTokens: b.Budget, Counter: b.Counter, Tenant: b.Tenant, Size: b.Size, Root: hex.EncodeToString(b.Root[:]),
	}
	if b.Rendered != nil {
		a.Rendered = b.Rendered
	}
	if b.Tokens != nil {
		a.Tokens = b.Tokens
	}
	if b.Scores != nil {
		a.Scores = b.Scores
	}
	if b.ReachableURIs != nil {
		a.ReachableURIs = b.ReachableURIs
	}
	return a
}

func answerEntries(entries []*bundle.Entry) []entryAnswer {
	list := make([]entryAnswer, len(entries))
	for i, e := range entries {
		list[i] = entryAnswer{
			URI: e.URI, ID: e.ID, Kind: e.Kind, Type: e.Type, Key: e.Key, Status: e.Status, Version: e.Version,
			Trust: e.Trust, Actor: e.Actor, Agent: e.Agent, Session: e.Session, Tags: e.Tags,
			CreatedAt: instant(e.Created), UpdatedAt: instant(e.Updated), Text: e.Text,
		}
	}
	return list
}

// coldStart is what a bundle was asked for.
type coldStart struct {
	verb    memory.Verb
	objects []string // kind=ref, as they were given
	agent   string
	now     time.Time
	tiers   []bundle.Tier // none is all
}

func (c *coldStart) wants(t bundle.Tier) bool {
	return (len(c.tiers) == 0 || slices.Contains(c.tiers, t)) && (c.verb != "" || t == bundle.TierPinned)
}

// showBundle prints a bundle for a person: for what it is, its tiers, how much
// of the budget it takes, and what was left out.
func (s *shell) showBundle(b *bundle.Bundle, c *coldStart) {
	s.showTask(b, c)
	if len(b.Rendered) == 0 {
		s.showBeginning(c)
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
		fmt.Fprintf(s.stdout, "\n%s  %s\n", s.paint.bold(tier.title), s.paint.dim(tier.about))
		if len(tier.entries) == 0 {
			fmt.Fprintln(s.stdout, s.paint.dim("  nothing"))
		}
		for _, e := range tier.entries {
			s.showEntry(e, c.now)
		}
	}
	fmt.Fprintln(s.stdout)
	s.showBudget(b)
	s.showReachable(b)
}

// showTask says whom and what the bundle is for.
func (s *shell) showTask(b *bundle.Bundle, c *coldStart) {
	task := "what every agent is told"
	if c.verb != "" {
		task = strings.TrimSpace(string(c.verb) + " " + strings.Join(c.objects, " "))
	}
	fmt.Fprintln(s.stdout, s.paint.bold(oneLine(task)))
	who := "tenant " + b.Tenant
	if c.agent != "" {
		who += ", agent " + c.agent
	}
	when := ""
	if !c.now.IsZero() { // a tenant without a record has no time
		when = "as of " + moment(c.now)
	}
	s.aside(0, who, when)
}

// showEntry prints one entry: what it says, and below what is known of it.
func (s *shell) showEntry(e *bundle.Entry, now time.Time) {
	s.paragraph(e.Text, 2)
	name := e.URI.String()
	if e.Key != "" && e.Kind == lukasa.MemoryKind {
		name = e.Key
	}
	class := e.Type
	if e.Status != "" && e.Status != string(memory.OutcomeUnknown) {
		class += " " + e.Status
	}
	s.aside(4, "score "+score(e.Score), counted(e.Tokens, "token"), "trust "+e.Trust.String(), class, age(now.Sub(e.Updated)), name)
}

// score writes how much something matters, from 0 to 1.
func score(v float32) string { return fmt.Sprintf("%.2f", v) }

// showBudget prints how much of the budget is taken.
func (s *shell) showBudget(b *bundle.Bundle) {
	const width = 30
	drawn := s.bar(b.TotalTokens, b.Budget, width)
	if b.TotalTokens > b.Budget {
		drawn = s.paint.yellow(drawn)
	} else {
		drawn = s.paint.green(drawn)
	}
	fmt.Fprintf(s.stdout, "%s  %s of %s %s", drawn, thousands(b.TotalTokens), counted(b.Budget, "token"), s.paint.dim("("+b.Counter+")"))
	if b.TotalTokens > b.Budget {
		fmt.Fprint(s.stdout, ": one thing is told whatever its size")
	}
	fmt.Fprintln(s.stdout)
}

// showReachable prints what was left out for want of room, best first.
func (s *shell) showReachable(b *bundle.Bundle) {
	if b.Trimmed == 0 {
		return
	}
	const most = 10
	listed := b.ReachableURIs[:min(len(b.ReachableURIs), most)]
	fmt.Fprintf(s.stdout, "\n%s  %s\n", s.paint.bold("REACHABLE"), s.paint.dim(counted(b.Trimmed, "thing")+" left out for want of room, best first"))
	for _, u := range listed {
		name := u.String()
		weight, ok := b.Scores[name]
		if !ok {
			weight = b.Scores[u.ID]
		}
		fmt.Fprintf(s.stdout, "  %s  %s\n", s.paint.dim(score(weight)), oneLine(name))
	}
	if more := len(b.ReachableURIs) - len(listed); more > 0 {
		fmt.Fprintf(s.stdout, "  … and %d more with --json\n", more)
	}
	advice := "`lukasa resolve URI` shows one of them"
	if b.Budget < bundle.MaxBudgetTokens {
		advice += "; a higher --budget takes in more"
	}
	fmt.Fprintln(s.stdout, "  "+s.paint.dim(advice))
}

// plainRef is a reference that a shell leaves alone.
var plainRef = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+=[A-Za-z0-9_./:@%+,-]+$`)

// showBeginning says what to do when there is nothing to tell.
func (s *shell) showBeginning(c *coldStart) {
	frame := "verb:kind=ref"
	if c.verb != "" && len(c.objects) > 0 && plainRef.MatchString(c.objects[0]) {
		frame = string(c.verb) + ":" + c.objects[0]
	}
	fmt.Fprintln(s.stdout, "\nThere is nothing to tell yet. What helps:")
	for _, way := range [][2]string{
		{"take in what agents saw and did", "lukasa ingest FILE"},
		{"say when something matters", "lukasa remember KEY TEXT --frame " + frame},
		{"lay down a rule for every agent", "lukasa remember KEY TEXT --type constraint --strength hard"},
	} {
		fmt.Fprintf(s.stdout, "  %s\n      %s\n", way[0], s.paint.bold(way[1]))
	}
}
