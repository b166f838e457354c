package benchcli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"lukasa.dev/internal/fault"
)

// console is the output of a command: the report to stdout, progress and errors to stderr.
type console struct {
	stdout  *bufio.Writer
	stderr  io.Writer
	json    bool // the --json flag
	started bool // a command is running; earlier errors are wrong usage
	colours bool // stdout is a terminal that wants colours
	watched bool // stderr is a terminal
}

func newConsole(stdout, stderr io.Writer, env func(string) (string, bool)) *console {
	set := func(name string) string {
		value, _ := env(name)
		return value
	}
	smart := set("TERM") != "dumb"
	return &console{
		stdout:  bufio.NewWriterSize(stdout, 64<<10),
		stderr:  stderr,
		colours: smart && set("NO_COLOR") == "" && isTerminal(stdout),
		watched: smart && isTerminal(stderr),
	}
}

// isTerminal reports whether w is a character device other than the null device.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// finish flushes the output, and returns the first write error.
func (s *console) finish() error {
	switch err := s.stdout.Flush(); {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE):
		return fault.Wrap(fault.OutputClosed, err)
	default:
		return fault.Newf(fault.OutputFailed, "cannot write the answer: %w", err)
	}
}

// report prints err to standard error, in JSON if args ask for it.
func (s *console) report(err error, args []string) {
	e := fault.From(err)
	if e.Code == fault.OutputClosed {
		return // the reader has closed the pipe
	}
	if s.json || slices.Contains(args, "--json") {
		_ = writeLine(s.stderr, map[string]any{"error": map[string]any{"code": e.Code, "detail": e.Error(), "fix": e.Advice()}})
		return
	}
	fmt.Fprintf(s.stderr, "%s: %s — %s [%s]\n", program, oneLine(e.Error()), oneLine(e.Advice()), e.Code)
}

// note prints a note to standard error.
func (s *console) note(text string) {
	if s.json {
		_ = writeLine(s.stderr, map[string]string{"note": text}) // the answer is complete without it
		return
	}
	fmt.Fprintf(s.stderr, "%s: note: %s\n", program, oneLine(text))
}

// writeJSON writes v to standard output as one line of JSON.
func (s *console) writeJSON(v any) error { return writeLine(s.stdout, v) }

// writeLine writes v as one line of JSON, with <, > and & as they are.
func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// mark shows whether a goal is reached.
func (s *console) mark(ok bool) string {
	if ok {
		return s.colour("32", "ok")
	}
	return s.colour("31", "missed")
}

func (s *console) bold(text string) string { return s.colour("1", text) }

func (s *console) colour(sgr, text string) string {
	if !s.colours {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// progressEvery is the interval of the progress line.
const progressEvery = 200 * time.Millisecond

// progress is one line on standard error that is rewritten in place. It shows nothing unless
// standard error is a terminal.
type progress struct {
	w    io.Writer // nil if nothing is shown
	next time.Time
	on   bool // the line is on the screen
}

func (s *console) progress() *progress {
	if !s.watched {
		return &progress{}
	}
	return &progress{w: s.stderr}
}

// update shows the progress of a piece of work; total 0 means unknown.
func (p *progress) update(what string, done, total int) {
	if now := time.Now(); p.w != nil && now.After(p.next) {
		p.next, p.on = now.Add(progressEvery), true
		line := oneLine(what)
		if total > 0 {
			line += fmt.Sprintf(", %.0f%% of %s", 100*float64(min(done, total))/float64(total), thousands(total))
		}
		_, _ = io.WriteString(p.w, "\r"+line+"\x1b[K") // a lost progress line does not matter
	}
}

// done removes the line from the screen.
func (p *progress) done() {
	if p.on {
		_, _ = io.WriteString(p.w, "\r\x1b[K")
	}
	p.w, p.on = nil, false
}

// oneLine makes non-graphic characters visible. Names and texts come from files, and must
// neither break the line nor control the terminal.
func oneLine(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	var b strings.Builder
	for _, r := range text {
		if unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// counted formats a number with its noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return thousands(n) + " " + noun
}

// thousands formats n with a comma between every three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
