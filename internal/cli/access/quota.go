package access

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/api"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quota"
)

// QuotaCommand is what has to do with how much a tenant may send and keep.
func QuotaCommand(s *ask.Shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "quota",
		Short: "Show and set what a tenant may send to a server and keep there",
		Long: `A server bounds how many calls, events and bytes a tenant sends in a second, and how
many records and bytes it keeps. What holds for all tenants is in the settings of the
server; these are the limits of one tenant. They are records of the data directory
and hold at once, also in a server that is running.`,
		Example: `  lukasa quota show --tenant acme
  lukasa quota set --tenant acme --events-per-second 2000 --max-records 5000000`,
		Args: ask.OneBelow,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(quotaShowCommand(s), quotaSetCommand(s))
	return c
}

func quotaShowCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	c := &cobra.Command{
		Use:   "show",
		Short: "Show what a tenant may send and keep",
		Long: `Show the limits that hold for a tenant: its own, and where it has none those of the
server, or of the program if no server is running. A negative number is no limit.`,
		Example: `  lukasa quota show
  lukasa quota show --tenant acme --json`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runQuota(s, c, &flags, ask.Reading(), "get_quota", []byte("{}"))
		},
	}
	flags.AddTenant(c)
	return c
}

// quotaFlags are the limits of a tenant.
type quotaFlags struct {
	ask.BoardFlags
	limits quota.Limits
}

func quotaSetCommand(s *ask.Shell) *cobra.Command {
	var flags quotaFlags
	c := &cobra.Command{
		Use:   "set",
		Short: "Say what a tenant may send and keep",
		Long: `Set all limits of a tenant: those that are not named, and those that are 0, are the
server's own from then on. A negative number is no limit.`,
		Example: `  lukasa quota set --events-per-second 2000 --max-records 5000000
  lukasa quota set --tenant acme --bytes-per-second=-1`,
		Args: ask.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		args, err := json.Marshal(&flags.limits)
		if err != nil {
			return fault.Newf(fault.Usage, "a limit is not a number: %v", err).WithFix("give a number, 0 for the server's own, or a negative one for no limit")
		}
		return runQuota(s, c, &flags.BoardFlags, lukasa.Options{}, "set_quota", args)
	}
	flags.AddTenant(c)
	f := c.Flags()
	f.Float64Var(&flags.limits.RequestsPerSecond, "requests-per-second", 0, "how many calls in a second, `N`")
	f.Float64Var(&flags.limits.EventsPerSecond, "events-per-second", 0, "how many events in a second, `N`")
	f.Float64Var(&flags.limits.BytesPerSecond, "bytes-per-second", 0, "how many bytes of events in a second, `N`")
	f.Int64Var(&flags.limits.MaxRecords, "max-records", 0, "how many records it keeps, `N`")
	f.Int64Var(&flags.limits.MaxBytes, "max-bytes", 0, "how many bytes of records it keeps, `N`")
	return c
}

// runQuota has an operation of the table done about a tenant, as a server does it.
func runQuota(s *ask.Shell, c *cobra.Command, f *ask.BoardFlags, o lukasa.Options, operation string, args []byte) error {
	op := api.Lookup(operation)
	in, err := op.DecodeArguments(args)
	if err != nil {
		return err
	}
	return withKeys(s, c, f, o, func(ctx context.Context, v *ask.Visit, keys *auth.Store, who *auth.Principal) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		who.Tenant = t.Name()
		book := s.Served.Quotas
		if book == nil {
			book = quota.New(quota.Options{Clock: s.Now})
			if err := book.Attach(ctx, v.Board); err != nil {
				return err
			}
		}
		out, err := op.Run(ctx, &api.Call{Board: v.Board, Who: who, Keys: keys, Quotas: book, Now: s.Now}, in)
		if err != nil {
			return err
		}
		return showQuota(s, out.(*api.Quota))
	})
}

// showQuota prints what a tenant may send and keep.
func showQuota(s *ask.Shell, q *api.Quota) error {
	if s.JSON {
		return s.WriteJSON(q)
	}
	s.Detail("tenant", q.Tenant)
	for _, limit := range []struct {
		name  string
		value float64
		what  string
	}{
		{"calls", q.Limits.RequestsPerSecond, " a second"}, {"events", q.Limits.EventsPerSecond, " a second"}, {"bytes", q.Limits.BytesPerSecond, " a second"},
		{"records", float64(q.Limits.MaxRecords), " in all"}, {"size", float64(q.Limits.MaxBytes), " bytes in all"},
	} {
		text := "no limit"
		if limit.value > 0 {
			text = strconv.FormatFloat(limit.value, 'f', -1, 64) + limit.what
		}
		s.Detail(limit.name, text)
	}
	return nil
}
