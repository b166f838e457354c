package memories

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
)

type restoreFlags struct {
	ask.BoardFlags
	version   uint32
	ifVersion uint32
}

// RestoreCommand returns the command `lukasa restore`.
func RestoreCommand(s *ask.Shell) *cobra.Command {
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
		Args: ask.OneName("KEY or URI"),
		RunE: func(c *cobra.Command, args []string) error { return restore(s, c, args[0], &flags) },
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	flags.AddScope(c)
	c.Flags().Uint32Var(&flags.version, "version", 0, "the `VERSION` to bring back")
	addIfVersion(c, &flags.ifVersion)
	return c
}

func restore(s *ask.Shell, c *cobra.Command, arg string, flags *restoreFlags) error {
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, ref, err := v.Target(ctx, arg, flags.version, true)
		if err != nil {
			return err
		}
		if err := ask.Versioned(ref, "restored"); err != nil {
			return err
		}
		if v.Scope == "" { // which lets nothing expire
			if err := settle(ctx, t, ref, s.Now()); err != nil {
				return err
			}
		}
		put, err := t.Restore(ctx, ref, expected(c, flags.ifVersion))
		if err != nil {
			return err
		}
		return v.Wrote(ctx, "restored", put)
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
