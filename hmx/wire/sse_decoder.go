package wire

import (
	"io"
	"iter"
	"math"
	"time"
)

// Block is one block of Server-Sent Events with data.
type Block struct {
	Line   int    // of its first line, counted from 1
	Offset int64  // of the same in bytes from the start of the stream
	Type   string // "message" by default
	ID     string // the last event id as of this block; see Decoder.LastEventID
	Data   []byte // valid until the next call of Next
}

// Decoder reads Server-Sent Events as the HTML Standard describes (sections "Parsing an event
// stream" and "Interpreting an event stream"), with two differences. It passes on invalid UTF-8
// unchanged instead of replacing it: a damaged event is to be refused, not stored with a
// changed text. And it skips a block whose field values together exceed Options.MaxBytes: its
// fields up to there count, so that its id is not requested again when the stream is resumed,
// but it has no data.
type Decoder struct {
	chunks chunks
	max    int
	failed error

	line    line
	skipLF  bool // the last line ended in CR: an LF is part of its end
	lines   int  // line ends seen
	pending bool // a block has begun
	first   Block
	size    int  // of all field values of the block
	tooLong bool // the block is over the limit
	hasData bool // the block has a data field

	data      []byte // lines, each with an LF
	eventType []byte
	id        []byte // of the block, kept for the next
	lastID    string
	retry     time.Duration
	hasRetry  bool
	counts    BlockCounts
}

// BlockCounts is what a Decoder has read. It is final once Next has returned io.EOF.
type BlockCounts struct {
	Bytes      int64 // read from the source
	Blocks     int   // blocks with data, good and bad
	TooLong    int   // blocks among them that were skipped
	Foreign    int   // blocks among them that Events skipped because of their type
	Incomplete bool  // the stream ended within a block, which does not count
}

// NewDecoder returns a decoder of src, which it reads in large pieces.
func NewDecoder(src io.Reader, o Options) *Decoder {
	o = o.withDefaults()
	return &Decoder{chunks: chunks{src: src, buf: make([]byte, max(o.ChunkBytes, len(bom)))}, max: o.MaxBytes}
}

// Next returns the next block with data. The error is io.EOF at the end of the stream, a
// *LineError for a block that is too long, after which Next can be called again, or a
// *ReadError if the source failed.
func (d *Decoder) Next() (Block, error) {
	if d.chunks.base == 0 && d.chunks.end == 0 && d.failed == nil {
		d.chunks.skipBOM()
	}
	for d.failed == nil {
		piece, at, end, err := d.chunks.next()
		if err != nil {
			d.fail(err)
			break
		}
		if d.skipLF {
			d.skipLF = false
			if len(piece) == 0 && end == '\n' {
				continue
			}
		}
		if len(piece) > 0 {
			if !d.pending {
				d.pending = true
				d.first = Block{Line: d.lines + 1, Offset: at}
			}
			d.feed(piece)
		}
		if end == 0 {
			continue
		}
		d.lines++
		d.skipLF = end == '\r'
		if !d.line.empty() {
			d.apply()
			d.line.reset()
		} else if d.pending {
			block, ok, err := d.dispatch(at)
			if ok || err != nil {
				return block, err
			}
		}
	}
	return Block{}, d.failed
}

// LastEventID returns the id to resume the stream with: that of the last complete block, or of
// the last one before it that had one.
func (d *Decoder) LastEventID() string { return d.lastID }

// Retry returns how long to wait before reconnecting, if the stream has set it.
func (d *Decoder) Retry() (after time.Duration, ok bool) { return d.retry, d.hasRetry }

// Counts returns what the decoder has read so far.
func (d *Decoder) Counts() BlockCounts {
	c := d.counts
	c.Bytes = d.chunks.base + int64(d.chunks.end)
	return c
}

// Events decodes the remaining blocks. Blocks of type "hmx" and blocks without a type are
// events; others are skipped and counted, as a listener for one type does. Errors are as for
// Reader.Events.
func (d *Decoder) Events() iter.Seq2[Item, error] {
	return events(func() ([]byte, Item, error) {
		block, err := d.Next()
		for err == nil && block.Type != EventType && block.Type != "message" {
			d.counts.Foreign++
			block, err = d.Next()
		}
		return block.Data, Item{Line: block.Line, Offset: block.Offset}, err
	})
}

// feed processes a piece of a line without its end.
func (d *Decoder) feed(piece []byte) {
	if d.tooLong {
		d.line.any = true
		return
	}
	value := d.line.feed(piece)
	if len(value) == 0 || !d.grow(len(value)) {
		return
	}
	if d.line.field() == "data" {
		d.data = append(d.data, value...)
	} else {
		d.line.value = append(d.line.value, value...)
	}
}

// grow counts n more bytes of the block and reports whether they may be stored.
func (d *Decoder) grow(n int) bool {
	if d.size += n; d.size <= d.max {
		return true
	}
	d.tooLong = true
	d.data = nil
	return false
}

// apply ends a line that is not empty: the standard's "process the field".
func (d *Decoder) apply() {
	if d.tooLong {
		return
	}
	value := d.line.value
	switch d.line.field() {
	case "data":
		if !d.hasData || d.grow(1) { // the LF between two lines counts, the last one is removed
			d.data = append(d.data, '\n')
		}
		d.hasData = true
	case "event":
		d.eventType = append(d.eventType[:0], value...)
	case "id":
		for _, c := range value {
			if c == 0 {
				return
			}
		}
		d.id = append(d.id[:0], value...)
	case "retry":
		if ms, ok := digits(value); ok {
			d.retry, d.hasRetry = ms, true
		}
	}
}

// dispatch ends the block, at the blank line at offset end.
func (d *Decoder) dispatch(end int64) (b Block, ok bool, err error) {
	if string(d.id) != d.lastID {
		d.lastID = string(d.id)
	}
	b = d.first
	switch {
	case d.tooLong:
		d.counts.Blocks++
		d.counts.TooLong++
		err = &LineError{b.Line, b.Offset, &TooLongError{end - b.Offset, d.max}}
	case len(d.data) > 0:
		d.counts.Blocks++
		ok = true
		b.ID, b.Data = d.lastID, d.data[:len(d.data)-1]
		switch string(d.eventType) {
		case "":
			b.Type = "message"
		case EventType:
			b.Type = EventType // no allocation for the usual one
		default:
			b.Type = string(d.eventType)
		}
	}
	d.pending, d.tooLong, d.hasData, d.size = false, false, false, 0
	d.data, d.eventType = d.data[:0], d.eventType[:0]
	return b, ok, err
}

// fail ends reading, with io.EOF or a *ReadError.
func (d *Decoder) fail(err error) {
	if d.failed = err; err == io.EOF {
		d.counts.Incomplete = d.pending
		return
	}
	d.failed = &ReadError{d.lines + 1, d.chunks.base + int64(d.chunks.end), err}
}

// digits parses a number of milliseconds. One that overflows is the longest duration.
func digits(value []byte) (ms time.Duration, ok bool) {
	const longest = math.MaxInt64 / int64(time.Millisecond)
	var n int64
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), longest)
	}
	return time.Duration(n) * time.Millisecond, len(value) > 0
}
