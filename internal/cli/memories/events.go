package memories

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type eventsFlags struct {
	ask.BoardFlags
	query lukasa.EventQuery
	all   bool
}

// EventsCommand returns the command `lukasa events`.
func EventsCommand(s *ask.Shell) *cobra.Command {
	var flags eventsFlags
	c := &cobra.Command{
		Use:   "events",
		Short: "Show the events of a session, an agent or a trace in order",
		Long: `Show recorded events: those of one session in the order of the session, those of
an agent, a trace or a correlation by their time, or the children of an event.
Without any of these, list the sessions.

It prints 100 at a time. If there are more, the answer says how to continue; --all
prints all of them. Erased events are not shown.`,
		Example: `  lukasa events
  lukasa events --session session-2026-11-02-refund-bug
  lukasa events --agent agent-coder-1 --limit 3
  lukasa events --session session-2026-11-02-refund-bug --all --json`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return events(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	q := &flags.query
	f := c.Flags()
	f.StringVar(&q.Session, "session", "", "the session with this `ID`")
	f.StringVar(&q.Agent, "agent", "", "the agent with this `ID`")
	f.StringVar(&q.Trace, "trace", "", "the trace with this `ID`")
	f.StringVar(&q.Correlation, "correlation", "", "the correlation with this `ID`")
	f.StringVar(&q.ChildrenOf, "children-of", "", "the events whose parent has this `ID`")
	f.StringVar(&q.After, "after", "", "continue after a page, with its `NEXT`")
	ask.AddPaging(c, &q.Limit, &flags.all, 100)
	return c
}

func events(s *ask.Shell, c *cobra.Command, flags *eventsFlags) error {
	q := flags.query
	chosen := 0
	for _, name := range []string{"session", "agent", "trace", "correlation", "children-of"} {
		if c.Flags().Changed(name) {
			chosen++
		}
	}
	if chosen > 1 {
		return fault.New(fault.Usage, "--session, --agent, --trace, --correlation and --children-of exclude each other").WithFix("use one of them")
	}
	if err := ask.InRange("limit", q.Limit, 1, 10_000); err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		if chosen == 0 {
			return sessions(ctx, s, t, q, flags.all)
		}
		p := s.Progress()
		defer p.Done()
		out := s.NewPages("events", "TIME", "SEQUENCE", "TYPE", "AGENT", "TRUST", "POSITION", "CONTENT")
		for {
			page, err := t.Events(ctx, q)
			if err != nil {
				return ask.BadAfter(c, err)
			}
			for _, ev := range page.Events {
				if err := addEvent(out, ev); err != nil {
					return err
				}
			}
			if err := out.Flush(); err != nil || page.Next == "" || !flags.all {
				return out.End(page.Next, err)
			}
			p.Update(func() string { return "read " + term.Counted(out.Count, "event") })
			q.After = page.Next
		}
	})
}

func addEvent(p *ask.Pages, ev *lukasa.StoredEvent) error {
	if p.Shell.JSON {
		a, err := answer.EventOf(ev)
		if err != nil {
			return err
		}
		return p.Add(a)
	}
	e := ev.Event
	return p.Add(nil, e.Timestamp.String(), fmt.Sprint(e.Sequence), string(e.EventType), e.AgentID, ev.Trust.String(), fmt.Sprint(ev.Position),
		term.Preview(string(e.Content), 72))
}

// cursor is how a page of sessions names the last one on it.
func cursor(id string) string { return base64.RawURLEncoding.EncodeToString([]byte(id)) }

// sessions lists the sessions of a tenant.
func sessions(ctx context.Context, s *ask.Shell, t *lukasa.Tenant, q lukasa.EventQuery, all bool) error {
	list, err := t.Sessions(ctx)
	if err != nil {
		return err
	}
	from := 0
	if q.After != "" {
		at := slices.IndexFunc(list, func(i lukasa.SessionInfo) bool { return cursor(i.ID) == q.After })
		if at < 0 {
			return fault.Newf(fault.Usage, "--after: %q is not from a page of sessions", q.After).WithFix("use next of the previous page, unchanged")
		}
		from = at + 1
	}
	list, next := list[from:], ""
	if !all && len(list) > q.Limit {
		list = list[:q.Limit]
		next = cursor(list[q.Limit-1].ID)
	}
	out := s.NewPages("sessions", "SESSION", "EVENTS", "FIRST", "LAST")
	for _, i := range list {
		a := answer.SessionOf(i)
		if err := out.Add(a, a.SessionID, fmt.Sprint(a.Events), term.Moment(i.First), term.Moment(i.Last)); err != nil {
			return err
		}
	}
	return out.End(next, out.Flush())
}
