package journal

import (
	"fmt"

	"lukasa.dev/internal/fault"
)

// Part names what is damaged.
type Part string

// The parts of a log that can be damaged.
const (
	PartSegment Part = "segment" // a file is missing, cut short, too long, or not of this log
	PartHeader  Part = "segment header"
	PartHead    Part = "record head" // lengths and header of a record: nothing of it can be read
	PartBody    Part = "record body" // salt and payload of a record whose header is intact
	PartGap     Part = "padding"     // bytes that should be zero
	PartIndex   Part = "index"       // the list of frames that ends a sealed segment
	PartTrailer Part = "trailer"     // the block behind the index
	PartEnd     Part = "end of log"  // the log ends before what was durable
	PartMark    Part = "end mark"    // the file that remembers how far the log was durable
)

// Damage is a place where bytes on the disk are not what was written. It is an
// error with the code [fault.Damaged].
type Damage struct {
	Part    Part
	Segment string // name of the file within the journal's directory
	Offset  int64  // within that file
	// From and To bound what is affected. To is 0 when it is unknown. For a
	// record, From is its address.
	From, To LSN
	Detail   string
}

// Error says what is damaged and where.
func (d *Damage) Error() string {
	s := fmt.Sprintf("journal damaged: %s in %s at offset %d (log position %d", d.Part, d.Segment, d.Offset, d.From)
	if d.To > d.From {
		s += fmt.Sprintf(" to %d", d.To)
	}
	return s + "): " + d.Detail
}

// Unwrap returns the code of the damage in the catalogue of errors.
func (d *Damage) Unwrap() error { return fault.Damaged }

// structural reports whether the damage is in the structure of the log, so that
// further writes could make it worse. A damaged body is not structural: its
// bounds are known.
func (d *Damage) structural() bool { return d.Part != PartBody }
