package memories

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

type feedbackFlags struct {
	ask.BoardFlags
	outcome string
	cite    []string
	agent   string
	session string
	score   float64
	note    string
	id      string
}

// FeedbackCommand returns the command `lukasa feedback`.
func FeedbackCommand(s *ask.Shell) *cobra.Command {
	var flags feedbackFlags
	c := &cobra.Command{
		Use:   "feedback --outcome OUTCOME --cite KEY|URI",
		Short: "Say how a task went and what it drew on",
		Long: `Say how a task of an agent went, and which memories and events it drew on. What
was cited when things went well weighs more in ` + "`lukasa context`" + `, what was
cited when they went badly weighs less; and the agent's own weights move a
little toward, or away from, what those had in common: new or old, often used,
often right, or declared important.

It teaches when a user or an operator says it, or the agent itself (--actor is
--agent then). Saying it again with the same --id changes nothing.`,
		Example: `  lukasa feedback --outcome success --cite release/cadence
  lukasa feedback --outcome failure --score -0.5 --agent agent-coder-1 --cite lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000006 --note "Half a cent was rounded the wrong way."`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return feedback(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringVar(&flags.outcome, "outcome", "", "how it went, a `WORD`: "+strings.Join(ask.Names(memory.FeedbackOutcomes()), ", "))
	f.StringArrayVar(&flags.cite, "cite", nil, "a `KEY|URI` that it drew on; may be given again")
	f.StringVar(&flags.agent, "agent", "", "the `AGENT` whose task it was (default the writer)")
	f.StringVar(&flags.session, "session", "", "the `ID` of the session it was in")
	f.Float64Var(&flags.score, "score", 0, "how well, a `NUMBER` from -1 to 1 (default as --outcome says)")
	f.StringVar(&flags.note, "note", "", "a `TEXT` about it")
	f.StringVar(&flags.id, "id", "", "its `ID`, instead of one that is made up")
	ask.SuggestValues(c, "outcome", ask.Names(memory.FeedbackOutcomes()))
	return c
}

// body makes the feedback that the flags describe, without what it cites.
func (f *feedbackFlags) body(c *cobra.Command) (*lukasa.Feedback, error) {
	b := &lukasa.Feedback{ID: f.id, AgentID: f.agent, SessionID: f.session, Outcome: memory.Outcome(f.outcome), Note: f.note}
	if f.outcome == "" {
		return nil, fault.New(fault.Usage, "--outcome is missing").WithFix("say how it went: " + strings.Join(ask.Names(memory.FeedbackOutcomes()), ", "))
	}
	if !slices.Contains(memory.FeedbackOutcomes(), b.Outcome) {
		return nil, ask.UnknownName(fault.Usage, "outcome", f.outcome, ask.Names(memory.FeedbackOutcomes()))
	}
	if len(f.cite) == 0 {
		return nil, fault.New(fault.Usage, "--cite is missing").WithFix("name what it drew on, a KEY or a URI that `lukasa context` showed")
	}
	if c.Flags().Changed("score") {
		if !(f.score >= -1 && f.score <= 1) {
			return nil, fault.Newf(fault.Usage, "--score: %v is not a number from -1 to 1", f.score).WithFix("give such a number, or leave it away")
		}
		b.Score = hmx.Some(f.score)
	}
	return b, nil
}

func feedback(s *ask.Shell, c *cobra.Command, flags *feedbackFlags) error {
	b, err := flags.body(c)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := citer(ctx, v, flags.cite)
		if err != nil {
			return err
		}
		if b.AgentID == "" {
			if b.AgentID, err = author(v); err != nil {
				return err
			}
		}
		for _, name := range flags.cite {
			u, err := cited(ctx, v, t, name)
			if err != nil {
				return err
			}
			b.Cited = append(b.Cited, u)
		}
		put, err := t.Put(ctx, b, lukasa.AnyVersion())
		if err != nil {
			return ask.AsFlag(c, err)
		}
		return v.Wrote(ctx, "recorded", put)
	})
}

// citer returns the tenant that feedback is written to: that of the first URI it
// cites, else the one that the command would read.
func citer(ctx context.Context, v *ask.Visit, cite []string) (*lukasa.Tenant, error) {
	for _, name := range cite {
		if strings.HasPrefix(name, ask.UriScheme) {
			u, err := v.Uri(name)
			if err != nil {
				return nil, err
			}
			return v.WriterOf(u.Tenant)
		}
	}
	return v.Writer(ctx)
}

// author returns who writes: whom the scope is for, else the writer.
func author(v *ask.Visit) (string, error) {
	if v.Scope == "" {
		w, err := v.Shell.Writer(v.Cmd, v.Flags)
		return w.Actor, err
	}
	held, err := v.Held()
	return held.To, err
}

// cited returns the URI of something that is there, forgotten or not: to cite
// what nobody knows teaches nothing.
func cited(ctx context.Context, v *ask.Visit, t *lukasa.Tenant, name string) (lukasa.URI, error) {
	if !strings.HasPrefix(name, ask.UriScheme) {
		thing, err := t.Get(ctx, lukasa.Ref{Kind: lukasa.MemoryKind, Key: name}, lukasa.View{})
		if err != nil {
			return lukasa.URI{}, err
		}
		return thing.URI.Head(), nil
	}
	u, err := v.Uri(name)
	if err != nil {
		return u, err
	}
	_, err = t.Resolve(ctx, u, lukasa.View{})
	return u, err
}
