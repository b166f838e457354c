package cli

import (
	"context"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
)

type forgetFlags struct {
	boardFlags
	reason    string
	ifVersion uint32
}

func forgetCommand(s *shell) *cobra.Command {
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
		Args: oneName("KEY or URI"),
		RunE: func(c *cobra.Command, args []string) error { return s.forget(c, args[0], &flags) },
	}
	flags.addTenant(c)
	flags.addWriter(c)
	flags.addScope(c)
	c.Flags().StringVar(&flags.reason, "reason", "", "why, a `TEXT`; whoever looks for it is told")
	addIfVersion(c, &flags.ifVersion)
	return c
}

func (s *shell) forget(c *cobra.Command, arg string, flags *forgetFlags) error {
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, ref, err := v.target(ctx, arg, 0, true)
		if err != nil {
			return err
		}
		if err := versioned(ref, "forgotten"); err != nil {
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
		return v.wrote(ctx, "forgotten", put)
	})
}
