// Package browse reads the records of a board one by one and page by page: events by session,
// agent and time, things by name and key, their versions, what a URI names now and named at a
// position, what is new, and the proof that a record is on record.
//
// What is guaranteed:
//
//   - Each call runs on one snapshot and writes nothing.
//   - What a view does not show is as if it were not there: it is on no page, and no cursor, count
//     or error tells of it.
//   - A cursor that was made up, or is of another list, can only begin the list elsewhere.
//
// What is not: pages of one list are read one after the other, each in the state of its time.
// Ranked answers are the matter of packages retrieval and find.
package browse

import (
	"lukasa.dev/internal/board"
)

// Browser reads the records of a board. It is safe for concurrent use.
type Browser struct {
	core *board.Board
}

// New returns a browser of a board.
func New(core *board.Board) *Browser { return &Browser{core} }
