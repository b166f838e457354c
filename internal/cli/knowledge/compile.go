package knowledge

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type compileFlags struct {
	ask.BoardFlags
	full       bool
	dryRun     bool
	background bool
}

// CompileCommand returns the command `lukasa compile`.
func CompileCommand(s *ask.Shell) *cobra.Command {
	var flags compileFlags
	c := &cobra.Command{
		Use:   "compile",
		Short: "Make artifacts of what happened: procedures, playbooks, policies",
		Long: `Make artifacts of what agents did, and memories of what users plainly stated. No model
and no server is asked: what comes out depends on the records alone.

  task_schema        how tasks of a kind are done, step by step
  failure_playbook   what an error looks like, and what was done about it
  decision_policy    what followed in which state, how often, and how that ended
  causal_pattern     what goes before a failure more often than chance would have it
  strategy_template  phases that recur for a goal

A new artifact is a draft, and becomes active once there is enough evidence for it. When
its content changes, a new version supersedes it; when its evidence is gone, it is
deprecated. Everything is journaled, with the events that it was made of.

What users say of themselves and their project ("I prefer ...", "my ... is ...", "we
decided ..."), and what they ask for always or never, becomes memories and constraints
in their own words. What tools and other people's texts say never does.

Only sessions with new events are read. Run it as often as you like: without new events
nothing is written.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson
  lukasa compile --dry-run
  lukasa compile
  lukasa list --kind artifact`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if flags.background && s.Served.Board == nil {
				return compileInBackground(s, c, &flags)
			}
			return compile(s, c, &flags)
		},
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	c.Flags().BoolVar(&flags.full, "full", false, "read every session anew; the outcome is the same")
	c.Flags().BoolVar(&flags.dryRun, "dry-run", false, "say what would change, and write nothing")
	c.Flags().BoolVar(&flags.background, ask.NameBackground, false, "run beside agents, for a bounded time")
	_ = c.Flags().MarkHidden(ask.NameBackground) // it is there
	return c
}

func compile(s *ask.Shell, c *cobra.Command, flags *compileFlags) error {
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Writer(ctx)
		if err != nil {
			return err
		}
		p := s.Progress()
		defer p.Done()
		report, err := t.Compile(ctx, lukasa.CompileOptions{
			Full: flags.full, DryRun: flags.dryRun,
			Progress: func(done, all int) { p.Counted("reading events", done, all) },
		})
		p.Done()
		if errors.Is(err, context.Canceled) {
			return fault.New(fault.Canceled, "stopped on request; what was written stays").WithCause(err).WithFix("run it again to complete it")
		}
		if err != nil {
			return err
		}
		return showCompiled(s, report, flags.dryRun)
	})
}

// showCompiled prints what a compile did.
func showCompiled(s *ask.Shell, r *lukasa.CompileReport, dry bool) error {
	a := answer.CompiledOf(r, dry)
	if s.JSON {
		return s.WriteJSON(a)
	}
	verb := "compiled"
	if dry {
		verb = "would compile"
	}
	fmt.Fprintf(s.Stdout, "%s %s: %s, %s unchanged\n", s.Paint.Green(verb), term.Counted(a.Tasks, "task"), term.Counted(len(a.Changes), "change"), term.Thousands(a.Unchanged))
	show.Changes(s.Screen, a.Changes)
	s.Detail("read", term.Counted(a.Events, "event")+" of "+term.Counted(a.Sessions, "session")+" that had new ones")
	s.Detail("root", a.Root+" over "+term.Counted(int(r.Root.Size), "record"))
	return nil
}
