package questions

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/block"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/pack"
)

// How a pack is printed.
const (
	packMarkdown = "md"
	packJSON     = "json"
	packTerminal = "terminal"
)

func PackFormats() []string { return []string{packMarkdown, packJSON, packTerminal} }

// packFlags are the flags of commands that make a pack.
type packFlags struct {
	ask.BoardFlags
	budget                  int
	strategy                string
	counter                 string
	weights, sectionWeights []string
	sections, tags          []string
	minRelevance            float64
	session, agent, asOf    string
	priors                  string
	now                     string
	holds                   []string
	format, explain         string
	verify, context         bool
	ordering                string
	embedder                ask.EmbedderFlags
}

// PackCommand returns the command `lukasa pack`.
func PackCommand(s *ask.Shell) *cobra.Command {
	var flags packFlags
	c := &cobra.Command{
		Use:   "pack QUERY",
		Short: "Print what an agent needs to know for a question, within a budget",
		Long: `Print what an agent needs to know for a QUERY: the best of what is known, as much as
fits into --budget tokens, in the words of its sources, with reasons for what is in and
what is not.

To a file or a pipe it prints markdown for a prompt; --format json or --json prints the
pack as data (HMX-C), and a terminal shows how much of the budget each section takes and
why the rest was left out. Text of tools, agents and web pages is between fences that
nothing inside can close.

Sections, in the order in which they get room; --section leaves all others out:
  core              who the agent is, and its instructions
  constraints       what it must not do
  goals             what it is to reach
  procedures        how something is done
  facts             what is known
  episodes          what was said and done
  graph_relations   how entities are connected
  workflow          the task that the --session is in
  conflicts         records that contradict each other
  evidence          what tools and pages state
Each section with candidates gets at least one entry, if there is room, and a guaranteed
share of the budget, which --section-weight sets. The rest goes to the best candidates.

A strategy decides which candidates are the best:
  ranked              by a score of relevance, recency, provenance and salience; --weight
                      sets their weights, and parts that it does not name count 0
  recency_biased      the newest first: the weight halves with each week of age. The age
                      of events is measured from the newest event, so that imported
                      history has recent events, too; --now sets another time
  breadth_first       entries of many sections and sessions
  depth_first         many entries of the section of the best candidate
  fingerprint_guided  what was useful before: by --priors, else by what 'lukasa
                      fingerprint import' stored, else by feedback

The budget is filled as long as there are candidates related to the QUERY. Candidates with
less than --min-relevance of the best relevance are left out. The default, a tenth, is
low: a long history nearly always has enough for all ` + term.Thousands(lukasa.DefaultPackBudget) + `
tokens. Use --budget 500 for less, --min-relevance 0.5 for closer matches, and --section
for only some sections.

The same state and flags give the same pack at any time. --as-of gives the pack of an
earlier state: at a position, at a root, or at a time. --verify proves each entry down to
the journal, makes the pack again, and reports what cannot be proven. --explain says why
one record is in or out, as ` + "`lukasa explain`" + ` does. --session names the session under way,
which adds what usually comes next; --agent names the agent that the pack is for, and
hides what is private to others.

--context prints a plain block of bullets about a topic instead, in the order of
--ordering, with four characters counted as a token. Texts that do not fit are left out.

docs/packs.md has the details.`,
		Example: `  lukasa pack "when are releases cut" > context.md
  lukasa pack "what is wrong with refunds" --budget 500 --min-relevance 0.5 --format terminal
  lukasa pack "refunds" --strategy recency_biased --section episodes --section facts --json
  lukasa pack "refunds" --as-of 2026-11-03 --verify
  lukasa pack "release" --context --budget 200`,
		Args: oneQuery,
		RunE: func(c *cobra.Command, args []string) error { return runPack(s, c, args[0], &flags) },
	}
	flags.add(c)
	f := c.Flags()
	f.StringVar(&flags.format, "format", "", "how it is printed, a `FORMAT`: "+strings.Join(PackFormats(), ", ")+" (default terminal on a terminal, else md)")
	f.BoolVar(&flags.verify, "verify", false, "prove each entry down to the journal, against a signed checkpoint")
	f.StringVar(&flags.explain, "explain", "", "say why this `ID` or URI is in the pack, or is not, instead of printing it")
	f.BoolVar(&flags.context, "context", false, "give a block of bullets about QUERY instead of a pack")
	f.StringVar(&flags.ordering, "ordering", "", "with --context: what comes first, an `ORDER`: "+strings.Join(ask.Names(block.Orderings()), ", ")+" (default "+string(block.ByRelevanceAndRecency)+")")
	ask.SuggestValues(c, "format", PackFormats())
	ask.SuggestValues(c, "ordering", ask.Names(block.Orderings()))
	return c
}

