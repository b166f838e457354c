package embed

import (
	"context"
	"time"

	"lukasa.dev/internal/fault"
)

// trouble is why a request has no answer.
type trouble struct {
	kind   kind
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
	refusal               // the server does not take the texts, or the request
	breakdown             // the server failed on the request; it may be the texts
	setup                 // address, model or key are wrong
	nonsense              // the answer is none
	shut                  // the breaker is open
	canceled              // the caller gave up
)

// verdict is what the trouble says about the server. None at all says it is well.
func (t *trouble) verdict() verdict {
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
func (t *trouble) mayPass(breakdowns bool) bool {
	return t.kind == outage || t.kind == busy || t.kind == breakdown && breakdowns
}

// mayBeTexts reports whether other texts might have had an answer.
func (t *trouble) mayBeTexts() bool { return t.kind == refusal || t.kind == breakdown }

// ofText returns the trouble as the fault of a text.
func (t *trouble) ofText() error {
	return fault.New(fault.InvalidArgument, t.detail).WithCause(t.cause).WithFix("shorten the text or leave it out; the service takes others")
}

// ofServer returns the trouble as the fault of the server, or of how it is set up.
func (t *trouble) ofServer() error {
	code := fault.NoEmbedder
	if t.kind == canceled {
		code = fault.Canceled
	}
	return fault.New(code, t.detail).WithCause(t.cause).WithFix(t.fix)
}

// gaveUp is the trouble that the caller did not want to wait.
func (r *Remote) gaveUp(ctx context.Context, err error) *trouble {
	if cause := ctx.Err(); cause != nil {
		err = cause
	}
	return &trouble{kind: canceled, detail: "stopped while waiting for " + r.at(), cause: err}
}
