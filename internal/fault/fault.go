// Package fault is the catalogue of all errors that callers have to distinguish.
//
// A [Code] is a stable snake_case name. It has one [Entry]: its meaning, what the caller should
// do, whether the same request may succeed later, and its HTTP status and exit code. Every
// interface derives its answer from that one table, so they cannot diverge.
//
// Guarantees: a released code keeps its name and meaning; every error has exactly one entry,
// because an error from outside the catalogue is [Internal] (and a cancelled context is
// [Canceled]); causes stay reachable for [errors.Is] and [errors.As].
//
// It does not log, print, translate, or decide who may see what.
package fault

import (
	"context"
	"errors"
	"fmt"
)

// Code names one entry of the catalogue. It is itself an error, so that errors.Is(err,
// fault.Usage) reports whether err has that code.
type Code string

// Type is the URL that identifies a code in problem documents, and documents it.
func (c Code) Type() string { return "https://lukasa.dev/docs/errors#" + string(c) }

// Error returns the code's one-line meaning.
func (c Code) Error() string { return Lookup(c).Meaning }

// Error is one occurrence of a fault.
type Error struct {
	// Code is the entry of the catalogue that this is an occurrence of.
	Code Code
	// Detail says what happened, in one line, including the cause. If it is empty, the cause's
	// text is used, and otherwise the entry's meaning.
	Detail string
	// Fix says what to do about this occurrence. If it is empty, the entry's advice is used.
	Fix string
	// Err is the cause, for errors.Is and errors.As. It is never printed on its own: what a
	// reader should see of it belongs in Detail.
	Err error
}

// New returns an occurrence of code.
func New(code Code, detail string) *Error {
	return &Error{Code: code, Detail: detail}
}

// Newf is New with a formatted detail. A %w verb keeps its operand as the cause.
func Newf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	e := &Error{Code: code, Detail: err.Error()}
	switch err.(type) {
	case interface{ Unwrap() error }, interface{ Unwrap() []error }:
		e.Err = err
	}
	return e
}

// Wrap returns an occurrence of code caused by err, with err's own text. Wrapping nil returns
// nil.
func Wrap(code Code, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: code, Err: err}
}

// WithFix returns a copy of e that advises fix.
func (e *Error) WithFix(fix string) *Error {
	c := *e
	c.Fix = fix
	return &c
}

// WithCause returns a copy of e with the cause err, for a detail that is better than err's
// text.
func (e *Error) WithCause(err error) *Error {
	c := *e
	c.Err = err
	return &c
}

// Error returns what happened, without code or fix.
func (e *Error) Error() string {
	switch {
	case e.Detail != "":
		return e.Detail
	case e.Err != nil:
		return e.Err.Error()
	default:
		return Lookup(e.Code).Meaning
	}
}

// Advice is Fix, or the entry's advice when Fix is empty.
func (e *Error) Advice() string {
	if e.Fix != "" {
		return e.Fix
	}
	return Lookup(e.Code).Advice
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is e's code.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// From returns err as an occurrence of the catalogue: itself if it is one, outermost first, or
// otherwise a wrapper with the matching code. It returns nil for nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		if e == nil {
			return nil // a nil *Error in an interface is nil as well
		}
		if error(e) == err {
			return e
		}
		// A wrapper added text; it is part of what happened.
		return &Error{Code: e.Code, Detail: err.Error(), Fix: e.Fix, Err: err}
	}
	if c, ok := errors.AsType[Code](err); ok {
		return &Error{Code: c, Err: err}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Code: Canceled, Err: err}
	}
	return &Error{Code: Internal, Err: err}
}

// CodeOf returns the code of err, and "" for nil.
func CodeOf(err error) Code {
	e := From(err)
	if e == nil {
		return ""
	}
	return e.Code
}

// ExitCode returns the exit code of a process that ends with err.
func ExitCode(err error) int {
	code := CodeOf(err)
	if code == "" {
		return ExitOK
	}
	return Lookup(code).Exit
}

// First returns the first error that is not nil.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
