package questions

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/find"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

type findFlags struct {
	ask.BoardFlags
	kinds, types, tags []string
	key                string
	agent, session     string
	since, until       string
	frame              string
	status, state      string
	asOf, heldAt       string
	where, follow      []string
	seeds              int
	order              string
	limit, budget      int
	form               string
	as                 string
	now                string
	trust, only        string
	explain            bool
	embedder           ask.EmbedderFlags
}

// FindCommand returns the command `lukasa find`.
func FindCommand(s *ask.Shell) *cobra.Command {
	var flags findFlags
	c := &cobra.Command{
		Use:   "find [QUESTION]",
		Short: "Find what answers a question, or what holds for given flags",
		Long: `Find what answers a QUESTION, the best first, among everything there is: events,
memories and other things, by their words, by what they mean, by who says them, by
when they happened and by what stands beside them. Words in double quotes count for
more where they stand together; a QUESTION of nothing else is found as it is or not at
all. --explain shows what a score is made of. --kind, --type, --tag,
--agent, --session, --since, --until and --trust narrow where an answer may come
from; of a flag that is given again, one value must hold. What scores less than a
tenth of the best is counted and not shown, unless --limit or --json is given.

Without a QUESTION, find what all the flags hold for, and what matters most first, as
` + "`lukasa context`" + ` weighs it. The same goes for a QUESTION beside --key, --frame, --status,
--state, --held-at, --where, --follow or another --order, which compare one thing after the
other: then only what has one of its words is found. Something has to narrow what is
looked at: --type, --tag, --key, --agent, --session, --since, --until or a --frame
with its reference; for events --agent, --session or such a --frame. What would be too
much to look through is refused, and the error says what helps.

With --embed-url and --embed-model, or their variables, the QUESTION is compared with
the vectors that ` + "`lukasa embed`" + ` had made, too. If the server does not answer, the
built-in model is used alone, and a note says so.

--as says for whom: what is private to others is not found then, and its learned
weights count.

--as-of gives the answer as it was: at a position, at a root, or at a time by which it
was recorded; it takes a moment for each ten thousand records before. What was erased
since is not in it. --held-at is another matter: what was there and held at a time, by
what is known of it now.

--where compares one field, such as 'importance>=0.8', 'text contains cent' or
'data.status=active'. Fields are text, key, id, actor, type, status, trust,
importance, confidence, created, updated, data.NAME and metadata.NAME;
comparisons = != < <= > >= contains prefix.

--follow leads on from what was found along edges, such as supports:out:2, and
may be given again; all steps together go ` + fmt.Sprint(find.MaxFindHops) + ` hops at most.`,
		Example: `  lukasa find "when are releases cut"
  lukasa find "what broke last week" --kind event --explain
  lukasa find --tag release --where 'importance>=0.3' --order time
  lukasa find --kind event --frame modify:file=billing/refund.go
  lukasa find "when are releases cut" --as-of 2026-11-03
  lukasa find --key release --follow '*:both:2' --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) <= 1 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes one QUESTION, got %d arguments", c.CommandPath(), len(args)).
				WithFix(`put it into quotes, such as lukasa find "when are releases cut"`)
		},
		RunE: func(c *cobra.Command, args []string) error {
			text := strings.Join(args, "")
			if len(args) > 0 && strings.TrimSpace(text) == "" {
				return fault.New(fault.Usage, "the QUESTION is empty").
					WithFix("say what is looked for; or leave it away, and narrow what is looked at with flags")
			}
			if flags.asks(text) {
				return search(s, c, text, &flags)
			}
			if flags.explain || flags.only+flags.trust != "" || flags.embedder.Given(c) {
				return fault.New(fault.Usage, "--explain, --only, --trust and --embed-… go with a QUESTION, and not with flags that compare one thing after the other").
					WithFix("give a QUESTION, and leave --key, --frame, --status, --state, --held-at, --where, --follow and --order away")
			}
			return runFind(s, c, text, &flags)
		},
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringArrayVar(&flags.kinds, "kind", nil, "of this `KIND`: event, "+strings.Join(ask.BodyKinds(), ", ")+"; may be given again")
	f.StringArrayVar(&flags.types, "type", nil, "of this `TYPE`: of memories "+strings.Join(ask.Names(memory.Types()), ", ")+"; of events and others as they were written; may be given again")
	f.StringArrayVar(&flags.tags, "tag", nil, "with this `TAG`; may be given again")
	f.StringVar(&flags.key, "key", "", "whose key is this `KEY` or below it")
	f.StringVar(&flags.agent, "agent", "", "whose event it is, or who wrote it or is meant: an `AGENT`")
	f.StringVar(&flags.session, "session", "", "of the session with this `ID`")
	f.StringVar(&flags.since, "since", "", "not from before: a `TIME`, which is a day such as 2026-03-14, a time in RFC 3339, or how long ago, such as 36h or 7d")
	f.StringVar(&flags.until, "until", "", "from before: such a `TIME`; a day is its first moment, in UTC")
	f.StringVar(&flags.frame, "frame", "", "of this frame, `verb:kind=ref` or verb:kind")
	f.StringVar(&flags.status, "status", "", "with this `STATUS`: of a goal or an artifact; a constraint's strength; an outcome")
	f.StringVar(&flags.state, "state", "", "in this `STATE`: "+strings.Join(ask.Names(ask.Listable()), ", ")+" (default live)")
	addAsOf(c, &flags.asOf)
	f.StringVar(&flags.heldAt, "held-at", "", "what was there and held at such a `TIME`")
	f.StringArrayVar(&flags.where, "where", nil, "where this `COMPARISON` holds; may be given again")
	f.StringArrayVar(&flags.follow, "follow", nil, "go on along edges: `KINDS[:DIRECTION[:HOPS]]`, kinds with commas or * for all; out, in or both; may be given again")
	f.IntVar(&flags.seeds, "seeds", 0, "follow from the first `N` (default half of --limit)")
	f.StringVar(&flags.order, "order", "", "what comes first, an `ORDER`: "+strings.Join(ask.Names(find.FindOrders()), ", ")+" (default relevance with a QUESTION, else salience)")
	f.IntVar(&flags.limit, "limit", find.DefaultFindLimit, fmt.Sprintf("at most `N`, up to %d", find.MaxFindLimit))
	f.IntVar(&flags.budget, "budget", 0, "as many `TOKENS` at most in all texts together (default any)")
	f.StringVar(&flags.form, "form", string(memory.FormMedium), "how much of each, a `FORM`: "+strings.Join(ask.Names(memory.FormList()), ", "))
	f.BoolVar(&flags.explain, "explain", false, "show what each score is made of, and what was made of the QUESTION")
	f.StringVar(&flags.only, "only", "", "candidates from one `SOURCE` only: words or meaning")
	f.StringVar(&flags.trust, "trust", "", "trusted at least so far, a `TIER`: "+strings.Join(ask.TrustNames(), ", "))
	flags.embedder.Add(c, "embed-")
	f.StringVar(&flags.as, "as", "", "the `AGENT` that looks (default an operator, who sees everything)")
	addHeadNow(c, &flags.now)
	ask.SuggestValues(c, "kind", append([]string{record.Event.String()}, ask.BodyKinds()...))
	ask.SuggestValues(c, "type", ask.Names(memory.Types()))
	ask.SuggestValues(c, "state", ask.Names(ask.Listable()))
	ask.SuggestValues(c, "order", ask.Names(find.FindOrders()))
	ask.SuggestValues(c, "form", ask.Names(memory.FormList()))
	return c
}

// options checks the flags, as far as the search itself does not.
func (f *findFlags) options(s *ask.Shell, c *cobra.Command, text string) (o lukasa.FindOptions, err error) {
	o = lukasa.FindOptions{
		Types: f.types, Tags: f.tags, KeyPrefix: f.key, Agent: f.agent, Session: f.session, Frame: f.frame,
		Status: f.status, State: lukasa.State(f.state), Text: text, Seeds: f.seeds, Order: lukasa.FindOrder(f.order),
		Limit: f.limit, BudgetTokens: f.budget, Form: memory.Form(f.form),
	}
	if err := ask.InRange("limit", f.limit, 1, find.MaxFindLimit); err != nil {
		return o, err
	}
	if o.View, err = headView(s, f.now); err != nil {
		return o, err
	}
	if o.View.Agent = f.as; f.as != "" {
		if err := ask.BadFlag("as", memory.CheckID("agent", f.as)); err != nil {
			return o, err
		}
	}
	for _, name := range f.kinds {
		kind, ok := record.ParseKind(name)
		if !ok || kind != record.Event && memory.NewBody(kind) == nil {
			return o, ask.UnknownName(fault.Usage, "kind", name, append([]string{record.Event.String()}, ask.BodyKinds()...))
		}
		o.Kinds = append(o.Kinds, kind)
	}
	if o.After, err = s.AgoFlag("since", f.since); err != nil {
		return o, err
	}
	if o.Before, err = s.AgoFlag("until", f.until); err != nil {
		return o, err
	}
	if o.HeldAt, err = s.AgoFlag("held-at", f.heldAt); err != nil {
		return o, err
	}
	if o.AsOf, err = asOfFlag(s, c, f.asOf); err != nil {
		return o, err
	}
	for _, text := range f.where {
		var w lukasa.Compare
		if w.Field, w.Op, w.Value, err = splitWhere(text); err != nil {
			return o, err
		}
		if w.Field == "strength" || w.Field == "outcome" {
			return o, fault.Newf(fault.Usage, "--where: %q cannot be compared by that name", w.Field).
				WithFix("compare status: it is a constraint's strength, the status of a goal or an artifact, an outcome")
		}
		o.Where = append(o.Where, w)
	}
	for _, text := range f.follow {
		kinds, direction, hops, err := splitFollow(text)
		if err != nil {
			return o, err
		}
		o.Follow = append(o.Follow, lukasa.Step{Kinds: kinds, Direction: lukasa.Direction(direction), Hops: hops})
	}
	if text != "" && len(o.Kinds) == 0 && !f.narrows() {
		o.Kinds, o.Types = []lukasa.Kind{lukasa.MemoryKind}, ask.Names(memory.Types())
	}
	return o, nil
}

// narrows reports whether a flag says where to look.
func (f *findFlags) narrows() bool {
	return len(f.types)+len(f.tags) > 0 || f.key+f.agent+f.session+f.since+f.until != "" || strings.Contains(f.frame, "=")
}

// findFlag maps the fields of a search to the flags that set them.
func findFlag(field string) (string, bool) {
	field, _, _ = strings.Cut(field, "[")
	field, _, _ = strings.Cut(field, ".")
	switch field {
	case "kinds", "types", "tags":
		return strings.TrimSuffix(field, "s"), true
	case "key_prefix":
		return "key", true
	case "after":
		return "since", true
	case "before":
		return "until", true
	case "budget_tokens":
		return "budget", true
	case "as_of":
		return "as-of", true
	case "agent", "session", "frame", "status", "state", "where", "follow", "seeds", "order", "limit", "form":
		return field, true
	}
	return "", false
}

// asFind says what is wrong with a search in the words of the command line.
func asFind(c *cobra.Command, err error) error {
	if e := fault.From(err); e != nil && e.Code == fault.InvalidArgument && strings.HasPrefix(e.Error(), "find: nothing narrows ") {
		fix := "add --type, --tag, --key, --agent, --session, --since, --until, or --frame with a reference"
		if strings.Contains(e.Error(), "events") {
			fix = "add --session, --agent, or --frame with a reference; or leave --kind event away"
		}
		return fault.New(e.Code, e.Error()).WithCause(err).WithFix(fix)
	}
	if e := fault.From(err); e != nil && e.Code == fault.InvalidArgument && strings.Contains(e.Error(), " would be looked at") {
		return fault.New(e.Code, e.Error()).WithCause(err).WithFix(flagged(e.Advice()))
	}
	if e := fault.From(err); e != nil && strings.HasPrefix(e.Error(), "as_of: ") {
		return asPack(c, err)
	}
	return ask.AsFlags(c, err, findFlag)
}

// flagged names the flags in an advice that names the fields of a search.
func flagged(advice string) string {
	return regexp.MustCompile(`\b(types|tags|key_prefix|agent|session|frame|after|before)\b`).ReplaceAllStringFunc(advice, func(field string) string {
		flag, _ := findFlag(field)
		return "--" + flag
	})
}

// noEvents tells how to find events, if it was a type of them that nothing was
// found of and events were not looked at.
func noEvents(s *ask.Shell, f *findFlags) {
	at := slices.IndexFunc(f.types, func(name string) bool { return slices.Contains(hmx.EventTypes(), hmx.EventType(name)) })
	if at < 0 || len(f.kinds) > 0 || f.session != "" { // a session is one of events
		return
	}
	advice := "add --kind event"
	if f.agent == "" && !strings.Contains(f.frame, "=") {
		advice += ", and --session, --agent or --frame with a reference"
	}
	s.Note("%s is a type of events, which were not looked at: %s", f.types[at], advice)
}

func runFind(s *ask.Shell, c *cobra.Command, text string, flags *findFlags) error {
	o, err := flags.options(s, c, text)
	if err != nil {
		return err
	}
	s.Literally("frame", flags.frame)
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		defer replaying(s, &o.AsOf)()
		found, err := t.Find(ctx, o)
		if err != nil {
			return asFind(c, err)
		}
		if found.Matched == 0 {
			noEvents(s, flags)
		}
		if s.JSON {
			a, err := answer.FoundOf(found)
			if err != nil {
				return err
			}
			return s.WriteJSON(a)
		}
		now := o.View.Now
		if now.IsZero() {
			now = found.Root.Time
		}
		show.Found(s.Screen, found, now)
		return nil
	})
}
