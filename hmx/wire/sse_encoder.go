package wire

import (
	"fmt"
	"io"
	"strings"
	"time"

	"lukasa.dev/hmx"
)

// EventType is the Server-Sent Events type of a block with an HMX event.
const EventType = "hmx"

// ContentType is the media type of a stream of Server-Sent Events.
const ContentType = "text/event-stream"

// Encoder writes Server-Sent Events, one block per event. It buffers blocks: call Flush when there is nothing
// more to send for now.
type Encoder struct{ out output }

// NewEncoder returns an encoder that writes to dst.
func NewEncoder(dst io.Writer) *Encoder { return &Encoder{output{dst: dst}} }

// Event writes ev as a block of id, event and data. The id is the event's own; one that has a line break or a
// NUL in it or is longer than 1024 bytes is left out. The last event id of the receiver is then that of an
// earlier event, so that a stream resumed from there repeats this one and loses none. Errors are those of
// Writer.Event.
func (e *Encoder) Event(ev *hmx.Event) error {
	if e.out.err != nil {
		return e.out.err
	}
	id := ""
	if ev != nil {
		id = ev.EventID
	}
	buf, err := AppendEvent(e.out.buf, id, ev)
	if err != nil {
		return err
	}
	return e.out.done(buf)
}

// Comment writes text as a comment, which receivers ignore: it keeps idle connections open. Text of several
// lines becomes several comment lines.
func (e *Encoder) Comment(text string) error {
	if e.out.err != nil {
		return e.out.err
	}
	buf := e.out.buf
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			break
		}
		buf = append(append(append(buf, ": "...), text[:i]...), '\n')
		if strings.HasPrefix(text[i:], "\r\n") {
			i++
		}
		text = text[i+1:]
	}
	return e.out.done(append(append(append(buf, ": "...), text...), "\n\n"...))
}

// Retry tells the receiver how long to wait before it reconnects. The unit is milliseconds, rounded up.
func (e *Encoder) Retry(after time.Duration) error {
	if e.out.err != nil {
		return e.out.err
	}
	if after < 0 {
		return fmt.Errorf("retry after %s: must not be negative", after)
	}
	return e.out.done(AppendRetry(e.out.buf, after))
}

// Flush passes everything written so far to the destination, and flushes that as well if it has a method Flush
// or FlushError, as an http.ResponseWriter has.
func (e *Encoder) Flush() error { return e.out.flush() }
