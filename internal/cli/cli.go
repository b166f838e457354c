// Package cli is the command line: it turns arguments and streams into an
// answer on standard output, an error on standard error, and an exit code.
//
// Guarantees, for every command: the answer alone is on standard output; an
// error is printed once, in one form, with its code from the catalogue (a JSON
// object with --json); the exit code is that code's; a failed write of the output is
// reported, except for a closed pipe; nothing outside the arguments given to [Run]
// is read or written, apart from the files that the arguments name and the clock.
//
// It holds no logic of its own: what a command computes is on lower floors. This package has the
// list of commands (commands.go), help, completion and manual pages, and the commands serve, mcp and
// demo. The other commands are in packages below it, by topic, and they share three:
//
//   - term prints: streams, colours, tables, progress;
//   - show has a printer for each type of answer;
//   - ask has the base of every command, and makes commands of operations.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/hooks"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// Run executes the command line args, without the program's name, and returns
// the exit code. env looks up an environment variable, as [os.LookupEnv] does.
// When ctx is cancelled, Run returns soon, even while waiting for input.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	s := ask.NewShell(whole(), stdin, stdout, stderr, env, term.DetectTerminal)
	return run(ctx, s, commands(), args)
}

// whole is the program with all of its commands.
func whole() ask.Program {
	return ask.Program{Version: buildVersion(), Run: func(ctx context.Context, s *ask.Shell, args []string) int { return run(ctx, s, commands(), args) }}
}

// run is Run with the commands of list.
func run(ctx context.Context, s *ask.Shell, list []command, args []string) int {
	hooked := Brief(args)
	if hooked {
		list = onlyHook()
	}
	err := execute(ctx, s, list, args)
	if there, ok := errors.AsType[ask.CarriedOut](err); ok {
		return int(there) // it has said everything already
	}
	// A truncated answer is worse than whatever the command had to say.
	if failed := s.Stdout.Finish(); failed != nil {
		err = failed
	}
	if hooked && s.Served.Board == nil {
		return hooks.Hooked(s, args, err)
	}
	if err != nil {
		s.JSON = s.JSON || ask.WantsJSON(args)
		s.Report(err)
	}
	return fault.ExitCode(err)
}

// execute builds the command tree and runs it. What comes back is from the
// catalogue or will be taken for an internal fault.
func execute(ctx context.Context, s *ask.Shell, list []command, args []string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			// Go would exit with the code we promise for wrong usage.
			err = &fault.Error{Code: fault.Internal, Detail: fmt.Sprintf("panic: %v", p), Err: term.StackError(debug.Stack())}
		}
	}()

	root := root(s, list)
	started := false
	walk(root, func(c *cobra.Command) {
		if run := c.RunE; run != nil {
			c.RunE = func(c *cobra.Command, rest []string) error {
				started = true
				return s.OrForward(c, args, func() error { return run(c, rest) })
			}
		}
	})
	root.SetArgs(append([]string{}, args...)) // nil would make cobra read os.Args
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !started {
		return ask.WrongUsage(cmd, err)
	}
	return err
}

// root returns the program itself, with every command of list below it.
func root(s *ask.Shell, list []command) *cobra.Command {
	root := &cobra.Command{
		Use:     term.Program,
		Short:   "The memory engine of software agents",
		Long:    programLong,
		Example: programExample,
		// Errors are reported by Run, once.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true // completion.go is ours
	root.SetIn(s.Stdin)
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	root.SetFlagErrorFunc(ask.WrongFlag)
	// A template of cobra's would do, and would have the linker keep every exported method of
	// every type for it: 17 MB.
	asked := root.Flags().BoolP("version", "v", false, "version for "+term.Program)
	root.RunE = func(c *cobra.Command, _ []string) error {
		if !*asked {
			return c.Help()
		}
		fmt.Fprintf(s.Stdout, "%s %s\n", term.Program, buildVersion())
		return nil
	}
	root.PersistentFlags().BoolVar(&s.JSON, "json", false, "answer and report errors in JSON")
	for _, g := range groups() {
		root.AddGroup(g)
	}
	var listed []*cobra.Command // cobra sorts its own list; ours has an order
	for _, c := range list {
		cmd := c.build(s)
		cmd.GroupID = c.group
		if cmd.Name() == "help" {
			root.SetHelpCommand(cmd)
		}
		root.AddCommand(cmd)
		listed = append(listed, cmd)
	}
	walk(root, func(c *cobra.Command) { suggestNames(s, c) })
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { help(s, c, listed) })
	return root
}

// walk visits cmd and everything below it.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		walk(c, visit)
	}
}
