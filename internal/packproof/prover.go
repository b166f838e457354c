// Package packproof proves what a pack says against the journal, and explains why something is in
// a pack or is not.
//
// What is guaranteed of a pack that is proven:
//
//   - Each entry is a record in the tree whose root the pack names, was its current version in
//     that state, and says what the entry quotes of it. The first 64 records that it was derived
//     from are in that tree too.
//   - Hints and constraints are those of records, hard rules that held are there, ranks have no
//     gaps, and all figures agree with the text.
//   - Where the pack was made again, the same root and request gave the same digest.
//
// What is not: where a pack cannot be made again, nothing says that no entry, drop, hint or soft
// constraint was taken out of it; [PackProof.Unchecked] says why. A proof holds against this
// directory; a signature of its checkpoint is the matter of package notary.
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

// New returns the prover of the packs that a packer makes.
func New(r *retrieval.Retriever, p *packer.Packer) *Prover {
	return &Prover{core: r.Core(), retrieval: r, packer: p}
}
