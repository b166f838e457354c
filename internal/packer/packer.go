// Package packer makes context packs: it finds the candidates for a question in one state of a
// board, reads them as excerpts, and has package pack cut them to a budget of tokens. It also
// makes the short block of context of a topic, and the fingerprint of what agents learned.
//
// What is guaranteed:
//
//   - The same root and the same request give the same pack, bit by bit, apart from how long it
//     took; in a past state, after a rebuild and in a copy of the tenant as well.
//   - A pack states its request, its state and its digest, so that it can be made again from
//     itself (see package packproof).
//   - Nothing is written to the journal. What is kept between calls saves work and changes no
//     answer; it is dropped before an erasure is acknowledged.
//   - What a scope or a view does not show has no influence on a pack.
//
// What is not: a pack of the present is not the pack of a moment later. The search behind it is
// bounded, so that a relevant record behind the last hit is not in it.
package packer

import (
	"time"

	"lukasa.dev/internal/advise"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/semaphore"
	"lukasa.dev/internal/sessions"
)

// Packer makes packs, blocks of context and fingerprints of a board. It is safe for concurrent use.
type Packer struct {
	core      *board.Board
	retrieval *retrieval.Retriever
	sessions  *sessions.Sessions
	learner   *learn.Learner
	adviser   *advise.Adviser
	limit     semaphore.FIFO
	ticks     func() time.Time // by which it is measured how long something takes
	counts    *counts          // of what packs quoted, by the records of the index
	priors    *priors          // of imported fingerprints; nil in a past state
}

// Parts are what a packer stands on, and what is shared with others.
type Parts struct {
	Retrieval *retrieval.Retriever
	Sessions  *sessions.Sessions
	Learner   *learn.Learner
	Adviser   *advise.Adviser
	// Limit bounds how many calls run at the same time.
	Limit semaphore.FIFO
	// Ticks tells the time by which a call is measured.
	Ticks func() time.Time
}

// New returns the packer of a board. Fingerprints that are written to the board from now
// on have to be whole.
func New(p Parts) *Packer {
	b := &Packer{
		core: p.Retrieval.Core(), retrieval: p.Retrieval, sessions: p.Sessions, learner: p.Learner, adviser: p.Adviser,
		limit: p.Limit, ticks: p.Ticks, counts: newCounts(), priors: newPriors(),
	}
	b.core.Follow(b.priors)
	b.core.Require(record.Fingerprint, fingerprintRule())
	return b
}

// over returns a packer of a past state, which keeps nothing of its own but what it counted.
func (b *Packer) over(r *retrieval.Retriever) *Packer {
	if r == b.retrieval {
		return b
	}
	counted := r.Beside(func() any { return newCounts() }).(*counts)
	return &Packer{core: r.Core(), retrieval: r, adviser: b.adviser.Over(r), ticks: b.ticks, counts: counted}
}
