package remote

import (
	"context"
	"time"

	"lukasa.dev/internal/fault"
)

// Trouble is why a request has no answer. Nothing in it holds the key.
type Trouble struct {
	kind   kind
	code   fault.Code // if it is the server's
	detail string
	fix    string
	cause  error
	wait   time.Duration // the server asked for it
}

// kind is what can be done about a trouble.
type kind int

const (
	outage    kind = iota // it may pass: try again
	busy                  // the same, and the server says that it works
	refusal               // the server does not take the request
	breakdown             // the server failed on the request; it may be what is in it
	setup                 // address, model or key are wrong
	nonsense              // the answer is none
	shut                  // the breaker is open
	canceled              // the caller gave up
)

// verdict is what the trouble says about the server. None at all says it is well.
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

// mayPass reports whether another attempt may succeed. With breakdowns, those may.
func (t *Trouble) mayPass(breakdowns bool) bool {
	return t.kind == outage || t.kind == busy || t.kind == breakdown && breakdowns
}

// MayBeRequest reports whether another request might have had an answer.
func (t *Trouble) MayBeRequest() bool { return t.kind == refusal || t.kind == breakdown }

// Refused reports whether the server understood the request and does not take it.
func (t *Trouble) Refused() bool { return t.kind == refusal }

// Canceled reports whether the caller gave up.
func (t *Trouble) Canceled() bool { return t.kind == canceled }

// OfRequest returns the trouble as the fault of the request, with what to do about it.
// Its code is invalid_argument.
func (t *Trouble) OfRequest(fix string) error {
	return fault.New(fault.InvalidArgument, t.detail).WithCause(t.cause).WithFix(fix)
}

// OfServer returns the trouble as the fault of the server, or of how it is set up. Its
// code is the one that the options name, or canceled.
func (t *Trouble) OfServer() error {
	code := t.code
	if t.kind == canceled {
		code = fault.Canceled
	}
	return fault.New(code, t.detail).WithCause(t.cause).WithFix(t.fix)
}

// gaveUp is the trouble that the caller did not want to wait.
func (c *Client) gaveUp(ctx context.Context, err error) *Trouble {
	if cause := ctx.Err(); cause != nil {
		err = cause
	}
	return &Trouble{kind: canceled, detail: "stopped while waiting for " + c.At(), cause: err}
}
