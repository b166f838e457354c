package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
)

type restoreFlags struct {
	boardFlags
	version   uint32
	ifVersion uint32
}

func restoreCommand(s *shell) *cobra.Command {
	var flags restoreFlags
	c := &cobra.Command{
		Use:   "restore KEY|URI[#version]",
		Short: "Bring back what is forgotten, or an earlier version",
		Long: `Write what an earlier version said as the newest one. Without a version it is
the last content there was, which brings back what is forgotten or expired; a
time to live begins anew.

Nothing is taken out of the history. What was redacted cannot be restored.`,
		Example: `  lukasa restore release/cadence --version 1
  lukasa forget release/cadence --reason "moved to the wiki" && lukasa restore release/cadence`,
		Args: oneName("KEY or URI"),
		RunE: func(c *cobra.Command, args []string) error { return s.restore(c, args[0], &flags) },
	}
	flags.addTenant(c)
	flags.addWriter(c)
	flags.addScope(c)
	c.Flags().Uint32Var(&flags.version, "version", 0, "the `VERSION` to bring back")
	addIfVersion(c, &flags.ifVersion)
	return c
}

func (s *shell) restore(c *cobra.Command, arg string, flags *restoreFlags) error {
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, ref, err := v.target(ctx, arg, flags.version, true)
		if err != nil {
			return err
		}
		if err := versioned(ref, "restored"); err != nil {
			return err
		}
		if v.scope == "" { // which lets nothing expire
			if err := settle(ctx, t, ref, s.now()); err != nil {
				return err
			}
		}
		put, err := t.Restore(ctx, ref, expected(c, flags.ifVersion))
		if err != nil {
			return err
		}
		return v.wrote(ctx, "restored", put)
	})
}

// settle journals the end of a thing whose time is over, if nobody has yet, so
// that it can begin anew.
func settle(ctx context.Context, t *lukasa.Tenant, ref lukasa.Ref, now time.Time) error {
	ref.Version = 0
	thing, err := t.Get(ctx, ref, lukasa.View{Now: now})
	if err != nil || thing.State != lukasa.Ended || thing.Expires.IsZero() || thing.Expires.After(now) {
		return err
	}
	_, err = t.Expire(ctx, now)
	return err
}
