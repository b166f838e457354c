package term

import (
	"errors"
	"fmt"
	"io"

	"lukasa.dev/internal/fault"
)

// Report prints err to standard error, once:
//
//	lukasa: <what> — <fix> [<code>]
//
// or with --json {"error":{"code":…,"detail":…,"fix":…}}. A failure to print
// it has nowhere to go; the exit code still tells.
func (s *Screen) Report(err error) {
	e := fault.From(err)
	if e.Code == fault.OutputClosed {
		return // the reader that stopped knows
	}
	if e.Code == fault.Canceled && e.Detail == "" {
		e = &fault.Error{Code: e.Code, Detail: "stopped on request", Fix: e.Fix, Err: err}
	}
	if s.JSON {
		var body struct {
			Error struct {
				Code   fault.Code `json:"code"`
				Detail string     `json:"detail"`
				Fix    string     `json:"fix"`
			} `json:"error"`
		}
		body.Error.Code, body.Error.Detail, body.Error.Fix = e.Code, e.Error(), e.Advice()
		_ = EncodeLine(s.Stderr, body)
		return
	}
	fmt.Fprintf(s.Stderr, "%s %s — %s %s\n",
		s.Alarm.Red(Program+":"), OneLine(e.Error()), OneLine(e.Advice()), s.Alarm.Dim("["+string(e.Code)+"]"))
	if stack, ok := StackOf(err); ok {
		_, _ = io.WriteString(s.Stderr, stack)
	}
}

// StackError carries where a panic came from to the code that reports it.
type StackError []byte

func (e StackError) Error() string { return string(e) }

// StackOf returns the stack of the panic that became err, if it was one.
func StackOf(err error) (stack string, ok bool) {
	e, ok := errors.AsType[StackError](err)
	return string(e), ok
}

// Program is the name that help, errors and completion use.
const Program = "lukasa"
