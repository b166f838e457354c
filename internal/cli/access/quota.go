package access

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/api"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/quota"
)

// QuotaCommand is what has to do with how much a tenant may send and keep.
func QuotaCommand(s *ask.Shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "quota",
		Short: "Show and set what a tenant may send to a server and keep there",
		Long: `A server limits how many calls, events and bytes a tenant sends per second, and how
many records and bytes it keeps. The settings of the server have the defaults for all
tenants; this command sets the limits of one tenant. They are records of the data
directory and take effect at once, also in a running server.`,
		Example: `  lukasa quota show --tenant acme
  lukasa quota set --tenant acme --events-per-second 2000 --max-records 5000000`,
		Args: ask.OneBelow,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(quotaShowCommand(s), quotaSetCommand(s))
	return c
}

func quotaShowCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[api.Quota]{
		Operation: "get_quota",
		Use:       "show",
		Short:     "Show what a tenant may send and keep",
		Long: `Show the limits of a tenant: its own, else the defaults of the server, or those of the
program if no server is running. A negative number means no limit.`,
		Example: `  lukasa quota show
  lukasa quota show --tenant acme --json`,
		Unscoped: true,
		Call:     withQuotas,
		Print:    showQuota,
	})
}

func quotaSetCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[api.Quota]{
		Operation: "set_quota",
		Use:       "set",
		Short:     "Set what a tenant may send and keep",
		Long: `Set all limits of a tenant. Limits that are not named, or are 0, get the server's
defaults. A negative number means no limit.`,
		Example: `  lukasa quota set --events-per-second 2000 --max-records 5000000
  lukasa quota set --tenant acme --bytes-per-second=-1`,
		Creates: true,
		Flags: []ask.Flag{
			{Field: "requests_per_second", Help: "how many calls in a second, `N`"},
			{Field: "events_per_second", Help: "how many events in a second, `N`"},
			{Field: "bytes_per_second", Help: "how many bytes of events in a second, `N`"},
			{Field: "max_records", Help: "how many records it keeps, `N`"},
			{Field: "max_bytes", Help: "how many bytes of records it keeps, `N`"},
		},
		Call:  withQuotas,
		Print: showQuota,
	})
}

// withQuotas gives a call the limits of the directory, which a server has open, beside what withKeys does.
func withQuotas(ctx context.Context, v *ask.Visit, call *operation.Call) error {
	if err := withKeys(ctx, v, call); err != nil || call.Quotas != nil {
		return err
	}
	call.Quotas = quota.New(quota.Options{Clock: v.Shell.Now})
	return call.Quotas.Attach(ctx, v.Board)
}

// showQuota prints what a tenant may send and keep.
func showQuota(s *term.Screen, q *api.Quota) {
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
}
