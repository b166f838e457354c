package wire

import (
	"errors"
	"io"

	"lukasa.dev/hmx"
)

// output buffers whole lines and writes them in large pieces. A block is begun by appending to
// buf and kept by calling done.
type output struct {
	dst io.Writer
	buf []byte
	err error // of the destination; final
}

// enough is how much is buffered before it is written.
const enough = 64 << 10

// done writes the buffer if it has enough.
func (o *output) done(buf []byte) error {
	o.buf = buf
	if len(buf) < enough {
		return nil
	}
	return o.pass()
}

// pass writes the buffer.
func (o *output) pass() error {
	if o.err != nil || len(o.buf) == 0 {
		return o.err
	}
	n, err := o.dst.Write(o.buf)
	if err == nil && n != len(o.buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		o.buf, o.err = nil, &WriteError{err}
		return o.err
	}
	o.buf = o.buf[:0]
	if cap(o.buf) > 4*enough {
		o.buf = nil // do not keep the buffer of one large event
	}
	return nil
}

// flush writes everything and flushes the destination, if it buffers as well: such as a
// bufio.Writer or an http.ResponseWriter.
func (o *output) flush() error {
	if err := o.pass(); err != nil {
		return err
	}
	var err error
	switch dst := o.dst.(type) {
	case interface{ FlushError() error }:
		err = dst.FlushError()
	case interface{ Flush() error }:
		err = dst.Flush()
	case interface{ Flush() }:
		dst.Flush()
	}
	if err != nil {
		o.err = &WriteError{err}
	}
	return o.err
}

var errNoEvent = errors.New("there is no event")

// appendEvent appends ev as one line of JSON without its newline, or returns buf unchanged.
func appendEvent(buf []byte, ev *hmx.Event) ([]byte, error) {
	if ev == nil {
		return buf, &EncodeError{Err: errNoEvent}
	}
	out, err := ev.AppendJSON(buf)
	if err != nil {
		return buf, &EncodeError{ev.EventID, err}
	}
	return out, nil
}
