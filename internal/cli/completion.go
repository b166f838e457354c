package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
)

// shells returns the shells that completion knows, as the user names them.
func shells() []string { return []string{"bash", "fish", "powershell", "zsh"} }

func completionCommand(s *ask.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write a completion script for a shell",
		Long: `Write a script that teaches a shell to complete lukasa's commands and flags.
SHELL is one of ` + strings.Join(shells(), ", ") + `. Tenants, sessions, agents, keys of memories and ids of
artifacts are completed as they are in the data directory, through the server if
one has it; where that takes longer than 2 s, none are offered
(LUKASA_COMPLETION_WAIT=5s waits longer).

Put the script where the shell looks for it, and start a new one:

  bash        ~/.local/share/bash-completion/completions/lukasa
  zsh         a directory of $fpath, as _lukasa, with compinit on
  fish        ~/.config/fish/completions/lukasa.fish
  powershell  a line in $PROFILE: lukasa completion powershell | Out-String | Invoke-Expression`,
		Example: `  lukasa completion bash > lukasa.bash
  lukasa completion fish > lukasa.fish`,
		ValidArgs: shells(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes the name of one shell, got %d arguments", cmd.CommandPath(), len(args)).
				WithFix("use one of " + strings.Join(shells(), ", "))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(s.Stdout, true)
			case "fish":
				return root.GenFishCompletion(s.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(s.Stdout)
			case "zsh":
				return root.GenZshCompletion(s.Stdout)
			}
			return ask.UnknownName(fault.Usage, "shell", args[0], shells())
		},
	}
}