// oneQuery is for commands that take a QUERY.
func oneQuery(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return fault.Newf(fault.Usage, "%q needs a QUERY", c.CommandPath()).WithFix(`say what the context is for, such as lukasa pack "when are releases cut"`)
	case len(args) > 1:
		return fault.Newf(fault.Usage, "%q takes one QUERY, got %d arguments", c.CommandPath(), len(args)).
			WithFix(`put it into quotes, such as lukasa pack "when are releases cut"`)
	}
	return nil
}

// add adds the flags that select a pack.
func (f *packFlags) add(c *cobra.Command) {
	f.AddTenant(c)
	f.AddScope(c)
	l := c.Flags()
	l.IntVar(&f.budget, "budget", lukasa.DefaultPackBudget, fmt.Sprintf("at most this number of `TOKENS`, 1 to %s; more counts as the maximum (with --context the default is %s)", term.Thousands(lukasa.MaxPackBudget), term.Thousands(lukasa.DefaultBlockBudget)))
	l.StringVar(&f.strategy, "strategy", string(lukasa.Ranked), "how entries are chosen, a `STRATEGY`: "+strings.Join(ask.Names(hmx.Strategies()), ", "))
	l.StringVar(&f.counter, "counter", pack.Counters()[0], "what counts tokens, a `COUNTER`: "+strings.Join(pack.Counters(), ", "))
	l.StringArrayVar(&f.weights, "weight", nil, "the weight of a part of the score, `PART=NUMBER`: "+strings.Join(pack.WeightNames(), ", ")+"; may be given again")
	l.StringArrayVar(&f.sections, "section", nil, "this `SECTION` only: "+strings.Join(ask.Names(hmx.Sections()), ", ")+"; may be given again")
	l.StringArrayVar(&f.sectionWeights, "section-weight", nil, "the guaranteed share of the budget of a section, relative to others, `SECTION=NUMBER`; may be given again, and sections that are not named have none")
	l.Float64Var(&f.minRelevance, "min-relevance", pack.DefaultMinRelevance, "leave out what answers less well than this `PART` of the best, 0 to 1")
	l.StringArrayVar(&f.tags, "tag", nil, "only with this `TAG`; pinned records stay; may be given again")
	l.StringVar(&f.session, "session", "", "the session under way, by its `ID`")
	l.StringVar(&f.agent, "agent", "", "the `AGENT` whose pack it is (default an operator, who sees everything)")
	addAsOf(c, &f.asOf)
	l.StringVar(&f.priors, "priors", "", `what was useful before, for fingerprint_guided: `+"`JSON`"+` such as {"sections":{"facts":0.8}}`)
	f.embedder.Add(c, "embed-")
	addHeadNow(c, &f.now)
	addConditions(c, &f.holds)
	ask.SuggestValues(c, "strategy", ask.Names(hmx.Strategies()))
	ask.SuggestValues(c, "counter", pack.Counters())
	ask.SuggestValues(c, "section", ask.Names(hmx.Sections()))
}

