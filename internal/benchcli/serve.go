package benchcli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/bench/serving"
	"lukasa.dev/internal/fault"
)

func serveCommand(s *console) *cobra.Command {
	var o serving.Options
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Measure the server against the library and bare handlers",
		Long: `Measure the server against the library and bare handlers.

A server listens on loopback in this process, with keys, quotas, metrics and log, and
is called from this process, too. A stream of events as lines over one connection is
compared with the library's ingest of the same lines on a board of its own; single
events from 64 connections with a handler that appends each body to a file and fsyncs;
packs of 2,000 tokens with the same packs by the library on the same board. The two
take turns. Then it measures, without a baseline, a WebSocket and a tail of new events,
and the tool pack_context over MCP against the library.

The goals: lines at 0.7 of the library's speed, single events at 0.5 of the handler's,
and less than 1 ms more for half of the packs. The callers share the processors with the
server.

Exit code 1: a goal is missed, with --strict.`,
		Example: `  lukasa-bench serve --events 500`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Events < 10 || o.Events > 10_000_000 {
				return fault.New(fault.Usage, "a flag is out of range").WithFix("--events 10 to 10000000")
			}
			return measured(s, &o.Dir, &o.Progress, func() (*serving.Report, error) { return serving.Run(cmd.Context(), o) }, s.printServeBench, func(r *serving.Report) error {
				if !flags.strict {
					return nil
				}
				return missedServeGoals(r)
			})
		},
	}
	f := cmd.Flags()
	flags.add(f, &o.Dir, nil, nil)
	f.IntVar(&o.Events, "events", 50_000, "how many events the stream of lines has; there are a fifth as many single ones")
	return cmd
}

// missedServeGoals is the error for missed goals.
func missedServeGoals(r *serving.Report) error {
	var missed []string
	for _, g := range r.Goals {
		if !g.OK {
			missed = append(missed, g.Name)
		}
	}
	return missedGoals(missed)
}

// printServeBench prints a report as tables.
func (s *console) printServeBench(r *serving.Report) {
	fmt.Fprintf(s.stdout, "%-40s %8s %10s %10s %7s\n", fmt.Sprintf("durable, events of %.0f bytes", r.EventBytes), "events", "served/s", "other/s", "ratio")
	for _, c := range r.Rates {
		fmt.Fprintf(s.stdout, "%-40s %8d %10.0f", c.What, c.Events, c.Ours)
		if c.Beside != "" {
			fmt.Fprintf(s.stdout, " %10.0f %6.2fx  beside %s", c.Other, c.Ratio, c.Beside)
		}
		fmt.Fprintln(s.stdout)
	}
	fmt.Fprintf(s.stdout, "\n%-40s %8s %10s %10s %10s %10s\n", "one after the other", "calls", "p50 ms", "p99 ms", "other p50", "adds")
	for _, w := range r.Waits {
		fmt.Fprintf(s.stdout, "%-40s %8d %10.2f %10.2f", w.What, w.Ours.Calls, w.Ours.P50, w.Ours.P99)
		if w.Other != nil {
			fmt.Fprintf(s.stdout, " %10.2f %10.2f  beside %s", w.Other.P50, w.Adds, w.Beside)
		}
		fmt.Fprintln(s.stdout)
	}
	fmt.Fprintln(s.stdout)
	for _, g := range r.Goals {
		than := "below"
		if g.Least {
			than = "at least"
		}
		fmt.Fprintf(s.stdout, "%-30s %12.2f, %s %g  %s\n", g.Name, g.Got, than, g.Goal, s.mark(g.OK))
	}
}
