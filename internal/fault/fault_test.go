package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"lukasa.dev/internal/fault"
)

func TestIsFindsCodeAndCause(t *testing.T) {
	err := error(fault.Newf(fault.UnreadableInput, "cannot open %q: %w", "a.json", fs.ErrNotExist))
	wrapped := fmt.Errorf("validate: %w", err)

	for _, e := range []error{err, wrapped} {
		if !errors.Is(e, fault.UnreadableInput) {
			t.Errorf("%v: code not found", e)
		}
		if !errors.Is(e, fs.ErrNotExist) {
			t.Errorf("%v: cause not found", e)
		}
		if errors.Is(e, fault.Usage) {
			t.Errorf("%v: carries a code it was never given", e)
		}
	}
}

func TestNewfWithoutCauseHasNone(t *testing.T) {
	if e := fault.Newf(fault.Usage, "bad %s", "flag"); e.Err != nil {
		t.Errorf("cause = %v, want none", e.Err)
	}
	both := fault.Newf(fault.Usage, "%w and %w", io.EOF, fs.ErrExist)
	if !errors.Is(both, io.EOF) || !errors.Is(both, fs.ErrExist) {
		t.Error("one of two causes was lost")
	}
}

func TestErrorText(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"detail wins", &fault.Error{Code: fault.Usage, Detail: "d", Err: io.EOF}, "d"},
		{"then the cause", fault.Wrap(fault.Usage, io.EOF), "EOF"},
		{"then the meaning", &fault.Error{Code: fault.Usage}, fault.Lookup(fault.Usage).Meaning},
		{"a bare code", fault.Usage, fault.Lookup(fault.Usage).Meaning},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestWithFixLeavesTheOriginal(t *testing.T) {
	a := fault.New(fault.Usage, "d")
	b := a.WithFix("do this")
	if got := b.Advice(); got != "do this" {
		t.Errorf("advice = %q", got)
	}
	if got, want := a.Advice(), fault.Lookup(fault.Usage).Advice; got != want {
		t.Errorf("original's advice = %q, want the catalogue's %q", got, want)
	}
}

func TestFromAndExitCode(t *testing.T) {
	inner := fault.New(fault.Usage, "inner").WithFix("f")
	for _, tc := range []struct {
		name string
		err  error
		code fault.Code
		exit int
	}{
		{"nothing", nil, "", 0},
		{"not from the catalogue", io.EOF, fault.Internal, 4},
		{"a bare code", fault.InvalidDocument, fault.InvalidDocument, 1},
		{"a wrapped code", fmt.Errorf("x: %w", fault.TooLarge), fault.TooLarge, 1},
		{"a fault", inner, fault.Usage, 2},
		{"a wrapped fault", fmt.Errorf("x: %w", inner), fault.Usage, 2},
		{"outermost code wins", fault.Wrap(fault.OutputFailed, inner), fault.OutputFailed, 3},
		{"cancellation", fmt.Errorf("x: %w", context.Canceled), fault.Canceled, 130},
		{"a deadline is not a request to stop", context.DeadlineExceeded, fault.Internal, 4},
		{"a code nobody listed", fault.New("made_up", "d"), "made_up", 4},
	} {
		if got := fault.CodeOf(tc.err); got != tc.code {
			t.Errorf("%s: code %q, want %q", tc.name, got, tc.code)
		}
		if got := fault.ExitCode(tc.err); got != tc.exit {
			t.Errorf("%s: exit %d, want %d", tc.name, got, tc.exit)
		}
	}
}

func TestFromKeepsWordsAddedOnTheWayUp(t *testing.T) {
	e := fault.From(fmt.Errorf("line 3: %w", fault.New(fault.InvalidDocument, "no id").WithFix("add one")))
	if e.Error() != "line 3: no id" || e.Advice() != "add one" {
		t.Errorf("got %q with advice %q", e.Error(), e.Advice())
	}
}

func TestWrapOfNilIsNil(t *testing.T) {
	if err := fault.Wrap(fault.Usage, nil); err != nil {
		t.Errorf("Wrap(nil) = %v", err)
	}
	if e := fault.From(nil); e != nil {
		t.Errorf("From(nil) = %v", e)
	}
}
