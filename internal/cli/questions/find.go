package questions

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/find"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/operation"
)

// finding is a find under way: its own flags, and the request that they became.
type finding struct {
	*ask.Shell
	asOf        string
	trust, only string
	explain     bool
	embedder    ask.EmbedderFlags
	asked       lukasa.Embedder
	request     *ask.Request
}

// FindCommand returns the command `lukasa find`.
func FindCommand(s *ask.Shell) *cobra.Command {
	f := &finding{Shell: s}
	return ask.OperationCommand(s, ask.Command[any]{
		Operation: "find",
		Use:       "find [QUESTION]",
		Short:     "Find what answers a question, or what holds for given flags",
		Long: `Find what answers a QUESTION, the best first, among all events, memories and other
records: by words, by meaning, by speaker, by time and by neighbouring events. Words in
double quotes count for more where they occur together; a QUESTION that is only a quoted
phrase matches exactly or not at all. --explain shows the parts of a score. --kind,
--type, --tag, --agent, --session, --since, --until and --trust filter the results; of a
flag that is given more than once, one value must match. Results that score less than a
tenth of the best are counted and not shown, unless --limit or --json is given.

Without a QUESTION, find the records that match all flags, ranked as ` + "`lukasa context`" + `
ranks them. The same holds for a QUESTION with --key, --frame, --status, --state,
--held-at, --where, --follow or another --order: these compare records one by one, and
only records with one of the words of the QUESTION are found. One of these flags must
narrow the search: --type, --tag, --key, --agent, --session, --since, --until or a
--frame with its reference; for events --agent, --session or such a --frame. A search
that would read too much is refused, and the error says what helps.

With --embed-url and --embed-model, or their variables, the QUESTION is also compared
with the vectors of ` + "`lukasa embed`" + `. If the server does not answer, only the built-in
model is used, and a note says so.

--as names the agent that reads: what is private to others is not found, and the
learned weights of that agent count.

--as-of gives the answer of an earlier state: at a position, at a root, or at a time of
recording. It takes a moment for each ten thousand records. What was erased since is not
in it. --held-at is different: it finds what was on record and valid at a time, by what
is known now.

--where compares one field, such as 'importance>=0.8', 'text contains cent' or
'data.status=active'. Fields are text, key, id, actor, type, status, trust,
importance, confidence, created, updated, data.NAME and metadata.NAME;
comparisons = != < <= > >= contains prefix.

--follow continues from the results along edges, such as supports:out:2, and may be
given again; all steps together have at most ` + fmt.Sprint(find.MaxFindHops) + ` hops.`,
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
		Argument: "text",
		Flags: []ask.Flag{
			{Field: "kinds", Name: "kind", Help: "of this `KIND`: event, " + strings.Join(ask.BodyKinds(), ", ") + "; may be given again"},
			{Field: "types", Name: "type", Help: "of this `TYPE`: of memories " + strings.Join(ask.Names(memory.Types()), ", ") + "; of events and others as they were written; may be given again"},
			{Field: "tags", Name: "tag", Help: "with this `TAG`; may be given again"},
			{Field: "key_prefix", Name: "key", Help: "whose key is this `KEY` or below it"},
			{Field: "agent", Help: "whose event it is, or who wrote it or is meant: an `AGENT`"},
			{Field: "session", Help: "of the session with this `ID`"},
			{Field: "after", Name: "since", Ago: true, Help: "not from before: a `TIME`, which is a day such as 2026-03-14, a time in RFC 3339, or how long ago, such as 36h or 7d"},
			{Field: "before", Name: "until", Ago: true, Help: "from before: such a `TIME`; a day is its first moment, in UTC"},
			{Field: "frame", Help: "of this frame, `verb:kind=ref` or verb:kind"},
			{Field: "status", Help: "with this `STATUS`: of a goal or an artifact; a constraint's strength; an outcome"},
			{Field: "state", Help: "in this `STATE`: " + strings.Join(ask.Names(ask.Listable()), ", ") + " (default live)"},
			{Field: "held_at", Ago: true, Help: "what was there and held at such a `TIME`"},
			{Field: "where", Help: "where this `COMPARISON` holds; may be given again"},
			{Field: "follow", Help: "go on along edges: `KINDS[:DIRECTION[:HOPS]]`, kinds with commas or * for all; out, in or both; may be given again"},
			{Field: "seeds", Help: "follow from the first `N` (default half of --limit)", Usage: true},
			{Field: "order", Help: "what comes first, an `ORDER`: " + strings.Join(ask.Names(find.FindOrders()), ", ") + " (default relevance with a QUESTION, else salience)"},
			{Field: "limit", Help: fmt.Sprintf("at most `N`, up to %d", find.MaxFindLimit)},
			{Field: "budget_tokens", Name: "budget", Help: "as many `TOKENS` at most in all texts together (default any)", Usage: true},
			{Field: "form", What: "form for --form", Help: "how much of each, a `FORM`: " + strings.Join(ask.Names(memory.FormList()), ", ")},
			{Field: "agent_id", Name: "as", Help: "the `AGENT` that looks (default an operator, who sees everything)"},
			{Field: "now", Help: headNowHelp},
		},
		Own: func(c *cobra.Command) {
			addAsOf(c, &f.asOf)
			c.Flags().BoolVar(&f.explain, "explain", false, "show what each score is made of, and what was made of the QUESTION")
			c.Flags().StringVar(&f.only, "only", "", "candidates from one `SOURCE` only: words or meaning")
			c.Flags().StringVar(&f.trust, "trust", "", "trusted at least so far, a `TIER`: "+strings.Join(ask.TrustNames(), ", "))
			f.embedder.Add(c, "embed-")
		},
		Prepare: f.prepare,
		Call: func(_ context.Context, _ *ask.Visit, call *operation.Call) error {
			call.Embedder = f.asked
			return nil
		},
		Fail:   f.fail,
		Answer: f.answer,
	})
}

