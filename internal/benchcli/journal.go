package benchcli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
)

func journalCommand(s *console) *cobra.Command {
	var o bench.Options
	var strict bool
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "Measure the journal against raw Pebble",
		Long: `Measure the journal against raw Pebble, and the ingest of a file of events.

Three cases are compared with Pebble's synced writes of the same payloads: batches
of 1,000, 64 writers of single events, one writer of single events. Pebble has its
default options and keys in order; larger memory tables make it faster. Ours includes
salt, commitment, header, leaf and Merkle tree. Then a file of events is taken in
whole: decoded, validated, journaled, and folded into catalogue and timeline.

Exit code 1: a goal is missed, with --strict.`,
		Example: `  lukasa-bench journal --turn 20ms --turns 1 --events 2000`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Turn <= 0 || o.Turns < 1 || o.Turns > 1000 || o.EventBytes < 300 || o.EventBytes > 1<<20 || o.Events < 1 || o.Events > 100_000_000 {
				return fault.New(fault.Usage, "a flag is out of range").
					WithFix("--turn above 0, --turns 1 to 1000, --bytes 300 to 1048576, --events 1 to 100000000")
			}
			if o.Dir == "" {
				o.Dir = "."
			}
			r, err := bench.Journal(cmd.Context(), o)
			if err != nil {
				return err
			}
			if s.json {
				err = s.writeJSON(r)
			} else {
				err = s.printJournal(r)
			}
			var missed []string
			for _, c := range r.Comparisons {
				if !c.OK {
					missed = append(missed, c.Name)
				}
			}
			if err == nil && strict {
				err = missedGoals(missed)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", "", "where to write, on the disk to be measured (default: here)")
	f.DurationVar(&o.Turn, "turn", time.Second, "how long a contender runs at a time")
	f.IntVar(&o.Turns, "turns", 5, "how many turns each contender gets")
	f.IntVar(&o.EventBytes, "bytes", 600, "size of an event")
	f.IntVar(&o.Events, "events", 300_000, "how many events the file has")
	f.BoolVar(&strict, "strict", false, "fail if a goal is missed")
	return cmd
}

// printJournal prints a report as a table.
func (s *console) printJournal(r *bench.JournalReport) error {
	fmt.Fprintf(s.stdout, "%-34s %14s %14s %7s %6s\n", fmt.Sprintf("durable, %d-byte events", r.EventBytes), "lukasa/s", "pebble/s", "ratio", "goal")
	for _, c := range r.Comparisons {
		fmt.Fprintf(s.stdout, "%-34s %14.0f %14.0f %6.2fx %5.1fx  %s\n", c.What, c.Ours, c.Pebble, c.Ratio, c.Goal, s.mark(c.OK))
	}
	in := r.Ingest
	fmt.Fprintf(s.stdout, "\n%d events from a file (%.0f bytes each), to the journal and every index:\n", in.Events, in.EventBytes)
	fmt.Fprintf(s.stdout, "  %.0f events/s, peak memory %d MB, opened again in %.2f s\n", in.PerSecond, megabytes(in.PeakBytes), in.OpenSeconds)
	return nil
}
