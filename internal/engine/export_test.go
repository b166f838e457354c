package engine

import (
	"time"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/transfer"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/packer"
)

// Looked is how many records a board has read to determine visibility.
func Looked(b *Board) int64 { return b.retrieval.Judged() }

// ForgetSights makes a board forget what views show.
func ForgetSights(b *Board) { b.attach(b.core) }

// SetTicks sets the clock that measures durations.
func SetTicks(b *Board, ticks func() time.Time) { b.ticks = ticks }

// KeepNoPast makes a board put the past states that packs are made of into files.
func KeepNoPast(b *Board) {
	b.limits.past = 0
	b.attach(b.core)
}

// KeepsPast reports whether a board caches a past state.
func KeepsPast(b *Board) bool { return b.retrieval.KeepsPast() }

// CompileApart makes a board write what a compile makes in groups of that many records.
func CompileApart(b *Board, records int) {
	b.limits.group = records
	b.attach(b.core)
}

// CompileTogether makes a board write what a compile makes in groups as usual.
func CompileTogether(b *Board) { CompileApart(b, learn.GroupRecords) }

// Watched is how many tenants of a board someone watches.
func Watched(b *Board) int { return b.core.Watched() }

// ReadParts makes a board read that many events of a session as one, and at least that many to
// say what a session did.
func ReadParts(b *Board, part, soFar uint64) {
	b.limits.part, b.limits.soFar = part, soFar
	b.attach(b.core)
}

// HitsFor is the maximum number of hits that a pack with a budget considers.
var HitsFor = packer.HitsFor

// RefOf returns the reference that a URI is.
func RefOf(u memory.URI) Ref { return board.RefOf(u) }

// OpenSalvage opens a directory that nobody has for a salvage, whatever is wrong with its
// index, its keys and its mark. It must be closed.
func OpenSalvage(fs disk.FS, dir string) (*Salvage, error) { return transfer.OpenSalvage(fs, dir) }

// System returns the permission to use [SystemTenant].
func System() board.SystemKey { return board.System() }
