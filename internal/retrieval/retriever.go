// Package retrieval searches a board by words and meaning, in its present state or as of a
// position, a root or a time. It determines which documents a view shows, so that hidden
// documents have no influence on any score, and has documents embedded.
package retrieval

import (
	"sync"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/recall"
)

// Retriever searches a board, in its present state or a past one. It is safe for concurrent use.
type Retriever struct {
	core       *board.Board
	searcher   *recall.Searcher // of the index in use
	sights     *sights          // of the same index
	embedCalls embedCalls       // calls that searches wait for, or have abandoned
	pasts      *pasts           // past states; nil in one of these
	actives    *actives         // which artifacts are active; nil in a past state

	mu     sync.Mutex
	beside any
}

// New returns the retriever of a board, which it follows. Past is how many records a past state
// has at most that is kept in memory.
func New(core *board.Board, past uint64) *Retriever {
	r := &Retriever{core: core, searcher: recall.New(core.Options().RecallBytes), sights: newSights(), pasts: newPasts(past), actives: newActives()}
	core.Follow(retrieved{b: r}, pastFollower{b: r}, r.actives)
	return r
}

// Core returns the board that is read: for a past state, one with the index of that state.
func (b *Retriever) Core() *board.Board { return b.core }

// Beside returns what the first call made. A reader uses it to keep data as long as the
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

// Judged returns how many records were read to determine visibility.
func (b *Retriever) Judged() int64 { return b.sights.looked.Load() }

// PastRecords returns the maximum number of records of a past state that is kept in memory.
func (b *Retriever) PastRecords() uint64 { return b.pasts.most }

// KeepsPast reports whether a past state is cached.
func (b *Retriever) KeepsPast() bool { return b.pasts.kept != nil }
