// Package column keeps a row of fixed width for each document, so that those of
// many documents can be read at once.
//
// A column belongs to a fold. The fold tells the [Writer] of each row that comes
// and goes, and of each record that is done; readers [Column.Open] a [View].
//
// # Tables
//
//	t    tenant, position  → row: of a live document in a chunk that is not finished
//	t+1  tenant, chunk     → which documents of a finished chunk are live, and their rows
//	t+2  tenant, volume    → for each chunk of which something was taken away, its stamp
//
// A chunk is [ChunkDocs] positions, and a volume ChunkDocs chunks. A chunk is
// finished once the record at its last position is done. One without live
// documents has no value, and a volume without stamps has none either. The stamp
// of a chunk is the position of the last record that took one of its documents
// away, whether that was still there or not.
//
// # What is guaranteed
//
// What is in the tables depends on how many records a tenant has, which rows are
// live, and the stamps; not on how the records were grouped, nor on whether a row
// was written and taken out later or never written at all. A row that was taken
// out is nowhere in the values any more.
//
// A view reads one state, whatever is written meanwhile. The number of a tenant's
// records and the stamps say all about that state, so a [Cache] never hands out
// what is out of date, and hands an older snapshot what that one would read.
//
// # What is not
//
// Taking a row out of a finished chunk writes the chunk anew: a column is for rows
// that mostly stay. A cache serves the readers of one store only, and every record
// of a tenant must be told to the writer, those without a row included.
package column

import (
	"fmt"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
)

// ChunkDocs is how many positions share a chunk.
const ChunkDocs = 1024

// Column is one column of one fold: its rows are under a prefix and the three
// tables that begin with the given one.
type Column struct {
	Prefix byte
	Table  byte // and the two that follow it
	Width  int  // of a row in bytes
	// Planes are the widths of the parts of a row, if those who read many rows want
	// only some of them: in memory, the same part of all rows of a chunk is then in
	// one piece. None means that rows are whole.
	Planes []int
}

// rowKey is where the row of a document is while its chunk is not finished.
func (c Column) rowKey(room []byte, tenant uint32, position uint64) index.Key {
	return index.NewKey(room, c.Prefix, c.Table, tenant).Uint64(position)
}

// rowKeySize is how long such a key is.
const rowKeySize = 2 + 4 + 8

// chunkKey is where a finished chunk is.
func (c Column) chunkKey(room []byte, tenant uint32, chunk uint64) index.Key {
	return index.NewKey(room, c.Prefix, c.Table+1, tenant).Uint64(chunk)
}

// stampsKey is where the stamps of a volume are.
func (c Column) stampsKey(room []byte, tenant uint32, volume uint64) index.Key {
	return index.NewKey(room, c.Prefix, c.Table+2, tenant).Uint64(volume)
}

// damaged says that something of the column cannot be read.
func (c Column) damaged(what string, tenant uint32, number uint64) error {
	return fault.Newf(fault.Damaged, "%s %d of tenant number %d cannot be read (table %c%c of the index)", what, number, tenant, c.Prefix, c.Table).
		WithFix("`lukasa rebuild` makes the index anew from the journal")
}

// misuse says that a fold told the writer what cannot be.
func (c Column) misuse(format string, args ...any) error {
	return fmt.Errorf("column %c%c: %s", c.Prefix, c.Table, fmt.Sprintf(format, args...))
}
