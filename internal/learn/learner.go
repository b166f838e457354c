// Package learn makes artifacts of what sessions did and memories of what users said, on request
// and by itself, finds what contradicts each other, and lets people decide about it. The journal
// alone decides what is learned: what is kept beside it spares reading.
package learn

import (
	"context"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/record"
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

// New returns the learner of a board. Artifacts that are written to the board from now on
// keep the rules of chains.
func New(r *retrieval.Retriever, s *sessions.Sessions) *Learner {
	r.Core().Require(record.Artifact, artifactRule())
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
