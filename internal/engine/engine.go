// Package engine opens a board with everything that reads it: search, find, cold starts,
// packs, the compiler, next steps and checks, fingerprints, and what is proven of packs. It
// holds the parts together and forwards to them; what is promised of an answer is said in the
// package that gives it.
//
// What is guaranteed of the directory itself, from the life of a write to that of an erasure,
// is said in package board. Beyond that,
//
//   - Reads run on one snapshot, write nothing, and leave every root as it was.
//   - Under a scope, what it does not allow is for reads as if it were not there. Every
//     method of [Board] that takes a token verifies it.
//   - Nothing is compiled by itself unless [Options.CompileAfter] says so.
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

// Board is an open data directory with everything that reads it. It is safe for concurrent
// use.
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
	ticks     func() time.Time // by which it is measured how long something takes
}

// Open opens the data directory dir, making it if it does not exist.
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

// attach has everything that is derived from a board follow it.
func (b *Board) attach(core *board.Board) {
	b.core, b.browser, b.eraser = core, browse.New(core), erase.New(core)
	limit := semaphore.PerProcessor() // of calls that compose bundles and packs
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

// Close waits for what is under way, makes everything durable and lets the directory go. A
// second call does nothing.
func (b *Board) Close() error {
	b.learner.Stop()
	return b.core.Close()
}
