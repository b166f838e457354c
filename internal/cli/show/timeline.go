package show

import (
	"fmt"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
)

// Timeline returns what prints the pages of a session. Lines are cut or wrapped at width, or at the
// width of the terminal where it is 0.
func Timeline(s *term.Screen, width int) func(*answer.Timeline) error {
	w := &storyteller{Screen: s, width: width}
	if w.width == 0 {
		if w.width = s.Columns(); w.width <= 0 {
			w.width = term.UsualColumns
		}
		w.width = max(w.width, term.LeastColumns)
	}
	return w.page
}

// instant reads a time of an answer; nothing is the zero time.
func instant(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// storyteller prints a session, page by page.
type storyteller struct {
	*term.Screen
	width int
	count int
	day   string
}

// page prints a page: as text, or as a part of one JSON object.
func (w *storyteller) page(a *answer.Timeline) error {
	if w.JSON {
		return w.pageJSON(a)
	}
	if w.count == 0 {
		fmt.Fprintf(w.Stdout, "%s  %s\n", w.Paint.Bold(term.OneLine(a.Session.SessionID)),
			w.Paint.Dim(term.Counted(int(a.Session.Events), "event")+" from "+term.Moment(instant(a.Session.First))+" to "+term.Moment(instant(a.Session.Last))))
	}
	for i := range a.Moments {
		w.moment(&a.Moments[i])
		w.count++
	}
	if a.Next != nil {
		return w.Stdout.Failed()
	}
	fmt.Fprintf(w.Stdout, "\n%s\n", w.Paint.Bold("WHAT CAME OF IT"))
	if len(a.Made) == 0 {
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
func (w *storyteller) moment(m *answer.Moment) {
	at, gap := instant(m.Time), time.Duration(m.GapMS)*time.Millisecond
	if day := at.UTC().Format(time.DateOnly); day != w.day {
		w.day = day
		fmt.Fprintf(w.Stdout, "\n%s\n", w.Paint.Bold(day))
	} else if gap >= longGap {
		fmt.Fprintf(w.Stdout, "  %s\n", w.Paint.Dim("… "+term.Lasting(gap)+" later"))
	}
	w.line(at, string(m.Sort), m.Text, m.Content, m.Outcome == "failure" && m.Result == nil || m.Sort == lukasa.MomentError)
	r := m.Result
	if r == nil {
		return
	}
	took := "after " + term.Lasting(time.Duration(r.TookMS)*time.Millisecond)
	if r.TookMS == 0 {
		took = "at once"
	}
	text := r.Text + " (" + took + ")"
	w.line(instant(r.Time), "  ->", text, r.Content, m.Outcome == "failure")
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
