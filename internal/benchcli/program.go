// Package benchcli is the command line of lukasa-bench: it measures the speed of the engine and
// the server on this machine, and the quality of answers on data with known answers.
//
// It is a program of its own, so that lukasa carries no code that only measures. Every command
// prints a table, or with --json one line of JSON; errors have the codes and exit codes of the
// catalogue, like those of lukasa. The measurements are in internal/bench and eval.
package benchcli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/fault"
)

// program is the name that help and errors use.
const program = "lukasa-bench"

// Run executes the command line args, without the program's name, and returns the exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	s := newConsole(stdout, stderr, env)
	err := s.execute(ctx, args)
	if failed := s.finish(); failed != nil {
		err = failed
	}
	if err != nil {
		s.report(err, args)
	}
	return fault.ExitCode(err)
}

// execute runs the command in args. An error that cobra returns before the command starts is
// wrong usage.
func (s *console) execute(ctx context.Context, args []string) error {
	root := s.root()
	root.SetArgs(append([]string{}, args...)) // nil would make cobra read os.Args
	c, err := root.ExecuteContextC(ctx)
	if _, coded := errors.AsType[*fault.Error](err); err != nil && !coded && !s.started {
		return fault.Newf(fault.Usage, "%w", err).WithFix(seeHelp(c))
	}
	return err
}

// root returns the root command with every command below it.
func (s *console) root() *cobra.Command {
	root := &cobra.Command{
		Use:   program,
		Short: "Measure speed on this machine, and how good the answers are",
		Long: `Measure speed on this machine, against other programs in the same run, and how good the
answers are on data with known answers.

Machines are noisy, so the contenders take turns and the ratio counts. All writes
are durable; everything is written to a directory of its own and removed.`,
		Example: `  lukasa-bench journal --help
  lukasa-bench context --help
  lukasa-bench recall --help
  lukasa-bench pack --help
  lukasa-bench serve --help
  lukasa-bench hook --help
  lukasa-bench eval --help`,
		RunE:               func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors:      true, // Run reports them, once
		SilenceUsage:       true,
		DisableSuggestions: true,
		PersistentPreRun:   func(*cobra.Command, []string) { s.started = true },
		CompletionOptions:  cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	root.PersistentFlags().BoolVar(&s.json, "json", false, "answer and report errors in JSON")
	root.AddCommand(journalCommand(s), contextCommand(s), recallCommand(s), packCommand(s), serveCommand(s), hookCommand(s), evalCommand(s))
	return root
}

// noArgs is for commands that take only flags.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fault.Newf(fault.Usage, "%q takes no arguments, got %q", c.CommandPath(), args[0]).WithFix(seeHelp(c))
}

func seeHelp(c *cobra.Command) string {
	return fmt.Sprintf("run %q for what it takes", c.CommandPath()+" --help")
}
