// Package learn makes artifacts of what sessions did and memories of what users said, on request
// and by itself, and finds what contradicts each other.
//
// What is guaranteed:
//
//   - The journal alone decides what is learned: what is kept beside it saves reading, and is
//     dropped before an erasure is acknowledged.
//   - Nothing is trusted further than the lowest of what it was made of.
//   - What people wrote, archived, settled or forgot stays as they left it (see package review).
//   - A compile that is cut short leaves no artifact with two active versions.
//
// What is not: statements are read in English. What a user says in another language stays an
// event, which is found and quoted, and becomes no memory by itself.
package learn

import (
	"context"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/sessions"
)

// Learner makes artifacts and memories of what sessions did and users said, and decides about
// them. It is safe for concurrent use.
type Learner struct {
	core       *board.Board
	retrieval  *retrieval.Retriever
	sessions   *sessions.Sessions
	compiling  *compiling
	learning   *learning
	background *background // that compiles by itself; nil for none
}

// New returns the learner of a board.
func New(r *retrieval.Retriever, s *sessions.Sessions) *Learner {
	return &Learner{core: r.Core(), retrieval: r, sessions: s, compiling: newCompiling(), learning: newLearning()}
}

// Stop ends what compiles by itself and waits for it.
func (b *Learner) Stop() { b.background.stop() }

// Alone waits until nothing is compiled, and lets nothing be compiled until done is called.
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

// OnCompiled has a function called after each compile that was begun by itself.
func (b *Learner) OnCompiled(told func(tenant string, err error)) {
	b.background.mu.Lock()
	b.background.told = told
	b.background.mu.Unlock()
}

// LookForDue looks which tenants are to be compiled.
func (b *Learner) LookForDue() { b.background.look() }
