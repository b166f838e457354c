package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
)

type statsFlags struct {
	boardFlags
	days, top int
}

func statsCommand(s *shell) *cobra.Command {
	var flags statsFlags
	c := &cobra.Command{
		Use:   "stats",
		Short: "Count what is there, and show how it grows",
		Long: `Count what is in a tenant: events by type, memories by type and state, artifacts by
type and status, entities and what else there is; events by day; which tools were
called most and how they fared; sessions and agents; how many records were
erased; and how much room the data directory takes.

Days are those that the events tell of, in UTC, not those on which they were taken
in, and end with the last that has one, not with today: the same state gives the
same answer, but for the room on the disk, which is that of all tenants together. A
call counts as good or failed if its result says so. Under a scope only what it
shows is counted, and nothing is told of erasures and the disk.`,
		Example: `  lukasa stats
  lukasa stats --days 60 --top 5
  lukasa stats --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.stats(c, &flags) },
	}
	flags.addTenant(c)
	flags.addScope(c)
	c.Flags().IntVar(&flags.days, "days", 14, "growth over the latest `N` days that have events")
	c.Flags().IntVar(&flags.top, "top", 10, "name the `N` tools and agents that did most")
	return c
}

func (s *shell) stats(c *cobra.Command, flags *statsFlags) error {
	if err := inRange("days", flags.days, 1, 3660); err != nil {
		return err
	}
	if err := inRange("top", flags.top, 1, 1000); err != nil {
		return err
	}
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, err := v.reader(ctx)
		if err != nil {
			return err
		}
		p := s.progress()
		defer p.done()
		counted, err := t.Stats(ctx, lukasa.StatsQuery{Days: flags.days, Top: flags.top, Progress: func(done, total uint64) {
			p.update(func() string { return "counting: " + share(done, total) })
		}})
		if err != nil {
			return err
		}
		a := answer.StatsOf(counted)
		if v.scope == "" {
			room, err := v.Storage(ctx)
			if err != nil {
				return err
			}
			a.Storage = answer.StorageOf(room)
		}
		p.done()
		if s.json {
			return s.writeJSON(a)
		}
		s.showStats(a)
		return nil
	})
}

// showStats prints what is there for a person.
func (s *shell) showStats(a *answer.Stats) {
	title := s.paint.bold(a.Tenant)
	if a.Root != "" {
		title += "  " + s.paint.dim(counted(int(a.Records), "record")+", root "+a.Root[:16]+"…")
	}
	fmt.Fprintln(s.stdout, title)
	line := counted(int(a.Events), "event") + " in " + counted(a.Sessions, "session") + " of " + counted(a.AgentCount, "agent")
	if a.First != "" {
		line += ", since " + a.First[:10]
	}
	if a.Erased > 0 {
		line += "; " + counted(int(a.Erased), "record") + " erased"
	}
	fmt.Fprintln(s.stdout, line)

	s.counts("EVENTS", a.EventTypes)
	s.growth(a)
	s.tallies("MEMORIES", "memories", a.Memories)
	s.tallies("ARTIFACTS", "artifacts", a.Artifacts)
	s.counts("CONFLICTS", a.Conflicts)
	s.counts("ALSO LIVE", a.Kinds)
	s.tools(a)
	s.busiest(a)
	if a.Storage != nil {
		s.chapter("STORAGE", "the whole directory")
		for _, x := range []struct {
			name  string
			bytes int64
			note  string
		}{
			{"journal", a.Storage.Journal, "the truth, in " + counted(a.Storage.Segments, "file")},
			{"indexes", a.Storage.Index, "made from it; may be deleted"},
			{"  words", a.Storage.Words, "of these, about"},
			{"  vectors", a.Storage.Vectors, "of these, about"},
			{"traces", a.Storage.Traces, "for the next compile; may be deleted"},
		} {
			fmt.Fprintf(s.stdout, "  %-10s %10s  %s\n", x.name, bytesOf(x.bytes), s.paint.dim(x.note))
		}
	}
}

// chapter begins a part of an answer.
func (s *shell) chapter(title, about string) {
	if about != "" {
		about = "  " + s.paint.dim(about)
	}
	fmt.Fprintf(s.stdout, "\n%s%s\n", s.paint.bold(title), about)
}

// barWidth is how wide bars are beside counts.
const barWidth = 30

// counts prints how many there are of each, with bars, if there are any.
func (s *shell) counts(title string, list []answer.Count) {
	if len(list) == 0 {
		return
	}
	s.chapter(title, "")
	wide, most := 0, 0
	for _, x := range list {
		wide, most = max(wide, len([]rune(oneLine(x.Name)))), max(most, int(x.Count))
	}
	for _, x := range list {
		fmt.Fprintf(s.stdout, "  %s %11s  %s\n", padded(oneLine(x.Name), wide), thousands(int(x.Count)), s.paint.dim(s.bar(int(x.Count), most, barWidth)))
	}
}

// padded fills a word up with spaces.
func padded(word string, wide int) string {
	return fmt.Sprintf("%-*s", wide, word)
}

// growth prints what came on each day.
func (s *shell) growth(a *answer.Stats) {
	days := a.Days
	if len(days) == 0 {
		return
	}
	s.chapter("GROWTH", "by the events' own days (UTC), and memories by when they were written")
	most, shown := 1, uint64(0)
	for _, d := range days {
		most, shown = max(most, int(d.Events)), shown+d.Events
	}
	for len(days) > 1 && days[0].Events+days[0].Memories == 0 {
		days = days[1:] // before anything was there
	}
	if earlier := a.Events - shown; earlier > 0 && a.First != "" && a.First[:10] < days[0].Day {
		fmt.Fprintf(s.stdout, "  %s %11s  %s\n", padded("before", len(time.DateOnly)), thousands(int(earlier)), s.paint.dim("since "+a.First[:10]+"; --days shows more"))
	}
	for _, d := range days {
		memories := ""
		if d.Memories > 0 {
			memories = "  +" + sortsOf(int(d.Memories), "memory", "memories")
		}
		chart := ""
		if d.Events > 0 {
			chart = "  " + s.paint.green(s.bar(int(d.Events), most, barWidth))
		}
		fmt.Fprintf(s.stdout, "  %s %11s%s%s\n", d.Day, thousands(int(d.Events)), chart, s.paint.dim(memories))
	}
	if a.RecordedFrom != "" {
		fmt.Fprintln(s.stdout, "  "+s.paint.dim("taken in from "+a.RecordedFrom[:10]+" to "+a.RecordedUntil[:10]))
	}
}

// tallies prints how many there are of each type and state.
func (s *shell) tallies(title, none string, list []answer.Tally) {
	if len(list) == 0 {
		s.chapter(title, "no "+none)
		return
	}
	s.chapter(title, "")
	wide := 0
	for _, x := range list {
		wide = max(wide, len([]rune(oneLine(x.Type))))
	}
	for _, x := range list {
		state := oneLine(x.State)
		if state != string(lukasa.Live) {
			state = s.paint.dim(state)
		}
		fmt.Fprintf(s.stdout, "  %s %11s  %s\n", padded(oneLine(x.Type), wide), thousands(int(x.Count)), state)
	}
}

// tools prints how tools fared.
func (s *shell) tools(a *answer.Stats) {
	if len(a.Tools) == 0 {
		return
	}
	about := ""
	if more := a.ToolCount - len(a.Tools); more > 0 {
		about = "and " + thousands(more) + " more"
	}
	s.chapter("TOOLS", about)
	wide := 0
	for _, x := range a.Tools {
		wide = max(wide, len([]rune(preview(oneLine(x.Tool), 40))))
	}
	for _, x := range a.Tools {
		fared := s.paint.dim("nothing tells how it went")
		if told := x.OK + x.Failed; told > 0 {
			fared = fmt.Sprintf("%s %s", s.bar(int(x.OK), int(told), 10), share(x.OK, told))
			if x.Failed > 0 {
				fared += s.paint.red("  " + thousands(int(x.Failed)) + " failed")
			} else {
				fared += " good"
			}
		}
		fmt.Fprintf(s.stdout, "  %s %11s  %s\n", padded(preview(oneLine(x.Tool), 40), wide), counted(int(x.Calls), "call"), fared)
	}
}

// busiest prints which sessions and agents stand out.
func (s *shell) busiest(a *answer.Stats) {
	if a.Newest != nil {
		s.chapter("SESSIONS", counted(a.Sessions, "session"))
		s.detail("newest", a.Newest.SessionID+", "+counted(int(a.Newest.Events), "event")+", until "+a.Newest.Last)
		if a.Longest != nil {
			s.detail("longest", a.Longest.SessionID+", "+counted(int(a.Longest.Events), "event"))
		}
	}
	if len(a.Agents) == 0 {
		return
	}
	about := ""
	if more := a.AgentCount - len(a.Agents); more > 0 {
		about = "and " + thousands(more) + " more"
	}
	s.chapter("AGENTS", about)
	list := make([]answer.Count, len(a.Agents))
	wide := 0
	for i, x := range a.Agents {
		list[i] = answer.Count{Name: preview(oneLine(x.AgentID), 48), Count: x.Events}
		wide = max(wide, len([]rune(list[i].Name)))
	}
	for i, x := range list {
		fmt.Fprintf(s.stdout, "  %s %18s  %s\n", padded(x.Name, wide), counted(int(x.Count), "event"), s.paint.dim("last "+a.Agents[i].Last))
	}
}

// bytesOf writes a number of bytes for a person.
func bytesOf(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	units, size, i := []string{"KiB", "MiB", "GiB", "TiB", "PiB"}, n*10/1024, 0
	for size >= 10240 && i < len(units)-1 {
		size, i = size/1024, i+1
	}
	return fmt.Sprintf("%d.%d %s", size/10, size%10, units[i])
}
