// Package sessions reports what sessions did: as a timeline, as counts, and as traces of tasks
// and steps. Traces are cached beside the index, so that a compile reads only what is new.
package sessions

import (
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/semaphore"
)

// Sessions reports what sessions did, and caches traces for the next compile. It is safe for
// concurrent use.
type Sessions struct {
	core      *board.Board
	retrieval *retrieval.Retriever
	surveys   semaphore.FIFO // limits calls that count everything
	traced    traceFiles
}

// New returns the sessions of a board, which it follows. Part is how many events of a session are
// read as one, and soFar how many at least to say what a session did so far.
func New(r *retrieval.Retriever, part, soFar uint64) *Sessions {
	s := &Sessions{core: r.Core(), retrieval: r, surveys: semaphore.New(1), traced: traceFiles{part: part, soFar: soFar}}
	s.core.Follow(traceFollower{b: s})
	return s
}

// Over returns the sessions of a past state. It caches nothing.
func (b *Sessions) Over(r *retrieval.Retriever) *Sessions {
	return &Sessions{core: r.Core(), retrieval: r, surveys: b.surveys, traced: traceFiles{part: b.traced.part, soFar: b.traced.soFar}}
}

// Part returns how many events of a session make a part.
func (b *Sessions) Part() uint64 { return b.traced.part }

// SoFar returns the minimum number of events that are read of a long session.
func (b *Sessions) SoFar() uint64 { return b.traced.soFar }

// KeepBeside writes a file beside the traces of a tenant and calls kept, unless the count of
// erasures has changed. A failed write is ignored: the file is a cache.
func (b *Sessions) KeepBeside(tenant, suffix string, data []byte, erasures uint64, kept func()) {
	b.traced.mu.Lock()
	defer b.traced.mu.Unlock()
	if b.core.Erasures() != erasures {
		return
	}
	kept()
	if disk.MkdirAll(b.core.FS(), b.core.Path(board.NameTraces)) == nil {
		_ = disk.WriteFile(b.core.FS(), b.tracePath(tenant, 0)+suffix, data)
	}
}

// ReadBeside reads a file that KeepBeside wrote.
func (b *Sessions) ReadBeside(tenant, suffix string) ([]byte, error) {
	return disk.ReadFile(b.core.FS(), b.tracePath(tenant, 0)+suffix)
}
