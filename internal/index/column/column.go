// Package column keeps a row of fixed width for each document, so that those of
// many documents can be read at once.
//
// A column belongs to a fold. The fold passes each added and removed row, and each
// finished record, to the [Writer]; readers [Column.Open] a [View].
//
// # Tables
//
//	t    tenant, position  → row: of a live document in an unfinished chunk
//	t+1  tenant, chunk     → which documents of a finished chunk are live, and their rows
//	t+2  tenant, volume    → the stamp of each chunk with a removed row
//
// A chunk is [ChunkDocs] positions, and a volume ChunkDocs chunks. A chunk is
// finished once the record at its last position is done. A chunk without live
// documents has no value, nor has a volume without stamps. The stamp of a chunk is
// the position of the last record that removed one of its documents, whether that
// was still there or not.
//
// # What is guaranteed
//
// The content of the tables depends on the number of a tenant's records, the live
// rows, and the stamps; not on how the records were grouped, nor on whether a row
// was written and removed later or never written at all. A removed row is nowhere
// in the values.
//
// A view reads one state, whatever is written meanwhile. The number of a tenant's
// records and the stamps identify that state, so a [Cache] never returns outdated
// data, and returns to an older snapshot what that one would read.
//
// # What is not
//
// Removing a row of a finished chunk rewrites the chunk: a column is for rows that
// mostly stay. A cache serves the readers of one store only, and the fold must pass
// every record of a tenant to the writer, also those without a row.
package column

import (
	"fmt"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
)

// ChunkDocs is how many positions share a chunk.
const ChunkDocs = 1024

// Column is one column of one fold: its rows are under a prefix and three tables,
// starting with the given one.
type Column struct {
	Prefix byte
	Table  byte // and the two that follow it
	Width  int  // of a row in bytes
	// Planes are the widths of the parts of a row, if readers of many rows need
	// only some of them: in memory, the same part of all rows of a chunk is then
	// contiguous. None means that rows are whole.
	Planes []int
}

// rowKey is the key of a document's row while its chunk is unfinished.
func (c Column) rowKey(room []byte, tenant uint32, position uint64) index.Key {
	return index.NewKey(room, c.Prefix, c.Table, tenant).Uint64(position)
}

// rowKeySize is how long such a key is.
const rowKeySize = 2 + 4 + 8

// chunkKey is the key of a finished chunk.
func (c Column) chunkKey(room []byte, tenant uint32, chunk uint64) index.Key {
	return index.NewKey(room, c.Prefix, c.Table+1, tenant).Uint64(chunk)
}

// stampsKey is the key of a volume's stamps.
func (c Column) stampsKey(room []byte, tenant uint32, volume uint64) index.Key {
	return index.NewKey(room, c.Prefix, c.Table+2, tenant).Uint64(volume)
}

// damaged says that a value of the column is unreadable.
func (c Column) damaged(what string, tenant uint32, number uint64) error {
	return fault.Newf(fault.Damaged, "%s %d of tenant number %d cannot be read (table %c%c of the index)", what, number, tenant, c.Prefix, c.Table).
		WithFix("`lukasa rebuild` rebuilds the index from the journal")
}

// misuse says that a fold called the writer with impossible arguments.
func (c Column) misuse(format string, args ...any) error {
	return fmt.Errorf("column %c%c: %s", c.Prefix, c.Table, fmt.Sprintf(format, args...))
}
