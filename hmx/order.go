package hmx

import (
	"cmp"
	"strings"
)

// CompareEvents orders events by the composite key of HMX-E section 7: tenant, session,
// sequence, timestamp, and last the event id, so that different events never tie. Across
// sessions the order is fixed but has no relation to time.
func CompareEvents(a, b *Event) int {
	return cmp.Or(
		strings.Compare(a.TenantID, b.TenantID),
		strings.Compare(a.SessionID, b.SessionID),
		cmp.Compare(a.Sequence, b.Sequence),
		a.Timestamp.Compare(b.Timestamp),
		strings.Compare(a.EventID, b.EventID),
	)
}