// options checks the flags, as far as the packer does not.
func (f *packFlags) options(s *ask.Shell, c *cobra.Command, query string) (o lukasa.PackOptions, err error) {
	o = lukasa.PackOptions{
		Query: query, Budget: f.budget, Strategy: lukasa.Strategy(f.strategy), Counter: f.counter, Tags: f.tags, Session: f.session,
		MinRelevance: hmx.Some(f.minRelevance), Priors: hmx.Raw(f.priors),
	}
	for _, name := range f.sections {
		o.Sections = append(o.Sections, lukasa.PackSection(name))
	}
	if f.budget <= 0 {
		return o, fault.Newf(fault.Usage, "--budget: %d tokens hold nothing", f.budget).
			WithFix(fmt.Sprintf("give 1 to %d, or leave it out for %d", lukasa.MaxPackBudget, lukasa.DefaultPackBudget))
	}
	if f.budget > lukasa.MaxPackBudget {
		s.Note("--budget: %s is more than the most, so that it is %s", term.Thousands(f.budget), term.Thousands(lukasa.MaxPackBudget))
		o.Budget = lukasa.MaxPackBudget
	}
	if o.Weights, err = weightsFlag("weight", f.weights); err != nil {
		return o, err
	}
	shares, err := weightsFlag("section-weight", f.sectionWeights)
	if err != nil {
		return o, err
	}
	if shares != nil {
		o.SectionWeights = make(map[hmx.Section]float64, len(shares))
		for name, x := range shares {
			o.SectionWeights[hmx.Section(name)] = x
		}
	}
	if o.AsOf, err = asOfFlag(s, c, f.asOf); err != nil {
		return o, err
	}
	if o.View, err = f.view(s, c); err != nil {
		return o, err
	}
	request := pack.Request{
		Query: query, Budget: o.Budget, Strategy: o.Strategy, Counter: o.Counter, Weights: o.Weights, SectionWeights: o.SectionWeights,
		MinRelevance: o.MinRelevance, Sections: o.Sections, Tags: o.Tags, Priors: o.Priors,
	}
	if _, err = request.Normalize(); err != nil { // before waiting for a directory
		return o, asPack(c, err)
	}
	if f.priors != "" && o.Strategy != hmx.StrategyFingerprintGuided {
		s.Note("--priors: only --strategy %s uses them", hmx.StrategyFingerprintGuided)
	}
	return o, nil
}

// view returns the view of the flags.
func (f *packFlags) view(s *ask.Shell, c *cobra.Command) (lukasa.View, error) {
	v, err := headView(s, f.now)
	if err != nil {
		return v, err
	}
	if err := conditionFlags(f.holds); err != nil {
		return v, err
	}
	v.Conditions = f.holds
	if v.Agent = f.agent; c.Flags().Changed("agent") {
		err = ask.BadFlag("agent", memory.CheckID("agent", f.agent))
	}
	return v, err
}

// weightsFlag reads NAME=NUMBER, each name once. None is nil.
func weightsFlag(flag string, given []string) (map[string]float64, error) {
	if len(given) == 0 {
		return nil, nil
	}
	list := make(map[string]float64, len(given))
	for _, text := range given {
		name, number, ok := strings.Cut(text, "=")
		x, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil {
			return nil, fault.Newf(fault.Usage, "--%s: %q is not of the form NAME=NUMBER", flag, term.Preview(text, 60)).WithFix("write it such as " + weightExamples[flag])
		}
		if _, twice := list[name]; twice {
			return nil, fault.Newf(fault.Usage, "--%s: %q is given twice", flag, term.Preview(name, 60)).WithFix("say it once")
		}
		list[name] = x
	}
	return list, nil
}

// weightExamples are how weights are written, by flag.
var weightExamples = map[string]string{"weight": "relevance=0.6", "section-weight": "facts=0.5"}

// addAsOf adds --as-of, for commands that can look at a past state.
func addAsOf(c *cobra.Command, text *string) {
	c.Flags().StringVar(text, "as-of", "", "as it was in a `STATE`: when a position was the newest, such as 41; at a root or 8 or more of its first digits; at a time, such as 2026-03-14, 2026-03-14T03:00:00Z or 7d ago written 7d")
}

