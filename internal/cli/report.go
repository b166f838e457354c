package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lukasa.dev/internal/fault"
)

// report prints err to standard error, once:
//
//	lukasa: <what> — <fix> [<code>]
//
// or with --json {"error":{"code":…,"detail":…,"fix":…}}. A failure to print
// it has nowhere to go; the exit code still tells.
func (s *shell) report(err error) {
	e := fault.From(err)
	if e.Code == fault.OutputClosed {
		return // whoever stopped reading knows
	}
	if e.Code == fault.Canceled && e.Detail == "" {
		e = &fault.Error{Code: e.Code, Detail: "stopped on request", Fix: e.Fix, Err: err}
	}
	if s.json {
		var body struct {
			Error struct {
				Code   fault.Code `json:"code"`
				Detail string     `json:"detail"`
				Fix    string     `json:"fix"`
			} `json:"error"`
		}
		body.Error.Code, body.Error.Detail, body.Error.Fix = e.Code, e.Error(), e.Advice()
		_ = encodeLine(s.stderr, body)
		return
	}
	fmt.Fprintf(s.stderr, "%s %s — %s %s\n",
		s.alarm.red(program+":"), oneLine(e.Error()), oneLine(e.Advice()), s.alarm.dim("["+string(e.Code)+"]"))
	if stack, ok := stackOf(err); ok {
		_, _ = io.WriteString(s.stderr, stack)
	}
}

// oneLine makes visible what is not a graphic character: controls, line breaks,
// marks that turn the direction of text. An error may quote what a stranger wrote,
// and that must neither break the line, command the terminal nor read as another
// text than it is.
func oneLine(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether r has no shape of its own.
func hidden(r rune) bool { return !unicode.IsGraphic(r) }

// wantsJSON reports whether args ask for JSON, without parsing them: a command
// line that cannot be parsed is still answered in the form it asks for.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	wants := false
	for _, arg := range args {
		if arg == "--json" {
			wants = true
		} else if v, ok := strings.CutPrefix(arg, "--json="); ok {
			wants, _ = strconv.ParseBool(v)
		}
	}
	return wants
}
