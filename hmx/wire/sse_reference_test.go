package wire

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// gotBlock is a copy of a Block, or the error in its place.
type gotBlock struct {
	Line     int
	Offset   int64
	Type, ID string
	Data     string
	Err      string
}

// gotStream is all results of a decoder for a stream.
type gotStream struct {
	Blocks     []gotBlock
	LastID     string
	Retry      string
	Incomplete bool
}

func readStream(src io.Reader, o Options) (got gotStream) {
	d := NewDecoder(src, o)
	for {
		b, err := d.Next()
		if err == io.EOF {
			break
		}
		g := gotBlock{b.Line, b.Offset, b.Type, b.ID, string(b.Data), ""}
		if err != nil {
			g.Err = err.Error()
		}
		got.Blocks = append(got.Blocks, g)
		if _, bad := err.(*LineError); err != nil && !bad {
			break
		}
	}
	got.LastID = d.LastEventID()
	if after, ok := d.Retry(); ok {
		got.Retry = after.String()
	}
	got.Incomplete = d.Counts().Incomplete
	return got
}

// reference is the HTML Standard's algorithm over a whole stream.
func reference(stream []byte, limit int) (got gotStream) {
	body := bytes.TrimPrefix(stream, []byte(bom))
	offset := len(stream) - len(body)
	var data, eventType, id string
	size, start, startLine, tooLong := 0, -1, 0, false
	for number := 1; ; number++ {
		end := bytes.IndexAny(body, "\r\n")
		if end < 0 {
			got.Incomplete = start >= 0 || len(body) > 0
			return got
		}
		text := string(body[:end])
		skip := end + 1
		if bytes.HasPrefix(body[end:], []byte("\r\n")) {
			skip++
		}
		at := offset
		body, offset = body[skip:], offset+skip
		if text == "" {
			got.LastID = id
			switch b := (gotBlock{Line: startLine, Offset: int64(start)}); {
			case tooLong:
				b.Err = fmt.Sprintf("line %d: %d bytes are too long: at most %d are read", startLine, at-start, limit)
				got.Blocks = append(got.Blocks, b)
			case data != "":
				b.Type, b.ID, b.Data = eventType, id, strings.TrimSuffix(data, "\n")
				if b.Type == "" {
					b.Type = "message"
				}
				got.Blocks = append(got.Blocks, b)
			}
			data, eventType, size, start, tooLong = "", "", 0, -1, false
			continue
		}
		if start < 0 {
			start, startLine = at, number
		}
		name, value, _ := strings.Cut(text, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data", "event", "id", "retry":
			size += len(value)
			if name == "data" && data != "" {
				size++
			}
		}
		if tooLong = tooLong || size > limit; tooLong {
			continue
		}
		switch name {
		case "data":
			data += value + "\n"
		case "event":
			eventType = value
		case "id":
			if !strings.Contains(value, "\x00") {
				id = value
			}
		case "retry":
			if value != "" && strings.Trim(value, "0123456789") == "" {
				ms, ok := digits([]byte(value))
				if !ok {
					panic(value)
				}
				got.Retry = ms.String()
			}
		}
	}
}
