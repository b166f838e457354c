// Package erase removes records: on request (Redact), and when they expire (Expire).
//
// What is guaranteed:
//
//   - A removal is a record itself, journaled before anything is overwritten, by a writer with
//     at least the trust of what it removes. It is refused under a scope.
//   - When Redact returns, the payloads are overwritten on the disk, with every version and with
//     what models derived from them, and the same content is refused when it is sent again.
//   - A receipt is signed only for payloads that are verified to be gone.
//   - Nothing expires early: the time must not be in the future.
//
// What is not: index files that are no longer in use may hold names until the board is purged.
// The board overwrites the payloads, since that must also be completed after a crash.
package erase

import (
	"lukasa.dev/internal/board"
)

// Eraser removes records. It is safe for concurrent use.
type Eraser struct {
	core *board.Board
}

// New returns an eraser of a board.
func New(core *board.Board) *Eraser { return &Eraser{core} }
