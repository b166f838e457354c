package engine

import (
	"time"

	"lukasa.dev/internal/packer"
)

// Looked is how many records a board has read to find out what views show.
func Looked(b *Board) int64 { return b.retrieval.Judged() }

// ForgetSights makes a board forget what views show.
func ForgetSights(b *Board) { b.retrieval.ForgetViews() }

// SetTicks makes a board measure how long something takes by another watch.
func SetTicks(b *Board, ticks func() time.Time) { b.ticks = ticks }

// KeepNoPast makes a board put the past states that packs are made of into files.
func KeepNoPast(b *Board) { b.retrieval.KeepPasts(0) }

// KeepsPast reports whether a board keeps a past state that a pack was made of.
func KeepsPast(b *Board) bool { return b.retrieval.KeepsPast() }

// CompileApart makes a board write what a compile makes in groups of that many records, or
// as it does for 0, and tells of each; an error ends the compile.
func CompileApart(b *Board, records int, wrote func() error) {
	b.learner.CompileApart(records, wrote)
}

// OnCompiled is told of each compile that a board does by itself.
func OnCompiled(b *Board, told func(tenant string, err error)) {
	b.learner.OnCompiled(told)
}

// LookForDue has a board look what it is to compile by itself.
func LookForDue(b *Board) { b.learner.LookForDue() }

// Watched is how many tenants of a board someone watches.
func Watched(b *Board) int { return b.core.Watched() }

// ReadParts makes a board read that many events of a session as one, and at least that many to
// say what a session did.
func ReadParts(b *Board, part, soFar uint64) { b.sessions.ReadParts(part, soFar) }

// HitsFor is how many hits a pack with a budget looks at, at most.
var HitsFor = packer.HitsFor
