// Package advise says what may come next in a session, and what speaks against a planned action:
// by active artifacts, by rules, and by what the same or the like led to before.
package advise

import (
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/sessions"
)

// Adviser says what may come next in a session, and what speaks against a planned action. It is
// safe for concurrent use.
type Adviser struct {
	core      *board.Board
	retrieval *retrieval.Retriever
	sessions  *sessions.Sessions
	guides    *guides // what artifacts and rules say; nil in a past state
}

// New returns the adviser of a board, which it follows.
func New(r *retrieval.Retriever, s *sessions.Sessions) *Adviser {
	b := &Adviser{core: r.Core(), retrieval: r, sessions: s, guides: newGuides()}
	b.core.Follow(guideFollower{b: b})
	return b
}

// Over returns an adviser for a past state. It keeps nothing.
func (b *Adviser) Over(r *retrieval.Retriever) *Adviser {
	return &Adviser{core: r.Core(), retrieval: r, sessions: b.sessions.Over(r)}
}
