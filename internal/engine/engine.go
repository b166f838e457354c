// Package engine opens a board with everything that reads it: search, find, cold starts,
// packs, the compiler, next steps and checks, fingerprints, and what is proven of packs.
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

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/coldstart"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/semaphore"
)

// Board is an open data directory with everything that reads it. It is safe for concurrent
// use.
type Board struct {
	core *board.Board

	contexts   *coldstart.Composer
	asking     semaphore.FIFO   // of calls that compose bundles and packs
	surveys    semaphore.FIFO   // of calls that count everything
	searcher   *recall.Searcher // of the index in use
	sights     *sights          // of the same index
	embedCalls embedCalls       // that searches wait for, or have left behind
	counts     *counts          // of what packs quoted, by the records of the index
	pasts      *pasts           // that packs were made of
	traced     traceFiles       // of what sessions did
	compiling  *compiling
	learning   *learning
	background *background      // that compiles by itself; nil for none
	actives    *actives         // which artifacts are active
	guides     *guides          // what artifacts say about next steps
	ticks      func() time.Time // by which it is measured how long something takes
}

// Open opens the data directory dir, making it if it does not exist.
func Open(ctx context.Context, dir string, o board.Options) (*Board, error) {
	b := &Board{
		asking: semaphore.PerProcessor(), surveys: semaphore.New(1), searcher: recall.New(o.RecallBytes), sights: newSights(),
		counts: newCounts(), pasts: newPasts(), traced: traceFiles{part: partEvents, soFar: soFarEvents},
		compiling: newCompiling(), learning: newLearning(), guides: newGuides(), actives: newActives(), ticks: time.Now,
	}
	core, err := board.Open(ctx, dir, o, b.attach)
	if err != nil {
		return nil, err
	}
	b.core = core
	b.startCompiling()
	return b, nil
}

// attach has everything that is derived from a board follow it.
func (b *Board) attach(core *board.Board) {
	b.core = core
	b.contexts = coldstart.NewComposer(core, b.asking, func() time.Time { return b.ticks() })
	core.Follow(retrieved{b: b}, pastFollower{b: b}, traceFollower{b: b}, b.actives, guideFollower{b: b})
	core.Require(record.Artifact, artifactRule())
	core.Require(record.Fingerprint, fingerprintRule())
}

// Close waits for what is under way, makes everything durable and lets the directory go. A
// second call does nothing.
func (b *Board) Close() error {
	b.background.stop()
	return b.core.Close()
}
