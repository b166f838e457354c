// Package wire reads and writes the stream forms of HMX events that HMX-E section
// 8 names: newline-delimited JSON ([Reader], [Writer]), Server-Sent Events
// ([Encoder], [Decoder]), and single messages for queues and WebSocket frames
// ([Message]). docs/formats/wire.md describes the bytes.
//
// # What is guaranteed
//
//   - A bad line or block does not affect good ones: it is reported with its
//     position, and reading continues after it.
//   - Memory is bounded. A line or block longer than [Options.MaxBytes] is skipped
//     without being stored, counted to its end, and reported as a [TooLongError].
//   - A failure of the source is a [ReadError], a fault in its data is a
//     [LineError]. An incomplete line at the failure of the source is not a line.
//   - The result does not depend on how the source splits its bytes into reads.
//   - A valid event is read back as the same event, and an event is written whole
//     or not at all. It is not validated here: a decoded event is valid, and
//     Validate checks one made in Go.
//
// # What is not
//
// This package makes, keeps and resumes no connection. Lines are in the order of the stream;
// package reorder sorts sessions. Readers and writers are not safe for concurrent use.
//
// # Cursors and iterators
//
// Next of [Reader] and [Decoder] is an explicit cursor: it returns bytes of a buffer that it
// reuses, allocates nothing, and can be stopped and resumed at any point. Events on top of it
// is an iterator, because it yields values that may be kept.
package wire

import (
	"io"
	"iter"

	"lukasa.dev/hmx"
)

// DefaultMaxBytes is the default limit of a line or block: the largest event plus some white
// space or excess, so that an event just over the limit is still refused with the rule it
// breaks.
const DefaultMaxBytes = hmx.MaxEventBytes + 4096

// DefaultChunkBytes is the default size of a read from a source.
const DefaultChunkBytes = 64 << 10

// Options limits the memory of a Reader or Decoder. Values of zero or less mean the defaults.
type Options struct {
	// MaxBytes is the longest line (without its newline), or the longest block by the values of
	// its fields, that is returned.
	MaxBytes int
	// ChunkBytes is the size of a read from the source.
	ChunkBytes int
}

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.ChunkBytes <= 0 {
		o.ChunkBytes = DefaultChunkBytes
	}
	return o
}

// Item is one event of a stream.
type Item struct {
	Line     int           // where it begins, counted from 1
	Offset   int64         // the same in bytes from the start of the stream
	Event    *hmx.Event    // nil if there is an error
	Warnings []hmx.Problem // offsets are within the line, or the block's data
}

// events decodes what next returns until the source ends or fails.
func events(next func() (text []byte, at Item, err error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for {
			text, item, err := next()
			switch err.(type) {
			case nil:
				if item.Event, item.Warnings, err = hmx.DecodeEvent(text); err != nil {
					err = &LineError{item.Line, item.Offset, err}
				}
			case *LineError:
			default:
				if err != io.EOF {
					yield(item, err)
				}
				return
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
