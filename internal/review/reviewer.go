// Package review shows what was learned and records the decisions of people about it: artifacts
// with their chains, sources and differences, conflicts and their settlements, and the titles and
// summaries by a language model.
//
// What is guaranteed:
//
//   - At most one version of a chain is active: each write of an artifact is checked in log
//     order.
//   - A draft is approved only if its hash matches its content, all its sources are on record,
//     and no open conflict is about it.
//   - A decision stays: no compile undoes it.
//   - A title by a model is a record of its own, with the lowest trust; artifact, hash and packs
//     stay the same.
//
// What is not: package learn decides what is learned, and when. No connection is opened; the
// caller provides the model.
package review

import (
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/record"
)

// Reviewer shows what was learned and records the decisions of people about it. It is safe for
// concurrent use.
type Reviewer struct {
	core *board.Board
}

// New returns the reviewer of a board. From now on the board enforces the rules of chains for new
// artifacts.
func New(core *board.Board) *Reviewer {
	core.Require(record.Artifact, artifactRule())
	return &Reviewer{core}
}
