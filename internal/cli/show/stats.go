package show

import (
	"fmt"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
)

// Stats prints what a tenant has, and how it grows.
func Stats(s *term.Screen, a *answer.Stats) {
	title := s.Paint.Bold(a.Tenant)
	if a.Root != "" {
		title += "  " + s.Paint.Dim(term.Counted(int(a.Records), "record")+", root "+a.Root[:16]+"…")
	}
	fmt.Fprintln(s.Stdout, title)
	line := term.Counted(int(a.Events), "event") + " in " + term.Counted(a.Sessions, "session") + " of " + term.Counted(a.AgentCount, "agent")
	if a.First != "" {
		line += ", since " + a.First[:10]
	}
	if a.Erased > 0 {
		line += "; " + term.Counted(int(a.Erased), "record") + " erased"
	}
	fmt.Fprintln(s.Stdout, line)

	counts(s, "EVENTS", a.EventTypes)
	growth(s, a)
	tallies(s, "MEMORIES", "memories", a.Memories)
	tallies(s, "ARTIFACTS", "artifacts", a.Artifacts)
	counts(s, "CONFLICTS", a.Conflicts)
	counts(s, "ALSO LIVE", a.Kinds)
	tools(s, a)
	busiest(s, a)
	if a.Storage != nil {
		s.Chapter("STORAGE", "the whole directory")
		for _, x := range []struct {
			name  string
			bytes int64
			note  string
		}{
			{"journal", a.Storage.Journal, "the truth, in " + term.Counted(a.Storage.Segments, "file")},
			{"indexes", a.Storage.Index, "made from it; may be deleted"},
			{"  words", a.Storage.Words, "of these, about"},
			{"  vectors", a.Storage.Vectors, "of these, about"},
			{"traces", a.Storage.Traces, "for the next compile; may be deleted"},
		} {
			fmt.Fprintf(s.Stdout, "  %-10s %10s  %s\n", x.name, term.BytesOf(x.bytes), s.Paint.Dim(x.note))
		}
	}
}

// barWidth is how wide bars are beside counts.
const barWidth = 30

// counts prints how many there are of each, with bars, if there are any.
func counts(s *term.Screen, title string, list []answer.Count) {
	if len(list) == 0 {
		return
	}
	s.Chapter(title, "")
	wide, most := 0, 0
	for _, x := range list {
		wide, most = max(wide, len([]rune(term.OneLine(x.Name)))), max(most, int(x.Count))
	}
	for _, x := range list {
		fmt.Fprintf(s.Stdout, "  %s %11s  %s\n", term.Padded(term.OneLine(x.Name), wide), term.Thousands(int(x.Count)), s.Paint.Dim(s.Bar(int(x.Count), most, barWidth)))
	}
}

// growth prints what came on each day.
func growth(s *term.Screen, a *answer.Stats) {
	days := a.Days
	if len(days) == 0 {
		return
	}
	s.Chapter("GROWTH", "by the events' own days (UTC), and memories by when they were written")
	most, shown := 1, uint64(0)
	for _, d := range days {
		most, shown = max(most, int(d.Events)), shown+d.Events
	}
	for len(days) > 1 && days[0].Events+days[0].Memories == 0 {
		days = days[1:] // before anything was there
	}
	if earlier := a.Events - shown; earlier > 0 && a.First != "" && a.First[:10] < days[0].Day {
		fmt.Fprintf(s.Stdout, "  %s %11s  %s\n", term.Padded("before", len(time.DateOnly)), term.Thousands(int(earlier)), s.Paint.Dim("since "+a.First[:10]+"; --days shows more"))
	}
	for _, d := range days {
		memories := ""
		if d.Memories > 0 {
			memories = "  +" + term.CountedAs(int(d.Memories), "memory", "memories")
		}
		chart := ""
		if d.Events > 0 {
			chart = "  " + s.Paint.Green(s.Bar(int(d.Events), most, barWidth))
		}
		fmt.Fprintf(s.Stdout, "  %s %11s%s%s\n", d.Day, term.Thousands(int(d.Events)), chart, s.Paint.Dim(memories))
	}
	if a.RecordedFrom != "" {
		fmt.Fprintln(s.Stdout, "  "+s.Paint.Dim("taken in from "+a.RecordedFrom[:10]+" to "+a.RecordedUntil[:10]))
	}
}

// tallies prints how many there are of each type and state.
func tallies(s *term.Screen, title, none string, list []answer.Tally) {
	if len(list) == 0 {
		s.Chapter(title, "no "+none)
		return
	}
	s.Chapter(title, "")
	wide := 0
	for _, x := range list {
		wide = max(wide, len([]rune(term.OneLine(x.Type))))
	}
	for _, x := range list {
		state := term.OneLine(x.State)
		if state != string(lukasa.Live) {
			state = s.Paint.Dim(state)
		}
		fmt.Fprintf(s.Stdout, "  %s %11s  %s\n", term.Padded(term.OneLine(x.Type), wide), term.Thousands(int(x.Count)), state)
	}
}

// tools prints how tools fared.
func tools(s *term.Screen, a *answer.Stats) {
	if len(a.Tools) == 0 {
		return
	}
	about := ""
	if more := a.ToolCount - len(a.Tools); more > 0 {
		about = "and " + term.Thousands(more) + " more"
	}
	s.Chapter("TOOLS", about)
	wide := 0
	for _, x := range a.Tools {
		wide = max(wide, len([]rune(term.Preview(term.OneLine(x.Tool), 40))))
	}
	for _, x := range a.Tools {
		fared := s.Paint.Dim("outcome unknown")
		if told := x.OK + x.Failed; told > 0 {
			fared = fmt.Sprintf("%s %s", s.Bar(int(x.OK), int(told), 10), term.Share(x.OK, told))
			if x.Failed > 0 {
				fared += s.Paint.Red("  " + term.Thousands(int(x.Failed)) + " failed")
			} else {
				fared += " good"
			}
		}
		fmt.Fprintf(s.Stdout, "  %s %11s  %s\n", term.Padded(term.Preview(term.OneLine(x.Tool), 40), wide), term.Counted(int(x.Calls), "call"), fared)
	}
}

// busiest prints which sessions and agents stand out.
func busiest(s *term.Screen, a *answer.Stats) {
	if a.Newest != nil {
		s.Chapter("SESSIONS", term.Counted(a.Sessions, "session"))
		s.Detail("newest", a.Newest.SessionID+", "+term.Counted(int(a.Newest.Events), "event")+", until "+a.Newest.Last)
		if a.Longest != nil {
			s.Detail("longest", a.Longest.SessionID+", "+term.Counted(int(a.Longest.Events), "event"))
		}
	}
	if len(a.Agents) == 0 {
		return
	}
	about := ""
	if more := a.AgentCount - len(a.Agents); more > 0 {
		about = "and " + term.Thousands(more) + " more"
	}
	s.Chapter("AGENTS", about)
	list := make([]answer.Count, len(a.Agents))
	wide := 0
	for i, x := range a.Agents {
		list[i] = answer.Count{Name: term.Preview(term.OneLine(x.AgentID), 48), Count: x.Events}
		wide = max(wide, len([]rune(list[i].Name)))
	}
	for i, x := range list {
		fmt.Fprintf(s.Stdout, "  %s %18s  %s\n", term.Padded(x.Name, wide), term.Counted(int(x.Count), "event"), s.Paint.Dim("last "+a.Agents[i].Last))
	}
}