// replaying shows the progress of the replay of a past state on a terminal, until the caller
// calls done.
func replaying(s *ask.Shell, as *lukasa.AsOf) (done func()) {
	p := s.Progress()
	as.Progress = ask.Parts(p, "replaying", "record")
	return p.Done
}

// asOfFlag reads the name of a state: up to 20 decimal digits are a position, 64 hexadecimal
// digits a root, and 8 or more the beginning of one. Anything else is a time. Without the flag
// it is the present.
func asOfFlag(s *ask.Shell, c *cobra.Command, text string) (as lukasa.AsOf, err error) {
	if text == "" && c.Flags().Changed("as-of") {
		return as, fault.New(fault.Usage, "--as-of: it is empty").WithFix("give a position, a root or a time, or leave it out for the present")
	}
	if text == "" {
		return as, nil
	}
	if root, err := hex.DecodeString(text); err == nil && len(root) == merkle.HashSize {
		return lukasa.AsOf{Root: hmx.Some(merkle.Hash(root))}, nil
	}
	if position, err := strconv.ParseUint(text, 10, 64); err == nil {
		return lukasa.AsOf{Position: hmx.Some(position)}, nil
	}
	if digits := strings.ToLower(text); len(digits) >= lukasa.LeastRootPrefix && len(digits) < 2*merkle.HashSize && strings.Trim(digits, "0123456789abcdef") == "" &&
		(len(digits) > 20 || strings.Trim(digits, "0123456789") != "") {
		return lukasa.AsOf{RootPrefix: digits}, nil
	}
	if as.Time, err = s.AgoFlag("as-of", text); err != nil || as.Time.IsZero() { // the first of all times means none
		return as, fault.Newf(fault.Usage, "--as-of: %q is neither a position, a root nor a time", term.Preview(text, 80)).WithCause(err).
			WithFix("give the position of a record, such as 41; a root, as `lukasa root` and every write print it, or 8 or more of its first digits; or a time: 2026-03-14, 2026-03-14T03:00:00Z or 7d for how long ago")
	}
	if as.Time.After(s.Now()) {
		s.Note("--as-of: %s is in the future; all records count", as.Time.UTC().Format(time.RFC3339))
	}
	return as, nil
}

// asOfText is asOfFlag for an operation, which reads a state itself, but no span of time.
func asOfText(s *ask.Shell, c *cobra.Command, text string) (string, error) {
	as, err := asOfFlag(s, c, text)
	if !as.Time.IsZero() {
		text = as.Time.UTC().Format(time.RFC3339Nano)
	}
	return text, err
}

// packFlag maps the fields of a request to the flags that set them.
func packFlag(field string) (string, bool) {
	field, _, _ = strings.Cut(field, "[")
	switch field {
	case "weights", "sections", "tags", "section_weights":
		return strings.ReplaceAll(strings.TrimSuffix(field, "s"), "_", "-"), true
	case "min_relevance", "as_of":
		return strings.ReplaceAll(field, "_", "-"), true
	case "budget", "strategy", "counter", "session", "agent", "priors", "ordering", "now":
		return field, true
	case "budget_tokens":
		return "budget", true
	}
	return "", false
}

// asPack rewrites an error of a request in the terms of the command line.
func asPack(c *cobra.Command, err error) error {
	e := fault.From(err)
	if e == nil || e.Code != fault.InvalidArgument {
		return err
	}
	field, rule, _ := strings.Cut(e.Error(), ": ")
	if field == "query" || field == "topic" {
		return fault.New(fault.Usage, "the QUERY: "+rule).WithCause(err).WithFix(e.Advice())
	}
	name, ok := packFlag(field)
	if !ok || !c.Flags().Changed(name) {
		return err
	}
	return fault.New(fault.Usage, "--"+name+": "+rule).WithCause(err).WithFix(e.Advice())
}

