package benchcli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
)

func contextCommand(s *console) *cobra.Command {
	var o bench.ContextOptions
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Measure how long a starting agent waits for its bundle",
		Long: `Measure how long a starting agent waits for its bundle.

It builds one tenant with a million memories and events about 10,000 files, with
pinned records and with feedback. For about half of the files the newest records are
events, which are shown with what followed them in the journal. Then agents ask what
they need to know to modify a file, for random files: one after the other, and many at
the same time. Some ask about the file's project as well, some under a scope,
a few in the short or the full form; the answer says how many. The goals are for
those who ask one after the other: half of the answers within 1 ms, and 99 of 100
within 5 ms.

A directory that --keep names is built and left there; --reuse measures it again,
with the same --things and --frames. An index of another version is rebuilt from the
journal first, and the answer says so; a tenant that another version of this command
filled in another way is refused.

Exit code 1: a call failed; or, with --strict, a goal is missed.`,
		Example: `  lukasa-bench context --things 2000 --frames 20 --calls 100 --callers 10`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Things < 2 || o.Things > 100_000_000 || o.Frames < 1 || o.Frames > o.Things || o.Calls < 1 || o.Calls > 10_000_000 ||
				o.Callers < 1 || o.Callers > 100_000 || o.Rounds < 1 || o.Rounds > 10_000 {
				return fault.New(fault.Usage, "a flag is out of range").
					WithFix("--things 2 to 100000000, --frames 1 to --things, --calls 1 to 10000000, --callers 1 to 100000, --rounds 1 to 10000")
			}
			if o.Keep != "" && o.Reuse != "" {
				return fault.New(fault.Usage, "--keep builds a directory, --reuse does not").WithFix("give one of them")
			}
			return measured(s, &o.Dir, &o.Progress, func() (*bench.ContextReport, error) { return bench.Context(cmd.Context(), o) }, s.printContextBench,
				func(r *bench.ContextReport) error { return failedBench(r, flags.strict) })
		},
	}
	f := cmd.Flags()
	flags.add(f, &o.Dir, &o.Keep, &o.Reuse)
	f.IntVar(&o.Things, "things", 1_000_000, "how many memories and events there are, half of each")
	f.IntVar(&o.Frames, "frames", 10_000, "how many files they are about")
	f.IntVar(&o.Calls, "calls", 10_000, "how many calls are made one after the other")
	f.IntVar(&o.Callers, "callers", 1_000, "how many call at the same time")
	f.IntVar(&o.Rounds, "rounds", 20, "how often each of those calls")
	return cmd
}

// failedBench returns an error if calls failed or, with strict, if goals were missed.
func failedBench(r *bench.ContextReport, strict bool) error {
	if n := r.One.Errors + r.Many.Errors; n > 0 {
		return fault.Newf(fault.NotProven, "%d of %s failed, the first with: %s", n, counted(r.One.Calls+r.Many.Calls, "call"), r.Problem).
			WithFix("the figures are not valid; correct the cause of the error, and measure again")
	}
	if !strict {
		return nil
	}
	var missed []string
	for _, g := range r.Goals {
		if !g.OK {
			missed = append(missed, g.Name)
		}
	}
	return missedGoals(missed)
}

// printContextBench prints a report as a table.
func (s *console) printContextBench(r *bench.ContextReport) {
	fmt.Fprintf(s.stdout, "%s about %s: %s, %d MB\n", thousands(r.Things)+" memories and events", counted(r.Frames, "file"), counted(int(r.Records), "record"), megabytes(r.DirBytes))
	if b := r.Building; b != nil {
		fmt.Fprintf(s.stdout, "  built in %.0f s: %.0f events/s from a stream, %.0f memories/s in single durable writes, peak memory %d MB\n",
			b.Seconds, b.EventsPerSecond, b.MemoriesPerSecond, megabytes(b.PeakBytes))
	}
	opened := fmt.Sprintf("opened in %.2f s", r.OpenSeconds)
	if r.Replayed > 0 {
		opened += fmt.Sprintf(", with %s read from the journal, since its index was of another version, behind or missing", counted(int(r.Replayed), "record"))
	}
	fmt.Fprintf(s.stdout, "  %s; a bundle has %.0f of %.0f candidates and %.0f tokens\n", opened, r.Entries, r.Candidates, r.Tokens)
	m, w := r.Mix, r.Outcomes
	fmt.Fprintf(s.stdout, "  calls: %.0f%% about two objects, %.0f%% under a scope, %.0f%% short, %.0f%% full, else about one, unscoped, medium\n",
		100*m.TwoObjects, 100*m.Scoped, 100*m.Short, 100*m.Full)
	fmt.Fprintf(s.stdout, "  outcomes: %.1f a bundle; %.0f%% of them events, in %.0f%% of the bundles; %.0f%% of the events with what followed them\n\n",
		w.PerBundle, 100*w.Events, 100*w.Bundles, 100*w.Followed)
	fmt.Fprintf(s.stdout, "%-24s %9s %9s %9s %9s %10s %8s %10s\n", "bundles", "p50 ms", "p95 ms", "p99 ms", "max ms", "calls/s", "errors", "memory MB")
	for _, l := range []struct {
		bench.Latency
		name   string
		memory uint64
	}{{r.One, "one caller", r.ResidentBytes}, {r.Many, counted(r.Callers, "caller"), r.PeakBytes}} {
		fmt.Fprintf(s.stdout, "%-24s %9.3f %9.3f %9.3f %9.3f %10.0f %8d %10d\n", l.name, l.P50, l.P95, l.P99, l.Max, l.PerSecond, l.Errors, megabytes(l.memory))
	}
	fmt.Fprintln(s.stdout)
	for _, g := range r.Goals {
		fmt.Fprintf(s.stdout, "%s of one caller: %.3f ms, %.2f times the goal of %.0f ms  %s\n", g.Name, g.Got, g.Ratio, g.Goal, s.mark(g.OK))
	}
}
