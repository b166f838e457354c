// Package erase takes records away: on request (Redact), and when their time is over (Expire).
//
// What is guaranteed:
//
//   - What takes a record away is a record itself, journaled before anything is overwritten, and
//     by a writer that is trusted as far as what it takes away. No scope may do it.
//   - When Redact returns, the payloads are overwritten on the disk, with every version and with
//     what models made of them, and their content is refused when it comes again.
//   - A receipt is signed only for payloads that are seen to be gone.
//   - Nothing expires early: the time must not be in the future.
//
// What is not: index files that are no longer in use may hold names until the board is purged.
// The overwriting itself, which must also be finished after a crash, is the board's.
package erase

import (
	"lukasa.dev/internal/board"
)

// Eraser takes records away. It is safe for concurrent use.
type Eraser struct {
	core *board.Board
}

// New returns an eraser of a board.
func New(core *board.Board) *Eraser { return &Eraser{core} }
