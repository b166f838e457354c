package reorder

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// The defaults, for options that are zero.
const (
	DefaultWindow           = 5 * time.Second // HMX-E section 7
	DefaultMaxSessionEvents = 4096
	DefaultMaxSessionBytes  = 16 << 20
	DefaultMaxEvents        = 65536
	DefaultMaxBytes         = 64 << 20
	DefaultMaxSessions      = 65536
	DefaultMaxNameBytes     = 16 << 20
)

// Options are the window and the limits of a buffer. The zero value works.
type Options struct {
	// Window is how long an event waits for earlier ones.
	Window time.Duration

	// Limits on what one session holds. Bytes are counted by hmx.Event.Size.
	MaxSessionEvents int
	MaxSessionBytes  int

	// Limits on what all sessions hold together.
	MaxEvents int
	MaxBytes  int

	// MaxSessions is how many sessions are remembered, at some 200 bytes each, and MaxNameBytes
	// the total length of the tenant and session ids of idle ones. The session that is idle for
	// longest is forgotten first. Sessions with held events are never forgotten, even beyond
	// the limit; there are at most MaxEvents of them, and their ids count there.
	MaxSessions  int
	MaxNameBytes int

	// Next, if set, returns the first expected sequence of a session that is not remembered:
	// one above the highest that was ever released, by this buffer or an earlier one. With such
	// a Next, forgetting makes no difference to order. The sum may wrap around: math.MinInt64
	// follows math.MaxInt64, after which everything is late or tied. ok is false for an unknown
	// session, which is then expected to start at 0, as is every session if Next is nil. Next
	// runs within Push and must not call the buffer.
	Next func(tenant, session string) (next int64, ok bool)
}

// Validate reports every problem at once.
func (o Options) Validate() error {
	var problems []error
	if o.Window < 0 {
		problems = append(problems, fmt.Errorf("window is %s: must be positive, or zero for %s", o.Window, DefaultWindow))
	}
	for _, limit := range []struct {
		name         string
		value, usual int
	}{
		{"MaxSessionEvents", o.MaxSessionEvents, DefaultMaxSessionEvents},
		{"MaxSessionBytes", o.MaxSessionBytes, DefaultMaxSessionBytes},
		{"MaxEvents", o.MaxEvents, DefaultMaxEvents},
		{"MaxBytes", o.MaxBytes, DefaultMaxBytes},
		{"MaxSessions", o.MaxSessions, DefaultMaxSessions},
		{"MaxNameBytes", o.MaxNameBytes, DefaultMaxNameBytes},
	} {
		if limit.value < 0 {
			problems = append(problems, fmt.Errorf("%s is %d: must be positive, or zero for %d", limit.name, limit.value, limit.usual))
		}
	}
	if problems == nil {
		return nil
	}
	return fmt.Errorf("reorder options: %w", errors.Join(problems...))
}

func (o Options) withDefaults() Options {
	o.Window = cmp.Or(o.Window, DefaultWindow)
	o.MaxSessionEvents = cmp.Or(o.MaxSessionEvents, DefaultMaxSessionEvents)
	o.MaxSessionBytes = cmp.Or(o.MaxSessionBytes, DefaultMaxSessionBytes)
	o.MaxEvents = cmp.Or(o.MaxEvents, DefaultMaxEvents)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.MaxSessions = cmp.Or(o.MaxSessions, DefaultMaxSessions)
	o.MaxNameBytes = cmp.Or(o.MaxNameBytes, DefaultMaxNameBytes)
	return o
}
