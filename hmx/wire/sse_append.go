package wire

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/hmx"
)

// AppendEvent appends the block of an event to dst: id, type and data. An id that cannot be
// said in this form, because it has a line break or a NUL in it or is longer than 1024 bytes,
// is left out, as is an empty one. The error is that of writing the event; dst is as it was
// then.
func AppendEvent(dst []byte, id string, ev *hmx.Event) ([]byte, error) {
	out, err := appendEvent(append(appendID(dst, id), "event: "+EventType+"\ndata: "...), ev)
	if err != nil {
		return dst, err
	}
	return append(out, "\n\n"...), nil
}

// AppendBlock appends a block of a type with data to dst. A block without a type is a message.
// The type ends before its first line break. Each line of the data becomes a line of the
// block, so that a receiver sees a line feed for each line break.
func AppendBlock(dst []byte, kind string, data []byte) []byte {
	if i := strings.IndexAny(kind, "\r\n"); i >= 0 {
		kind = kind[:i]
	}
	if kind != "" {
		dst = append(append(append(dst, "event: "...), kind...), '\n')
	}
	for {
		i := bytes.IndexAny(data, "\r\n")
		if i < 0 {
			break
		}
		dst = append(append(append(dst, "data: "...), data[:i]...), '\n')
		if bytes.HasPrefix(data[i:], []byte("\r\n")) {
			i++
		}
		data = data[i+1:]
	}
	return append(append(append(dst, "data: "...), data...), "\n\n"...)
}

// AppendRetry appends how long a receiver is to wait before it connects again. The form has
// whole milliseconds; parts count as one, and what is negative as zero.
func AppendRetry(dst []byte, after time.Duration) []byte {
	ms := int64(max(after, 0) / time.Millisecond)
	if after > 0 && after%time.Millisecond > 0 {
		ms++
	}
	return append(strconv.AppendInt(append(dst, "retry: "...), ms, 10), "\n\n"...)
}

// AppendKeepAlive appends a comment, which keeps an idle connection open, and the id to resume
// the stream with, if it is not empty and can be said in this form.
func AppendKeepAlive(dst []byte, id string) []byte {
	return append(appendID(append(dst, ": keep-alive\n"...), id), '\n')
}

// maxID is the longest id that is written: it counts against what a receiver is
// ready to hold, and no receiver should refuse a valid event for the sake of it.
const maxID = 1024

// appendID appends the line of an id, if there is one that can be said.
func appendID(dst []byte, id string) []byte {
	if id == "" || len(id) > maxID || strings.ContainsAny(id, "\r\n\x00") {
		return dst
	}
	return append(append(append(dst, "id: "...), id...), '\n')
}
