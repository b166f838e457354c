package memories

import (
	"context"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
)

type forgetFlags struct {
	ask.BoardFlags
	reason    string
	ifVersion uint32
}

// ForgetCommand returns the command `lukasa forget`.
func ForgetCommand(s *ask.Shell) *cobra.Command {
	var flags forgetFlags
	c := &cobra.Command{
		Use:   "forget KEY|URI",
		Short: "Put a tombstone on a memory; its history stays",
		Long: `Forget what KEY or URI names: reads no longer find it, and are told when and why
it went. URI#version forgets it only if that is its current version, as
--if-version does. Its history stays, and ` + "`lukasa restore`" + ` brings it back.

To erase something for good, history and bytes on the disk included, use
` + "`lukasa redact`" + `. Forgetting what is forgotten changes nothing.`,
		Example: `  lukasa forget release/cadence --reason "moved to the wiki"
  lukasa forget deploy/window --reason "the window was closed" --if-version 1`,
		Args: ask.OneName("KEY or URI"),
		RunE: func(c *cobra.Command, args []string) error { return forget(s, c, args[0], &flags) },
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	flags.AddScope(c)
	c.Flags().StringVar(&flags.reason, "reason", "", "why, a `TEXT`; whoever looks for it is told")
	addIfVersion(c, &flags.ifVersion)
	return c
}

func forget(s *ask.Shell, c *cobra.Command, arg string, flags *forgetFlags) error {
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, ref, err := v.Target(ctx, arg, 0, true)
		if err != nil {
			return err
		}
		if err := ask.Versioned(ref, "forgotten"); err != nil {
			return err
		}
		// A URI as `lukasa remember` prints it says which version was seen.
		expect, saw := expected(c, flags.ifVersion), ref.Version
		if ref.Version = 0; saw != 0 {
			if c.Flags().Changed("if-version") && flags.ifVersion != saw {
				return fault.Newf(fault.Usage, "the URI names version %d and --if-version names %d", saw, flags.ifVersion).WithFix("say it once")
			}
			expect = lukasa.Version(saw)
		}
		put, err := t.Forget(ctx, ref, flags.reason, expect)
		if err != nil {
			return err
		}
		return v.Wrote(ctx, "forgotten", put)
	})
}
