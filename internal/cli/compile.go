package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
)

type compileFlags struct {
	boardFlags
	full       bool
	dryRun     bool
	background bool
}

func compileCommand(s *shell) *cobra.Command {
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
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if flags.background && s.served.board == nil {
				return s.compileInBackground(c, &flags)
			}
			return s.compile(c, &flags)
		},
	}
	flags.addTenant(c)
	flags.addWriter(c)
	c.Flags().BoolVar(&flags.full, "full", false, "read every session anew; the outcome is the same")
	c.Flags().BoolVar(&flags.dryRun, "dry-run", false, "say what would change, and write nothing")
	c.Flags().BoolVar(&flags.background, nameBackground, false, "run beside agents, for a bounded time")
	_ = c.Flags().MarkHidden(nameBackground) // it is there
	return c
}

func (s *shell) compile(c *cobra.Command, flags *compileFlags) error {
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, err := v.writer(ctx)
		if err != nil {
			return err
		}
		p := s.progress()
		defer p.done()
		report, err := t.Compile(ctx, lukasa.CompileOptions{
			Full: flags.full, DryRun: flags.dryRun,
			Progress: func(done, all int) { p.counted("reading events", done, all) },
		})
		p.done()
		if errors.Is(err, context.Canceled) {
			return fault.New(fault.Canceled, "stopped on request; what was written stays").WithCause(err).WithFix("run it again to complete it")
		}
		if err != nil {
			return err
		}
		return s.showCompiled(report, flags.dryRun)
	})
}

// showCompiled prints what a compile did.
func (s *shell) showCompiled(r *lukasa.CompileReport, dry bool) error {
	a := answer.CompiledOf(r, dry)
	if s.json {
		return s.writeJSON(a)
	}
	verb := "compiled"
	if dry {
		verb = "would compile"
	}
	fmt.Fprintf(s.stdout, "%s %s: %s, %s unchanged\n", s.paint.green(verb), counted(a.Tasks, "task"), counted(len(a.Changes), "change"), thousands(a.Unchanged))
	s.showChanges(a.Changes)
	s.detail("read", counted(a.Events, "event")+" of "+counted(a.Sessions, "session")+" that had new ones")
	s.detail("root", a.Root+" over "+counted(int(r.Root.Size), "record"))
	return nil
}

// showChanges prints what was changed, an artifact that became active at once in one
// line.
func (s *shell) showChanges(list []answer.CompileChange) {
	const shown = 40
	lines := 0
	for i, x := range list {
		op := string(x.Op)
		switch {
		case i > 0 && x.Op == lukasa.CompileActivate && list[i-1].Op == lukasa.CompileCreate && list[i-1].URI == x.URI:
			continue // told with the one before
		case i+1 < len(list) && x.Op == lukasa.CompileCreate && list[i+1].Op == lukasa.CompileActivate && list[i+1].URI == x.URI:
			op = "active"
		case x.Op == lukasa.CompileCreate && x.URI.Kind.String() == "artifact":
			op = "draft"
		}
		if lines++; lines > shown {
			s.detail("and", "more; --json has all of them")
			return
		}
		what := x.Class
		if what == "" {
			what = "conflict"
		}
		fmt.Fprintf(s.stdout, "  %-10s %-17s %s\n", op, what, preview(oneLine(x.Title), 80))
		fmt.Fprintf(s.stdout, "  %s\n", s.paint.dim(fmt.Sprintf("%28s %s", "", x.URI)))
	}
}
