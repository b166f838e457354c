// Package engine opens a board with all its readers: search, find, cold starts, packs, the
// compiler, next steps and checks, fingerprints, and proofs of packs. It connects the parts
// and forwards to them; each package documents the guarantees of its answers.
//
// Package board documents the guarantees of the directory itself, from the life of a write to
// that of an erasure. Beyond that,
//
//   - Reads run on one snapshot, write nothing, and change no root.
//   - Under a scope, what it does not allow does not exist for reads. Every method of [Board]
//     that takes a token verifies it.
//   - Nothing is compiled in the background unless [Options.CompileAfter] says so.
package engine

import (
	"context"
	"time"

	"lukasa.dev/internal/advise"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/browse"
	"lukasa.dev/internal/board/erase"
	"lukasa.dev/internal/coldstart"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/packer"
	"lukasa.dev/internal/packproof"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/review"
	"lukasa.dev/internal/semaphore"
	"lukasa.dev/internal/sessions"
)

// Board is an open data directory with all its readers. It is safe for concurrent use.
type Board struct {
	core *board.Board

	browser   *browse.Browser
	eraser    *erase.Eraser
	retrieval *retrieval.Retriever
	sessions  *sessions.Sessions
	learner   *learn.Learner
	reviewer  *review.Reviewer
	adviser   *advise.Adviser
	contexts  *coldstart.Composer
	packer    *packer.Packer
	prover    *packproof.Prover
	ticks     func() time.Time // the clock that measures durations
}

// Open opens the data directory dir, and creates it if it does not exist.
func Open(ctx context.Context, dir string, o board.Options) (*Board, error) {
	b := &Board{ticks: time.Now}
	core, err := board.Open(ctx, dir, o, b.attach)
	if err != nil {
		return nil, err
	}
	b.core = core
	b.learner.Start()
	return b, nil
}

// attach makes all readers follow the board.
func (b *Board) attach(core *board.Board) {
	b.core, b.browser, b.eraser = core, browse.New(core), erase.New(core)
	limit := semaphore.PerProcessor() // limits calls that compose bundles and packs
	ticks := func() time.Time { return b.ticks() }
	b.contexts = coldstart.NewComposer(core, limit, ticks)
	b.retrieval = retrieval.New(core)
	b.sessions = sessions.New(b.retrieval)
	b.learner = learn.New(b.retrieval, b.sessions)
	b.reviewer = review.New(core)
	b.adviser = advise.New(b.retrieval, b.sessions)
	b.packer = packer.New(packer.Parts{Retrieval: b.retrieval, Sessions: b.sessions, Learner: b.learner, Adviser: b.adviser, Limit: limit, Ticks: ticks})
	b.prover = packproof.New(b.retrieval, b.packer)
}

// Close waits for running operations, makes everything durable and releases the directory. A
// second call does nothing.
func (b *Board) Close() error {
	b.learner.Stop()
	return b.core.Close()
}