// packFormat returns how a pack is printed.
func packFormat(s *ask.Shell, c *cobra.Command, given string) (string, error) {
	switch given {
	case "":
		if c.Flags().Changed("format") {
			break
		}
		switch {
		case s.JSON:
			return packJSON, nil
		case s.Detect(s.Stdout.Target).Is:
			return packTerminal, nil
		}
		return packMarkdown, nil
	case packMarkdown, packTerminal:
		if s.JSON {
			return "", fault.Newf(fault.Usage, "--json and --format %s are two formats", given).WithFix("give one of them")
		}
		return given, nil
	case packJSON:
		s.JSON = true // notes and errors, too
		return given, nil
	}
	return "", ask.UnknownName(fault.Usage, "format for --format", given, PackFormats())
}

// runPack prints a pack, in the form that the flags select.
func runPack(s *ask.Shell, c *cobra.Command, query string, flags *packFlags) error {
	format, err := packFormat(s, c, flags.format)
	if err != nil {
		return err
	}
	switch {
	case flags.context:
		return packContext(s, c, query, flags, format)
	case c.Flags().Changed("ordering"):
		return fault.New(fault.Usage, "--ordering needs --context").WithFix("add --context; a pack has a --strategy")
	case c.Flags().Changed("explain"):
		if flags.verify {
			return fault.New(fault.Usage, "--explain prints no pack to --verify").WithFix("give one of them")
		}
		return explain(s, c, flags.explain, query, flags)
	}
	o, err := flags.ask(s, c, query)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := packer(ctx, v)
		if err != nil {
			return err
		}
		defer replaying(s, &o.AsOf)()
		packed, err := t.Pack(ctx, o)
		if err != nil {
			return asPack(c, err)
		}
		s.Degraded(packed.Degraded)
		if flags.asOf != "" && packed.Root.Size == 0 {
			s.Note("--as-of: there was no record yet")
		}
		var proof *lukasa.PackProof
		if flags.verify {
			verify := lukasa.VerifyPackOptions{Warn: s.WitnessNote, Embedder: o.Embedder, Far: true, Progress: o.AsOf.Progress}
			if proof, err = t.VerifyPack(ctx, packed.Pack, verify); err != nil {
				return unproven(proof, err)
			}
		}
		if note := rulesLeftOut(packed.Pack, o.Sections); note != "" && format == packMarkdown {
			s.Note("%s", note)
		}
		return showPacked(s, packed, proof, format)
	})
}

// packer returns the tenant of a pack. A tenant that the user named must exist.
func packer(ctx context.Context, v *ask.Visit) (*lukasa.Tenant, error) {
	t, err := v.Reader(ctx)
	if err != nil {
		return nil, err
	}
	root, err := v.Root(ctx, t.Name())
	if err != nil {
		return nil, err
	}
	return t, v.Slip(t.Name(), root.Size)
}

// ask checks the flags, and calls the embedder before it opens the directory.
func (f *packFlags) ask(s *ask.Shell, c *cobra.Command, query string) (lukasa.PackOptions, error) {
	o, err := f.options(s, c, query)
	if err != nil {
		return o, err
	}
	// A query must not wait long.
	if o.Embedder, err = s.Embedder(c, &f.embedder, lukasa.EmbedServer{Retries: -1}); err != nil {
		return o, err
	}
	o.Embedder = askAhead(c.Context(), o.Embedder, query)
	return o, nil
}

// unproven is the error of a pack that does not verify, with the first entry that
// does not.
func unproven(proof *lukasa.PackProof, err error) error {
	if proof == nil {
		return err
	}
	for _, e := range proof.Entries {
		if !e.OK {
			failed := fault.From(err)
			return fault.Newf(failed.Code, "%s: %s", e.URI, e.Problem).WithCause(err).WithFix(failed.Advice())
		}
	}
	return err
}

