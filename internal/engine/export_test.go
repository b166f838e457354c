package engine

import (
	"time"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/transfer"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/packer"
)

// Looked is how many records a board has read to determine visibility.
func Looked(b *Board) int64 { return b.retrieval.Judged() }

// ForgetSights empties the visibility cache of a board.
func ForgetSights(b *Board) { b.retrieval.ForgetViews() }

// SetTicks sets the clock that measures durations.
func SetTicks(b *Board, ticks func() time.Time) { b.ticks = ticks }

// KeepNoPast makes a board put past states into files.
func KeepNoPast(b *Board) { b.retrieval.KeepPasts(0) }

// KeepsPast reports whether a board caches a past state.
func KeepsPast(b *Board) bool { return b.retrieval.KeepsPast() }

// CompileApart makes compiles write groups of that many records, or the default for 0, and
// calls wrote after each; an error ends the compile.
func CompileApart(b *Board, records int, wrote func() error) {
	b.learner.CompileApart(records, wrote)
}

// OnCompiled sets a function that is called after each background compile.
func OnCompiled(b *Board, told func(tenant string, err error)) {
	b.learner.OnCompiled(told)
}

// LookForDue makes a board check what is due for a background compile.
func LookForDue(b *Board) { b.learner.LookForDue() }

// Watched is how many tenants of a board are watched.
func Watched(b *Board) int { return b.core.Watched() }

// ReadParts sets how many events of a session make a part, and the minimum number of events
// that are read of a long session.
func ReadParts(b *Board, part, soFar uint64) { b.sessions.ReadParts(part, soFar) }

// HitsFor is the maximum number of hits that a pack with a budget considers.
var HitsFor = packer.HitsFor

// RefOf returns the reference that a URI is.
func RefOf(u memory.URI) Ref { return board.RefOf(u) }

// OpenSalvage opens a directory that nobody has for a salvage, whatever is wrong with its
// index, its keys and its mark. It must be closed.
func OpenSalvage(fs disk.FS, dir string) (*Salvage, error) { return transfer.OpenSalvage(fs, dir) }
