package remote

import (
	"context"
	"time"

	"lukasa.dev/internal/fault"
)

// Trouble is why a request has no answer. It never contains the key.
type Trouble struct {
	kind   kind
	code   fault.Code // if the server is the cause
	detail string
	fix    string
	cause  error
	wait   time.Duration // requested by the server
}

// kind is what can be done about a trouble.
type kind int

const (
	outage    kind = iota // transient: retry
	busy                  // the same, and the server shows that it works
	refusal               // the server refuses the request
	breakdown             // the server failed on the request; its content may be the cause
	setup                 // address, model or key are wrong
	nonsense              // the answer is invalid
	shut                  // the breaker is open
	canceled              // the caller gave up
)

// verdict is what the trouble shows about the server. A nil trouble shows that it works.
func (t *Trouble) verdict() verdict {
	if t == nil {
		return well
	}
	switch t.kind {
	case outage, nonsense:
		return ill
	case busy, breakdown:
		return undecided
	case refusal, setup:
		return well
	}
	return unknown
}

// mayPass reports whether a retry may succeed. With breakdowns, those count as well.
func (t *Trouble) mayPass(breakdowns bool) bool {
	return t.kind == outage || t.kind == busy || t.kind == breakdown && breakdowns
}

// MayBeRequest reports whether another request might have succeeded.
func (t *Trouble) MayBeRequest() bool { return t.kind == refusal || t.kind == breakdown }

// Refused reports whether the server understood and refused the request.
func (t *Trouble) Refused() bool { return t.kind == refusal }

// OfRequest returns the trouble as an error of the request, with a fix. Its code is
// invalid_argument.
func (t *Trouble) OfRequest(fix string) error {
	return fault.New(fault.InvalidArgument, t.detail).WithCause(t.cause).WithFix(fix)
}

// OfServer returns the trouble as an error of the server or its configuration. Its code is that
// of the options, or canceled.
func (t *Trouble) OfServer() error {
	code := t.code
	if t.kind == canceled {
		code = fault.Canceled
	}
	return fault.New(code, t.detail).WithCause(t.cause).WithFix(t.fix)
}

// gaveUp is the trouble of a caller that gave up.
func (c *Client) gaveUp(ctx context.Context, err error) *Trouble {
	if cause := ctx.Err(); cause != nil {
		err = cause
	}
	return &Trouble{kind: canceled, detail: "stopped while waiting for " + c.At(), cause: err}
}