// showPacked prints a pack in a format.
func showPacked(s *ask.Shell, p *lukasa.Packed, proof *lukasa.PackProof, format string) error {
	switch format {
	case packJSON:
		if proof == nil {
			return s.WriteJSON(p.Pack)
		}
		return s.WriteJSON(answer.ProvenPack{Pack: p.Pack, Proof: answer.PackProofOf(proof)})
	case packTerminal:
		show.Pack(s.Screen, p, proof)
		return nil
	}
	if proof != nil {
		s.Note("proven: %s", show.ProvenText(proof))
		s.Note("%s", show.RemadeText(proof))
	}
	_, err := io.WriteString(s.Stdout, p.Text)
	return err
}

// rulesLeftOut returns how many rules do not fit into the text of a pack, and how many are cut;
// nothing if all are there. A pack names up to 20 rules and 100 dropped candidates, so the real
// number may be higher.
func rulesLeftOut(p *hmx.Pack, sections []hmx.Section) string {
	if len(sections) > 0 && !slices.Contains(sections, hmx.SectionConstraints) {
		return ""
	}
	told, out, cut := make(map[string]bool), make(map[string]bool), 0
	for i := range p.Entries {
		e := &p.Entries[i]
		told[e.SourceID] = true
		if e.Section == hmx.SectionConstraints && show.ExtraMember[bool](e.Extra, "truncated") {
			cut++
		}
	}
	for i := range p.DroppedEntries {
		d := &p.DroppedEntries[i]
		if d.DropReason != hmx.DropBudget {
			told[d.SourceID] = true // or need not be
		} else if d.Section == hmx.SectionConstraints {
			out[d.SourceID] = true
		}
	}
	for i := range p.DecisionConstraints {
		if c := &p.DecisionConstraints[i]; !c.OverrideAllowed && !told[c.ArtifactID] {
			out[c.ArtifactID] = true
		}
	}
	var parts []string
	if n := len(out); n > 0 {
		more := ""
		if len(p.DecisionConstraints) == hmx.MaxDecisionConstraints || len(p.DroppedEntries) == hmx.MaxDroppedEntries {
			more = "at least "
		}
		parts = append(parts, more+term.Counted(n, "rule")+" had no room in the text")
	}
	if cut > 0 {
		parts = append(parts, term.Counted(cut, "rule")+" shown in part")
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + "; a higher --budget has more room"
}

// packContext prints a block of context.
func packContext(s *ask.Shell, c *cobra.Command, topic string, flags *packFlags, format string) error {
	for _, name := range []string{"strategy", "counter", "weight", "section", "section-weight", "min-relevance", "tag", "session", "as-of", "priors", "verify", "explain", "embed-url", "embed-model", "embed-key-file"} {
		if c.Flags().Changed(name) {
			return fault.Newf(fault.Usage, "--%s cannot be combined with --context", name).
				WithFix("with --context there are --budget, --ordering, --agent, --now and where to look; leave one of the two out")
		}
	}
	o := lukasa.PackContextOptions{BlockRequest: lukasa.BlockRequest{Topic: topic, Ordering: lukasa.Ordering(flags.ordering)}}
	if c.Flags().Changed("budget") {
		o.Budget = hmx.Some(flags.budget)
		if most := min(max(flags.budget, 1), lukasa.MaxBlockBudget); most != flags.budget {
			s.Note("--budget: %s is not from 1 to %s, so that it is %s", term.Thousands(flags.budget), term.Thousands(lukasa.MaxBlockBudget), term.Thousands(most))
		}
	}
	if _, err := o.Normalize(); err != nil {
		return asPack(c, err)
	}
	var err error
	if o.View, err = flags.view(s, c); err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := packer(ctx, v)
		if err != nil {
			return err
		}
		text, err := t.PackContext(ctx, o)
		if err != nil {
			return asPack(c, err)
		}
		if format == packJSON {
			return s.WriteJSON(answer.BlockOf(text))
		}
		if text != "" && s.Detect(s.Stdout.Target).Is {
			text += "\n" // only at a terminal: the output to a pipe stays within the budget
		}
		_, err = io.WriteString(s.Stdout, text)
		return err
	})
}
