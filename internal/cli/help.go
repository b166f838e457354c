package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
)

// helpCommand is `lukasa help [COMMAND]`, the long way to write --help.
func helpCommand(*ask.Shell) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Long:    "Explain a command, or list all of them when none is named.",
		Example: "  lukasa help version",
		RunE: func(c *cobra.Command, args []string) error {
			target, rest, err := c.Root().Find(args)
			if err != nil {
				return ask.WrongUsage(c.Root(), err)
			}
			if len(rest) > 0 {
				return ask.UnknownCommand(target, rest[0])
			}
			// Cobra adds these only to the command that it runs.
			target.InitDefaultHelpFlag()
			target.InitDefaultVersionFlag()
			return target.Help()
		},
	}
}

// help prints what cmd is, how it is called, and an example to run. The
// program's own help lists the commands, in the order given.
func help(s *ask.Shell, cmd *cobra.Command, listed []*cobra.Command) {
	section := func(title, body string) {
		if body = strings.Trim(body, "\n"); body != "" {
			fmt.Fprintf(s.Stdout, "\n%s\n%s\n", s.Paint.Bold(title), body)
		}
	}
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	fmt.Fprintln(s.Stdout, strings.TrimSpace(about))
	if cmd.HasAvailableSubCommands() {
		section("Usage", "  "+cmd.CommandPath()+" COMMAND [FLAGS]")
	} else {
		section("Usage", "  "+strings.TrimSuffix(cmd.UseLine(), " [flags]")+" [FLAGS]")
	}
	section("Example", cmd.Example)
	if !cmd.HasParent() {
		for _, g := range groups() {
			section(g.Title, listing(listed, g.ID))
		}
	}
	if cmd.HasParent() && cmd.HasAvailableSubCommands() {
		section("Commands", listing(cmd.Commands(), ""))
	}
	section("Flags", cmd.LocalNonPersistentFlags().FlagUsages())
	section("Flags of every command", cmd.Root().PersistentFlags().FlagUsages())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(s.Stdout, "\nMore about a command: %s\n", s.Paint.Bold(cmd.CommandPath()+" COMMAND --help"))
	}
}

// listing returns one line for each command of a group.
func listing(listed []*cobra.Command, group string) string {
	var b strings.Builder
	for _, c := range listed {
		if c.GroupID == group && !c.Hidden {
			fmt.Fprintf(&b, "  %-12s %s\n", c.Name(), c.Short)
		}
	}
	return b.String()
}
