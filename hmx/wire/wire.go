// Package wire reads and writes the stream forms of HMX events that HMX-E section
// 8 names: newline-delimited JSON ([Reader], [Writer]), Server-Sent Events
// ([Encoder], [Decoder]), and single messages for queues and WebSocket frames
// ([Message]). docs/formats/wire.md describes the bytes.
//
// # What is guaranteed
//
//   - A bad line or block never costs a good one: it is reported with where it
//     stands, and reading goes on behind it.
//   - Memory is bounded. What is longer than [Options.MaxBytes] is skipped without
//     being held, counted to its end, and reported as a [TooLongError].
//   - Trouble with the source is a [ReadError], trouble with what it said is a
//     [LineError]. What the source had not finished saying when it failed is not
//     taken for a line.
//   - The result does not depend on how the source cuts its bytes into reads.
//   - A valid event that is written is read back as the same event, and an event is
//     written whole or not at all. Whether it is valid is not asked here: a decoded
//     event is, and of one made in Go its Validate tells.
//
// # What is not
//
// No connection is made, kept alive or resumed here. Order across lines is that of
// the stream; package reorder brings sessions into theirs. Readers and writers
// must not be used by two goroutines at once.
//
// # Cursors and iterators
//
// Next of [Reader] and [Decoder] is an explicit cursor: it hands out bytes of a
// buffer that it uses again, allocates nothing on the way, and can be left and
// taken up at any point. Events on top of it is an iterator, because what it
// yields is a value of its own that may be kept.
package wire

import (
	"io"
	"iter"

	"lukasa.dev/hmx"
)

// DefaultMaxBytes is the longest line or block that is read by default: the
// largest event, and some white space or a little excess, so that an event just
// over the limit is still refused with the rule it breaks.
const DefaultMaxBytes = hmx.MaxEventBytes + 4096

// DefaultChunkBytes is how much is asked of a source at once by default.
const DefaultChunkBytes = 64 << 10

// Options bounds what a Reader or Decoder holds. Values of zero or less stand for
// the defaults.
type Options struct {
	// MaxBytes is the longest line (without its newline), or the longest block by
	// the values of its fields, that is handed out.
	MaxBytes int
	// ChunkBytes is how much is asked of the source at once.
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

// Item is one event as it stood in a stream.
type Item struct {
	Line     int           // where it begins, counted from 1
	Offset   int64         // the same in bytes from the start of the stream
	Event    *hmx.Event    // nil if there is an error
	Warnings []hmx.Problem // offsets are within the line, or the block's data
}

// events decodes what next hands out until the source ends or fails.
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
