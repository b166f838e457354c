package questions

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/packproof"
	"lukasa.dev/internal/quote"
)

// ExplainCommand returns the command `lukasa explain`.
func ExplainCommand(s *ask.Shell) *cobra.Command {
	var flags packFlags
	c := &cobra.Command{
		Use:   "explain ID|URI QUERY",
		Short: "Explain why a record is in a pack, or is not",
		Long: `Explain why an event or a record is in the pack that ` + "`lukasa pack QUERY`" + ` gives with the
same flags, or why it is not. The first argument names the record, the second is the QUERY.

A record is named by its ID, as packs and ` + "`lukasa find --json`" + ` show it, by its URI, which
the terminal view of a pack and ` + "`lukasa find`" + ` show, or by its key.

The answer begins with in or out, and has:
  rank, score   its place among all candidates, and by what
  parts         what the score is made of, each from 0 to 1: relevance (how well it
                answers, beside the best), recency, provenance (who says it) and salience
  room          of what is in: as the best of its section, by its section's share of the
                budget, or by what was left of it
  reason        of what is out: budget_exceeded (no room was left), low_relevance (hardly
                matches), duplicate or conflict (with a better one), deprecated (no longer
                holds), provenance_failed (what it came from does not verify); or why it is
                no candidate: forgotten, erased, excluded (not of a --section), untagged
                (without a --tag), outranked (far behind in the search) or unknown

For budget_exceeded, raise --budget or ask for fewer sections; for low_relevance, lower
--min-relevance.`,
		Example: `  lukasa explain 019e5a3b-7c4d-7000-8000-000000000001 "what is wrong with refunds"
  lukasa explain lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000001 "refunds" --budget 100
  lukasa explain m-cadence "when are releases cut" --strategy recency_biased --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes an ID or a URI and a QUERY, got %s", c.CommandPath(), term.Counted(len(args), "argument")).
				WithFix(`name what is asked about first and put the QUERY into quotes, such as lukasa explain m-1 "when are releases cut"`)
		},
		RunE: func(c *cobra.Command, args []string) error { return explain(s, c, args[0], args[1], &flags) },
	}
	flags.add(c)
	return c
}

// explain says why something is in a pack, or is not.
func explain(s *ask.Shell, c *cobra.Command, what, query string, flags *packFlags) error {
	if strings.TrimSpace(what) == "" {
		return fault.New(fault.Usage, "the ID is empty").WithFix("give the source_id of an entry, the id of a memory or an event, or its URI")
	}
	if strings.HasPrefix(query, ask.UriScheme) && !strings.HasPrefix(what, ask.UriScheme) {
		return fault.New(fault.Usage, "the QUERY is a URI, and "+term.Quoted(what)+" is none").
			WithFix("name what is asked about first, then the QUERY: " + explainLine(query, what))
	}
	o, err := flags.ask(s, c, query)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := explained(ctx, v, what)
		if err != nil {
			return err
		}
		defer replaying(s, &o.AsOf)()
		e, err := t.ExplainPack(ctx, o, what)
		if err != nil {
			return asPack(c, err)
		}
		if e.Reason == packproof.ReasonUnknown && turned(what, query) {
			s.Note("what is asked about comes first, then the QUERY; did you mean %s", explainLine(query, what))
		}
		if s.JSON {
			return s.WriteJSON(answer.ExplanationOf(e))
		}
		showExplanation(s, e, what)
		return nil
	})
}

// turned reports whether what is asked about reads like a question, and the question like
// an id.
func turned(what, query string) bool {
	return strings.ContainsAny(strings.TrimSpace(what), " \t\n") && !strings.ContainsAny(query, " \t\n")
}

// explainLine is how something is asked about.
func explainLine(what, query string) string {
	return term.Program + " explain " + term.Preview(what, 100) + " " + term.Quoted(query)
}

// explained returns the tenant of a URI, or the one that a pack is of.
func explained(ctx context.Context, v *ask.Visit, what string) (*lukasa.Tenant, error) {
	if !strings.HasPrefix(what, ask.UriScheme) {
		return packer(ctx, v)
	}
	u, err := v.Uri(what)
	if err != nil {
		return nil, err
	}
	root, err := v.Root(ctx, u.Tenant)
	if err == nil && root.Size == 0 { // a URI names a tenant
		err = ask.NoRecords(u.Tenant)
	}
	return v.Handle(u.Tenant, lukasa.Writer{}), err
}

// passes say by which part of the budget something got in.
var passes = []string{"as the best of its section", "by its section's share", "by what was left of the budget"}

// showExplanation prints an explanation for a person.
func showExplanation(s *ask.Shell, e *lukasa.Explanation, what string) {
	name := what
	if !e.URI.IsZero() {
		name = e.URI.String()
	}
	verdict := s.Paint.Yellow("out")
	if e.In {
		verdict = s.Paint.Green("in")
	}
	fmt.Fprintf(s.Stdout, "%s %s\n", verdict, s.Paint.Bold(show.PackLine(name, 500)))
	s.Paragraph(quote.Visible(e.Detail), 2)
	if v := e.Verdict; v != nil {
		s.Detail("section", string(v.Candidate.Section))
		s.Detail("rank", fmt.Sprintf("%d, score %.3f", v.Rank, v.Score))
		s.Detail("parts", fmt.Sprintf("relevance %.2f, recency %.2f, provenance %.2f, salience %.2f", v.Parts.Relevance, v.Parts.Recency, v.Parts.Provenance, v.Parts.Salience))
		tokens := term.Counted(v.Tokens, "token")
		if v.Truncated {
			tokens += ", cut to them"
		}
		s.Detail("size", tokens)
		if e.In && v.Pass < len(passes) {
			s.Detail("room", passes[v.Pass])
		}
	}
	s.Detail("reason", e.Reason)
	s.Detail("pack", e.PackID)
}
