package wire

import (
	"fmt"
	"io"
)

// LineError is a line of a stream, or a block of Server-Sent Events, that is not an event.
// Reading can continue.
type LineError struct {
	Line   int   // where it begins, counted from 1
	Offset int64 // the same in bytes from the start of the stream
	Err    error // *hmx.InvalidError or *TooLongError
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// TooLongError says that a line or block exceeded the limit. It was skipped.
type TooLongError struct {
	Size  int64 // all bytes of the line or block
	Limit int   // see Options.MaxBytes
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%d bytes are too long: at most %d are read", e.Size, e.Limit)
}

// ReadError says that the source failed. Reading has ended: every further call returns the same
// error.
type ReadError struct {
	Line   int   // the line that was being read
	Offset int64 // how many bytes the source returned
	Err    error // the error of the source
}

func (e *ReadError) Error() string { return fmt.Sprintf("reading line %d: %v", e.Line, e.Err) }

// Unwrap returns the error of the source.
func (e *ReadError) Unwrap() error { return e.Err }

// WriteError says that the destination failed, perhaps in the middle of a line. Writing has
// ended: every further call returns the same error.
type WriteError struct {
	Err error // the error of the destination
}

func (e *WriteError) Error() string { return fmt.Sprintf("writing events: %v", e.Err) }

// Unwrap returns the error of the destination.
func (e *WriteError) Unwrap() error { return e.Err }

// EncodeError says that an event has no JSON form. Nothing of it was written, and writing can
// continue.
type EncodeError struct {
	EventID string
	Err     error
}

func (e *EncodeError) Error() string { return fmt.Sprintf("event %.80q: %v", e.EventID, e.Err) }

// Unwrap returns the cause.
func (e *EncodeError) Unwrap() error { return e.Err }

// maxEmptyReads is how often a source may return no bytes and no error.
const maxEmptyReads = 100

// fill reads once into p, which is not empty, from any source. It returns either bytes or an
// error.
func fill(src io.Reader, p []byte) (n int, err error) {
	for range maxEmptyReads {
		n, err = src.Read(p)
		if n < 0 || n > len(p) {
			return 0, fmt.Errorf("the source says it read %d bytes into %d", n, len(p))
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}
