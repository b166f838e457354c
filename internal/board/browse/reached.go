package browse

import (
	"context"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/memory"
)

// Reached returns the highest recorded sequence of a session. ok is false if the
// session has no event.
func (b *Browser) Reached(ctx context.Context, tenant, session string) (sequence int64, ok bool, err error) {
	if err := memory.CheckTenant(tenant); err != nil {
		return 0, false, err
	}
	if err := b.core.EnterTenant(tenant); err != nil {
		return 0, false, err
	}
	if session == "" {
		return 0, false, fault.New(fault.InvalidArgument, "session: there is none").WithFix("name a session")
	}
	if err := b.core.Enter(ctx); err != nil {
		return 0, false, err
	}
	defer b.core.Leave()
	t, ok, err := ledger.Lookup(b.core.Store(), tenant)
	if err != nil || !ok {
		return 0, false, err
	}
	s, ok, err := timeline.SessionSummary(b.core.Store(), t.Number, session)
	if err != nil || !ok || s.Events == 0 {
		return 0, false, err
	}
	return s.Last.Sequence, true, nil
}
