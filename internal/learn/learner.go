// Package learn derives artifacts from sessions and memories from statements of users, on request
// and in the background, and finds contradictions.
//
// What is guaranteed:
//
//   - The journal alone decides what is learned: caches only save reading, and are dropped before
//     an erasure is acknowledged.
//   - No record has more trust than its least trusted source.
//   - What people wrote, archived, settled or forgot stays as they left it (see package review).
//   - An interrupted compile leaves no artifact with two active versions.
//
// What is not: statements are read in English. A message in another language stays an event, which
// is found and quoted, and does not become a memory by itself.
package learn

import (
	"context"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/sessions"
)

// Learner derives artifacts and memories from sessions and statements. It is safe for concurrent
// use.
type Learner struct {
	core       *board.Board
	retrieval  *retrieval.Retriever
	sessions   *sessions.Sessions
	compiling  *compiling
	learning   *learning
	background *background // background compiles; nil for none
}

// New returns the learner of a board.
func New(r *retrieval.Retriever, s *sessions.Sessions) *Learner {
	return &Learner{core: r.Core(), retrieval: r, sessions: s, compiling: newCompiling(), learning: newLearning()}
}

// Stop ends the background compiles and waits for them.
func (b *Learner) Stop() { b.background.stop() }

// Alone waits until no compile runs, and blocks compiles until done is called.
func (b *Learner) Alone(ctx context.Context) (done func(), err error) {
	select {
	case <-b.compiling.turn:
		return func() { b.compiling.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// CompileApart makes compiles write groups of that many records, or as many as fit for 0. Wrote is
// called after each group; its error ends the compile.
func (b *Learner) CompileApart(records int, wrote func() error) {
	b.compiling.apart, b.compiling.wrote = records, wrote
}

// OnCompiled sets a function that is called after each background compile.
func (b *Learner) OnCompiled(told func(tenant string, err error)) {
	b.background.mu.Lock()
	b.background.told = told
	b.background.mu.Unlock()
}

// LookForDue makes the background goroutine check which tenants are due.
func (b *Learner) LookForDue() { b.background.look() }
