package benchcli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/bench/hooks"
	"lukasa.dev/internal/fault"
)

func hookCommand(s *console) *cobra.Command {
	var o hooks.Options
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Measure how long an agent waits for its hooks",
		Long: `Measure how long a coding agent waits for its hooks.

It times whole processes, from start to end. These take turns in one run: true, a hello
world in Go if there is Go to build it, lukasa version, and four events of the hook of
Claude Code (session start, prompt, before and after a tool) on a board with many events,
each without a server and through a running one. The times of true and hello world are the
cost of a process on this machine.

The goals, of half of the runs: lukasa version within 10 ms; through a server a prompt
within 15 ms and any other event within 10 ms; without a server any event within 60 ms.

The measured program is lukasa next to this one, else that in PATH, or --program.

Exit code 1: a hook failed; or, with --strict, a goal is missed.`,
		Example: `  lukasa-bench hook --help`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Events < 1 || o.Events > 10_000_000 || o.Rounds < 1 || o.Rounds > 100_000 {
				return fault.New(fault.Usage, "a flag is out of range").WithFix("--events 1 to 10000000, --rounds 1 to 100000")
			}
			return measured(s, &o.Dir, &o.Progress, func() (*hooks.Report, error) { return hooks.Run(cmd.Context(), o) }, s.printHookBench, func(r *hooks.Report) error {
				return failedHookBench(r, flags.strict)
			})
		},
	}
	f := cmd.Flags()
	flags.add(f, &o.Dir, nil, nil)
	f.StringVar(&o.Program, "program", "", "measure this `FILE` (default: lukasa beside this program, else in PATH)")
	f.IntVar(&o.Events, "events", 100_000, "how many events the board has")
	f.IntVar(&o.Rounds, "rounds", 50, "how often each runs")
	return cmd
}

// failedHookBench returns an error if hooks failed or, with strict, if goals were missed.
func failedHookBench(r *hooks.Report, strict bool) error {
	if r.Failures > 0 {
		return fault.Newf(fault.NotProven, "%s failed, the first with: %s", counted(r.Failures, "hook"), r.Problem).
			WithFix("these figures are not valid; correct the cause of the error, and measure again")
	}
	if !strict {
		return nil
	}
	var missed []string
	for _, c := range r.Cases {
		if !c.OK {
			missed = append(missed, c.Name)
		}
	}
	return missedGoals(missed)
}

// printHookBench prints a report as a table.
func (s *console) printHookBench(r *hooks.Report) {
	fmt.Fprintf(s.stdout, "lukasa %s on a board of %s, %d MB, built in %.0f s\n\n", oneLine(r.Version), counted(r.Events, "event"), megabytes(r.DirectoryBytes), r.BuildSeconds)
	fmt.Fprintf(s.stdout, "%-34s %6s %9s %9s %9s %8s\n", "process, from start to end", "runs", "p50 ms", "p95 ms", "max ms", "goal")
	for _, c := range r.Cases {
		fmt.Fprintf(s.stdout, "%-34s %6d %9.1f %9.1f %9.1f", c.What, c.Runs, c.P50, c.P95, c.Max)
		if c.Goal > 0 {
			fmt.Fprintf(s.stdout, " %8.0f  %s", c.Goal, s.mark(c.OK))
		}
		fmt.Fprintln(s.stdout)
	}
}
