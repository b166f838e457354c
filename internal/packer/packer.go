// Package packer makes context packs: it finds the candidates for a question in one state of a
// board, reads them as excerpts, and has package pack cut them to a budget of tokens. It also
// makes the short context block of a topic, and the fingerprint of what agents learned.
//
// What is guaranteed:
//
//   - The same root and the same request give the same pack, bit for bit, except for the
//     duration; also in a past state, after a rebuild and in a copy of the tenant.
//   - A pack states its request, its state and its digest, so that it can be made again from
//     itself (see package packproof).
//   - Nothing is written to the journal. Caches save work and change no answer; they are
//     dropped before an erasure is acknowledged.
//   - Records that a scope or a view hides have no influence on a pack.
//
// What is not: a pack of the present is not the pack of a moment later. The search is limited,
// so that a relevant record after the last hit is not in the pack.
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

// Packer makes packs, context blocks and fingerprints of a board. It is safe for concurrent
// use.
type Packer struct {
	core      *board.Board
	retrieval *retrieval.Retriever
	sessions  *sessions.Sessions
	learner   *learn.Learner
	adviser   *advise.Adviser
	limit     semaphore.FIFO
	ticks     func() time.Time // the clock that measures durations
	counts    *counts          // of quoted records
	priors    *priors          // of imported fingerprints; nil in a past state
}

// Parts are the dependencies of a packer.
type Parts struct {
	Retrieval *retrieval.Retriever
	Sessions  *sessions.Sessions
	Learner   *learn.Learner
	Adviser   *advise.Adviser
	// Limit bounds the concurrent calls.
	Limit semaphore.FIFO
	// Ticks is the clock that measures a call.
	Ticks func() time.Time
}

// New returns the packer of a board. From now on the board refuses invalid fingerprints.
func New(p Parts) *Packer {
	b := &Packer{
		core: p.Retrieval.Core(), retrieval: p.Retrieval, sessions: p.Sessions, learner: p.Learner, adviser: p.Adviser,
		limit: p.Limit, ticks: p.Ticks, counts: newCounts(), priors: newPriors(),
	}
	b.core.Follow(b.priors)
	b.core.Require(record.Fingerprint, fingerprintRule())
	return b
}

// over returns a packer of a past state, which caches nothing but token counts.
func (b *Packer) over(r *retrieval.Retriever) *Packer {
	if r == b.retrieval {
		return b
	}
	counted := r.Beside(func() any { return newCounts() }).(*counts)
	return &Packer{core: r.Core(), retrieval: r, adviser: b.adviser.Over(r), ticks: b.ticks, counts: counted}
}
