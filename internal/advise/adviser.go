// Package advise suggests the next steps of a session, and checks a planned action against
// active artifacts, rules, and the outcomes of the same or similar actions.
package advise

import (
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/sessions"
)

// Adviser suggests the next steps of a session, and checks planned actions. It is safe for
// concurrent use.
type Adviser struct {
	core      *board.Board
	retrieval *retrieval.Retriever
	sessions  *sessions.Sessions
	guides    *guides // a cache of artifacts and rules; nil in a past state
}

// New returns the adviser of a board, and follows the board.
func New(r *retrieval.Retriever, s *sessions.Sessions) *Adviser {
	b := &Adviser{core: r.Core(), retrieval: r, sessions: s, guides: newGuides()}
	b.core.Follow(guideFollower{b: b})
	return b
}

// Over returns an adviser for a past state. It caches nothing.
func (b *Adviser) Over(r *retrieval.Retriever) *Adviser {
	return &Adviser{core: r.Core(), retrieval: r, sessions: b.sessions.Over(r)}
}
