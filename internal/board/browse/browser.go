// Package browse reads the records of a board one by one and page by page: events by session,
// agent and time, versioned records by name and key, their versions, what a URI names now and
// named at a position, new events, and inclusion proofs.
//
// What is guaranteed:
//
//   - Each call runs on one snapshot and writes nothing.
//   - What a view hides does not exist: it is on no page, and no cursor, count or error reveals
//     it.
//   - A forged cursor, or one of another list, can only begin the list elsewhere.
//
// What is not: the pages of one list are read one after the other, each in the state of its time.
// Packages retrieval and find rank results.
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
