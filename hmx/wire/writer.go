package wire

import (
	"io"

	"lukasa.dev/hmx"
)

// Writer writes newline-delimited JSON, one event per line. It buffers lines: call Flush when
// there is nothing more to write for now.
type Writer struct{ out output }

// NewWriter returns a writer to dst.
func NewWriter(dst io.Writer) *Writer { return &Writer{output{dst: dst}} }

// Event writes ev as one line. The error is an *EncodeError if ev has no JSON form, in which
// case nothing of it is written and the writer can still be used, or a *WriteError if the
// destination failed, now or before.
func (w *Writer) Event(ev *hmx.Event) error {
	if w.out.err != nil {
		return w.out.err
	}
	buf, err := appendEvent(w.out.buf, ev)
	if err != nil {
		return err
	}
	return w.out.done(append(buf, '\n'))
}

// Flush passes everything written so far to the destination, and flushes that as well if it has
// a method Flush or FlushError.
func (w *Writer) Flush() error { return w.out.flush() }
