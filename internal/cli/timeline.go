package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
)

type timelineFlags struct {
	boardFlags
	full  bool
	width int
}

func timelineCommand(s *shell) *cobra.Command {
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
		RunE: func(c *cobra.Command, args []string) error { return s.timeline(c, &flags, args[0]) },
	}
	flags.addTenant(c)
	flags.addScope(c)
	c.Flags().BoolVar(&flags.full, "full", false, "all that events say, and not a line of it")
	c.Flags().IntVar(&flags.width, "width", 0, "cut or wrap lines at `N` characters (default the terminal's width, else 100)")
	return c
}

func (s *shell) timeline(c *cobra.Command, flags *timelineFlags, session string) error {
	if c.Flags().Changed("width") {
		if err := inRange("width", flags.width, leastColumns, 1000); err != nil {
			return err
		}
	}
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, err := v.reader(ctx)
		if err != nil {
			return err
		}
		w := &storyteller{shell: s, full: flags.full, width: flags.width}
		if w.width == 0 {
			if w.width = s.columns(); w.width <= 0 {
				w.width = usualColumns
			}
			w.width = max(w.width, leastColumns)
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
	*shell
	full  bool
	width int
	count int
	day   string
}

// page prints a page: as text, or as a part of one JSON object.
func (w *storyteller) page(t *lukasa.Timeline) error {
	a := answer.TimelineOf(t)
	if w.json {
		return w.pageJSON(a)
	}
	if w.count == 0 {
		fmt.Fprintf(w.stdout, "%s  %s\n", w.paint.bold(oneLine(a.Session.SessionID)),
			w.paint.dim(counted(int(a.Session.Events), "event")+" from "+moment(t.Session.First)+" to "+moment(t.Session.Last)))
	}
	for i := range t.Moments {
		w.moment(&t.Moments[i])
		w.count++
	}
	if t.Next != "" {
		return w.stdout.failed()
	}
	fmt.Fprintf(w.stdout, "\n%s\n", w.paint.bold("WHAT CAME OF IT"))
	if len(t.Made) == 0 {
		fmt.Fprintln(w.stdout, "  "+w.paint.dim("nothing has an event of it as a source"))
	}
	for _, m := range a.Made {
		what := strings.TrimSpace(m.Kind.String() + " " + m.Type)
		if m.Status != "" {
			what += ", " + m.Status
		}
		fmt.Fprintf(w.stdout, "  %s  %s\n", w.paint.green(oneLine(what)), preview(m.Text, max(20, w.width-len(what)-4)))
		fmt.Fprintf(w.stdout, "    %s\n", w.paint.dim(m.URI.String()))
	}
	return w.stdout.failed()
}

// pageJSON prints a page as a part of one object: moments as they come, the rest with the
// last of them.
func (w *storyteller) pageJSON(a *answer.Timeline) error {
	if w.count == 0 {
		fmt.Fprint(w.stdout, `{"session":`)
		if err := encodeLine(trimmed{w.stdout}, a.Session); err != nil {
			return err
		}
		fmt.Fprint(w.stdout, `,"moments":[`)
	}
	for i := range a.Moments {
		if w.count > 0 {
			fmt.Fprint(w.stdout, ",")
		}
		w.count++
		if err := encodeLine(trimmed{w.stdout}, a.Moments[i]); err != nil {
			return err
		}
	}
	if a.Next != nil {
		return w.stdout.failed()
	}
	fmt.Fprint(w.stdout, `],"made":`)
	if err := encodeLine(trimmed{w.stdout}, a.Made); err != nil {
		return err
	}
	fmt.Fprintln(w.stdout, `,"next":null}`)
	return w.stdout.failed()
}

// longGap is a pause that is worth a line of its own.
const longGap = 5 * time.Minute

// moment prints what happened at one time.
func (w *storyteller) moment(m *lukasa.Moment) {
	if day := m.Time.UTC().Format(time.DateOnly); day != w.day {
		w.day = day
		fmt.Fprintf(w.stdout, "\n%s\n", w.paint.bold(day))
	} else if m.Gap >= longGap {
		fmt.Fprintf(w.stdout, "  %s\n", w.paint.dim("… "+span1(m.Gap)+" later"))
	}
	w.line(m.Time, string(m.Sort), m.Text, m.Content, m.Outcome == "failure" && m.Result == nil || m.Sort == lukasa.MomentError)
	r := m.Result
	if r == nil {
		return
	}
	took := "after " + span1(r.Took)
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
	word := padded(sort, sortWidth)
	switch {
	case bad:
		word = w.paint.red(word)
	case sort == string(lukasa.MomentPrompt):
		word = w.paint.bold(word)
	case sort == string(lukasa.MomentDecision), sort == string(lukasa.MomentFeedback):
		word = w.paint.yellow(word)
	case sort == string(lukasa.MomentEdit):
		word = w.paint.green(word)
	default:
		word = w.paint.dim(word)
	}
	const indent = 2 + 8 + 2 + sortWidth + 2
	fmt.Fprintf(w.stdout, "  %s  %s  %s\n", w.paint.dim(head), word, preview(text, max(20, w.width-indent)))
	if content == "" {
		return
	}
	for _, line := range wrapped(content, max(20, w.width-indent)) {
		fmt.Fprintln(w.stdout, strings.TrimRight(strings.Repeat(" ", indent)+line, " "))
	}
}

// span1 writes a span of time in one unit, or two.
func span1(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%d.%d s", d/time.Second, d%time.Second/(100*time.Millisecond))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return counted(int(d/(24*time.Hour)), "day")
}
