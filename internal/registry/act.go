package registry

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
)

// Acts as events.
const (
	actType    = hmx.EventType("x-lukasa-audit")
	actAgent   = "lukasa"
	actSession = "audit"
)

// Act is an administrative act on the server or on a tenant.
type Act struct {
	ID     string            `json:"-"`
	Time   time.Time         `json:"-"`
	Act    string            `json:"act"`
	By     string            `json:"by"`
	Tenant string            `json:"tenant,omitempty"`
	Detail map[string]string `json:"detail,omitempty"`
}

// Note journals an act with a time.
func (r *Registry) Note(ctx context.Context, at time.Time, act Act) error {
	content, err := json.Marshal(act)
	if err != nil {
		return err
	}
	id, err := hmx.NewIDSource(func() time.Time { return at }, rand.Reader).Next()
	if err != nil {
		return err
	}
	res, err := r.board.Append(ctx, lukasa.Writer{Actor: act.By, Trust: lukasa.Operator}, &lukasa.Event{
		HMXVersion: hmx.Version, EventID: id, EventType: actType, AgentID: actAgent, TenantID: lukasa.SystemTenant,
		SessionID: actSession, Timestamp: hmx.TimeOf(at.UTC()), Sequence: at.UnixMicro(), Content: hmx.Raw(content),
	})
	if err != nil {
		return err
	}
	if f := res.Receipts[0].Fault; f != nil {
		return f
	}
	return nil
}

// Acts returns acts, oldest first: at most limit, after the cursor of an earlier call. next is
// empty at the end.
func (r *Registry) Acts(ctx context.Context, limit int, after string) (acts []Act, next string, err error) {
	page, err := r.tenant("").Events(ctx, lukasa.EventQuery{Session: actSession, Limit: limit, After: after})
	if errors.Is(err, fault.NotFound) {
		return nil, "", nil // nothing was ever stored here
	}
	if err != nil {
		return nil, "", err
	}
	for _, ev := range page.Events {
		act := Act{ID: ev.Event.EventID, Time: ev.Event.Timestamp.Time()}
		if err := json.Unmarshal([]byte(ev.Event.Content), &act); err != nil {
			return nil, "", fault.Newf(fault.Damaged, "event %q of tenant %q is no act: %w", ev.Event.EventID, lukasa.SystemTenant, err)
		}
		acts = append(acts, act)
	}
	return acts, page.Next, nil
}
