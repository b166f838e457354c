package knowledge

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// decision is one of the commands that give an artifact its status.
type decision struct {
	verb, done string // approve, approved
	short      string
	long       string
	example    string
	reason     bool // it needs one
	do         func(ctx context.Context, t *lukasa.Tenant, id, reason string) (*lukasa.ArtifactDecided, error)
}

func artifactsApproveCommand(s *ask.Shell) *cobra.Command {
	return decisionCommand(s, decision{
		verb: "approve", done: "approved", short: "Make a draft active",
		long: `Make a draft active, so that agents are given it. It is refused unless its hash is that of
its content, every event and memory it was made of is on record, and no conflict speaks
against it. How often it was observed and how sure it is do not matter: that is what you
decide.

The active version that it supersedes is superseded with it, in one step. A draft that
names none is refused while another version of the same is active: archive or deprecate
that one first.

What you approved stays active while its evidence is on record. What ` + "`lukasa compile`" + ` finds
later that says something else waits as a draft.`,
		example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts list --status draft
  lukasa artifacts approve $(lukasa artifacts list --status draft --ids --limit 1) --reason "I have seen this often"`,
		do: func(ctx context.Context, t *lukasa.Tenant, id, reason string) (*lukasa.ArtifactDecided, error) {
			return t.ApproveArtifact(ctx, id, reason)
		},
	})
}

func artifactsArchiveCommand(s *ask.Shell) *cobra.Command {
	return decisionCommand(s, decision{
		verb: "archive", done: "archived", short: "Put an active artifact away", reason: true,
		long: `Put an active artifact away: agents are no longer given it, and it stays on record. Nothing
that says the same is made again when ` + "`lukasa compile`" + ` runs, however often it is observed;
what says something else waits as a draft for your approval.

An artifact that is wrong is deprecated instead, and so is a draft.`,
		example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts archive $(lukasa artifacts list --ids --limit 1) --reason "we do it another way now"`,
		do: func(ctx context.Context, t *lukasa.Tenant, id, reason string) (*lukasa.ArtifactDecided, error) {
			return t.ArchiveArtifact(ctx, id, reason)
		},
	})
}

func artifactsDeprecateCommand(s *ask.Shell) *cobra.Command {
	return decisionCommand(s, decision{
		verb: "deprecate", done: "deprecated", short: "Say that an artifact or a draft is wrong", reason: true,
		long: `Say that an active artifact or a draft is wrong: agents are no longer given it, and it stays
on record. Nothing that says the same is made again when ` + "`lukasa compile`" + ` runs, however often
it is observed; what says something else waits as a draft for your approval.`,
		example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson && lukasa compile
  lukasa artifacts deprecate $(lukasa artifacts list --status draft --ids --limit 1) --reason "it was a coincidence"`,
		do: func(ctx context.Context, t *lukasa.Tenant, id, reason string) (*lukasa.ArtifactDecided, error) {
			return t.DeprecateArtifact(ctx, id, reason)
		},
	})
}

func decisionCommand(s *ask.Shell, d decision) *cobra.Command {
	var flags struct {
		ask.BoardFlags
		reason string
	}
	c := &cobra.Command{
		Use: d.verb + " ID|URI", Short: d.short, Long: d.long, Example: d.example, Args: ask.OneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if d.reason && flags.reason == "" {
			return fault.New(fault.Usage, "--reason is missing").WithFix("say why, for whoever finds it later: --reason TEXT")
		}
		return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
			t, id, err := ofKind(ctx, v, args[0], lukasa.ArtifactKind, true)
			if err != nil {
				return err
			}
			out, err := d.do(ctx, t, id, flags.reason)
			if err != nil {
				return err
			}
			return decided(ctx, v, d.done, out)
		})
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	flags.AddScope(c)
	use := "why, a `TEXT` for whoever finds it later"
	if d.reason {
		use += "; required"
	}
	c.Flags().StringVar(&flags.reason, "reason", "", use)
	return c
}

// decided answers a command that gave an artifact its status.
func decided(ctx context.Context, v *ask.Visit, done string, d *lukasa.ArtifactDecided) error {
	root, err := v.Root(context.WithoutCancel(ctx), d.URI.Tenant) // it is written, whatever comes
	if err != nil {
		return err
	}
	a := answer.DecidedOf(d, root)
	s := v.Shell
	if s.JSON {
		return s.WriteJSON(a)
	}
	fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green(done), s.Paint.Bold(d.URI.Head().String()))
	s.Detail("status", string(d.To)+", was "+string(d.From))
	if a.Superseded != nil {
		s.Detail("superseded", a.Superseded.String())
	}
	s.Detail("position", fmt.Sprint(a.Position))
	s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
	return nil
}
