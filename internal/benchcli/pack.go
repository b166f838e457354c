package benchcli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/bench"
)

func packCommand(s *console) *cobra.Command {
	var o bench.RecallOptions
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "pack",
		Short: "Measure how long an agent waits for a pack",
		Long: `Measure how long an agent waits for a pack.

The tenant is that of ` + "`lukasa-bench recall`" + `, a million events of a year, and so are the
questions. Packs of 2,000 and of 8,000 tokens are made by rank, and fewer of 2,000
tokens by breadth and as blocks of context, one after the other. The answer says how
much of the time went into finding what answers and how much into packing, how many
entries and tokens a pack has, and how often the event that the question was made
of is in it.

The goals, for packs by rank: half of them within 10 ms and 99 of 100 within 30 ms;
and less than 1 GB of memory.

A directory that --keep names is built and left there; --reuse measures it again, or
one that ` + "`lukasa-bench recall --keep`" + ` has left, with the same --events. An index of another
version is rebuilt from the journal first, and the answer says so.

Exit code 1: a call failed; or, with --strict, a goal is missed.`,
		Example: `  lukasa-bench pack --events 500 --queries 8`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLargeBench(o.Events, o.Queries, o.Keep, o.Reuse); err != nil {
				return err
			}
			return measured(s, &o.Dir, &o.Progress, func() (*bench.PackReport, error) { return bench.Pack(cmd.Context(), o) }, s.printPackBench, func(r *bench.PackReport) error { return failedPackBench(r, flags.strict) })
		},
	}
	f := cmd.Flags()
	flags.add(f, &o.Dir, &o.Keep, &o.Reuse)
	f.IntVar(&o.Events, "events", 1_000_000, "how many events there are")
	f.IntVar(&o.Queries, "queries", 2_000, "how many packs are made by rank, of each size; of the other sorts a quarter of them")
	return cmd
}

// failedPackBench returns an error if calls failed or, with strict, if goals were missed.
func failedPackBench(r *bench.PackReport, strict bool) error {
	same := &bench.RecallReport{Goals: r.Goals, Problem: r.Problem}
	for _, c := range r.Cases {
		same.Cases = append(same.Cases, bench.RecallCase{Latency: c.Latency})
	}
	return failedRecallBench(same, strict)
}

// printPackBench prints a report as a table.
func (s *console) printPackBench(r *bench.PackReport) {
	fmt.Fprintf(s.stdout, "%s: %s, %d MB\n", counted(r.Events, "event"), counted(int(r.Records), "record"), megabytes(r.DirBytes))
	if in := r.Intake; in != nil {
		fmt.Fprintf(s.stdout, "  taken in within %.0f s, peak memory %d MB\n", in.Seconds, megabytes(in.PeakBytes))
	}
	fmt.Fprintf(s.stdout, "  opened in %.2f s", r.OpenSeconds)
	if r.Replayed > 0 {
		fmt.Fprintf(s.stdout, ", with %s read from the journal, since its index was of another version, behind or missing", counted(int(r.Replayed), "record"))
	}
	fmt.Fprintf(s.stdout, "; memory %d MB after all packs, %d MB at most\n\n", megabytes(r.ResidentBytes), megabytes(r.PeakBytes))
	fmt.Fprintf(s.stdout, "%-33s %6s %8s %8s %8s %8s %8s %8s %8s %8s %7s %6s\n",
		"packs", "calls", "p50 ms", "p95 ms", "p99 ms", "max ms", "cpu ms", "finding", "packing", "entries", "tokens", "found")
	for _, c := range r.Cases {
		finding, packing, found := fmt.Sprintf("%.2f", c.Finding), fmt.Sprintf("%.2f", c.Packing), fmt.Sprintf("%.0f%%", 100*c.Found)
		if c.Finding == 0 { // unknown for a block
			finding, packing, found = "", "", ""
		}
		fmt.Fprintf(s.stdout, "%-33s %6d %8.2f %8.2f %8.2f %8.2f %8.2f %8s %8s %8.1f %7.0f %6s\n",
			c.What, c.Calls, c.P50, c.P95, c.P99, c.Max, c.CPU, finding, packing, c.Entries, c.Tokens, found)
	}
	fmt.Fprintln(s.stdout)
	for _, g := range r.Goals {
		fmt.Fprintf(s.stdout, "%-30s %12.2f, below %g  %s\n", g.Name, g.Got, g.Goal, s.mark(g.OK))
	}
}
