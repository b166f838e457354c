package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

type feedbackFlags struct {
	boardFlags
	outcome string
	cite    []string
	agent   string
	session string
	score   float64
	note    string
	id      string
}

func feedbackCommand(s *shell) *cobra.Command {
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
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.feedback(c, &flags) },
	}
	flags.addTenant(c)
	flags.addWriter(c)
	flags.addScope(c)
	f := c.Flags()
	f.StringVar(&flags.outcome, "outcome", "", "how it went, a `WORD`: "+strings.Join(names(memory.FeedbackOutcomes()), ", "))
	f.StringArrayVar(&flags.cite, "cite", nil, "a `KEY|URI` that it drew on; may be given again")
	f.StringVar(&flags.agent, "agent", "", "the `AGENT` whose task it was (default the writer)")
	f.StringVar(&flags.session, "session", "", "the `ID` of the session it was in")
	f.Float64Var(&flags.score, "score", 0, "how well, a `NUMBER` from -1 to 1 (default as --outcome says)")
	f.StringVar(&flags.note, "note", "", "a `TEXT` about it")
	f.StringVar(&flags.id, "id", "", "its `ID`, instead of one that is made up")
	suggestValues(c, "outcome", names(memory.FeedbackOutcomes()))
	return c
}

// body makes the feedback that the flags describe, without what it cites.
func (f *feedbackFlags) body(c *cobra.Command) (*lukasa.Feedback, error) {
	b := &lukasa.Feedback{ID: f.id, AgentID: f.agent, SessionID: f.session, Outcome: memory.Outcome(f.outcome), Note: f.note}
	if f.outcome == "" {
		return nil, fault.New(fault.Usage, "--outcome is missing").WithFix("say how it went: " + strings.Join(names(memory.FeedbackOutcomes()), ", "))
	}
	if !slices.Contains(memory.FeedbackOutcomes(), b.Outcome) {
		return nil, unknownName(fault.Usage, "outcome", f.outcome, names(memory.FeedbackOutcomes()))
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

func (s *shell) feedback(c *cobra.Command, flags *feedbackFlags) error {
	b, err := flags.body(c)
	if err != nil {
		return err
	}
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, err := v.citer(ctx, flags.cite)
		if err != nil {
			return err
		}
		if b.AgentID == "" {
			if b.AgentID, err = v.author(); err != nil {
				return err
			}
		}
		for _, name := range flags.cite {
			u, err := v.cited(ctx, t, name)
			if err != nil {
				return err
			}
			b.Cited = append(b.Cited, u)
		}
		put, err := t.Put(ctx, b, lukasa.AnyVersion())
		if err != nil {
			return asFlag(c, err)
		}
		return v.wrote(ctx, "recorded", put)
	})
}

// citer returns the tenant that feedback is written to: that of the first URI it
// cites, else the one that the command would read.
func (v *visit) citer(ctx context.Context, cite []string) (*lukasa.Tenant, error) {
	for _, name := range cite {
		if strings.HasPrefix(name, uriScheme) {
			u, err := v.uri(name)
			if err != nil {
				return nil, err
			}
			return v.writerOf(u.Tenant)
		}
	}
	return v.writer(ctx)
}

// author returns who writes: whom the scope is for, else the writer.
func (v *visit) author() (string, error) {
	if v.scope == "" {
		w, err := v.shell.writer(v.cmd, v.flags)
		return w.Actor, err
	}
	held, err := v.held()
	return held.To, err
}

// held returns what the scope comes to that the command is held to.
func (v *visit) held() (answer.Grant, error) {
	grants, sealed, err := lukasa.InspectScope(v.scope)
	if err != nil {
		return answer.Grant{}, err
	}
	return answer.ScopeOf(grants, sealed).Effective, nil
}

// cited returns the URI of something that is there, forgotten or not: to cite
// what nobody knows teaches nothing.
func (v *visit) cited(ctx context.Context, t *lukasa.Tenant, name string) (lukasa.URI, error) {
	if !strings.HasPrefix(name, uriScheme) {
		thing, err := t.Get(ctx, lukasa.Ref{Kind: lukasa.MemoryKind, Key: name}, lukasa.View{})
		if err != nil {
			return lukasa.URI{}, err
		}
		return thing.URI.Head(), nil
	}
	u, err := v.uri(name)
	if err != nil {
		return u, err
	}
	_, err = t.Resolve(ctx, u, lukasa.View{})
	return u, err
}