// prepare completes the request, which becomes one of a search if it is a question.
func (f *finding) prepare(r *ask.Request) (err error) {
	f.request = r
	text, _ := r.Fields["text"].(string)
	if len(r.Args) > 0 && strings.TrimSpace(text) == "" {
		return fault.New(fault.Usage, "the QUESTION is empty").
			WithFix("give a question; or leave it out, and narrow the search with flags")
	}
	if r.Fields["as_of"], err = asOfText(f.Shell, r.Cmd, f.asOf); err != nil {
		return err
	}
	if r.Fields["as_of"] == "" {
		delete(r.Fields, "as_of")
	}
	if f.asks(text) {
		return f.question(text)
	}
	if f.explain || f.only+f.trust != "" || f.embedder.Given(r.Cmd) {
		return fault.New(fault.Usage, "--explain, --only, --trust and --embed-… need a QUESTION, and cannot be combined with flags that compare records one by one").
			WithFix("give a QUESTION, and leave --key, --frame, --status, --state, --held-at, --where, --follow and --order away")
	}
	if err := f.split(); err != nil {
		return err
	}
	frame, _ := r.Fields["frame"].(string)
	f.Literally("frame", frame)
	narrow := func(field string) bool { return r.Fields[field] != nil }
	if text != "" && !slices.ContainsFunc([]string{"kinds", "types", "tags", "key_prefix", "agent", "session", "after", "before"}, narrow) && !strings.Contains(frame, "=") {
		r.Fields["kinds"], r.Fields["types"] = []string{lukasa.MemoryKind.String()}, ask.Names(memory.Types())
	}
	return nil
}

// split reads the text forms of comparisons and of steps along edges.
func (f *finding) split() error {
	r := f.request
	if list, ok := r.Fields["where"].([]string); ok {
		where := make([]map[string]string, len(list))
		for i, text := range list {
			field, op, value, err := splitWhere(text)
			if err != nil {
				return err
			}
			if field == "strength" || field == "outcome" {
				return fault.Newf(fault.Usage, "--where: %q cannot be compared by that name", field).
					WithFix("compare status: it is a constraint's strength, the status of a goal or an artifact, an outcome")
			}
			where[i] = map[string]string{"field": field, "op": op, "value": value}
		}
		r.Fields["where"] = where
	}
	if list, ok := r.Fields["follow"].([]string); ok {
		follow := make([]map[string]any, len(list))
		for i, text := range list {
			kinds, direction, hops, err := splitFollow(text)
			if err != nil {
				return err
			}
			if follow[i] = map[string]any{"kinds": kinds, "hops": hops}; direction != "" {
				follow[i]["direction"] = direction
			}
		}
		r.Fields["follow"] = follow
	}
	return nil
}

// fail says what is wrong with a find in the words of the command line.
func (f *finding) fail(c *cobra.Command, err error) error {
	e := fault.From(err)
	if e.Code != fault.InvalidArgument {
		return err
	}
	if strings.HasPrefix(e.Error(), "as_of: ") {
		return asPack(c, err)
	}
	switch {
	case f.request.Operation == "search":
		return asSearch(c, e)
	case strings.HasPrefix(e.Error(), "find: no filter narrows "):
		fix := "add --type, --tag, --key, --agent, --session, --since, --until, or --frame with a reference"
		if strings.Contains(e.Error(), "events") {
			fix = "add --session, --agent, or --frame with a reference; or leave --kind event out"
		}
		return e.WithFix(fix)
	case strings.Contains(e.Error(), " would be read"):
		return e.WithFix(flagged(e.Advice()))
	}
	return err
}

// flagged names the flags in an advice that names the fields of a search.
func flagged(advice string) string {
	flags := map[string]string{"types": "type", "tags": "tag", "key_prefix": "key", "agent": "agent", "session": "session", "frame": "frame", "after": "since", "before": "until"}
	return regexp.MustCompile(`\b(types|tags|key_prefix|agent|session|frame|after|before)\b`).ReplaceAllStringFunc(advice, func(field string) string {
		return "--" + flags[field]
	})
}

// noEvents prints how to find events, if the search was for a type of events, did not
// include events, and found nothing.
func (f *finding) noEvents() {
	fields := f.request.Fields
	types, _ := fields["types"].([]string)
	at := slices.IndexFunc(types, func(name string) bool { return slices.Contains(hmx.EventTypes(), hmx.EventType(name)) })
	if at < 0 || fields["kinds"] != nil || fields["session"] != nil { // a session is one of events
		return
	}
	advice := "add --kind event"
	if frame, _ := fields["frame"].(string); fields["agent"] == nil && !strings.Contains(frame, "=") {
		advice += ", and --session, --agent or --frame with a reference"
	}
	f.Note("%s is a type of events, which were not searched: %s", types[at], advice)
}

// answer prints what was found.
func (f *finding) answer(v *ask.Visit, out *any) error {
	found, isFind := (*out).(*answer.Found)
	if isFind && found.Matched == 0 {
		f.noEvents()
	}
	searched, _ := (*out).(*answer.Searched)
	if !isFind {
		for _, d := range searched.Degraded {
			f.Note("%s", d)
		}
	}
	switch {
	case f.JSON:
		return f.WriteJSON(*out)
	case isFind:
		return show.Found(f.Screen, found, f.at(&found.State))
	}
	return show.Searched(f.Screen, searched, v.Cmd.Flags().Changed("limit"), f.at(&searched.State), f.explain)
}

// at is the time that an answer goes by.
func (f *finding) at(state *answer.State) time.Time { return show.At(f.request.Fields["now"], state) }
