package term

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"sync"
	"syscall"

	"lukasa.dev/internal/fault"
)

// Output is standard output as a command sees it. It remembers the first
// failure and refuses everything after it, so that a command may ignore the
// errors of fmt.Fprint and a failing disk is reported once.
//
// Like C's stdio it buffers unless a person is watching.
type Output struct {
	mu     sync.Mutex // a wait for input flushes the buffer, concurrently with writers
	Target io.Writer  // as it was given
	w      io.Writer  // target, or the buffer before it
	flush  func() error
	err    error
	// before runs ahead of every write to a terminal, so that a progress line
	// can get out of the way.
	before func()
}

func NewOutput(w io.Writer, watched bool) *Output {
	if watched {
		return &Output{Target: w, w: w, flush: func() error { return nil }}
	}
	buf := bufio.NewWriterSize(w, 64<<10)
	return &Output{Target: w, w: buf, flush: buf.Flush}
}

// Write implements io.Writer. Its errors are from the catalogue.
func (o *Output) Write(p []byte) (int, error) {
	if o.before != nil {
		o.before()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.note(err)
	return n, o.err
}

// PassOn writes what is still buffered, and remembers a failure.
func (o *Output) PassOn() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.note(o.flush())
	}
}

// Finish writes what is still buffered, and returns the first failure.
func (o *Output) Finish() error {
	o.PassOn()
	return o.Failed()
}

// Failed returns the first failure.
func (o *Output) Failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *Output) note(err error) {
	switch {
	case err == nil:
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe), brokenPipe(err):
		o.err = fault.Wrap(fault.OutputClosed, err)
	default:
		o.err = fault.Newf(fault.OutputFailed, "cannot write the answer: %w", Cause(err))
	}
}

// WithoutLineEnds returns a writer that leaves the line ends at the end of each write away.
func WithoutLineEnds(w io.Writer) io.Writer { return trimmed{w} }

type trimmed struct{ w io.Writer }

func (t trimmed) Write(p []byte) (int, error) {
	if _, err := t.w.Write(bytes.TrimRight(p, "\n")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Cause strips the operation and path that os puts before an error, since the
// message around it names them already.
func Cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
