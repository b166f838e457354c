package memories

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type timelineFlags struct {
	ask.BoardFlags
	full  bool
	width int
}

func TimelineCommand(s *ask.Shell) *cobra.Command {
	var flags timelineFlags
	c := &cobra.Command{
		Use:   "timeline SESSION",
		Short: "Tell a session as a story",
		Long: `Tell one session from its first event to its last: what the user asked and the agent
said, which tools were called with what result and how long they took, edits,
decisions, errors and feedback, with pauses between them. At the end, what came
of it: memories that have one of its events as a source, artifacts that have one
as evidence, feedback about it.

A line for each; --full shows all that events say. ` + "`lukasa events`" + ` lists the
sessions there are, and --session shows the events themselves.`,
		Example: `  lukasa timeline session-2026-11-02-refund-bug
  lukasa timeline session-2026-11-02-refund-bug --full --width 100
  lukasa timeline session-2026-11-02-refund-bug --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != "" {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes the id of one session, got %d arguments", c.CommandPath(), len(args)).
				WithFix("`lukasa events` lists the sessions")
		},
		RunE: func(c *cobra.Command, args []string) error { return timeline(s, c, &flags, args[0]) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	c.Flags().BoolVar(&flags.full, "full", false, "all that events say, and not a line of it")
	c.Flags().IntVar(&flags.width, "width", 0, "cut or wrap lines at `N` characters (default the terminal's width, else 100)")
	return c
}

func timeline(s *ask.Shell, c *cobra.Command, flags *timelineFlags, session string) error {
	if c.Flags().Changed("width") {
		if err := ask.InRange("width", flags.width, term.LeastColumns, 1000); err != nil {
			return err
		}
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		w := &storyteller{Shell: s, full: flags.full, width: flags.width}
		if w.width == 0 {
			if w.width = s.Columns(); w.width <= 0 {
				w.width = term.UsualColumns
			}
			w.width = max(w.width, term.LeastColumns)
		}
		q := lukasa.TimelineQuery{Session: session, Full: flags.full}
		for {
			page, err := t.Timeline(ctx, q)
			if err != nil {
				return err
			}
			if err := w.page(page); err != nil || page.Next == "" {
				return err
			}
			q.After = page.Next
		}
	})
}

// storyteller prints a session, page by page.
type storyteller struct {
	*ask.Shell
	full  bool
	width int
	count int
	day   string
}

// page prints a page: as text, or as a part of one JSON object.
func (w *storyteller) page(t *lukasa.Timeline) error {
	a := answer.TimelineOf(t)
	if w.JSON {
		return w.pageJSON(a)
	}
	if w.count == 0 {
		fmt.Fprintf(w.Stdout, "%s  %s\n", w.Paint.Bold(term.OneLine(a.Session.SessionID)),
			w.Paint.Dim(term.Counted(int(a.Session.Events), "event")+" from "+term.Moment(t.Session.First)+" to "+term.Moment(t.Session.Last)))
	}
	for i := range t.Moments {
		w.moment(&t.Moments[i])
		w.count++
	}
	if t.Next != "" {
		return w.Stdout.Failed()
	}
	fmt.Fprintf(w.Stdout, "\n%s\n", w.Paint.Bold("WHAT CAME OF IT"))
	if len(t.Made) == 0 {
		fmt.Fprintln(w.Stdout, "  "+w.Paint.Dim("nothing has an event of it as a source"))
	}
	for _, m := range a.Made {
		what := strings.TrimSpace(m.Kind.String() + " " + m.Type)
		if m.Status != "" {
			what += ", " + m.Status
		}
		fmt.Fprintf(w.Stdout, "  %s  %s\n", w.Paint.Green(term.OneLine(what)), term.Preview(m.Text, max(20, w.width-len(what)-4)))
		fmt.Fprintf(w.Stdout, "    %s\n", w.Paint.Dim(m.URI.String()))
	}
	return w.Stdout.Failed()
}

// pageJSON prints a page as a part of one object: moments as they come, the rest with the
// last of them.
func (w *storyteller) pageJSON(a *answer.Timeline) error {
	if w.count == 0 {
		fmt.Fprint(w.Stdout, `{"session":`)
		if err := term.EncodeLine(term.WithoutLineEnds(w.Stdout), a.Session); err != nil {
			return err
		}
		fmt.Fprint(w.Stdout, `,"moments":[`)
	}
	for i := range a.Moments {
		if w.count > 0 {
			fmt.Fprint(w.Stdout, ",")
		}
		w.count++
		if err := term.EncodeLine(term.WithoutLineEnds(w.Stdout), a.Moments[i]); err != nil {
			return err
		}
	}
	if a.Next != nil {
		return w.Stdout.Failed()
	}
	fmt.Fprint(w.Stdout, `],"made":`)
	if err := term.EncodeLine(term.WithoutLineEnds(w.Stdout), a.Made); err != nil {
		return err
	}
	fmt.Fprintln(w.Stdout, `,"next":null}`)
	return w.Stdout.Failed()
}

// longGap is a pause that is worth a line of its own.
const longGap = 5 * time.Minute

// moment prints what happened at one time.
func (w *storyteller) moment(m *lukasa.Moment) {
	if day := m.Time.UTC().Format(time.DateOnly); day != w.day {
		w.day = day
		fmt.Fprintf(w.Stdout, "\n%s\n", w.Paint.Bold(day))
	} else if m.Gap >= longGap {
		fmt.Fprintf(w.Stdout, "  %s\n", w.Paint.Dim("… "+term.Lasting(m.Gap)+" later"))
	}
	w.line(m.Time, string(m.Sort), m.Text, m.Content, m.Outcome == "failure" && m.Result == nil || m.Sort == lukasa.MomentError)
	r := m.Result
	if r == nil {
		return
	}
	took := "after " + term.Lasting(r.Took)
	if r.Took == 0 {
		took = "at once"
	}
	text := r.Text + " (" + took + ")"
	w.line(r.Time, "  ->", text, r.Content, m.Outcome == "failure")
}

// sortWidth is the room of the longest word for what a moment is.
const sortWidth = len(lukasa.MomentDecision)

// line prints one line of the story, and below it all that is said, if that was asked for.
func (w *storyteller) line(at time.Time, sort, text, content string, bad bool) {
	head := at.UTC().Format(time.TimeOnly)
	word := term.Padded(sort, sortWidth)
	switch {
	case bad:
		word = w.Paint.Red(word)
	case sort == string(lukasa.MomentPrompt):
		word = w.Paint.Bold(word)
	case sort == string(lukasa.MomentDecision), sort == string(lukasa.MomentFeedback):
		word = w.Paint.Yellow(word)
	case sort == string(lukasa.MomentEdit):
		word = w.Paint.Green(word)
	default:
		word = w.Paint.Dim(word)
	}
	const indent = 2 + 8 + 2 + sortWidth + 2
	fmt.Fprintf(w.Stdout, "  %s  %s  %s\n", w.Paint.Dim(head), word, term.Preview(text, max(20, w.width-indent)))
	if content == "" {
		return
	}
	for _, line := range term.Wrapped(content, max(20, w.width-indent)) {
		fmt.Fprintln(w.Stdout, strings.TrimRight(strings.Repeat(" ", indent)+line, " "))
	}
}
