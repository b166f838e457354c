// Package retrieval answers questions about a board: by words and meaning, as it is or as it was
// at a position, a root or a time. It says which documents a view shows, so that what is hidden
// has no influence on any score, and has documents embedded.
package retrieval

import (
	"sync"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/recall"
)

// Retriever answers questions about a board, as it is or as it was. It is safe for concurrent
// use.
type Retriever struct {
	core       *board.Board
	searcher   *recall.Searcher // of the index in use
	sights     *sights          // of the same index
	embedCalls embedCalls       // that searches wait for, or have left behind
	pasts      *pasts           // past states; nil in one of these
	actives    *actives         // which artifacts are active; nil in a past state

	mu     sync.Mutex
	beside any
}

// New returns the retriever of a board, which it follows.
func New(core *board.Board) *Retriever {
	r := &Retriever{core: core, searcher: recall.New(core.Options().RecallBytes), sights: newSights(), pasts: newPasts(), actives: newActives()}
	core.Follow(retrieved{b: r}, pastFollower{b: r}, r.actives)
	return r
}

// Core returns the board that is read: for a past state, one with the index of then.
func (b *Retriever) Core() *board.Board { return b.core }

// Beside returns what the first call made, for a reader that keeps something as long as the
// retriever of a past state is kept.
func (b *Retriever) Beside(make func() any) any {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.beside == nil {
		b.beside = make()
	}
	return b.beside
}

// Roster opens the attributes of the documents of a state.
func (b *Retriever) Roster(s board.State) (*roster.View, error) {
	return b.searcher.Roster(recall.State{Reader: s.Reader, Tenant: s.Tenant.Number, Size: s.Tenant.Size})
}

// ForgetViews lets go of what is known of the documents that views show.
func (b *Retriever) ForgetViews() { b.sights = newSights() }

// Judged returns how many records were read to find out what views show.
func (b *Retriever) Judged() int64 { return b.sights.looked.Load() }

// KeepPasts sets how many records a past state has at most that is kept in memory.
func (b *Retriever) KeepPasts(records uint64) { b.pasts.most = records }

// PastRecords returns how many records a past state has at most that is kept in memory.
func (b *Retriever) PastRecords() uint64 { return b.pasts.most }

// KeepsPast reports whether a past state is kept.
func (b *Retriever) KeepsPast() bool { return b.pasts.kept != nil }
