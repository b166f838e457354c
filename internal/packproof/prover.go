// Package packproof proves the content of a pack against the journal, and explains why a record
// is in a pack or is not.
//
// What is guaranteed about a proven pack:
//
//   - Each entry is a record in the tree of the pack's root, was its current version in that
//     state, and matches what the entry quotes. The first 64 of its source records are in that
//     tree too.
//   - Hints and constraints come from records, valid hard rules are present, ranks have no gaps,
//     and all figures agree with the text.
//   - If the pack was made again, the same root and request gave the same digest.
//
// What is not: if a pack cannot be made again, nothing proves that no entry, drop, hint or soft
// constraint was removed from it; [PackProof.Unchecked] says why. A proof holds for this
// directory; package notary signs the checkpoint.
package packproof

import (
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/packer"
	"lukasa.dev/internal/retrieval"
)

// Prover proves and explains the packs of a board. It is safe for concurrent use.
type Prover struct {
	core      *board.Board
	retrieval *retrieval.Retriever
	packer    *packer.Packer
}

// New returns the prover of a packer's packs.
func New(r *retrieval.Retriever, p *packer.Packer) *Prover {
	return &Prover{core: r.Core(), retrieval: r, packer: p}
}
