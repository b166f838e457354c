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
	limits    limits
}

// limits are how much the parts of a board take in at a time.
type limits struct {
	past        uint64 // see retrieval.New
	part, soFar uint64 // see sessions.New
	group       int    // see learn.New
}

// Open opens the data directory dir, and creates it if it does not exist.
func Open(ctx context.Context, dir string, o board.Options) (*Board, error) {
	b := &Board{ticks: time.Now, limits: limits{retrieval.MaxPast, sessions.PartEvents, sessions.SoFarEvents, learn.GroupRecords}}
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
	b.retrieval = retrieval.New(core, b.limits.past)
	b.sessions = sessions.New(b.retrieval, b.limits.part, b.limits.soFar)
	b.learner = learn.New(b.retrieval, b.sessions, b.limits.group)
	b.reviewer = review.New(core)
	b.adviser = advise.New(b.retrieval, b.sessions)
	b.packer = packer.New(packer.Parts{Retrieval: b.retrieval, Sessions: b.sessions, Learner: b.learner, Adviser: b.adviser, Limit: limit, Ticks: ticks})
	b.prover = packproof.New(b.retrieval, b.packer)
}

// AsSystem returns the same board with the permission of a key: to read and write the records
// of [SystemTenant], and to take it out of a directory and into one. Nothing is searched,
// packed or learned there.
func (b *Board) AsSystem(k board.SystemKey) *Board {
	s, core := *b, b.core.AsSystem(k)
	s.core, s.browser, s.eraser = core, browse.New(core), erase.New(core)
	return &s
}

// Close waits for running operations, makes everything durable and releases the directory. A
// second call does nothing.
func (b *Board) Close() error {
	b.learner.Stop()
	return b.core.Close()
}
