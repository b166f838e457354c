package benchcli

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/eval/nexttool"
	"lukasa.dev/internal/fault"
)

// nexttoolCommand measures how well the next tool is predicted.
func nexttoolCommand(s *console) *cobra.Command {
	return &cobra.Command{
		Use:   "nexttool DIR",
		Short: "Measure how well the next tool of an agent is predicted",
		Long: `Measure how well ` + "`lukasa next`" + ` predicts the next tool. docs/quality.md describes what is
measured, and has the figures for public data.

DIR has *.ndjson files of HMX events and a sessions.json,
[{"session": session_id, "task": name}, …]. Tasks are put into five folds. Each tool call
of a fold is predicted from the events before it and from artifacts that were compiled
from the sessions of the other folds. hit@1 is the share of calls whose tool was
suggested first, hit@3 that among the first three; the columns on the right are for calls
after a failure. Three baselines are learned from the same sessions: the most frequent
tool, the one that most often came after the last, and after the last two.`,
		Example: `  # What a directory has to hold
  mkdir parcels && cp examples/parcels.ndjson parcels
  echo '[{"session":"session-2026-11-03-heavy-parcels","task":"weight"},{"session":"session-2026-11-05-broken-glass","task":"glass"}]' > parcels/sessions.json
  lukasa-bench eval nexttool parcels
  lukasa-bench eval nexttool parcels --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes one DIR, got %d arguments", c.CommandPath(), len(args)).WithFix(seeHelp(c))
		},
		RunE: func(c *cobra.Command, args []string) error {
			p := s.progress()
			defer p.done()
			p.update("reading sessions", 0, 0)
			set, err := nexttool.Load(args[0])
			if err != nil {
				return err
			}
			p.update("asking for the next tool, of "+counted(set.Events, "event"), 0, 0)
			r, err := nexttool.Run(c.Context(), set)
			p.done()
			if err != nil {
				return err
			}
			if s.json {
				return s.writeJSON(r)
			}
			s.showNexttool(r)
			return nil
		},
	}
}

// showNexttool prints how well the next tool was predicted.
func (s *console) showNexttool(r *nexttool.Report) {
	fmt.Fprintf(s.stdout, "%s of %s, in %d folds over tasks; artifacts of each fold:", counted(r.Events, "event"), counted(r.Sessions, "session"), nexttool.Folds)
	for _, n := range r.Artifacts {
		fmt.Fprintf(s.stdout, " %d", n)
	}
	fmt.Fprintf(s.stdout, "\n\n%-34s %7s %7s %7s   %7s %7s %7s\n", "", "calls", "hit@1", "hit@3", "errors", "hit@1", "hit@3")
	for _, row := range r.Rows {
		name := fmt.Sprintf("%-34s", row.Name)
		if row.Name == nexttool.RowArtifacts {
			name = s.bold(name)
		}
		fmt.Fprintf(s.stdout, "%s %7d %7.3f %7.3f   %7d %7.3f %7.3f\n", name,
			row.All.Calls, row.All.Hit1, row.All.Hit3, row.AfterError.Calls, row.AfterError.Hit1, row.AfterError.Hit3)
	}
}
