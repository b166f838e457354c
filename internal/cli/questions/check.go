package questions

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/projects"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/project"
)

type checkFlags struct {
	ask.BoardFlags
	args    string
	command string
	session string
	in      string
	agent   string
	now     string
	tags    []string
	holds   []string
	fail    bool
}

// CheckCommand returns the command `lukasa check`.
func CheckCommand(s *ask.Shell) *cobra.Command {
	var flags checkFlags
	c := &cobra.Command{
		Use:   "check [TOOL]",
		Short: "Check a planned action against rules and past failures",
		Long: `Show which rules forbid an action, what happened when it or a similar one was taken before,
and what to do instead. An action is a TOOL with its arguments, or a command line. Nothing
is run, and nothing is written.

  ok        no rule and no failure is known
  caution   a soft rule forbids it, or one that depends on what is not known here; or it
            failed half of the times, or the last time; or another option did much better
  warn      a firm rule forbids it, or a hard one with an exception that cannot be judged; or
            a step that a rule requires was not taken; or it succeeded at most one time in
            four; or it has just failed twice in a row
  stop      a hard rule of a user or an operator forbids it

A command line is parsed as a shell parses it. --in DIRECTORY adds the branch that is
checked out there, the git aliases and the project. Events count as soon as they are
recorded, and so does what ` + "`lukasa compile`" + ` learned. --session adds the earlier steps of
that session. The exit code is 0 at every level; with --fail it is 5 for stop.`,
		Example: `  lukasa ingest examples/session.ndjson
  lukasa check search_code --args '{"query": "refund"}'
  lukasa check --command 'git push --force' --session session-2026-11-02-refund-bug
  lukasa check --command 'rm -rf build' --fail --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) <= 1 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes one TOOL, got %d arguments", c.CommandPath(), len(args)).
				WithFix("give the tool's arguments as JSON with --args, and a command line as one text with --command")
		},
		RunE: func(c *cobra.Command, args []string) error { return check(s, c, args, &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringVar(&flags.args, "args", "", "the arguments of the tool, a `JSON` object")
	f.StringVar(&flags.command, "command", "", "a command `LINE`, in the place of a TOOL")
	f.StringVar(&flags.session, "session", "", "what this `SESSION` did before counts too")
	f.StringVar(&flags.in, "in", "", "the `DIRECTORY` where the action would be taken: its branch, git aliases and project")
	f.StringVar(&flags.agent, "agent", "", "the `AGENT` that plans it (default an operator, for whom the rules of all agents count)")
	addHeadNow(c, &flags.now)
	f.StringArrayVar(&flags.tags, "tag", nil, "use policies and artifacts with the tag `T` too; may be given again")
	addConditions(c, &flags.holds)
	f.BoolVar(&flags.fail, "fail", false, "end with exit code 5 if the level is stop")
	return c
}

// options checks the flags.
func (f *checkFlags) options(s *ask.Shell, c *cobra.Command, args []string) (o lukasa.CheckOptions, err error) {
	const one = "write `lukasa check TOOL --args JSON` or `lukasa check --command LINE`"
	line := c.Flags().Changed("command")
	switch {
	case len(args) == 0 && !line:
		return o, fault.New(fault.Usage, "neither a TOOL nor --command is given").WithFix(one)
	case len(args) == 1 && line:
		return o, fault.New(fault.Usage, "a TOOL and --command are given").WithFix(one)
	case line && c.Flags().Changed("args"):
		return o, fault.New(fault.Usage, "--args needs a TOOL").WithFix("write the arguments into the command line")
	case line && f.command == "":
		return o, fault.New(fault.Usage, "--command is empty").WithFix(one)
	case !line && args[0] == "":
		return o, fault.New(fault.Usage, "TOOL is empty").WithFix(one)
	case c.Flags().Changed("args") && f.args == "":
		return o, fault.New(fault.Usage, "--args is empty").WithFix("give a JSON object, or leave the flag out")
	}
	o = lukasa.CheckOptions{Action: lukasa.Action{Arguments: f.args, Command: f.command}, Session: f.session, Tags: f.tags}
	if !line {
		o.Action.Tool = args[0]
	}
	var place project.Place
	if c.Flags().Changed("in") {
		dir, err := filepath.Abs(f.in)
		if err != nil || f.in == "" {
			return o, fault.New(fault.Usage, "--in is no directory").WithCause(err).WithFix("name the directory where the action would be taken")
		}
		place = project.At(dir, s.Home())
		o.Action.Place = projects.PlaceFor(&place)
		o.Action.Place.Dir, o.Action.Place.Home, o.Action.Project = filepath.ToSlash(dir), filepath.ToSlash(s.Home()), o.Action.Place.Root
		o.Action.Visit(func(dir string) (lukasa.ActionPlace, bool) {
			p, ok := projects.RepositoryAt(dir, s.Home())
			return projects.PlaceFor(&p), ok
		})
	}
	if o.View, err = headView(s, f.now); err != nil {
		return o, err
	}
	o.View.Agent, o.View.Conditions = f.agent, slices.Concat(f.holds, place.Conditions())
	if err := conditionFlags(f.holds); err != nil {
		return o, err
	}
	for _, flag := range []struct{ name, value string }{{"agent", f.agent}, {"session", f.session}} {
		if c.Flags().Changed(flag.name) {
			if err := ask.BadFlag(flag.name, memory.CheckID(flag.name, flag.value)); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

func check(s *ask.Shell, c *cobra.Command, args []string, flags *checkFlags) error {
	o, err := flags.options(s, c, args)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		found, err := t.CheckAction(ctx, o)
		if err != nil {
			return err
		}
		a := answer.CheckOf(found)
		if s.JSON {
			if err := s.WriteJSON(a); err != nil {
				return err
			}
		} else {
			show.Check(s.Screen, &o.Action, a)
		}
		if flags.fail && found.Level == lukasa.ActionStop {
			return fault.New(fault.Forbidden, "a hard rule forbids it").WithFix("do what it says instead, or ask who stated the rule")
		}
		return nil
	})
}
