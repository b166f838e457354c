package benchcli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
)

func recallCommand(s *console) *cobra.Command {
	var o bench.RecallOptions
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "recall",
		Short: "Measure how long it takes to find what answers a question",
		Long: `Measure how long it takes to find what answers a question.

One tenant is built with a million events of a year: messages, tool calls and their
results, edits and commands, in made-up and in common words that are spread as those
of texts are. They are written to a file, and taken in from it durably and into every
index. Then
questions are asked that were made from some words of an event at random, one after
the other, for 50 hits: by words, meaning and names together, by each of the first
two alone, and narrowed to a session, an agent, a month, a tag, and by a scope. The
answer says how often the event was among the hits. Finally the index of vectors is
compared with a scan of all vectors in memory, which takes 1 KB for each event.

With made-up words all texts are about equally similar, so the recall of nearest
neighbours says little there. With --texts it is measured on texts that people
wrote: a line each, or events, or JSON objects with a title and a text. One of fifty is
asked, the others are stored, and halves of them put together make up the million.

The goals: 20,000 events a second, less than 1 GB of memory, half of the answers
within 10 ms and 99 of 100 within 30 ms, the event found for four questions of five,
vectors 12 times as fast as the scan and, of texts, with 99 of 100 of the nearest ten.

A directory that --keep names is built and left there; --reuse measures it again,
with the same --events. An index of another version is rebuilt from the journal first,
and the answer says so.

Exit code 1: a call failed; or, with --strict, a goal is missed.`,
		Example: `  lukasa-bench recall --events 500 --queries 8`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLargeBench(o.Events, o.Queries, o.Keep, o.Reuse); err != nil {
				return err
			}
			return measured(s, &o.Dir, &o.Progress, func() (*bench.RecallReport, error) { return bench.Recall(cmd.Context(), o) }, s.printRecallBench, func(r *bench.RecallReport) error { return failedRecallBench(r, flags.strict) })
		},
	}
	f := cmd.Flags()
	flags.add(f, &o.Dir, &o.Keep, &o.Reuse)
	f.IntVar(&o.Events, "events", 1_000_000, "how many events there are")
	f.IntVar(&o.Queries, "queries", 2_000, "how many questions are asked; with each filter a quarter of them")
	f.StringArrayVar(&o.Texts, "texts", nil, "compare vectors of the texts in `FILE` too; may be given again")
	return cmd
}

// checkLargeBench checks the flags of commands that measure a large tenant.
func checkLargeBench(events, queries int, keep, reuse string) error {
	if events < 1 || events > 100_000_000 || queries < 1 || queries > 10_000_000 {
		return fault.New(fault.Usage, "a flag is out of range").WithFix("--events 1 to 100000000, --queries 1 to 10000000")
	}
	if keep != "" && reuse != "" {
		return fault.New(fault.Usage, "--keep builds a directory, --reuse does not").WithFix("give one of them")
	}
	return nil
}

// failedRecallBench returns an error if calls failed or, with strict, if goals were missed.
func failedRecallBench(r *bench.RecallReport, strict bool) error {
	failed, calls := 0, 0
	for _, c := range r.Cases {
		failed, calls = failed+c.Errors, calls+c.Calls
	}
	if failed > 0 {
		return fault.Newf(fault.NotProven, "%d of %s failed, the first with: %s", failed, counted(calls, "call"), r.Problem).
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

// printRecallBench prints a report as a table.
func (s *console) printRecallBench(r *bench.RecallReport) {
	fmt.Fprintf(s.stdout, "%s: %s, %d MB\n", counted(r.Events, "event"), counted(int(r.Records), "record"), megabytes(r.DirBytes))
	if in := r.Intake; in != nil {
		fmt.Fprintf(s.stdout, "  taken in within %.0f s: %.0f events/s of %.0f bytes, %.0f µs of processor time each, peak memory %d MB\n",
			in.Seconds, in.EventsPerSecond, in.EventBytes, 1e6*in.CPUSeconds/float64(r.Events), megabytes(in.PeakBytes))
	}
	fmt.Fprintf(s.stdout, "  opened in %.2f s", r.OpenSeconds)
	if r.Replayed > 0 {
		fmt.Fprintf(s.stdout, ", with %s read from the journal, since its index was of another version, behind or missing", counted(int(r.Replayed), "record"))
	}
	fmt.Fprintf(s.stdout, "; memory %d MB after all questions, %d MB at most\n\n", megabytes(r.ResidentBytes), megabytes(r.PeakBytes))
	fmt.Fprintf(s.stdout, "%-32s %7s %9s %9s %9s %9s %9s %6s %6s\n", "questions", "calls", "p50 ms", "p95 ms", "p99 ms", "max ms", "cpu ms", "hits", "found")
	for _, c := range r.Cases {
		fmt.Fprintf(s.stdout, "%-32s %7d %9.2f %9.2f %9.2f %9.2f %9.2f %6.1f %5.0f%%\n",
			c.What, c.Calls, c.P50, c.P95, c.P99, c.Max, c.CPU, c.Hits, 100*c.Found)
	}
	fmt.Fprintln(s.stdout)
	s.printVectorScan("", &r.Vectors)
	if r.Texts != nil {
		s.printVectorScan(" of texts", r.Texts)
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

func (s *console) printVectorScan(of string, v *bench.VectorScan) {
	fmt.Fprintf(s.stdout, "%s vectors%s, of %d dimensions: %.2f ms, an exact scan %.1f ms, of processor time %.1f times as much; recall@10 %.3f\n",
		thousands(v.Vectors), of, v.Dimensions, v.Ours, v.Exact, v.CPURatio, v.Recall)
}
