package questions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/scope"
)

type contextFlags struct {
	ask.BoardFlags
	verb     string
	objects  []string
	budget   int
	tiers    []string
	outcomes int
	form     string
	agent    string
	now      string
	holds    []string
}

// ContextCommand returns the command `lukasa context`.
func ContextCommand(s *ask.Shell) *cobra.Command {
	var flags contextFlags
	c := &cobra.Command{
		Use:   "context",
		Short: "Print what an agent should know when it starts a task",
		Long: `Print what an agent should know when it starts a task, in three tiers: what is
pinned (who it is, hard constraints, active goals), what matters for doing --verb
with each --object, and how that went before. Without --verb and --object only
the pinned records are printed.

The most important records come first, as many as fit into --budget. The best of
the rest are listed as links, which ` + "`lukasa resolve`" + ` shows. Records are ranked by
age, by how often they were used, by how well that went (from ` + "`lukasa feedback`" + `)
and by their declared importance. --agent selects whose learned weights count,
and hides what is private to others.

It writes nothing. Its clock is the time of the newest record, so that the same
state gives the same answer; --now sets another time. docs/cold-start.md has the
details.`,
		Example: `  lukasa context
  lukasa context --verb modify --object file=billing/refund.go
  lukasa context --verb modify --object file=billing/refund.go --object tool=go --budget 500 --form short
  lukasa context --verb modify --object file=billing/refund.go --tier outcomes --outcomes 10 --json`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runContext(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringVar(&flags.verb, "verb", "", "what is to be done, a `VERB`: "+strings.Join(ask.Names(memory.Verbs()), ", "))
	f.StringArrayVar(&flags.objects, "object", nil, "with what, as `kind=ref`, one of each kind; kinds are "+strings.Join(ask.Names(memory.ObjectKinds()), ", "))
	f.IntVar(&flags.budget, "budget", bundle.DefaultBudgetTokens, fmt.Sprintf("at most this number of `TOKENS`; more than %s counts as that, and 0 as the default", term.Thousands(bundle.MaxBudgetTokens)))
	f.StringArrayVar(&flags.tiers, "tier", nil, "only this `TIER`: "+strings.Join(ask.Names(bundle.Tiers()), ", ")+"; may be given again")
	f.IntVar(&flags.outcomes, "outcomes", bundle.DefaultOutcomeLimit, fmt.Sprintf("at most `N` outcomes; more than %d counts as that, and 0 as the default; --tier leaves them out", bundle.MaxOutcomeLimit))
	f.StringVar(&flags.form, "form", string(memory.FormMedium), "how much of each, a `FORM`: "+strings.Join(ask.Names(memory.FormList()), ", "))
	f.StringVar(&flags.agent, "agent", "", "the `AGENT` that starts (default an operator, who sees everything)")
	addHeadNow(c, &flags.now)
	addConditions(c, &flags.holds)
	ask.SuggestValues(c, "verb", ask.Names(memory.Verbs()))
	ask.SuggestValues(c, "tier", ask.Names(bundle.Tiers()))
	ask.SuggestValues(c, "form", ask.Names(memory.FormList()))
	return c
}

// addHeadNow adds --now, for reads whose default time is that of the newest record.
func addHeadNow(c *cobra.Command, now *string) {
	c.Flags().StringVar(now, "now", "", headNowHelp)
}

const headNowHelp = "the `TIME` for age and expiry, in RFC 3339, or the word now (default that of the newest record, or of what expired since)"

// addConditions adds --condition, for reads that act on what holds.
func addConditions(c *cobra.Command, conditions *[]string) {
	c.Flags().StringArrayVar(conditions, "condition", nil, conditionHelp)
}

// conditionFlag is --condition of a command that is made of an operation, and goodConditions judges it.
func conditionFlag() ask.Flag {
	return ask.Flag{Field: "conditions", Name: "condition", Help: conditionHelp}
}

func goodConditions(r *ask.Request) error {
	holds, _ := r.Fields["conditions"].([]string)
	return conditionFlags(holds)
}

const conditionHelp = "a `CONDITION` that holds, such as \"project: github.com/acme/shop\": records for other conditions are left out; may be given again"

// conditionFlags judges what --condition says.
func conditionFlags(conditions []string) error {
	return ask.BadFlag("condition", memory.CheckConditions("condition", conditions))
}

// headView returns the view of a read: at the time of the newest record, unless now
// names another.
func headView(s *ask.Shell, now string) (lukasa.View, error) {
	switch now {
	case "":
		return lukasa.View{}, nil
	case "now":
		return lukasa.View{Now: s.Now()}, nil
	}
	t, err := ask.TimeFlag("now", now)
	return lukasa.View{Now: t.Time()}, err
}

// options checks the flags.
func (f *contextFlags) options(s *ask.Shell, c *cobra.Command) (o lukasa.ContextOptions, err error) {
	o = lukasa.ContextOptions{BudgetTokens: f.budget, OutcomeLimit: f.outcomes}
	if f.verb != "" {
		if o.Verb, err = memory.ParseVerb(f.verb); err != nil {
			return o, ask.BadFlag("verb", err)
		}
	}
	if o.Objects, err = objects(f.objects); err != nil {
		return o, err
	}
	if f.budget < 0 {
		return o, fault.Newf(fault.Usage, "--budget: %d is less than nothing", f.budget).
			WithFix(fmt.Sprintf("give 1 to %d tokens, or leave it out for %d", bundle.MaxBudgetTokens, bundle.DefaultBudgetTokens))
	}
	if f.outcomes < 0 {
		return o, fault.Newf(fault.Usage, "--outcomes: %d is less than nothing", f.outcomes).
			WithFix(fmt.Sprintf("give 1 to %d; --tier leaves outcomes out", bundle.MaxOutcomeLimit))
	}
	for _, name := range f.tiers {
		tier, err := bundle.ParseTier(name)
		if err != nil {
			return o, ask.UnknownName(fault.Usage, "tier", name, ask.Names(bundle.Tiers()))
		}
		o.IncludeTiers = append(o.IncludeTiers, tier)
	}
	if o.Form, err = memory.ParseForm(f.form); err != nil {
		return o, ask.BadFlag("form", err)
	}
	if o.View, err = headView(s, f.now); err != nil {
		return o, err
	}
	if o.View.Conditions, err = f.holds, conditionFlags(f.holds); err != nil {
		return o, err
	}
	if o.View.Agent = f.agent; c.Flags().Changed("agent") {
		err = ask.BadFlag("agent", memory.CheckID("agent", f.agent))
	}
	return o, err
}

// objects reads what something is to be done with. There is one of each kind.
func objects(given []string) (map[string]string, error) {
	found := map[string]string{}
	for _, text := range given {
		kind, ref, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fault.Newf(fault.Usage, "--object: %q is not of the form kind=ref", term.Preview(text, 60)).
				WithFix("write it such as file=internal/pack/pack.go")
		}
		k, err := memory.ParseObjectKind(kind)
		if err != nil {
			return nil, ask.BadFlag("object", err)
		}
		if _, twice := found[kind]; twice {
			return nil, fault.Newf(fault.Usage, "--object: there are two of kind %s", kind).WithFix("give one of each kind, and ask again for the other")
		}
		if err := (memory.Frame{Verb: memory.VerbFind, Kind: k, Ref: ref}).Validate(); err != nil {
			return nil, ask.BadFlag("object", err)
		}
		found[kind] = ref
	}
	return found, nil
}

func runContext(s *ask.Shell, c *cobra.Command, flags *contextFlags) error {
	o, err := flags.options(s, c)
	if err != nil {
		return err
	}
	switch {
	case o.Verb == "" && len(o.Objects) > 0:
		s.Note("--object counts only with a --verb: without, it is what is pinned alone")
	case o.Verb != "" && len(o.Objects) == 0:
		s.Note("--verb counts only with an --object: without, it is what is pinned alone")
	}
	for _, object := range flags.objects {
		s.Literally("object", object)
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		found, err := t.Context(ctx, o)
		if err != nil {
			return err
		}
		if err := v.Slip(t.Name(), found.Size); err != nil {
			return err
		}
		if s.JSON {
			return s.WriteJSON(answer.BundleOf(found))
		}
		start := &coldStart{verb: o.Verb, objects: flags.objects, agent: o.View.Agent, now: o.View.Now, tiers: o.IncludeTiers}
		if v.Scope != "" {
			held, err := v.Held()
			if err != nil {
				return err
			}
			start.agent, start.scoped, start.readOnly = held.To, true, held.Mode != scope.Write
		}
		if start.unfiled(found) {
			if start.elsewhere, err = elsewhere(ctx, t, o); err != nil {
				return err
			}
		}
		if start.now.IsZero() {
			root, err := v.Root(ctx, t.Name())
			if err != nil {
				return err
			}
			start.now = root.Time
		}
		showBundle(s, found, start)
		return nil
	})
}

// filed is how much is filed under a verb.
type filed struct {
	verb   memory.Verb
	things int
}

// elsewhere counts what other verbs would tell about the same objects, most
// first; nothing if the verb that was asked for has something, be it pinned.
func elsewhere(ctx context.Context, t *lukasa.Tenant, o lukasa.ContextOptions) ([]filed, error) {
	asked := o.Verb
	o.IncludeTiers = []bundle.Tier{bundle.TierFrameRelevant, bundle.TierOutcomes}
	o.Form, o.BudgetTokens = memory.FormShort, 1 // what is left out is counted and costs nothing
	var found []filed
	for _, verb := range memory.Verbs() {
		o.Verb = verb
		b, err := t.Context(ctx, o)
		if err != nil {
			return nil, err
		}
		switch n := len(b.FrameRelevant) + len(b.Outcomes) + b.Trimmed; {
		case n == 0:
		case verb == asked:
			return nil, nil
		default:
			found = append(found, filed{verb, n})
		}
	}
	slices.SortStableFunc(found, func(a, b filed) int { return cmp.Compare(b.things, a.things) })
	return found, nil
}
