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

// New returns the learner of a board. Compiles write group records together, and more where some
// belong together; with 1, each record alone, as a crash may leave them.
func New(r *retrieval.Retriever, s *sessions.Sessions, group int) *Learner {
	return &Learner{core: r.Core(), retrieval: r, sessions: s, compiling: newCompiling(group), learning: newLearning()}
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
