// Package review shows what was learned and records what people decide about it: artifacts with
// their chains, sources and differences, conflicts and how they were settled, and the titles and
// summaries that a language model wrote.
//
// What is guaranteed:
//
//   - Of a chain one version is active at most: each write of an artifact is judged in log order.
//   - A draft is approved only if its hash is that of its content, everything that it was made of
//     is on record, and no open conflict is about it.
//   - What is decided stays: no compile undoes it.
//   - A title by a model is a record of its own, with the lowest trust; artifact, hash and packs
//     stay as they are.
//
// What is not: what is learned, and when, is the matter of package learn. No connection is
// opened; the caller brings the model.
package review

import (
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/record"
)

// Reviewer shows what was learned and records what people decide about it. It is safe for
// concurrent use.
type Reviewer struct {
	core *board.Board
}

// New returns the reviewer of a board. Artifacts that are written to the board from now
// on keep the rules of chains.
func New(core *board.Board) *Reviewer {
	core.Require(record.Artifact, artifactRule())
	return &Reviewer{core}
}
