package cli

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"syscall"

	"lukasa.dev/internal/fault"
)

// output is standard output as a command sees it. It remembers the first
// failure and refuses everything after it, so that a command may ignore the
// errors of fmt.Fprint and a failing disk is reported once.
//
// Like C's stdio it buffers unless a person is watching.
type output struct {
	mu     sync.Mutex // whoever waits for input passes on what is buffered, beside those who write
	target io.Writer  // as it was given
	w      io.Writer  // target, or the buffer before it
	flush  func() error
	err    error
	// before runs ahead of every write to a terminal, so that a progress line
	// can get out of the way.
	before func()
}

func newOutput(w io.Writer, watched bool) *output {
	if watched {
		return &output{target: w, w: w, flush: func() error { return nil }}
	}
	buf := bufio.NewWriterSize(w, 64<<10)
	return &output{target: w, w: buf, flush: buf.Flush}
}

// Write implements io.Writer. Its errors are from the catalogue.
func (o *output) Write(p []byte) (int, error) {
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

// passOn writes what is still buffered, and remembers a failure.
func (o *output) passOn() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.note(o.flush())
	}
}

// finish writes what is still buffered, and returns the first failure.
func (o *output) finish() error {
	o.passOn()
	return o.failed()
}

// failed returns the first failure.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *output) note(err error) {
	switch {
	case err == nil:
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe), brokenPipe(err):
		o.err = fault.Wrap(fault.OutputClosed, err)
	default:
		o.err = fault.Newf(fault.OutputFailed, "cannot write the answer: %w", cause(err))
	}
}
