package memories

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/kind"
)

type tailFlags struct {
	ask.BoardFlags
	since, typ, session, agent string
	lines                      int
	from                       uint64
	noFollow                   bool
}

// TailCommand returns the command `lukasa tail`.
func TailCommand(s *ask.Shell) *cobra.Command {
	var flags tailFlags
	c := &cobra.Command{
		Use:   "tail",
		Short: "Show the latest events, and new ones as they are recorded",
		Long: `Show the latest events of a tenant, then each new one as it is recorded, until it is
interrupted, which is no error. Filters apply to both. With --json it prints one event
per line.

If a server has the directory open, it sends new events at once. Otherwise the
directory is checked twice a second and opened only as long as it takes to read what
is new, so that other processes can write to it. If a server opens it meanwhile, that
server is used from then on.`,
		Example: `  lukasa tail
  lukasa tail --type error --since 1d
  lukasa tail --lines 3 --no-follow --json`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return tail(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringVar(&flags.since, "since", "", "begin with what was recorded since a `TIME`: a day such as 2026-03-14, a time in RFC 3339, or how long ago, such as 36h or 7d")
	f.StringVar(&flags.typ, "type", "", "only events of this `TYPE`")
	f.StringVar(&flags.session, "session", "", "only of the session with this `ID`")
	f.StringVar(&flags.agent, "agent", "", "only of the agent with this `ID`")
	f.IntVar(&flags.lines, "lines", 10, "begin with the latest `N` events; with --since and without this, with all since then")
	f.Uint64Var(&flags.from, "from", 0, "begin at this `POSITION`, such as the one after the last that was seen")
	f.BoolVar(&flags.noFollow, "no-follow", false, "end after those that are there")
	ask.SuggestValues(c, "type", ask.Names(hmx.EventTypes()))
	return c
}

// maxTailed is how many events of the past are shown at most.
const maxTailed = 10_000

func tail(s *ask.Shell, c *cobra.Command, flags *tailFlags) error {
	if err := ask.InRange("lines", flags.lines, 0, maxTailed); err != nil {
		return err
	}
	if c.Flags().Changed("from") && (c.Flags().Changed("since") || c.Flags().Changed("lines")) {
		return fault.New(fault.Usage, "--from cannot be combined with --since or --lines").WithFix("say once where to begin")
	}
	since, err := s.AgoFlag("since", flags.since)
	if err != nil {
		return err
	}
	f := &follower{Shell: s, cmd: c, flags: flags, since: since, most: flags.lines}
	if !since.IsZero() && !c.Flags().Changed("lines") {
		f.most = maxTailed
	}
	if c.Flags().Changed("from") {
		f.begun, f.next = true, flags.from
	}
	err = f.run()
	if c.Context().Err() != nil {
		return nil // an interrupt is its normal end
	}
	return err
}

// follower shows events as they arrive.
type follower struct {
	*ask.Shell
	cmd   *cobra.Command
	flags *tailFlags
	since time.Time
	most  int

	begun  bool // past events were shown, or are not requested
	next   uint64
	tenant string
}

// pollEvery is the interval at which a directory without a server is polled.
const pollEvery = 500 * time.Millisecond

// run shows past events, and follows new ones until ctx ends.
func (f *follower) run() error {
	dir := ""
	if f.Served.Board == nil {
		var err error
		if dir, err = f.DataDir(f.cmd, &f.flags.BoardFlags); err != nil {
			return err
		}
	}
	for {
		seen := journalState(dir)
		started := f.begun
		err := f.Visit(f.cmd, &f.flags.BoardFlags, ask.Reading(), f.look)
		switch {
		case started && errors.Is(err, ask.ErrServed):
			if err := f.Forward(f.cmd.Context(), dir, f.arguments(dir)); !errors.Is(err, ask.ErrNobody) {
				return err
			} // it is gone again
		case started && errors.Is(err, fault.Locked): // another process has it open; retry
		case err != nil || f.flags.noFollow || f.Served.Board != nil:
			return err
		}
		if err := awaitChange(f.cmd.Context(), dir, seen); err != nil {
			return err
		}
	}
}

// look shows new events. On the board of a server it follows until either side ends.
func (f *follower) look(ctx context.Context, v *ask.Visit) error {
	t, err := v.Reader(ctx)
	if err != nil {
		return err
	}
	f.tenant = t.Name()
	grew, stop := t.Watch()
	defer stop()
	if !f.begun {
		if err := f.past(ctx, t); err != nil {
			return err
		}
		f.begun = true
	}
	for {
		if err := f.drain(ctx, t); err != nil || f.flags.noFollow || f.Served.Board == nil {
			return err
		}
		select {
		case <-grew:
		case <-ctx.Done():
			return ctx.Err()
		case <-f.Served.Ending:
			return fault.New(fault.NoServer, "the server ends").WithFix("go on with `lukasa tail --from " + strconv.FormatUint(f.next, 10) + "` once it is back, or without it")
		}
	}
}

// query returns the query for events from a position on.
func (f *follower) query(from uint64) lukasa.TailQuery {
	return lukasa.TailQuery{From: from, Session: f.flags.session, Agent: f.flags.agent, Type: hmx.EventType(f.flags.typ)}
}

// drain shows all events from the next position on.
func (f *follower) drain(ctx context.Context, t *lukasa.Tenant) error {
	for {
		part, err := t.Tail(ctx, f.query(f.next))
		if err != nil {
			return err
		}
		f.missing(part)
		for _, ev := range part.Events {
			if err := f.show(ev); err != nil {
				return err
			}
		}
		f.next = part.Next
		f.Stdout.PassOn()
		if part.Next >= part.Size || f.Stdout.Failed() != nil {
			return f.Stdout.Failed()
		}
	}
}

// missing reports records that cannot be read.
func (f *follower) missing(part *lukasa.Tailed) {
	if part.Damaged > 0 {
		f.Note("%s cannot be read and left out; `lukasa verify --deep` says which", term.Counted(part.Damaged, "record"))
	}
}

// pastPart is how many past positions are read at once, backwards from the end. With a
// filter, most of them are skipped by their rows.
const (
	pastPart     = 4096
	filteredPart = 64 << 10
)

// past shows the latest events, and sets the next position.
func (f *follower) past(ctx context.Context, t *lukasa.Tenant) error {
	part, err := t.Tail(ctx, f.query(math.MaxUint64))
	if err != nil {
		return err
	}
	end := part.Size
	f.next = end
	p := f.Progress()
	defer p.Done()
	var parts [][]*lukasa.StoredEvent // the latest first
	found, step := 0, uint64(pastPart)
	if f.flags.typ+f.flags.session+f.flags.agent != "" {
		step = filteredPart
	}
	for to := end; to > 0 && found < f.most; {
		from := to - min(to, step)
		list, older, err := f.between(ctx, t, from, to)
		if err != nil {
			return err
		}
		if over := found + len(list) - f.most; over > 0 {
			list = list[over:]
		}
		parts, found = append(parts, list), found+len(list)
		if older {
			break
		}
		to = from
		p.Update(func() string { return "looked at " + term.Share(end-to, end) })
	}
	p.Done()
	for i := len(parts) - 1; i >= 0; i-- {
		for _, ev := range parts[i] {
			if err := f.show(ev); err != nil {
				return err
			}
		}
	}
	f.Stdout.PassOn()
	return f.Stdout.Failed()
}

// between returns the matching events from one position on and before another, and whether
// one was recorded before the requested time.
func (f *follower) between(ctx context.Context, t *lukasa.Tenant, from, to uint64) (list []*lukasa.StoredEvent, older bool, err error) {
	for at := from; at < to; {
		q := f.query(at)
		q.Until = to
		part, err := t.Tail(ctx, q)
		if err != nil {
			return nil, false, err
		}
		f.missing(part)
		for _, ev := range part.Events {
			switch {
			case ev.Recorded.Before(f.since):
				older = true
			default:
				list = append(list, ev)
			}
		}
		at = part.Next
	}
	return list, older, nil
}

// show prints an event.
func (f *follower) show(ev *lukasa.StoredEvent) error {
	if f.JSON {
		a, err := answer.EventOf(ev)
		if err != nil {
			return err
		}
		return f.WriteJSON(a)
	}
	e := ev.Event
	facets := kind.Read(e)
	typ := term.Padded(term.OneLine(string(e.EventType)), len(hmx.TypeBrowserAction))
	switch {
	case e.EventType == hmx.TypeError || facets.Outcome == "failure":
		typ = f.Paint.Red(typ)
	case e.EventType == hmx.TypeMessage:
		typ = f.Paint.Bold(typ)
	}
	head := e.Timestamp.Time().UTC().Format("2006-01-02 15:04:05")
	who := term.Preview(e.AgentID, 24)
	room := term.UsualColumns
	if n := f.Columns(); n > 0 {
		room = max(20, n-len(head)-len(hmx.TypeBrowserAction)-len([]rune(who))-6)
	}
	_, err := fmt.Fprintf(f.Stdout, "%s  %s  %s  %s\n", f.Paint.Dim(head), typ, f.Paint.Dim(term.OneLine(who)), term.Preview(facets.Text, room))
	return err
}

// arguments returns the command line that continues from the current position.
func (f *follower) arguments(dir string) []string {
	args := []string{"tail", "--data", dir, "--tenant", f.tenant, "--from", strconv.FormatUint(f.next, 10)}
	for _, x := range [][2]string{{"type", f.flags.typ}, {"session", f.flags.session}, {"agent", f.flags.agent}, {"scope", f.flags.Scope}} {
		if x[1] != "" {
			args = append(args, "--"+x[0]+"="+x[1])
		}
	}
	if f.JSON {
		args = append(args, "--json")
	}
	return args
}

// journalState returns a text that changes when the journal or the spool of a directory
// changes, for a directory that no process has open.
func journalState(dir string) string {
	var b strings.Builder
	for _, name := range []string{"journal", "SPOOL"} {
		entries, err := os.ReadDir(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				fmt.Fprintln(&b, e.Name(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}

// awaitChange returns when a directory changes, or ctx ends.
func awaitChange(ctx context.Context, dir, seen string) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if journalState(dir) != seen {
				return nil
			}
		}
	}
}
